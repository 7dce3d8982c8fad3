//! The table, row by row, with a clock that is only numbers.

use super::*;
use crate::event::{Card, Ending, ToolCall};

/// What happens, and after how many seconds; then seconds of silence and what is made of it.
struct Case {
    name: &'static str,
    acp: bool,
    signals: Vec<(u64, Signal<'static>)>,
    then: Vec<(u64, Want)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Want {
    Alive(Why),
    Overflow,
    Dead(What),
}

fn check(case: &Case) {
    let begin = Instant::now();
    let at = |seconds: u64| begin + Duration::from_secs(seconds);
    let mut dog = Watchdog::new(case.acp, begin);
    let mut last = 0;
    for (seconds, signal) in &case.signals {
        last = *seconds;
        dog.tell(signal, at(last));
    }
    for (silence, want) in &case.then {
        let verdict = dog.judge(at(last + silence));
        let got = match verdict {
            Verdict::Alive { why, .. } => Want::Alive(why),
            Verdict::Overflow => Want::Overflow,
            Verdict::Dead { what } => Want::Dead(what),
        };
        assert_eq!(got, *want, "{}: after {silence} s of silence", case.name);
        if let Verdict::Alive {
            until: Some(until), ..
        } = verdict
        {
            assert_ne!(
                dog.judge(until),
                verdict,
                "{}: asked again at `until`",
                case.name
            );
        }
    }
}

fn leak(event: Event) -> Signal<'static> {
    Signal::Heard(Box::leak(Box::new(event)))
}

fn list(who: Authority, tasks: &[(&str, TaskKind, bool)]) -> Signal<'static> {
    Signal::Listed(who, Box::leak(self::tasks(tasks).into_boxed_slice()))
}

fn tasks(tasks: &[(&str, TaskKind, bool)]) -> Vec<Task> {
    tasks
        .iter()
        .map(|(id, kind, vouched)| Task {
            id: (*id).to_owned(),
            kind: *kind,
            title: String::new(),
            vouched: *vouched,
        })
        .collect()
}

fn card() -> Event {
    Event::Card(Card {
        id: "c".to_owned(),
        title: String::new(),
        detail: Vec::new(),
        options: Vec::new(),
        tool: String::new(),
    })
}

fn text(text: &str) -> Signal<'static> {
    let text = text.to_owned();
    leak(Event::Text { text })
}

fn tool() -> Signal<'static> {
    let id = "t".to_owned();
    leak(Event::Tool(ToolCall {
        id,
        ..ToolCall::default()
    }))
}

const SENT: (u64, Signal<'static>) = (0, Signal::Sent { compact: false });
const DAY: u64 = 24 * 3600;

#[test]
fn nothing_explains_it() {
    use Want::{Alive, Dead};
    let patience = Alive(Why::Patience);
    let case = |name, acp, signals, then| {
        check(&Case {
            name,
            acp,
            signals,
            then,
        });
    };
    let end = 20 * 60;
    case(
        "a cold first frame",
        false,
        vec![SENT],
        vec![(end - 1, patience), (end, Dead(What::Word))],
    );
    case(
        "after a word",
        false,
        vec![SENT, (900, text("hm"))],
        vec![(end - 1, patience), (end, Dead(What::Word))],
    );
    case(
        "acp",
        true,
        vec![SENT],
        vec![(359, patience), (360, Dead(What::Word))],
    );
    let open = (0, Signal::Opening { load: false });
    case(
        "acp opens",
        true,
        vec![open],
        vec![(119, patience), (120, Dead(What::Open))],
    );
    let load = (0, Signal::Opening { load: true });
    case(
        "acp loads",
        true,
        vec![load],
        vec![(239, patience), (240, Dead(What::Load))],
    );
    case("no turn", false, vec![], vec![(DAY, Alive(Why::Idle))]);
    let ending = Ending::Done;
    let ended = (9, leak(Event::Ended { ending }));
    case(
        "the turn is over",
        true,
        vec![SENT, ended],
        vec![(DAY, Alive(Why::Idle))],
    );
    let ready = (5, leak(Event::Ready { replayed: None }));
    case(
        "it is open",
        true,
        vec![(0, Signal::Opening { load: true }), ready],
        vec![(DAY, Alive(Why::Idle))],
    );
}

/// wayland#803: heartbeats must not count as progress.
#[test]
fn a_line_that_is_no_message_is_no_sign_of_life() {
    let noise = || {
        let why = "noise".to_owned();
        leak(Event::Broken { why })
    };
    let mut signals = vec![SENT];
    signals.extend((1..1200).map(|second| (second, noise())));
    check(&Case {
        name: "noise every second",
        acp: false,
        signals,
        then: vec![(0, Want::Alive(Why::Patience)), (1, Want::Dead(What::Word))],
    });
}

/// trinity#1369: a turn was killed after 300 s; benchflow#758: a tool was in flight.
#[test]
fn work_and_people_have_no_clock() {
    use Want::{Alive, Dead};
    let case = |name, acp, signals, then| {
        check(&Case {
            name,
            acp,
            signals,
            then,
        });
    };
    let compact = (0, Signal::Sent { compact: true });
    case(
        "/compact",
        false,
        vec![compact],
        vec![(DAY, Alive(Why::Compact))],
    );
    for acp in [false, true] {
        case(
            "a card",
            acp,
            vec![SENT, (1, leak(card()))],
            vec![(DAY, Alive(Why::Person))],
        );
        case(
            "a pause",
            acp,
            vec![SENT, (1, Signal::Paused(true))],
            vec![(DAY, Alive(Why::Person))],
        );
        case(
            "a silent build",
            acp,
            vec![SENT, (1, tool())],
            vec![(DAY, Alive(Why::Work))],
        );
    }
    let on = true;
    let compacting = (7, leak(Event::Compacting { on }));
    case(
        "compacting by itself",
        false,
        vec![SENT, compacting],
        vec![(1799, Alive(Why::Compacting)), (1800, Dead(What::Word))],
    );
    let gone = |second| {
        let id = "c".to_owned();
        (second, leak(Event::CardGone { id }))
    };
    case(
        "an answered card",
        true,
        vec![SENT, (1, leak(card())), (9000, Signal::Woke), gone(9000)],
        vec![(359, Alive(Why::Patience)), (360, Dead(What::Word))],
    );
}

#[test]
fn work_beside_the_turn_is_vouched_for_by_its_starter_alone() {
    use Want::{Alive, Dead};
    let case = |name, signals, then| {
        check(&Case {
            name,
            acp: false,
            signals,
            then,
        });
    };
    let (work, dead) = (Alive(Why::Work), Dead(What::Word));
    let framework = Authority::Framework;
    let job = |vouched| list(framework, &[("j", TaskKind::Job, vouched)]);
    case("listed", vec![SENT, (1, job(true))], vec![(DAY, work)]);
    for (kind, minutes, after) in [
        (TaskKind::Job, 10, Alive(Why::Patience)),
        (TaskKind::SubAgent, 15, Alive(Why::Patience)),
        (TaskKind::Workflow, 60, dead),
    ] {
        let vouched = (1, list(framework, &[("x", kind, true)]));
        // The framework goes on saying the name without vouching for it.
        let ghost = (2, list(framework, &[("x", kind, false)]));
        let end = minutes * 60 - 1;
        let then = vec![(end - 1, work), (end, after)];
        case("a ghost", vec![SENT, vouched, ghost], then);
    }
    // Another authority's empty list says nothing of the framework's work.
    let empty = (5, list(Authority::Tools, &[]));
    case(
        "two authorities",
        vec![SENT, (1, job(true)), empty],
        vec![(DAY, work)],
    );
    let ended = (5, list(framework, &[]));
    case(
        "no longer listed",
        vec![SENT, (1, job(true)), ended],
        vec![(1195, dead)],
    );
}

#[test]
fn too_long_a_prompt_is_recovered_from_and_not_killed() {
    let said = || (3, text("API Error: Prompt is too long"));
    let alive = Want::Alive(Why::Overflow);
    let then = vec![(29, alive), (30, Want::Overflow), (DAY, Want::Overflow)];
    let signals = vec![SENT, said()];
    check(&Case {
        name: "said and silent",
        acp: false,
        signals,
        then,
    });
    let then = vec![(29, Want::Alive(Why::Patience))];
    let signals = vec![SENT, said(), (4, text("compacted"))];
    check(&Case {
        name: "it dealt with it",
        acp: false,
        signals,
        then,
    });
}

#[test]
fn sleep_gives_every_clock_its_whole_window_again() {
    use Want::{Alive, Dead};
    let case = |name, signals, then| {
        check(&Case {
            name,
            acp: true,
            signals,
            then,
        });
    };
    let woke = || (3600, Signal::Woke);
    case(
        "a turn over a sleep",
        vec![SENT, woke()],
        vec![(359, Alive(Why::Patience)), (360, Dead(What::Word))],
    );
    let ghost = (
        1,
        list(Authority::Framework, &[("j", TaskKind::Job, false)]),
    );
    case(
        "a ghost over a sleep",
        vec![SENT, ghost, woke()],
        vec![(599, Alive(Why::Work)), (600, Dead(What::Word))],
    );
}

#[test]
fn a_task_keeps_what_was_known_of_it_at_its_start() {
    let begin = Instant::now();
    let mut dog = Watchdog::new(false, begin);
    let mut first = tasks(&[("w", TaskKind::Workflow, true)]);
    first[0].title = "migrate 40 tables".to_owned();
    dog.tell(&Signal::Listed(Authority::Framework, &first), begin);
    let later = tasks(&[("w", TaskKind::Job, true)]);
    dog.tell(&Signal::Listed(Authority::Framework, &later), begin);
    let known: Vec<&Task> = dog.tasks().collect();
    assert_eq!(known[0].title, "migrate 40 tables");
    assert_eq!(known[0].kind, TaskKind::Workflow);
}
