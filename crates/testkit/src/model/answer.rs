//! From what is asked to what is answered. Pure.

use crate::model::asked::{Api, Asked};
use crate::model::directive::Directive;
use crate::model::tools::{Call, Wish, call, fill};

/// An answer, in no API's form yet.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Answer {
    /// An HTTP error.
    Refuse(Refusal),
    /// Nothing, ever.
    Dead,
    /// A message.
    Say(Vec<Block>),
}

/// An HTTP error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// This status.
    Status(u16),
    /// The prompt is too long.
    TooLong,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Block {
    /// Text.
    Text(String),
    /// So many words, slowly.
    Words(usize),
    /// A wait.
    Hold(Hold),
    /// A tool call.
    Call(Call),
}

/// What ends a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hold {
    /// The next release.
    Release,
    /// More than so many calls are let through.
    Gate(usize),
}

/// The answer; `before` is how often the same text was sent before.
pub(crate) fn decide(api: Api, asked: &Asked, before: usize) -> Answer {
    if asked.side {
        return text(aside(api, asked));
    }
    let directive = asked
        .directive()
        .filter(|d| d.times.is_none_or(|times| before < times));
    let Some(directive) = directive else {
        return text(plain(asked));
    };
    let results = asked.results;
    match directive.name.as_str() {
        "say" => text(directive.argument),
        "slow" => Answer::Say(vec![Block::Words(directive.argument.parse().unwrap_or(20))]),
        "hold" => Answer::Say(vec![
            Block::Hold(Hold::Release),
            Block::Text("released".into()),
        ]),
        "dead" => Answer::Dead,
        "err" => Answer::Refuse(Refusal::Status(directive.argument.parse().unwrap_or(500))),
        "toolong" => Answer::Refuse(Refusal::TooLong),
        "write" if results == 0 => wish(asked, Wish::Write(&directive.argument)),
        "ask" if results == 0 => wish(asked, Wish::Ask),
        "agent" if results == 0 => wish(asked, Wish::Agent(&directive.argument)),
        "sh" | "shx" => shell(asked, &directive),
        "files" => files(asked, &directive),
        _ => text(format!("done after {results} results")),
    }
}

fn text(text: impl Into<String>) -> Answer {
    Answer::Say(vec![Block::Text(text.into())])
}

fn plain(asked: &Asked) -> String {
    let start: String = asked.newest().chars().take(60).collect();
    match asked.results {
        0 => format!("ANSWER to: {start}"),
        results => format!("ANSWER after {results} results to: {start}"),
    }
}

/// Titles and the like; their form differs.
fn aside(api: Api, asked: &Asked) -> String {
    match (&asked.schema, api) {
        (Some(schema), _) => fill(schema, schema).to_string(),
        (None, Api::Anthropic) => r#"{"title": "Scripted title", "isNewTopic": true}"#.to_owned(),
        (None, _) => "Scripted title".to_owned(),
    }
}

fn wish(asked: &Asked, wish: Wish<'_>) -> Answer {
    match call(&asked.tools, wish) {
        Some(call) => Answer::Say(vec![Block::Text("I will.".into()), Block::Call(call)]),
        None => text(format!(
            "no tool for {wish:?} among {:?}",
            asked.tools.keys()
        )),
    }
}

fn shell(asked: &Asked, directive: &Directive) -> Answer {
    let commands: Vec<&str> = directive.argument.split(";;").collect();
    match commands.get(asked.results) {
        Some(command) => wish(asked, Wish::Shell(command, directive.name == "shx")),
        None => text(format!("done after {} results", asked.results)),
    }
}

fn files(asked: &Asked, directive: &Directive) -> Answer {
    let total = directive.argument.parse().unwrap_or(1);
    let written = asked.files();
    if written >= total {
        return text(format!("done: {total} files"));
    }
    let number = written + 1;
    let command = format!("echo file {number} >> file-{number:02}.txt");
    let Answer::Say(mut blocks) = wish(asked, Wish::Shell(&command, false)) else {
        return text("no shell");
    };
    blocks.insert(0, Block::Hold(Hold::Gate(written)));
    Answer::Say(blocks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn asked(texts: &[&str], results: usize) -> Asked {
        let mut asked = Asked::default();
        let schema = json!({ "properties": { "command": { "type": "string" } } });
        asked.tools.insert("Bash".to_owned(), schema);
        for text in texts {
            asked.add("user", text);
        }
        for number in 1..=results {
            asked.add("call", &format!("Bash echo >> file-{number:02}.txt"));
            asked.add("result", "ok");
        }
        asked.settle(&["Continue from".to_owned()]);
        asked
    }

    fn said(answer: &Answer) -> String {
        let Answer::Say(blocks) = answer else {
            return format!("{answer:?}");
        };
        let word = |block: &Block| match block {
            Block::Text(text) => text.clone(),
            Block::Words(n) => format!("<{n} words>"),
            Block::Hold(hold) => format!("<{hold:?}>"),
            Block::Call(call) => format!("<{} {}>", call.name, call.arguments),
        };
        blocks.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn directives_choose_the_answer() {
        let check = |texts: &[&str], results: usize, before: usize, right: &str| {
            let answer = decide(Api::Anthropic, &asked(texts, results), before);
            assert_eq!(said(&answer), right, "{texts:?} {results} {before}");
        };
        check(&["hello"], 0, 0, "ANSWER to: hello");
        check(&["hello"], 2, 0, "ANSWER after 2 results to: hello");
        check(&["[say:a b]"], 0, 0, "a b");
        check(&["[slow:3]"], 0, 0, "<3 words>");
        check(&["[hold]"], 0, 7, "<Release> released");
        check(&["[hold*1] x"], 0, 0, "<Release> released");
        check(&["[hold*1] x"], 0, 1, "ANSWER to: [hold*1] x");
        check(&["[dead]"], 0, 0, "Dead");
        check(&["[err:429]"], 0, 0, "Refuse(Status(429))");
        check(&["[toolong]"], 0, 0, "Refuse(TooLong)");
        check(&["[sh:a;;b]"], 0, 0, r#"I will. <Bash {"command":"a"}>"#);
        check(&["[sh:a;;b]"], 1, 0, r#"I will. <Bash {"command":"b"}>"#);
        check(&["[sh:a;;b]"], 2, 0, "done after 2 results");
        check(
            &["[files:2]"],
            0,
            0,
            r#"<Gate(0)> I will. <Bash {"command":"echo file 1 >> file-01.txt"}>"#,
        );
        check(&["[files:2]"], 2, 0, "done: 2 files");
        check(&["[ask]"], 1, 0, "done after 1 results");
        check(&["[hold] a", "b"], 0, 0, "ANSWER to: b");
        check(
            &["[sh:a;;b]", "Continue from where"],
            0,
            0,
            r#"I will. <Bash {"command":"a"}>"#,
        );
    }

    #[test]
    fn side_requests_get_what_they_ask_for() {
        let mut asked = asked(&["[hold]"], 0);
        asked.side = true;
        assert_eq!(said(&decide(Api::Chat, &asked, 0)), "Scripted title");
        asked.schema = Some(json!({ "properties": { "ok": { "type": "boolean" } } }));
        assert_eq!(said(&decide(Api::Gemini, &asked, 0)), r#"{"ok":false}"#);
    }
}
