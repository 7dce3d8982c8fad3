//! Panes come back: commands on real records, a real host, fake agents, and no keeper.

#![cfg(test)]

use restore::record::{AgentRecord, Conversation, How, PaneRecord, Seen};
use restore::{Intent, Store, Text};
use serde_json::Value;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use testkit::{FakeAgent, Home, Outer, Signal, until};

/// A conversation's id that no other test has: one process of the user may have one open.
fn id_of(number: u32) -> &'static str {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    thread_local! {
        static TEST: u32 = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    let test = TEST.with(|test| *test) + std::process::id() * 1_000;
    let id = format!("0a1b2c3d-0000-4000-800{number}-{test:012x}");
    Box::leak(id.into_boxed_str())
}

fn home() -> (Home, FakeAgent) {
    let mut home = Home::new(env!("CARGO_BIN_EXE_abide"));
    let agent = FakeAgent::install(&mut home);
    (home, agent)
}

fn store(home: &Home) -> Store {
    Store::open(&home.state()).expect("the store")
}

fn write(home: &Home, panes: &[PaneRecord]) {
    let store = store(home);
    panes
        .iter()
        .for_each(|pane| drop(store.put_pane(pane).expect("written")));
}

fn record(home: &Home, id: u32) -> PaneRecord {
    let document = store(home).document().expect("readable");
    document
        .pane(id)
        .unwrap_or_else(|| panic!("p{id} is written down"))
}

fn shell(home: &Home, id: u32) -> PaneRecord {
    PaneRecord {
        id,
        argv: vec!["/bin/bash".into()],
        cwd: home.work().into(),
        shell: true,
        ..PaneRecord::default()
    }
}

/// The fake agent as a pane's own program.
fn agent(home: &Home, id: u32, conversation: &str, args: &[&str]) -> PaneRecord {
    let mut argv: Vec<Text> = vec!["fake-agent".into()];
    argv.extend(args.iter().map(|word| Text::from(*word)));
    PaneRecord {
        argv: argv.clone(),
        shell: false,
        agent: Some(AgentRecord {
            cli: "fake".into(),
            argv,
            cwd: home.work().into(),
            ..AgentRecord::default()
        }),
        conversation: Some(Conversation {
            id: conversation.into(),
            how: How::Live,
            at: 1,
            transcript: Some("seen".into()),
            permission: None,
            asked: None,
            rest: serde_json::Map::new(),
        }),
        ..shell(home, id)
    }
}

/// A conversation with one turn in it, and the pane it was held in.
fn talk(home: &Home, agent: &FakeAgent, id: &str) -> u32 {
    let (pane, _) = agent.pane(home, &["--session-id", id]);
    home.abide(["send", &pane.to_string(), "--enter", "hello"])
        .ok();
    until("the turn in the transcript", || {
        let lines = agent.transcript(id);
        lines
            .iter()
            .any(|line| line["type"] == "assistant")
            .then_some(())
    });
    pane.0
}

/// The power goes: host and root reaper die at once, and all they had with them.
fn power_cut(home: &Home) {
    let host = home.host();
    if let Some(root) = home.root_reaper() {
        root.signal(Signal::KILL);
    }
    host.signal(Signal::KILL);
    home.wait_empty();
}

fn panes(home: &Home) -> Vec<(String, bool)> {
    let listed = home.abide(["ls", "--json"]).json();
    let panes = listed["panes"].as_array().expect("a list");
    let of = |pane: &Value| {
        let id = pane["id"].as_str().expect("an id").to_owned();
        (id, pane["alive"] == true)
    };
    panes.iter().map(of).collect()
}

/// herdr#126, superset#3496: after the machine restarted every agent is in its own conversation.
#[test]
fn what_was_there_comes_back_on_its_own_conversation() {
    let (home, agents) = home();
    let (id, other) = (id_of(1), id_of(2));
    let one = talk(&home, &agents, id);
    let two = talk(&home, &agents, other);
    // The newest file of the folder is the second one's (claude-code#39151, daintree#11052).
    let mut first = agent(&home, one, id, &["--session-id", id, "do it"]);
    first.name = Some("builder".into());
    write(
        &home,
        &[first, agent(&home, two, other, &[]), shell(&home, 9)],
    );
    power_cut(&home);

    let dry = home.abide(["restore", "--dry-run", "--json"]).json();
    assert_eq!(
        (&dry["resume"], &dry["shell"], &dry["blocked"]),
        (&2.into(), &1.into(), &0.into())
    );
    assert!(home.hosts().is_empty(), "a dry run starts nothing");
    let before = agents.starts().len();
    let line = home.abide(["restore"]).ok();
    assert_eq!(
        line.trim(),
        "resumed 0 workspace(s), 3 terminal(s); 0 skipped"
    );

    let (pid_one, pid_two) = (agents.wait_live(id), agents.wait_live(other));
    let starts = agents.starts();
    assert_eq!(starts.len(), before + 2, "each is started once");
    let argv = |pid: i32| {
        let start = starts
            .iter()
            .find(|start| start.pid == pid)
            .expect("it started");
        start.argv[1..].join(" ")
    };
    assert_eq!(
        argv(pid_one),
        format!("--resume {id}"),
        "no first prompt, no old id"
    );
    assert_eq!(argv(pid_two), format!("--resume {other}"));
    // No byte was typed into either (cmux#9831).
    for pid in [pid_one, pid_two] {
        agents.assert_untouched(pid);
    }
    let ids: Vec<String> = panes(&home).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids.len(), 3);
    assert!(
        ids.contains(&format!("p{one}")) && ids.contains(&"p9".to_owned()),
        "{ids:?}"
    );
    assert_eq!(record(&home, one).conversation.unwrap().how, How::Resumed);
    // What runs is left alone.
    let again = home.abide(["restore"]).ok();
    assert_eq!(
        again.trim(),
        "resumed 0 workspace(s), 0 terminal(s); 0 skipped"
    );
    assert_eq!(agents.starts().len(), before + 2);
}

/// agent-deck#224, orca#13932: whoever starts it, and however many at once, there is one process.
#[test]
fn two_restores_at_once_start_each_pane_once() {
    let (home, agents) = home();
    let id = id_of(1);
    let one = talk(&home, &agents, id);
    write(&home, &[agent(&home, one, id, &[])]);
    power_cut(&home);
    let before = agents.starts().len();
    let running: Vec<_> = (0..3).map(|_| home.abide(["restore"]).spawn()).collect();
    for one in running {
        assert_eq!(one.finish().code, 0);
    }
    agents.wait_live(id);
    assert_eq!(agents.starts().len(), before + 1);
}

/// An agent that was typed into bash is the pane's program; when it ends, bash is there.
#[test]
fn the_shell_starts_when_a_typed_agent_ends() {
    let (home, agents) = home();
    let id = id_of(1);
    talk(&home, &agents, id);
    let mut pane = agent(&home, 5, id, &[]);
    (pane.argv, pane.shell) = (vec!["/bin/bash".into()], true);
    pane.agent.as_mut().unwrap().typed = true;
    write(&home, &[pane]);
    power_cut(&home);
    home.abide(["restore"]).ok();
    let pid = agents.wait_live(id);
    home.wait_capture(protocol::PaneId(5), "^fake>");
    // Keys that make signals reach the agent, and nothing else of the pane.
    home.abide(["send", "p5", "--keys", "C-z"]).ok();
    home.abide(["send", "p5", "--enter", "hello again"]).ok();
    home.wait_capture(protocol::PaneId(5), "you said: hello again");
    assert_eq!(agents.wait_live(id), pid);
    home.abide(["send", "p5", "--enter", "/exit"]).ok();
    home.wait_capture(protocol::PaneId(5), r"ready\$\s*$");
    // A shell with its terminal in order: it echoes, and Ctrl-C ends what runs in it alone.
    // What is typed while bash still reads is echoed by bash, not by the terminal: cat runs first.
    home.abide(["send", "p5", "--enter", "echo ru''ns; cat"])
        .ok();
    home.wait_capture(protocol::PaneId(5), "^runs");
    home.abide(["send", "p5", "--enter", "echoed"]).ok();
    home.wait_capture(protocol::PaneId(5), "echoed\nechoed");
    home.abide(["send", "p5", "--keys", "C-c"]).ok();
    home.abide(["send", "p5", "--enter", "echo st=$? $PWD"])
        .ok();
    let shown = home.wait_capture(protocol::PaneId(5), "st=130");
    assert!(shown.contains(&*home.work().to_string_lossy()), "{shown}");
}

/// A CLI that says the conversation is not there is asked once, and the record stays an offer
/// (claude-code#18881, overdeck#2895, herdr#2517).
#[test]
fn a_lost_conversation_keeps_its_record_and_the_clis_words() {
    let (home, agents) = home();
    let id = id_of(1);
    let one = talk(&home, &agents, id);
    write(&home, &[agent(&home, one, id, &[])]);
    power_cut(&home);
    agents.settings(&["on-resume lost"]);
    let before = agents.starts().len();
    let out = home.abide(["restore"]).run();
    let said = out.stderr;
    assert!(
        said.contains("No conversation found with session ID"),
        "{said}"
    );
    assert_eq!(agents.starts().len(), before + 1, "it is asked once");
    let kept = record(&home, one);
    assert_eq!(kept.conversation.unwrap().id, id);
    assert_eq!(kept.intent, Intent::Open);
    assert!(kept.failure.unwrap().contains("No conversation found"));
    let shown = home.capture(protocol::PaneId(one));
    assert!(shown.contains("No conversation found"), "{shown}");
    // It stays so by itself, and the user can try again.
    let offered = home.abide(["reopen", "--json"]).json();
    assert_eq!(offered[0]["conversation"], id, "{offered}");
    agents.settings(&[]);
    let reopened = home.abide(["reopen", &format!("p{one}")]).ok();
    assert_eq!(reopened.trim(), format!("p{one}"));
    agents.wait_live(id);
    assert_eq!(record(&home, one).failure, None);
}

/// A CLI that opens another conversation than the one it is asked for (herdr#3671, gemini-cli#24808) is found out
/// without a keeper, too: by the command that brings it back.
#[test]
fn another_conversation_is_told_by_the_command_that_brings_it_back() {
    let (home, agents) = home();
    let id = id_of(1);
    let one = talk(&home, &agents, id);
    write(&home, &[agent(&home, one, id, &[])]);
    power_cut(&home);
    agents.settings(&["on-resume other"]);
    let before = agents.starts().len();
    let out = home.abide(["restore"]).run();
    assert!(out.stdout.contains("1 blocked"), "{out:?}");
    let words = format!("asked for {}, it opened ", &id[..8]);
    assert!(out.stderr.contains(&words), "{out:?}");
    let kept = record(&home, one);
    let known = kept.conversation.expect("the one that was asked for");
    assert_eq!((known.id.as_str(), kept.tries), (id, 1));
    let failure = kept.failure.expect("why");
    assert!(failure.starts_with(&words), "{failure}");
    let opened = kept.opened.expect("which");
    assert_eq!(failure, format!("{words}{}", &opened[..8]));
    assert!(home.abide(["ls"]).run().stderr.contains(&failure));
    assert_eq!(agents.starts().len(), before + 1, "it is left alone");
    agents.settings(&[]);
    let reopened = home.abide(["reopen", &format!("p{one}")]).ok();
    assert_ne!(reopened.trim(), format!("p{one}"));
    agents.wait_live(id);
    let new: u32 = reopened.trim()[1..].parse().expect("a pane");
    let found = record(&home, new);
    let known = found.conversation.expect("its own");
    assert_eq!((known.id.as_str(), known.asked), (id, None));
    assert_eq!(found.opened, None);
}

/// The first try may meet a machine that is still busy with its start.
#[test]
fn an_agent_that_crashes_at_first_is_tried_again() {
    let (home, agents) = home();
    let id = id_of(1);
    let one = talk(&home, &agents, id);
    write(&home, &[agent(&home, one, id, &[])]);
    power_cut(&home);
    agents.settings(&["on-resume crash:1:boom"]);
    let before = agents.starts().len();
    let line = home.abide(["restore"]).ok();
    assert!(line.contains("1 terminal(s); 0 skipped"), "{line}");
    agents.wait_live(id);
    assert_eq!(agents.starts().len(), before + 2);
}

/// A CLI with one writer a conversation refuses while another process has it (codex#37552, codex#43374, OxiMux#8):
/// it is asked again after a while, three times at most, and never given another conversation (t3code#7414).
#[test]
fn a_conversation_that_is_refused_is_asked_for_again_a_few_times() {
    let (home, agents) = home();
    let (soon, never) = (id_of(1), id_of(2));
    let panes = [soon, never].map(|id| (talk(&home, &agents, id), id));
    let refuses = "on-resume crash:1:that conversation is open in another fake-agent";
    let words = "that conversation is open in another fake-agent";
    write(&home, &[agent(&home, panes[0].0, soon, &[])]);
    power_cut(&home);
    agents.settings(&[refuses]);
    let before = agents.starts().len();
    let line = home.abide(["restore"]).ok();
    assert!(line.contains("1 terminal(s); 0 skipped"), "{line}");
    agents.wait_live(soon);
    assert_eq!(agents.starts().len(), before + 2);

    write(&home, &[agent(&home, panes[1].0, never, &[])]);
    agents.settings(&[&refuses.replace(":1:", ":0:")]);
    let before = agents.starts().len();
    let out = home.abide(["restore"]).run();
    assert!(out.stdout.contains("1 blocked"), "{out:?}");
    assert!(out.stderr.contains(words), "{out:?}");
    let starts = agents.starts();
    assert_eq!(starts.len(), before + 3, "three tries");
    let asked = |start: &testkit::fake_agent::Start| start.argv[1..] == ["--resume", never];
    assert!(starts[before..].iter().all(asked), "{starts:#?}");
    let kept = record(&home, panes[1].0);
    assert_eq!(kept.conversation.expect("the offer").id, never);
    assert!(kept.failure.expect("why").contains(words));
}

/// A process outside abide has the conversation (claude-code#83719: two writers fork it; Yorishiro#115: a
/// left-over server holds the lock): it is named, not ended, and once it is gone the pane can be had.
#[test]
fn who_holds_a_conversation_is_named_and_left_alone() {
    let (home, agents) = home();
    let id = id_of(1);
    let one = talk(&home, &agents, id);
    write(&home, &[agent(&home, one, id, &[])]);
    power_cut(&home);
    let mut command = std::process::Command::new(agents.program());
    command.args(["--lock", "--resume", id]);
    command.current_dir(home.work());
    command.env_clear().envs(home.env().iter().cloned());
    let holder = Outer::run(command, (80, 24));
    let pid = agents.wait_live(id);
    let before = agents.starts().len();
    let dry = home.abide(["restore", "--dry-run"]).ok();
    let held = format!("held by pid {pid}");
    assert!(dry.contains(&held), "{dry}");
    let out = home.abide(["restore"]).run();
    assert!(out.stdout.contains("1 blocked"), "{out:?}");
    assert!(out.stderr.contains(&held), "{out:?}");
    assert_eq!((agents.starts().len(), agents.wait_live(id)), (before, pid));
    drop(holder);
    until("its end", || agents.live().is_empty().then_some(()));
    home.abide(["reopen", &format!("p{one}")]).ok();
    assert_ne!(agents.wait_live(id), pid);
}

/// The folder is gone: the agent does not start elsewhere, its pane says so, and it comes back when
/// the folder does (claude-code#28745, #68525).
#[test]
fn a_blocked_pane_says_why_and_can_be_tried_again() {
    let (home, agents) = home();
    let id = id_of(1);
    talk(&home, &agents, id);
    let folder = home.work().join("-odd\nname");
    let mut pane = agent(&home, 4, id, &[]);
    pane.agent.as_mut().unwrap().cwd = folder.clone().into();
    write(&home, &[pane]);
    power_cut(&home);
    let before = agents.starts().len();
    let line = home.abide(["restore"]).ok();
    assert!(line.trim().ends_with("0 skipped, 1 blocked"), "{line}");
    let shown = home.wait_capture(protocol::PaneId(4), r"ready\$\s*$");
    assert!(
        shown.contains("did not come back") && shown.contains("is gone"),
        "{shown}"
    );
    assert_eq!(agents.starts().len(), before);
    assert_eq!(record(&home, 4).conversation.unwrap().id, id);
    std::fs::create_dir(&folder).expect("the folder");
    let offered = home.abide(["reopen"]).ok();
    assert!(
        offered.contains("p4") && offered.contains("is gone"),
        "{offered}"
    );
    // Nothing runs in the shell in its place: the agent comes back there.
    let reopened = home.abide(["reopen", "p4"]).ok();
    assert_eq!(reopened.trim(), "p4");
    agents.wait_live(id);
    let start = agents.starts().pop().expect("it started");
    assert_eq!(start.cwd, folder);
    assert_eq!(record(&home, 4).conversation.expect("its own").id, id);
}

/// cmux#4149, claude-code#79789: what the user ended stays ended, and can be had back.
/// Beside a host that runs, a dry run tells what a restart of the machine would bring back.
#[test]
fn a_dry_run_beside_what_runs_tells_of_a_restart() {
    let (home, agents) = home();
    let id = id_of(7);
    talk(&home, &agents, id);
    write(&home, &[agent(&home, 4, id, &[]), shell(&home, 5)]);
    home.abide(["restore"]).ok();
    agents.wait_live(id);
    let starts = agents.starts().len();
    let told = home.abide(["restore", "--dry-run"]).ok();
    assert!(told.contains("p4  resume   fake  runs; "), "{told}");
    let dry = home.abide(["restore", "--dry-run", "--json"]).json();
    assert_eq!(
        (&dry["resume"], &dry["shell"]),
        (&1.into(), &1.into()),
        "{dry:#}"
    );
    assert_eq!(dry["panes"][0]["runs"], true, "{dry:#}");
    assert_eq!(agents.starts().len(), starts, "it starts nothing");
}

#[test]
fn what_the_user_ended_is_offered_and_not_started() {
    let (home, agents) = home();
    let id = id_of(1);
    let one = talk(&home, &agents, id);
    let mut ended = agent(&home, one, id, &[]);
    ended.intent = Intent::EndedByUser { at: 7 };
    write(&home, &[ended, shell(&home, 9)]);
    power_cut(&home);
    let line = home.abide(["restore"]).ok();
    assert_eq!(
        line.trim(),
        "resumed 0 workspace(s), 1 terminal(s); 1 skipped"
    );
    let offered = home.abide(["reopen", "--json"]).json();
    assert_eq!(offered.as_array().map(Vec::len), Some(1));
    assert_eq!(offered[0]["conversation"], id);
    home.abide(["reopen", &format!("p{one}")]).ok();
    agents.wait_live(id);
    assert_eq!(record(&home, one).intent, Intent::Open);
    let text = home.abide(["reopen", "p77"]).fails(3);
    assert!(text.contains("nothing is written down of `p77`"), "{text}");
}

#[test]
fn fresh_lets_go_and_undo_takes_back() {
    let (home, _agents) = home();
    let id = id_of(1);
    let mut pane = agent(&home, 4, id, &[]);
    pane.workspace = Some("shop-1".into());
    write(&home, &[pane.clone(), shell(&home, 9)]);
    let mut shop = link::layout::Workspace::new("shop-1", "shop", home.work().to_string_lossy());
    shop.add_tab(4);
    store(&home).merge_workspace(&shop).expect("written");
    let text = home.abide(["fresh", "shop"]).fails(2);
    assert!(
        text.contains("--yes"),
        "nobody is there to be asked: {text}"
    );
    home.abide(["fresh", "shop", "--yes"]).ok();
    let document = store(&home).document().expect("readable");
    assert_eq!((document.pane(4), document.workspaces().len()), (None, 0));
    assert!(document.pane(9).is_some(), "the rest stays");
    home.abide(["restore", "--undo"]).ok();
    let document = store(&home).document().expect("readable");
    assert_eq!(document.pane(4), Some(pane));
    assert_eq!(document.workspaces(), [shop]);
    let text = home.abide(["restore", "--undo"]).fails(1);
    assert!(text.contains("nothing to take back"), "{text}");
    home.abide(["fresh", "p9", "--yes"]).ok();
    assert_eq!(store(&home).document().expect("readable").pane(9), None);
    assert!(home.hosts().is_empty(), "none of it needs a host");
}

/// Closing a workspace ends its programs; opening its folder brings every one back, in its place.
#[test]
fn a_closed_workspace_comes_back_when_its_folder_is_opened() {
    let (home, agents) = home();
    let id = id_of(1);
    let shop = home.work().join("shop");
    std::fs::create_dir(&shop).expect("a folder");
    let open = || {
        let none: [&str; 0] = [];
        Outer::run(home.abide(none).cwd(&shop).command(), (100, 30))
    };
    let mut window = open();
    window.wait_for(r"ready\$");
    let listed = home.abide(["ls", "--json"]).json();
    let workspace = listed["workspaces"][0]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    home.abide(["new", "--no-attach", "--", "fake-agent", "--session-id", id])
        .cwd(&shop)
        .ok();
    home.abide(["send", "p2", "--enter", "hello"]).ok();
    until("the turn", || {
        (agents.transcript(id).len() > 1).then_some(())
    });
    let mut two = agent(&home, 2, id, &["--session-id", id]);
    two.agent.as_mut().unwrap().cwd = shop.clone().into();
    let mut one = shell(&home, 1);
    one.cwd = shop.clone().into();
    for pane in [&mut one, &mut two] {
        pane.workspace = Some(workspace.clone());
        pane.state = Some(Seen::default());
    }
    write(&home, &[one, two]);

    home.abide(["close", "shop"]).ok();
    window.wait_end();
    assert!(panes(&home).is_empty());
    assert!(matches!(
        record(&home, 2).intent,
        Intent::ClosedWorkspace { .. }
    ));
    // After a reboot it is offered, not started.
    power_cut(&home);
    let line = home.abide(["restore"]).ok();
    assert_eq!(
        line.trim(),
        "resumed 0 workspace(s), 0 terminal(s); 2 skipped"
    );

    let before = agents.starts().len();
    let mut window = open();
    agents.wait_live(id);
    until("both panes, with the ids they had, and no other", || {
        let found = panes(&home);
        let alive = found.iter().all(|(_, alive)| *alive);
        let mut ids: Vec<String> = found.into_iter().map(|(id, _)| id).collect();
        ids.sort();
        (alive && ids == ["p1", "p2"]).then_some(())
    });
    assert_eq!(agents.starts().len(), before + 1);
    window.command("n");
    window.wait_for("^fake>");
    until("the records are open again", || {
        (record(&home, 2).intent == Intent::Open).then_some(())
    });
    window.command("d");
    assert_eq!(window.wait_end(), 0);
}

/// Shells start over with their old screen readable above.
#[test]
fn a_shell_starts_below_its_old_screen() {
    let (home, _agents) = home();
    let size = term::Size::new(80, 24);
    let mut old = term::Terminal::new(size, &term::Options::default());
    old.advance(
        b"ready$ make\r\nall is built\r\nready$ \x1b[?1049hvim",
        &mut term::Silent,
    );
    std::fs::create_dir_all(home.state().join("screens")).expect("a folder");
    let file = home.state().join("screens/9.snapshot");
    std::fs::write(file, old.encoded_snapshot(100)).expect("the screen");
    let mut pane = shell(&home, 9);
    pane.size = (80, 24);
    write(&home, &[pane]);
    home.abide(["restore"]).ok();
    let shown = home.wait_capture(
        protocol::PaneId(9),
        r"all is built\s*\nready\$\s*\nready\$\s*$",
    );
    assert!(!shown.contains("vim"), "{shown}");
}

#[test]
fn a_hold_is_kept_until_the_user_asks() {
    let (home, _agents) = home();
    write(&home, &[shell(&home, 9)]);
    home.abide(["host", "start"]).ok();
    store(&home)
        .change(|document| {
            let host = home.host();
            document.set_host(&restore::record::HostRecord {
                pid: host.pid,
                start: host.start,
                ..restore::record::HostRecord::default()
            });
            document.set_boot(&restore::verdict::boot_now());
            Ok(())
        })
        .expect("written");
    power_cut(&home);
    home.abide(["restore", "--hold"]).ok();
    let dry = home.abide(["restore", "--dry-run", "--json"]).json();
    assert_eq!(dry["reason"], "the host ended", "{dry}");
    assert_eq!(dry["panes"][0]["action"], "skip", "{dry}");
    assert!(
        dry["panes"][0]["reason"]
            .as_str()
            .expect("words")
            .starts_with("held"),
        "{dry}"
    );
    let line = home.abide(["restore"]).ok();
    assert!(line.contains("1 terminal(s)"), "{line}");
    assert!(!store(&home).document().expect("readable").hold());
}

/// A file that is not abide's, or damaged, is told; nothing is lost.
#[test]
fn damaged_records_are_told_and_kept() {
    let (home, _agents) = home();
    write(&home, &[shell(&home, 9)]);
    write(&home, &[shell(&home, 10)]);
    let file = Path::new(&home.state()).join("restore.json");
    std::fs::write(&file, vec![0; 4096]).expect("zeros");
    let dry = home.abide(["restore", "--dry-run", "--json"]).json();
    assert_eq!(dry["panes"][0]["pane"], "p9", "the one before it: {dry}");
    let said = home.abide(["restore", "--dry-run"]).run().stderr;
    assert!(said.contains("is damaged"), "{said}");
    // It is told where it is mended, and once.
    let words = "restore.json was unreadable; it is kept as";
    let said = home.abide(["restore"]).run().stderr;
    assert_eq!(said.matches(words).count(), 1, "{said}");
    let said = home.abide(["restore"]).run().stderr;
    assert!(!said.contains(words), "{said}");
    let aside = home.state().join("restore.json.unreadable-1");
    assert_eq!(std::fs::read(aside).expect("kept").len(), 4096);
    std::fs::write(&file, r#"{"version":9}"#).expect("newer");
    let text = home.abide(["restore"]).fails(1);
    assert!(text.contains("newer abide"), "{text}");
    assert_eq!(std::fs::read(&file).expect("there"), br#"{"version":9}"#);
}
