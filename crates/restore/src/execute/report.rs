//! What a restore came to, in numbers and in one line.

use super::job::{Job, Phase};
use crate::plan::{Action, Item};
use crate::record::LastRestore;
use std::collections::BTreeSet;

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Workspaces with a pane that came back.
    pub workspaces: usize,
    /// Panes that came back, as agents or shells.
    pub resumed: usize,
    /// Panes that were not to, or were held.
    pub skipped: usize,
    /// Panes that could not.
    pub blocked: usize,
    /// Those, each with the reason.
    pub reasons: Vec<(u32, String)>,
}

impl Report {
    pub(super) fn of(jobs: &[Job], skipped: &[Item]) -> Self {
        let mut report = Self {
            skipped: skipped.len(),
            ..Self::default()
        };
        let mut workspaces = BTreeSet::new();
        for job in jobs {
            let item = &job.item;
            match job.phase {
                Phase::Failed => report.block(item),
                Phase::Held | Phase::LetGo => report.skipped += 1,
                _ if item.action == Action::Blocked => report.block(item),
                Phase::Back | Phase::Settled(_) | Phase::Runs(_) => {
                    report.resumed += 1;
                    workspaces.extend(item.workspace.clone());
                }
                Phase::Waiting(_) | Phase::Asked => {}
            }
        }
        report.workspaces = workspaces.len();
        report
    }

    fn block(&mut self, item: &Item) {
        self.blocked += 1;
        self.reasons.push((item.pane, item.reason.clone()));
    }

    /// For the log and `abide status`.
    #[must_use]
    pub fn line(&self) -> String {
        let blocked = match self.blocked {
            0 => String::new(),
            n => format!(", {n} blocked"),
        };
        format!(
            "resumed {} workspace(s), {} terminal(s); {} skipped{blocked}",
            self.workspaces, self.resumed, self.skipped
        )
    }

    /// As it is written down. `now`: Unix seconds.
    #[must_use]
    pub fn last(&self, reason: &str, now: u64) -> LastRestore {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        LastRestore {
            reason: reason.to_owned(),
            resumed: number(self.resumed),
            skipped: number(self.skipped),
            blocked: number(self.blocked),
            line: self.line(),
            at: now,
        }
    }
}
