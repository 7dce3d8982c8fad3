//! An agent that is a script, described by the user's own file: `#!/bin/bash`, as the kernel shows it.

#![cfg(test)]

use protocol::PaneId;
use serde_json::Value;
use testkit::{Home, ScriptAgent, Signal, script_agent, until};

fn world() -> (Home, ScriptAgent) {
    let mut home = Home::with_keeper(env!("CARGO_BIN_EXE_abide"));
    let agent = ScriptAgent::install(&mut home);
    std::fs::write(home.path().join("user/.bashrc"), "PS1='ready$ '\n").expect("a file");
    (home, agent)
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
fn wait_record(home: &Home, pane: PaneId, is: impl Fn(&Value) -> bool) -> Value {
    until(&format!("the record of {pane}"), || {
        home.record(pane).filter(|record| is(record))
    })
}

/// A launched agent that has said something; gives its pane and its conversation.
fn launched(home: &Home) -> (PaneId, String) {
    let said = home
        .abide(["new", "--no-attach", "--agent", "tuck", "--", "hi"])
        .ok();
    let pane: PaneId = said.trim().parse().expect("an id");
    home.wait_capture(pane, "tuck said: hi");
    let record = wait_record(home, pane, |it| it["conversation"]["how"] == "live");
    let id = record["conversation"]["id"].as_str().expect("an id");
    (pane, id.to_owned())
}

/// Waits for a shell that says this; between two tries there is no pane.
#[track_caller]
fn wait_shell(home: &Home, pane: PaneId, words: &str) {
    until("a shell that says why", || {
        let out = home.abide(["capture", &pane.to_string()]).run();
        let said = out.stdout.replace('\n', "");
        (said.contains(words) && said.contains("ready$")).then_some(())
    });
}

fn dry(home: &Home) -> Value {
    home.abide(["restore", "--dry-run", "--json"]).json()["panes"].clone()
}

/// A comeback that fails costs nothing: after three tries a shell says why, the offer stays.
#[test]
fn a_failed_comeback_takes_nothing_away() {
    let (home, agent) = world();
    let (pane, id) = launched(&home);
    power_cut(&home);
    let program = std::fs::read(agent.program()).expect("the program");
    std::fs::write(
        agent.program(),
        "#!/bin/bash\necho out of order\nexit 127\n",
    )
    .expect("written");
    home.abide(["restore"]).ok();
    wait_shell(&home, pane, "did not come back: out of order");
    let record = wait_record(&home, pane, |it| it["failure"] == "out of order");
    assert_eq!(record["conversation"]["id"], id.as_str());
    // Longer than an end of its own is in doubt.
    testkit::wait::holds_for(
        std::time::Duration::from_secs(35),
        "the offer stays",
        || {
            home.record(pane)
                .is_some_and(|it| it["intent"]["kind"] == "open")
        },
    );
    std::fs::write(agent.program(), program).expect("written");
    power_cut(&home);
    let plan = dry(&home);
    assert_eq!(plan[0]["action"], "resume", "{plan:#}");
    home.abide(["restore"]).ok();
    home.wait_capture(pane, &format!("tuck is back in {id}"));
}

/// A script is the program of its agent: where it is gone, nothing is started that can only fail.
#[test]
fn a_script_that_is_gone_is_a_program_that_is_missing() {
    let (home, agent) = world();
    let (pane, id) = launched(&home);
    power_cut(&home);
    let away = home.path().join("away");
    std::fs::rename(agent.program(), &away).expect("moved");
    let plan = dry(&home);
    assert_eq!(plan[0]["action"], "blocked", "{plan:#}");
    let why = plan[0]["reason"].as_str().expect("a reason");
    assert!(why.ends_with("script-bin/tuck` is missing"), "{why}");
    home.abide(["restore"]).ok();
    wait_shell(&home, pane, "is missing");
    std::fs::rename(&away, agent.program()).expect("moved back");
    power_cut(&home);
    home.abide(["restore"]).ok();
    home.wait_capture(pane, &format!("tuck is back in {id}"));
}

/// An agent that comes back is shown as what it is, however it was begun: never as what abide or the kernel put in
/// front of it.
#[test]
fn a_script_that_comes_back_is_called_by_its_own_name() {
    let (home, _agent) = world();
    let (one, first) = launched(&home);
    let typed = home.pane(["bash"]);
    home.wait_capture(typed, r"ready\$");
    home.abide(["send", &typed.to_string(), "--enter", "tuck hi"])
        .ok();
    home.wait_capture(typed, "tuck said: hi");
    let record = wait_record(&home, typed, |it| it["conversation"]["how"] == "live");
    let second = record["conversation"]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    power_cut(&home);
    for item in dry(&home).as_array().expect("a plan") {
        assert_eq!(
            (&item["action"], &item["label"]),
            (&"resume".into(), &"tuck".into())
        );
    }
    home.abide(["restore"]).ok();
    for (pane, id) in [(one, &first), (typed, &second)] {
        home.wait_capture(pane, &format!("tuck is back in {id}"));
        let want = format!("tuck --resume {id}");
        until("its own name", || {
            let listed = home.abide(["ls", "--json"]).json();
            let mut all = listed["panes"].as_array()?.iter();
            let shown = all.find(|it| it["id"] == pane.to_string().as_str())?;
            let words = shown["argv"].to_string();
            assert!(!words.contains("__pane"), "{words}");
            (shown["title"] == want.as_str()).then_some(())
        });
    }
    let listed = home.abide(["ls"]).ok();
    assert!(
        !listed.contains("__pane") && !listed.contains("bash"),
        "{listed}"
    );
    assert_eq!(listed.matches(" tuck --resume ").count(), 2, "{listed}");
}

/// The shell in the place of what did not come back is the user's: what is begun there is the pane's, and what was
/// offered is still to be had.
#[test]
fn an_agent_begun_in_its_place_takes_no_offer_away() {
    let (home, agent) = world();
    let (pane, id) = launched(&home);
    power_cut(&home);
    let (there, away) = (agent.transcript(&id), home.path().join("away"));
    std::fs::rename(&there, &away).expect("moved");
    drop(std::fs::remove_dir_all(home.state_file("vault"))); // nothing was copied yet, or it was
    home.abide(["restore"]).ok();
    wait_shell(&home, pane, "its transcript is gone");
    home.abide(["send", &pane.to_string(), "--enter", "tuck new"])
        .ok();
    home.wait_capture(pane, "tuck said: new");
    let record = wait_record(&home, pane, |it| {
        it["conversation"]["how"] == "live" && it["conversation"]["id"] != id.as_str()
    });
    assert_eq!(record["failure"], Value::Null);
    let offered = until("the offer", || {
        let offered = home.abide(["reopen", "--json"]).json();
        let mut all = offered.as_array()?.iter();
        all.find(|it| it["conversation"] == id.as_str()).cloned()
    });
    let offer: PaneId = offered["id"]
        .as_str()
        .expect("an id")
        .parse()
        .expect("an id");
    assert_ne!(offer, pane);
    // No new pane gets its id, and it is to be had once its transcript is there.
    assert_ne!(home.pane(["bash"]), offer);
    std::fs::rename(&away, &there).expect("moved back");
    home.abide(["reopen", &offer.to_string()]).ok();
    home.wait_capture(offer, &format!("tuck is back in {id}"));
}

/// A data file that is written while the keeper runs counts at once, and so does what is changed in it; one that
/// cannot be used any more takes nothing away.
#[test]
fn a_data_file_counts_while_the_keeper_runs() {
    let mut home = Home::with_keeper(env!("CARGO_BIN_EXE_abide"));
    let agent = ScriptAgent::undescribed(&mut home);
    home.start();
    let _keeper = home.wait_keeper();
    wait_log(&home, "observing the host");
    agent.describe(script_agent::DATA);
    let (pane, id) = launched(&home);
    wait_log(&home, "is read again: `tuck` is new");
    until("its copy", || {
        let kept = home.abide(["vault", "ls", "--json"]).run().stdout;
        kept.contains(&id).then_some(())
    });
    agent.describe("name = ");
    wait_log(&home, "what it said before counts on");
    let record = home.record(pane).expect("the record");
    assert_eq!(record["conversation"]["id"], id.as_str());
    agent.describe(&script_agent::DATA.replace("\"Tuck\"", "\"Tuck 2\""));
    wait_log(&home, "is read again: `tuck` changed");
    power_cut(&home);
    home.abide(["restore"]).ok();
    home.wait_capture(pane, &format!("tuck is back in {id}"));
}

#[track_caller]
fn wait_log(home: &Home, words: &str) {
    until(&format!("{words:?} in the keeper's log"), || {
        home.keeper_log().contains(words).then_some(())
    });
}

/// What is reopened has its own place and its own name again, and is found by that; the list is of what does not
/// run.
#[test]
fn what_is_reopened_takes_its_own_place() {
    let (home, agent) = world();
    let (pane, id) = launched(&home);
    home.abide(["rename", &pane.to_string(), "shop"]).ok();
    wait_record(&home, pane, |it| it["name"] == "shop");
    power_cut(&home);
    let (there, away) = (agent.transcript(&id), home.path().join("away"));
    std::fs::rename(&there, &away).expect("moved");
    drop(std::fs::remove_dir_all(home.state_file("vault"))); // nothing was copied yet, or it was
    home.abide(["restore"]).ok();
    wait_shell(&home, pane, "its transcript is gone");
    std::fs::rename(&away, &there).expect("moved back");
    let reopened = home.abide(["reopen", "shop"]).ok();
    assert_eq!(reopened.trim(), pane.to_string());
    home.wait_capture(pane, &format!("tuck is back in {id}"));
    let listed = home.abide(["ls", "--json"]).json()["panes"].clone();
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed:#}");
    assert_eq!(listed[0]["name"], "shop", "{listed:#}");
    let offered = home.abide(["reopen", "--json"]).json();
    assert_eq!(offered, serde_json::json!([]));
    until("its agent is seen", || {
        let listed = home.abide(["ls", "--json"]).json();
        (listed["panes"][0]["conversation"] == id.as_str()).then_some(())
    });
    let again = home.abide(["reopen", "shop"]).run();
    assert!(again.stderr.contains("p1 runs already"), "{again:?}");
    let fresh = home.abide(["fresh", "shop", "--yes"]).run();
    assert!(fresh.stderr.contains("p1 has nothing"), "{fresh:?}");
    let nobody = home.abide(["reopen", "nobody"]).run();
    assert!(
        nobody
            .stderr
            .contains("nothing is written down of `nobody`"),
        "{nobody:?}"
    );
}

/// Asked for twice, while it is between its tries, it comes back once.
#[test]
fn a_second_reopen_waits_for_the_first() {
    let (home, agent) = world();
    let (pane, id) = launched(&home);
    home.abide(["kill", &pane.to_string()]).ok();
    wait_record(&home, pane, |it| it["intent"]["kind"] == "ended_by_user");
    let program = std::fs::read(agent.program()).expect("the program");
    std::fs::write(
        agent.program(),
        "#!/bin/bash\necho out of order\nexit 127\n",
    )
    .expect("written");
    let first = home.abide(["reopen", &pane.to_string()]).spawn();
    until("its first try", || {
        home.host_log().contains("p1 exited with 127").then_some(())
    });
    std::fs::write(agent.program(), program).expect("written");
    home.abide(["reopen", &pane.to_string()]).ok();
    home.wait_capture(pane, &format!("tuck is back in {id}"));
    first.finish();
    let listed = home.abide(["ls", "--json"]).json()["panes"].clone();
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed:#}");
}
