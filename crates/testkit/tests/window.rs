//! The test kit's own window and commands, with a shell in place of the program under test.

#![cfg(test)]

use testkit::{Home, Outer, Signal};

fn shell(home: &Home, script: &str) -> Outer {
    Outer::open(home, (60, 10), ["--norc", "-c", script])
}

#[test]
fn a_window_shows_what_its_program_writes() {
    let home = Home::new("/bin/bash");
    let mut window = shell(
        &home,
        "stty size; tty; read -r line; echo \"got $line\"; exit 5",
    );
    window.wait_for("^10 60");
    window.type_bytes("hello\r");
    window.wait_for("got hello");
    assert_eq!(window.wait_end(), 5);
    assert!(window.text().contains(&window.tty().display().to_string()));
}

#[test]
fn a_windows_program_has_its_terminal() {
    let home = Home::new("/bin/bash");
    let mut window = shell(
        &home,
        "trap 'echo interrupted; exit 7' INT; echo up; sleep 60 & wait",
    );
    window.wait_for("up");
    window.key("C-c");
    assert_eq!(window.wait_end(), 7);
    assert!(window.text().contains("interrupted"));
}

#[test]
fn a_closed_window_hangs_up() {
    let home = Home::new("/bin/bash");
    let mut window = shell(&home, "echo up; sleep 60");
    window.wait_for("up");
    let process = window.process();
    window.close_window();
    process.wait_gone();
    assert_eq!(window.wait_end(), 128 + Signal::HUP.as_raw());
}

#[test]
fn line_settings_are_read_after_the_programs_end() {
    let home = Home::new("/bin/bash");
    let mut window = shell(&home, "stty raw -echo; echo raw; read -r _; stty sane");
    window.wait_for("raw");
    let raw = window.stty();
    assert!(raw.contains("-icanon"), "{raw}");
    window.type_bytes("\n");
    assert_eq!(window.wait_end(), 0);
    assert!(!window.stty().contains("-icanon"));
}

#[test]
fn a_command_is_run_in_the_sealed_environment() {
    let mut home = Home::new("/bin/bash");
    home.set_env("ONE", "1");
    let said = home
        .abide(["-c", "echo $ONE $TWO $HOME; pwd; cat"])
        .env("TWO", "2")
        .stdin("in")
        .ok();
    let (user, work) = (home.path().join("user"), home.work());
    assert_eq!(
        said,
        format!("1 2 {}\n{}\nin", user.display(), work.display())
    );
    assert!(
        home.abide(["-c", "echo bad >&2; exit 3"])
            .fails(3)
            .contains("bad")
    );
}

/// What [`Home`] promises at its end is a check that can fail.
#[test]
fn a_process_that_is_left_fails_the_test() {
    let outcome = std::panic::catch_unwind(|| {
        let home = Home::new("/bin/bash");
        let script = "trap '' HUP; setsid sleep 300 >/dev/null 2>&1 </dev/null & echo $!";
        let _pid = home.abide(["-c", script]).ok();
        home
    });
    let home = outcome.expect("the command itself is fine");
    let left = home.processes();
    assert_eq!(left.len(), 1, "{left:?}");
    left[0].signal(Signal::KILL);
    home.wait_empty();
}
