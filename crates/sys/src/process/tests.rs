//! Identities, groups and waits, on real processes.

use super::*;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};

/// `cat`, which lives until its stdin is closed.
fn cat() -> (Child, i32) {
    let mut command = Command::new("cat");
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .process_group(0);
    let child = command.spawn().unwrap();
    let pid = i32::try_from(child.id()).unwrap();
    (child, pid)
}

/// Whether it still copies a line from stdin to stdout.
fn answers(child: &mut Child) -> bool {
    child.stdin.as_mut().unwrap().write_all(b"x\n").unwrap();
    let mut line = [0; 2];
    child.stdout.as_mut().unwrap().read_exact(&mut line).is_ok()
}

#[test]
fn me_is_this_process() {
    let me = Identity::me();
    assert_eq!(me.pid, i32::try_from(std::process::id()).unwrap());
    assert!(me.start > 0 && me.alive());
    assert_eq!(stat(me.pid).unwrap().ppid, parent());
}

#[test]
fn nobody_has_pid_zero_or_a_negative_one() {
    for pid in [0, -1, i32::MIN] {
        assert_eq!(Identity::of(pid), None);
    }
}

/// juspay/kolu#1287: a recorded pid was given to another process, which was then signalled.
#[test]
fn a_recycled_pid_is_not_signalled() {
    let (mut child, pid) = cat();
    let real = Identity::of(pid).unwrap();
    let stale = Identity {
        pid,
        start: real.start + 1,
    };
    assert!(!stale.alive());
    let error = stale.signal(Signal::KILL).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(libc::ESRCH));
    assert!(stale.wait_gone(Duration::ZERO));
    assert!(answers(&mut child));
    real.signal(Signal::KILL).unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGKILL));
}

#[test]
fn a_zombie_is_not_alive_and_waiting_for_it_ends() {
    let (mut child, pid) = cat();
    let identity = Identity::of(pid).unwrap();
    assert!(!identity.wait_gone(Duration::from_millis(1)));
    identity.signal(Signal::KILL).unwrap();
    assert!(identity.wait_gone(Duration::from_secs(60)));
    assert_eq!(stat(pid).unwrap().state, 'Z');
    assert!(!identity.alive());
    child.wait().unwrap();
    assert_eq!(Identity::of(pid), None);
}

#[test]
fn a_group_is_signalled_whole_and_group_ids_that_mean_everybody_are_refused() {
    let (mut child, pid) = cat();
    for group in [0, 1, -1, -pid] {
        let refused = signal_group(group, Signal::KILL).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::InvalidInput, "{group}");
    }
    assert!(answers(&mut child));
    signal_group(pid, Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGTERM));
}

#[test]
fn children_are_found() {
    let (mut child, pid) = cat();
    let mine: Vec<_> = children_of(Identity::me().pid)
        .into_iter()
        .map(|it| it.pid)
        .collect();
    assert!(mine.contains(&pid), "{pid} in {mine:?}");
    #[cfg(target_os = "linux")]
    assert!(own_children().contains(&pid));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn everybody_from_a_pid_on_is_named_in_order() {
    let (mut child, pid) = cat();
    for first in [i32::MIN, 1, pid - 1, pid, pid + 1, i32::MAX] {
        let mut named = Vec::new();
        each_pid_from(first, |it| named.push(it));
        assert!(named.is_sorted(), "{first}: {named:?}");
        assert_eq!(named.contains(&pid), first <= pid, "{first}: {named:?}");
        assert!(
            named.first().is_none_or(|it| *it >= first.max(1)),
            "{first}: {named:?}"
        );
    }
    child.kill().unwrap();
    let zombie = Identity::of(pid).unwrap();
    assert!(zombie.wait_gone(Duration::from_secs(60)));
    let mut named = false;
    each_pid_from(pid, |it| named |= it == pid);
    assert!(named, "a zombie has its pid yet");
    child.wait().unwrap();
}

#[test]
#[cfg(target_os = "linux")]
fn one_that_was_started_without_environment_is_told_from_one_that_hides_it() {
    let (mut child, pid) = cat();
    let mut bare = Command::new("cat")
        .env_clear()
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let bare_pid = i32::try_from(bare.id()).unwrap();
    // The child of a spawn shares its parent's memory until it is executed.
    let begun = Instant::now();
    while !is_bare(bare_pid) {
        assert!(begun.elapsed() < Duration::from_secs(60), "never bare");
        std::thread::yield_now();
    }
    assert!(environment(bare_pid).unwrap().is_empty());
    assert!(!is_bare(pid) && !is_bare(0));
    for it in [&mut child, &mut bare] {
        it.kill().unwrap();
    }
    let zombie = Identity::of(bare_pid).unwrap();
    assert!(zombie.wait_gone(Duration::from_secs(60)));
    assert!(!is_bare(bare_pid), "it shows nothing any more");
    child.wait().unwrap();
    bare.wait().unwrap();
}
