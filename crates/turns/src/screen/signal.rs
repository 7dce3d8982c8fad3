//! What the terminal around the runner is told: program status (OSC 7501), progress (OSC 9;4), title.
//! Pure: the state to bytes, each only when it changed.

use base64::Engine;
use std::fmt::Write as _;

/// What the conversation does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doing {
    /// A turn is under way; how many of the plan's entries are done, if there is a plan.
    Working(Option<(usize, usize)>),
    /// A card waits.
    Asking(String),
    /// A turn has ended and nothing was asked since.
    Done,
    /// Nothing was asked yet.
    Idle,
}

/// Remembers what was told last.
#[derive(Debug, Default)]
pub struct Signals {
    told: Option<(Doing, String)>,
}

impl Signals {
    /// The bytes that tell this, empty when nothing changed. `topic`: the title's text.
    pub fn tell(&mut self, doing: &Doing, topic: &str) -> String {
        let topic: String = topic.chars().filter(|c| !c.is_control()).take(80).collect();
        let new = (doing.clone(), topic);
        if self.told.as_ref() == Some(&new) {
            return String::new();
        }
        let mut bytes = String::new();
        let (state, progress, mark) = match doing {
            Doing::Working(None) => (
                "state=working:app=abide-ask".to_owned(),
                "3;".to_owned(),
                "\u{25d0} ",
            ),
            Doing::Working(Some((done, all))) => {
                let percent = done * 100 / (*all).max(1);
                let state = format!("state=working:app=abide-ask:progress={percent}");
                (state, format!("1;{percent}"), "\u{25d0} ")
            }
            Doing::Asking(title) => {
                let title = base64::engine::general_purpose::STANDARD.encode(title);
                let state = format!("state=blocked:app=abide-ask:kind=permission:msg={title}");
                (state, "4;".to_owned(), "\u{270b} ")
            }
            Doing::Done => (
                "state=done:app=abide-ask".to_owned(),
                "0;".to_owned(),
                "\u{2713} ",
            ),
            Doing::Idle => ("state=idle:app=abide-ask".to_owned(), "0;".to_owned(), ""),
        };
        let title = &new.1;
        let _always = write!(
            bytes,
            "\x1b]7501;{state}\x07\x1b]9;4;{progress}\x07\x1b]2;{mark}{title}\x07"
        );
        self.told = Some(new);
        bytes
    }

    /// The bytes that take everything back, at the end.
    #[must_use]
    pub const fn clear() -> &'static str {
        "\x1b]7501;state=clear\x07\x1b]9;4;0;\x07\x1b]2;\x07"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_is_told_once() {
        let mut signals = Signals::default();
        let mut check = |doing: Doing, want: &[&str]| {
            let bytes = signals.tell(&doing, "fix\x07 it");
            for want in want {
                assert!(bytes.contains(want), "{bytes:?} {want}");
            }
            assert_eq!(bytes.is_empty(), want.is_empty(), "{doing:?}");
        };
        check(Doing::Idle, &["7501;state=idle", "9;4;0;", "2;fix it\x07"]);
        check(Doing::Idle, &[]);
        check(Doing::Working(None), &["state=working", "9;4;3;"]);
        check(Doing::Working(Some((1, 4))), &["progress=25", "9;4;1;25"]);
        check(
            Doing::Asking("rm x".to_owned()),
            &["state=blocked", "kind=permission", "msg=cm0geA=="],
        );
        check(Doing::Done, &["state=done", "9;4;0;"]);
    }
}
