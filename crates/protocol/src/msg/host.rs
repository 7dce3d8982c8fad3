//! The host itself, and answers every request can get.

use super::Bytes;
use bincode::{Decode, Encode};

/// The first frame after the proof.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Welcome {
    /// Random bytes that name this host's life.
    pub instance: [u8; 16],
    /// The host's process id.
    pub pid: u32,
    /// The host's build, for people.
    pub build: String,
    /// This connection's number.
    pub connection: u32,
}

/// A request was carried out.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Done {}

/// A request was not carried out.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Failed {
    /// One of the codes of this module's parent; unknown ones mean "failed".
    pub code: u16,
    /// What happened, to which pane or file, what to do next; one line.
    pub text: String,
}

/// Facts about the host.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Status {}

/// Facts about the host.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct HostFacts {
    /// Its process id.
    pub pid: u32,
    /// Its start time in clock ticks since boot.
    pub pid_start: u64,
    /// The root reaper's process id; 0: it has none (any more).
    pub root_reaper: u32,
    /// Names this host's life.
    pub instance: [u8; 16],
    /// Its build, for people.
    pub build: String,
    /// Milliseconds since it began.
    pub age_ms: u64,
    /// Panes, exited ones included.
    pub terminals: u32,
    /// Panes whose program lives.
    pub live: u32,
    /// Attach and watch connections.
    pub attachments: u32,
    /// Observe and manage connections.
    pub observers: u32,
    /// Resident memory in bytes; 0 unknown.
    pub memory: u64,
    /// Things to tell the user, one line each (the root reaper is gone, state is not saved).
    pub warnings: Vec<String>,
}

/// End every family, then the host.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Stop {}

/// The host ends on purpose.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Goodbye {
    /// For people.
    pub reason: String,
}

/// A hook's word about its own pane, at most 64 KiB.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Report {
    /// Unread by the host.
    pub body: Bytes,
}
