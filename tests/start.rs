//! Starting: there is one host, whoever starts it, however often, and it never keeps the caller.

#![cfg(test)]

use serde_json::Value;
use std::process::{Command, Stdio};
use testkit::{FakeHost, Home, Outer, Process, Signal, fake, until};

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_abide"))
}

/// `.ci/long` asks for more of them.
fn rounds(usual: usize) -> usize {
    let asked = std::env::var("ABIDE_TEST_ROUNDS")
        .ok()
        .and_then(|n| n.parse().ok());
    asked.unwrap_or(usual)
}

fn status(home: &Home) -> Value {
    home.abide(["status", "--json"]).json()
}

/// argus#641, elvish#1806, ruflo#2505: several clients at once with no daemon made several daemons,
/// each with a part of the sessions. Here ten `abide new` at once must make one host that has all
/// ten panes, every time.
#[test]
fn ten_clients_at_once_make_one_host() {
    for round in 0..rounds(5) {
        let home = home();
        let clients: Vec<_> = (0..10)
            .map(|_| {
                home.abide(["new", "--no-attach", "--", "sleep", "600"])
                    .spawn()
            })
            .collect();
        let mut ids: Vec<String> = clients
            .into_iter()
            .map(|client| {
                let output = client.finish();
                assert_eq!(output.code, 0, "round {round}: {output:#?}");
                output.stdout.trim().to_owned()
            })
            .collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 10, "round {round}: ten panes of their own");
        assert_eq!(home.hosts().len(), 1, "round {round}: {:?}", home.hosts());
        assert_eq!(
            status(&home)["live_agents"],
            10,
            "round {round}: all with the one host"
        );
    }
}

/// A start inside `$(..)`, in a pipe or without any terminal returns as soon as the host is ready:
/// the daemon keeps none of the caller's descriptors. A daemon that inherits the pipe makes the
/// caller wait for ever.
#[test]
fn a_start_returns_at_once_wherever_it_is_typed() {
    for script in [
        "said=$(\"$0\" host start) && echo \"done $?\"",
        "\"$0\" host start | cat; echo \"done ${PIPESTATUS[0]}\"",
        "setsid --wait \"$0\" host start </dev/null >/dev/null 2>&1; echo \"done $?\"",
        "\"$0\" host start <&- >/dev/null 2>&1; echo \"done $?\"",
    ] {
        let home = home();
        let mut command = Command::new("bash");
        command
            .args(["--norc", "-c", script])
            .arg(home.exe())
            .current_dir(home.work());
        command
            .env_clear()
            .envs(home.env().iter().map(|(n, v)| (n, v)));
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let mut child = child.expect("bash starts");
        until(&format!("the end of {script}"), || {
            child.try_wait().expect("our child")
        });
        let output = child.wait_with_output().expect("our child");
        assert!(
            String::from_utf8_lossy(&output.stdout).contains("done 0"),
            "{script}: {output:?}"
        );
        assert!(home.host().alive());
    }
}

/// The host survives the terminal it was started from, and its session.
#[test]
fn a_host_survives_the_terminal_it_was_started_from() {
    let home = home();
    let mut window = Outer::open(&home, (80, 24), ["host", "start"]);
    assert_eq!(window.wait_end(), 0);
    let host = home.host();
    let stat = host.stat().expect("the host lives");
    assert_eq!(stat.session, host.pid, "a session of its own");
    window.close_window();
    assert_eq!(status(&home)["host_pid"], host.pid);
}

/// red-skills#3186 started over a thousand daemons a day, since a slow one failed its ping; happy
/// #1654 and kata#22 are the same. A host that is stopped is waited for and told, never replaced.
/// In a container that was entered from outside (`docker exec`, a CI runner) the session belongs
/// to a process that has no pid there, and asking for it answers 0.
#[test]
#[cfg(target_os = "linux")]
fn a_host_starts_where_its_session_has_no_pid() {
    let home = home();
    let script = "exe=$1; id=$($exe new --no-attach -- sh -c 'echo it runs; exec sleep 60') \
        && $exe wait $id --text 'it runs' --timeout 80 && $exe host stop";
    let mut command = Command::new("unshare");
    command.args(["-U", "-r", "-p", "-f", "--mount-proc", "--kill-child"]);
    command.args(["sh", "-c", script, "sh"]).arg(home.exe());
    command.env_clear().envs(home.env().iter().cloned());
    let Ok(output) = command.output() else {
        eprintln!("skipped: there is no `unshare` here");
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if said.contains("unshare:") {
        eprintln!("skipped: no pid namespace can be made: {said}");
        return;
    }
    assert!(output.status.success(), "{said}");
}

#[test]
fn a_silent_host_is_not_replaced() {
    let home = home();
    home.start();
    let host = home.host();
    host.signal(Signal::STOP);
    host.wait_state('T');
    assert_eq!(status(&home)["mode"], "silent");
    let said = home.abide(["ls"]).fails(4);
    assert!(
        said.contains("silent") && said.contains(&host.pid.to_string()),
        "{said}"
    );
    let said = home.abide(["new", "--no-attach", "--", "true"]).fails(4);
    assert!(said.contains("silent"), "{said}");
    // What goes without a host does not go behind the back of one that is slow.
    for words in [&["forget", "--all"][..], &["fresh", "p1", "--yes"]] {
        let said = home.abide(words).fails(4);
        assert!(said.contains("silent"), "{words:?}: {said}");
    }
    assert_eq!(home.hosts(), [host], "no second host");
    host.signal(Signal::CONT);
    let _listed = home.abide(["ls"]).ok();
    assert_eq!(status(&home)["host_pid"], host.pid);
}

/// kolu#1287, gptme#3648: a state file of a dead daemon named a pid that somebody else has now, and
/// that process was signalled. Identity is pid and start time; the stranger lives on.
#[test]
fn a_reused_pid_is_nobodys_host() {
    let home = home();
    home.start();
    home.stop();
    let mut stranger = fake::sleeper();
    let process = Process::of(stranger.id().cast_signed()).expect("our child is there");
    let recorded = Process {
        start: process.start - 1,
        ..process
    };
    let file = fake::host_json(recorded, 1, (1, 1)).to_string();
    std::fs::write(home.state_file("host.json"), file).expect("host.json");
    assert_eq!(status(&home)["mode"], "none");
    let stop = home.abide(["host", "stop"]).run();
    assert!(process.alive(), "a stranger was signalled: {stop:?}");
    let _pane = home.pane(["sleep", "600"]);
    assert_ne!(home.host().pid, process.pid);
    assert!(process.alive(), "a stranger was signalled");
    stranger.kill().expect("our child");
    stranger.wait().expect("our child");
}

/// A recorded process that lives keeps others from starting a host, even with nothing behind its
/// port: slow is not dead.
#[test]
fn a_living_recorded_host_is_waited_for() {
    let home = home();
    let fake = FakeHost::start(&home, (1, 1), [7; 32]);
    let said = home.abide(["new", "--no-attach", "--", "true"]).fails(4);
    assert!(said.contains(&fake.named().pid.to_string()), "{said}");
    assert_eq!(home.hosts(), []);
}

/// A state folder that cannot be written is said in one line that names it; nothing panics. `/proc`
/// refuses even root.
#[test]
fn a_state_folder_that_cannot_be_written_is_named() {
    let mut home = home();
    home.set_env("ABIDE_HOME", "/proc/1/nowhere");
    let output = home.abide(["new", "--no-attach", "--", "true"]).run();
    assert!([1, 4].contains(&output.code), "{output:?}");
    assert!(output.stderr.contains("/proc/1/nowhere"), "{output:?}");
    assert!(
        !output.stderr.contains("panicked") && !output.stderr.contains("os error"),
        "{output:?}"
    );
    assert_eq!(output.stderr.trim().lines().count(), 1, "{output:?}");
}

/// Files that a cleaner deleted come back within seconds, with the same host and the same panes; in
/// between nobody starts a second one, even with the lock's file gone: the folder is locked too.
#[test]
fn deleted_state_files_come_back() {
    let home = home();
    let pane = home.pane(["sleep", "600"]);
    let host = home.host();
    let token = std::fs::read(home.state_file("token")).expect("the token");
    for names in [
        &["host.json"][..],
        &["token"],
        &["ids"],
        &["host.json", "token"],
        &["host.lock"],
        &["host.lock", "host.json"],
        &["host.lock", "host.json", "token", "ids"],
    ] {
        for name in names {
            std::fs::remove_file(home.state_file(name)).expect("it was there");
        }
        // Whatever this says while the files are away, it must start nothing.
        let _answer = home.abide(["new", "--no-attach", "--", "true"]).run();
        assert_eq!(home.hosts(), [host], "after {names:?} were deleted");
        for name in names {
            until(&format!("{name} to come back"), || {
                home.state_file(name).exists().then_some(())
            });
        }
        let ls = home.abide(["ls", "--json"]).json();
        assert!(
            ls["panes"].to_string().contains(&format!("\"{pane}\"")),
            "{names:?}: {ls}"
        );
    }
    assert_eq!(
        std::fs::read(home.state_file("token")).expect("the token"),
        token
    );
}

/// The whole folder is removed or moved under a living host, and commands that start hosts come at
/// once: they find the old host again, with its panes and its token.
#[cfg(target_os = "linux")]
#[test]
fn a_removed_state_folder_comes_back_with_its_one_host() {
    let home = home();
    let pane = home.pane(["sleep", "600"]);
    let host = home.host();
    let token = std::fs::read(home.state_file("token")).expect("the token");
    for moved in [false, true] {
        if moved {
            let aside = home.path().join("moved-state");
            std::fs::rename(home.state(), aside).expect("moved");
        } else {
            std::fs::remove_dir_all(home.state()).expect("removed");
        }
        let starts: Vec<_> = (0..3)
            .map(|_| {
                home.abide(["new", "--no-attach", "--", "sleep", "600"])
                    .spawn()
            })
            .collect();
        for start in starts {
            let output = start.finish();
            assert_eq!(output.code, 0, "moved {moved}: {output:#?}");
        }
        assert_eq!(home.hosts(), [host], "moved {moved}");
        let ls = home.abide(["ls", "--json"]).json();
        assert!(ls["panes"].to_string().contains(&format!("\"{pane}\"")));
        let back = std::fs::read(home.state_file("token")).expect("the token");
        assert_eq!(back, token, "moved {moved}");
    }
}

/// A damaged `host.json` under a living host: the next command waits until the host has mended it.
#[test]
fn a_damaged_endpoint_is_mended_while_commands_wait() {
    let home = home();
    home.start();
    let host = home.host();
    for damage in ["", "{", "not json at all"] {
        std::fs::write(home.state_file("host.json"), damage).expect("host.json");
        let _listed = home.abide(["ls"]).ok();
        std::fs::write(home.state_file("host.json"), damage).expect("host.json");
        let _pane = home.pane(["sleep", "600"]);
    }
    assert_eq!(home.hosts(), [host]);
    assert!(home.state_file("host.json.damaged-1").exists());
}

/// The token was replaced, so the host can prove nothing: it is named, and `abide host stop` ends it
/// by its identity all the same. A process that is no host is left alone.
#[test]
fn a_host_whose_token_was_replaced_is_named_and_stopped() {
    let home = home();
    let _pane = home.pane(["sleep", "600"]);
    let host = home.host();
    std::fs::write(home.state_file("token"), "5".repeat(64)).expect("the token");
    let said = home.abide(["ls"]).fails(4);
    assert!(said.contains(&format!("pid {}", host.pid)), "{said}");
    let _stopped = home.abide(["host", "stop"]).ok();
    assert!(!host.alive());
    home.wait_empty();
    let _pane = home.pane(["sleep", "600"]);
    home.stop();
}

/// A token and a folder that others could use are closed to them, and it is said.
#[test]
fn what_others_could_use_is_closed_to_them() {
    use std::os::unix::fs::PermissionsExt;
    let home = home();
    home.start();
    let mode = |mode| std::fs::Permissions::from_mode(mode);
    let token = home.state_file("token");
    std::fs::set_permissions(&token, mode(0o644)).expect("the token");
    let said = home.abide(["ls"]).fails(4);
    assert!(said.contains("chmod 600"), "{said}");
    std::fs::set_permissions(&token, mode(0o600)).expect("the token");
    home.stop();
    std::fs::set_permissions(&token, mode(0o644)).expect("the token");
    std::fs::set_permissions(home.state(), mode(0o777)).expect("the folder");
    let output = home.abide(["host", "start"]).run();
    assert!(
        output.code == 0 && output.stderr.contains("private now"),
        "{output:?}"
    );
    for (path, want) in [(&token, 0o600), (&home.state(), 0o700)] {
        let found = std::fs::metadata(path).expect("it is there").permissions();
        assert_eq!(found.mode() & 0o777, want, "{}", path.display());
    }
    assert!(home.host_log().contains("others could have read it"));
}

/// A start on a full disk names the disk, not a log that the same disk could not take. The disk is a
/// small one in memory, which needs a user's own mount namespace; without one nothing is shown.
#[cfg(target_os = "linux")]
#[test]
fn a_start_on_a_full_disk_says_so() {
    let home = home();
    std::fs::create_dir_all(home.state()).expect("the state folder");
    let script = "mount -t tmpfs -o size=64k,mode=700 none \"$1\" || exit 77
        head -c 1000000 /dev/zero >\"$1/filler\"; exec \"$0\" host start";
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", script]);
    command.arg(home.exe()).arg(home.state()).env_clear();
    command.envs(home.env().iter().map(|(n, v)| (n, v)));
    let Ok(output) = command.stdin(Stdio::null()).output() else {
        return; // no such tool here
    };
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(77) || said.contains("unshare") {
        return; // a machine that allows no mounts
    }
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(
        said.to_lowercase().contains("no space left on device"),
        "{said}"
    );
}

/// Another user's folder is named at once, whatever lies in it; nobody is told that no host runs, and
/// root, who may look, is told the same.
#[test]
fn another_users_folder_is_named() {
    let home = home();
    home.start();
    let host = home.host();
    let (state, above) = (home.state(), home.abide_home());
    let mode = |mode| std::os::unix::fs::PermissionsExt::from_mode(mode);
    let is_root = std::os::unix::fs::chown(&state, Some(54321), None).is_ok();
    if !is_root {
        std::fs::set_permissions(&above, mode(0o000)).expect("our folder");
    }
    for words in [&["ls"][..], &["new", "--no-attach"], &["kill", "p1"]] {
        let said = home.abide(words).fails(4);
        assert!(said.contains("permission denied on"), "{words:?}: {said}");
        assert!(said.contains("abide/state"), "{words:?}: {said}");
    }
    if is_root {
        std::os::unix::fs::chown(&state, Some(0), None).expect("our folder");
    } else {
        std::fs::set_permissions(&above, mode(0o700)).expect("our folder");
    }
    assert_eq!(status(&home)["host_pid"], host.pid);
}

/// How the host ended stands at the end of its log.
#[test]
fn the_log_ends_with_how_the_host_ended() {
    let home = home();
    home.start();
    let _stopped = home.abide(["host", "stop"]).ok();
    let last = |words: &str| {
        let log = home.abide(["logs"]).ok();
        let last = log.lines().last().unwrap_or_default().to_owned();
        assert!(
            last.contains("the host has ended: ") && last.contains(words),
            "{log}"
        );
    };
    last("asked");
    home.start();
    let host = home.host();
    host.signal(Signal::TERM);
    host.wait_gone();
    last("SIGTERM");
    home.write_config("[host]\nidle_exit = 1\n");
    // Nothing asks for the host meanwhile, whose second may be over before the command is.
    let _said = home.abide(["host", "start"]).ok();
    home.wait_empty();
    last("nobody is attached");
}

/// Files of a host that was killed are no obstacle: the next command finds nobody alive, starts a
/// new host, and pane ids go on where they stood.
#[test]
fn a_dead_hosts_files_are_no_obstacle() {
    let home = home();
    let old = home.pane(["sleep", "600"]);
    let host = home.host();
    host.signal(Signal::KILL);
    home.wait_empty();
    let told = status(&home);
    assert_eq!(told["mode"], "none", "{told}");
    assert!(home.abide(["ls"]).fails(4).contains("no host"));
    let new = home.pane(["sleep", "600"]);
    assert!(new > old, "{new} after {old}: an id is never given twice");
    assert_ne!(home.host().pid, host.pid);
}

/// Status looks; it starts nothing.
#[test]
fn status_starts_nothing() {
    let home = home();
    assert_eq!(status(&home)["mode"], "none");
    assert_eq!(home.processes(), []);
}

/// herdr#516, #4397: after an update replaced the binary under a running daemon, `/proc/self/exe`
/// ended in ` (deleted)` and no helper could be started any more.
#[test]
fn panes_start_after_the_binary_was_replaced() {
    let mut home = home();
    let copy = home.path().join("abide-copy");
    std::fs::copy(env!("CARGO_BIN_EXE_abide"), &copy).expect("a copy");
    home.use_exe(&copy);
    home.start();
    let host = home.host();
    let new = home.path().join("abide-new");
    std::fs::copy(env!("CARGO_BIN_EXE_abide"), &new).expect("a copy");
    std::fs::rename(&new, &copy).expect("replaced");
    let pane = home.script("echo started; sleep 600");
    let _screen = home.wait_capture(pane, "started");
    std::fs::remove_file(&copy).expect("removed");
    home.use_exe(env!("CARGO_BIN_EXE_abide"));
    let pane = home.script("echo started again; sleep 600");
    let _screen = home.wait_capture(pane, "started again");
    assert_eq!(home.host(), host);
}

/// The root reaper stands above the host; when it is gone the host goes on and says so.
#[test]
fn a_host_without_its_root_reaper_goes_on() {
    let home = home();
    let pane = home.script("echo up; sleep 600");
    let root = home.root_reaper().expect("a root reaper");
    root.signal(Signal::KILL);
    root.wait_gone();
    let _screen = home.wait_capture(pane, "up");
    let told = until("a word about it", || {
        let output = home.abide(["doctor"]).run();
        let text = output.stdout + &output.stderr;
        text.contains("root reaper").then_some(text)
    });
    assert!(!told.is_empty());
}
