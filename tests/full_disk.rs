//! The disk that holds abide's state is full (gemini-cli#27277: recording stopped silently; opencode#7607: torn
//! files that cannot be opened): what runs goes on, the user is told, nothing that stood is lost, and
//! once there is room again what was not written is.
//!
//! A small file system in a mount namespace of its own; left out with a line that says so where none can be
//! had.

#![cfg(test)]

use protocol::PaneId;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use testkit::{FakeAgent, Home, Outer, Signal, until};

/// Set in the run that has a mount namespace of its own.
const INSIDE: &str = "ABIDE_TEST_FULL_DISK";

/// Runs the test of this name again where file systems may be mounted; false where that cannot be.
fn inside(name: &str) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        return true;
    }
    let unshared = |command: &mut Command| {
        command.args(["-m", "--propagation", "private"]);
    };
    let mut try_it = Command::new("unshare");
    unshared(&mut try_it);
    let folder = tempfile::tempdir().expect("a folder");
    try_it
        .args(["mount", "-t", "tmpfs", "tmpfs"])
        .arg(folder.path());
    try_it.stdout(Stdio::null()).stderr(Stdio::null());
    if !try_it.status().is_ok_and(|status| status.success()) {
        testkit::cli::skipped("no file system can be mounted here, so no disk is filled");
        return false;
    }
    let mut again = Command::new("unshare");
    unshared(&mut again);
    let own = std::env::current_exe().expect("its path");
    again.arg(own).args([name, "--exact", "--nocapture"]);
    let status = again.env(INSIDE, "1").stdin(Stdio::null()).status();
    let status = status.expect("it starts");
    assert!(status.success(), "{name} failed in its own mount namespace");
    false
}

/// The state folder of a home, on a file system of 1 MiB.
struct Disk(PathBuf);

impl Disk {
    fn of(home: &Home) -> Self {
        let folder = home.state();
        std::fs::create_dir_all(&folder).expect("a folder");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=1m,mode=0700", "tmpfs"])
            .arg(&folder)
            .status();
        assert!(mounted.is_ok_and(|status| status.success()));
        Self(folder)
    }

    /// Takes all there is.
    fn fill(&self) {
        let path = self.0.join("filler");
        let mut file = std::fs::File::options()
            .create(true)
            .append(true)
            .open(path)
            .expect("a file");
        for size in [64 * 1024, 4096, 512, 64, 8, 1] {
            let piece = vec![b'x'; size];
            while file.write_all(&piece).is_ok() {}
        }
    }

    fn free(&self) {
        std::fs::remove_file(self.0.join("filler")).expect("it was there");
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Whoever still has a file open there is ended with the home.
        let _gone = Command::new("umount").arg("-l").arg(&self.0).status();
    }
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

fn records(state: &Path) -> serde_json::Value {
    let text = std::fs::read(state.join("restore.json")).expect("it is there");
    serde_json::from_slice(&text).expect("it is whole")
}

#[test]
fn what_runs_goes_on_and_is_written_down_once_there_is_room() {
    if !inside("what_runs_goes_on_and_is_written_down_once_there_is_room") {
        return;
    }
    let mut home = Home::with_keeper(env!("CARGO_BIN_EXE_abide"));
    let agents = FakeAgent::install(&mut home);
    let disk = Disk::of(&home);
    let id = format!("8e0a3f0e-94c5-4c5e-9d0e-{:012x}", std::process::id());
    let (pane, pid) = agents.pane(&home, &["--session-id", &id]);
    let line = |pane: PaneId, text: &str| {
        home.abide(["send", &pane.to_string(), "--enter", text])
            .ok();
    };
    line(pane, "hello");
    home.wait_capture(pane, "you said: hello");
    until("its conversation", || {
        let record = home.record(pane)?;
        (record["conversation"]["id"] == id.as_str()).then_some(())
    });
    let mut window = Outer::open(&home, (100, 30), ["attach", &pane.to_string()]);
    window.wait_for("you said: hello");
    let (host, keeper) = (home.host(), home.wait_keeper());
    disk.fill();

    // Everything goes on: turns, another conversation, new panes, ends.
    line(pane, "/clear");
    line(pane, "after it was full");
    home.wait_capture(pane, "you said: after it was full");
    window.wait_for("is not written down");
    let new = home.pane(["bash"]);
    home.wait_capture(new, r"ready\$");
    let gone = home.pane(["cat"]);
    home.abide(["kill", &gone.to_string()]).ok();
    let told = until("the user is told", || {
        let said = home.abide(["status", "--json"]).json();
        said["unsaved"].as_str().map(str::to_owned)
    });
    assert!(
        told.contains("No space") && told.contains("restore.json"),
        "{told}"
    );
    assert!(
        home.abide(["ls"])
            .run()
            .stderr
            .contains("is not written down")
    );
    assert!(home.abide(["status"]).ok().contains("is not written down"));
    let doctor = home.abide(["doctor", "--json"]).run();
    let doctor: serde_json::Value = serde_json::from_str(&doctor.stdout).expect("JSON");
    let bad = |name: &str, words: &str| {
        let checks = doctor["checks"].as_array().into_iter().flatten();
        let mut named = checks.filter(|it| it["name"] == name && it["level"] == "bad");
        named.any(|it| it["text"].as_str().is_some_and(|it| it.contains(words)))
    };
    assert!(bad("room", "make room"), "{doctor:#}");
    assert!(bad("keeper", "is not written down"), "{doctor:#}");
    // What stood stands, whole; what still found room in place of something older counts, too.
    let stands = records(&home.state());
    let known = &stands["panes"][0]["conversation"]["id"];
    let live = agents.live();
    let live = live.iter().find(|it| it["pid"] == pid).expect("it lives");
    let live = live["sessionId"].as_str().expect("an id").to_owned();
    assert!(live != id && (*known == id || *known == live), "{stands:#}");
    let panes = stands["panes"].as_array().map(Vec::len);
    assert!(panes.is_some_and(|it| it < 3), "{stands:#}");
    assert!(host.alive() && keeper.alive());

    disk.free();
    until("all of it is written down", || {
        let known = home.record(pane)?["conversation"]["id"] == live.as_str();
        let ended = home.record(gone)?["intent"]["kind"] == "ended_by_user";
        (known && ended && home.record(new).is_some()).then_some(())
    });
    window.wait_for("is written down again");
    let said = home.abide(["status", "--json"]).json();
    assert_eq!(said["unsaved"], serde_json::Value::Null);
    let doctor = home.abide(["doctor"]).run().stdout;
    assert!(doctor.contains("warn  room"), "{doctor}"); // the disk is a small one
    window.type_bytes("\x02d");
    window.wait_end();
    power_cut(&home);
    home.start();
    agents.assert_untouched(agents.wait_live(&live));
    home.wait_capture(pane, "you said: after it was full");
    home.wait_capture(new, r"ready\$");
    home.stop();
}
