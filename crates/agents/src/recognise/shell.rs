//! A shell's `-c` line, when it is one simple command. Pure.

use super::text;
use std::ffi::OsString;

const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish"];
/// Characters that make a line more than one simple command.
const MORE: &str = ";&|<>()`$*?[]{}~!#\n";

/// A shell's line that runs the words behind it.
const RUN: &str = "exec \"$@\"";
const FISH_RUN: &str = "exec $argv";

/// A simple command taken out of a shell's `-c` line.
pub(super) struct Line {
    /// Words that run the command in the same shell, word for word.
    pub(super) wrapper: Vec<OsString>,
    /// The command.
    pub(super) words: Vec<String>,
}

/// Whether `name` is a shell.
pub(super) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}

/// The command of `sh -c '..'`; `None` when this is no such line or more than one command.
pub(super) fn command_line(name: &str, words: &[OsString]) -> Option<Line> {
    if !is_shell(name) {
        return None;
    }
    let is_c = |word: &&OsString| {
        let text = text(word);
        text.starts_with('-') && !text.starts_with("--") && text.ends_with('c')
    };
    let flags = words
        .iter()
        .skip(1)
        .take_while(|word| text(word).starts_with('-'));
    let at = flags.take_while(|word| !is_c(word)).count() + 1;
    words.get(at).filter(is_c)?;
    let line = text(words.get(at + 1)?);
    // What this module itself makes of a line, seen again after a restart.
    let ours = if name == "fish" { FISH_RUN } else { RUN };
    if line == ours {
        let begin = if name == "fish" { at + 2 } else { at + 3 };
        let rest = words.get(begin..)?.iter();
        return Some(Line {
            wrapper: words[..begin].to_vec(),
            words: rest
                .map(|word| word.to_str().map(str::to_owned))
                .collect::<Option<_>>()?,
        });
    }
    let mut inner = split(&line)?;
    if inner.first().is_some_and(|word| word == "exec") {
        inner.remove(0);
    }
    let assigned = inner.iter().take_while(|word| is_assignment(word)).count();
    let mut wrapper = words[..=at].to_vec();
    // The flags, so the environment of a login shell, stay; the command comes as words.
    wrapper.push(
        if name == "fish" {
            "exec $argv"
        } else {
            "exec \"$@\""
        }
        .into(),
    );
    if name != "fish" {
        wrapper.push(words.first()?.clone());
    }
    if assigned > 0 {
        wrapper.push("env".into());
        wrapper.extend(inner.drain(..assigned).map(OsString::from));
    }
    Some(Line {
        wrapper,
        words: inner,
    })
}

/// `NAME=value`.
pub(super) fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else {
        return false;
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// Words of a simple command; `None` when the shell would do more than split it.
pub(super) fn split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => quoted(&mut letters, '\'', word.get_or_insert_default())?,
            '"' => quoted(&mut letters, '"', word.get_or_insert_default())?,
            '\\' => word.get_or_insert_default().push(letters.next()?),
            c if MORE.contains(c) => return None,
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

fn quoted(letters: &mut std::str::Chars<'_>, end: char, word: &mut String) -> Option<()> {
    loop {
        match letters.next()? {
            c if c == end => return Some(()),
            '$' | '`' if end == '"' => return None,
            '\\' if end == '"' => {
                let next = letters.next()?;
                if !"\"\\$`".contains(next) {
                    word.push('\\');
                }
                word.push(next);
            }
            c => word.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn only_simple_commands_are_split() {
        let check = |line: &str, words: Option<&[&str]>| {
            let words =
                words.map(|words| words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>());
            assert_eq!(split(line), words, "{line}");
        };
        check("claude --model x", Some(&["claude", "--model", "x"]));
        check(
            r#"claude 'do it' "and it" a\ b """#,
            Some(&["claude", "do it", "and it", "a b", ""]),
        );
        check(r#"claude "a\"b\n""#, Some(&["claude", "a\"b\\n"]));
        check("cd x && claude", None);
        check("claude; ls", None);
        check("claude $X", None);
        check("claude \"$X\"", None);
        check("claude 'open", None);
        check("", Some(&[]));
    }
}
