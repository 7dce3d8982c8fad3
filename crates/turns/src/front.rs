//! Who looks on when nobody does: a pipe. The answer as plain text, or everything as JSON lines.
//!
//! In: what a [`crate::program::Program`] shows. Out: lines on a writer, answers to cards by a rule that
//! was given beforehand. Promises: a card is answered at once and by what an option means, so that a
//! run without a person never hangs on one; the last line of a JSON run says how it ended.

use crate::driver::{Answer, pick};
use crate::event::{Card, ChoiceKind, Ending, Event};
use crate::program::{Front, Input, Person, Shown};
use crate::record::ending_words;
use crate::runner::Core;
use serde_json::{Value, json};
use std::io::Write;
use std::sync::mpsc::Sender;

/// How cards are answered when there is nobody to ask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rule {
    /// No, each time.
    #[default]
    Reject,
    /// Yes, each time and for that time only.
    AllowOnce,
}

/// What is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The answer to `out`, the rest to `talk`.
    Plain,
    /// A JSON object a line, all of it to `out`.
    Json,
}

/// A front without a person.
pub struct Pipe<O, T> {
    out: O,
    talk: T,
    form: Form,
    rule: Rule,
    inputs: Sender<Input>,
    /// The answer's last line has no end yet.
    open_line: bool,
}

impl<O, T> std::fmt::Debug for Pipe<O, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pipe")
            .field("form", &self.form)
            .finish_non_exhaustive()
    }
}

impl<O: Write, T: Write> Pipe<O, T> {
    /// Prints to `out` and `talk`; answers to cards go to `inputs`.
    pub const fn new(form: Form, rule: Rule, out: O, talk: T, inputs: Sender<Input>) -> Self {
        Self {
            out,
            talk,
            form,
            rule,
            inputs,
            open_line: false,
        }
    }

    /// Whoever reads us may be gone; the turn goes on all the same.
    fn line(&mut self, value: &Value) {
        let _reader_gone = writeln!(self.out, "{value}").and_then(|()| self.out.flush());
    }

    fn talk(&mut self, text: &str) {
        let _reader_gone = writeln!(self.talk, "{text}").and_then(|()| self.talk.flush());
    }

    fn words(&mut self, text: &str) {
        self.open_line = !text.ends_with('\n');
        let _reader_gone = write!(self.out, "{text}").and_then(|()| self.out.flush());
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.open_line) {
            self.words("\n");
        }
    }

    fn plain(&mut self, shown: &Shown<'_>) {
        match shown {
            Shown::Event(Event::Text { text }) => self.words(text),
            Shown::Event(Event::Tool(call)) if !call.title.is_empty() => {
                self.end_line();
                self.talk(&format!("[{}] {}", call.name, call.title));
            }
            Shown::Event(
                Event::Notice { text } | Event::NotSet { text, .. } | Event::Broken { why: text },
            ) => {
                self.end_line();
                self.talk(text);
            }
            Shown::Event(Event::Card(card)) => {
                self.end_line();
                self.talk(&format!("asked: {}", card.title));
            }
            Shown::Interrupted(text) | Shown::Line(text) => {
                self.end_line();
                self.talk(text);
            }
            Shown::Event(Event::Ended { ending }) => {
                self.end_line();
                if *ending != Ending::Done {
                    self.talk(&ending_words(ending));
                }
            }
            _ => {}
        }
    }

    fn json(&mut self, shown: &Shown<'_>) {
        let value = match shown {
            Shown::Asked(asked) => {
                json!({ "event": "asked", "text": asked.text, "uuid": asked.uuid,
                "framework": asked.framework, "again": asked.again })
            }
            Shown::Interrupted(why) => json!({ "event": "interrupted", "why": why }),
            Shown::Event(event) => serde_json::to_value(event).unwrap_or_default(),
            Shown::Line(text) => json!({ "event": "line", "text": text }),
            Shown::Back(_) => return, // only a person takes back
        };
        self.line(&value);
    }

    fn answer(&self, card: &Card) {
        let wanted = match self.rule {
            Rule::Reject => ChoiceKind::RejectOnce,
            Rule::AllowOnce => ChoiceKind::AllowOnce,
        };
        // A question that grants nothing has no answer without a person.
        let answer = pick(&card.options, wanted)
            .map_or(Answer::Cancelled, |it| Answer::Choice(it.id.clone()));
        let person = Person::Answer(card.id.clone(), answer);
        let _program_gone = self.inputs.send(Input::Person(person));
    }
}

impl<O: Write, T: Write> Front for Pipe<O, T> {
    fn show(&mut self, shown: &Shown<'_>) {
        match self.form {
            Form::Plain => self.plain(shown),
            Form::Json => self.json(shown),
        }
        if let Shown::Event(Event::Card(card)) = shown {
            self.answer(card);
        }
    }

    fn state(&mut self, _: &Core) {}

    fn rest(&mut self, ending: &Ending) -> Option<Ending> {
        Some(ending.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Choice, Output};
    use std::sync::mpsc::channel;

    fn card(kinds: &[(&str, ChoiceKind)]) -> Event {
        let choice = |(id, kind): &(&str, ChoiceKind)| Choice {
            id: (*id).to_owned(),
            name: String::new(),
            kind: *kind,
        };
        Event::Card(Card {
            id: "c".to_owned(),
            title: "rm x".to_owned(),
            detail: vec![Output::Text {
                text: String::new(),
            }],
            options: kinds.iter().map(choice).collect(),
            tool: String::new(),
        })
    }

    fn shown(form: Form, events: &[Event]) -> (String, String) {
        let (inputs, _kept) = channel();
        let (mut out, mut talk) = (Vec::new(), Vec::new());
        let mut pipe = Pipe::new(form, Rule::Reject, &mut out, &mut talk, inputs);
        for event in events {
            pipe.show(&Shown::Event(event));
        }
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (text(out), text(talk))
    }

    #[test]
    fn the_answer_is_data_and_the_rest_is_talk() {
        let text = |text: &str| Event::Text {
            text: text.to_owned(),
        };
        let events = [
            text("a"),
            Event::Notice {
                text: "note".to_owned(),
            },
            text("b"),
            Event::Ended {
                ending: Ending::Stopped,
            },
        ];
        let (out, talk) = shown(Form::Plain, &events);
        assert_eq!((out.as_str(), talk.as_str()), ("a\nb\n", "note\nstopped\n"));
        let (out, talk) = shown(Form::Json, &events);
        let lines: Vec<Value> = out
            .lines()
            .map(|it| serde_json::from_str(it).unwrap())
            .collect();
        assert_eq!(lines[3]["ending"]["how"], "stopped");
        assert_eq!((lines.len(), talk.as_str()), (4, ""));
    }

    /// agenthub#555: without a person a request is refused, `cancelled` is for a cancel.
    #[test]
    fn cards_are_answered_by_the_rule_and_by_kind() {
        use ChoiceKind::{AllowAlways, AllowOnce, RejectOnce, Reply};
        let check = |rule, kinds: &[(&str, ChoiceKind)], want: Answer| {
            let (inputs, answers) = channel();
            let mut pipe = Pipe::new(Form::Plain, rule, Vec::new(), Vec::new(), inputs);
            pipe.show(&Shown::Event(&card(kinds)));
            let Input::Person(Person::Answer(_, got)) = answers.try_recv().unwrap() else {
                panic!("no answer")
            };
            assert_eq!(got, want);
        };
        let all = [("A", AllowAlways), ("O", AllowOnce), ("N", RejectOnce)];
        let choice = |id: &str| Answer::Choice(id.to_owned());
        check(Rule::Reject, &all, choice("N"));
        check(Rule::AllowOnce, &all, choice("O"));
        check(Rule::AllowOnce, &all[..1], Answer::Cancelled);
        check(Rule::Reject, &[("red", Reply)], Answer::Cancelled);
    }
}
