//! Every byte that a host writes into the terminals it owns, by the kernel's word and not by the host's.
//!
//! In: a home without a host. Out: a host that was started under `strace`, and what it wrote to each pty.
//! Promises: from the host's first moment on nothing is missed; what is no answer to a query, of those a
//! terminal gives, counts as typed; where nothing can be traced the test is told so and goes on
//! without.

use crate::home::Home;
use crate::processes::Process;
use crate::until_within;
use regex::bytes::Regex;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

/// How long a host may take to start while it is traced.
const START: Duration = Duration::from_secs(120);
/// Calls that put bytes into a descriptor.
const CALLS: &str = "trace=write,writev,pwrite64,pwritev,pwritev2,sendfile,splice";

/// A host's first process and what it wrote.
#[derive(Debug)]
pub struct Watch {
    log: PathBuf,
    host: Process,
}

impl Watch {
    /// Starts a host and what belongs to it, as the next command of a user does. `None`: nothing can be
    /// traced here, and nothing was started.
    ///
    /// # Panics
    /// When no host comes.
    #[must_use]
    pub fn start(home: &Home) -> Option<Self> {
        if !can_trace() {
            return None;
        }
        let log = home.path().join(format!("strace.{}", std::process::id()));
        drop(std::fs::remove_file(&log));
        let mut strace = Command::new("strace");
        strace
            .args(["-f", "-qq", "--seccomp-bpf", "-y", "-xx", "-s", "1000000"])
            .args(["-e", CALLS, "-e", "signal=none", "-o"])
            .arg(&log);
        // Variables of what is traced alone: strace itself is no process of this home.
        for (name, value) in home.env() {
            let mut pair = OsString::from(name);
            pair.push("=");
            pair.push(value);
            strace.arg("-E").arg(pair);
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        strace.arg(home.exe()).args(["host", "start"]);
        strace
            .env_clear()
            .env("PATH", path)
            .current_dir(home.work());
        strace
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut strace = strace.spawn().expect("strace starts");
        // It ends with the last process it traces. Killed before that, it would leave them with calls that
        // nobody answers.
        std::thread::spawn(move || strace.wait());
        let host = until_within(START, "a host that is traced", || {
            let said = home.abide(["status", "--json"]).limit(START).json();
            let pid = i32::try_from(said["host_pid"].as_i64()?).ok()?;
            Process::of(pid).filter(|_| said["mode"] == "host")
        });
        Some(Self { log, host })
    }

    /// What the host wrote to each of its terminals, by descriptor.
    #[must_use]
    pub fn written(&self) -> BTreeMap<u32, Vec<u8>> {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.host.pid));
        let threads = threads.into_iter().flatten().flatten();
        let mut own: Vec<String> = threads
            .map(|it| it.file_name().to_string_lossy().into_owned())
            .collect();
        own.push(self.host.pid.to_string());
        let log = std::fs::read(&self.log).unwrap_or_default();
        written(&String::from_utf8_lossy(&log), &own)
    }

    /// What was typed into any terminal of the host: everything it wrote but answers.
    #[must_use]
    pub fn typed(&self) -> Vec<u8> {
        let all = self.written().into_values();
        all.flat_map(|bytes| without_answers(&bytes)).collect()
    }

    /// Nothing was typed into any terminal of this host.
    ///
    /// # Panics
    /// When something was.
    #[track_caller]
    pub fn assert_untouched(&self) {
        let typed = self.typed();
        assert!(
            typed.is_empty(),
            "typed: {:?}",
            String::from_utf8_lossy(&typed)
        );
    }

    /// This was typed: the watch sees what there is to see.
    ///
    /// # Panics
    /// When it was not.
    #[track_caller]
    pub fn assert_typed(&self, text: &str) {
        let seen = || String::from_utf8_lossy(&self.typed()).contains(text);
        let found = crate::wait::poll(crate::LIMIT, || seen().then_some(()));
        assert!(
            found.is_some(),
            "{text:?} in {:?}",
            String::from_utf8_lossy(&self.typed())
        );
    }
}

/// Whether this process may trace another.
fn can_trace() -> bool {
    let tried = Command::new("strace")
        .args(["-f", "-qq", "--seccomp-bpf", "-o", "/dev/null", "true"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    tried.is_ok_and(|status| status.success())
}

/// Bytes written to ptys by these threads, by descriptor, from strace's lines.
fn written(log: &str, own: &[String]) -> BTreeMap<u32, Vec<u8>> {
    let mut all: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
    // What a thread was about to write when another one's line came between.
    let mut begun: BTreeMap<&str, &str> = BTreeMap::new();
    for line in log.lines() {
        let Some((thread, call)) = line.split_once(' ') else {
            continue;
        };
        if !own.iter().any(|it| it == thread) {
            continue;
        }
        let call = call.trim_start();
        let (words, result) = if let Some(words) = call.strip_suffix(" <unfinished ...>") {
            begun.insert(thread, words);
            continue;
        } else if call.starts_with("<...") {
            (begun.remove(thread).unwrap_or_default(), call)
        } else {
            (call, call)
        };
        let Some((fd, bytes)) = write_to_pty(words) else {
            continue;
        };
        let count = result.rsplit_once("= ").and_then(|(_, it)| {
            let number: String = it.chars().take_while(char::is_ascii_digit).collect();
            number.parse::<usize>().ok()
        });
        let count = count.unwrap_or_default().min(bytes.len());
        all.entry(fd)
            .or_default()
            .extend_from_slice(&bytes[..count]);
    }
    all
}

/// The descriptor and the bytes of a call that writes to a pty's master.
fn write_to_pty(call: &str) -> Option<(u32, Vec<u8>)> {
    static MASTER: LazyLock<Regex> = LazyLock::new(|| {
        // The path as it is, or in hexadecimal as all strings.
        let path = r"[^>]*(?:ptmx|\\x70\\x74\\x6d\\x78)[^>]*";
        Regex::new(&format!(r"^\w+\((\d+)<{path}>+, (.*)$")).expect("a pattern")
    });
    static BYTE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\\x([0-9a-f]{2})").expect("a pattern"));
    let found = MASTER.captures(call.as_bytes())?;
    let text = |at: usize| std::str::from_utf8(found.get(at).map_or(b"", |it| it.as_bytes())).ok();
    let fd = text(1)?.parse().ok()?;
    let bytes = BYTE.captures_iter(text(2)?.as_bytes());
    let byte = |digits: &[u8]| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
    let bytes = bytes.filter_map(|it| byte(it.get(1)?.as_bytes()));
    Some((fd, bytes.collect()))
}

/// What is left without the answers a terminal gives by itself.
#[must_use]
pub fn without_answers(bytes: &[u8]) -> Vec<u8> {
    static ANSWER: LazyLock<Regex> = LazyLock::new(|| {
        let end = r"(?:\x07|\x1b\\)";
        let colour = r"rgb:[0-9a-f]{1,4}/[0-9a-f]{1,4}/[0-9a-f]{1,4}";
        let all = [
            // DA1, DA2, DA3, XTVERSION.
            r"\x1b\[\?62;22;52c".to_owned(),
            r"\x1b\[>1;10;0c".to_owned(),
            r"\x1bP!\|00000000\x1b\\".to_owned(),
            r"\x1bP>\|abide\([0-9.]+\)\x1b\\".to_owned(),
            // DSR, CPR, colour scheme.
            r"\x1b\[0n|\x1b\[\?(?:13|21|50|27;1;0;0)n|\x1b\[\?997;[12]n".to_owned(),
            r"\x1b\[\??[0-9]+;[0-9]+R".to_owned(),
            // DECRPM, keyboard modes, DECREPTPARM, XTSMGRAPHICS.
            r"\x1b\[\??[0-9]+;[0-4]\$y|\x1b\[\?[0-9]+u|\x1b\[>4;[0-9]+m".to_owned(),
            r"\x1b\[[23];1;1;128;128;1;0x|\x1b\[\?[123];3;0S".to_owned(),
            // Window sizes; titles are empty.
            r"\x1b\[1t|\x1b\[[345689];[0-9]+;[0-9]+t|\x1b\][lL]\x1b\\".to_owned(),
            // DECRQSS, XTGETTCAP, OSC colours and status, kitty graphics.
            r#"\x1bP[01]\$r[0-9;:"' A-Za-z]*\x1b\\"#.to_owned(),
            r"\x1bP[01]\+r[0-9A-Fa-f=;]*\x1b\\".to_owned(),
            format!(r"\x1b\](?:4;[0-9]+|1[012]);{colour}{end}|\x1b\]7501;\?{end}"),
            r"\x1b_Gi=[0-9]+;ENOTSUPPORTED:no graphics here\x1b\\".to_owned(),
        ];
        Regex::new(&format!("(?-u){}", all.join("|"))).expect("a pattern")
    });
    ANSWER.replace_all(bytes, b"".as_slice()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_told_from_what_is_typed() {
        let answers = [
            "\x1b[?62;22;52c",
            "\x1b[24;80R",
            "\x1bP>|abide(0.1.0)\x1b\\",
            "\x1b]11;rgb:0000/0000/0000\x1b\\",
            "\x1b[?2026;2$y",
            "\x1b[?0u",
            "\x1bP1$r0;1m\x1b\\",
            "\x1b[8;40;120t",
        ];
        let all = answers.concat();
        assert_eq!(without_answers(all.as_bytes()), b"");
        let typed = format!("{}hello\r\x1b[A{}\x1b[I\x03", answers[0], answers[1]);
        assert_eq!(
            without_answers(typed.as_bytes()),
            b"hello\r\x1b[A\x1b[I\x03"
        );
        // Not one of its answers, whatever it looks like.
        assert_eq!(without_answers(b"\x1b[?1;2c"), b"\x1b[?1;2c");
    }

    #[test]
    fn the_lines_of_strace_are_read() {
        let log = concat!(
            "10 write(1</dev/null>, \"\\x61\", 1) = 1\n",
            "10 write(13</dev/ptmx>, \"\\x68\\x69\", 2) = 2\n",
            "11 write(13</dev/ptmx>, \"\\x78\", 1 <unfinished ...>\n",
            "10 write(14<\\x2f\\x64\\x65\\x76\\x2f\\x70\\x74\\x6d\\x78>, \"\\x61\\x62\", 2) = 1\n",
            "11 <... write resumed>) = 1\n",
            "10 write(13</dev/pts/ptmx>, \"\\x71\", 1) = -1 EAGAIN (x)\n",
            "12 write(13</dev/ptmx>, \"\\x7a\", 1) = 1\n",
        );
        let own = ["10".to_owned(), "11".to_owned()];
        let found = written(log, &own);
        assert_eq!(found[&13], b"hix");
        assert_eq!(found[&14], b"a");
        assert_eq!(found.len(), 2);
    }
}
