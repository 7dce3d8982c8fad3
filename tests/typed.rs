//! An agent typed into a shell, in each way people start one: it is known, comes back as the pane's
//! program in its own conversation, and the shell it was typed into is there when it ends.

#![cfg(test)]

use protocol::PaneId;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use testkit::{FakeAgent, Home, Signal, until};

/// `mise exec -- CMD` as far as it matters here: it becomes the command.
const MISE: &str = "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\nshift\nexec \"$@\"\n";

fn id(test: u32) -> String {
    format!(
        "7c0a3f0e-94c5-4c5e-9d0e-{:012x}",
        std::process::id() * 256 + test
    )
}

/// A home with shells that have a prompt, an alias, `mise`, and the agent as a package of the folder.
fn world() -> (Home, FakeAgent) {
    let mut home = Home::with_keeper(env!("CARGO_BIN_EXE_abide"));
    let agents = FakeAgent::install(&mut home);
    let bin = agents.program().parent().expect("a folder").to_owned();
    let write = |path: &Path, text: &str| std::fs::write(path, text).expect("a file");
    let rc = "PS1='ready$ '\nalias ai='fake-agent --permission-mode plan'\n";
    write(&home.path().join("user/.bashrc"), rc);
    write(&home.path().join("user/.zshrc"), rc);
    write(&bin.join("mise"), MISE);
    std::fs::set_permissions(bin.join("mise"), PermissionsExt::from_mode(0o755)).expect("a mode");
    let local = home.work().join("node_modules/.bin");
    std::fs::create_dir_all(&local).expect("a folder");
    write(&home.work().join("package.json"), "{\"name\":\"work\"}\n");
    std::os::unix::fs::symlink(agents.program(), local.join("fake-agent")).expect("a link");
    (home, agents)
}

/// The power goes.
fn power_cut(home: &Home) {
    let (host, root, keeper) = (home.host(), home.root_reaper(), home.wait_keeper());
    keeper.signal(Signal::KILL);
    root.iter().for_each(|root| root.signal(Signal::KILL));
    host.signal(Signal::KILL);
    keeper.wait_gone();
    home.wait_empty();
}

fn has(program: &str) -> bool {
    let there = std::process::Command::new(program)
        .arg("--version")
        .output()
        .is_ok_and(|it| it.status.success());
    if !there {
        println!("skipped: there is no {program}");
    }
    there
}

fn send(home: &Home, pane: PaneId, line: &str) {
    home.abide(["send", &pane.to_string(), "--enter", line])
        .ok();
}

/// Types each line into a pane of `shell`, cuts the power, and looks at what comes back.
fn check(shell: &str, lines: &[&str]) {
    let (home, agents) = world();
    let started: Vec<(PaneId, String, &str)> = lines
        .iter()
        .zip(0..)
        .map(|(line, n)| {
            let id = id(n);
            let pane = home.pane([shell]);
            home.wait_capture(pane, r"ready\$");
            send(&home, pane, &format!("{line} --session-id {id}"));
            home.wait_capture(pane, "^fake>");
            send(&home, pane, "hello");
            home.wait_capture(pane, "you said: hello");
            (pane, id, *line)
        })
        .collect();
    for (pane, id, line) in &started {
        let record = until(&format!("`{line}` in {shell} written down"), || {
            home.record(*pane)
                .filter(|it| it["conversation"]["id"] == id.as_str())
        });
        assert_eq!(record["agent"]["cli"], "fake", "{line}");
        assert_eq!(record["agent"]["typed"], true, "{line}");
    }
    power_cut(&home);
    home.abide(["restore"]).ok();
    for (pane, id, line) in &started {
        let pid = agents.wait_live(id);
        home.wait_capture(*pane, "you said: hello");
        assert_eq!(agents.typed(pid), [""; 0], "{line}: nothing is typed");
        let start = agents.starts().into_iter().find(|it| it.pid == pid);
        let argv = start.expect("its start").argv;
        let plan = argv.iter().any(|it| it == "plan");
        assert_eq!(plan, line.starts_with("ai"), "{line}: {argv:?}");
        send(&home, *pane, "/exit");
        home.wait_capture(*pane, r"ready\$\s*$");
        send(&home, *pane, "echo sh=$0");
        home.wait_capture(*pane, &format!("^sh=.*{shell}"));
    }
}

fn ways() -> Vec<&'static str> {
    let mut ways = vec!["fake-agent", "ai", "mise exec -- fake-agent"];
    if has("npx") {
        ways.push("npx --no-install fake-agent");
    }
    ways
}

/// What was typed counts as much as what abide started.
#[test]
fn in_bash() {
    check("bash", &ways());
}

#[test]
fn in_zsh() {
    if has("zsh") {
        check("zsh", &ways());
    }
}
