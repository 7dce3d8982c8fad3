//! Paste and send: every byte arrives, nothing breaks out, Enter is a key of its own.

#![cfg(test)]

use protocol::PaneId;
use std::path::PathBuf;
use testkit::{Home, Outer, until};

fn home() -> Home {
    let home = Home::new(env!("CARGO_BIN_EXE_abide"));
    home.start();
    home
}

/// A pane that writes what it reads, raw, into a file; `before` is printed first.
fn recorder(home: &Home, before: &str) -> (PaneId, PathBuf) {
    let file = home.work().join("recorded");
    let script = format!(
        "stty raw -echo; printf '{before}ready'; exec cat > '{}'",
        file.display()
    );
    let pane = home.script(&script);
    let _screen = home.wait_capture(pane, "ready");
    (pane, file)
}

/// Text without line ends or controls, so that it arrives as it is; no piece of it repeats soon.
fn text(length: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(length + 16);
    for number in 0.. {
        if bytes.len() >= length {
            break;
        }
        bytes.extend_from_slice(format!("{number}-").as_bytes());
    }
    bytes.truncate(length);
    bytes
}

fn wait_recorded(file: &PathBuf, end: &[u8]) -> Vec<u8> {
    until("the whole input", || {
        std::fs::read(file)
            .ok()
            .filter(|bytes| bytes.ends_with(end))
    })
}

/// zellij#4782 cut pastes at 1023 bytes on EAGAIN, mosh#1356 deadlocked above 10 kB. 256 kB reach a
/// raw reader byte by byte, once by `send` and once as a paste into a client's window.
#[test]
fn a_big_paste_arrives_whole() {
    let home = home();
    let (pane, file) = recorder(&home, "");
    let sent = text(256 * 1024);
    let source = home.work().join("source");
    std::fs::write(&source, &sent).expect("a file");
    let path = source.display().to_string();
    let _pasted = home
        .abide(["send", &pane.to_string(), "--paste", &path])
        .ok();
    let _typed = home.abide(["send", &pane.to_string(), "END"]).ok();
    let recorded = wait_recorded(&file, b"END");
    assert!(
        recorded[..recorded.len() - 3] == sent[..],
        "{} bytes",
        recorded.len()
    );

    let window = Outer::open(&home, (100, 30), ["attach", &pane.to_string()]);
    window.wait_for("ready");
    window.wait_until("bracketed paste", |t| {
        t.modes().bracketed_paste.then_some(())
    });
    let before = recorded.len();
    window.type_bytes([b"\x1b[200~", &sent[..], b"\x1b[201~"].concat());
    window.type_bytes("END");
    let recorded = until("the pasted bytes", || {
        let all = std::fs::read(&file).ok()?;
        Some(all.get(before..)?.to_vec()).filter(|new| new.ends_with(b"END"))
    });
    assert!(
        recorded[..recorded.len() - 3] == sent[..],
        "{} bytes",
        recorded.len()
    );
}

/// wterm#33, nodeterm#198, superset#5256: a pasted `ESC[201~` ended the bracket and the rest ran as
/// commands. Inside brackets there is no ESC and no C1, in whichever encoding.
#[test]
fn a_paste_cannot_break_out() {
    let home = home();
    let planted = home.work().join("pwned");
    let pane = home.pane(["bash", "--norc", "-i"]);
    let _screen = home.wait_capture(pane, "[$#]");
    let paste = home.work().join("paste");
    let evil = format!(
        "a\u{1b}[201~\rtouch {0}\r\u{9b}201~\rtouch {0}\r",
        planted.display()
    );
    std::fs::write(&paste, evil).expect("a file");
    let path = paste.display().to_string();
    let _pasted = home
        .abide(["send", &pane.to_string(), "--paste", &path])
        .ok();
    let _typed = home
        .abide(["send", &pane.to_string(), "--keys", "C-c"])
        .ok();
    let _typed = home
        .abide(["send", &pane.to_string(), "echo alive", "--enter"])
        .ok();
    let _screen = home.wait_capture(pane, "^alive");
    assert!(!planted.exists(), "the paste ran a command");
    let _killed = home.abide(["kill", &pane.to_string()]).ok();

    let (pane, file) = recorder(&home, r"\e[?2004h");
    let _pasted = home
        .abide(["send", &pane.to_string(), "--paste", &path])
        .ok();
    let _typed = home.abide(["send", &pane.to_string(), "END"]).ok();
    let recorded = wait_recorded(&file, b"END");
    let inside = recorded
        .strip_prefix(b"\x1b[200~")
        .expect("an opening bracket");
    let inside = inside
        .strip_suffix(b"\x1b[201~END")
        .expect("a closing bracket");
    assert!(!inside.contains(&0x1b), "ESC inside the brackets");
    let c1 = |w: &[u8]| w[0] == 0xc2 && (0x80..0xa0).contains(&w[1]);
    assert!(!inside.windows(2).any(c1), "C1 inside the brackets");
}

#[test]
fn without_bracketed_paste_there_are_no_brackets() {
    let home = home();
    let (pane, file) = recorder(&home, "");
    let _pasted = home
        .abide(["send", &pane.to_string(), "--paste", "-"])
        .stdin("plain")
        .ok();
    let _typed = home.abide(["send", &pane.to_string(), "END"]).ok();
    assert_eq!(wait_recorded(&file, b"END"), b"plainEND");
}

/// tty7#317, agterm#399, orca#14525, kandev#2365, herdr#3313: an agent takes what arrives in one
/// burst as a paste, so the Enter behind the text became a new line and the prompt sat unsent. The
/// program here does the same with a window of 120 ms; `send --enter` must still submit, once.
#[test]
fn enter_is_not_part_of_the_burst() {
    let home = home();
    let turns = home.work().join("turns");
    // Bytes that follow each other within 120 ms are one burst; a lone Enter submits what is there.
    // Bash's own `read` turns the CR into LF.
    let script = format!(
        "stty raw -echo; printf ready; line=; while IFS= read -rN1 burst; do \
         while IFS= read -rN1 -t 0.12 next; do burst+=$next; done; \
         if [ \"$burst\" = $'\\n' ]; then echo \"turn:$line\" >> '{}'; line=; \
         else line+=${{burst//$'\\n'/<newline>}}; fi; done",
        turns.display()
    );
    let pane = home.script(&script);
    let _screen = home.wait_capture(pane, "ready");
    let _typed = home
        .abide(["send", &pane.to_string(), "hi there", "--enter"])
        .ok();
    until("a turn", || {
        std::fs::read(&turns).ok().filter(|t| !t.is_empty())
    });
    let _typed = home
        .abide(["send", &pane.to_string(), "again", "--enter"])
        .ok();
    let all = until("the second turn", || {
        std::fs::read_to_string(&turns)
            .ok()
            .filter(|t| t.lines().count() >= 2)
    });
    assert_eq!(all, "turn:hi there\nturn:again\n");
}

#[test]
fn keys_are_sent_by_name() {
    let home = home();
    let (pane, file) = recorder(&home, "");
    let keys = ["C-c", "Enter", "Up", "Escape", "Tab", "x"];
    let output = home
        .abide(["send", &pane.to_string(), "--keys"].iter().chain(&keys))
        .run();
    assert_eq!(output.code, 0, "{output:?}");
    let _typed = home.abide(["send", &pane.to_string(), "END"]).ok();
    assert_eq!(wait_recorded(&file, b"END"), b"\x03\r\x1b[A\x1b\txEND");
    let said = home
        .abide(["send", &pane.to_string(), "--keys", "NoSuchKey"])
        .fails(2);
    assert!(said.contains("NoSuchKey"), "{said}");
}
