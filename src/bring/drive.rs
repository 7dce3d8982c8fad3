//! Carries out what `restore::execute::Run` wants, over one blocking connection.
//!
//! In: a plan, a connection that manages. Out: the report. Promises: each word of the host goes to the
//! run; a record is written before what it is about happens; a host that ends meanwhile ends this,
//! and what had not come back stays an offer.

use super::Bringer;
use super::compare::{Compare, Found};
use crate::failure::Failure;
use crate::out::say;
use link::notes::{AGENT, AgentNote, RESTORE, RestoreNote, STATE, StateNote, from_json, to_json};
use link::{Connection, LinkError};
use protocol::msg::{
    CONFLICT, Create, EXITED, GetSnapshot, LastSubmit, List, NoteList, NoteSet, Remove, Status,
    Subscribe, split_offset,
};
use protocol::{FromHost, PaneId};
use restore::execute::{Change, Do, Event, Report, Run, other_words};
use restore::record::{HostRecord, ProcessRecord};
use restore::{Cause, Plan, Spawn};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use sys::process::Identity;
use term::{Options, Terminal};

/// Longest wait for an answer. A pane may wait for the user's login shell, 10 s.
const ANSWER: Duration = Duration::from_secs(30);
/// Longest wait for an event with nothing due.
const IDLE: Duration = Duration::from_secs(60);

/// One restore on its way.
struct Drive<'a> {
    bringer: &'a Bringer,
    connection: Connection,
    own: PathBuf,
    told: RestoreNote,
    /// Of the restores in this host, this one.
    count: u64,
    /// What agents were asked for and have not shown yet.
    compare: Compare,
    report: Option<Report>,
}

/// Carries out a plan until everything has come back or failed.
///
/// # Errors
/// The host is gone.
pub fn drive(
    bringer: &Bringer,
    mut connection: Connection,
    plan: Plan,
    cause: &Cause,
) -> Result<Report, Failure> {
    connection.request(PaneId::NONE, Subscribe {}, ANSWER)?;
    let count = 1 + former(&mut connection)?.map_or(0, |note| note.count);
    let mut drive = Drive {
        bringer,
        connection,
        own: crate::daemons::own_program(),
        told: RestoreNote::default(),
        count,
        compare: Compare::default(),
        report: None,
    };
    let attended = crate::cmd::attach::on_terminal();
    let mut run = Run::new(plan, attended);
    drive.run(&mut run)?;
    let report = drive.report.take().unwrap_or_else(|| run.report());
    drive.finish(&report, run.held(), cause)?;
    Ok(report)
}

/// What was told of the restore before.
fn former(connection: &mut Connection) -> Result<Option<RestoreNote>, LinkError> {
    let answer = connection.request(PaneId::NONE, NoteList {}, ANSWER)?;
    let FromHost::Notes(notes) = answer else {
        return Ok(None);
    };
    let note = notes.notes.iter().find(|note| note.key == RESTORE);
    Ok(note.and_then(|note| from_json(&note.value)))
}

impl Drive<'_> {
    fn run(&mut self, run: &mut Run) -> Result<(), Failure> {
        let mut events = VecDeque::from([Event::Tick]);
        loop {
            while let Some(event) = events.pop_front() {
                for wanted in run.step(&event, Instant::now()) {
                    self.perform(wanted, &mut events)?;
                }
            }
            self.tell(run.pending())?;
            if self.report.is_some() {
                return Ok(());
            }
            let due = run.next_tick().into_iter().chain(self.compare.due()).min();
            let due = due.map(|at| at.saturating_duration_since(Instant::now()));
            match self.connection.next(due.unwrap_or(IDLE))? {
                Some((pane, message)) => events.extend(self.heard(run, pane, message)?),
                None => events.push_back(Event::Tick),
            }
            if self.compare.due().is_some_and(|at| at <= Instant::now()) {
                events.extend(self.compare()?);
            }
        }
    }

    fn perform(&mut self, wanted: Do, events: &mut VecDeque<Event>) -> Result<(), Failure> {
        match wanted {
            Do::Spawn { spawn, go_on } => {
                let pane = spawn.pane;
                if spawn.put_back
                    && let Err(why) = self.bringer.transcript_back(pane)
                {
                    let outcome = Err(why);
                    events.push_back(Event::Spawned { pane, outcome });
                    return Ok(());
                }
                let outcome = self.spawn(&spawn, go_on);
                if let Err(error) = &outcome
                    && error.is_unreachable()
                {
                    return Err(outcome.map_or_else(Failure::from, |()| Failure::new("")));
                }
                let outcome = outcome.map_err(|error| error.to_string());
                events.push_back(Event::Spawned { pane, outcome });
            }
            Do::Look(pane) => {
                let text = self.text(pane);
                events.push_back(Event::Screen { pane, text });
            }
            Do::Record { pane, change } => {
                self.record(pane, &change)?;
                if change == Change::Asked {
                    let record = self.bringer.store.document()?.pane(pane);
                    if let Some(known) = record.and_then(|it| it.conversation) {
                        self.compare.asked(pane, &known.id);
                    }
                }
            }
            Do::Say(line) => say(&line),
            Do::Done(report) => self.report = Some(report),
        }
        Ok(())
    }

    fn record(&self, pane: u32, change: &Change) -> Result<(), Failure> {
        let (boot, now) = (sys::boot::boot().id, sys::boot::unix_now());
        self.bringer.store.change(|document| {
            let edit = |record: &mut restore::PaneRecord| change.apply(record, &boot, now);
            document.edit_pane(pane, edit).map(|_| ())
        })?;
        Ok(())
    }

    /// Compares what agents were asked for with what they opened, as a keeper would.
    fn compare(&mut self) -> Result<Vec<Event>, Failure> {
        let FromHost::Panes(list) = self.connection.request(PaneId::NONE, List {}, ANSWER)? else {
            return Ok(Vec::new());
        };
        let connection = &mut self.connection;
        let typed = |pane: u32| {
            let asked = connection.request(PaneId(pane), LastSubmit {}, ANSWER);
            matches!(asked, Ok(FromHost::Submitted(it)) if it.since_ms.is_some())
        };
        let found = self
            .compare
            .look(&self.bringer.catalogue, &list.panes, typed);
        let mut events = Vec::new();
        for (pane, found) in found {
            match found {
                Found::Asked => self.record(pane, &Change::Opened)?,
                Found::Other(asked, opened) => {
                    let words = other_words(&asked, &opened);
                    self.record(pane, &Change::Other(opened.clone()))?;
                    self.note_other(pane, &words, opened)?;
                    say(&format!(
                        "p{pane}: {words}; `abide reopen p{pane}` asks again, `abide fresh p{pane}` lets go of it"
                    ));
                    events.push(Event::Other { pane, words });
                }
            }
        }
        Ok(events)
    }

    /// Commands and clients see that the pane has another conversation.
    fn note_other(&mut self, pane: u32, words: &str, opened: String) -> Result<(), Failure> {
        let record = self.bringer.store.document()?.pane(pane);
        let Some(agent) = record.and_then(|it| it.agent) else {
            return Ok(());
        };
        let note = AgentNote {
            cli: agent.cli,
            conversation: None,
            how: words.to_owned(),
            opened: Some(opened),
        };
        let message = NoteSet {
            key: AGENT.to_owned(),
            revision: None,
            value: Some(to_json(&note)),
        };
        match self.connection.request(PaneId(pane), message, ANSWER) {
            Ok(_) | Err(LinkError::Refused { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// What a message means for the run.
    fn heard(
        &mut self,
        run: &Run,
        pane: PaneId,
        message: FromHost,
    ) -> Result<Option<Event>, Failure> {
        Ok(match message {
            FromHost::PaneExited(exited) if run.watches(pane.0) => Some(Event::Ended {
                pane: pane.0,
                raw_status: exited.raw_status,
                text: self.text(pane.0),
            }),
            FromHost::PaneShown(shown) if shown.shown => Some(Event::Shown(pane.0)),
            FromHost::Reported(reported) => {
                let catalogue = &self.bringer.catalogue;
                self.compare.reported(catalogue, pane.0, &reported.body);
                None
            }
            FromHost::NoteChanged(change) if pane != PaneId::NONE && change.key == STATE => {
                let state = change.value.as_deref().and_then(from_json::<StateNote>);
                let working = state.is_some_and(|it| it.state == "working");
                Some(Event::State {
                    pane: pane.0,
                    working,
                })
            }
            FromHost::NoteChanged(change) if change.key == link::notes::POKE => {
                self.bringer.store.document()?.hold().then_some(Event::Hold)
            }
            FromHost::Goodbye(goodbye) => {
                return Err(Failure::new(format!("the host ended: {}", goodbye.reason)));
            }
            _ => None,
        })
    }

    fn spawn(&mut self, spawn: &Spawn, go_on: bool) -> Result<(), LinkError> {
        match self.create(spawn, go_on) {
            // An ended pane of that id gives way; one that runs is what was wanted.
            Err(LinkError::Refused { code: CONFLICT, .. }) => {
                if self.has_ended(spawn.pane)? {
                    let id = PaneId(spawn.pane);
                    self.connection.request(id, Remove {}, ANSWER)?;
                    return self.create(spawn, go_on);
                }
                Ok(())
            }
            other => other,
        }
    }

    fn has_ended(&mut self, pane: u32) -> Result<bool, LinkError> {
        match self.connection.request(PaneId::NONE, List {}, ANSWER)? {
            FromHost::Panes(list) => {
                let found = list.panes.iter().find(|facts| facts.pane == pane);
                Ok(found.is_some_and(|facts| facts.state == EXITED))
            }
            _ => Ok(false),
        }
    }

    fn create(&mut self, spawn: &Spawn, go_on: bool) -> Result<(), LinkError> {
        let bytes = |text: restore::Text| std::ffi::OsString::from(text).into_encoded_bytes();
        let variables = spawn.variables(go_on).into_iter();
        let state = self.bringer.store.path().parent();
        let seed = state
            .filter(|_| !spawn.agent)
            .and_then(|state| keeper::seed::of(state, spawn.pane));
        let create = Create {
            id: Some(spawn.pane),
            argv: spawn
                .command(&self.own)
                .into_iter()
                .map(std::ffi::OsString::into_encoded_bytes)
                .collect(),
            cwd: bytes(spawn.cwd.clone()),
            env: Some(crate::panes::environment(
                &self.bringer.places,
                &self.bringer.config,
            )),
            set_env: variables
                .map(|(name, value)| (bytes(name), bytes(value)))
                .collect(),
            cols: spawn.size.0,
            rows: spawn.size.1,
            notes: spawn.notes.clone(),
            seed,
        };
        self.connection
            .request(PaneId::NONE, create, ANSWER)
            .map(|_| ())
    }

    /// What a pane shows; nothing when it cannot be had.
    fn text(&mut self, pane: u32) -> String {
        let answer = self
            .connection
            .request(PaneId(pane), GetSnapshot {}, ANSWER);
        let Ok(FromHost::Snapshot(payload)) = answer else {
            return String::new();
        };
        let snapshot =
            split_offset(&payload).and_then(|(_, body)| term::codec::decode_snapshot(body).ok());
        snapshot.map_or_else(String::new, |snapshot| {
            Terminal::from_snapshot(&snapshot, &Options::default()).text()
        })
    }

    /// Clients see what is still to come.
    fn tell(&mut self, pending: Vec<u32>) -> Result<(), LinkError> {
        self.put(RestoreNote {
            done: false,
            pending,
            held: Vec::new(),
            line: String::new(),
            count: self.count,
        })
    }

    fn put(&mut self, note: RestoreNote) -> Result<(), LinkError> {
        if note == self.told {
            return Ok(());
        }
        let message = NoteSet {
            key: RESTORE.to_owned(),
            revision: None,
            value: Some(to_json(&note)),
        };
        self.connection.request(PaneId::NONE, message, ANSWER)?;
        self.told = note;
        Ok(())
    }

    /// Writes down what it came to, and that the panes are this host's now.
    fn finish(&mut self, report: &Report, held: Vec<u32>, cause: &Cause) -> Result<(), Failure> {
        self.put(RestoreNote {
            done: true,
            pending: Vec::new(),
            held,
            line: report.line(),
            count: self.count,
        })?;
        let host = match self.connection.request(PaneId::NONE, Status {}, ANSWER)? {
            FromHost::HostFacts(facts) => {
                let pid = i32::try_from(facts.pid).unwrap_or_default();
                let root = Identity::of(i32::try_from(facts.root_reaper).unwrap_or_default());
                HostRecord {
                    instance: facts.instance.iter().map(|b| format!("{b:02x}")).collect(),
                    pid,
                    start: facts.pid_start,
                    root_reaper: root.map(|it| ProcessRecord {
                        pid: it.pid,
                        start: it.start,
                    }),
                    stopped: false,
                }
            }
            other => return Err(crate::desk::unexpected(&other)),
        };
        let last = report.last(&cause.words(), sys::boot::unix_now());
        self.bringer.store.change(|document| {
            document.set_last(&last);
            document.set_host(&host);
            document.set_boot(&restore::verdict::boot_now());
            Ok(())
        })?;
        Ok(())
    }
}
