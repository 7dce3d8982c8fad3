//! The conversation that a command line began with. Pure.

use super::How;
use crate::resume::bad_id;
use crate::spec::Spec;
use crate::words;
use std::ffi::{OsStr, OsString};

/// The id that `argv` (the program and its words) names: chosen for a new conversation, or opened by
/// it. `None`: it names none, or it opens one and goes on in another (a fork).
#[must_use]
pub fn launched_with(spec: &Spec, argv: &[OsString]) -> Option<(String, How)> {
    let args = argv.get(1..)?;
    let choose = spec.choose.as_ref().map(|it| it.argv.as_slice());
    if let Some(id) = choose.and_then(|template| named(spec, template, &[], args)) {
        return Some((id, How::Assigned));
    }
    // `--fork`, `--fork-session`, `codex fork`.
    let flag = |word: &OsString| word.to_string_lossy().starts_with("--fork");
    let command = words::read(spec, args)
        .plain
        .first()
        .is_some_and(|word| word == "fork");
    if args.iter().any(flag) || command {
        return None;
    }
    let resume = spec.resume.as_ref()?;
    named(spec, &resume.argv, &spec.learn.opens, args).map(|id| (id, How::Resumed))
}

/// The id where `template` has `{id}`: a flag's value, or the word behind the words before it.
fn named(spec: &Spec, template: &[String], others: &[String], args: &[OsString]) -> Option<String> {
    let at = template.iter().position(|word| word.contains("{id}"))?;
    let whole = template.get(at)?;
    let flag = match whole.strip_suffix("={id}") {
        Some(flag) => Some(flag),
        None => template.get(at.checked_sub(1)?).map(String::as_str),
    };
    let flag = flag.filter(|flag| flag.starts_with('-'));
    let good = |id: &OsStr| {
        let id = id.to_str()?;
        bad_id(spec, id).is_none().then(|| id.to_owned())
    };
    let read = words::read(spec, args);
    if let Some(flag) = flag {
        let is_it = |name: &str| name == flag || others.iter().any(|other| other == name);
        let mut flags = read.flags.iter().filter(|it| is_it(&it.name));
        return flags.find_map(|it| good(it.value.as_ref()?));
    }
    // Words such as `resume ID` or `threads continue ID`.
    let before = template.get(..at)?;
    let same = read
        .plain
        .get(..at)?
        .iter()
        .zip(before)
        .all(|(a, b)| a == b.as_str());
    same.then(|| good(read.plain.get(at)?))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Catalogue;

    const A: &str = "0199a213-81c0-7800-8aa1-bbab2a035a53";
    const B: &str = "11111111-2222-3333-4444-555555555555";

    #[test]
    fn what_each_command_line_began_with() {
        let catalogue = Catalogue::built_in();
        let check = |line: &str, want: Option<(&str, How)>| {
            let line = line.replace("$A", A).replace("$B", B);
            let argv: Vec<OsString> = line.split(' ').map(Into::into).collect();
            let name = argv[0].to_str().expect("text");
            let spec = catalogue.get(name).expect("a spec");
            let found = launched_with(spec, &argv);
            let found = found.as_ref().map(|(id, how)| (id.as_str(), *how));
            assert_eq!(found, want, "{line}");
        };
        let (assigned, resumed) = (Some((A, How::Assigned)), Some((A, How::Resumed)));
        check("claude --session-id $A", assigned);
        check("claude --session-id=$A --model opus", assigned);
        check("claude --resume $A", resumed);
        check("claude -r $A hello", resumed);
        check("claude --resume", None);
        check("claude --resume name-of-it", None);
        check("claude --continue", None);
        check("claude $A", None);
        check("claude --resume $B --fork-session", None);
        check(
            "claude --resume $B --fork-session --session-id $A",
            assigned,
        );
        check("codex resume $A -c tui.resume_cwd=\"current\"", resumed);
        check("codex -m gpt-5 resume $A", resumed);
        check("codex resume --last", None);
        check("codex fork $A", None);
        check("codex say resume $A", None);
        check("gemini --session-id $A", assigned);
        check("gemini --resume 3", None);
        check("gemini --resume latest", None);
        check("qwen -r $A", resumed);
        check("copilot --resume=$A", resumed);
        check("copilot --session-id=$A", assigned);
        check("opencode -s ses_1", Some(("ses_1", How::Resumed)));
        check("opencode --session ses_1 --fork", None);
        check(
            "kimi -S session_$A",
            Some((&format!("session_{A}"), How::Resumed)),
        );
        check(
            "amp threads continue T-$A",
            Some((&format!("T-{A}"), How::Resumed)),
        );
    }
}
