//! Programs whose children live elsewhere: containers, other machines, other users. Pure.

use super::{shell, text};
use std::ffi::OsString;

/// The border and its flags that take a value, where the command's place can be known by them.
const BORDERS: &[(&str, Place)] = &[
    (
        "sudo",
        Place::Behind(
            &[
                "-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-r", "-t", "--user", "--group",
            ],
            0,
        ),
    ),
    ("doas", Place::Behind(&["-u", "-C", "-a"], 0)),
    ("runuser", Place::Anywhere),
    ("su", Place::Anywhere),
    ("pkexec", Place::Behind(&["--user"], 0)),
    ("chroot", Place::Behind(&[], 1)),
    ("ssh", Place::Behind(SSH, 1)),
    ("autossh", Place::Behind(SSH, 1)),
    ("mosh", Place::Anywhere),
    ("et", Place::Anywhere),
    ("docker", Place::Anywhere),
    ("docker-compose", Place::Anywhere),
    ("podman", Place::Anywhere),
    ("nerdctl", Place::Anywhere),
    ("kubectl", Place::Anywhere),
    ("oc", Place::Anywhere),
    ("lxc", Place::Anywhere),
    ("lxc-attach", Place::Anywhere),
    ("incus", Place::Anywhere),
    ("distrobox", Place::Anywhere),
    ("distrobox-enter", Place::Anywhere),
    ("toolbox", Place::Anywhere),
    ("flatpak", Place::Anywhere),
    ("flatpak-spawn", Place::Anywhere),
    ("machinectl", Place::Anywhere),
    ("systemd-nspawn", Place::Anywhere),
    ("nsenter", Place::Anywhere),
    ("unshare", Place::Anywhere),
    ("bwrap", Place::Anywhere),
    ("firejail", Place::Anywhere),
    ("vagrant", Place::Anywhere),
    ("devcontainer", Place::Anywhere),
    ("tmux", Place::Anywhere),
    ("screen", Place::Anywhere),
    ("zellij", Place::Anywhere),
];

const SSH: &[&str] = &[
    "-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-M", "-m", "-O", "-o", "-p",
    "-Q", "-R", "-S", "-W", "-w", "-B",
];

/// Where the command stands.
#[derive(Clone, Copy)]
enum Place {
    /// Behind the flags (those with a value given) and this many words.
    Behind(&'static [&'static str], usize),
    /// Its place cannot be known without the program's whole grammar.
    Anywhere,
}

/// Whether children of `name` live elsewhere.
pub(super) fn is_border(name: &str) -> bool {
    BORDERS.iter().any(|(border, _)| *border == name)
}

/// What may be the command behind the border, each as words.
pub(super) fn commands(name: &str, words: &[OsString]) -> Vec<Vec<OsString>> {
    let place = BORDERS
        .iter()
        .find(|(border, _)| *border == name)
        .map(|(_, place)| *place);
    let args = words.get(1..).unwrap_or_default();
    match place {
        Some(Place::Behind(takes, skip)) => vec![one_line(behind(args, takes, skip))],
        Some(Place::Anywhere) => {
            let starts = (1..words.len()).filter(|at| !text(&words[*at]).starts_with('-'));
            starts.map(|at| one_line(&words[at..])).collect()
        }
        None => Vec::new(),
    }
}

fn behind<'a>(args: &'a [OsString], takes: &[&str], skip: usize) -> &'a [OsString] {
    let (mut at, mut plain) = (0, 0);
    while let Some(word) = args.get(at) {
        let word = text(word);
        if word == "--" {
            return args.get(at + 1..).unwrap_or_default();
        } else if word.starts_with('-') && plain <= skip {
            at += if takes.contains(&word.as_ref()) { 2 } else { 1 };
        } else if shell::is_assignment(&word) {
            at += 1;
        } else if plain < skip {
            plain += 1;
            at += 1;
        } else {
            break;
        }
    }
    args.get(at..).unwrap_or_default()
}

/// A command given as one word (`ssh host 'claude -c'`) as words.
fn one_line(words: &[OsString]) -> Vec<OsString> {
    let first = words.first().map(|word| text(word));
    match first
        .filter(|word| word.contains(' '))
        .and_then(|line| shell::split(&line))
    {
        Some(split) => split.into_iter().map(Into::into).collect(),
        None => words.to_vec(),
    }
}
