//! A conversation by script: what is done, in which order, whatever the framework does.

use super::*;
use crate::again::{ATTEMPTS, Known, NOTE, PAUSE};
use crate::carry::Carried;
use crate::driver::{Answer, Prompt, Setting, Step};
use crate::event::Event;
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
            "stopped" => ended(Ending::Stopped),
            "refused" => Event::NotSet {
                knob: crate::event::Knob::Model,
                text: words,
            },
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
        vec![Step::Send("stop".to_owned())]
    }
    fn set(&mut self, setting: &Setting) -> Vec<Step> {
        match setting {
            Setting::Model(_) => vec![Step::Send("model".to_owned())],
            _ => Vec::new(),
        }
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
            new_id: None,
            takes: Takes {
                effort: true,
                ..Takes::default()
            },
            unanswered,
            trust: Trust::WholeOnly,
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

fn carried(text: &str) -> Happening {
    Happening::Carried(Some(Carried {
        text: text.to_owned(),
        source: crate::carry::Source::Record,
        left_out: 0,
    }))
}

fn short(act: &Act) -> String {
    match act {
        Act::Spawn { session, chosen } => {
            let which = session.as_deref().unwrap_or("-");
            let chosen = chosen.as_ref().map(|it| format!(" as {it}"));
            format!("spawn {which}{}", chosen.unwrap_or_default())
        }
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
        Act::Carry { .. } => "carry".to_owned(),
        Act::Tell(_) => "tell".to_owned(),
        Act::GiveBack(text) => format!("back {text}"),
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

/// holon#3018: a crash between the result and its mark. The transcript, which had the answer, is asked
/// first; what our record misses of it is added.
#[test]
fn an_answer_that_the_framework_alone_has_is_taken_over_and_nothing_is_sent() {
    let tail = |ended: Option<&str>| Tail {
        asked: Some("u".to_owned()),
        all: vec!["u".to_owned()],
        ended: ended.map(str::to_owned),
    };
    let known = Known {
        tail: tail(None),
        transcript: tail(Some("u")),
        answer: Some("it is so".to_owned()),
        ..Known::default()
    };
    let acts = Rig::new(Unanswered::Gone, None).cut(1, known);
    let want = [
        "interrupted",
        "say notice",
        "say text",
        "ended done",
        "unmark",
        "rest",
    ];
    assert_eq!(acts, want);
}

/// The same, by what the framework shows while it opens the conversation.
#[test]
fn an_answer_that_a_load_shows_is_taken_over_and_nothing_is_sent() {
    let update = |kind: &str, words: &str| {
        format!(
            r#"{{"params":{{"update":{{"sessionUpdate":"{kind}","content":{{"text":"{words}"}}}}}}}}"#
        )
    };
    let load = |known: Known, pieces: &[(&str, &str)]| {
        let mut rig = Rig::new(Unanswered::Kept, None);
        rig.cut(1, known);
        rig.later(PAUSE);
        rig.on(Happening::Started);
        for (kind, words) in pieces {
            rig.line(&update(kind, words));
        }
        rig.line("ready")
    };
    let answered = [
        ("user_message_chunk", "go"),
        ("agent_message_chunk", "all of it"),
    ];
    let taken_over = [
        "say ready",
        "say notice",
        "say text",
        "ended done",
        "unmark",
        "rest",
    ];
    assert_eq!(load(Known::default(), &answered), taken_over);
    let sent = ["say ready", "mark 2 S", "send prompt u NOTE"];
    assert_eq!(load(Known::default(), &answered[..1]), sent);
    let another = [("user_message_chunk", "old"), answered[1]];
    assert_eq!(load(Known::default(), &another), sent);
    let repeated = Known {
        repeated: true,
        ..Known::default()
    };
    assert_eq!(load(repeated, &answered), sent, "it may be the other one");
}

#[test]
fn a_lost_conversation_goes_on_in_a_fresh_one() {
    let mut rig = Rig::new(Unanswered::Gone, Some("A"));
    assert_eq!(rig.typed("go")[2], "spawn A");
    rig.on(Happening::Started);
    assert_eq!(rig.line("lost gone"), ["say lost", "end", "carry"]);
    let carried = carried("HISTORY");
    assert_eq!(rig.on(carried), ["say notice", "spawn -"]);
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
    rig.on(carried("SHORT"));
    rig.on(Happening::Started);
    assert_eq!(rig.line("ready")[2], "send prompt u-go SHORT|go");
    let acts = rig.line("fail Prompt is too long");
    assert!(acts[0].starts_with("ended failed"), "{acts:?}");
}

#[test]
fn a_stop_ends_a_turn_that_runs_and_one_that_waits() {
    let over = ["ended stopped", "unmark", "rest"];
    let by_force = ["tell", "end", "ended stopped", "unmark", "rest"];
    let mut rig = Rig::new(Unanswered::Gone, None);
    rig.running();
    assert_eq!(rig.on(Happening::Stop), ["send stop"]);
    assert_eq!(rig.line("stopped"), over);
    // It does not answer: after a while, or at a second stop, its process goes.
    rig.typed("b");
    rig.line("ready");
    rig.on(Happening::Stop);
    assert_eq!(rig.core.due(rig.now), Some(rig.now + STOP));
    assert_eq!(rig.later(STOP), by_force);
    let mut rig = Rig::new(Unanswered::Gone, None);
    rig.running();
    rig.on(Happening::Stop);
    assert_eq!(rig.on(Happening::Stop), by_force);
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

/// tokenmaxxing#19: the id was known only after the turn.
#[test]
fn a_chosen_id_is_in_the_mark_before_there_is_a_process() {
    let mut rig = Rig::new(Unanswered::Gone, None);
    rig.core.setup.new_id = Some(|| "N".to_owned());
    let acts = rig.typed("go");
    assert_eq!(acts, ["mark 0 -", "ask go", "mark 0 N", "spawn - as N"]);
    assert_eq!(rig.on(Happening::Started), ["send open "]);
    // It ended before anything was sent to it: there is no such conversation.
    let acts = rig.gone("boom");
    assert_eq!(acts[..2], ["interrupted", "mark 1 -"]);
    assert_eq!(acts[2..], ["mark 1 N", "spawn - as N"]);
    rig.on(Happening::Started);
    rig.line("ready");
    // And once something was, there is one.
    assert_eq!(rig.gone("boom").last().unwrap(), "spawn N");
    assert_eq!(rig.on(Happening::Started), ["send open N"]);
}

#[test]
fn a_setting_that_is_refused_is_said_and_the_former_one_stands() {
    let model = |name: &str| Happening::Set(Setting::Model(name.to_owned()));
    let mut rig = Rig::new(Unanswered::Gone, None);
    rig.running();
    assert_eq!(rig.on(model("good")), ["send model"]);
    assert_eq!(rig.on(model("bad")), ["send model"]);
    assert_eq!(rig.line("refused no such model"), ["say not_set"]);
    assert_eq!(rig.core.params().model.as_deref(), Some("good"));
}

#[test]
fn a_setting_that_only_a_start_takes_waits_for_a_fresh_process() {
    let effort = || Happening::Set(Setting::Effort("high".to_owned()));
    let mut rig = Rig::new(Unanswered::Gone, None);
    rig.running();
    assert_eq!(rig.on(effort()), ["tell"]);
    assert_eq!(rig.line("done"), ["ended done", "unmark", "rest", "end"]);
    assert_eq!(rig.typed("b"), ["mark 0 S", "ask b", "spawn S"]);
    assert_eq!(rig.core.params().effort.as_deref(), Some("high"));
    rig.on(Happening::Started);
    rig.line("ready");
    rig.line("done");
    // With nothing under way the process goes at once; the conversation stays.
    assert_eq!(rig.on(effort()), ["tell", "end"]);
    assert_eq!(rig.typed("c")[2], "spawn S");
    // What nothing takes is said, and changes nothing.
    rig.on(Happening::Started);
    rig.line("ready");
    rig.line("done");
    let mode = Happening::Set(Setting::Mode("plan".to_owned()));
    assert_eq!(rig.on(mode), ["tell"]);
    assert_eq!(rig.core.params().permission_mode, None);
}

#[test]
fn a_request_that_waits_can_be_taken_back() {
    let mut rig = Rig::new(Unanswered::Gone, None);
    rig.running();
    rig.typed("b");
    rig.typed("c");
    assert_eq!(rig.on(Happening::TakeBack), ["back c"]);
    assert_eq!(rig.on(Happening::TakeBack), ["back b"]);
    assert_eq!(rig.on(Happening::TakeBack), [""; 0]);
    assert_eq!(rig.line("done"), ["ended done", "unmark", "rest"]);
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
    let carried = carried("HISTORY");
    assert_eq!(rig.on(carried), ["say notice", "spawn -"]);
    rig.on(Happening::Started);
    assert_eq!(rig.line("ready")[2], "send prompt u-go HISTORY|go");
}
