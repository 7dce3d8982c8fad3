//! Transcripts as their CLIs write them, cut to what counts.

use super::*;
use crate::record::tail;

/// In short: `U text`, `A text`, `T name`, `R text`, `E`.
fn short(text: &str) -> Vec<String> {
    let one = |row: &Row| match &row.body {
        Body::Asked(asked) => format!("U {}", asked.text),
        Body::Text { text, .. } => format!("A {text}"),
        Body::Tool {
            name, arguments, ..
        } => format!("T {name} {arguments}"),
        Body::Result {
            outcome, output, ..
        } => match &output[0] {
            Output::Text { text } => format!("R {outcome:?} {text}"),
            other => format!("R {other:?}"),
        },
        Body::Ended { ending, .. } => format!("E {}", crate::record::ending_words(ending)),
        other => format!("{other:?}"),
    };
    rows(text).iter().map(one).collect()
}

/// As Claude Code 2.1.332 writes it.
const CLAUDE: &str = r#"{"type":"mode","mode":"normal","sessionId":"S"}
{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":"look"},"uuid":"u1"}
{"isSidechain":false,"attachment":{"type":"date"},"type":"attachment","uuid":"x"}
{"isSidechain":false,"message":{"content":[{"type":"text","text":"I will."}],"role":"assistant","stop_reason":"tool_use"},"type":"assistant","uuid":"a1"}
{"isSidechain":false,"message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}],"role":"assistant","stop_reason":"tool_use"},"type":"assistant","uuid":"a2"}
{"isSidechain":true,"message":{"content":[{"type":"text","text":"inner"}],"role":"assistant","stop_reason":"end_turn"},"type":"assistant","uuid":"i"}
{"isSidechain":false,"type":"user","message":{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":"f.txt","is_error":false}]},"uuid":"r1"}
{"isSidechain":false,"isMeta":true,"type":"user","message":{"role":"user","content":"<reminder>"},"uuid":"m"}
"#;
const WHOLE: &str = r#"{"isSidechain":false,"message":{"content":[{"type":"thinking","thinking":"hm"}],"role":"assistant","stop_reason":"end_turn"},"type":"assistant","uuid":"a3"}
{"isSidechain":false,"message":{"content":[{"type":"text","text":"There is f.txt."}],"role":"assistant","stop_reason":"end_turn"},"type":"assistant","uuid":"a4"}
"#;

#[test]
fn claude_says_what_was_answered() {
    let cut = [
        "U look",
        "A I will.",
        "T Bash {\"command\":\"ls\"}",
        "R Ok f.txt",
    ];
    assert_eq!(short(CLAUDE), cut);
    assert_eq!(tail(&rows(CLAUDE)).ended, None);
    let whole = format!("{CLAUDE}{WHOLE}");
    assert_eq!(short(&whole)[4..], ["A There is f.txt.", "E done"]);
    assert_eq!(tail(&rows(&whole)).ended.as_deref(), Some("u1"));
    // A line that was being written when the power failed.
    let half = &whole[..whole.len() - 30];
    assert_eq!(tail(&rows(half)).ended, None, "only its thoughts are there");
    let stopped = format!(
        "{CLAUDE}{}",
        r#"{"isSidechain":false,"type":"user","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user]"}]},"uuid":"s"}"#
    );
    assert_eq!(short(&stopped)[4..], ["E stopped"]);
    assert_eq!(tail(&rows(&stopped)).ended.as_deref(), Some("u1"));
}

#[test]
fn a_second_message_is_another_turn() {
    let next = r#"{"isSidechain":false,"type":"user","message":{"role":"user","content":"and now"},"uuid":"u2"}"#;
    let found = tail(&rows(&format!("{CLAUDE}{WHOLE}{next}")));
    assert_eq!(found.asked.as_deref(), Some("u2"));
    assert_eq!(found.ended.as_deref(), Some("u1"));
    assert!(found.seen("u1") && !found.seen("u3"));
}

/// As Codex 0.171.0 writes it.
#[test]
fn codex_says_what_was_complete() {
    let text = r#"{"timestamp":"t","type":"session_meta","payload":{"id":"S"}}
{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>"}]}}
{"timestamp":"t","type":"world_state","payload":{"full":true,"state":{}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","item":{"type":"UserMessage","id":"i","content":[{"type":"text","text":"look","text_elements":[]}]}}}
{"timestamp":"t","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"ls\"]}","call_id":"c1"}}
{"timestamp":"t","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"f.txt"}}
{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","item":{"type":"AgentMessage","id":"m","content":[{"type":"Text","text":"There."}]}}}
{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"There."}]}}
{"timestamp":"t","type":"event_msg","payload":{"type":"task_complete","last_agent_message":"There."}}
"#;
    let want = [
        "U look",
        "T shell {\"command\":[\"ls\"]}",
        "R Ok f.txt",
        "A There.",
        "E done",
    ];
    assert_eq!(short(text), want);
    let cut: String = text.lines().take(8).collect::<Vec<_>>().join("\n");
    assert_eq!(short(&cut), want[..4]);
    let older = r#"{"type":"event_msg","payload":{"type":"user_message","message":"look"}}"#;
    assert_eq!(short(older), want[..1]);
}

#[test]
fn qwen_and_gemini_are_read_and_say_no_end() {
    let qwen = r#"{"uuid":"1","type":"user","message":{"role":"user","parts":[{"text":"look"}]}}
{"uuid":"2","type":"assistant","message":{"role":"model","parts":[{"text":"hm","thought":true},{"functionCall":{"id":"c","name":"run","args":{"a":1}}}]}}
{"uuid":"3","type":"tool_result","message":{"role":"user","parts":[{"functionResponse":{"id":"c","name":"run","response":{"output":"f.txt"}}}]}}
{"uuid":"4","type":"assistant","message":{"role":"model","parts":[{"text":"There."}]}}
"#;
    let want = ["U look", "T run {\"a\":1}", "R Ok f.txt", "A There."];
    assert_eq!(short(qwen), want);
    let gemini = r#"{"sessionId":"S","projectHash":"h"}
{"id":"0","type":"user","content":[{"text":"<session_context>\nToday"}]}
{"id":"1","type":"user","content":[{"text":"look"}]}
{"id":"2","type":"gemini","content":"","toolCalls":[{"id":"c","name":"run","args":{"a":1},"status":"success","result":[{"functionResponse":{"id":"c","response":{"output":"f.txt"}}}]}]}
{"id":"3","type":"gemini","content":"There."}
"#;
    assert_eq!(short(gemini), want);
}

#[test]
fn what_is_no_transcript_gives_nothing() {
    for text in ["", "torn", "[]", "{\"type\":\"user\"}", "{\"a\":1}\n\0\0"] {
        assert_eq!(short(text), [""; 0], "{text}");
    }
    assert_eq!(read(Path::new("/nowhere/x")), []);
}
