//! What a connection may do; stated in the hello, so it stands inside the proof.

/// A connection's role. The numbers are on the wire and frozen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Role {
    /// A client that claims panes: keys in, output out.
    Attach = 1,
    /// A read-only viewer.
    Watch = 2,
    /// A command the user ran, an editor, a script.
    Control = 3,
    /// Events, snapshots and pages; changes nothing.
    Observe = 4,
    /// The keeper: observes, creates, kills, writes notes; never input.
    Manage = 5,
    /// A pane's own hook: reports for its own pane, nothing else.
    Report = 6,
}

impl Role {
    /// The role with this number, if there is one.
    #[must_use]
    pub const fn from_wire(byte: u8) -> Option<Self> {
        match byte {
            1 => Some(Self::Attach),
            2 => Some(Self::Watch),
            3 => Some(Self::Control),
            4 => Some(Self::Observe),
            5 => Some(Self::Manage),
            6 => Some(Self::Report),
            _ => None,
        }
    }

    /// Bytes may reach a pane's input from here (invariant: attach and control only).
    #[must_use]
    pub const fn may_type(self) -> bool {
        matches!(self, Self::Attach | Self::Control)
    }

    /// May create, kill, resize and continue panes, write notes, stop the host.
    #[must_use]
    pub const fn may_manage(self) -> bool {
        matches!(self, Self::Attach | Self::Control | Self::Manage)
    }

    /// May read lists, notes, snapshots and events.
    #[must_use]
    pub const fn may_read(self) -> bool {
        !matches!(self, Self::Report)
    }

    /// Counts as an attachment: it keeps an otherwise empty host alive.
    #[must_use]
    pub const fn holds_host(self) -> bool {
        matches!(self, Self::Attach | Self::Watch)
    }
}
