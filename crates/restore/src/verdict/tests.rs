//! The matrix: lock, identities, boot id, boot time, process 1.

use super::*;

const THEN: u64 = 1_000_000;

fn boot(id: &str, time: u64, pid1: Option<u64>) -> BootRecord {
    BootRecord {
        id: id.to_owned(),
        time,
        pid1,
    }
}

/// `then` and `now` as (id, time, process 1); what lives as a word of `h`ost, `r`oot reaper, `l`ock,
/// `a`nswer.
fn check(
    what: &str,
    then: (&str, u64, Option<u64>),
    now: (&str, u64, Option<u64>),
    lives: &str,
    want: Verdict,
) {
    let facts = Facts {
        recorded: Some((boot(then.0, then.1, then.2), HostRecord::default())),
        now: boot(now.0, now.1, now.2),
        held: lives.contains('l'),
        answers: lives.contains('a'),
        host_lives: lives.contains('h'),
        root_lives: lives.contains('r'),
    };
    assert_eq!(judge(&facts), want, "{what}");
}

const MACHINE: Verdict = Verdict::Gone(Reason::Machine);
const CONTAINER: Verdict = Verdict::Gone(Reason::Container);
const HOST: Verdict = Verdict::Gone(Reason::Host);
const SAME: (&str, u64, Option<u64>) = ("b", THEN, Some(3));

#[test]
fn a_host_that_lives_is_never_gone() {
    use Verdict::{Alive, Ending, Silent};
    check("it answers", SAME, SAME, "hrla", Alive);
    check("it hangs", SAME, SAME, "hrl", Silent);
    check("its lock file was deleted", SAME, SAME, "hr", Silent);
    check("only the lock is known of it", SAME, SAME, "l", Silent);
    check("killed, its families end", SAME, SAME, "r", Ending);
    // Checkpoint and restore on another machine: other boot, other pids, the lock is held.
    check("moved", SAME, ("c", THEN + 9_000, Some(8)), "l", Silent);
    check(
        "moved, answers",
        SAME,
        ("c", THEN + 9_000, Some(8)),
        "la",
        Alive,
    );
    // No boot id to tell boots apart: a living process with that pid and start is the host.
    check("no ids", ("", THEN, None), ("", THEN, None), "h", Silent);
    check(
        "no ids, clock set",
        ("", THEN, None),
        ("", THEN + 3_600, None),
        "h",
        Silent,
    );
}

#[test]
fn a_process_of_another_boot_is_a_stranger() {
    let other = ("c", THEN + 100_000, Some(3));
    check("pid and start by chance", SAME, other, "h", MACHINE);
    check("of its root reaper", SAME, other, "r", MACHINE);
    check("of both", SAME, other, "hr", MACHINE);
}

/// ansible#47017 and #48350 (the boot's id is best, a machine may have no clock), ceph/calamari#94 (time servers
/// step), dnf-plugins-core#432 and node_exporter#3317 (a container's boot time is its machine's).
#[test]
fn the_reason_has_its_name_from_boot_facts() {
    check("killed alone", SAME, SAME, "", HOST);
    check("reboot", SAME, ("c", THEN + 9_000, Some(3)), "", MACHINE);
    // A machine without a clock: every boot begins at the same time.
    check("reboot, no clock", SAME, ("c", THEN, Some(3)), "", MACHINE);
    // The clock was set, the machine slept, uptime drifted: same boot id, other boot time.
    for step in [1, 2, 59, 61, 3_600, 10_000_000] {
        for now in [THEN + step, THEN.saturating_sub(step)] {
            check("clock set", SAME, ("b", now, Some(3)), "", HOST);
        }
    }
    // In a container id and time are the machine's; process 1 is the container's.
    check(
        "container restart",
        SAME,
        ("b", THEN, Some(77)),
        "",
        CONTAINER,
    );
    check(
        "and clock set",
        SAME,
        ("b", THEN + 3_600, Some(77)),
        "",
        CONTAINER,
    );
    check(
        "container, machine restarted",
        SAME,
        ("c", THEN, Some(77)),
        "",
        MACHINE,
    );
    // Process 1 cannot be seen.
    check("hidden then", ("b", THEN, None), SAME, "", HOST);
    check("hidden now", SAME, ("b", THEN, None), "", HOST);
}

/// scylla-cluster-tests#2210: a boot time that is worked out from the uptime drifts.
#[test]
fn without_boot_ids_the_time_decides_with_a_tolerance() {
    let now = |time| ("", time, Some(3));
    for (what, then) in [("no id now", SAME), ("no ids", ("", THEN, Some(3)))] {
        for near in [0, 1, 2, 5, 60] {
            check(what, then, now(THEN + near), "", HOST);
            check(what, then, now(THEN - near), "", HOST);
        }
        for far in [61, 3_600, 500_000] {
            check(what, then, now(THEN + far), "", MACHINE);
            check(what, then, now(THEN - far), "", MACHINE);
        }
        check(what, then, ("", THEN, Some(77)), "", CONTAINER);
        check(what, then, ("", 0, Some(3)), "", HOST);
    }
    check("nothing known", ("", 0, None), ("", 0, None), "", HOST);
}

#[test]
fn without_a_record_there_is_nothing_to_bring_back() {
    assert_eq!(judge(&Facts::default()), Verdict::Nothing);
    let held = Facts {
        held: true,
        ..Facts::default()
    };
    assert_eq!(judge(&held), Verdict::Silent);
}

#[test]
fn the_system_is_looked_at() {
    let mut document = Document::default();
    assert_eq!(judge(&look(&document, false, false)), Verdict::Nothing);
    let me = Identity::me();
    let record = |pid, start| HostRecord {
        pid,
        start,
        ..HostRecord::default()
    };
    document.set_boot(&boot_now());
    document.set_host(&record(me.pid, me.start));
    assert_eq!(judge(&look(&document, false, false)), Verdict::Silent);
    document.set_host(&record(me.pid, me.start + 1));
    assert_eq!(judge(&look(&document, false, false)), HOST);
}
