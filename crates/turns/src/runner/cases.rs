//! Failures that people really met, with the real drivers: nothing but lines in, and what is written down,
//! shown and sent out.

use super::*;
use crate::again::{Known, NOTE, PAUSE};
use crate::driver::{Acp, Answer, Claude, Manner};
use crate::event::Event;

struct Case {
    core: Core,
    now: Instant,
}

impl Case {
    fn new(acp: bool, session: Option<&str>) -> Self {
        let now = Instant::now();
        let driver: Box<dyn Fn() -> Box<dyn Driver> + Send> = if acp {
            Box::new(|| Box::new(Acp::new(Manner::default())))
        } else {
            Box::new(|| Box::new(Claude::new()))
        };
        let setup = Setup {
            conversation: "c".to_owned(),
            engine: "x".to_owned(),
            driver,
            acp,
            new_id: None,
            takes: Takes::default(),
            unanswered: Unanswered::Gone,
            trust: Trust::None,
            params: Params::default(),
            pane: None,
            session: session.map(str::to_owned),
            carry: false,
        };
        let core = Core::new(setup, now);
        Self { core, now }
    }

    fn on(&mut self, happening: Happening) -> Vec<Act> {
        self.core.step(happening, self.now)
    }

    fn line(&mut self, line: &str) -> Vec<Act> {
        self.on(Happening::Line(line.to_owned()))
    }

    fn ask(&mut self, text: &str) -> Vec<Act> {
        let (text, uuid, at) = (text.to_owned(), "u".to_owned(), 1);
        let mut acts = self.on(Happening::Typed { text, uuid, at });
        acts.extend(self.on(Happening::Started));
        acts
    }

    /// A turn under way over the Agent Client Protocol, in conversation `S`.
    fn acp() -> Self {
        let mut case = Self::new(true, None);
        case.ask("go");
        case.line(
            r#"{"id":1,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}}"#,
        );
        case.line(r#"{"id":2,"result":{"sessionId":"S"}}"#);
        case
    }

    /// The same over Claude Code's protocol.
    fn claude() -> Self {
        let mut case = Self::new(false, None);
        case.ask("go");
        case.line(r#"{"type":"system","subtype":"init","session_id":"S"}"#);
        case
    }
}

fn texts(acts: &[Act]) -> Vec<&str> {
    let said = acts.iter().filter_map(|it| match it {
        Act::Say(Event::Text { text }) => Some(text.as_str()),
        _ => None,
    });
    said.collect()
}

fn marked(acts: &[Act]) -> Option<&str> {
    acts.iter().rev().find_map(|it| match it {
        Act::Mark(turn) => turn.session_id.as_deref(),
        _ => None,
    })
}

fn sent(acts: &[Act]) -> String {
    let lines = acts.iter().filter_map(|it| match it {
        Act::Send(line) => Some(line.as_str()),
        _ => None,
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// herdr#619, #620, termio#34: `/clear`, a fork or a compression gives the conversation another id. The
/// mark follows at once, so that a restart opens what is really written.
#[test]
fn an_id_that_changes_in_a_turn_is_the_one_that_is_opened_again() {
    let mut case = Case::claude();
    let acts = case.line(
        r#"{"type":"assistant","session_id":"T","message":{"content":[{"type":"text","text":"a"}]}}"#,
    );
    assert_eq!(marked(&acts), Some("T"));
    assert_eq!(case.core.session(), Some("T"));
    let (how, words) = ("signal 9".to_owned(), String::new());
    let acts = case.on(Happening::Gone { how, words });
    let (session, chosen) = (Some("T".to_owned()), None);
    assert!(acts.contains(&Act::Spawn { session, chosen }), "{acts:?}");
}

/// herdr#531, #1789, cmux#9629: a nested run, or a sub-agent, says things under the same roof. It neither
/// takes the conversation's id nor puts words into it.
#[test]
fn a_nested_conversation_is_not_this_one() {
    let mut case = Case::acp();
    let update = |session: &str, words: &str| {
        format!(
            r#"{{"method":"session/update","params":{{"sessionId":"{session}","update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"{words}"}}}}}}}}"#
        )
    };
    let acts = case.line(&update("inner", "not ours"));
    assert_eq!((texts(&acts), marked(&acts)), (vec![], None));
    assert_eq!(texts(&case.line(&update("S", "ours"))), ["ours"]);
    assert_eq!(case.core.session(), Some("S"));

    let mut case = Case::claude();
    let acts = case.line(
        r#"{"type":"assistant","session_id":"S","parent_tool_use_id":"t","message":{"content":[{"type":"text","text":"inner"}]}}"#,
    );
    assert_eq!(texts(&acts), [""; 0]);
}

/// opencode#12133, #37902: a permission that a sub-session asks for is put to the person too, and is
/// answered.
#[test]
fn a_sub_sessions_permission_is_put_to_the_person() {
    let mut case = Case::acp();
    case.line(
        r#"{"id":9,"method":"session/request_permission","params":{"sessionId":"inner","toolCall":{"toolCallId":"t","title":"rm x"},"options":[{"optionId":"A","name":"a","kind":"allow_always"},{"optionId":"N","name":"n","kind":"reject_once"}]}}"#,
    );
    let card = case.core.cards()[0].id.clone();
    let answer = Answer::Choice("N".to_owned());
    let acts = case.on(Happening::Answered { card, answer });
    assert!(sent(&acts).contains(r#""optionId":"N""#), "{acts:?}");
    assert_eq!(case.core.cards(), []);
}

/// deepchat#1881, chatcli#1307: a permission is pending when the turn is stopped, or when its process
/// dies: it is answered `cancelled`, or gone, and a restart grants nothing.
#[test]
fn a_pending_permission_is_cancelled_by_a_stop_and_gone_with_its_process() {
    let ask = r#"{"id":9,"method":"session/request_permission","params":{"sessionId":"S","toolCall":{"toolCallId":"t","title":"rm x"},"options":[{"optionId":"A","name":"a","kind":"allow_always"}]}}"#;
    let mut case = Case::acp();
    case.line(ask);
    let acts = case.on(Happening::Stop);
    let lines = sent(&acts);
    assert!(lines.contains("session/cancel") && lines.contains(r#""outcome":"cancelled""#));
    assert_eq!(case.core.cards(), []);
    // One that comes after the stop is answered the same way.
    let late = ask.replace("\"id\":9", "\"id\":10");
    assert!(sent(&case.line(&late)).contains(r#""outcome":"cancelled""#));

    let mut case = Case::acp();
    case.line(ask);
    let (how, words) = ("signal 9".to_owned(), String::new());
    let acts = case.on(Happening::Gone { how, words });
    assert_eq!(case.core.cards(), []);
    assert!(!sent(&acts).contains("selected"), "{acts:?}");
}

/// claude-code#69456, dam#3583: the agent is not told that its turn was cut. The note says four things,
/// and the person sees one line.
#[test]
fn a_turn_that_is_sent_again_says_so() {
    let mut case = Case::new(false, Some("S"));
    let message = Queued {
        text: "go".to_owned(),
        uuid: "u".to_owned(),
        at: 1,
    };
    let mut turn = case.core.setup.turn(&message, Some("S".to_owned()));
    turn.attempts = 1;
    let (turn, known) = (Box::new(turn), Box::new(Known::default()));
    let acts = case.on(Happening::Cut { turn, known });
    let lines = acts
        .iter()
        .filter(|it| matches!(it, Act::Interrupted { .. }));
    assert_eq!(lines.count(), 1);
    case.now += PAUSE;
    case.on(Happening::Time);
    let acts = case.on(Happening::Started);
    let line = sent(&acts);
    for words in [
        "sent again because the program was restarted while you were working on it",
        "If the same request already appears above, do not start over",
        "continue where it stopped",
        "keep what has been done already",
    ] {
        assert!(
            NOTE.contains(words) && line.contains(words),
            "{words}: {line}"
        );
    }
    assert!(
        line.contains(r#""uuid":"u""#),
        "as the same message: {line}"
    );
}

/// cmux#9831: a resume was typed into a program that was not the agent. Nothing is ever typed: the
/// conversation is opened by an argument or a message of the process that was started for it.
#[test]
fn a_conversation_is_opened_by_its_own_process_only() {
    let mut case = Case::new(true, Some("A"));
    let (text, uuid, at) = ("go".to_owned(), "u".to_owned(), 1);
    let acts = case.on(Happening::Typed { text, uuid, at });
    let (session, chosen) = (Some("A".to_owned()), None);
    assert!(acts.contains(&Act::Spawn { session, chosen }));
    assert_eq!(sent(&acts), "", "nothing before its process is there");
    assert!(sent(&case.on(Happening::Started)).contains("initialize"));
}

/// AIPass#634, wayland#803, block/buzz#4860: an endless trickle is no progress where it is no word of the
/// protocol, and what is one lets the turn live.
#[test]
fn a_trickle_of_nothing_is_silence() {
    let mut case = Case::acp();
    let silent = crate::watchdog::ACP_SILENCE;
    let update = r#"{"method":"session/update","params":{"sessionId":"S","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}}}"#;
    case.now += silent / 2;
    case.line(update);
    case.now += silent / 2;
    assert!(!case.on(Happening::Time).contains(&Act::End), "it lives");
    for _ in 0..10 {
        case.now += silent / 20;
        case.line("heartbeat");
    }
    assert!(case.on(Happening::Time).contains(&Act::End), "it does not");
}
