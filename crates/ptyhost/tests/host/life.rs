//! The host's own life: one a folder, gone when unused, found while it lives.

use crate::support::{HANG, Host, eventually, spawn};
use protocol::{FromHost, PaneId, Role, ToHost, msg};
use std::os::unix::fs::MetadataExt;
use sys::process::{Identity, Signal};

#[test]
fn its_files_are_private_and_the_endpoint_is_whole() {
    let host = Host::start(&[]);
    for (name, mode) in [
        ("token", 0o600),
        ("host.json", 0o600),
        ("host.lock", 0o600),
        ("", 0o700),
    ] {
        let meta = std::fs::metadata(host.state.join(name)).unwrap();
        assert_eq!(meta.mode() & 0o777, mode, "{name}");
    }
    let text = host.endpoint().unwrap();
    for part in [
        "\"version\":1,",
        "\"address\":\"127.0.0.1\"",
        "\"protocol\":[1,1]",
        "\"boot\":{\"id\":",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let environment =
        std::fs::read(format!("/proc/{}/environ", host.child.id())).unwrap_or_default();
    assert!(!String::from_utf8_lossy(&environment).contains(&host.token().to_hex()));
}

#[test]
fn a_second_host_of_the_folder_leaves_quietly() {
    let host = Host::start(&[]);
    let before = host.endpoint();
    let status = spawn(&host.state, &[]).wait().unwrap();
    assert_eq!((status.code(), host.endpoint()), (Some(3), before));
    host.connect(Role::Control).list();
}

#[test]
fn an_unused_host_ends_though_it_is_observed() {
    let mut host = Host::start(&["--idle", "1"]);
    let mut observer = host.connect(Role::Manage);
    observer.done(PaneId::NONE, msg::Subscribe {});
    let mut control = host.connect(Role::Control);
    let pane = control.create(&["sh", "-c", "echo bye"]);
    observer.event(|id, message| {
        (id == pane && matches!(message, FromHost::PaneExited(_))).then_some(())
    });
    observer.event(|_, message| matches!(message, FromHost::Goodbye(_)).then_some(()));
    assert!(observer.is_closed());
    assert!(host.wait_exit().success());
    assert_eq!(host.endpoint(), None);
}

#[test]
fn a_host_with_a_live_program_stays() {
    let mut host = Host::start(&["--idle", "1"]);
    let mut control = host.connect(Role::Control);
    let pane = control.create(&["sh", "-c", "sleep 3; read x"]);
    drop(control);
    let program = eventually("the program", || {
        let facts = host.connect(Role::Control).list().panes.remove(0);
        Identity::of(facts.pid.cast_signed())
    });
    // Three times the limit pass while the program sleeps.
    eventually("the program's second step", || {
        sys::process::all()
            .iter()
            .all(|s| s.ppid != program.pid)
            .then_some(())
    });
    let mut control = host.connect(Role::Control);
    control.done(pane, ToHost::Input(b"\n".to_vec()));
    drop(control);
    assert!(host.wait_exit().success());
}

#[test]
fn deleted_files_come_back() {
    let host = Host::start(&[]);
    let mut conn = host.connect(Role::Control);
    let pane = conn.create(&["cat"]);
    let names = ["token", "host.json", "ids"];
    let before = names.map(|name| std::fs::read_to_string(host.state.join(name)).unwrap());
    for name in names {
        std::fs::remove_file(host.state.join(name)).unwrap();
    }
    let after =
        names.map(|name| eventually(name, || std::fs::read_to_string(host.state.join(name)).ok()));
    assert_eq!(before, after);
    host.connect(Role::Control).done(pane, msg::Kill {});
}

#[test]
fn a_bad_token_file_is_set_aside() {
    let temp = tempfile::tempdir().unwrap();
    let state = temp.path().join("state");
    sys::files::private_dir(&state).unwrap();
    std::fs::write(state.join("token"), "short").unwrap();
    let host = Host::start_in(state, &[]);
    host.connect(Role::Control).list();
    assert!(host.log().contains("is no token"), "{}", host.log());
}

#[test]
fn sigterm_ends_families_then_the_host() {
    let mut host = Host::start(&[]);
    let mut conn = host.connect(Role::Control);
    let pane = conn.create(&["sh", "-c", "trap '' HUP; echo pid $$; sleep 1000"]);
    let text = conn.until_text(pane, "pid ");
    let pid = text
        .split("pid ")
        .nth(1)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap();
    let program = Identity::of(pid.parse().unwrap()).unwrap();
    let id = Identity::of(host.child.id().cast_signed()).unwrap();
    id.signal(Signal::HUP).unwrap();
    conn.list();
    id.signal(Signal::TERM).unwrap();
    conn.event(|_, message| matches!(message, FromHost::Goodbye(_)).then_some(()));
    assert!(host.wait_exit().success());
    assert!(!program.alive());
    assert_eq!(host.endpoint(), None);
}

#[test]
fn stop_ends_the_host_and_ids_are_never_reused() {
    let temp = tempfile::tempdir().unwrap();
    let state = temp.path().join("state");
    let mut host = Host::start_in(state.clone(), &[]);
    let mut conn = host.connect(Role::Control);
    let first = conn.create(&["cat"]);
    conn.send(PaneId::NONE, 1000, msg::Stop {});
    conn.event(|_, message| matches!(message, FromHost::Goodbye(_)).then_some(()));
    assert!(host.wait_exit().success());
    let host = Host::start_in(state, &[]);
    let second = host.connect(Role::Control).create(&["true"]);
    assert!(second > first, "{second} after {first}");
}

/// A host killed in the middle leaves its endpoint; the next one takes over and the family is gone.
#[test]
fn a_killed_host_is_followed() {
    let temp = tempfile::tempdir().unwrap();
    let state = temp.path().join("state");
    let mut host = Host::start_in(state.clone(), &[]);
    let mut conn = host.connect(Role::Control);
    let pane = conn.create(&["sh", "-c", "echo pid $$; sleep 1000"]);
    let text = conn.until_text(pane, "pid ");
    let pid = text
        .split("pid ")
        .nth(1)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap();
    let program = Identity::of(pid.parse().unwrap()).unwrap();
    host.child.kill().unwrap();
    host.wait_exit();
    assert!(program.wait_gone(HANG));
    let next = Host::start_in(state, &[]);
    assert!(next.connect(Role::Control).list().panes.is_empty());
}
