//! One pane as the keeper knows it.
//!
//! Plain data: the host's facts, the agent that was seen, what is said of its state, and what is to be
//! written down of it.

use super::notice::Attention;
use super::title;
use super::{Action, Agent, IntentEvent, LOOKS, Looked, Now};
use agents::Catalogue;
use agents::state::{Program, Shown, Signals};
use link::notes::{self, AgentNote, StateNote, TitleNote};
use protocol::msg::{EXITED, PaneFacts, STOPPED};
use restore::PaneRecord;
use restore::environ;
use restore::record::Seen;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// After how long a pane without an agent is looked at again, look by look.
const AGAIN: [Duration; 4] = [
    Duration::from_millis(300),
    Duration::from_secs(1),
    Duration::from_secs(3),
    Duration::from_secs(10),
];

/// See the module.
#[derive(Debug)]
pub(crate) struct Watched {
    pub(super) id: u32,
    /// Its program lives.
    pub(super) alive: bool,
    /// The user wants no copy of what it shows or says.
    pub(super) private: bool,
    /// The user wants nothing of it written down.
    pub(super) forgotten: bool,
    /// A shell in the place of what did not come back: the offer is in the record.
    pub(super) stands_in: bool,
    /// What runs there in the place of what abide was told to put there: of a shell that stands in, the shell.
    pub(super) there: Vec<restore::Text>,
    /// The conversation of such an offer, whose place another one took.
    pub(super) aside: Option<String>,
    /// What is to stand in `restore.json`, apart from intents.
    pub(super) record: PaneRecord,
    /// As it was last given to be written.
    pub(super) written: Option<PaneRecord>,
    /// What happened to the pane's intent, and to that of a typed agent.
    pub(super) intents: Vec<IntentEvent>,
    pub(super) agent_intents: Vec<IntentEvent>,
    /// Something is in `record` that does not wait: a proven id.
    pub(super) urgent: bool,
    /// The agent that runs in it.
    pub(super) agent: Option<Agent>,
    pub(super) signals: Signals,
    /// Its own program's group, and the one that has its terminal; 0 unknown.
    pub(super) program: u32,
    pub(super) foreground: u32,
    pub(super) shown: Shown,
    pub(super) shown_unix: u64,
    /// The same in words, if it is known.
    pub(super) seen: Option<Seen>,
    /// When a turn ended last, and when the user last pressed Enter or the like.
    pub(super) turned: Option<Instant>,
    pub(super) submit: Option<Instant>,
    /// When an end that nobody claimed counts as the program's own.
    pub(super) lived: Option<Instant>,
    pub(super) agent_lived: Option<Instant>,
    /// Looks that found no agent since something last happened; see [`Watched::look_again`].
    pub(super) vain: usize,
    /// Since when its agent shows another conversation than the one it was asked for, and which.
    pub(super) other: Option<(Instant, String)>,
    /// It was typed into before this keeper came: when the user last pressed Enter is to be asked.
    ask_submit: bool,
    /// It ended while no keeper lived: how it ended is to be asked.
    pub(super) ask_end: Option<i32>,
    /// An agent typed into it was written down as running and has not been seen yet.
    pub(super) unseen: bool,
    /// A key was taken for the reason of an end: when it ended, and how long before the key was.
    pub(super) by_key: Option<(Instant, Duration)>,
    /// The same of an agent that was typed into it.
    pub(super) agent_by_key: Option<(Instant, Duration)>,
    /// When it is looked at next, and when it last was.
    look: Option<Instant>,
    looked: Option<Instant>,
    pub(super) offset: u64,
    /// When it printed last.
    pub(super) printed: Option<Instant>,
    pub(super) program_title: String,
    pub(super) name: Option<String>,
    pub(super) attention: Attention,
    /// The notes this keeper writes, as the host has them.
    pub(super) notes: BTreeMap<&'static str, Vec<u8>>,
}

impl Watched {
    /// A pane seen for the first time; `known` is what was written down of it.
    pub(super) fn new(facts: PaneFacts, known: Option<PaneRecord>, now: Now) -> Self {
        let resumed = known.is_some();
        let mut record = known.unwrap_or_default();
        let written = resumed.then(|| record.clone());
        super::record::fill(&mut record, &facts, resumed, now.unix);
        let mut pane = Self {
            id: facts.pane,
            alive: true,
            private: false,
            forgotten: false,
            stands_in: restore::plan::stands_in(&facts.argv),
            there: super::record::stand_in(&facts),
            aside: None,
            record,
            written,
            intents: Vec::new(),
            agent_intents: Vec::new(),
            urgent: !resumed,
            agent: None,
            signals: Signals::default(),
            program: facts.pid,
            foreground: facts.foreground,
            shown: Shown::nothing(now.at),
            shown_unix: now.unix,
            seen: None,
            turned: None,
            submit: None,
            lived: None,
            agent_lived: None,
            vain: 0,
            other: None,
            ask_submit: facts.since_input_ms.is_some(),
            ask_end: None,
            unseen: false,
            by_key: None,
            agent_by_key: None,
            look: None,
            looked: None,
            offset: facts.offset,
            printed: None,
            program_title: String::new(),
            name: None,
            attention: Attention::of(&facts, now),
            notes: BTreeMap::new(),
        };
        for (key, value) in &facts.notes {
            pane.noted(key, Some(value));
        }
        pane.begin(&facts, now);
        pane
    }

    fn begin(&mut self, facts: &PaneFacts, now: Now) {
        if facts.state == EXITED {
            self.alive = false;
            self.signals.program(Program::Exited);
            self.resume_ends(now.at);
            if self.record.intent == restore::Intent::Open && self.intents.is_empty() {
                self.ask_end = Some(facts.raw_status);
            }
        } else {
            if !matches!(self.record.intent, restore::Intent::Open) && self.intents.is_empty() {
                self.intents.push(IntentEvent::Runs);
            }
            self.want_look(now.at);
            let open = |it: &restore::AgentRecord| it.typed && it.intent == restore::Intent::Open;
            self.unseen = self.record.agent.as_ref().is_some_and(open);
        }
        self.listed(facts, now);
    }

    /// What a later list says of it.
    pub(super) fn listed(&mut self, facts: &PaneFacts, now: Now) {
        self.record.size = (facts.cols, facts.rows);
        self.program_title.clone_from(&facts.title);
        self.foreground = facts.foreground;
        if self.alive {
            self.signals.program(match facts.state {
                STOPPED => Program::Stopped,
                _ => Program::Runs,
            });
        }
        let since = facts.since_output_ms.map(Duration::from_millis);
        self.printed = since.map(|since| now.at.checked_sub(since).unwrap_or(now.at));
        if facts.offset != self.offset {
            self.offset = facts.offset;
            self.signals.changed(self.printed.unwrap_or(now.at));
        }
    }

    /// An agent runs in it.
    pub(super) const fn has_agent(&self) -> bool {
        self.alive && self.agent.is_some()
    }

    /// It has a conversation, and the user lets it be kept.
    pub(super) const fn may_copy(&self) -> bool {
        self.may_show() && self.record.conversation.is_some()
    }

    /// What it shows may be kept.
    pub(super) const fn may_show(&self) -> bool {
        !self.private && !self.forgotten
    }

    /// It is to be looked at, soon.
    pub(super) fn want_look(&mut self, now: Instant) {
        let soonest = self.looked.map_or(now, |then| (then + LOOKS).max(now));
        self.look = Some(self.look.map_or(soonest, |at| at.min(soonest)));
    }

    /// No agent was found: one that is on its way up is found a little later.
    pub(super) fn look_again(&mut self, now: Instant) {
        if let Some(wait) = AGAIN.get(self.vain) {
            self.vain += 1;
            let at = now + *wait;
            self.look = Some(self.look.map_or(at, |before| before.min(at)));
        }
    }

    /// When time makes something due.
    pub(super) fn due(&self) -> Option<Instant> {
        let still = self.signals.due(&self.shown);
        let told = self.attention.due();
        let all = [self.look, self.lived, self.agent_lived, still, told];
        all.into_iter().flatten().min()
    }

    /// The user pressed Enter, Ctrl-C or Ctrl-D then.
    pub(super) fn submitted(&mut self, at: Instant) {
        if self
            .submit
            .is_none_or(|before| at > before + Duration::from_millis(50))
        {
            self.submit = Some(at);
            self.signals.typed(at);
            self.signals.submitted(at);
        }
    }

    /// What time made due, and what follows from the last event.
    pub(super) fn settle(&mut self, catalogue: &Catalogue, now: Now, out: &mut Vec<Action>) {
        if self.look.is_some_and(|at| at <= now.at) {
            self.look = None;
            if self.alive {
                self.looked = Some(now.at);
                out.push(Action::Look(self.id));
            }
        }
        if std::mem::take(&mut self.ask_submit) {
            out.push(Action::AskSubmit(self.id));
        }
        if let Some(raw) = self.ask_end.take() {
            out.push(Action::AskEnd { pane: self.id, raw });
        }
        self.live_on(now);
        self.own_what_it_opened();
        let turned = self.turned;
        self.decide(now);
        let over = self.turned != turned && self.shown.state != agents::State::NeedsInput;
        if over && std::mem::take(&mut self.record.continues) > 0 {
            out.push(Action::TurnOver(self.id));
        }
        self.tell(catalogue, out);
    }

    /// The notes that are not as they should be.
    fn tell(&mut self, catalogue: &Catalogue, out: &mut Vec<Action>) {
        let title = title::of(self, catalogue);
        // What a program calls itself is a piece of what it shows.
        self.record.title = match self.private {
            true => String::new(),
            false => title.title.clone(),
        };
        self.put(notes::TITLE, &title, out);
        if let Some(seen) = self.seen.clone() {
            let note = StateNote {
                state: seen.state,
                evidence: seen.evidence,
                at: seen.at,
            };
            self.put(notes::STATE, &note, out);
        }
        if let Some(agent) = &self.agent {
            let known = self.record.conversation.as_ref();
            let known = known.filter(|_| self.record.opened.is_none() && !self.is_unwritten(agent));
            let note = AgentNote {
                cli: agent.cli.clone(),
                conversation: known.map(|it| it.id.clone()),
                how: match (known, self.another()) {
                    (Some(it), _) => it.how.word().to_owned(),
                    (None, Some(words)) => words,
                    (None, None) => agent.unproved.clone(),
                },
                opened: self.record.opened.clone(),
            };
            self.put(notes::AGENT, &note, out);
        }
    }

    fn put(&mut self, key: &'static str, value: &impl serde::Serialize, out: &mut Vec<Action>) {
        let value = notes::to_json(value);
        if self.notes.get(key) != Some(&value) {
            self.notes.insert(key, value.clone());
            let pane = self.id;
            out.push(Action::Note { pane, key, value });
        }
    }

    /// A note of the pane changed.
    pub(super) fn noted(&mut self, key: &str, value: Option<&[u8]>) {
        let text = || {
            let text = value.map(|value| String::from_utf8_lossy(value).into_owned());
            text.filter(|text| !text.is_empty())
        };
        match key {
            "name" => {
                self.name = text();
                self.record.name.clone_from(&self.name);
            }
            "workspace" => self.record.workspace = text(),
            notes::PRIVATE => {
                self.private = value == Some(b"true");
                self.record.private = self.private;
            }
            notes::FORGOTTEN => self.forgotten = value == Some(b"true"),
            notes::ENV => self.set_for_it(value),
            notes::INTENT => self.intends(value),
            _ => {
                let ours = [notes::STATE, notes::AGENT, notes::TITLE];
                if let Some(key) = ours.into_iter().find(|ours| *ours == key) {
                    match value {
                        Some(value) => self.notes.insert(key, value.to_vec()),
                        None => self.notes.remove(key),
                    };
                }
            }
        }
    }

    /// What the user set for the pane. What is written down of it already is that, too.
    fn set_for_it(&mut self, value: Option<&[u8]>) {
        let note: Option<notes::EnvNote> = value.and_then(notes::from_json);
        if self.record.set_env.is_empty() {
            let set = note.unwrap_or_default().set.into_iter();
            let kept = environ::given(
                &set.map(|(name, it)| (name.into(), it.into()))
                    .collect::<Vec<_>>(),
            );
            (self.record.set_env, self.record.set_needs) = (kept.values, kept.needs);
        }
    }

    fn intends(&mut self, value: Option<&[u8]>) {
        let note: Option<notes::IntentNote> = value.and_then(notes::from_json);
        match note {
            Some(note) if note.ended_by_user => self.intents.push(IntentEvent::PaneClosed),
            Some(note) if note.closed_workspace => self.intents.push(IntentEvent::WorkspaceClosed),
            _ => {}
        }
    }

    /// A look at its processes.
    pub(super) fn found(&mut self, looked: &Looked) {
        if !looked.env.is_empty() && self.record.env.is_empty() {
            self.record.env = looked.env.clone();
        }
        for (name, value) in &looked.given.values {
            let known = &mut self.record.set_env;
            if !known.iter().any(|(it, _)| it == name) {
                known.push((name.clone(), value.clone()));
            }
        }
        for name in &looked.given.needs {
            if !self.record.set_needs.contains(name) {
                self.record.set_needs.push(name.clone());
            }
        }
        if let Some(folder) = looked.folder.as_ref().filter(|_| self.record.shell) {
            self.record.cwd = folder.clone().into();
        }
    }
}

/// What to call a pane, as a note.
pub(super) type Title = TitleNote;
