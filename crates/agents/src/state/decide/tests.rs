//! Stories of sayings, each with the state that must be shown after every step.

use super::*;
use State::{Done, Exited, Idle, NeedsInput, Stopped, Unknown, Working};

/// One step of a story.
#[derive(Clone, Debug)]
enum Do {
    Osc(State),
    Live(State),
    NoLive,
    Hook(State),
    Notice(State),
    Title(State),
    Typed,
    Enter,
    Output,
    Is(Program),
    Front(Front),
    Wait(u64),
}

/// Plays the steps a second apart; each is followed by the state that must be shown.
#[track_caller]
fn check(story: &[(Do, State)]) {
    let mut now = Instant::now();
    let mut signals = Signals::default();
    let mut shown = Shown::nothing(now);
    for (at, (step, want)) in story.iter().enumerate() {
        now += Duration::from_secs(1);
        let told = |state: &State| Some((*state, format!("{step:?}")));
        match step {
            Do::Osc(state) => signals.said(Source::Osc7501, told(state), now),
            Do::Live(state) => signals.said(Source::Live, told(state), now),
            Do::NoLive => signals.silent(Source::Live),
            Do::Hook(state) => signals.said(Source::Hook, told(state), now),
            Do::Notice(state) => signals.said(Source::Notice, told(state), now),
            Do::Title(state) => signals.said(Source::Title, told(state), now),
            Do::Typed => signals.typed(now),
            Do::Enter => {
                signals.typed(now);
                signals.submitted(now);
            }
            Do::Output => signals.changed(now),
            Do::Is(program) => signals.program(*program),
            Do::Front(front) => signals.front(*front),
            Do::Wait(seconds) => now += Duration::from_secs(*seconds),
        }
        let before = shown.clone();
        shown = decide(&shown, &signals, now);
        assert_eq!(
            shown.state, *want,
            "step {at}: {step:?}, {}",
            shown.evidence
        );
        let again = decide(&shown, &signals, now);
        assert_eq!(again.state, shown.state, "step {at} is not settled");
        if before.state == shown.state {
            assert_eq!(before.since, shown.since, "step {at}");
        }
    }
}

#[test]
fn a_turn_by_osc7501() {
    check(&[
        (Do::Osc(Idle), Idle),
        (Do::Enter, Idle),
        (Do::Osc(Working), Working),
        (Do::Osc(NeedsInput), NeedsInput),
        (Do::Typed, NeedsInput),
        (Do::Osc(Working), Working),
        (Do::Osc(Done), Done),
        // The next prompt is being typed: the turn before is no news any more.
        (Do::Typed, Idle),
        (Do::Osc(Working), Working),
        (Do::Osc(Done), Done),
        (Do::Osc(Unknown), Unknown),
    ]);
}

#[test]
fn a_turn_by_the_live_file() {
    check(&[
        (Do::Live(Idle), Idle),
        (Do::Live(Working), Working),
        (Do::Live(NeedsInput), NeedsInput),
        (Do::Live(Working), Working),
        (Do::Live(Idle), Done),
        (Do::Live(Idle), Done),
        (Do::Typed, Idle),
        (Do::Live(Idle), Idle),
        (Do::NoLive, Unknown),
    ]);
}

/// Two sources that disagree made other hosts flicker between working and blocked (herdr#408), or a
/// guess from the screen overwrote what a hook reported (herdr#979).
#[test]
fn a_worse_source_never_overrules() {
    check(&[
        (Do::Osc(NeedsInput), NeedsInput),
        (Do::Title(Working), NeedsInput),
        (Do::Live(Working), NeedsInput),
        (Do::Title(NeedsInput), NeedsInput),
        (Do::Title(Working), NeedsInput),
        (Do::Output, NeedsInput),
        (Do::Hook(Working), NeedsInput),
        (Do::Osc(Working), Working),
        (Do::Title(NeedsInput), Working),
        (Do::Notice(NeedsInput), Working),
    ]);
    check(&[
        (Do::Title(Working), Working),
        (Do::Hook(NeedsInput), NeedsInput),
        (Do::Title(Idle), NeedsInput),
        (Do::Title(Working), NeedsInput),
        (Do::Output, NeedsInput),
        (Do::Wait(600), NeedsInput),
    ]);
}

#[test]
fn what_a_hook_asks_for_is_answered_by_typing() {
    check(&[
        (Do::Hook(Working), Working),
        (Do::Typed, Working),
        (Do::Hook(NeedsInput), NeedsInput),
        (Do::Typed, Unknown),
        (Do::Hook(Done), Done),
        (Do::Typed, Idle),
    ]);
    // The title knows how it goes on.
    check(&[
        (Do::Title(Working), Working),
        (Do::Hook(NeedsInput), NeedsInput),
        (Do::Title(NeedsInput), NeedsInput),
        (Do::Typed, NeedsInput),
        (Do::Title(Working), Working),
        (Do::Title(Idle), Done),
    ]);
    // The same request again is a new one.
    check(&[
        (Do::Hook(NeedsInput), NeedsInput),
        (Do::Typed, Unknown),
        (Do::Hook(NeedsInput), NeedsInput),
    ]);
}

/// An interrupted turn sends no event of its end; the title shows it.
#[test]
fn a_later_title_ends_what_a_hook_began() {
    check(&[
        (Do::Hook(Working), Working),
        (Do::Title(Working), Working),
        (Do::Title(Idle), Done),
        (Do::Typed, Idle),
        (Do::Hook(Working), Working),
    ]);
}

#[test]
fn notices() {
    check(&[
        (Do::Notice(NeedsInput), NeedsInput),
        (Do::Title(Working), NeedsInput),
        (Do::Typed, Working),
        (Do::Notice(Done), Done),
        (Do::Typed, Idle),
    ]);
    // A notice that comes after the hook it repeats, and one that the hook's next report ends.
    check(&[
        (Do::Hook(NeedsInput), NeedsInput),
        (Do::Notice(NeedsInput), NeedsInput),
        (Do::Hook(Working), Working),
    ]);
}

#[test]
fn the_process_comes_first() {
    check(&[
        (Do::Osc(Working), Working),
        (Do::Is(Program::Stopped), Stopped),
        (Do::Is(Program::Runs), Working),
        (Do::Is(Program::Exited), Exited),
        (Do::Osc(NeedsInput), Exited),
    ]);
}

#[test]
fn a_screen_that_is_still_after_enter() {
    check(&[
        (Do::Front(Front::Agent), Unknown),
        (Do::Output, Unknown),
        (Do::Typed, Unknown),
        (Do::Output, Unknown),
        (Do::Enter, Unknown),
        (Do::Output, Working),
        (Do::Wait(5), Working),
        (Do::Output, Working),
        (Do::Wait(8), Working),
        (Do::Wait(1), NeedsInput),
        // A clock on the screen ticks on.
        (Do::Output, NeedsInput),
        (Do::Wait(60), NeedsInput),
        (Do::Enter, Unknown),
        (Do::Output, Working),
        (Do::Hook(Done), Done),
    ]);
}

/// A plain shell worked for ten seconds after each command and needed input ever after.
#[test]
fn a_shell_is_what_has_its_terminal() {
    check(&[
        (Do::Output, Unknown),
        (Do::Front(Front::Prompt), Idle),
        (Do::Enter, Idle),
        (Do::Output, Idle),
        (Do::Wait(60), Idle),
        (Do::Enter, Idle),
        (Do::Front(Front::Program), Working),
        (Do::Output, Working),
        (Do::Wait(60), Working),
        (Do::Front(Front::Prompt), Idle),
        // What a program says on purpose counts, until it is answered.
        (Do::Notice(NeedsInput), NeedsInput),
        (Do::Wait(60), NeedsInput),
        (Do::Enter, Idle),
        (Do::Front(Front::Program), Working),
        (Do::Osc(Done), Done),
        (Do::Osc(Unknown), Working),
        (Do::Is(Program::Stopped), Stopped),
        (Do::Is(Program::Runs), Working),
        (Do::Is(Program::Exited), Exited),
    ]);
}

/// When Enter was pressed last is asked for once something was typed, so it may lie before that.
#[test]
fn an_enter_that_is_told_late_takes_no_answer_back() {
    let then = Instant::now();
    let after = |seconds| then + Duration::from_secs(seconds);
    let mut signals = Signals::default();
    let ask = Some((NeedsInput, "notice".to_owned()));
    signals.said(Source::Notice, ask, after(1));
    signals.typed(after(2));
    signals.typed(then);
    let shown = decide(&Shown::nothing(then), &signals, after(2));
    assert_eq!(shown.state, Unknown);
}

/// Nobody knows what the screen of any other program means.
#[test]
fn a_program_that_is_no_agent_is_not_guessed_at() {
    check(&[
        (Do::Output, Unknown),
        (Do::Enter, Unknown),
        (Do::Output, Unknown),
        (Do::Wait(60), Unknown),
        (Do::Notice(NeedsInput), NeedsInput),
    ]);
}

#[test]
fn it_says_when_to_look_again() {
    let now = Instant::now();
    let after = |seconds| now + Duration::from_secs(seconds);
    let mut signals = Signals::default();
    let mut shown = Shown::nothing(now);
    assert_eq!(signals.due(&shown), None);
    signals.front(Front::Agent);
    signals.submitted(now);
    signals.changed(after(1));
    shown = decide(&shown, &signals, after(1));
    assert_eq!(signals.due(&shown), Some(after(11)));
    shown = decide(&shown, &signals, after(11));
    assert_eq!((shown.state, signals.due(&shown)), (NeedsInput, None));
}
