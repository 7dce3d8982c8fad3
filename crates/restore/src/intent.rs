//! What the end of a program means: did the user end it, or was it cut? Pure.
//!
//! In: the intent so far, an event, the wall clock (for the record). Out: the intent now. Promises:
//! `ended by user` needs proof; an end without one is provisional, and counts as cut when the host or
//! the keeper die before [`PROVISIONAL`] of their common life is over; nothing that happens once an
//! end of host, keeper or machine is announced changes an intent (claude-code#79789 came back after
//! it was closed; an orderly reboot ends agents with status 0 and they are to come back).

use crate::record::Intent;
use std::time::Duration;

/// How long host and keeper must outlive an end before it counts as the program's own.
pub const PROVISIONAL: Duration = Duration::from_secs(30);
/// A key this long before the end can have been what ended it.
pub const SUBMIT: Duration = Duration::from_secs(10);

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The program runs (again).
    Runs,
    /// The user closed or killed this very pane through abide.
    PaneClosed,
    /// The user closed its workspace through abide.
    WorkspaceClosed,
    /// The program has ended.
    Ended(End),
    /// Host and keeper have lived so long together since the end, or since the keeper began.
    Lived(Duration),
    /// The host or the machine went away.
    HostGone,
    /// The user started afresh.
    Discarded,
    /// The user wants it back.
    Reopened,
}

/// How a program ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct End {
    /// Raw wait status; `None` where nobody could see it (an agent typed into a shell).
    pub raw_status: Option<i32>,
    /// It was in the middle of a turn.
    pub working: bool,
    /// From the last Enter, Ctrl-C or Ctrl-D there to the end.
    pub since_submit: Option<Duration>,
    /// An end of host, keeper or machine was announced, or one of them got SIGTERM.
    pub shutdown: bool,
}

impl End {
    /// By a signal. An exit status of 128 + n is how shells and CLIs tell that they were.
    #[must_use]
    pub fn by_signal(&self) -> bool {
        let Some(raw) = self.raw_status else {
            return false;
        };
        let (signal, code) = (raw & 0x7f, (raw >> 8) & 0xff);
        // 130: Ctrl-C, which is a key of the user's.
        signal != 0 || [128 + 1, 128 + 9, 128 + 15].contains(&code)
    }

    /// The user ended it with a key.
    #[must_use]
    pub fn by_user(&self) -> bool {
        let soon = self.since_submit.is_some_and(|since| since <= SUBMIT);
        soon && !self.working && !self.by_signal() && !self.shutdown
    }
}

/// What the user wants of the pane now. `now`: Unix seconds.
#[must_use]
pub fn step(intent: &Intent, event: &Event, now: u64) -> Intent {
    match event {
        Event::Runs | Event::Reopened => Intent::Open,
        Event::Discarded => Intent::Discarded { at: now },
        Event::PaneClosed => match intent {
            Intent::EndedByUser { .. } | Intent::Discarded { .. } => intent.clone(),
            _ => Intent::EndedByUser { at: now },
        },
        Event::WorkspaceClosed => match intent {
            Intent::Open | Intent::Provisional { .. } => Intent::ClosedWorkspace { at: now },
            _ => intent.clone(),
        },
        Event::Ended(end) => ended(intent, end, now),
        Event::Lived(life) => match intent {
            Intent::Provisional { at, raw_status } if *life >= PROVISIONAL => Intent::Exited {
                at: *at,
                raw_status: *raw_status,
            },
            _ => intent.clone(),
        },
        Event::HostGone => match intent {
            Intent::Provisional { .. } => Intent::Open,
            _ => intent.clone(),
        },
    }
}

fn ended(intent: &Intent, end: &End, now: u64) -> Intent {
    match intent {
        Intent::Open if end.shutdown => Intent::Open,
        Intent::Open if end.by_user() => Intent::EndedByUser { at: now },
        Intent::Open => Intent::Provisional {
            at: now,
            raw_status: end.raw_status,
        },
        // Closed, discarded or ended already: its programs' ends are no news.
        _ => intent.clone(),
    }
}

#[cfg(test)]
mod tests;
