//! One host, from joining it to losing it: carries out what the core decides.
//!
//! In: two connections, the records. Out: how it ended. Promises: the host's word is read before the
//! ends of processes, so that what dies with the host is not taken for an end; one wait for
//! everything, none without something due; an answer that does not come within [`ANSWER`] is a lost
//! host.

mod copies;
mod hear;
mod known;
mod layouts;
mod leave;
mod make;
mod notices;
mod offer;
mod revive;
mod screens;
mod wishes;
mod write;

use crate::core::{Action, Core, Edit, Event, Now};
use crate::look::Place;
use crate::pen::{self, Whose};
use crate::{Config, Live};
use agents::live::Table;
use link::notes::{ENV, EnvNote, UNSAVED, from_json};
use link::{Connection, LinkError, Polled};
use protocol::msg::{
    EXITED, LastSubmit, List, NoteChanged, NoteList, PaneFacts, Status, Subscribe,
};
use protocol::{FromHost, PaneId, Role, ToHost};
use restore::Cause;
use restore::record::{HostRecord, ProcessRecord};
use restore::{Store, verdict};
use revive::Revival;
use std::collections::{BTreeMap, VecDeque};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};
use sys::pidfd::PidFd;
use sys::process::Identity;

/// Longest wait for an answer of a host that is connected.
const ANSWER: Duration = Duration::from_secs(10);

/// How a session ended.
#[derive(Debug)]
pub(crate) enum Left {
    /// The host said goodbye.
    Goodbye(String),
    /// The host is not there any more, without a word.
    Vanished(String),
    /// The keeper was asked to end.
    Asked,
}

/// What there is to do.
struct Ready {
    /// The host said something.
    told: bool,
    /// The keeper is to end.
    asked: bool,
    /// Watched processes that are gone, by pane.
    gone: Vec<u32>,
    /// An answer about a pane that is being made.
    made: bool,
}

/// What went wrong on the way; either the host is lost or the wait itself is broken.
type Step<T> = Result<T, Left>;

/// See the module.
pub(crate) struct Session<'a> {
    config: &'a Config,
    store: &'a Store,
    signals: &'a UnixStream,
    observe: Polled,
    manage: Connection,
    /// The host's process.
    host: Identity,
    pub(crate) whose: Whose,
    core: Core,
    known: known::Known,
    panes: BTreeMap<u32, Place>,
    watched: BTreeMap<u32, (Identity, PidFd)>,
    /// What a disk refused, and when it is tried again.
    unwritten: Vec<Edit>,
    /// What a former host had is known, and either back or on its way.
    joined: bool,
    /// What is being brought back.
    revival: Option<Revival>,
    /// How often that was begun.
    restores: u64,
    /// What commands asked for and has not begun.
    wishes: VecDeque<Cause>,
    /// Clients that were attached when the host was joined.
    attachments: u32,
    retry: Option<Instant>,
    /// The host's note says that nothing is written down.
    told_unsaved: bool,
    live: Live,
    copies: copies::Copies,
    post: notices::Post,
}

fn now() -> Now {
    Now {
        at: Instant::now(),
        unix: sys::boot::unix_now(),
    }
}

impl<'a> Session<'a> {
    /// Joins the host there is.
    ///
    /// # Errors
    /// [`LinkError`].
    pub(crate) fn join(
        config: &'a Config,
        store: &'a Store,
        signals: &'a UnixStream,
    ) -> Result<Self, LinkError> {
        let mut observe = link::connect(&config.places, Role::Observe)?;
        observe.request(PaneId::NONE, Subscribe {}, ANSWER)?;
        let mut manage = link::connect(&config.places, Role::Manage)?;
        let FromHost::HostFacts(facts) = manage.request(PaneId::NONE, Status {}, ANSWER)? else {
            return Err(LinkError::Malformed("no facts of the host".to_owned()));
        };
        let host = Identity {
            pid: i32::try_from(facts.pid).unwrap_or_default(),
            start: facts.pid_start,
        };
        let hex = |byte: &u8| format!("{byte:02x}");
        let root = Identity::of(i32::try_from(facts.root_reaper).unwrap_or_default());
        let whose = Whose {
            host: HostRecord {
                instance: facts.instance.iter().map(hex).collect(),
                pid: host.pid,
                start: host.start,
                root_reaper: root.map(|it| ProcessRecord {
                    pid: it.pid,
                    start: it.start,
                }),
                stopped: false,
            },
            boot: verdict::boot_now(),
        };
        let known = store.document().map(|it| it.panes()).unwrap_or_default();
        Ok(Self {
            config,
            store,
            signals,
            observe: observe.polled()?,
            manage,
            host,
            whose,
            core: Core::new(config.catalogue.clone(), known),
            known: known::Known::new(config.catalogue.clone(), &config.places.config),
            panes: BTreeMap::new(),
            watched: BTreeMap::new(),
            unwritten: Vec::new(),
            joined: false,
            revival: None,
            restores: 0,
            wishes: VecDeque::new(),
            attachments: facts.attachments,
            retry: None,
            told_unsaved: false,
            live: (config.live)(),
            copies: copies::Copies::new(&config.places.state),
            post: notices::Post::new(&config.places.state)?,
        })
    }

    /// Observes until the host or the keeper ends.
    pub(crate) fn run(&mut self) -> Left {
        let joined = self.begin();
        match joined.and_then(|()| self.turns()) {
            Ok(never) => match never {},
            Err(left) => self.leave(left),
        }
    }

    fn begin(&mut self) -> Step<()> {
        self.list()?;
        let notes = match self.ask(PaneId::NONE, NoteList {})? {
            FromHost::Notes(notes) => notes.notes,
            _ => Vec::new(),
        };
        self.told_unsaved = notes.iter().any(|note| note.key == UNSAVED);
        for note in notes {
            let message = FromHost::NoteChanged(NoteChanged {
                key: note.key,
                revision: note.revision,
                value: Some(note.value),
            });
            self.step(Event::Host { pane: 0, message })?;
        }
        let (panes, instance) = (&self.panes, &self.whose.host.instance);
        let there = |pane| panes.contains_key(&pane);
        if let Err(error) = pen::forgotten(self.store, instance, &there, now().unix) {
            tracing::error!("{error}");
        }
        self.revive_former()?;
        self.joined = true;
        // The records name this host as soon as nothing of a former one is to come.
        self.write(&[])?;
        self.poked()
    }

    fn turns(&mut self) -> Step<std::convert::Infallible> {
        loop {
            let ready = self.wait()?;
            if ready.asked {
                self.step(Event::Shutdown)?;
                return Err(Left::Asked);
            }
            if ready.told {
                self.observe.fill().map_err(vanished)?;
            }
            while let Some(received) = self.observe.take().map_err(vanished)? {
                self.heard(received.pane, received.message)?;
            }
            self.made(ready.made)?;
            self.ends(&ready.gone)?;
            self.revive_tick()?;
            self.copy_due()?;
            self.posted()?;
            if self.core.due().is_some_and(|at| at <= Instant::now()) {
                self.step(Event::Tick)?;
            }
            if self.retry.is_some_and(|at| at <= Instant::now()) {
                self.write(&[])?;
            }
        }
    }

    /// Waits for whatever comes first.
    fn wait(&self) -> Step<Ready> {
        let revival = self.revival.as_ref();
        let revives = revival.and_then(Revival::due);
        let posts = self.post.due();
        let due = [
            self.core.due(),
            self.retry,
            self.copies_due(),
            revives,
            posts,
        ];
        let due = due.into_iter().flatten().min();
        let limit = due.map(|at| at.saturating_duration_since(Instant::now()));
        let mut fds = vec![self.observe.as_fd(), self.signals.as_fd(), self.post.fd()];
        fds.extend(self.watched.values().map(|(_, fd)| fd.as_fd()));
        fds.extend(revival.map(|it| it.maker().as_fd()));
        let ready = sys::fd::wait_readable(&fds, limit)
            .map_err(|e| Left::Vanished(format!("cannot wait: {}", sys::files::plain(&e))))?;
        let gone = self.watched.keys().zip(&ready[3..]);
        let gone = gone.filter(|(_, ready)| **ready).map(|(pane, _)| *pane);
        Ok(Ready {
            told: ready[0],
            asked: ready[1],
            gone: gone.collect(),
            made: revival.is_some() && ready.last() == Some(&true),
        })
    }

    fn step(&mut self, event: Event) -> Step<()> {
        let actions = self.core.step(event, now());
        let looks = actions.iter().any(|it| matches!(it, Action::Look(_)));
        if looks {
            self.look_for_agents();
        }
        let table = looks.then(Table::read);
        // What is written and told now first: the others lead to further steps, whose words are newer.
        let (words, others): (Vec<Action>, Vec<Action>) = actions
            .into_iter()
            .partition(|it| matches!(it, Action::Write(_) | Action::Note { .. }));
        for action in words.into_iter().chain(others) {
            self.act(action, table.as_ref())?;
        }
        Ok(())
    }

    fn act(&mut self, action: Action, table: Option<&Table>) -> Step<()> {
        match action {
            Action::List => self.list(),
            Action::Look(pane) => {
                let (Some(table), Some(place)) = (table, self.panes.get_mut(&pane)) else {
                    return Ok(());
                };
                let looked = Box::new(place.look(&self.known.catalogue, table));
                if let Some(helper) = place.new_helper() {
                    self.share(pane, helper)?;
                }
                self.step(Event::Looked { pane, looked })
            }
            Action::AskSubmit(pane) => {
                let since = self.submit(pane)?;
                self.step(Event::Submitted { pane, since })
            }
            Action::AskEnd { pane, raw } => {
                let since_submit = self.submit(pane)?;
                self.step(Event::Ended {
                    pane,
                    raw,
                    since_submit,
                })
            }
            Action::Watch { pane, process } => self.watch(pane, process),
            Action::TurnOver(pane) => self.record(pane, &restore::execute::Change::TurnOver),
            Action::Other { pane, opened } => self.opened_another(pane, opened),
            Action::Note { pane, key, value } => self.note(pane, key, value),
            Action::Notice { pane, verdict } => self.judged(pane, verdict),
            Action::Write(edits) => self.write(&edits),
        }
    }

    /// How long ago the user last sent the pane something to act on.
    fn submit(&mut self, pane: u32) -> Step<Option<Duration>> {
        match self.manage.request(PaneId(pane), LastSubmit {}, ANSWER) {
            Ok(FromHost::Submitted(submitted)) => Ok(submitted.since_ms.map(Duration::from_millis)),
            Ok(_) | Err(LinkError::Refused { .. }) => Ok(None),
            Err(error) => Err(vanished(error)),
        }
    }

    fn list(&mut self) -> Step<()> {
        let FromHost::Panes(list) = self.ask(PaneId::NONE, List {})? else {
            return Ok(());
        };
        for facts in &list.panes {
            let program = identity(facts);
            let place = self.panes.entry(facts.pane).or_default();
            if place.program != Some(program) {
                *place = Place::default();
                place.program = Some(program);
                place.named = named(facts);
                self.copies.screens.soon();
            }
            place.foreground = facts.foreground;
        }
        let mut panes = list.panes;
        self.panes
            .retain(|id, _| panes.iter().any(|it| it.pane == *id));
        // One that ended before it was seen once, on its way back: that is the restore's to judge.
        let failed = |it: &PaneFacts| {
            let watched = self.revival.as_ref().is_some_and(|r| r.watches(it.pane));
            it.state == EXITED && watched && !self.core.knows(it.pane)
        };
        panes.retain(|it| !failed(it));
        self.reread_new(&panes)?;
        self.step(Event::Listed { panes })
    }

    fn ask(&mut self, pane: PaneId, message: impl Into<ToHost>) -> Step<FromHost> {
        match self.manage.request(pane, message, ANSWER) {
            Ok(answer) => Ok(answer),
            Err(error) => Err(vanished(error)),
        }
    }
}

/// Variables the user set for the pane whose values its note does not have.
fn named(facts: &PaneFacts) -> Vec<String> {
    let note = facts.notes.iter().find(|(key, _)| key == ENV);
    let note: Option<EnvNote> = note.and_then(|(_, value)| from_json(value));
    note.unwrap_or_default().named
}

fn identity(facts: &PaneFacts) -> Identity {
    Identity {
        pid: i32::try_from(facts.pid).unwrap_or_default(),
        start: facts.pid_start,
    }
}

fn vanished(error: LinkError) -> Left {
    match error {
        LinkError::Goodbye { reason } => Left::Goodbye(reason),
        other => Left::Vanished(other.to_string()),
    }
}
