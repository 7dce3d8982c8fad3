//! A turn that a restart cut: what becomes of it, before and after its conversation is open again.

use super::turn::Turn;
use super::{Act, Core};
use crate::again::{self, Decision, Known};
use crate::event::{Ending, Event};
use crate::inflight::InFlight;
use crate::offer::CUT;
use std::time::Instant;

impl Core {
    /// Shown as running from this moment on, sent later.
    pub(super) fn cut(
        &mut self,
        mut turn: InFlight,
        known: &Known,
        now: Instant,
        acts: &mut Vec<Act>,
    ) {
        let decision = again::decide(&turn, known, self.setup.unanswered);
        if matches!(
            decision,
            Decision::Answered | Decision::Stopped | Decision::CarriedOn
        ) {
            acts.push(Act::Unmark);
            return;
        }
        turn.left = false;
        self.session = turn.session_id.clone().or(self.session.take());
        let why = CUT.to_owned();
        acts.push(Act::Interrupted { why });
        match decision {
            Decision::GiveUp { why } => {
                let words = format!("{}: {why}", again::GIVEN_UP);
                self.turn = Some(Turn::again(turn, String::new(), now));
                self.end_turn(Turn::failed(words), acts);
            }
            Decision::Found { words } => {
                self.turn = Some(Turn::again(turn, String::new(), now));
                self.found(words, acts);
            }
            Decision::Send { text } => {
                let mut turn = Turn::again(turn, text, now + again::PAUSE);
                turn.ask_replay = !known.repeated;
                self.turn = Some(turn);
            }
            _ => self.turn = Some(Turn::rerun(turn)),
        }
    }

    /// The framework had the answer; our record gets its last words and the end.
    fn found(&mut self, words: String, acts: &mut Vec<Act>) {
        let text =
            "it was answered while the program was away; this is from the agent's own record";
        let text = text.to_owned();
        acts.push(Act::Say(Event::Notice { text }));
        if !words.is_empty() {
            acts.push(Act::Say(Event::Text { text: words }));
        }
        self.end_turn(Ending::Done, acts);
    }

    /// The conversation is open again: its past may hold the answer to what was cut.
    pub(super) fn opened_again(&mut self, acts: &mut Vec<Act>) {
        let Some(turn) = self.turn.as_mut().filter(|it| it.ask_replay) else {
            return;
        };
        turn.ask_replay = false;
        let answer = self.replay.answer(turn.message());
        if let Some(words) = answer.map(str::to_owned) {
            self.found(words, acts);
        }
    }
}
