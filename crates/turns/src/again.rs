//! What a restart does with a turn that was cut: sent again, left, or given up. Pure.
//!
//! In: the in-flight record, what the conversation's record and transcript say, how the framework
//! treats a prompt it never answered. Out: a [`Decision`]. Promises: an answered turn is never sent
//! again; nor is one whose conversation was carried on since, or that the framework re-runs by
//! itself; at most [`ATTEMPTS`] sends in all; what is sent again says so ([`NOTE`]).

use crate::event::Ending;
use crate::inflight::InFlight;
use crate::record::{Body, Row, Tail, tail};
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
    /// The end of the framework's own transcript, where its form is known.
    pub transcript: Tail,
    /// The last words that stand behind this message in the transcript.
    pub answer: Option<String>,
    /// The user stopped it, or ended its pane.
    pub stopped: bool,
    /// The same words were asked before in this conversation: an answer to them may be to the others.
    pub repeated: bool,
}

impl Known {
    /// What the two records, our own and the framework's, say of this message.
    #[must_use]
    pub fn of(turn: &InFlight, ours: &[Row], theirs: &[Row]) -> Self {
        let before = ours.iter().filter(|it| match &it.body {
            Body::Asked(asked) => asked.uuid != turn.uuid && asked.text == turn.params.message,
            _ => false,
        });
        Self {
            tail: tail(ours),
            transcript: tail(theirs),
            answer: answer(theirs, &turn.uuid),
            stopped: stopped(ours, &turn.uuid) || stopped(theirs, &turn.uuid),
            repeated: before.count() > 0,
        }
    }
}

/// The last words behind a message, before the next one.
fn answer(rows: &[Row], uuid: &str) -> Option<String> {
    let is = |it: &&Row| matches!(&it.body, Body::Asked(asked) if asked.uuid == uuid);
    let behind = rows.iter().skip_while(|it| !is(it)).skip(1);
    let behind = behind.take_while(|it| !matches!(it.body, Body::Asked(_)));
    let mut words = None;
    for row in behind {
        match &row.body {
            Body::Text { text, .. } => words = Some(text.clone()),
            Body::Tool { .. } | Body::Result { .. } => words = None,
            _ => {}
        }
    }
    words
}

fn stopped(rows: &[Row], uuid: &str) -> bool {
    let is = |it: &Row| matches!(&it.body, Body::Ended { uuid: it, ending: Ending::Stopped } if it == uuid);
    rows.iter().any(is)
}

/// What to do with the turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It was answered: only the mark was missing. Remove the record.
    Answered,
    /// The framework's transcript has its answer and our record does not: these are its last words.
    Found {
        /// Perhaps empty.
        words: String,
    },
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
    let answered = |tail: &Tail| tail.ended.as_deref() == Some(turn.uuid.as_str());
    let carried_on = |tail: &Tail| {
        tail.asked.as_ref().is_some_and(|it| *it != turn.uuid) && tail.seen(&turn.uuid)
    };
    if answered(&known.tail) {
        return Decision::Answered;
    }
    if carried_on(&known.tail) || carried_on(&known.transcript) {
        return Decision::CarriedOn;
    }
    if answered(&known.transcript) {
        let words = known.answer.clone().unwrap_or_default();
        return Decision::Found { words };
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
    use crate::record::Asked;

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
            left: false,
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
            transcript: tail(&["u"], Some("u")),
            answer: Some("it is".to_owned()),
            ..cut()
        };
        let words = "it is".to_owned();
        let found = Decision::Found { words };
        check("answered in the transcript", 1, &answered, Kept, &found);
        check("and sent often enough", 3, &answered, Gone, &found);
        let begun = Known {
            transcript: tail(&["old", "u"], Some("old")),
            ..cut()
        };
        check("begun in the transcript", 1, &begun, Gone, &both);
        let elsewhere = Known {
            transcript: tail(&["u", "v"], Some("v")),
            ..cut()
        };
        check(
            "carried on in the CLI itself",
            1,
            &elsewhere,
            Gone,
            &Decision::CarriedOn,
        );
        let on = known(tail(&["u", "v"], None));
        check("carried on", 1, &on, Gone, &Decision::CarriedOn);
        let stopped = Known {
            stopped: true,
            ..cut()
        };
        check("stopped", 1, &stopped, Gone, &Decision::Stopped);
    }

    /// What the two records say of a message, put together.
    #[test]
    fn both_records_are_read() {
        let row = |body| Row { at: 0, body };
        let asked = |uuid: &str, text: &str| {
            let (uuid, text) = (uuid.to_owned(), text.to_owned());
            row(Body::Asked(Asked {
                uuid,
                text,
                ..Asked::default()
            }))
        };
        let said = |text: &str| {
            let text = text.to_owned();
            row(Body::Text { text, cut: false })
        };
        let ended = |uuid: &str, ending: Ending| {
            let uuid = uuid.to_owned();
            row(Body::Ended { uuid, ending })
        };
        let turn = turn(1);
        let ours = [asked("u", "do it"), said("half")];
        let theirs = [
            asked("old", "do it"),
            said("no"),
            asked("u", "do it"),
            said("half a"),
            said("whole"),
            ended("u", Ending::Done),
        ];
        let known = Known::of(&turn, &ours, &theirs);
        assert_eq!(known.answer.as_deref(), Some("whole"));
        let words = "whole".to_owned();
        let decision = decide(&turn, &known, Unanswered::Kept);
        assert_eq!(decision, Decision::Found { words });
        assert!(!known.repeated && !known.stopped);
        let twice = [asked("x", "do it"), ours[0].clone()];
        assert!(Known::of(&turn, &twice, &[]).repeated);
        let stopped = [asked("u", "do it"), ended("u", Ending::Stopped)];
        assert!(Known::of(&turn, &ours, &stopped).stopped);
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
