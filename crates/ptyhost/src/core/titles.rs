//! Titles of programs that are gone.
//!
//! In: who was in the foreground when a title came, whose group is gone. Out: an empty title. Promises: a
//! title goes with the program that set it, so that a shell is not called like the agent that ran in it;
//! one that a program set in passing, as scripts do for good, stays.

use super::pane::{Pane, Phase};
use super::step::Step;
use protocol::PaneId;
use protocol::msg::Title;
use std::time::{Duration, Instant};

/// A program that lives so long after its first title set it for itself.
const OWN: Duration = Duration::from_secs(2);

/// Whose the title is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Titled {
    /// Nobody's that could go.
    Nobody,
    /// A title came, and the driver was asked who is in the foreground.
    Asked {
        /// Whose the title before was, and since when.
        before: Option<(u32, Instant)>,
    },
    /// That group's, which set its first one then.
    By(u32, Instant),
}

impl Titled {
    /// A title came.
    pub(crate) const fn came(&mut self) {
        let before = match *self {
            Self::Nobody => None,
            Self::Asked { before } => before,
            Self::By(group, since) => Some((group, since)),
        };
        *self = Self::Asked { before };
    }

    /// This group is in the foreground.
    pub(crate) fn foreground(&mut self, group: u32, now: Instant) {
        if let Self::Asked { before } = *self {
            let since = before.filter(|(last, _)| *last == group);
            *self = Self::By(group, since.map_or(now, |(_, since)| since));
        }
    }

    /// Whether the title goes with this group.
    fn goes_with(self, group: u32, now: Instant) -> bool {
        let own = |since: Instant| now.saturating_duration_since(since) >= OWN;
        matches!(self, Self::By(of, since) if of == group && group != 0 && own(since))
    }
}

impl Step<'_> {
    /// A group that did something to the terminal has no process left.
    pub(crate) fn group_gone(&mut self, id: PaneId, group: u32) {
        let now = self.now;
        let goes = |pane: &&mut Pane| {
            let lives = !matches!(pane.phase, Phase::Exited(_));
            lives && pane.titled.goes_with(group, now)
        };
        if let Some(pane) = self.s.panes.get_mut(&id).filter(goes) {
            pane.titled = Titled::Nobody;
            pane.screen.forget_title();
            let title = pane.screen.title();
            self.publish(id, Title { title });
            // The stream holds no bytes for it.
            self.resync(id);
        }
        self.reset_left_modes(id);
    }
}
