//! What a CLI's own words say about a conversation that was to be opened. Pure.

/// What they say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The conversation is not there; the line that says so.
    Lost(String),
    /// Another process has it; the line that says so.
    Held(String),
    /// A login is asked for, or a limit is met; the line that says so.
    Refused(String),
    /// Nothing of that kind.
    Nothing,
}

/// Words of a login or of a limit, in lower case; any CLI's.
const REFUSALS: &[&str] = &[
    "please run /login",
    "please log in",
    "please sign in",
    "sign in with chatgpt",
    "invalid api key",
    "oauth token has expired",
    "authentication required",
    "not logged in",
    "rate limit",
    "usage limit",
    "too many requests",
    "429 ",
    "quota exceeded",
    "credit balance is too low",
];

/// Lines of a screen that are new.
const BELOW: usize = 12;
/// Longest line that is told.
const MAX_LINE: usize = 300;

/// Looks for `lost`, `held` and the words of refusals, in this order.
#[must_use]
pub fn read(text: &str, lost: &[String], held: &[String]) -> Answer {
    let with = |marks: &[String]| {
        let has = |line: &&str| marks.iter().any(|mark| line.contains(mark.as_str()));
        text.lines().find(has).map(shown)
    };
    if let Some(line) = with(lost) {
        return Answer::Lost(line);
    }
    if let Some(line) = with(held) {
        return Answer::Held(line);
    }
    match text.lines().find(refuses) {
        Some(line) => Answer::Refused(shown(line)),
        None => Answer::Nothing,
    }
}

/// A refusal among the last lines of a screen; above them stands what was said before.
#[must_use]
pub(super) fn refusal_below(screen: &str) -> Answer {
    let lines: Vec<&str> = screen
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let below = &lines[lines.len().saturating_sub(BELOW)..];
    match below.iter().find(|line| refuses(line)) {
        Some(line) => Answer::Refused(shown(line)),
        None => Answer::Nothing,
    }
}

fn refuses(line: &&str) -> bool {
    let line = line.to_lowercase();
    REFUSALS.iter().any(|words| line.contains(words))
}

/// The last line with words in it.
#[must_use]
pub(super) fn last(text: &str) -> Option<String> {
    let mut lines = text.lines().rev();
    lines
        .find(|line| line.chars().any(char::is_alphanumeric))
        .map(shown)
}

fn shown(line: &str) -> String {
    let clean = line.trim().chars().filter(|c| !c.is_control());
    clean.take(MAX_LINE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clis_words_are_understood() {
        let lost = ["No conversation found with session ID".to_owned()];
        let held = ["already has an active writer".to_owned()];
        let check = |text: &str, want: Answer| assert_eq!(read(text, &lost, &held), want, "{text}");
        let line = "No conversation found with session ID: 7";
        check(&format!("\n  {line}  \n"), Answer::Lost(line.into()));
        let line = "thread 7 already has an active writer";
        check(line, Answer::Held(line.into()));
        check(
            "Invalid API key · Please run /login",
            Answer::Refused("Invalid API key · Please run /login".into()),
        );
        check(
            "Claude usage limit reached",
            Answer::Refused("Claude usage limit reached".into()),
        );
        check("> fix the login page", Answer::Nothing);
        check("", Answer::Nothing);
        assert_eq!(last("one\n two \n\n───\n").as_deref(), Some("two"));
        assert_eq!(last("\n"), None);
    }
}
