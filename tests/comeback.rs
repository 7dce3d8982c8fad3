//! The host alone is killed: within seconds there is a new one, and what ran is there again, by
//! itself, without a byte typed.

#![cfg(test)]

use protocol::PaneId;
use serde_json::Value;
use std::sync::atomic::{AtomicU32, Ordering};
use testkit::{FakeAgent, Home, Outer, Process, Signal, until};

const ID: &str = "6f0a3f0e-94c5-4c5e-9d0e-0a1b2c3d4e5f";

fn world() -> (Home, FakeAgent) {
    let mut home = Home::with_keeper(env!("CARGO_BIN_EXE_abide"));
    let agent = FakeAgent::install(&mut home);
    (home, agent)
}

/// An id that no other test has: one process of the user may have a conversation open.
fn own_id() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    let own = NEXT.fetch_add(1, Ordering::Relaxed) + std::process::id() * 256;
    format!("{}{own:012x}", &ID[..24])
}

/// Waits until the conversation of a pane is written down.
#[track_caller]
fn wait_known(home: &Home, pane: PaneId, id: &str) -> Value {
    until(&format!("{id} in the record of {pane}"), || {
        home.record(pane)
            .filter(|it| it["conversation"]["id"] == id)
    })
}

/// Kills the host as a crash would and waits for the one that takes its place.
#[track_caller]
fn crash(home: &Home, old: Process) -> Process {
    old.signal(Signal::KILL);
    old.wait_gone();
    until("a new host", || {
        let file = home.host_file()?;
        let pid = i32::try_from(file["pid"].as_i64()?).ok()?;
        Process::of(pid).filter(|new| *new != old && new.alive())
    })
}

/// Waits until the keeper has said what a restore came to.
#[track_caller]
fn wait_report(home: &Home, line: &str) {
    until(&format!("{line:?} in the keeper's log"), || {
        home.keeper_log().contains(line).then_some(())
    });
}

#[test]
fn a_host_that_is_killed_is_replaced_and_everything_comes_back() {
    let (home, agent) = world();
    let (pane, pid) = agent.pane(&home, &["--session-id", ID]);
    home.abide(["send", &pane.to_string(), "--enter", "hello"])
        .ok();
    home.wait_capture(pane, "you said: hello");
    let shell = home.pane(["bash"]);
    home.wait_capture(shell, "ready");
    let known = wait_known(&home, pane, ID);
    assert_eq!(known["conversation"]["how"], "live");
    until("the shell's record", || home.record(shell));
    let keeper = home.wait_keeper();

    let _new = crash(&home, home.host());
    wait_report(&home, "resumed 0 workspace(s), 2 terminal(s); 0 skipped");
    let log = home.keeper_log();
    assert!(
        log.contains("resuming 1 agent(s) on their own conversations: the host ended"),
        "{log}"
    );
    home.wait_capture(pane, "> hello\n.*you said: hello");
    home.wait_capture(shell, "ready");
    assert_eq!(home.wait_keeper(), keeper, "the same keeper");
    assert!(Process::of(pid).is_none(), "what ran is gone first");
    let starts = agent.starts();
    assert_eq!(starts.len(), 2, "{starts:?}");
    assert!(starts[1].argv.iter().any(|word| word == ID), "{starts:?}");
    agent.assert_untouched(starts[1].pid);
    let status = home.abide(["status", "--json"]).json();
    assert_eq!(status["restore"]["resumed"], 2, "{status:#}");
    assert_eq!(status["restore"]["reason"], "the host ended");
    assert_eq!(status["persistent_enabled"], true);
    assert_eq!(status["keeper_pid"], keeper.pid);
}

/// A client that is attached shows the same pane again, by itself.
#[test]
fn an_attached_client_is_there_again_by_itself() {
    let (home, agent) = world();
    let (pane, _) = agent.pane(&home, &["--session-id", ID]);
    home.abide(["send", &pane.to_string(), "--enter", "hello"])
        .ok();
    let _known = wait_known(&home, pane, ID);
    let mut window = Outer::open(&home, (80, 24), ["attach", &pane.to_string()]);
    window.wait_for("you said: hello");
    let _new = crash(&home, home.host());
    window.wait_for("the keeper starts another");
    window.wait_for("you said: hello");
    until("the client has it", || {
        let listed = home.abide(["ls", "--json"]).json();
        (listed["panes"][0]["attached"] == true).then_some(())
    });
    let last = agent.starts().pop().expect("a start");
    agent.assert_untouched(last.pid);
    window.type_bytes("more\r");
    window.wait_for("you said: more");
    window.type_bytes("\x02d");
    window.wait_end();
}

/// Each loss left a line on the window, also when all was well again; and when the keeper had started
/// three hosts within an hour and started no more, nothing said so.
#[test]
fn the_window_says_in_the_end_what_is_true_then() {
    let (home, _agent) = world();
    let pane = home.pane(["bash"]);
    home.wait_capture(pane, "ready");
    until("the shell's record", || home.record(pane));
    let name = pane.to_string();
    let open = || {
        let window = Outer::open(&home, (60, 24), ["attach", &name]);
        window.wait_for("ready");
        window
    };
    let lose = |window: &Outer| {
        let _new = crash(&home, home.host());
        window.wait_for("the keeper starts another");
        window.wait_without("the keeper starts another");
        until("the client has it", || {
            let listed = home.abide(["ls", "--json"]).json();
            (listed["panes"][0]["attached"] == true).then_some(())
        });
    };
    let mut window = open();
    lose(&window);
    lose(&window);
    window.type_bytes("\x02d");
    assert_eq!(window.wait_end(), 0);
    let text = window.text();
    let words = "abide: detached from p1; everything runs on";
    assert_eq!(text.trim(), words);

    let mut window = open();
    lose(&window);
    let host = home.host();
    host.signal(Signal::KILL);
    assert_eq!(window.wait_end(), 4);
    let text = window.text().replace('\n', "");
    let words = "abide: the host is gone: 4 hosts were lost within an hour, and the keeper starts no more; \
                 `abide` starts one, `abide logs` says why";
    assert_eq!(text.trim(), words);
}

/// What the user ended stays ended, however soon the host goes after it.
#[test]
fn what_the_user_ended_does_not_come_back() {
    let (home, agent) = world();
    let (exited, _) = agent.pane(&home, &["--session-id", ID]);
    let (killed, _) = agent.pane(&home, &[]);
    let (stays, _) = agent.pane(&home, &[]);
    let shell = home.pane(["bash"]);
    for pane in [exited, killed, stays, shell] {
        until("a record", || home.record(pane));
    }
    home.abide(["send", &exited.to_string(), "--enter", "/exit"])
        .ok();
    home.abide(["wait", &exited.to_string(), "--exit"]).ok();
    home.wait_capture(shell, "ready");
    home.abide(["send", &shell.to_string(), "--keys", "C-d"])
        .ok();
    home.abide(["wait", &shell.to_string(), "--exit"]).ok();
    home.abide(["kill", &killed.to_string()]).ok();
    let intent = |pane| home.record(pane).map(|it| it["intent"]["kind"].clone());
    for pane in [exited, killed, shell] {
        until("the user's end", || {
            intent(pane).filter(|it| it == "ended_by_user")
        });
    }
    let _new = crash(&home, home.host());
    wait_report(&home, "1 terminal(s); 3 skipped");
    let listed = home.abide(["ls", "--json"]).json();
    let panes = listed["panes"].as_array().expect("a list");
    assert_eq!(panes.len(), 1, "{listed:#}");
    assert_eq!(panes[0]["id"], stays.to_string());
}

/// An orderly shutdown ends agents with status 0; all of them come back, in whatever order host,
/// keeper and agents are told, one after the other or all at once.
#[test]
fn an_orderly_shutdown_means_nothing() {
    let orders = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];
    for signal in [Signal::TERM, Signal::HUP] {
        std::thread::scope(|scope| {
            for order in orders {
                scope.spawn(move || shut_down(signal, order, true));
            }
            scope.spawn(move || shut_down(signal, orders[0], false));
        });
    }
}

/// Ends everything by `signal`, in this order: 0 the agent, 1 the host, 2 the keeper; `each`: one is
/// told when the one before has ended by it.
fn shut_down(signal: Signal, order: [usize; 3], each: bool) {
    let (home, agent) = world();
    let id = own_id();
    let (pane, pid) = agent.pane(&home, &["--session-id", &id]);
    home.abide(["send", &pane.to_string(), "--enter", "hello"])
        .ok();
    home.wait_capture(pane, "you said: hello");
    let _known = wait_known(&home, pane, &id);
    let told = [
        Process::of(pid).expect("the agent"),
        home.host(),
        home.wait_keeper(),
    ];
    for who in order {
        told[who].signal(signal);
        // A hangup is nothing to the daemons.
        if each && (who == 0 || signal == Signal::TERM) {
            told[who].wait_gone();
        }
    }
    told[0].wait_gone();
    if signal == Signal::HUP {
        // What is left is killed, as at a shutdown's end. The keeper first, which would start another
        // host in between.
        told.iter().rev().for_each(|it| it.signal(Signal::KILL));
    }
    told.iter().for_each(Process::wait_gone);
    home.wait_empty();
    home.start();
    wait_report(&home, "1 terminal(s); 0 skipped");
    home.wait_capture(pane, "> hello\n.*you said: hello");
    agent.assert_untouched(agent.wait_live(&id));
}

/// What the user ended just before a shutdown stays ended: `/exit`, Ctrl-D, `abide kill`.
#[test]
fn what_the_user_ended_just_before_a_shutdown_stays_ended() {
    std::thread::scope(|scope| {
        for how in ["/exit", "^D", "kill"] {
            scope.spawn(move || end_and_shut_down(how));
        }
    });
}

fn end_and_shut_down(how: &str) {
    let (home, agent) = world();
    let (pane, pid) = agent.pane(&home, &[]);
    let name = pane.to_string();
    until("a record", || home.record(pane));
    match how {
        "/exit" => home.abide(["send", &name, "--enter", "/exit"]).ok(),
        "^D" => home.abide(["send", &name, "--keys", "C-d"]).ok(),
        _ => home.abide(["kill", &name]).ok(),
    };
    home.abide(["wait", &name, "--exit"]).ok();
    assert!(Process::of(pid).is_none());
    let told = [home.host(), home.wait_keeper()];
    told.iter().for_each(|it| it.signal(Signal::TERM));
    told.iter().for_each(Process::wait_gone);
    home.wait_empty();
    home.start();
    wait_report(&home, "0 terminal(s); 1 skipped");
    let kind = &home.record(pane).expect("an offer")["intent"]["kind"];
    assert_eq!(kind, "ended_by_user", "{how}");
    assert_eq!(agent.starts().len(), 1, "{how}");
}

/// Thirteen panes in two workspaces come back together, with their layouts.
#[test]
fn thirteen_panes_in_two_workspaces_come_back() {
    let (home, agent) = world();
    let mut panes = Vec::new();
    for (name, count) in [("shop", 6), ("blog", 7)] {
        let folder = home.work().join(name);
        std::fs::create_dir(&folder).expect("a folder");
        let mut window = Outer::open(&home, (100, 30), [folder.to_str().expect("text")]);
        window.wait_for(&format!(r"\[{name}\].* p\d+ "));
        window.type_bytes("\x02d");
        window.wait_end();
        for _ in 1..count {
            let said = home
                .abide(["new", "--no-attach", "--", "fake-agent"])
                .cwd(&folder)
                .ok();
            panes.push(
                said.lines()
                    .last()
                    .expect("an id")
                    .parse::<PaneId>()
                    .expect("an id"),
            );
        }
    }
    for pane in &panes {
        until("a known conversation", || {
            home.record(*pane)
                .filter(|it| it["conversation"]["id"].is_string())
        });
        home.abide(["send", &pane.to_string(), "--enter", "hello"])
            .ok();
        home.wait_capture(*pane, "you said: hello");
    }
    let before = home.records();
    let _new = crash(&home, home.host());
    wait_report(&home, "resumed 2 workspace(s), 13 terminal(s); 0 skipped");
    assert!(
        home.keeper_log()
            .contains("resuming 11 agent(s) on their own conversations: the host ended")
    );
    let status = home.abide(["status", "--json"]).json();
    assert_eq!(
        (&status["workspaces"], &status["live_agents"]),
        (&2.into(), &13.into())
    );
    for pane in &panes {
        home.wait_capture(*pane, "you said: hello");
    }
    for live in agent.live() {
        agent.assert_untouched(live["pid"].as_i64().expect("a pid") as i32);
    }
    assert_eq!(
        home.records()["workspaces"],
        before["workspaces"],
        "the layouts"
    );
    let ids = |starts: &[testkit::fake_agent::Start]| starts.len();
    assert_eq!(ids(&agent.starts()), 22);
}

/// States come to whoever asks, with what says so.
#[test]
fn states_are_told() {
    let (home, agent) = world();
    let (pane, _) = agent.pane(&home, &["--session-id", ID]);
    let name = pane.to_string();
    let wait = |state: &str| home.abide(["wait", &name, "--state", state]).ok();
    let _idle = wait("idle");
    home.abide(["send", &name, "--enter", "ask"]).ok();
    assert!(wait("needs_input").contains("osc7501"));
    let listed = home.abide(["ls", "--json"]).json();
    let shown = &listed["panes"][0];
    assert_eq!(shown["state"], "needs_input", "{shown:#}");
    assert_eq!(
        (&shown["agent"], &shown["conversation"]),
        (&"fake".into(), &ID.into())
    );
    assert!(home.abide(["ls"]).ok().contains("needs input"));
    home.abide(["send", &name, "--enter", "y"]).ok();
    let _done = wait("done");
    home.abide(["send", &name, "--enter", "hold"]).ok();
    let _working = wait("working");
    assert_eq!(
        home.abide(["wait", &name, "--state", "idle", "--timeout", "0.2"])
            .run()
            .code,
        5
    );
    agent.release();
    let _done = wait("done");
    home.abide(["send", &name, "--enter", "/exit"]).ok();
    let _exited = wait("exited");
}

/// Killed again and again while much happens, the keeper loses nothing: what is written down at the
/// end is what there is. `.ci/long` sets the rounds to a minute's.
#[test]
fn a_keeper_that_is_killed_all_the_time_loses_nothing() {
    let rounds = std::env::var("ABIDE_KEEPER_KILLS")
        .ok()
        .and_then(|it| it.parse().ok());
    let (home, agent) = world();
    let (first, pid) = agent.pane(&home, &["--session-id", ID]);
    let mut panes = Vec::new();
    for round in 0..rounds.unwrap_or(6) {
        let keeper = home.wait_keeper();
        panes.push(home.pane(["cat"]));
        home.abide(["send", &first.to_string(), "--enter", "/clear"])
            .ok();
        if round % 2 == 1 {
            home.abide(["kill", &panes[round].to_string()]).ok();
        }
        keeper.signal(Signal::KILL);
        keeper.wait_gone();
        let _next = home.abide(["keeper", "start"]).ok();
    }
    until("the conversation that is open now, in the record", || {
        let live = agent.live().into_iter().find(|it| it["pid"] == pid)?;
        let record = home.record(first)?;
        (record["conversation"]["id"] == live["sessionId"]).then_some(())
    });
    for (round, pane) in panes.iter().enumerate() {
        let want = ["open", "ended_by_user"][round % 2];
        until(&format!("{pane} {want}"), || {
            home.record(*pane).filter(|it| it["intent"]["kind"] == want)
        });
    }
}
