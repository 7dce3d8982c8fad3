//! An answer as it comes, a tool call that needs a permission, with and without it.

use crate::rig::Turns;
use serde_json::Value;

fn events(turns: &Turns, words: &[&str]) -> Vec<Value> {
    let output = turns.ask(words);
    let lines = output.stdout.lines();
    lines
        .map(|it| serde_json::from_str(it).expect("JSON"))
        .collect()
}

fn named<'a>(events: &'a [Value], name: &str) -> Vec<&'a Value> {
    events.iter().filter(|it| it["event"] == name).collect()
}

fn said(events: &[Value]) -> String {
    let words = named(events, "text")
        .into_iter()
        .map(|it| it["text"].as_str());
    words.flatten().collect()
}

fn answers(name: &str) {
    let Some(turns) = Turns::new(name) else {
        return;
    };
    let mut first = turns.begin("c");
    first.extend(["--json".to_owned(), "[slow:5] the word is plum".to_owned()]);
    let first: Vec<&str> = first.iter().map(String::as_str).collect();
    let streamed = events(&turns, &first);
    assert_eq!(said(&streamed).trim(), "word1 word2 word3 word4 word5");
    assert!(
        named(&streamed, "text").len() > 1,
        "as it comes: {streamed:#?}"
    );
    assert_eq!(named(&streamed, "session").len(), 1, "{streamed:#?}");
    assert_eq!(named(&streamed, "accepted").len(), 1, "{streamed:#?}");

    // Nobody there: refused, and then allowed.
    let risky = turns.agent.risky;
    let command = |file: &str| format!("[sh:{risky}echo ran >> {file}] now");
    for (file, flags) in [
        ("refused", &["--json"][..]),
        ("allowed", &["--json", "--allow"]),
    ] {
        let text = command(file);
        let words = ["ask", "--resume", "c"].iter().chain(flags);
        let words: Vec<&str> = words.copied().chain([text.as_str()]).collect();
        let heard = events(&turns, &words);
        assert_eq!(named(&heard, "card").len(), 1, "{heard:#?}");
        let ran = turns.home().work().join(file).exists();
        assert_eq!(ran, file == "allowed", "{heard:#?}");
        let call = serde_json::to_string(&named(&heard, "tool")).expect("JSON");
        assert!(call.contains(&format!("echo ran >> {file}")), "{heard:#?}");
        let ended = named(&heard, "tool_ended");
        if file == "allowed" {
            assert_eq!(ended[0]["outcome"], "ok", "{heard:#?}");
            assert!(said(&heard).contains("done after 1 results"), "{heard:#?}");
        }
        let last = heard.last().expect("an end");
        assert_eq!(last["event"], "ended", "{heard:#?}");
    }
    // The same conversation all along.
    let last = turns.rig.model.last().expect("a request");
    for word in ["the word is plum", "word1 word2", "echo ran >> allowed"] {
        assert!(last.asked.holds(word), "{word}: {:#?}", last.asked.messages);
    }
}

#[test]
fn claude_answers() {
    answers("claude");
}

#[test]
fn codex_answers() {
    answers("codex");
}

#[test]
fn gemini_answers() {
    answers("gemini");
}

#[test]
fn opencode_answers() {
    answers("opencode");
}

#[test]
fn qwen_answers() {
    answers("qwen");
}

#[test]
fn kimi_answers() {
    answers("kimi");
}

#[test]
fn copilot_answers() {
    answers("copilot");
}

#[test]
fn hermes_answers() {
    answers("hermes");
}
