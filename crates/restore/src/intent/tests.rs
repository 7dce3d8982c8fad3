//! The table of ends.

use super::*;

const NOW: u64 = 1_000;
const OPEN: Intent = Intent::Open;
const BY_USER: Intent = Intent::EndedByUser { at: 900 };
const CLOSED: Intent = Intent::ClosedWorkspace { at: 900 };
const GONE: Intent = Intent::Discarded { at: 900 };
const EXITED: Intent = Intent::Exited {
    at: 900,
    raw_status: Some(0),
};
const PROVISIONAL_NOW: Intent = Intent::Provisional {
    at: 900,
    raw_status: Some(0),
};

fn check(what: &str, intent: &Intent, event: Event, want: &Intent) {
    assert_eq!(&step(intent, &event, NOW), want, "{what}");
}

/// Status in the words of a shell, seconds since the last key, working.
fn end(raw: i32, since: Option<u64>, working: bool) -> End {
    End {
        raw_status: Some(raw),
        working,
        since_submit: since.map(Duration::from_secs),
        shutdown: false,
    }
}

const fn exit(code: i32) -> i32 {
    code << 8
}

#[test]
fn only_proof_makes_an_end_the_users() {
    let provisional = |raw| Intent::Provisional {
        at: NOW,
        raw_status: Some(raw),
    };
    let user = Intent::EndedByUser { at: NOW };
    let check = |what, raw, since, working, want: &Intent| {
        check(what, &OPEN, Event::Ended(end(raw, since, working)), want);
    };
    // `/exit`, Ctrl-D, Ctrl-C twice.
    check("/exit", exit(0), Some(1), false, &user);
    check("an error after a key", exit(1), Some(10), false, &user);
    check("Ctrl-C", exit(130), Some(0), false, &user);
    // Nobody touched it.
    check("by itself", exit(0), None, false, &provisional(exit(0)));
    check(
        "long after",
        exit(0),
        Some(11),
        false,
        &provisional(exit(0)),
    );
    // In the middle of a turn: a crash, whatever was typed.
    check("working", exit(0), Some(1), true, &provisional(exit(0)));
    // Signals are nobody's wish.
    check("SIGKILL", 9, Some(1), false, &provisional(9));
    check("SIGTERM", 15, Some(1), false, &provisional(15));
    check("core dump", 0x8b, Some(1), false, &provisional(0x8b));
    check(
        "exit 143",
        exit(143),
        Some(1),
        false,
        &provisional(exit(143)),
    );
    check(
        "exit 129",
        exit(129),
        Some(1),
        false,
        &provisional(exit(129)),
    );
}

#[test]
fn an_agent_in_a_shell_ends_without_a_status() {
    let ended = |since| End {
        since_submit: Some(Duration::from_secs(since)),
        ..End::default()
    };
    let provisional = Intent::Provisional {
        at: NOW,
        raw_status: None,
    };
    check(
        "typed /exit",
        &OPEN,
        Event::Ended(ended(2)),
        &Intent::EndedByUser { at: NOW },
    );
    check("killed", &OPEN, Event::Ended(ended(60)), &provisional);
}

/// An orderly reboot: everything gets SIGTERM, and some programs answer it with status 0.
#[test]
fn a_shutdown_changes_no_intent() {
    for intent in [&OPEN, &BY_USER, &CLOSED, &GONE, &EXITED] {
        let end = End {
            shutdown: true,
            ..end(exit(0), Some(1), false)
        };
        check("shutdown", intent, Event::Ended(end), intent);
    }
}

#[test]
fn a_provisional_end_waits_for_host_and_keeper() {
    let at = |seconds| Event::Lived(Duration::from_secs(seconds));
    check("too soon", &PROVISIONAL_NOW, at(29), &PROVISIONAL_NOW);
    check("over", &PROVISIONAL_NOW, at(30), &EXITED);
    check("they died first", &PROVISIONAL_NOW, Event::HostGone, &OPEN);
    check("over, then they died", &EXITED, Event::HostGone, &EXITED);
    check("open", &OPEN, at(300), &OPEN);
    check("it runs again", &PROVISIONAL_NOW, Event::Runs, &OPEN);
}

#[test]
fn closing_marks_what_was_closed() {
    let user = Intent::EndedByUser { at: NOW };
    let closed = Intent::ClosedWorkspace { at: NOW };
    check("a pane", &OPEN, Event::PaneClosed, &user);
    check(
        "a pane of a closed workspace",
        &CLOSED,
        Event::PaneClosed,
        &user,
    );
    check("an exited pane", &EXITED, Event::PaneClosed, &user);
    check("a pane closed twice", &BY_USER, Event::PaneClosed, &BY_USER);
    check("a workspace", &OPEN, Event::WorkspaceClosed, &closed);
    check(
        "with a pane just cut",
        &PROVISIONAL_NOW,
        Event::WorkspaceClosed,
        &closed,
    );
    // Closing a workspace does not bring back what the user ended before.
    check(
        "with an ended pane",
        &BY_USER,
        Event::WorkspaceClosed,
        &BY_USER,
    );
    check(
        "with an exited pane",
        &EXITED,
        Event::WorkspaceClosed,
        &EXITED,
    );
    // The programs of a closed workspace end by signal or by status: neither is news.
    for raw in [0, 1, 15, exit(143)] {
        let ended = || Event::Ended(end(raw, Some(1), false));
        check("its programs", &CLOSED, ended(), &CLOSED);
        check("a killed pane's program", &BY_USER, ended(), &BY_USER);
    }
}

#[test]
fn only_the_user_discards_and_takes_back() {
    for intent in [&OPEN, &BY_USER, &CLOSED, &EXITED, &PROVISIONAL_NOW] {
        check(
            "fresh",
            intent,
            Event::Discarded,
            &Intent::Discarded { at: NOW },
        );
    }
    for intent in [&BY_USER, &CLOSED, &EXITED, &GONE] {
        check("reopen", intent, Event::Reopened, &OPEN);
        check("the host went", intent, Event::HostGone, intent);
    }
}
