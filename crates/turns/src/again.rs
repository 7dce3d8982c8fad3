//! What a restart does with a turn that was cut: sent again, left, or given up. Pure.
//!
//! In: the in-flight record, what the conversation's record and transcript say, how the framework
//! treats a prompt it never answered. Out: a [`Decision`]. Promises: an answered turn is never sent
//! again; nor is one whose conversation was carried on since, or that the framework re-runs by
//! itself; at most [`ATTEMPTS`] sends in all; what is sent again says so ([`NOTE`]).

use crate::inflight::InFlight;
use crate::record::Tail;
use std::time::Duration;

/// A turn is sent so often, the first time counted.
pub const ATTEMPTS: u32 = 3;
/// After a start, before anything is sent again: time for the user to say otherwise.
pub const PAUSE: Duration = Duration::from_secs(8);

/// What a turn that is given up says.
pub const GIVEN_UP: &str = "Stopped when the app closed";

/// What goes with a request that is sent again: that it is one and why, that the same request above
/// is no reason to begin anew, to go on where it stopped, and to keep what was done.
pub const NOTE: &str = "(This request is sent again because the program was restarted while you were \
working on it. If the same request already appears above, do not start over: continue where it \
stopped, and keep what has been done already; check the state of things before you repeat a step.)";

/// How a framework treats a prompt that was cut, once the conversation is loaded again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// It has it no longer, or nothing is known: the request and the note go.
    Gone,
    /// It puts it before the next message, merged or beside: only the note goes.
    Kept,
    /// It runs it again by itself: nothing goes.
    Rerun,
}

/// What is known of the conversation at the restart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// The end of our own record.
    pub tail: Tail,
    /// The framework's transcript has an answer to this very message.
    pub answered: bool,
    /// The user stopped it, or ended its pane.
    pub stopped: bool,
}

/// What to do with the turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It was answered: only the mark was missing. Remove the record.
    Answered,
    /// The user stopped it. Remove the record.
    Stopped,
    /// The conversation went on without it. Remove the record.
    CarriedOn,
    /// The framework does it by itself; wait for its frames.
    Rerun,
    /// Send this after [`PAUSE`], as the same message.
    Send {
        /// The text.
        text: String,
    },
    /// Enough: say [`GIVEN_UP`] and why; the next message carries the conversation on.
    GiveUp {
        /// In words.
        why: String,
    },
}

/// Decides.
#[must_use]
pub fn decide(turn: &InFlight, known: &Known, unanswered: Unanswered) -> Decision {
    if known.stopped {
        return Decision::Stopped;
    }
    let tail = &known.tail;
    if known.answered || tail.ended.as_deref() == Some(turn.uuid.as_str()) {
        return Decision::Answered;
    }
    if tail.asked.as_ref().is_some_and(|it| *it != turn.uuid) && tail.seen(&turn.uuid) {
        return Decision::CarriedOn;
    }
    if turn.attempts >= ATTEMPTS {
        let times = turn.attempts;
        let why = format!("it was sent {times} times and cut each time");
        return Decision::GiveUp { why };
    }
    match unanswered {
        Unanswered::Rerun if turn.attempts > 0 => Decision::Rerun,
        Unanswered::Kept if turn.attempts > 0 => Decision::Send {
            text: NOTE.to_owned(),
        },
        _ => Decision::Send {
            text: format!("{}\n\n{NOTE}", turn.params.message),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inflight::{Params, VERSION};

    fn turn(attempts: u32) -> InFlight {
        InFlight {
            version: VERSION,
            conversation: "c".to_owned(),
            session_id: None,
            engine: "x".to_owned(),
            started_at: 0,
            attempts,
            uuid: "u".to_owned(),
            pane: None,
            params: Params {
                message: "do it".to_owned(),
                ..Params::default()
            },
        }
    }

    fn tail(asked: &[&str], ended: Option<&str>) -> Tail {
        Tail {
            asked: asked.last().map(|it| (*it).to_owned()),
            all: asked.iter().map(|it| (*it).to_owned()).collect(),
            ended: ended.map(str::to_owned),
        }
    }

    /// curia#388, #395, #405, tokenmaxxing#19, holon#3018: sent twice, or never.
    #[test]
    fn a_cut_turn_is_sent_again_and_an_answered_one_is_not() {
        let both = Decision::Send {
            text: format!("do it\n\n{NOTE}"),
        };
        let note = Decision::Send {
            text: NOTE.to_owned(),
        };
        let known = |tail: Tail| Known {
            tail,
            ..Known::default()
        };
        let cut = || known(tail(&["u"], None));
        let check = |name: &str, attempts, known: &Known, unanswered, want: &Decision| {
            assert_eq!(decide(&turn(attempts), known, unanswered), *want, "{name}");
        };
        use Unanswered::{Gone, Kept, Rerun};
        check("never sent", 0, &known(Tail::default()), Gone, &both);
        check("never sent, kept", 0, &known(Tail::default()), Kept, &both);
        check(
            "never sent, rerun",
            0,
            &known(Tail::default()),
            Rerun,
            &both,
        );
        check("cut", 1, &cut(), Gone, &both);
        check("cut, kept", 1, &cut(), Kept, &note);
        check("cut, rerun", 2, &cut(), Rerun, &Decision::Rerun);
        let ended = known(tail(&["u"], Some("u")));
        check(
            "result stored, not marked",
            1,
            &ended,
            Gone,
            &Decision::Answered,
        );
        let another = known(tail(&["old", "u"], Some("old")));
        check("only the one before was answered", 1, &another, Gone, &both);
        let answered = Known {
            answered: true,
            ..cut()
        };
        check(
            "answered in the transcript",
            1,
            &answered,
            Kept,
            &Decision::Answered,
        );
        let on = known(tail(&["u", "v"], None));
        check("carried on", 1, &on, Gone, &Decision::CarriedOn);
        let stopped = Known {
            stopped: true,
            ..cut()
        };
        check("stopped", 1, &stopped, Gone, &Decision::Stopped);
    }

    /// tokenmaxxing#19: a cap of three.
    #[test]
    fn three_times_is_enough() {
        let known = Known::default();
        let sends = |attempts| {
            matches!(
                decide(&turn(attempts), &known, Unanswered::Gone),
                Decision::Send { .. }
            )
        };
        assert_eq!(
            (0..5).map(sends).collect::<Vec<_>>(),
            [true, true, true, false, false]
        );
    }
}
