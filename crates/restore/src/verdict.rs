//! Is the host that had the panes gone, and what shall that be called? Pure but for [`look`].
//!
//! In: what was written down of the host and its boot, and what the system says now. Out:
//! [`Verdict`]. Promises: what decides is the host and its root reaper: one that holds its lock, or
//! whose very process (pid and start) lives, is never taken for gone, however silent; boot id and boot
//! time only give the reason its name. Boot times move when the clock is set, so they are compared
//! with a tolerance, and only where there is no boot id (ansible#47017, ceph/calamari#94); in a
//! container both are the machine's, so its own restart shows in process 1 (dnf-plugins-core#432).

use crate::record::{BootRecord, HostRecord, ProcessRecord};
use crate::store::Document;
use serde::{Deserialize, Serialize};
use sys::process::Identity;

/// Seconds two boot times may differ and still mean one boot.
pub const TOLERANCE: u64 = 60;

/// What there is to judge by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The host that was written down, and the boot it ran in.
    pub recorded: Option<(BootRecord, HostRecord)>,
    /// The boot that runs now.
    pub now: BootRecord,
    /// A host holds its lock or its claim on the state folder.
    pub held: bool,
    /// A host answers and has proven itself.
    pub answers: bool,
    /// A process with the recorded host's pid and start lives.
    pub host_lives: bool,
    /// A process with the recorded root reaper's pid and start lives.
    pub root_lives: bool,
}

/// What became of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It answers: join it again.
    Alive,
    /// It lives and does not answer: wait, and say so.
    Silent,
    /// It is gone, its root reaper still ends what it left: wait for that.
    Ending,
    /// It is gone.
    Gone(Reason),
    /// None was written down: there is nothing to bring back.
    Nothing,
}

/// What made the host go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// The machine restarted.
    Machine,
    /// The container restarted.
    Container,
    /// The host alone ended.
    Host,
    /// The host alone ended, because the user had it stop.
    Stopped,
}

impl Reason {
    /// For people, to stand behind a colon.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Machine => "the machine restarted",
            Self::Container => "the container restarted",
            Self::Host => "the host ended",
            Self::Stopped => "the host was stopped",
        }
    }
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.words())
    }
}

/// Judges.
#[must_use]
pub fn judge(facts: &Facts) -> Verdict {
    if facts.answers {
        return Verdict::Alive;
    }
    if facts.held {
        return Verdict::Silent;
    }
    let Some((then, host)) = &facts.recorded else {
        return Verdict::Nothing;
    };
    // Of another boot, a process with that pid and start is a stranger.
    if ids(then, &facts.now) != Some(false) {
        if facts.host_lives {
            return Verdict::Silent;
        }
        if facts.root_lives {
            return Verdict::Ending;
        }
    }
    Verdict::Gone(reason(then, host, &facts.now))
}

/// Whether the boot ids are the same, where both are known.
fn ids(then: &BootRecord, now: &BootRecord) -> Option<bool> {
    (!then.id.is_empty() && !now.id.is_empty()).then(|| then.id == now.id)
}

/// The name of what happened since `host` ran in the boot `then`.
#[must_use]
pub fn reason(then: &BootRecord, host: &HostRecord, now: &BootRecord) -> Reason {
    let restarted = match ids(then, now) {
        Some(same) => !same,
        None => then.time != 0 && now.time != 0 && then.time.abs_diff(now.time) > TOLERANCE,
    };
    let other_first = matches!((then.pid1, now.pid1), (Some(a), Some(b)) if a != b);
    match (restarted, other_first) {
        (true, _) => Reason::Machine,
        (false, true) => Reason::Container,
        (false, false) if host.stopped => Reason::Stopped,
        (false, false) => Reason::Host,
    }
}

/// The boot that runs now.
#[must_use]
pub fn boot_now() -> BootRecord {
    let boot = sys::boot::boot();
    BootRecord {
        id: boot.id,
        time: boot.time,
        pid1: sys::process::stat(1).map(|it| it.start),
    }
}

/// The facts as the system has them. `held` and `answers` are whoever's who looked for the host
/// ([`link::probe`] says both).
#[must_use]
pub fn look(document: &Document, held: bool, answers: bool) -> Facts {
    let host = document.host().filter(|host| host.pid > 0);
    let lives = |it: &ProcessRecord| {
        let (pid, start) = (it.pid, it.start);
        pid > 0 && Identity { pid, start }.alive()
    };
    let host_process = host.as_ref().map(|host| ProcessRecord {
        pid: host.pid,
        start: host.start,
    });
    let root = host.as_ref().and_then(|host| host.root_reaper);
    Facts {
        now: boot_now(),
        held,
        answers,
        host_lives: host_process.as_ref().is_some_and(lives),
        root_lives: root.as_ref().is_some_and(lives),
        recorded: host.map(|host| (document.boot().unwrap_or_default(), host)),
    }
}

#[cfg(test)]
mod tests;
