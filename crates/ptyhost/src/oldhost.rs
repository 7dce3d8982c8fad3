//! The host before this one: no pane starts while its family is still being ended.
//!
//! In: the endpoint file it left, this boot. Out: it is gone, or what is left of it stands in the
//! log. Promises: a process is known by id, start time and boot, never by id alone; nothing is
//! signalled here; the wait is bounded.

use crate::state::{Endpoint, Process};
use std::time::{Duration, Instant};
use sys::process::{Identity, Stat};

/// How long an old host and its root reaper are waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// Waits for the old host and its root reaper. `Err`: the old host itself lives on, so this one
/// must not start.
pub(crate) fn wait_gone(
    old: Option<&Endpoint>,
    boot: &str,
    root_reaper: Option<Identity>,
) -> Result<(), Identity> {
    let Some(old) = old.filter(|old| old.boot.id == boot) else {
        return Ok(());
    };
    let until = Instant::now() + PATIENCE;
    let host = Identity::from(Process {
        pid: old.pid,
        start: old.start,
    });
    let root = old
        .root_reaper
        .map(Identity::from)
        .filter(|root| Some(*root) != root_reaper);
    if !is_gone(host, until) {
        return Err(host);
    }
    if let Some(root) = root
        && !is_gone(root, until)
    {
        log_left(root);
    }
    Ok(())
}

fn is_gone(process: Identity, until: Instant) -> bool {
    if process == Identity::me() || !process.alive() {
        return true;
    }
    tracing::info!(
        pid = process.pid,
        "waiting for the old host's processes to end"
    );
    process.wait_gone(until.saturating_duration_since(Instant::now()))
}

/// One line for the old root reaper and one for each process below it, at most 50.
fn log_left(root: Identity) {
    let all = sys::process::all();
    tracing::warn!(
        pid = root.pid,
        "the old host's root reaper still lives; going on beside it"
    );
    for stat in below(&all, root.pid).iter().take(50) {
        tracing::warn!(
            pid = stat.pid,
            ppid = stat.ppid,
            comm = stat.comm,
            "left of the old host"
        );
    }
}

/// The descendants of `root` among `all`, parents before children.
pub(crate) fn below(all: &[Stat], root: i32) -> Vec<&Stat> {
    let mut found: Vec<&Stat> = Vec::new();
    let mut parents = vec![root];
    while let Some(parent) = parents.pop() {
        for stat in all.iter().filter(|s| s.ppid == parent && s.pid != parent) {
            if !found.iter().any(|f| f.pid == stat.pid) {
                found.push(stat);
                parents.push(stat.pid);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Boot;

    fn endpoint(boot: &str, host: Identity, root: Option<Identity>) -> Endpoint {
        Endpoint {
            version: 1,
            instance: String::new(),
            pid: host.pid,
            start: host.start,
            boot: Boot {
                id: boot.to_owned(),
                time: 0,
            },
            root_reaper: root.map(Into::into),
            address: String::new(),
            port: 0,
            protocol: [1, 1],
            build: String::new(),
        }
    }

    #[test]
    fn only_a_process_of_this_boot_with_its_start_time_is_waited_for() {
        let parent = Identity::of(sys::process::parent()).unwrap();
        let recycled = Identity {
            start: parent.start + 1,
            ..parent
        };
        let begun = Instant::now();
        for (old, root) in [
            (None, None),
            (Some(endpoint("another boot", parent, Some(parent))), None),
            (Some(endpoint("boot", recycled, Some(recycled))), None),
            // Started by the same root reaper again: nothing to wait for.
            (Some(endpoint("boot", recycled, Some(parent))), Some(parent)),
        ] {
            assert_eq!(wait_gone(old.as_ref(), "boot", root), Ok(()));
        }
        assert!(begun.elapsed() < PATIENCE);
    }

    #[test]
    fn a_family_is_found_by_descent() {
        let stat = |pid, ppid| Stat {
            pid,
            ppid,
            pgrp: pid,
            session: pid,
            state: 'S',
            start: 1,
            threads: 1,
            comm: String::new(),
        };
        let all = [
            stat(1, 0),
            stat(5, 4),
            stat(2, 1),
            stat(4, 2),
            stat(3, 1),
            stat(6, 6),
        ];
        let found: Vec<i32> = below(&all, 2).iter().map(|stat| stat.pid).collect();
        assert_eq!(found, [4, 5]);
        assert!(below(&all, 6).is_empty());
    }
}
