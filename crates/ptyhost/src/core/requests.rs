//! One frame of a connection: decode, permit, dispatch, answer.
//!
//! Promises: a request with an id gets exactly one answer; an unknown or malformed one is answered
//! as such and the connection goes on; without an id nothing is answered. A role that may not is
//! refused before anything is looked at.

use super::action::Action;
use super::event::ConnId;
use super::notes::{self, Change, MAX_GLOBAL_NOTE, MAX_PANE_NOTE, Write};
use super::pane::{Asker, Pane, Phase};
use super::permit::{allowed, message_name, role_name};
use super::queue::MAX_MESSAGE;
use super::step::Step;
use super::submit;
use protocol::msg::{self, Done, NoteChanged, Notes, PaneInput, Panes, Reported};
use protocol::{Frame, FromHost, PaneId, Role, ToHost};
use std::time::Duration;
use term::Size;

/// Least time between two `PaneInput` events of a pane.
const INPUT_EVENTS: Duration = Duration::from_secs(1);
/// Most bytes of a hook's report.
const MAX_REPORT: usize = 64 * 1024;
/// Most `Status` requests that wait for one measurement.
const MAX_MEASURING: usize = 1_024;

/// One request as the handlers take it.
#[derive(Clone, Copy)]
struct From {
    asker: Asker,
    pane: PaneId,
    role: Role,
}

impl Step<'_> {
    /// Handles one frame.
    pub(crate) fn frame(&mut self, conn: ConnId, frame: Frame) {
        let Some(state) = self.s.conns.get(&conn).filter(|conn| !conn.closing) else {
            return;
        };
        let role = state.role;
        let (pane, request, kind) = (frame.pane, frame.request, frame.kind);
        let from = From {
            asker: Asker { conn, request },
            pane,
            role,
        };
        match ToHost::decode(frame) {
            Ok(Some(message)) if allowed(role, &message) => self.request(from, message),
            Ok(Some(message)) => {
                let (role, name) = (role_name(role), message_name(&message));
                let text = format!("a connection of role {role} may not send {name}");
                self.refuse(from, msg::FORBIDDEN, text);
            }
            Ok(None) => {
                let text = format!("this host does not know message kind {kind}; it may be older");
                self.refuse(from, msg::UNSUPPORTED, text);
            }
            Err(error) => self.refuse(from, msg::MALFORMED, error.to_string()),
        }
    }

    fn request(&mut self, from: From, message: ToHost) {
        let asker = from.asker;
        match message {
            ToHost::Create(create) => self.create(asker, create),
            ToHost::List(_) => self.list(from),
            ToHost::Status(_) => self.status(from),
            ToHost::CountPictures(_) => self.count_pictures(from),
            ToHost::Stop(_) => {
                self.done(from);
                self.stop("asked to stop");
            }
            ToHost::Viewer(viewer) => {
                self.viewer(asker.conn, &viewer);
                self.done(from);
            }
            ToHost::Claim(claim) => self.claim(asker, &claim),
            ToHost::Release(release) => {
                self.release(asker.conn, release.panes.into_iter().map(PaneId));
                self.done(from);
            }
            ToHost::Watch(watch) => self.watch(asker, &watch.panes),
            ToHost::Look(look) => {
                self.done(from);
                self.look(asker.conn, &look.panes);
            }
            ToHost::Ack(ack) => {
                self.ack(asker.conn, from.pane, ack.offset);
                self.done(from);
            }
            ToHost::Subscribe(_) => {
                self.s
                    .conns
                    .entry(asker.conn)
                    .and_modify(|conn| conn.subscribed = true);
                self.done(from);
                self.tell_looked(asker.conn);
            }
            ToHost::NoteSet(set) => self.note_set(from, &set),
            ToHost::NoteList(_) => self.note_list(from),
            ToHost::Report(report) => self.report(from, report.body),
            of_pane => self.pane_request(from, of_pane),
        }
    }

    /// Requests that make sense for a pane that is there only.
    fn pane_request(&mut self, from: From, message: ToHost) {
        let Some(pane) = self.s.visible(from.pane) else {
            return self.no_pane(from);
        };
        let live = pane.is_live();
        match message {
            ToHost::GetSnapshot(_) => {
                self.get_snapshot(from.asker.conn, from.pane, from.asker.request);
            }
            ToHost::GetPage(get) => {
                self.get_page(from.asker.conn, from.pane, from.asker.request, &get);
            }
            ToHost::Remove(_) if live => {
                let text = format!("{} still runs; kill it first", from.pane);
                self.refuse(from, msg::BUSY, text);
            }
            ToHost::Remove(_) => {
                self.done(from);
                self.remove(from.pane);
            }
            ToHost::Input(_)
            | ToHost::Kill(_)
            | ToHost::Continue(_)
            | ToHost::Resize(_)
            | ToHost::Share(_)
                if !live =>
            {
                self.refuse(
                    from,
                    msg::NOT_ALIVE,
                    format!("the program of {} has ended", from.pane),
                );
            }
            ToHost::Input(bytes) => self.input(from, &bytes),
            ToHost::LastSubmit(_) => {
                let submitted = pane.submitted(self.now);
                self.answer(from.asker, from.pane, submitted);
            }
            ToHost::Kill(_) => {
                self.done(from);
                if let Some(pane) = self.s.panes.get_mut(&from.pane) {
                    pane.killed = true;
                }
                self.out.push(Action::HangUp { pane: from.pane });
            }
            ToHost::Continue(_) => {
                self.done(from);
                self.out.push(Action::ContinuePane { pane: from.pane });
            }
            ToHost::Resize(size) => self.resize_request(from, &size),
            ToHost::Share(share) => self.share(from.asker, from.pane, &share),
            // Every other kind was handled before.
            _ => self.refuse(from, msg::UNSUPPORTED, "this host does not handle that"),
        }
    }

    fn done(&mut self, from: From) {
        self.answer(from.asker, from.pane, Done {});
    }

    fn refuse(&mut self, from: From, code: u16, text: impl Into<String>) {
        self.fail(from.asker.conn, from.pane, from.asker.request, code, text);
    }

    fn no_pane(&mut self, from: From) {
        self.refuse(from, msg::NO_PANE, format!("no pane {}", from.pane));
    }

    fn list(&mut self, from: From) {
        let now = self.now;
        let panes = self.s.panes.values().filter(|pane| pane.is_visible());
        let panes = panes.map(|pane| pane.facts(now)).collect();
        self.answer(from.asker, PaneId::NONE, Panes { panes });
    }

    fn count_pictures(&mut self, from: From) {
        let panes = self.s.panes.values().filter(|pane| pane.is_visible());
        let counts = panes.map(|pane| (pane.id.0, pane.screen.pictures()));
        let counts = counts.filter(|(_, count)| *count > 0).collect();
        self.answer(from.asker, PaneId::NONE, msg::PictureCounts { counts });
    }

    fn status(&mut self, from: From) {
        if self.s.measuring.len() >= MAX_MEASURING {
            return self.refuse(from, msg::BUSY, "too many status requests wait; try again");
        }
        if self.s.measuring.is_empty() {
            self.out.push(Action::MeasureHost);
        }
        self.s.measuring.push(from.asker);
    }

    /// The driver has measured: everyone who asked gets the facts.
    pub(crate) fn measured(&mut self, memory: u64, root_reaper: u32, warnings: Vec<String>) {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let (s, panes) = (&*self.s, || {
            self.s.panes.values().filter(|pane| pane.is_visible())
        });
        let roles = |of: fn(Role) -> bool| count(s.conns.values().filter(|c| of(c.role)).count());
        let facts = msg::HostFacts {
            pid: s.config.pid,
            pid_start: s.config.pid_start,
            root_reaper,
            instance: s.config.instance,
            build: s.config.build.clone(),
            age_ms: super::pane::ms(self.now, s.began),
            terminals: count(panes().count()),
            live: count(panes().filter(|pane| pane.is_live()).count()),
            attachments: roles(Role::holds_host),
            observers: roles(|role| matches!(role, Role::Observe | Role::Manage)),
            memory,
            warnings,
        };
        for asker in std::mem::take(&mut self.s.measuring) {
            self.answer(asker, PaneId::NONE, facts.clone());
        }
    }

    fn input(&mut self, from: From, bytes: &[u8]) {
        let (id, conn, now) = (from.pane, from.asker.conn, self.now);
        let Some(pane) = self.s.panes.get_mut(&id) else {
            return;
        };
        if from.role == Role::Attach && pane.holder.is_none_or(|holder| holder.conn != conn) {
            let text = format!("{id} is not claimed by this client; claim it before typing");
            return self.refuse(from, msg::FORBIDDEN, text);
        }
        if pane.deaf {
            let text = format!("the terminal of {id} takes no input any more");
            return self.refuse_input(from, bytes.len(), msg::NOT_ALIVE, text);
        }
        if bytes.len() > MAX_MESSAGE {
            let text = format!(
                "{} bytes are over the {MAX_MESSAGE} of one input message",
                bytes.len()
            );
            return self.refuse_input(from, bytes.len(), msg::LIMIT, text);
        }
        if !pane.queue.push_input(bytes) {
            let text = format!("{id} does not read: its input queue is full, nothing was taken");
            return self.refuse_input(from, bytes.len(), msg::INPUT_FULL, text);
        }
        let tell = told_long_ago(pane, now);
        pane.last_input = Some(now);
        if submit::asks_to_act(bytes) {
            pane.last_submit = Some(now);
        }
        if tell {
            pane.input_told = Some(now);
        }
        self.done(from);
        self.pump(id);
        if tell {
            self.publish(id, PaneInput {});
        }
    }

    fn refuse_input(&mut self, from: From, bytes: usize, code: u16, text: String) {
        if from.asker.request != 0 {
            return self.refuse(from, code, text);
        }
        let bytes = bytes as u64;
        self.send(from.asker.conn, from.pane, 0, msg::InputRefused { bytes });
    }

    fn resize_request(&mut self, from: From, size: &msg::Resize) {
        let sound = |n| (1..=term::size::LIMIT).contains(&n);
        if !sound(size.cols) || !sound(size.rows) {
            let text = format!(
                "a size lies in 1x1..=1000x1000, {}x{} does not",
                size.cols, size.rows
            );
            return self.refuse(from, msg::LIMIT, text);
        }
        self.done(from);
        self.resize(from.pane, Size::new(size.cols, size.rows));
    }

    fn note_set(&mut self, from: From, set: &msg::NoteSet) {
        let global = from.pane == PaneId::NONE;
        if !global && self.s.visible(from.pane).is_none() {
            return self.no_pane(from);
        }
        let s = &mut *self.s;
        let map = match s.panes.get_mut(&from.pane) {
            Some(pane) => &mut pane.notes,
            None => &mut s.notes,
        };
        let limit = if global {
            MAX_GLOBAL_NOTE
        } else {
            MAX_PANE_NOTE
        };
        let (key, value) = (set.key.as_str(), set.value.as_deref());
        let write = Write {
            key,
            revision: set.revision,
            value,
            limit,
        };
        let change = match s.ledger.set(map, write) {
            Ok(change) => change,
            Err(error) => return self.refuse(from, error.code(), error.to_string()),
        };
        let written = notes::listed(map)
            .into_iter()
            .filter(|note| note.key == set.key)
            .collect();
        self.answer(from.asker, from.pane, Notes { notes: written });
        if let Change::Set(revision) | Change::Removed(revision) = change {
            let (key, value) = (set.key.clone(), set.value.clone());
            self.publish_note(
                from.pane,
                NoteChanged {
                    key,
                    revision,
                    value,
                },
            );
        }
    }

    fn note_list(&mut self, from: From) {
        let notes = if from.pane == PaneId::NONE {
            notes::listed(&self.s.notes)
        } else if let Some(pane) = self.s.visible(from.pane) {
            notes::listed(&pane.notes)
        } else {
            return self.no_pane(from);
        };
        self.answer(from.asker, from.pane, Notes { notes });
    }

    fn report(&mut self, from: From, body: Vec<u8>) {
        let own = self
            .s
            .conns
            .get(&from.asker.conn)
            .and_then(|conn| conn.pane_key);
        let Some(own) = own.filter(|own| from.pane == PaneId::NONE || from.pane == *own) else {
            return self.refuse(
                from,
                msg::FORBIDDEN,
                "a pane's key reports for its own pane only",
            );
        };
        if body.len() > MAX_REPORT {
            let text = format!("a report of {} bytes is over the {MAX_REPORT}", body.len());
            return self.refuse(from, msg::LIMIT, text);
        }
        // Its first word may overtake the reaper's, so a pane that is starting counts too.
        if !self.s.panes.contains_key(&own) {
            return self.refuse(from, msg::NO_PANE, format!("no pane {own}"));
        }
        self.done(from);
        self.publish(own, FromHost::Reported(Reported { body }));
    }
}

/// `PaneInput` is due again.
fn told_long_ago(pane: &Pane, now: std::time::Instant) -> bool {
    let since = |told| now.saturating_duration_since(told) >= INPUT_EVENTS;
    !matches!(pane.phase, Phase::Exited(_)) && pane.input_told.is_none_or(since)
}
