//! One turn within the conversation: sending, hearing, and what happens when its process does not
//! last as long as it does.

use super::{Act, Core, Process, Queued, Setup};
use crate::again::{ATTEMPTS, NOTE, Unanswered};
use crate::carry::Carried;
use crate::driver::{Prompt, Step};
use crate::event::{Ending, Event, Fault};
use crate::inflight::{InFlight, VERSION};
use crate::record::Asked;
use crate::watchdog::{Signal, What};
use std::time::Instant;

/// A turn that is under way or waits for its moment.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    record: InFlight,
    /// What goes to the framework; empty: nothing does, it goes on by itself.
    text: String,
    /// Not sent before this moment.
    pub(super) not_before: Option<Instant>,
    sent: bool,
    /// "Prompt is too long" was dealt with once.
    recovered: bool,
    /// The framework has it by itself.
    rerun: bool,
    /// It was sent by a former process: what the framework shows of its past may answer it.
    pub(super) ask_replay: bool,
}

impl Turn {
    pub(super) fn first(record: InFlight) -> Self {
        let text = record.params.message.clone();
        Self {
            record,
            text,
            not_before: None,
            sent: false,
            recovered: false,
            rerun: false,
            ask_replay: false,
        }
    }

    pub(super) fn again(record: InFlight, text: String, at: Instant) -> Self {
        let mut turn = Self::first(record);
        turn.text = text;
        turn.not_before = Some(at);
        turn
    }

    pub(super) fn rerun(record: InFlight) -> Self {
        let mut turn = Self::first(record);
        turn.rerun = true;
        turn
    }

    /// What is asked, without what goes around it.
    pub(super) fn message(&self) -> &str {
        &self.record.params.message
    }

    /// It has not gone to this process yet.
    pub(super) const fn unsent(&self) -> bool {
        !self.sent
    }

    pub(super) fn failed(words: String) -> Ending {
        let fault = Fault::of(&words);
        Ending::Failed { words, fault }
    }
}

/// What was waited for, in words.
pub(super) const fn waited(what: What) -> &'static str {
    match what {
        What::Open => "open a conversation in time",
        What::Load => "load the conversation in time",
        What::Word => "say anything for too long",
    }
}

impl Setup {
    pub(super) fn turn(&self, message: &Queued, session: Option<String>) -> InFlight {
        let mut params = self.params.clone();
        params.message.clone_from(&message.text);
        InFlight {
            version: VERSION,
            conversation: self.conversation.clone(),
            session_id: session,
            engine: self.engine.clone(),
            started_at: message.at,
            attempts: 0,
            uuid: message.uuid.clone(),
            pane: self.pane,
            left: false,
            params,
        }
    }

    pub(super) fn asked(&self, turn: &InFlight) -> Asked {
        Asked {
            text: turn.params.message.clone(),
            uuid: turn.uuid.clone(),
            framework: self.engine.clone(),
            model: turn.params.model.clone(),
            mode: turn.params.permission_mode.clone(),
            effort: turn.params.effort.clone(),
            account: turn.params.runner_config_id.clone(),
            folder: turn.params.project_dir.clone(),
            again: turn.attempts,
        }
    }
}

impl Core {
    /// Sends the turn to a process that has the conversation open. The mark that says so is on disk
    /// first.
    pub(super) fn send(&mut self, now: Instant, acts: &mut Vec<Act>) {
        let Some(turn) = &mut self.turn else { return };
        turn.sent = true;
        turn.not_before = None;
        turn.record.attempts += 1;
        turn.record.session_id.clone_from(&self.session);
        acts.push(Act::Mark(Box::new(turn.record.clone())));
        let compact = turn
            .record
            .params
            .message
            .trim_start()
            .starts_with("/compact");
        self.dog.tell(&Signal::Sent { compact }, now);
        if std::mem::take(&mut turn.rerun) {
            return;
        }
        if turn.text == NOTE && self.driver.holds(&turn.record.params.message) == Some(false) {
            // It was cut before the framework had written it down: the note alone would lose it.
            turn.text = format!("{}\n\n{NOTE}", turn.record.params.message);
        }
        let text = match self.carried.take() {
            Some(carried) => format!("{carried}\n{}", turn.text),
            None => turn.text.clone(),
        };
        let uuid = turn.record.uuid.clone();
        let instead = (turn.record.attempts > 1).then(|| NOTE.to_owned());
        let steps = self.driver.prompt(&Prompt {
            text,
            uuid,
            instead,
        });
        self.take(steps, now, acts);
    }

    /// What a driver wants done.
    pub(super) fn take(&mut self, steps: Vec<Step>, now: Instant, acts: &mut Vec<Act>) {
        for step in steps {
            match step {
                Step::Send(line) => acts.push(Act::Send(line)),
                Step::Say(event) => self.hear(event, now, acts),
            }
            if self.process == Process::None {
                return; // it was ended: nothing that it says counts any more
            }
        }
    }

    fn hear(&mut self, event: Event, now: Instant, acts: &mut Vec<Act>) {
        self.dog.tell(&Signal::Heard(&event), now);
        match &event {
            Event::Session { id } => self.named(id, acts),
            Event::Ready { .. } => {
                self.process = Process::Open;
                acts.push(Act::Say(event));
                return self.opened_again(acts);
            }
            Event::Card(card) => self.cards.push(card.clone()),
            Event::CardGone { id } => self.cards.retain(|it| it.id != *id),
            Event::Ended { ending } => return self.ended(ending.clone(), acts),
            Event::NotSet { knob, .. } => self.not_set(*knob),
            Event::Lost { .. } => {
                acts.push(Act::Say(event));
                return self.lost(acts);
            }
            Event::Held { words } => {
                let words = format!("another process has the conversation: {words}");
                acts.push(Act::Say(event));
                return self.refuse(words, acts);
            }
            Event::Other { asked, got } => {
                // Claude Code names what it opened with the first frame of the turn only.
                let sent = self.turn.as_ref().is_some_and(|it| !it.unsent());
                let then = if sent {
                    "its process was ended"
                } else {
                    "nothing was sent"
                };
                let words = format!("it opened {got} when {asked} was asked for; {then}");
                acts.push(Act::Say(event));
                return self.refuse(words, acts);
            }
            _ => {}
        }
        acts.push(Act::Say(event));
    }

    /// The framework's id goes into the mark at once: it is what a restart opens again.
    pub(super) fn named(&mut self, id: &str, acts: &mut Vec<Act>) {
        self.session = Some(id.to_owned());
        if let Some(turn) = &mut self.turn
            && turn.record.session_id.as_deref() != Some(id)
        {
            turn.record.session_id = Some(id.to_owned());
            acts.push(Act::Mark(Box::new(turn.record.clone())));
        }
    }

    fn ended(&mut self, ending: Ending, acts: &mut Vec<Act>) {
        if let Ending::Failed {
            fault: Fault::TooLong,
            words,
        } = &ending
            && self.turn.as_ref().is_some_and(|it| !it.recovered)
        {
            acts.push(Act::Tell(words.clone()));
            return self.overflow(acts);
        }
        if self.process == Process::Opening {
            // It would not open: the process is of no use.
            acts.push(Act::End);
            self.process = Process::None;
        }
        self.end_turn(ending, acts);
    }

    /// The end is in the record before the mark goes.
    pub(super) fn end_turn(&mut self, ending: Ending, acts: &mut Vec<Act>) {
        self.cards.clear();
        self.stopping = None;
        let event = Event::Ended {
            ending: ending.clone(),
        };
        acts.push(Act::Say(event));
        if self.turn.take().is_some() {
            acts.push(Act::Unmark);
        }
        if self.queue.is_empty() {
            acts.push(Act::Rest(ending));
        }
    }

    /// Nothing may be sent: the process goes, the turn fails with these words.
    pub(super) fn refuse(&mut self, words: String, acts: &mut Vec<Act>) {
        acts.push(Act::End);
        self.process = Process::None;
        self.end_turn(Turn::failed(words), acts);
    }

    /// The conversation is not there: it goes on in a fresh one, carried from our record.
    fn lost(&mut self, acts: &mut Vec<Act>) {
        acts.push(Act::End);
        self.begin_anew(acts);
    }

    pub(super) fn begin_anew(&mut self, acts: &mut Vec<Act>) {
        self.process = Process::None;
        let session = self.session.take();
        self.carrying = true;
        self.cards.clear();
        if let Some(turn) = &mut self.turn {
            turn.sent = false;
            turn.rerun = false;
            if turn.text == NOTE {
                turn.text = format!("{}\n\n{NOTE}", turn.record.params.message);
            }
        }
        acts.push(Act::Carry { session });
    }

    /// The text to carry has come.
    pub(super) fn fresh(&mut self, carried: Option<Carried>, acts: &mut Vec<Act>) {
        if !std::mem::take(&mut self.carrying) {
            return;
        }
        let text = match &carried {
            Some(it) if it.left_out > 0 => format!(
                "a fresh session goes on from {}; its oldest {} entries did not fit",
                it.source.words(),
                it.left_out
            ),
            Some(it) => format!("a fresh session goes on from {}", it.source.words()),
            None => "a fresh session begins; there was nothing to carry over".to_owned(),
        };
        acts.push(Act::Say(Event::Notice { text }));
        self.carried = carried.map(|it| it.text);
    }

    /// "Prompt is too long", once: a fresh session carried from our record, then the same request.
    pub(super) fn overflow(&mut self, acts: &mut Vec<Act>) {
        let Some(turn) = &mut self.turn else { return };
        if std::mem::replace(&mut turn.recovered, true) {
            let words = "the conversation is too long, also after it was carried over".to_owned();
            return self.refuse(words, acts);
        }
        acts.push(Act::End);
        self.begin_anew(acts);
    }

    /// The process has ended by itself.
    pub(super) fn gone(&mut self, how: &str, words: &str, now: Instant, acts: &mut Vec<Act>) {
        if self.process == Process::None {
            return; // it was ended here
        }
        self.process = Process::None;
        // Some frameworks word a lost conversation on stderr only.
        for line in words.lines() {
            let said = self.driver.receive(line);
            if let Some(Step::Say(event @ (Event::Lost { .. } | Event::Held { .. }))) =
                said.into_iter().next()
            {
                return self.hear(event, now, acts);
            }
        }
        let last = words.lines().rev().find(|it| !it.trim().is_empty());
        let why = match last {
            Some(line) => format!("it ended ({how}): {}", line.trim()),
            None => format!("it ended ({how})"),
        };
        self.lose_process(&why, now, acts);
    }

    /// A turn whose process is gone goes on in a fresh one, unless it was sent often enough.
    pub(super) fn lose_process(&mut self, why: &str, now: Instant, acts: &mut Vec<Act>) {
        self.cards.clear();
        let Some(turn) = &mut self.turn else {
            acts.push(Act::Tell(why.to_owned()));
            return;
        };
        if turn.unsent() && std::mem::take(&mut self.new) {
            // Nothing was sent to the new conversation: there is none.
            self.session = None;
            turn.record.session_id = None;
        }
        if turn.unsent() {
            // It never opened: a process that cannot start will not do so the next time either.
            turn.record.attempts += 1;
        }
        if turn.record.attempts >= ATTEMPTS {
            let times = turn.record.attempts;
            let words = format!("{why}; given up after {times} tries");
            return self.end_turn(Turn::failed(words), acts);
        }
        let why = why.to_owned();
        acts.push(Act::Interrupted { why });
        if turn.sent {
            turn.text = match self.setup.unanswered {
                Unanswered::Kept => NOTE.to_owned(),
                _ => format!("{}\n\n{NOTE}", turn.record.params.message),
            };
            turn.rerun = self.setup.unanswered == Unanswered::Rerun;
        }
        turn.sent = false;
        turn.not_before = Some(now);
        acts.push(Act::Mark(Box::new(turn.record.clone())));
    }
}
