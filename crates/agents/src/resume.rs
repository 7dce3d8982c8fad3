//! The command line that opens a recorded conversation again. Pure.
//!
//! In: the command line as it ran, the conversation's id, the permission the CLI last had. Out: an
//! argv and its environment, with a word for every flag that was left out, or the reason why not.
//! Promises: the first prompt is not in it; flags stay with their values; permission is at or below
//! the last known; a stale `--resume` or `--continue` is replaced; an id that the CLI could take for a
//! flag or a name is refused.

use crate::permission::{cap, granted, refused};
use crate::recognise::CommandLine;
use crate::spec::{Form, Level, Positional, Spec};
use crate::words::{self, Flag, Group, Use};
use std::ffi::{OsStr, OsString};

/// How to open a conversation again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resumption {
    /// The program and its arguments.
    pub argv: Vec<OsString>,
    /// Environment on top of the pane's.
    pub env: Vec<(String, String)>,
    /// Environment that lets it go on with a turn that was cut; only where that is wanted.
    pub continue_env: Vec<(String, String)>,
    /// The level the flags give; `None` where the user's settings decide.
    pub permission: Option<Level>,
    /// Words left out that are neither a prompt nor an old conversation, each with the reason.
    pub left_out: Vec<String>,
}

/// Why a conversation cannot be opened again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CannotResume {
    /// Nothing is known of such a way.
    #[error("{title}: {why}")]
    NoWay {
        /// The CLI, for people.
        title: String,
        /// Why.
        why: String,
    },
    /// It ran without a person.
    #[error("it ran without a terminal conversation (`{0}`)")]
    Headless(String),
    /// It was a command.
    #[error("`{program} {command}` is no conversation")]
    Command {
        /// The program.
        program: String,
        /// The command.
        command: String,
    },
    /// The id is none of this CLI's.
    #[error("`{id}` is no conversation id of {title}: {why}")]
    BadId {
        /// The id, control characters shown as `?`.
        id: String,
        /// The CLI, for people.
        title: String,
        /// What it must be.
        why: String,
    },
}

/// Opens `id` with the flags of `recorded`; a `spec` whose words to resume hold no id begins anew. `last` is the level the CLI last had, as its own files
/// say; without it the recorded flags are what is known.
///
/// # Errors
/// [`CannotResume`].
pub fn resume_argv(
    spec: &Spec,
    recorded: &CommandLine,
    id: &str,
    last: Option<Level>,
) -> Result<Resumption, CannotResume> {
    let Some(resume) = &spec.resume else {
        return Err(no_way(spec));
    };
    let args = recorded.argv.get(1..).unwrap_or_default();
    let read = words::read(spec, args);
    conversation(spec, recorded, &words::used(spec, &read))?;
    if resume.argv.iter().any(|word| word.contains("{id}")) {
        bad_id(spec, id).map_or(Ok(()), Err)?;
    }
    let capped = cap(spec, &read.flags, last);
    let mut left_out = Vec::new();
    let mut kept: Vec<OsString> = capped.add;
    for (flag, allowed) in read.flags.iter().zip(&capped.keep) {
        match why_not(spec, flag, *allowed) {
            Some(why) => left_out.push(format!("{}: {why}", line(&flag.words))),
            // A resumed line that is resumed once more has the words already.
            None if has(&resume.argv, &flag.words) => {}
            None if is_kept(flag) => kept.extend(flag.words.iter().cloned()),
            None => {}
        }
    }
    let permission = granted(spec, &kept);
    let mut argv = recorded.wrapper.clone();
    argv.push(program(spec, recorded));
    argv.extend(
        resume
            .argv
            .iter()
            .map(|word| OsString::from(word.replace("{id}", id))),
    );
    // Before the flags: one that takes any number of words would take it too.
    argv.extend(folders(spec, &read));
    argv.extend(kept);
    let pairs = |map: &std::collections::BTreeMap<String, String>| {
        map.iter()
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect::<Vec<_>>()
    };
    let mut env = pairs(&spec.launch.env);
    env.extend(pairs(&resume.env));
    Ok(Resumption {
        argv,
        env,
        continue_env: pairs(&resume.continue_env),
        permission,
        left_out,
    })
}

/// The arguments that give a new conversation this id; `None` when the CLI takes none.
///
/// # Errors
/// [`CannotResume::BadId`].
pub fn choose_id(spec: &Spec, id: &str) -> Result<Option<Vec<OsString>>, CannotResume> {
    let Some(choose) = &spec.choose else {
        return Ok(None);
    };
    bad_id(spec, id).map_or(Ok(()), Err)?;
    let words = choose
        .argv
        .iter()
        .map(|word| OsString::from(word.replace("{id}", id)));
    Ok(Some(words.collect()))
}

/// What is wrong with `id` as an id of this CLI; `None`: nothing. A good id never begins with a
/// dash and holds no separator, so it can be an argument and part of a path.
#[must_use]
pub fn bad_id(spec: &Spec, id: &str) -> Option<CannotResume> {
    let prefix = &spec.id.prefix;
    let behind = id.strip_prefix(prefix.as_str());
    let (fits, form) = match spec.id.form {
        Form::Uuid => (behind.is_some_and(is_uuid), "a UUID"),
        Form::Word => (behind.is_some_and(is_word), "1 to 128 of [A-Za-z0-9._-]"),
    };
    if fits && !id.starts_with('-') {
        return None;
    }
    let why = match prefix.as_str() {
        "" => format!("it must be {form}"),
        prefix => format!("it must be {prefix} and {form}"),
    };
    Some(CannotResume::BadId {
        id: id
            .chars()
            .take(80)
            .map(|c| if c.is_control() { '?' } else { c })
            .collect(),
        title: spec.title.clone(),
        why,
    })
}

fn is_uuid(text: &str) -> bool {
    let dashes = [8, 13, 18, 23];
    text.len() == 36
        && text
            .bytes()
            .enumerate()
            .all(|(i, b)| match dashes.contains(&i) {
                true => b == b'-',
                false => b.is_ascii_hexdigit(),
            })
}

fn is_word(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
    (1..=128).contains(&text.len()) && text.bytes().all(plain) && !text.starts_with(['-', '.'])
}

fn no_way(spec: &Spec) -> CannotResume {
    let why = spec
        .cannot_resume
        .as_deref()
        .unwrap_or("no way to resume is known");
    CannotResume::NoWay {
        title: spec.title.clone(),
        why: why.to_owned(),
    }
}

fn conversation(spec: &Spec, recorded: &CommandLine, used: &Use) -> Result<(), CannotResume> {
    match used {
        Use::Conversation => Ok(()),
        Use::Headless => Err(CannotResume::Headless(line(&recorded.argv))),
        Use::Other(command) => Err(CannotResume::Command {
            program: name(&program(spec, recorded)),
            command: command.clone(),
        }),
    }
}

fn program(spec: &Spec, recorded: &CommandLine) -> OsString {
    let own = || {
        spec.launch
            .argv
            .first()
            .map(OsString::from)
            .unwrap_or_default()
    };
    recorded.argv.first().cloned().unwrap_or_else(own)
}

fn name(program: &OsStr) -> String {
    let path = std::path::Path::new(program);
    path.file_name()
        .unwrap_or(program)
        .to_string_lossy()
        .into_owned()
}

/// The plain words that stay: a folder to work in, never a prompt.
fn folders(spec: &Spec, read: &words::Read) -> Vec<OsString> {
    if spec.launch.positional != Positional::Folder {
        return Vec::new();
    }
    let command = words::command(spec, read).map_or(0, |(_, length)| length);
    let folder = read
        .plain
        .get(command)
        .map(|folder| match words::is_flag(folder) {
            // A folder's name must not become a flag.
            true => std::path::Path::new(".").join(folder).into_os_string(),
            false => folder.clone(),
        });
    folder.into_iter().collect()
}

/// Whether `words` stand in `argv`, one behind the other.
fn has(argv: &[String], words: &[OsString]) -> bool {
    argv.windows(words.len())
        .any(|window| window.iter().zip(words).all(|(a, b)| b == a.as_str()))
}

fn is_kept(flag: &Flag) -> bool {
    matches!(flag.group, Group::Keep | Group::Permission | Group::Unknown)
}

/// Why a flag is left out that is neither a prompt nor an old conversation.
fn why_not(spec: &Spec, flag: &Flag, allowed: bool) -> Option<&'static str> {
    match flag.group {
        Group::Unsure => Some("not known to take a value"),
        _ if is_kept(flag) && refused(spec, flag) => Some("refused when resuming"),
        _ if !allowed => Some("more than it could do last"),
        _ => None,
    }
}

/// Words for people, at most 80 characters.
fn line(words: &[OsString]) -> String {
    let text = words
        .iter()
        .map(|w| w.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ");
    text.chars()
        .take(80)
        .map(|c| if c.is_control() { '?' } else { c })
        .collect()
}
