//! A conversation by script: what is done, in which order, whatever the framework does.

use super::*;
use crate::again::{ATTEMPTS, NOTE, PAUSE};
use crate::driver::{Prompt, Step};
use crate::record::Tail;
use std::time::Duration;

/// A framework of one word a line: `ready`, `id X`, `text`, `done`, `fail WORDS`, `lost`, `held`, `other`,
/// `card`.
#[derive(Debug)]
struct Words;

impl Driver for Words {
    fn open(&mut self, open: Open) -> Vec<Step> {
        vec![Step::Send(format!(
            "open {}",
            open.session.unwrap_or_default()
        ))]
    }
    fn prompt(&mut self, prompt: &Prompt) -> Vec<Step> {
        vec![Step::Send(format!(
            "prompt {} {}",
            prompt.uuid, prompt.text
        ))]
    }
    fn receive(&mut self, line: &str) -> Vec<Step> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let words = rest.to_owned();
        let ended = |ending| Event::Ended { ending };
        let event = match word {
            "ready" => Event::Ready { replayed: None },
            "id" => Event::Session { id: words },
            "done" => ended(Ending::Done),
            "fail" => ended(Turn::failed(words)),
            "lost" => Event::Lost { words },
            "held" => Event::Held { words },
            "other" => Event::Other {
                asked: "A".to_owned(),
                got: "C".to_owned(),
            },
            _ => Event::Text { text: words },
        };
        vec![Step::Say(event)]
    }
    fn answer(&mut self, _: &str, _: &Answer) -> Vec<Step> {
        Vec::new()
    }
    fn stop(&mut self) -> Vec<Step> {
        let ending = Ending::Stopped;
        vec![Step::Say(Event::Ended { ending })]
    }
    fn set(&mut self, _: &Setting) -> Vec<Step> {
        Vec::new()
    }
}

struct Rig {
    core: Core,
    now: Instant,
}

impl Rig {
    fn new(unanswered: Unanswered, session: Option<&str>) -> Self {
        let now = Instant::now();
        let setup = Setup {
            conversation: "c".to_owned(),
            engine: "words".to_owned(),
            driver: Box::new(|| Box::new(Words)),
            acp: true,
            unanswered,
            params: Params::default(),
            pane: None,
            session: session.map(str::to_owned),
            carry: false,
        };
        let core = Core::new(setup, now);
        Self { core, now }
    }

    /// The acts of a happening, in short.
    fn on(&mut self, happening: Happening) -> Vec<String> {
        let acts = self.core.step(happening, self.now);
        acts.iter().map(short).collect()
    }

    fn typed(&mut self, text: &str) -> Vec<String> {
        let (text, uuid, at) = (text.to_owned(), format!("u-{text}"), 1);
        self.on(Happening::Typed { text, uuid, at })
    }

    fn line(&mut self, line: &str) -> Vec<String> {
        self.on(Happening::Line(line.to_owned()))
    }

    /// Up to a sent turn.
    fn running(&mut self) {
        self.typed("go");
        self.on(Happening::Started);
        self.line("id S");
        self.line("ready");
    }

    fn gone(&mut self, words: &str) -> Vec<String> {
        let (how, words) = ("exit status 1".to_owned(), words.to_owned());
        self.on(Happening::Gone { how, words })
    }

    fn later(&mut self, by: Duration) -> Vec<String> {
        self.now += by;
        self.on(Happening::Time)
    }

    fn cut(&mut self, attempts: u32, known: Known) -> Vec<String> {
        let message = Queued {
            text: "go".to_owned(),
            uuid: "u".to_owned(),
            at: 1,
        };
        let mut turn = self.core.setup.turn(&message, Some("S".to_owned()));
        turn.attempts = attempts;
        let (turn, known) = (Box::new(turn), Box::new(known));
        self.on(Happening::Cut { turn, known })
    }
}

fn short(act: &Act) -> String {
    match act {
        Act::Spawn { session } => format!("spawn {}", session.as_deref().unwrap_or("-")),
        Act::End => "end".to_owned(),
        Act::Freeze(on) => format!("freeze {on}"),
        Act::Send(line) => format!("send {}", line.replace(NOTE, "NOTE").replace('\n', "|")),
        Act::Mark(turn) => format!(
            "mark {} {}",
            turn.attempts,
            turn.session_id.as_deref().unwrap_or("-")
        ),
        Act::Unmark => "unmark".to_owned(),
        Act::Ask(asked) => format!("ask {}", asked.text),
        Act::Say(Event::Ended { ending }) => {
            format!("ended {}", crate::record::ending_words(ending))
        }
        Act::Say(event) => format!("say {}", kind(event)),
        Act::Interrupted { .. } => "interrupted".to_owned(),
        Act::Carry => "carry".to_owned(),
        Act::Tell(_) => "tell".to_owned(),
        Act::Rest(_) => "rest".to_owned(),
    }
}

fn kind(event: &Event) -> String {
    let value = serde_json::to_value(event).unwrap();
    value["event"].as_str().unwrap().to_owned()
}

#[test]
fn a_turn_is_on_disk_before_it_is_sent_and_its_end_before_its_mark_goes() {
    let mut rig = Rig::new(Unanswered::Gone, None);
    assert_eq!(rig.typed("go"), ["mark 0 -", "ask go", "spawn -"]);
    assert_eq!(rig.on(Happening::Started), ["send open "]);
    assert_eq!(rig.line("id S"), ["mark 0 S", "say session"]);
    assert_eq!(
        rig.line("ready"),
        ["say ready", "mark 1 S", "send prompt u-go go"]
    );
    assert_eq!(rig.line("text hm"), ["say text"]);
    assert_eq!(rig.line("done"), ["ended done", "unmark", "rest"]);
}

#[test]
fn what_is_typed_meanwhile_lines_up() {
    let mut rig = Rig::new(Unanswered::Gone, None);
    rig.running();
    assert_eq!(rig.typed("b"), [""; 0]);
    assert_eq!(rig.typed("c"), [""; 0]);
    assert_eq!(
        rig.line("done"),
        [
            "ended done",
            "unmark",
            "mark 0 S",
            "ask b",
            "mark 1 S",
            "send prompt u-b b"
        ]
    );
    assert_eq!(rig.core.queued().collect::<Vec<_>>(), ["c"]);
    for n in 0..MAX_QUEUE - 1 {
        assert_eq!(rig.typed(&n.to_string()), [""; 0]);
    }
    assert_eq!(rig.typed("too many"), ["tell"]);
}

/// Cut and started again: sent 1, 1, 1 with the note, then given up.
#[test]
fn a_cut_turn_is_sent_again_after_a_pause_and_three_times_in_all() {
    let mut rig = Rig::new(Unanswered::Gone, None);
    assert_eq!(rig.cut(1, Known::default()), ["interrupted"]);
    assert!(rig.core.busy(), "shown as running from the first moment");
    assert_eq!(rig.typed("next"), [""; 0]);
    assert_eq!(rig.core.due(rig.now), Some(rig.now + PAUSE));
    assert_eq!(rig.later(PAUSE), ["spawn S"]);
    rig.on(Happening::Started);
    assert_eq!(
        rig.line("ready"),
        ["say ready", "mark 2 S", "send prompt u go||NOTE"]
    );

    let mut rig = Rig::new(Unanswered::Gone, None);
    let acts = rig.cut(ATTEMPTS, Known::default());
    assert_eq!(acts[0], "interrupted");
    assert!(
        acts[1].starts_with("ended failed: Stopped when the app closed"),
        "{acts:?}"
    );
    assert_eq!(acts[2..], ["unmark", "rest"]);
}

#[test]
fn a_framework_that_kept_the_prompt_gets_the_note_alone_and_one_that_reruns_nothing() {
    let mut rig = Rig::new(Unanswered::Kept, None);
    rig.cut(1, Known::default());
    rig.later(PAUSE);
    rig.on(Happening::Started);
    assert_eq!(rig.line("ready")[2], "send prompt u NOTE");

    let mut rig = Rig::new(Unanswered::Rerun, None);
    assert_eq!(rig.cut(1, Known::default()), ["interrupted", "spawn S"]);
    rig.on(Happening::Started);
    assert_eq!(rig.line("ready"), ["say ready", "mark 2 S"]);
    assert_eq!(rig.line("done"), ["ended done", "unmark", "rest"]);
}

#[test]
fn an_answered_turn_is_only_unmarked() {
    let tail = Tail {
        asked: Some("u".to_owned()),
        all: vec!["u".to_owned()],
        ended: Some("u".to_owned()),
    };
    let known = Known {
        tail,
        ..Known::default()
    };
    assert_eq!(Rig::new(Unanswered::Gone, None).cut(1, known), ["unmark"]);
}

#[test]
fn a_lost_conversation_goes_on_in_a_fresh_one() {
    let mut rig = Rig::new(Unanswered::Gone, Some("A"));
    assert_eq!(rig.typed("go")[2], "spawn A");
    rig.on(Happening::Started);
    assert_eq!(rig.line("lost gone"), ["say lost", "end", "carry"]);
    let carried = Some("HISTORY".to_owned());
    assert_eq!(
        rig.on(Happening::Carried(carried)),
        ["say notice", "spawn -"]
    );
    rig.on(Happening::Started);
    rig.line("id B");
    assert_eq!(rig.line("ready")[2], "send prompt u-go HISTORY|go");
}

/// Words on stderr mean the same as a message.
#[test]
fn a_process_that_ends_with_lost_words_is_not_tried_again() {
    let mut rig = Rig::new(Unanswered::Gone, Some("A"));
    rig.typed("go");
    rig.on(Happening::Started);
    assert_eq!(rig.gone("noise\nlost gone"), ["say lost", "end", "carry"]);
}

/// gemini-cli#18593 and others: another conversation opened silently.
#[test]
fn nothing_is_sent_to_another_conversation_or_to_one_that_is_held() {
    for line in ["other", "held by another"] {
        let mut rig = Rig::new(Unanswered::Gone, Some("A"));
        rig.typed("go");
        rig.on(Happening::Started);
        let acts = rig.line(line);
        assert_eq!(acts[1], "end");
        assert!(acts[2].starts_with("ended failed"), "{acts:?}");
        assert!(!acts.iter().any(|it| it.starts_with("send")), "{acts:?}");
        assert_eq!(rig.core.session(), Some("A"), "the one asked for is kept");
    }
}

#[test]
fn a_process_that_ends_or_hangs_in_a_turn_is_replaced_so_often() {
    let mut rig = Rig::new(Unanswered::Gone, None);
    rig.running();
    assert_eq!(rig.gone("boom"), ["interrupted", "mark 1 S", "spawn S"]);
    rig.on(Happening::Started);
    assert_eq!(
        rig.line("ready")[1..],
        ["mark 2 S", "send prompt u-go go||NOTE"]
    );
    let silent = crate::watchdog::ACP_SILENCE;
    assert_eq!(
        rig.later(silent),
        ["end", "interrupted", "mark 2 S", "spawn S"]
    );
    rig.on(Happening::Started);
    rig.line("ready");
    let acts = rig.later(silent);
    assert_eq!(acts[0], "end");
    assert!(acts[1].contains("given up after 3 tries"), "{acts:?}");
    assert_eq!(acts[2..], ["unmark", "rest"]);
}

#[test]
fn a_framework_that_never_starts_is_given_up() {
    let mut rig = Rig::new(Unanswered::Gone, None);
    rig.typed("go");
    rig.gone("no such file");
    rig.gone("no such file");
    let acts = rig.gone("no such file");
    assert!(acts[0].contains("no such file"), "{acts:?}");
    assert!(!rig.core.busy());
}

#[test]
fn too_long_a_conversation_is_carried_over_once() {
    let mut rig = Rig::new(Unanswered::Gone, None);
    rig.running();
    assert_eq!(
        rig.line("fail Prompt is too long"),
        ["tell", "end", "carry"]
    );
    rig.on(Happening::Carried(Some("SHORT".to_owned())));
    rig.on(Happening::Started);
    assert_eq!(rig.line("ready")[2], "send prompt u-go SHORT|go");
    let acts = rig.line("fail Prompt is too long");
    assert!(acts[0].starts_with("ended failed"), "{acts:?}");
}

#[test]
fn a_stop_ends_a_turn_that_runs_and_one_that_waits() {
    let mut rig = Rig::new(Unanswered::Gone, None);
    rig.running();
    assert_eq!(rig.on(Happening::Stop), ["ended stopped", "unmark", "rest"]);
    let mut rig = Rig::new(Unanswered::Gone, None);
    rig.cut(1, Known::default());
    assert_eq!(rig.on(Happening::Stop), ["ended stopped", "unmark", "rest"]);
    assert_eq!(rig.on(Happening::Stop), [""; 0]);
}

#[test]
fn a_pause_holds_the_queue_and_has_no_clock() {
    let mut rig = Rig::new(Unanswered::Gone, None);
    rig.running();
    assert_eq!(rig.on(Happening::Pause(true)), ["freeze true"]);
    assert_eq!(rig.later(Duration::from_secs(24 * 3600)), [""; 0]);
    rig.typed("b");
    rig.line("done");
    assert_eq!(rig.core.queued().count(), 1);
    let acts = rig.on(Happening::Pause(false));
    assert_eq!(
        acts,
        [
            "freeze false",
            "mark 0 S",
            "ask b",
            "mark 1 S",
            "send prompt u-b b"
        ]
    );
}

#[test]
fn what_cannot_be_written_down_is_not_sent() {
    let mut rig = Rig::new(Unanswered::Gone, None);
    rig.typed("go");
    let why = "the disk is full".to_owned();
    let acts = rig.on(Happening::Unwritten { why });
    assert_eq!(
        acts,
        ["end", "ended failed: the disk is full", "unmark", "rest"]
    );
}

/// Gemini below 0.64 deletes a conversation that it loaded (gemini-cli 0.61.0).
#[test]
fn a_conversation_that_its_load_would_harm_is_carried_and_not_loaded() {
    let mut rig = Rig::new(Unanswered::Kept, Some("A"));
    rig.core.setup.carry = true;
    assert_eq!(rig.typed("go"), ["mark 0 A", "ask go", "carry"]);
    let carried = Some("HISTORY".to_owned());
    assert_eq!(
        rig.on(Happening::Carried(carried)),
        ["say notice", "spawn -"]
    );
    rig.on(Happening::Started);
    assert_eq!(rig.line("ready")[2], "send prompt u-go HISTORY|go");
}
