//! Keys: what is typed in the window reaches the program as it expects it, and the prefix is found
//! in whichever form the outer terminal sends it.

#![cfg(test)]

use std::path::PathBuf;
use testkit::{Home, Outer, until};

fn home() -> Home {
    let home = Home::new(env!("CARGO_BIN_EXE_abide"));
    home.start();
    home
}

/// A window on a pane that writes what it reads into a file; `before` is printed first.
fn recorder(home: &Home, before: &str) -> (Outer, PathBuf) {
    let file = home.work().join("recorded");
    drop(std::fs::remove_file(&file));
    let script = format!(
        "stty raw -echo; printf '{before}ready'; exec cat > '{}'",
        file.display()
    );
    let pane = home.script(&script);
    let _screen = home.wait_capture(pane, "ready");
    let window = Outer::open(home, (100, 30), ["attach", &pane.to_string()]);
    window.wait_for("ready");
    (window, file)
}

/// What the program reads when these bytes are typed in the window.
fn typed(window: &Outer, file: &PathBuf, bytes: &[u8]) -> Vec<u8> {
    let before = std::fs::read(file).unwrap_or_default().len();
    window.type_bytes(bytes);
    window.type_bytes("|");
    let all = until("the typed bytes", || {
        std::fs::read(file)
            .ok()
            .filter(|all| all.len() > before && all.ends_with(b"|"))
    });
    all[before..all.len() - 1].to_vec()
}

/// OpenShell#3206: with the kitty keyboard on, Ctrl-B comes as `ESC[98;5u` and nothing detached.
/// The prefix is found as a byte, as CSI u (with caps or num lock, with release events), and as
/// xterm's modifyOtherKeys.
#[test]
fn the_prefix_is_found_in_every_form() {
    let forms: [&[u8]; 7] = [
        b"\x02d",
        b"\x1b[98;5ud",
        b"\x1b[98;69u\x1b[100;65u",
        b"\x1b[98;133ud",
        b"\x1b[98;5:1u\x1b[98;5:3u\x1b[100;1:1u",
        b"\x1b[98::98;5ud",
        b"\x1b[27;5;98~d",
    ];
    for form in forms {
        let home = home();
        let (mut window, file) = recorder(&home, r"\e[>3u");
        window.type_bytes(form);
        assert_eq!(window.wait_end(), 0, "{:?}", String::from_utf8_lossy(form));
        assert_eq!(
            std::fs::read(&file).unwrap_or_default(),
            b"",
            "nothing of it was typed"
        );
    }
}

/// agent-deck#184, claude-code#26629, agent-of-empires#1559: Shift+Enter submitted. A program that
/// asked for the kitty keyboard gets what the terminal sent; one that did not gets the fallback that
/// agents take for a new line.
#[test]
fn modified_keys_arrive_as_the_program_expects_them() {
    let home = home();
    let (window, file) = recorder(&home, r"\e[>1u");
    for key in [&b"\x1b[13;2u"[..], b"\x1b[13;5u", b"\x1b[13;3u"] {
        assert_eq!(
            typed(&window, &file, key),
            key,
            "{:?}",
            String::from_utf8_lossy(key)
        );
    }
    assert_eq!(typed(&window, &file, b"\x1b[27u"), b"\x1b[27u", "Escape");
    assert_eq!(typed(&window, &file, b"a"), b"a");
    drop(window);
    let (window, file) = recorder(&home, "");
    assert_eq!(
        typed(&window, &file, b"\x1b[13;2u"),
        b"\x1b\r",
        "Shift+Enter"
    );
    assert_eq!(typed(&window, &file, b"\r"), b"\r");
    assert_eq!(typed(&window, &file, b"\x1b[99;5u"), b"\x03", "Ctrl-C");
}

/// Claude Code uses Ctrl-B itself: the prefix twice passes it through.
#[test]
fn the_prefix_twice_is_the_prefix() {
    let home = home();
    let (window, file) = recorder(&home, "");
    assert_eq!(typed(&window, &file, b"\x02\x02"), b"\x02");
    assert_eq!(
        typed(
            &window,
            &file,
            "\u{e9}\u{1f469}\u{200d}\u{1f469}".as_bytes()
        ),
        "\u{e9}\u{1f469}\u{200d}\u{1f469}".as_bytes()
    );
    assert_eq!(typed(&window, &file, b"\x1b[A"), b"\x1b[A");
}

/// Cursor keys are spelled as the program's modes say, not as the outer terminal sends them.
#[test]
fn cursor_keys_follow_the_programs_mode() {
    let home = home();
    let (window, file) = recorder(&home, r"\e[?1h");
    assert_eq!(typed(&window, &file, b"\x1b[A\x1b[D"), b"\x1bOA\x1bOD");
}

/// Focus events reach a program that asked for them, and no other (cmux#2446).
#[test]
fn focus_is_told_to_those_who_asked() {
    let home = home();
    let (window, file) = recorder(&home, "");
    assert_eq!(typed(&window, &file, b"\x1b[O\x1b[I"), b"");
    drop(window);
    let (window, file) = recorder(&home, r"\e[?1004h");
    let told = typed(&window, &file, b"\x1b[O\x1b[I");
    assert!(told.ends_with(b"\x1b[O\x1b[I"), "{told:?}");
}
