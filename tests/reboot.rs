//! After a reboot, with nobody attached: what the machine's next start makes of what was there.

#![cfg(test)]

use protocol::PaneId;
use std::process::{Command, Stdio};
use testkit::{FakeAgent, Home, Process, Signal, until};

fn world() -> (Home, FakeAgent) {
    let mut home = Home::with_keeper(env!("CARGO_BIN_EXE_abide"));
    let agent = FakeAgent::install(&mut home);
    (home, agent)
}

/// An id that no other test has: one process of the user may have a conversation open.
fn id(test: u32) -> String {
    format!(
        "9a0a3f0e-94c5-4c5e-9d0e-{:012x}",
        std::process::id() * 256 + test
    )
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

#[track_caller]
fn wait_known(home: &Home, pane: PaneId, id: &str) {
    until(&format!("{id} in the record of {pane}"), || {
        home.record(pane)
            .filter(|it| it["conversation"]["id"] == id)
    });
}

fn type_line(home: &Home, pane: PaneId, line: &str) {
    home.abide(["send", &pane.to_string(), "--enter", line])
        .ok();
}

#[track_caller]
fn wait_report(home: &Home, line: &str) {
    until(&format!("{line:?} in the keeper's log"), || {
        home.keeper_log().contains(line).then_some(())
    });
}

/// herdr#2064, herdr#1269: a keeper that a login starts with next to nothing in its environment. The
/// agent's `PATH` and key stand in the shell's own files alone, which go elsewhere, too (Aperant#1878).
#[test]
fn a_keeper_without_an_environment_brings_agents_back() {
    let (mut home, agents) = world();
    home.set_env("FAKE_API_KEY", "typed");
    let id = id(1);
    let (pane, _) = agents.pane(&home, &["--session-id", &id]);
    type_line(&home, pane, "hello");
    home.wait_capture(pane, "you said: hello");
    wait_known(&home, pane, &id);
    power_cut(&home);
    let user = home.path().join("user");
    let bin = agents.program().parent().expect("a folder").to_owned();
    let rc = format!(
        "export PATH='{}':$PATH FAKE_API_KEY=from-the-shell\nPS1='ready$ '\ncd /\n",
        bin.display()
    );
    std::fs::write(user.join(".bashrc"), rc).expect("a file");
    std::fs::write(user.join(".bash_profile"), ". ~/.bashrc\n").expect("a file");
    let mut keeper = Command::new("env")
        .arg("-i")
        .arg(format!("HOME={}", user.display()))
        .arg(format!("ABIDE_HOME={}", home.abide_home().display()))
        .arg("SHELL=/bin/bash")
        .arg(home.exe())
        .args(["keeper", "run"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the keeper starts");
    let pid = agents.wait_live(&id);
    let start = agents.starts().pop().expect("a start");
    assert_eq!(start.pid, pid);
    assert_eq!(
        start.env["FAKE_API_KEY"], "from-the-shell",
        "{:#}",
        start.env
    );
    assert_eq!(start.cwd, home.work());
    agents.assert_untouched(pid);
    home.wait_capture(pane, "> hello\n.*you said: hello");
    home.stop();
    keeper.wait().expect("it ends with its host");
}

/// herdr#4102, overdeck#1665: many agents come back few at a time, each once. `.ci/long` says sixty.
#[test]
fn many_agents_come_back_paced() {
    let count = std::env::var("ABIDE_TEST_PANES").ok();
    let count: usize = count.and_then(|it| it.parse().ok()).unwrap_or(8);
    let (home, agents) = world();
    let panes: Vec<PaneId> = (0..count).map(|_| home.pane(["fake-agent"])).collect();
    for pane in &panes {
        home.wait_capture(*pane, "^fake>");
        type_line(&home, *pane, "hello");
    }
    let ids: Vec<String> = panes
        .iter()
        .map(|pane| {
            until("a conversation with a turn", || {
                let record = home.record(*pane)?;
                let id = record["conversation"]["id"].as_str()?.to_owned();
                let answered = |it: &serde_json::Value| it["type"] == "assistant";
                agents.transcript(&id).iter().any(answered).then_some(id)
            })
        })
        .collect();
    power_cut(&home);
    // Three are on their way at most, and each of them takes its time.
    let mut most = 0;
    let begun = std::time::Instant::now();
    home.abide(["host", "start"]).ok();
    let limit = std::time::Duration::from_secs(60 + 20 * count as u64);
    testkit::wait::until_within(limit, "all of them", || {
        let started = agents.starts().len() - count;
        let settled = (begun.elapsed().as_secs() / 4) as usize * 3;
        most = most.max(started.saturating_sub(settled + 3));
        (started == count).then_some(())
    });
    assert_eq!(most, 0, "more than three began at once");
    let pids: Vec<i32> = ids.iter().map(|id| agents.wait_live(id)).collect();
    wait_report(
        &home,
        &format!("resumed 0 workspace(s), {count} terminal(s); 0 skipped"),
    );
    assert_eq!(agents.starts().len(), 2 * count, "each once");
    pids.iter().for_each(|pid| agents.assert_untouched(*pid));
}

/// Nothing is saved over what has not come back yet (cmux#2895, cmux#2978): the keeper is killed in the middle of
/// a restore, and then everything is. The next one goes on where it was, and in the end each is there once.
#[test]
fn a_restore_that_is_cut_goes_on() {
    let (home, agents) = world();
    let ids: Vec<String> = (16..22).map(id).collect();
    let panes: Vec<PaneId> = ids
        .iter()
        .map(|id| agents.pane(&home, &["--session-id", id]).0)
        .collect();
    for (pane, id) in panes.iter().zip(&ids) {
        type_line(&home, *pane, "hello");
        home.wait_capture(*pane, "you said: hello");
        wait_known(&home, *pane, id);
    }
    let whose = home.records()["host"].clone();
    power_cut(&home);
    home.abide(["host", "start"]).ok();
    let _some = agents.wait_starts(7);
    let keeper = home.wait_keeper();
    keeper.signal(Signal::KILL);
    keeper.wait_gone();
    assert_eq!(
        home.records()["host"],
        whose,
        "what is missing is the former host's"
    );
    home.abide(["keeper", "start"]).ok();
    let _next = home.wait_keeper();
    let _more = agents.wait_starts(10);
    power_cut(&home);
    for (pane, id) in panes.iter().zip(&ids) {
        let record = home.record(*pane).expect("an offer");
        assert_eq!(record["conversation"]["id"], id.as_str(), "{record:#}");
        assert_eq!(record["intent"]["kind"], "open", "{record:#}");
    }
    home.abide(["host", "start"]).ok();
    for id in &ids {
        agents.assert_untouched(agents.wait_live(id));
    }
    let live: Vec<_> = agents.live();
    assert_eq!(live.len(), ids.len(), "{live:#?}");
    wait_report(&home, "6 terminal(s); 0 skipped");
}

/// Shells start over with their old screen readable above, as it was saved while it ran.
#[test]
fn a_shell_has_its_old_screen_above_it() {
    let home = Home::with_keeper(env!("CARGO_BIN_EXE_abide"));
    let pane = home.pane(["bash"]);
    home.wait_capture(pane, "ready");
    type_line(&home, pane, "echo what was $((6 * 7)) before");
    home.wait_capture(pane, "^what was 42 before");
    let file = home.state().join(format!("screens/{}.snapshot", pane.0));
    let limit = std::time::Duration::from_secs(90);
    testkit::wait::until_within(limit, "its saved screen", || {
        let bytes = std::fs::read(&file).ok()?;
        let snapshot = term::codec::decode_snapshot(&bytes).ok()?;
        let shown = term::Terminal::from_snapshot(&snapshot, &term::Options::default());
        shown.text().contains("\nwhat was 42 before").then_some(())
    });
    power_cut(&home);
    home.abide(["host", "start"]).ok();
    wait_report(&home, "resumed 0 workspace(s), 1 terminal(s); 0 skipped");
    let shown = home.wait_capture(pane, r"(?s)what was 42 before.*ready\$\s*ready\$\s*$");
    assert_eq!(shown.matches("\nwhat was 42 before").count(), 1, "{shown}");
    type_line(&home, pane, "echo and $((6 * 9)) after");
    home.wait_capture(pane, r"(?s)what was 42 before.*and 54 after");
}

/// A private pane comes back like any other, and nothing of what it showed is kept.
#[test]
fn a_private_pane_comes_back_and_leaves_no_copy() {
    let (home, agents) = world();
    let id = id(2);
    let new = [
        "new",
        "--private",
        "--no-attach",
        "--",
        "fake-agent",
        "--session-id",
        &id,
    ];
    let pane: PaneId = home.abide(new).ok().trim().parse().expect("an id");
    home.wait_capture(pane, "^fake>");
    type_line(&home, pane, "/title plans of the moon base");
    type_line(&home, pane, "the moon base");
    home.wait_capture(pane, "you said: the moon base");
    wait_known(&home, pane, &id);
    // Another one, which is saved: by then this one would have been, too.
    let other = home.pane(["bash"]);
    home.wait_capture(other, "ready");
    let saved = home.state().join(format!("screens/{}.snapshot", other.0));
    until("the other's screen", || saved.exists().then_some(()));
    power_cut(&home);
    home.abide(["host", "start"]).ok();
    agents.wait_live(&id);
    home.wait_capture(pane, "> the moon base\n.*you said: the moon base");
    wait_report(&home, "resumed 0 workspace(s), 2 terminal(s); 0 skipped");
    let record = home.record(pane).expect("a record");
    assert_eq!(
        (&record["private"], &record["title"]),
        (&true.into(), &"".into())
    );
    assert!(
        !home
            .state()
            .join(format!("screens/{}.snapshot", pane.0))
            .exists()
    );
    let copies = home.abide(["vault", "ls", "--json"]).json();
    assert_eq!(copies["copies"], serde_json::json!([]));
    for file in [
        "restore.json",
        "restore.json.before",
        "keeper.log",
        "host.log",
    ] {
        let text = std::fs::read(home.state_file(file)).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        assert!(!text.contains("moon base"), "{file}");
    }
}

/// Unattended, three cut turns go on at once at most; the others wait for them to end.
#[test]
fn at_most_three_cut_turns_go_on_at_once() {
    let (home, agents) = world();
    let panes: Vec<PaneId> = (0..4).map(|_| agents.pane(&home, &[]).0).collect();
    for pane in &panes {
        type_line(&home, *pane, "hold");
    }
    wait_working(&home, &panes);
    power_cut(&home);
    home.abide(["host", "start"]).ok();
    until("three turns that go on", || {
        (agents.events("continued").len() == 3).then_some(())
    });
    // Longer than an agent holds its place among those that start.
    testkit::wait::holds_for(
        std::time::Duration::from_secs(6),
        "the fourth waits",
        || agents.events("continued").len() == 3 && agents.starts().len() == 7,
    );
    agents.release();
    until("the fourth", || {
        (agents.events("continued").len() == 4).then_some(())
    });
}

#[track_caller]
fn wait_working(home: &Home, panes: &[PaneId]) {
    for pane in panes {
        until(&format!("{pane} at work"), || {
            home.record(*pane)
                .filter(|it| it["state"]["state"] == "working")
        });
    }
}

/// A login or a limit that one of them meets stops further ones; they open and wait at their prompts.
#[test]
fn a_rate_limit_stops_further_turns() {
    let (home, agents) = world();
    let panes: Vec<PaneId> = (0..4).map(|_| agents.pane(&home, &[]).0).collect();
    for pane in &panes {
        type_line(&home, *pane, "hold");
    }
    wait_working(&home, &panes);
    agents.settings(&["answer usage limit reached, try again at 5pm"]);
    power_cut(&home);
    home.abide(["host", "start"]).ok();
    let starts = agents.wait_starts(8);
    wait_report(&home, "no further turn goes on by itself");
    assert!(home.keeper_log().contains("usage limit reached"));
    assert_eq!(agents.events("continued").len(), 3);
    home.wait_capture(*panes.last().expect("four"), "^fake>");
    assert!(
        starts
            .iter()
            .all(|start| agents.typed(start.pid).iter().all(|it| it == "hold"))
    );
}

/// Our own count of turns that were cut in a row is kept over all starts: the fourth time it waits.
#[test]
fn a_crash_loop_ends_after_three_turns() {
    let (home, agents) = world();
    let id = id(3);
    let (pane, _) = agents.pane(&home, &["--session-id", &id]);
    type_line(&home, pane, "hold");
    wait_working(&home, &[pane]);
    for round in 1..=4 {
        power_cut(&home);
        home.abide(["host", "start"]).ok();
        let _starts = agents.wait_starts(round + 1);
        agents.wait_live(&id);
        let goes_on = round.min(3);
        until("turns that went on", || {
            (agents.events("continued").len() == goes_on).then_some(())
        });
        let record = home.record(pane).expect("a record");
        assert_eq!(record["continues"], goes_on, "{record:#}");
        if round < 4 {
            wait_working(&home, &[pane]);
        }
    }
    home.wait_capture(pane, "(?s)> hold.*fake>");
    assert_eq!(agents.events("continued").len(), 3);
    // A turn that comes to its end begins the count anew.
    type_line(&home, pane, "hello");
    home.wait_capture(pane, "you said: hello");
    until("a count of none", || {
        home.record(pane).filter(|it| it["continues"] == 0)
    });
    let dry = home.abide(["restore", "--dry-run", "--json"]).json();
    assert_eq!(dry["panes"].as_array().map(Vec::len), Some(1), "{dry}");
    assert_eq!(dry["panes"][0]["runs"], true, "{dry}");
}

/// A dialog at the start needs input: that is told, nothing is typed.
#[test]
fn a_dialog_at_the_start_needs_input() {
    let (home, agents) = world();
    let id = id(4);
    let (pane, _) = agents.pane(&home, &["--session-id", &id]);
    type_line(&home, pane, "hello");
    home.wait_capture(pane, "you said: hello");
    wait_known(&home, pane, &id);
    agents.settings(&["on-resume notice"]);
    power_cut(&home);
    home.abide(["host", "start"]).ok();
    let start = agents.wait_starts(2).pop().expect("a start");
    let name = pane.to_string();
    home.wait_capture(pane, "Press Enter");
    home.abide(["wait", &name, "--state", "needs_input"]).ok();
    assert!(home.abide(["ls"]).ok().contains("needs input"));
    agents.assert_untouched(start.pid);
    home.abide(["send", &name, "--keys", "Enter"]).ok();
    home.wait_capture(pane, "(?s)> hello.*you said: hello");
    assert_eq!(agents.read(start.pid), b"\r", "the user's one Enter");
    assert!(Process::of(start.pid).is_some());
}
