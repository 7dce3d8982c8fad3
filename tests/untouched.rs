//! Nothing is typed into what comes back, by the word of those who see every byte: the kernel, and the
//! program at the other end of the terminal.

#![cfg(test)]

use protocol::PaneId;
use testkit::{FakeAgent, Home, Signal, Watch, until};

/// The power goes.
fn power_cut(home: &Home) {
    let (host, root, keeper) = (home.host(), home.root_reaper(), home.wait_keeper());
    keeper.signal(Signal::KILL);
    root.iter().for_each(|root| root.signal(Signal::KILL));
    host.signal(Signal::KILL);
    keeper.wait_gone();
    home.wait_empty();
}

/// cmux#9831: a resume was typed into what stood in the foreground, an agent, which worked on it for hours.
/// Here an agent at its prompt, one that was in a turn, one typed into a shell, a shell, and a pane that is
/// blocked: into none of them a byte is written but answers to what programs ask their terminal.
#[test]
fn a_restore_writes_nothing_into_a_terminal() {
    let mut home = Home::with_keeper(env!("CARGO_BIN_EXE_abide"));
    let agents = FakeAgent::install(&mut home);
    let id = |test: u32| {
        let own = std::process::id() * 16 + test;
        format!("3c0a3f0e-94c5-4c5e-9d0e-{own:012x}")
    };
    let ids = [1, 2, 3, 4].map(id);
    let line = |pane: PaneId, text: &str| {
        home.abide(["send", &pane.to_string(), "--enter", text])
            .ok();
    };
    let launch = |id: &str| agents.pane(&home, &["--session-id", id]).0;
    let [idle, works, gone] = [0, 1, 2].map(|at: usize| launch(&ids[at]));
    let shell = home.pane(["bash"]);
    home.wait_capture(shell, r"ready\$");
    let typed = home.pane(["bash"]);
    home.wait_capture(typed, r"ready\$");
    line(typed, &format!("fake-agent --session-id {}", ids[3]));
    home.wait_capture(typed, "^fake>");
    for (pane, id) in [idle, works, gone, typed].into_iter().zip(&ids) {
        line(pane, "hello");
        home.wait_capture(pane, "you said: hello");
        until("its conversation", || {
            let record = home.record(pane)?;
            (record["conversation"]["id"] == id.as_str()).then_some(())
        });
    }
    line(works, "hold");
    until("a turn", || {
        let record = home.record(works)?;
        (record["state"]["state"] == "working").then_some(())
    });
    until("the shell's record", || home.record(shell));
    power_cut(&home);
    let lost = agents.transcript_path(&ids[2]).expect("it is there");
    std::fs::remove_file(lost).expect("deleted");
    drop(std::fs::remove_dir_all(home.state_file("vault")));
    // The shell of every pane asks its terminal, as prompts do.
    let rc = "printf '\\033[6n\\033[c\\033[>q\\033]11;?\\033\\\\'; IFS= read -rs -d c -t 5 told\nPS1='ready$ '\n";
    std::fs::write(home.path().join("user/.bashrc"), rc).expect("a file");
    let Some(watch) = Watch::start(&home) else {
        testkit::cli::skipped("strace cannot trace here, so nobody sees what a host writes");
        return;
    };
    until("all of them", || {
        let log = home.keeper_log();
        log.contains("4 terminal(s); 0 skipped, 1 blocked")
            .then_some(())
    });
    for (at, id) in ids.iter().enumerate().filter(|(at, _)| *at != 2) {
        let pid = agents.wait_live(id);
        // What goes on goes on by itself.
        assert_eq!(agents.read(pid), b"", "{at}");
    }
    home.wait_capture(shell, r"ready\$");
    home.wait_capture(gone, "did not come back");
    until("answers", || {
        let all = watch.written();
        let told = |bytes: &Vec<u8>| bytes.windows(3).any(|it| it == b"\x1b[?");
        all.values().any(told).then_some(())
    });
    watch.assert_untouched();
    // What is typed is seen.
    line(idle, "now somebody types");
    home.wait_capture(idle, "you said: now somebody types");
    watch.assert_typed("now somebody types");
    assert_eq!(
        agents.read(agents.wait_live(&ids[0])),
        b"now somebody types\r"
    );
}
