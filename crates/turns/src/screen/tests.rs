//! Screens as a person sees them.

use super::view::About;
use super::*;
use crate::again::Unanswered;
use crate::driver::Claude;
use crate::inflight::Params;
use crate::runner::{Happening, Setup};
use ratatui::backend::TestBackend;

fn core() -> Core {
    let setup = Setup {
        conversation: "c".to_owned(),
        engine: "claude".to_owned(),
        driver: Box::new(|| Box::new(Claude::new())),
        acp: false,
        new_id: None,
        takes: crate::runner::Takes::default(),
        unanswered: Unanswered::Gone,
        trust: crate::replay::Trust::None,
        params: Params::default(),
        pane: None,
        session: None,
        carry: false,
    };
    Core::new(setup, Instant::now())
}

fn view() -> View {
    View::new(About {
        framework: "Claude Code".to_owned(),
        settings: vec!["plan".to_owned()],
    })
}

fn screen(view: &mut View, core: &Core, size: (u16, u16)) -> String {
    let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
    terminal
        .draw(|frame| draw::draw(frame, view, core))
        .unwrap();
    terminal.backend().to_string()
}

/// A turn under way with a permission card.
fn with_card() -> Core {
    let mut core = core();
    let now = Instant::now();
    let (text, uuid, at) = ("do it".to_owned(), "u".to_owned(), 1);
    core.step(Happening::Typed { text, uuid, at }, now);
    core.step(Happening::Started, now);
    let ask = r#"{"type":"control_request","request_id":"q","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"rm x"},"tool_use_id":"t"}}"#;
    core.step(Happening::Line(ask.to_owned()), now);
    core
}

fn typed(view: &mut View, core: &Core, text: &str) -> Vec<Person> {
    view.obey(Command::Insert(text.to_owned()), core);
    view.obey(Command::Enter, core)
}

#[test]
fn what_is_typed_is_asked_and_own_commands_are_not() {
    let (mut view, core) = (view(), core());
    let check = |view: &mut View, text: &str, want: &str| {
        let people = typed(view, &core, text);
        assert_eq!(format!("{people:?}"), want, "{text}");
    };
    check(&mut view, "fix it", "[Ask(\"fix it\")]");
    check(&mut view, "/compact now", "[Ask(\"/compact now\")]");
    check(&mut view, "/pause", "[Pause(true)]");
    check(&mut view, "/resume", "[Pause(false)]");
    check(&mut view, "/model x", "[Set(Model(\"x\"))]");
    check(&mut view, "/quit", "[Leave]");
    check(&mut view, "  ", "[]");
    check(&mut view, "/help", "[]");
    assert!(screen(&mut view, &core, (80, 20)).contains("any other /word goes to the agent"));
}

#[test]
fn a_card_stands_over_the_conversation_and_is_answered_by_number_or_enter() {
    let (mut view, core) = (view(), with_card());
    view.state(&core);
    let text = screen(&mut view, &core, (60, 16));
    assert!(
        text.contains("Bash: rm x") && text.contains("1 Allow once"),
        "{text}"
    );
    assert_eq!(view.doing(&core), Doing::Asking("Bash: rm x".to_owned()));
    let people = view.obey(Command::Option(1), &core);
    assert_eq!(format!("{people:?}"), "[Answer(\"q\", Choice(\"deny\"))]");
    view.obey(Command::Choose(1), &core);
    let people = view.obey(Command::Enter, &core);
    assert_eq!(format!("{people:?}"), "[Answer(\"q\", Choice(\"deny\"))]");
    // A request typed over a permission card waits behind the turn; it does not answer it.
    let people = typed(&mut view, &core, "and then");
    assert_eq!(format!("{people:?}"), "[Ask(\"and then\")]");
}

#[test]
fn the_view_stays_where_it_is_scrolled_to_and_search_finds_upward() {
    let (mut view, core) = (view(), core());
    for n in 0..100 {
        view.show(&Shown::Line(&format!("line {n}")));
    }
    let text = screen(&mut view, &core, (40, 12));
    assert!(
        text.contains("line 99") && !text.contains("line 80"),
        "{text}"
    );
    view.obey(Command::Page(-1), &core);
    let text = screen(&mut view, &core, (40, 12));
    assert!(
        !text.contains("line 99") && text.contains("lines below"),
        "{text}"
    );
    view.obey(Command::Search, &core);
    typed(&mut view, &core, "line 42");
    let text = screen(&mut view, &core, (40, 12));
    assert!(text.contains("line 42"), "{text}");
    view.obey(Command::Top, &core);
    assert!(screen(&mut view, &core, (40, 12)).contains("line 0 "));
    view.obey(Command::Bottom, &core);
    assert!(screen(&mut view, &core, (40, 12)).contains("line 99"));
}

#[test]
fn no_size_is_too_small() {
    let core = with_card();
    for size in [(1, 1), (2, 2), (5, 3), (200, 1), (1, 50)] {
        let mut view = view();
        view.state(&core);
        view.show(&Shown::Line("something long enough to wrap"));
        typed(&mut view, &core, "a\nb\nc");
        screen(&mut view, &core, size);
    }
}

#[test]
fn states() {
    let (mut view, core) = (view(), core());
    assert_eq!(view.doing(&core), Doing::Idle);
    let ending = Ending::Done;
    view.show(&Shown::Event(&crate::event::Event::Ended { ending }));
    assert_eq!(view.doing(&core), Doing::Done);
    let mut busy = self::core();
    let (text, uuid, at) = ("x".to_owned(), "u".to_owned(), 1);
    busy.step(Happening::Typed { text, uuid, at }, Instant::now());
    view.state(&busy);
    assert_eq!(view.doing(&busy), Doing::Working(None));
    assert!(screen(&mut view, &busy, (60, 6)).contains("working 0:00"));
}

/// In a narrow window the state is worth more than the name.
#[test]
fn what_is_worth_most_stays_in_a_narrow_window() {
    let mut busy = self::core();
    let (text, uuid, at) = ("x".to_owned(), "u".to_owned(), 1);
    busy.step(Happening::Typed { text, uuid, at }, Instant::now());
    for n in 0..2 {
        let (text, uuid, at) = (format!("next {n}"), format!("v{n}"), 1);
        busy.step(Happening::Typed { text, uuid, at }, Instant::now());
    }
    let mut view = view();
    view.state(&busy);
    view.show(&Shown::Event(&crate::event::Event::Usage {
        input: 123_456,
        output: 1_234_567,
    }));
    let bar = |view: &mut View, width| {
        let text = screen(view, &busy, (width, 8));
        let line = text.lines().find(|it| it.contains("working"));
        line.unwrap_or("").trim_matches(['"', ' ']).to_owned()
    };
    let wide =
        "Claude Code \u{b7} working 0:00 \u{b7} 123k in, 1.2M out \u{b7} 2 waiting \u{b7} /help";
    assert_eq!(bar(&mut view, 80), wide);
    let narrow = "Claude Code \u{b7} working 0:00 \u{b7} 2 waiting";
    assert_eq!(bar(&mut view, 44), narrow);
    assert_eq!(bar(&mut view, 28), "working 0:00 \u{b7} 2 waiting");
    assert_eq!(bar(&mut view, 14), "working 0:00");
    assert!(screen(&mut view, &busy, (30, 8)).contains("\u{23f3} next 0"));
}

#[test]
fn the_last_request_that_waits_is_typed_on() {
    let mut busy = self::core();
    for text in ["x", "wrong"] {
        let (text, uuid, at) = (text.to_owned(), text.to_owned(), 1);
        busy.step(Happening::Typed { text, uuid, at }, Instant::now());
    }
    let mut view = view();
    let people = view.obey(Command::Edit(Edit::Earlier), &busy);
    assert_eq!(format!("{people:?}"), "[TakeBack]");
    view.show(&Shown::Back("wrong"));
    assert_eq!(view.editor.text(), "wrong");
}

/// The options are what a card is for: a long command or a narrow window hides none of them.
#[test]
fn a_cards_options_are_always_in_sight() {
    let mut core = self::core();
    let now = Instant::now();
    let (text, uuid, at) = ("do it".to_owned(), "u".to_owned(), 1);
    core.step(Happening::Typed { text, uuid, at }, now);
    core.step(Happening::Started, now);
    let command = "echo a rather long line of words that wraps; ".repeat(40);
    let ask = serde_json::json!({ "type": "control_request", "request_id": "q", "request": {
        "subtype": "can_use_tool", "tool_name": "Bash", "input": { "command": command },
        "tool_use_id": "t" } });
    core.step(Happening::Line(ask.to_string()), now);
    let options = core.cards()[0].options.len();
    for size in [(80, 24), (40, 14), (20, 12)] {
        let mut view = view();
        view.state(&core);
        let text = screen(&mut view, &core, size);
        for at in 1..=options {
            assert!(text.contains(&format!(" {at} ")), "{size:?}\n{text}");
        }
        assert!(text.contains("echo a"), "{size:?}\n{text}");
    }
}

/// A task keeps its name from its start, also when a later frame has none.
#[test]
fn work_beside_the_turn_is_named_throughout() {
    let mut busy = self::core();
    let now = Instant::now();
    let (text, uuid, at) = ("x".to_owned(), "u".to_owned(), 1);
    busy.step(Happening::Typed { text, uuid, at }, now);
    busy.step(Happening::Started, now);
    let mut view = view();
    view.state(&busy);
    for description in [r#","description":"nightly build""#, ""] {
        let frame = format!(
            r#"{{"type":"system","subtype":"background_tasks_changed","tasks":[{{"task_id":"w","task_type":"workflow"{description}}}]}}"#
        );
        busy.step(Happening::Line(frame), now);
        let text = screen(&mut view, &busy, (80, 6));
        assert!(text.contains("beside: nightly build"), "{text}");
    }
}
