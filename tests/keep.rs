//! Tools that a user wants to keep outlive the pane they were started in, its host and every sweep;
//! whatever else was started there does not.

#![cfg(test)]

use std::path::{Path, PathBuf};
use testkit::{Home, Process, Signal, until};

/// A home in which a tool of its own name can be started; what is left of it is ended at the end.
struct Kept {
    home: Home,
    tool: PathBuf,
    left: Vec<Process>,
}

fn said(dir: &Path, name: &str) -> Process {
    let text = until(name, || std::fs::read_to_string(dir.join(name)).ok());
    Process::of(text.trim().parse().expect("a number")).expect("it lives")
}

impl Kept {
    fn new() -> Self {
        let home = Home::new(env!("CARGO_BIN_EXE_abide"));
        let tool = home.work().join("tool");
        std::fs::copy("/bin/sleep", &tool).expect("sleep is there");
        let left = Vec::new();
        Self { home, tool, left }
    }

    /// A pane with the tool and something else, both daemons; both say their pid in `name`s.
    fn pane(&mut self, words: &[&str], name: &str) -> (String, Process, Process) {
        let dir = self.home.work();
        let script = format!(
            "cd '{}'
             (setsid sh -c 'echo $$ >{name}.1; mv {name}.1 {name}; exec ./tool 1000' &)
             (setsid sh -c 'echo $$ >{name}.2; mv {name}.2 {name}.other; exec sleep 1000' &)
             sleep 1000; exit",
            dir.display()
        );
        let mut line = vec!["new", "--no-attach"];
        line.extend(words);
        line.extend(["--", "sh", "-c", &script]);
        let pane = self.home.abide(line).ok().trim().to_owned();
        let (tool, other) = (said(&dir, name), said(&dir, &format!("{name}.other")));
        until("the tool runs", || {
            let exe = std::fs::read_link(format!("/proc/{}/exe", tool.pid)).ok()?;
            (exe == self.tool.canonicalize().ok()?).then_some(())
        });
        self.left.push(tool);
        (pane, tool, other)
    }

    fn path(&self) -> String {
        self.tool.display().to_string()
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.left.iter().for_each(|it| it.signal(Signal::KILL));
    }
}

#[test]
fn a_kept_tool_outlives_pane_host_and_sweeps() {
    let mut kept = Kept::new();
    let path = kept.path();
    let (pane, tool, other) = kept.pane(&["--keep", &path], "one");
    let _said = kept.home.abide(["kill", &pane]).ok();
    other.wait_gone();
    assert!(tool.alive(), "the pane is closed");
    let clean = kept.home.abide(["doctor", "--reap"]).ok();
    assert_eq!(clean.trim(), "no program is without its reaper");
    let _said = kept.home.abide(["host", "stop"]).ok();
    assert!(tool.alive(), "the host has ended");
    let clean = kept.home.abide(["doctor", "--reap"]).ok();
    assert_eq!(clean.trim(), "no program is without its reaper");
    let _seen = kept.home.start();
    assert!(tool.alive(), "the next host swept");
}

#[test]
fn a_kept_tool_outlives_a_killed_host_and_a_killed_reaper() {
    let mut kept = Kept::new();
    let path = kept.path();
    let (_, tool, other) = kept.pane(&["--keep", &path], "one");
    let root = kept.home.root_reaper().expect("a root reaper");
    kept.home.host().signal(Signal::KILL);
    other.wait_gone();
    root.wait_gone();
    assert!(tool.alive(), "the host was killed");
    let (pane, tool, other) = kept.pane(&["--keep", &path], "two");
    let list = kept.home.abide(["ls", "--json"]).json();
    assert!(list.to_string().contains(&pane), "{list}");
    let reaper = until("the reaper", || {
        let above = |it: Process| it.stat().and_then(|it| Process::of(it.parent));
        above(tool).filter(|it| it.command().contains("__reaper"))
    });
    reaper.signal(Signal::KILL);
    other.wait_gone();
    assert!(tool.alive(), "its reaper was killed");
}

/// As the setting says, and only what was named: without either everything goes.
#[test]
fn the_setting_keeps_too_and_without_either_nothing_is_kept() {
    let mut kept = Kept::new();
    let (pane, tool, other) = kept.pane(&[], "one");
    let _said = kept.home.abide(["kill", &pane]).ok();
    tool.wait_gone();
    other.wait_gone();
    let path = kept.path();
    let _said = kept
        .home
        .abide(["config", "set", "reaper.keep", &path])
        .ok();
    let (pane, tool, other) = kept.pane(&[], "two");
    let _said = kept.home.abide(["kill", &pane]).ok();
    other.wait_gone();
    assert!(tool.alive());
}

#[test]
fn what_cannot_be_kept_is_told() {
    let home = Home::new(env!("CARGO_BIN_EXE_abide"));
    let said = home
        .abide(["new", "--no-attach", "--keep", "/no/tool", "--", "true"])
        .run();
    assert_eq!(said.code, 2);
    assert!(
        said.stderr.contains("--keep /no/tool: no such program"),
        "{}",
        said.stderr
    );
    let line = ["new", "--agent", "claude", "--keep", "sleep", "--no-attach"];
    let said = home.abide(line).run();
    assert_eq!(said.code, 2);
    assert!(
        said.stderr.contains("ends with its pane"),
        "{}",
        said.stderr
    );
    assert!(home.host_file().is_none(), "nothing was started");
    let said = home.abide(["config", "set", "reaper.keep", "adb"]).run();
    assert!(said.stderr.contains("absolute paths"), "{}", said.stderr);
}
