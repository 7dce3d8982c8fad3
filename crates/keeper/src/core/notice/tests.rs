//! Waits as tables: what the pane does at which second, who looks, and what is told.

use super::*;
use State::{Done, Exited, Idle, NeedsInput, Unknown, Working};
use Verdict::{Over, Seen, Tell};

/// What happens at a moment.
#[derive(Clone, Copy, Debug)]
enum Do {
    /// The pane is in this state.
    Is(State),
    /// The user typed.
    Type,
    /// Somebody looks, or nobody.
    Look(bool),
}
use Do::{Is, Look, Type};

const ALL: Rules = Rules {
    needs_input: true,
    done: true,
};
const DEFAULT: Rules = Rules {
    needs_input: true,
    done: false,
};

fn facts(note: Option<&NoticeNote>, typed_ms: Option<u64>) -> PaneFacts {
    let mut facts = super::super::tests::facts(1, &["claude"]);
    facts.since_input_ms = typed_ms;
    let note = note.map(|note| (notes::NOTICE.to_owned(), notes::to_json(note)));
    facts.notes.extend(note);
    facts
}

/// Plays `script` (milliseconds, what happens then), 10 s beyond its end, with a step at each deadline.
/// Gives the verdicts with the moment of each.
fn play(
    mut it: Attention,
    start: Instant,
    rules: Rules,
    script: &[(u64, Do)],
) -> Vec<(u64, Verdict)> {
    let mut verdicts = Vec::new();
    let mut state = Unknown;
    let end = script.last().map_or(0, |(at, _)| *at) + 10_000;
    let steps = script.iter().map(|(at, what)| (*at, Some(*what)));
    for (at, what) in steps.chain([(end, None)]) {
        let at = start + Duration::from_millis(at);
        // As a driver does: a step whenever one is due before the next thing happens.
        while let Some(due) = it.due().filter(|due| *due < at) {
            let verdict = it.step(state, rules, due);
            verdicts.extend(verdict.map(|it| (ms(start, due), it)));
            assert!(it.due().is_none_or(|next| next > due), "it would spin");
        }
        match what {
            Some(Is(now)) => state = now,
            Some(Type) => it.typed(at),
            Some(Look(looked)) => it.looked(looked),
            None => {}
        }
        let verdict = it.step(state, rules, at);
        verdicts.extend(verdict.map(|it| (ms(start, at), it)));
    }
    verdicts
}

fn ms(start: Instant, at: Instant) -> u64 {
    u64::try_from(at.duration_since(start).as_millis()).unwrap()
}

fn check(rules: Rules, script: &[(u64, Do)], want: &[(u64, Verdict)]) {
    let got = play(Attention::default(), Instant::now(), rules, script);
    assert_eq!(got, want, "{script:?}");
}

#[test]
fn one_notice_a_wait() {
    check(
        DEFAULT,
        &[
            (0, Is(Working)),
            (1_000, Is(NeedsInput)),
            (60_000, Is(NeedsInput)),
        ],
        &[(3_000, Tell(NeedsInput))],
    );
    // Answered, worked on, asked again: two waits.
    check(
        DEFAULT,
        &[
            (0, Is(NeedsInput)),
            (5_000, Type),
            (5_000, Is(Working)),
            (9_000, Is(NeedsInput)),
        ],
        &[
            (2_000, Tell(NeedsInput)),
            (5_000, Over),
            (11_000, Tell(NeedsInput)),
        ],
    );
    // Answered elsewhere: nobody typed, so it is over once it was away for long enough.
    check(
        DEFAULT,
        &[
            (0, Is(NeedsInput)),
            (5_000, Is(Working)),
            (9_000, Is(NeedsInput)),
        ],
        &[
            (2_000, Tell(NeedsInput)),
            (7_000, Over),
            (11_000, Tell(NeedsInput)),
        ],
    );
}

/// Two sources that disagree for a moment, a title that blinks.
#[test]
fn a_state_that_flickers_is_one_wait() {
    check(
        DEFAULT,
        &[
            (0, Is(NeedsInput)),
            (3_000, Is(Working)),
            (3_500, Is(NeedsInput)),
            (6_000, Is(Unknown)),
            (7_900, Is(NeedsInput)),
        ],
        &[(2_000, Tell(NeedsInput))],
    );
    // The same wait, when a quick answer leads to the next question: that one is another.
    check(
        DEFAULT,
        &[
            (0, Is(NeedsInput)),
            (3_000, Type),
            (3_100, Is(Working)),
            (3_500, Is(NeedsInput)),
        ],
        &[
            (2_000, Tell(NeedsInput)),
            (3_100, Over),
            (5_500, Tell(NeedsInput)),
        ],
    );
}

#[test]
fn what_is_answered_at_once_is_told_to_nobody() {
    check(DEFAULT, &[(0, Is(NeedsInput)), (1_900, Is(Working))], &[]);
    check(DEFAULT, &[(0, Is(NeedsInput)), (1_900, Is(Exited))], &[]);
    // The clock begins anew.
    check(
        DEFAULT,
        &[
            (0, Is(NeedsInput)),
            (1_900, Is(Working)),
            (2_100, Is(NeedsInput)),
        ],
        &[(4_100, Tell(NeedsInput))],
    );
}

#[test]
fn what_somebody_looks_at_is_told_to_nobody() {
    check(
        DEFAULT,
        &[(0, Look(true)), (0, Is(NeedsInput)), (9_000, Look(false))],
        &[(2_000, Seen(NeedsInput))],
    );
    // Who looks when it is judged counts, not who did before.
    check(
        DEFAULT,
        &[(0, Look(true)), (0, Is(NeedsInput)), (1_000, Look(false))],
        &[(2_000, Tell(NeedsInput))],
    );
    check(
        DEFAULT,
        &[(0, Is(NeedsInput)), (1_000, Look(true))],
        &[(2_000, Seen(NeedsInput))],
    );
    check(
        DEFAULT,
        &[(0, Look(true)), (0, Is(NeedsInput)), (9_000, Is(Working))],
        &[(2_000, Seen(NeedsInput)), (11_000, Over)],
    );
}

#[test]
fn other_states_and_guesses_are_nothing_to_tell() {
    for state in [Working, Idle, Exited, Unknown, State::Stopped, Done] {
        check(DEFAULT, &[(0, Is(Working)), (40_000, Is(state))], &[]);
    }
    let nothing = Rules {
        needs_input: false,
        done: false,
    };
    check(nothing, &[(0, Is(NeedsInput))], &[]);
}

#[test]
fn a_long_turn_that_is_done_is_told_if_asked_for() {
    check(
        ALL,
        &[(0, Is(Working)), (30_000, Is(Done))],
        &[(32_000, Tell(Done))],
    );
    check(
        ALL,
        &[(0, Is(Working)), (29_999, Is(Done)), (90_000, Is(Done))],
        &[],
    );
    // A question in between belongs to the turn.
    check(
        ALL,
        &[
            (0, Is(Working)),
            (10_000, Is(NeedsInput)),
            (14_000, Type),
            (14_000, Is(Working)),
            (31_000, Is(Done)),
        ],
        &[
            (12_000, Tell(NeedsInput)),
            (14_000, Over),
            (33_000, Tell(Done)),
        ],
    );
    // A new turn is measured from its own beginning.
    check(
        ALL,
        &[
            (0, Is(Working)),
            (40_000, Is(Done)),
            (50_000, Type),
            (50_000, Is(Working)),
            (60_000, Is(Done)),
        ],
        &[(42_000, Tell(Done)), (50_000, Over)],
    );
    check(ALL, &[(0, Is(Done)), (60_000, Is(Done))], &[]);
}

/// A keeper that starts anew finds the note of its predecessor.
#[test]
fn another_keeper_tells_nothing_twice() {
    let start = Instant::now();
    let now = Now {
        at: start,
        unix: 1_000,
    };
    let note = NoticeNote {
        state: "needs_input".to_owned(),
        at: 900,
        ..NoticeNote::default()
    };
    let check = |note: Option<&NoticeNote>, typed, script: &[(u64, Do)], want: &[_]| {
        let it = Attention::of(&facts(note, typed), now);
        assert_eq!(play(it, start, DEFAULT, script), want, "{script:?}");
    };
    let again: &[(u64, Do)] = &[(0, Is(NeedsInput)), (60_000, Is(NeedsInput))];
    check(Some(&note), None, again, &[]);
    check(None, None, again, &[(2_000, Tell(NeedsInput))]);
    // Typed before it was told, or never since.
    check(Some(&note), Some(200_000), again, &[]);
    // Typed since: that wait was answered, this is another.
    check(
        Some(&note),
        Some(50_000),
        again,
        &[(0, Over), (2_000, Tell(NeedsInput))],
    );
    // Nothing is known of the pane for a while, as after a restart.
    check(
        Some(&note),
        None,
        &[(0, Is(Unknown)), (60_000, Is(NeedsInput))],
        &[],
    );
    // It goes on, and asks again.
    check(
        Some(&note),
        None,
        &[(0, Is(Working)), (5_000, Is(NeedsInput))],
        &[(2_000, Over), (7_000, Tell(NeedsInput))],
    );
    let strange = NoticeNote {
        state: "flying".to_owned(),
        ..note
    };
    check(Some(&strange), None, &[(0, Is(Working))], &[(0, Over)]);
}
