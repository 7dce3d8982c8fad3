//! Real programs live in an abide pane and beside it in tmux, with the same keys at the same size: at rest
//! both have to hold the same text, attributes and cursor. abide's side is what `abide capture --redraw`
//! makes of a terminal, tmux's is `capture-pane -e`. Screens that no two runs have in common (`top`,
//! `htop`) are recorded in the pane by `script`, and tmux is given what the program wrote.
//!
//! A program that is not installed is skipped with a line that says so. `ABIDE_TEST_SIZES=all` runs each
//! in three sizes. What is known to differ is in `docs/terminal.md`.

#![cfg(test)]

#[path = "beside_tmux/cells.rs"]
mod cells;
#[path = "beside_tmux/programs.rs"]
mod programs;
#[path = "beside_tmux/tmux.rs"]
mod tmux;

use cells::{Shown, differences, shown};
use programs::{PROGRAMS, Program, RECORDED};
use protocol::PaneId;
use std::path::Path;
use std::time::Duration;
use term::{Options, Silent, Size, Terminal};
use testkit::wait::{pattern, poll};
use testkit::{Home, until};
use tmux::Tmux;

/// Until both show the same. Programs redraw within a second; a machine that others use takes longer.
const LIMIT: Duration = Duration::from_secs(20);

/// Cuts of a recording.
const CUTS: usize = 4;

fn sizes() -> Vec<Size> {
    let all = [(96, 28), (80, 24), (133, 50)].map(|(cols, rows)| Size::new(cols, rows));
    match std::env::var_os("ABIDE_TEST_SIZES") {
        Some(_) => all.to_vec(),
        None => all[..1].to_vec(),
    }
}

fn installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let here = std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    if !here {
        eprintln!("skipped: no {program} here");
    }
    here
}

/// A home with what the programs look at, and a file that runs one with an environment of its own.
fn home() -> Home {
    let home = Home::new(env!("CARGO_BIN_EXE_abide"));
    home.start();
    programs::prepare(&home.work());
    home
}

fn start(home: &Home, size: Size, run: &Path) -> PaneId {
    let size = format!("{}x{}", size.cols, size.rows);
    let run = run.display().to_string();
    let words = ["new", "--no-attach", "--size", &size, "--", "sh", &run];
    let said = home.abide(words).ok();
    let id = said.lines().last().and_then(|line| line.parse().ok());
    id.unwrap_or_else(|| panic!("no pane: {said}"))
}

/// What a pane shows, by its redraw.
fn pane(home: &Home, size: Size, id: PaneId) -> Shown {
    let drawn = home.abide(["capture", &id.to_string(), "--redraw"]).ok();
    let mut terminal = Terminal::new(size, &Options::default());
    terminal.advance(drawn.as_bytes(), &mut Silent);
    shown(&terminal)
}

/// Runs a program on both sides; gives what differs at the first rest where anything does.
fn run_beside(home: &Home, tmux: &Tmux, size: Size, program: &Program) -> Option<String> {
    let run = programs::script(&home.work(), program);
    let id = start(home, size, &run);
    let session = tmux.start_file(size, &run);
    let mut found = None;
    for (n, (keys, expected)) in program.steps.iter().enumerate() {
        if !keys.is_empty() {
            home.abide(["send", &id.to_string(), keys]).ok();
            session.send(keys);
        }
        let compared = !program.moves || n + 1 == program.steps.len();
        let wanted = pattern(expected);
        let mut last = Vec::new();
        let same = poll(LIMIT, || {
            let theirs = session.shown();
            let ours = pane(home, size, id);
            last = differences(&ours, &theirs);
            if !compared {
                last.clear();
            }
            for (whose, shown) in [("abide", ours), ("tmux", theirs)] {
                if !wanted.is_match(&shown.text()) {
                    let text = shown.text();
                    last.push(format!("  {expected:?} is not on it in {whose}:\n{text}"));
                }
            }
            last.is_empty().then_some(())
        });
        if same.is_none() {
            found = Some(format!(
                "{} at {}x{} after {keys:?}:\n{}",
                program.name,
                size.cols,
                size.rows,
                last[..last.len().min(6)].join("\n")
            ));
            break;
        }
    }
    home.abide(["kill", &id.to_string()]).ok();
    found
}

#[test]
fn programs_look_as_in_tmux() {
    let Some(tmux) = Tmux::start() else { return };
    let home = home();
    let mut wrong = Vec::new();
    for program in PROGRAMS.iter().filter(|program| installed(program.needs)) {
        for size in sizes() {
            wrong.extend(run_beside(&home, &tmux, size, program));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_programs_wrote_looks_as_in_tmux() {
    let Some(tmux) = Tmux::start() else { return };
    if !installed("script") {
        return;
    }
    let home = home();
    let mut wrong = Vec::new();
    for program in RECORDED.iter().filter(|program| installed(program.needs)) {
        for size in sizes() {
            let record = home.work().join("recorded");
            let run = programs::recorder(&home.work(), program, &record);
            let id = start(&home, size, &run);
            for (keys, expected) in program.steps {
                if !keys.is_empty() {
                    home.abide(["send", &id.to_string(), keys]).ok();
                }
                home.wait_capture(id, expected);
            }
            until("the program's end", || {
                // It may drop what was typed while it drew.
                home.abide(["send", &id.to_string(), "q"]).ok();
                home.capture(id).contains("recording is over").then_some(())
            });
            let written = programs::recorded(&record);
            for part in 1..=CUTS {
                let written = &written[..written.len() * part / CUTS];
                let mut terminal = Terminal::new(size, &Options::default());
                terminal.advance(written, &mut Silent);
                let found = differences(&shown(&terminal), &tmux.replay(size, written));
                if !found.is_empty() {
                    let found = found.join("\n");
                    wrong.push(format!("{}, part {part} of {CUTS}:\n{found}", program.name));
                }
            }
            home.abide(["kill", &id.to_string()]).ok();
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
