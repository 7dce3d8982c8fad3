//! A CLI's arguments, read with what its data file says of its flags. Pure.
//!
//! In: the words behind the program. Out: flags with their values and plain words, in order.
//! Promises: a boolean flag never swallows the next word; a flag the file does not know swallows
//! nothing by guess: where a plain word follows it, the two are marked unsure.

use crate::spec::{Arities, Positional, Spec};
use std::ffi::{OsStr, OsString};

/// What becomes of a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    Keep,
    Drop,
    Conversation,
    Headless,
    Permission,
    /// Not in the file, but whole: `--x=y`, or no word follows.
    Unknown,
    /// Not in the file, and a word follows that may be its value or the prompt.
    Unsure,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arity {
    Boolean,
    Value,
    Optional,
    Many,
}

/// A flag with what belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Flag {
    pub(crate) name: String,
    pub(crate) group: Group,
    /// As it is written again.
    pub(crate) words: Vec<OsString>,
    /// The first value.
    pub(crate) value: Option<OsString>,
}

/// Arguments, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Read {
    pub(crate) flags: Vec<Flag>,
    pub(crate) plain: Vec<OsString>,
}

/// What kind of run a command line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Use {
    /// A conversation with a person at a terminal.
    Conversation,
    /// One turn or a service, without a person.
    Headless,
    /// A command that is no conversation, such as `mcp`.
    Other(String),
}

/// What kind of run `argv` (the program and its words) is.
#[must_use]
pub fn use_of(spec: &Spec, argv: &[OsString]) -> Use {
    used(spec, &read(spec, argv.get(1..).unwrap_or_default()))
}

/// Whether `argv` names a conversation, by id or in another way (`--continue`, `--fork`).
#[must_use]
pub fn names_conversation(spec: &Spec, argv: &[OsString]) -> bool {
    let read = read(spec, argv.get(1..).unwrap_or_default());
    let flags = read
        .flags
        .iter()
        .any(|flag| flag.group == Group::Conversation);
    flags || command(spec, &read).is_some()
}

/// Reads `args`.
pub(crate) fn read(spec: &Spec, args: &[OsString]) -> Read {
    let mut read = Read::default();
    let mut rest = args.iter();
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy();
        if text == "--" {
            read.plain.extend(rest.by_ref().cloned());
        } else if !is_flag(word) {
            read.plain.push(word.clone());
        } else {
            one(spec, &text, word, &mut rest, &mut read.flags);
        }
    }
    read
}

/// Whether a word is written as a flag.
pub(crate) fn is_flag(word: &OsStr) -> bool {
    let text = word.to_string_lossy();
    text.starts_with('-') && text != "-"
}

/// One word that begins with a dash, and what belongs to it.
fn one<'a>(
    spec: &Spec,
    text: &str,
    word: &OsString,
    rest: &mut (impl Iterator<Item = &'a OsString> + Clone),
    flags: &mut Vec<Flag>,
) {
    if let Some((group, arity)) = known(spec, text) {
        return flags.push(with_values(text, group, arity, word, rest));
    }
    if let Some((name, value)) = text.split_once('=') {
        let group = known(spec, name).map_or(Group::Unknown, |(group, _)| group);
        return flags.push(flag(name, group, vec![word.clone()], Some(value.into())));
    }
    if !text.starts_with("--") && cluster(spec, text, word, rest, flags) {
        return;
    }
    let mut ahead = rest.clone();
    match ahead.next().filter(|next| !is_flag(next)) {
        Some(next) => {
            *rest = ahead;
            flags.push(flag(
                text,
                Group::Unsure,
                vec![word.clone(), next.clone()],
                None,
            ));
        }
        None => flags.push(flag(text, Group::Unknown, vec![word.clone()], None)),
    }
}

fn flag(name: &str, group: Group, words: Vec<OsString>, value: Option<OsString>) -> Flag {
    Flag {
        name: name.to_owned(),
        group,
        words,
        value,
    }
}

/// The flag, and as many of the following words as are its own.
fn with_values<'a>(
    name: &str,
    group: Group,
    arity: Arity,
    word: &OsString,
    rest: &mut (impl Iterator<Item = &'a OsString> + Clone),
) -> Flag {
    let mut words = vec![word.clone()];
    let most = match arity {
        Arity::Boolean => 0,
        Arity::Value | Arity::Optional => 1,
        Arity::Many => usize::MAX,
    };
    while words.len() <= most {
        let mut ahead = rest.clone();
        // A value may begin with a dash (a prompt such as "- do it") only where one must follow.
        let fits = |next: &&OsString| arity == Arity::Value || !is_flag(next);
        let Some(next) = ahead.next().filter(fits) else {
            break;
        };
        words.push(next.clone());
        *rest = ahead;
    }
    let value = words.get(1).cloned();
    flag(name, group, words, value)
}

/// Short flags written together (`-dc`), or with the value attached (`-mopus`).
fn cluster<'a>(
    spec: &Spec,
    text: &str,
    word: &OsString,
    rest: &mut (impl Iterator<Item = &'a OsString> + Clone),
    flags: &mut Vec<Flag>,
) -> bool {
    let mut found = Vec::new();
    let mut letters = text[1..].chars();
    while let Some(letter) = letters.next() {
        let name = format!("-{letter}");
        let Some((group, arity)) = known(spec, &name) else {
            return false;
        };
        let behind = letters.as_str();
        if arity == Arity::Boolean || behind.is_empty() {
            let short = OsString::from(&name);
            found.push(match arity {
                Arity::Boolean => flag(&name, group, vec![short], None),
                _ => with_values(&name, group, arity, &short, rest),
            });
            continue;
        }
        let whole = if found.is_empty() {
            word.clone()
        } else {
            format!("{name}{behind}").into()
        };
        found.push(flag(&name, group, vec![whole], Some(behind.into())));
        break;
    }
    flags.append(&mut found);
    true
}

fn known(spec: &Spec, name: &str) -> Option<(Group, Arity)> {
    if spec.permission.flags.contains_key(name) {
        return Some((Group::Permission, Arity::Boolean));
    }
    if spec.permission.values.contains_key(name) {
        return Some((Group::Permission, Arity::Value));
    }
    let groups: [(Group, &Arities); 4] = [
        (Group::Keep, &spec.flags.keep),
        (Group::Drop, &spec.flags.drop),
        (Group::Conversation, &spec.flags.conversation),
        (Group::Headless, &spec.flags.headless),
    ];
    groups.into_iter().find_map(|(group, arities)| {
        let lists = [
            (Arity::Boolean, &arities.boolean),
            (Arity::Value, &arities.value),
            (Arity::Optional, &arities.optional),
            (Arity::Many, &arities.many),
        ];
        let found = lists
            .into_iter()
            .find(|(_, list)| list.iter().any(|flag| flag == name));
        found.map(|(arity, _)| (group, arity))
    })
}

/// The command that the plain words begin with, and of how many words it is.
pub(crate) fn command(spec: &Spec, read: &Read) -> Option<(Use, usize)> {
    let launch = &spec.launch;
    let lists = [
        (&launch.conversation, Use::Conversation),
        (&launch.headless, Use::Headless),
        (&launch.other, Use::Other(String::new())),
    ];
    let fits = |command: &str| {
        let words: Vec<&str> = command.split(' ').collect();
        let same = read
            .plain
            .iter()
            .zip(&words)
            .all(|(plain, word)| plain == word);
        (same && read.plain.len() >= words.len()).then_some(words.len())
    };
    let found = lists.iter().flat_map(|(list, used)| {
        list.iter().filter_map(move |command| {
            let used = match used {
                Use::Other(_) => Use::Other(command.clone()),
                same => same.clone(),
            };
            Some((used, fits(command)?))
        })
    });
    found.max_by_key(|(_, length)| *length)
}

/// What kind of run it is.
pub(crate) fn used(spec: &Spec, read: &Read) -> Use {
    let command = command(spec, read);
    match command {
        Some((Use::Conversation, _)) | None => {}
        Some((other, _)) => return other,
    }
    let words = command.map_or(0, |(_, length)| length);
    let alone = spec.launch.positional == Positional::Headless && read.plain.len() > words;
    if alone || read.flags.iter().any(|flag| flag.group == Group::Headless) {
        return Use::Headless;
    }
    Use::Conversation
}
