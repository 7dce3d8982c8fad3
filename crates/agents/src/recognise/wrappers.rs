//! Programs that run another one in their place: where its words begin. Pure.

use super::{shell, text};
use std::ffi::OsString;

/// Where a wrapped command begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Start {
    /// Its place in the words.
    pub(super) at: usize,
    /// A package's name stands there.
    pub(super) package: bool,
}

/// Where a script or module stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Script {
    /// Its place in the words.
    pub(super) at: usize,
    /// A Python module.
    pub(super) module: bool,
}

/// A program that runs another.
struct Wrapper {
    names: &'static [&'static str],
    /// Words that must follow, one of them; empty: none.
    sub: &'static [&'static str],
    /// Flags that take a value.
    takes: &'static [&'static str],
    /// Plain words in front of the command.
    skip: usize,
    /// The command is a package's name.
    package: bool,
}

const fn plain(
    names: &'static [&'static str],
    sub: &'static [&'static str],
    takes: &'static [&'static str],
    skip: usize,
) -> Wrapper {
    Wrapper {
        names,
        sub,
        takes,
        skip,
        package: false,
    }
}

const fn package(
    names: &'static [&'static str],
    sub: &'static [&'static str],
    takes: &'static [&'static str],
) -> Wrapper {
    Wrapper {
        names,
        sub,
        takes,
        skip: 0,
        package: true,
    }
}

const NPX: &[&str] = &[
    "-p",
    "--package",
    "-w",
    "--workspace",
    "--registry",
    "--prefix",
    "--cache",
];
const UV: &[&str] = &[
    "--from",
    "--with",
    "-p",
    "--python",
    "--index",
    "--index-url",
    "--project",
    "--directory",
    "--env-file",
    "--extra",
    "--group",
    "--spec",
];

const WRAPPERS: &[Wrapper] = &[
    plain(&["env"], &[], &["-u", "--unset", "-C", "--chdir"], 0),
    plain(&["nice"], &[], &["-n", "--adjustment"], 0),
    plain(&["ionice"], &[], &["-c", "--class", "-n", "--classdata"], 0),
    plain(
        &[
            "nohup",
            "setsid",
            "unbuffer",
            "winpty",
            "dbus-run-session",
            "exec",
            "command",
        ],
        &[],
        &[],
        0,
    ),
    plain(&["stdbuf"], &[], &["-i", "-o", "-e"], 0),
    plain(&["time"], &[], &["-f", "-o", "--format", "--output"], 0),
    plain(
        &["timeout"],
        &[],
        &["-s", "--signal", "-k", "--kill-after"],
        1,
    ),
    plain(&["taskset"], &[], &[], 1),
    plain(&["chrt"], &[], &[], 1),
    plain(&["caffeinate"], &[], &["-t", "-w"], 0),
    plain(
        &["systemd-run"],
        &[],
        &[
            "-p",
            "--property",
            "-u",
            "--unit",
            "--slice",
            "-E",
            "--setenv",
            "--working-directory",
            "--description",
        ],
        0,
    ),
    plain(&["systemd-inhibit"], &[], &[], 0),
    plain(&["rlwrap"], &[], &["-f", "-H", "-s", "-C", "-b"], 0),
    plain(&["proxychains", "proxychains4"], &[], &["-f"], 0),
    plain(
        &["mise", "rtx"],
        &["exec", "x"],
        &["-c", "--command", "-C", "--cd", "-j", "--jobs"],
        usize::MAX,
    ),
    plain(&["asdf", "nodenv", "pyenv", "rbenv"], &["exec"], &[], 0),
    plain(
        &["volta"],
        &["run"],
        &["--node", "--npm", "--yarn", "--pnpm"],
        0,
    ),
    plain(&["fnm"], &["exec"], &["--using"], 0),
    plain(&["direnv"], &["exec"], &[], 1),
    plain(&["aws-vault"], &["exec"], &["-d", "--duration"], 1),
    plain(
        &["doppler", "op", "infisical", "dotenvx", "teller"],
        &["run"],
        &["-p", "--project", "-c", "--config", "--env-file", "-f"],
        0,
    ),
    plain(&["poetry", "pipenv", "hatch", "rye"], &["run"], &[], 0),
    plain(
        &["conda", "mamba", "micromamba"],
        &["run"],
        &["-n", "--name", "-p", "--prefix"],
        0,
    ),
    plain(&["bundle"], &["exec"], &[], 0),
    package(&["npx", "pnpx", "bunx", "uvx"], &[], NPX),
    package(&["npm"], &["exec", "x"], NPX),
    package(&["pnpm", "yarn"], &["exec", "dlx"], NPX),
    package(&["bun"], &["x"], NPX),
    package(&["pipx"], &["run"], UV),
    package(&["uv"], &["run", "tool"], UV),
    package(&["deno"], &["run"], &[]),
];

/// Where the command begins that `words` run in their place.
pub(super) fn command_starts(name: &str, words: &[OsString]) -> Option<Start> {
    let fits = |wrapper: &&Wrapper| wrapper.names.contains(&name) && sub(wrapper, words).is_some();
    let wrapper = WRAPPERS.iter().find(fits)?;
    let takes = if name == "uvx" { UV } else { wrapper.takes };
    let (mut at, mut skipped) = (sub(wrapper, words)?, 0);
    while let Some(word) = words.get(at) {
        let word = text(word);
        if word == "--" {
            at += 1;
            break;
        } else if word.starts_with('-') {
            if ["-c", "--call", "-S", "--split-string"].contains(&word.as_ref())
                && !takes.contains(&word.as_ref())
                && takes_line(name)
            {
                return None;
            }
            at += if takes.contains(&word.as_ref()) { 2 } else { 1 };
        } else if name == "env" && shell::is_assignment(&word) {
            at += 1;
        } else if skipped < wrapper.skip {
            skipped += 1;
            at += 1;
        } else {
            break;
        }
    }
    words.get(at).map(|_| Start {
        at,
        package: wrapper.package,
    })
}

/// Whether `-c` of this wrapper takes a whole line.
fn takes_line(name: &str) -> bool {
    ["env", "npx", "npm", "pnpm", "pnpx"].contains(&name)
}

/// Where the words behind the wrapper's own command begin.
fn sub(wrapper: &Wrapper, words: &[OsString]) -> Option<usize> {
    if wrapper.sub.is_empty() {
        return Some(1);
    }
    let word = text(words.get(1)?);
    if !wrapper.sub.contains(&word.as_ref()) {
        return None;
    }
    let run = words.get(2).is_some_and(|word| text(word) == "run");
    Some(if word == "tool" && run { 3 } else { 2 })
}

const NODES: &[&str] = &[
    "node", "nodejs", "bun", "deno", "tsx", "ts-node", "electron",
];
const NODE_TAKES: &[&str] = &[
    "-r",
    "--require",
    "--import",
    "--loader",
    "--experimental-loader",
    "-C",
    "--conditions",
    "--env-file",
    "--env-file-if-exists",
    "--title",
    "--tsconfig",
    "--preload",
];

/// Where the script or module stands that an interpreter runs.
pub(super) fn script(name: &str, words: &[OsString]) -> Option<Script> {
    let python = name
        .strip_prefix("python")
        .or_else(|| name.strip_prefix("pypy"));
    let is_python = python.is_some_and(|v| v.chars().all(|c| c.is_ascii_digit() || c == '.'));
    let (takes, line): (&[&str], &[&str]) = match name {
        _ if is_python => (&["-W", "-X"], &["-c"]),
        _ if NODES.contains(&name) => (NODE_TAKES, &["-e", "--eval", "-p", "--print"]),
        _ if shell::is_shell(name) => (&["-o", "-O", "--rcfile", "--init-file"], &[]),
        _ => return None,
    };
    let commanded = words
        .iter()
        .skip(1)
        .take_while(|word| text(word).starts_with('-'));
    if shell::is_shell(name)
        && commanded
            .into_iter()
            .any(|word| is_command_flag(&text(word)))
    {
        return None;
    }
    let mut at = 1;
    if name == "bun" && words.get(1).is_some_and(|word| text(word) == "x") {
        return None;
    }
    if ["bun", "deno"].contains(&name) && words.get(1).is_some_and(|word| text(word) == "run") {
        at = 2;
    }
    while let Some(word) = words.get(at) {
        let word = text(word);
        if is_python && word == "-m" {
            at += 1;
            return Some(Script { at, module: true });
        } else if line.contains(&word.as_ref()) || word == "-" {
            return None;
        } else if word.starts_with('-') {
            at += if takes.contains(&word.as_ref()) { 2 } else { 1 };
        } else {
            return Some(Script { at, module: false });
        }
    }
    None
}

/// `-c`, `-lc`.
fn is_command_flag(word: &str) -> bool {
    !word.starts_with("--") && word.ends_with('c')
}
