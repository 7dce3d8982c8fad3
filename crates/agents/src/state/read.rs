//! One saying of a program as a state and its evidence. Pure.
//!
//! Evidence names the source and the word that counted, never what the user or the agent wrote.

use super::State;
use crate::spec::{Spec, States};

/// A saying as a state, with its evidence.
type Told = Option<(State, String)>;

/// OSC 7501, the payload behind the number: `state=blocked:app=codex:kind=permission`. `state=clear`
/// takes back what was said: [`State::Unknown`]. `None`: it says nothing about the state.
#[must_use]
pub fn from_osc7501(body: &[u8]) -> Told {
    let text = std::str::from_utf8(body).ok()?;
    let value = |name: &str| {
        let mut pairs = text.split(':').filter_map(|pair| pair.split_once('='));
        pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
    };
    let word = value("state")?;
    let state = match word {
        "working" => State::Working,
        "blocked" => State::NeedsInput,
        "done" => State::Done,
        "idle" => State::Idle,
        "clear" => State::Unknown,
        _ => return None,
    };
    let kind = value("kind").filter(|_| state == State::NeedsInput);
    Some((
        state,
        match kind {
            Some(kind) => format!("osc7501 {word} {}", shown(kind)),
            None => format!("osc7501 {word}"),
        },
    ))
}

/// The status word of the CLI's live file; `why` is what it says it waits for.
#[must_use]
pub fn from_status(spec: &Spec, word: &str, why: Option<&str>) -> Told {
    let (state, _) = find(&spec.signals.status, |mark| mark == word)?;
    let why = why.filter(|why| state == State::NeedsInput && !why.is_empty());
    Some((
        state,
        match why {
            Some(why) => format!("live file {}: {}", shown(word), shown(why)),
            None => format!("live file {}", shown(word)),
        },
    ))
}

/// The pane's title.
#[must_use]
pub fn from_title(spec: &Spec, title: &str) -> Told {
    let (state, mark) = find(&spec.signals.titles, |mark| title.contains(mark))?;
    Some((state, format!("title {mark}")))
}

/// A hook's event; `detail` is the kind that some events have (`permission_prompt`, `busy`).
#[must_use]
pub fn from_hook(spec: &Spec, event: &str, detail: Option<&str>) -> Told {
    let with = detail.map(|detail| format!("{event} {detail}"));
    let fits = |mark: &str| mark == event || Some(mark) == with.as_deref();
    let (state, mark) = find(&spec.signals.hooks, fits)?;
    Some((state, format!("hook {mark}")))
}

/// A notice (OSC 9, 99, 777) of the program. One that its data file does not know asks for attention:
/// that is what notices are for.
#[must_use]
pub fn from_notice(spec: Option<&Spec>, title: &str, body: &str) -> Told {
    let text = format!("{title}\n{body}");
    let known = spec.map(|spec| &spec.signals.says);
    let marked = known.and_then(|marks| find(marks, |mark| mark != "*" && text.contains(mark)));
    let other = || known.and_then(|marks| find(marks, |mark| mark == "*"));
    match marked.or_else(other) {
        Some((state, "*")) => Some((state, "notice".to_owned())),
        Some((state, mark)) => Some((state, format!("notice {mark}"))),
        None => Some((State::NeedsInput, "notice".to_owned())),
    }
}

/// The state one of whose marks fits; what needs the user comes first.
fn find(marks: &States, fits: impl Fn(&str) -> bool) -> Option<(State, &str)> {
    let lists = [
        (State::NeedsInput, &marks.waiting),
        (State::Working, &marks.working),
        (State::Done, &marks.done),
        (State::Idle, &marks.idle),
    ];
    lists.into_iter().find_map(|(state, marks)| {
        let mark = marks.iter().find(|mark| fits(mark))?;
        Some((state, mark.as_str()))
    })
}

/// A program's word for people: short, nothing that steers a terminal.
fn shown(word: &str) -> String {
    let plain = word.chars().filter(|c| !c.is_control());
    plain.take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Catalogue;

    #[track_caller]
    fn check(told: Told, want: Option<(State, &str)>) {
        let told = told.as_ref().map(|(state, text)| (*state, text.as_str()));
        assert_eq!(told, want);
    }

    #[test]
    fn osc7501() {
        use State::{Done, Idle, NeedsInput, Unknown, Working};
        let table: &[(&str, Option<(State, &str)>)] = &[
            ("state=idle:app=codex", Some((Idle, "osc7501 idle"))),
            (
                "app=claude-code:state=working",
                Some((Working, "osc7501 working")),
            ),
            ("state=done", Some((Done, "osc7501 done"))),
            (
                "state=blocked:app=claude-code:kind=permission:msg=c2VjcmV0",
                Some((NeedsInput, "osc7501 blocked permission")),
            ),
            (
                "state=blocked:kind=question",
                Some((NeedsInput, "osc7501 blocked question")),
            ),
            ("state=blocked", Some((NeedsInput, "osc7501 blocked"))),
            ("state=clear", Some((Unknown, "osc7501 clear"))),
            ("state=dancing", None),
            ("progress=3", None),
            ("state", None),
            ("", None),
        ];
        for (body, want) in table {
            check(from_osc7501(body.as_bytes()), *want);
        }
        check(from_osc7501(b"state=\xff"), None);
    }

    #[test]
    fn what_each_cli_says() {
        use State::{Done, Idle, NeedsInput, Working};
        let catalogue = Catalogue::built_in();
        let spec = |name: &str| catalogue.get(name).expect("a spec");
        let status = |word, why| from_status(spec("claude"), word, why);
        check(status("busy", None), Some((Working, "live file busy")));
        check(
            status("waiting", Some("permission prompt")),
            Some((NeedsInput, "live file waiting: permission prompt")),
        );
        check(status("idle", Some("x")), Some((Idle, "live file idle")));
        check(status("shell", None), None);
        let title = |name, title| from_title(spec(name), title);
        check(title("claude", "◐ Claude Code"), Some((Working, "title ◐")));
        // Idle and waiting for a permission have the same title: it says nothing.
        check(title("claude", "✳ Claude Code"), None);
        let asks = "[ . ] Action Required | fix it | shop";
        check(
            title("codex", asks),
            Some((NeedsInput, "title [ . ] Action Required")),
        );
        check(title("codex", "⠋ shop"), Some((Working, "title ⠋")));
        check(
            title("gemini", "✋  Action Required (shop)"),
            Some((NeedsInput, "title ✋")),
        );
        check(title("gemini", "◇  Ready (shop)"), Some((Idle, "title ◇")));
        let hook = |name, event, detail| from_hook(spec(name), event, detail);
        check(hook("claude", "Stop", None), Some((Done, "hook Stop")));
        let asked = Some((NeedsInput, "hook Notification permission_prompt"));
        check(
            hook("claude", "Notification", Some("permission_prompt")),
            asked,
        );
        // It comes a minute after a turn and asks for nothing.
        check(hook("claude", "Notification", Some("idle_prompt")), None);
        check(
            hook("claude", "PermissionRequest", None),
            Some((NeedsInput, "hook PermissionRequest")),
        );
        check(
            hook("opencode", "session.status", Some("busy")),
            Some((Working, "hook session.status busy")),
        );
        check(hook("qwen", "SessionStart", Some("startup")), None);
        let notice = |name: &str, title, body| from_notice(Some(spec(name)), title, body);
        let needs = Some((NeedsInput, "notice needs your permission"));
        check(notice("claude", "", "Claude needs your permission"), needs);
        check(
            notice("claude", "", "Claude is waiting for your input"),
            Some((Idle, "notice waiting for your input")),
        );
        check(
            notice("codex", "", "Approval requested: rm -rf x"),
            Some((NeedsInput, "notice Approval requested")),
        );
        check(
            notice("codex", "", "All tests pass."),
            Some((Done, "notice")),
        );
        check(notice("goose", "", "hm"), Some((NeedsInput, "notice")));
        check(from_notice(None, "x", ""), Some((NeedsInput, "notice")));
    }
}
