//! The keeper's rules: state + event + now -> actions. Pure.
//!
//! In: what the host tells, what a look at processes found, the time. Out: what to look at, which
//! notes to write, what to write down. Promises: a record follows the facts; a proven id and an
//! intent are written at once, everything else at most once a second; nothing that happens after an
//! end of host, keeper or machine was announced changes an intent; of a pane that is private neither title
//! nor evidence is written down, of one that is forgotten nothing.

mod asked;
mod ends;
mod notice;
mod pane;
mod record;
mod says;
mod shown;
#[cfg(test)]
mod tests;
mod title;
mod write;

pub(crate) use asked::settled;
pub(crate) use notice::{Rules, Verdict};
pub(crate) use pane::Watched;
pub(crate) use write::{Edit, apply};

use agents::Catalogue;
use agents::live::Learnt;
use link::layout::Workspace;
use protocol::FromHost;
use protocol::msg::{NoteChanged, PaneFacts};
use restore::PaneRecord;
use restore::Text;
use restore::{environ::Kept, intent};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use sys::process::Identity;

/// How often a running agent is looked at when nothing happens.
const POLL: Duration = Duration::from_secs(2);
/// Least time between two looks at one pane.
const LOOKS: Duration = Duration::from_millis(200);

/// The moment something happens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Now {
    /// For deadlines.
    pub(crate) at: Instant,
    /// For records: Unix seconds.
    pub(crate) unix: u64,
}

/// How far a pane's output has come, and when the last of it came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Printed {
    pub(crate) pane: u32,
    pub(crate) offset: u64,
    pub(crate) last: Option<Instant>,
}

/// What happened.
#[derive(Debug)]
pub(crate) enum Event {
    /// What the host has now.
    Listed { panes: Vec<PaneFacts> },
    /// A message of the host.
    Host { pane: u32, message: FromHost },
    /// A look at a pane's processes.
    Looked { pane: u32, looked: Box<Looked> },
    /// The hook of the pane's own agent reported this event of this kind.
    Hooked {
        pane: u32,
        event: String,
        detail: Option<String>,
    },
    /// The answer to [`Action::AskSubmit`].
    Submitted { pane: u32, since: Option<Duration> },
    /// The answer to [`Action::AskEnd`].
    Ended {
        pane: u32,
        raw: i32,
        since_submit: Option<Duration>,
    },
    /// The process of an agent that was watched is gone, while the host lives.
    AgentGone {
        pane: u32,
        process: Identity,
        since_submit: Option<Duration>,
    },
    /// The program of a pane that was only just brought back ended: that is no end of the user's.
    Lost(u32),
    /// Somebody else wrote this of a pane.
    Reread(Box<PaneRecord>),
    /// An end of host, keeper or machine is announced.
    Shutdown,
    /// Nothing, but time passed.
    Tick,
}

/// What a look at a pane's processes found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Looked {
    /// Where the pane's own program is now.
    pub(crate) folder: Option<PathBuf>,
    /// Variables of the pane's own program worth keeping.
    pub(crate) env: Vec<(Text, Text)>,
    /// What it has of those variables that its note only names.
    pub(crate) given: Kept,
    /// The agent that runs in the pane.
    pub(crate) agent: Option<Agent>,
    /// The pane's own program is gone or may not be looked at: nothing is known.
    pub(crate) blind: bool,
}

/// An agent as it runs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Agent {
    /// The process that counts: outermost of those that are the CLI.
    pub(crate) process: Identity,
    /// Name in the catalogue.
    pub(crate) cli: String,
    /// Whole command line, wrappers included.
    pub(crate) argv: Vec<OsString>,
    /// Words of it in front that only read its script (`/bin/bash`, `node`).
    pub(crate) reader: usize,
    /// Its folder.
    pub(crate) folder: Option<PathBuf>,
    /// Its variables worth keeping, and names of the secrets its login uses.
    pub(crate) env: Vec<(Text, Text)>,
    pub(crate) needs: Vec<String>,
    /// It was typed into a shell.
    pub(crate) typed: bool,
    /// It runs inside this program.
    pub(crate) inside: Option<String>,
    /// Its version, where that could be read.
    pub(crate) version: Option<String>,
    /// The conversation that is proved to be its.
    pub(crate) learnt: Option<Learnt>,
    /// Why there is no proof, for people; `refuted`: what it was started with may be wrong by now.
    pub(crate) unproved: String,
    pub(crate) refuted: bool,
    /// It says itself that it has begun no conversation yet.
    pub(crate) none_yet: bool,
    /// First line of the conversation, for a title.
    pub(crate) first_line: Option<String>,
}

/// What to do.
#[derive(Debug, PartialEq)]
pub(crate) enum Action {
    /// Ask the host for its panes.
    List,
    /// Look at a pane's processes.
    Look(u32),
    /// Ask the host when the user last sent the pane something.
    AskSubmit(u32),
    /// Ask the host how long before its end the user last sent the pane something.
    AskEnd { pane: u32, raw: i32 },
    /// Tell when this process is gone. One a pane: a newer replaces it.
    Watch { pane: u32, process: Identity },
    /// A turn of a pane's agent, which was told to go on with cut ones before, came to its end.
    TurnOver(u32),
    /// The agent of a pane opened this conversation in place of the one it was asked for.
    Other { pane: u32, opened: String },
    /// Write a pane's note.
    Note {
        pane: u32,
        key: &'static str,
        value: Vec<u8>,
    },
    /// A pane's wait was judged, or is over.
    Notice { pane: u32, verdict: Verdict },
    /// Write this down.
    Write(Vec<Edit>),
}

/// All that is known of one host's panes.
#[derive(Debug)]
pub(crate) struct Core {
    catalogue: Catalogue,
    panes: BTreeMap<u32, Watched>,
    /// Layouts to write down.
    layouts: BTreeMap<String, Workspace>,
    /// What was written down before of panes this host has, until they were first seen.
    known: BTreeMap<u32, PaneRecord>,
    /// What workspaces are called, by id.
    workspaces: BTreeMap<String, String>,
    /// Which waits are told.
    rules: Rules,
    /// An end was announced.
    shutdown: bool,
    pacing: write::Pacing,
    /// When running agents are looked at next.
    poll: Option<Instant>,
}

impl Core {
    /// `known`: what was written down of panes of this very host.
    pub(crate) fn new(catalogue: Catalogue, known: Vec<PaneRecord>) -> Self {
        Self {
            catalogue,
            panes: BTreeMap::new(),
            layouts: BTreeMap::new(),
            known: known.into_iter().map(|pane| (pane.id, pane)).collect(),
            workspaces: BTreeMap::new(),
            rules: Rules::default(),
            shutdown: false,
            pacing: write::Pacing::default(),
            poll: None,
        }
    }

    /// Takes an event; gives what to do.
    pub(crate) fn step(&mut self, event: Event, now: Now) -> Vec<Action> {
        let mut out = Vec::new();
        match event {
            Event::Listed { panes } => self.listed(panes, now),
            Event::Host { pane: 0, message } => self.global(message),
            Event::Host { pane, message } => self.told(pane, message, now, &mut out),
            Event::Looked { pane, looked } => self.looked(pane, *looked, now, &mut out),
            Event::Hooked {
                pane,
                event,
                detail,
            } => self.hooked(pane, &event, detail.as_deref(), now),
            Event::Submitted { pane, since } => {
                if let (Some(pane), Some(since)) = (self.panes.get_mut(&pane), since) {
                    pane.submitted(now.at.checked_sub(since).unwrap_or(now.at));
                }
            }
            Event::AgentGone {
                pane,
                process,
                since_submit,
            } => self.agent_gone(pane, process, since_submit, now, &mut out),
            Event::Ended {
                pane,
                raw,
                since_submit,
            } => {
                if let Some(pane) = self.panes.get_mut(&pane) {
                    pane.ended(raw, since_submit, self.shutdown, now);
                }
            }
            Event::Lost(pane) => {
                if let Some(pane) = self.panes.get_mut(&pane) {
                    pane.lost();
                }
            }
            Event::Reread(record) => match self.panes.get_mut(&record.id) {
                Some(pane) => pane.reread(&record),
                None => drop(self.known.insert(record.id, *record)),
            },
            Event::Shutdown => {
                self.shutdown = true;
                self.panes
                    .values_mut()
                    .for_each(|pane| pane.shut_down(now.at));
            }
            Event::Tick => {}
        }
        self.settle(now, &mut out);
        out
    }

    /// What is still to be written down when the host or the keeper goes.
    pub(crate) fn last_words(&mut self, now: Now) -> Vec<Action> {
        let mut out = Vec::new();
        self.write_now(now, &mut out);
        out
    }

    /// Other agents are known from now on: what runs may be one of them.
    pub(crate) fn know(&mut self, catalogue: Catalogue, now: Instant) {
        self.catalogue = catalogue;
        for pane in self.panes.values_mut().filter(|pane| pane.alive) {
            pane.vain = 0;
            pane.want_look(now);
        }
    }

    /// The pane was seen in this host.
    pub(crate) fn knows(&self, pane: u32) -> bool {
        self.panes.contains_key(&pane)
    }

    /// The pane's program lives.
    pub(crate) fn is_alive(&self, pane: u32) -> bool {
        self.panes.get(&pane).is_some_and(|pane| pane.alive)
    }

    /// Which panes have an agent, and whether each is in a turn.
    pub(crate) fn working(&self) -> Vec<(u32, bool)> {
        let agents = self.panes.values().filter(|pane| pane.has_agent());
        let working = |pane: &Watched| pane.shown.state == agents::State::Working;
        agents.map(|pane| (pane.id, working(pane))).collect()
    }

    /// A pane has a conversation that may be copied.
    pub(crate) fn has_conversations(&self) -> bool {
        self.panes.values().any(Watched::may_copy)
    }

    /// A pane has a screen that may be saved.
    pub(crate) fn has_screens(&self) -> bool {
        let mut panes = self.panes.values();
        panes.any(|pane| pane.alive && pane.may_show())
    }

    /// Panes whose screen may be saved, and how far the output of each had come.
    pub(crate) fn screens(&self) -> Vec<Printed> {
        let panes = self.panes.values();
        let panes = panes.filter(|pane| pane.alive && pane.may_show());
        panes.map(Watched::printed).collect()
    }

    /// The records of panes with a conversation, none of them private.
    pub(crate) fn conversations(&self) -> Vec<PaneRecord> {
        let panes = self.panes.values().filter(|pane| pane.may_copy());
        panes.map(|pane| pane.record.clone()).collect()
    }

    /// When to [`Core::step`] with [`Event::Tick`].
    pub(crate) fn due(&self) -> Option<Instant> {
        let panes = self.panes.values().filter_map(Watched::due);
        panes.chain(self.poll).chain(self.pacing.due()).min()
    }

    /// What time made due.
    fn settle(&mut self, now: Now, out: &mut Vec<Action>) {
        self.poll_agents(now, out);
        for pane in self.panes.values_mut() {
            pane.settle(&self.catalogue, now, out);
            if !self.shutdown {
                pane.attend(self.rules, now.at, out);
            }
        }
        self.write(now, out);
    }

    fn poll_agents(&mut self, now: Now, out: &mut Vec<Action>) {
        let runs = self.panes.values().any(Watched::has_agent);
        match self.poll {
            Some(at) if runs && at <= now.at => {
                self.poll = Some(now.at + POLL);
                out.push(Action::List);
                for pane in self.panes.values_mut().filter(|pane| pane.has_agent()) {
                    pane.want_look(now.at);
                }
            }
            Some(_) if runs => {}
            None if runs => self.poll = Some(now.at + POLL),
            _ => self.poll = None,
        }
    }

    fn listed(&mut self, panes: Vec<PaneFacts>, now: Now) {
        for facts in panes {
            let id = facts.pane;
            match self.panes.get_mut(&id) {
                Some(pane) => pane.listed(&facts, now),
                None => {
                    let known = self.known.remove(&id);
                    let pane = Watched::new(facts, known, now);
                    self.panes.insert(id, pane);
                    self.pacing.soon(now.at);
                }
            }
        }
    }

    /// A global note changed.
    fn global(&mut self, message: FromHost) {
        let FromHost::NoteChanged(NoteChanged {
            key,
            value: Some(value),
            ..
        }) = message
        else {
            return;
        };
        if key.starts_with("workspace/")
            && let Ok(workspace) = Workspace::from_json(&value)
        {
            self.workspaces
                .insert(workspace.id.clone(), workspace.name.clone());
            self.layouts.insert(workspace.id.clone(), workspace);
        }
    }

    /// Panes there are, for tests and for who resumes.
    #[cfg(test)]
    pub(crate) fn pane(&self, id: u32) -> Option<&Watched> {
        self.panes.get(&id)
    }
}

/// An intent's event, told to the record in the file.
pub(crate) type IntentEvent = intent::Event;
