//! Helpers that panes share, as the driver sees them: where they are, who is spared, how they end.
//!
//! In: the core's orders, ended reapers, time. Out: an answer about each process, and whom the hunt
//! for what dead reapers left leaves alone. Promises: a process is known by pid and start time; only
//! one below a reaper of this host's panes, or shared already, can be shared; one that nobody uses
//! any more gets TERM, 3 s later it is ended like any leftover.

use crate::core::share::{Looked, Process};
use crate::driver::Driver;
use crate::pane::Pane;
use protocol::{PaneId, msg};
use std::time::{Duration, Instant};
use sys::process::{self, Identity, Signal, Stat};

/// How long a helper has to end by itself after TERM, as a pane's family has.
const GRACE: Duration = Duration::from_secs(3);

/// One helper.
#[derive(Clone, Debug)]
struct Helper {
    whom: Identity,
    /// The reaper that its mark names: what it starts carries the same.
    reaper: Option<Identity>,
    /// That reaper ended in order, so its whole family is gone: whoever carries its mark by now
    /// is the helper's.
    alone: bool,
    /// When it is no longer waited for.
    until: Option<Instant>,
}

/// The helpers there are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Helpers(Vec<Helper>);

impl Helpers {
    fn add(&mut self, whom: Identity) {
        if let Some(known) = self.0.iter_mut().find(|it| it.whom == whom) {
            known.until = None;
            return;
        }
        self.0.push(Helper {
            whom,
            reaper: reaper::reaper_of(whom.pid),
            alone: false,
            until: None,
        });
    }

    fn has(&self, whom: Identity) -> bool {
        self.0.iter().any(|it| it.whom == whom)
    }

    /// The processes of those who have ended, which are forgotten.
    fn take_gone(&mut self) -> Vec<Identity> {
        let (living, gone) = std::mem::take(&mut self.0)
            .into_iter()
            .partition(|it: &Helper| it.whom.alive());
        self.0 = living;
        let gone: Vec<Helper> = gone;
        gone.into_iter().map(|it| it.whom).collect()
    }

    /// A reaper ended; in order: nothing of its family is left but the spared.
    pub(crate) fn reaper_ended(&mut self, reaper: i32, in_order: bool) {
        for helper in &mut self.0 {
            helper.alone |= in_order && helper.reaper.is_some_and(|it| it.pid == reaper);
        }
    }

    /// Whether an adopted process is left alone: a helper, or what a helper started and let go.
    pub(crate) fn spare(&self, whom: &Stat) -> bool {
        let now = Instant::now();
        let awaited = |it: &&Helper| it.until.is_none_or(|until| now < until);
        let mut helpers = self.0.iter().filter(awaited).peekable();
        if helpers.peek().is_none() {
            return false;
        }
        let mark = std::cell::OnceCell::new();
        helpers.any(|it| {
            let marked = || *mark.get_or_init(|| reaper::reaper_of(whom.pid));
            let let_go =
                || it.alone && it.reaper.is_some() && it.whom.alive() && marked() == it.reaper;
            it.whom == whom.identity() || let_go()
        })
    }

    /// Forgets those who ended or had their time. True: some are still waited for.
    pub(crate) fn tick(&mut self, now: Instant) -> bool {
        self.0
            .retain(|it| it.until.is_none_or(|until| now < until && it.whom.alive()));
        self.0.iter().any(|it| it.until.is_some())
    }
}

fn identity((pid, start): Process) -> Identity {
    let pid = i32::try_from(pid).unwrap_or(0);
    Identity { pid, start }
}

impl Driver {
    /// Whether this process can be shared.
    pub(crate) fn look_at_shared(
        &mut self,
        asker: (crate::core::event::ConnId, u32),
        pane: PaneId,
        process: Process,
    ) -> Looked {
        let gone = self.children.helpers.take_gone();
        let whom = identity(process);
        let refused = self.refuse_to_share(whom);
        let gone = gone
            .into_iter()
            .filter_map(|it| Some((u32::try_from(it.pid).ok()?, it.start)));
        Looked {
            asker,
            pane,
            process,
            refused,
            gone: gone.collect(),
        }
    }

    fn refuse_to_share(&self, whom: Identity) -> Option<(u16, String)> {
        let pid = whom.pid;
        if !whom.alive() {
            return Some((
                msg::NOT_ALIVE,
                format!("process {pid} has ended, or it is another one"),
            ));
        }
        let above = self.pane_above(whom);
        if self.children.helpers.has(whom) && above.is_none() {
            return None;
        }
        match above {
            Some(pane) if pane.reaper == pid => Some((
                msg::FORBIDDEN,
                format!("process {pid} is a reaper, not a helper"),
            )),
            Some(pane) if pane.io.is_ending() => Some((
                msg::NOT_ALIVE,
                format!("process {pid} is being ended with its pane"),
            )),
            Some(_) => None,
            None => {
                let text = format!("process {pid} was not started in a pane of this host");
                Some((msg::FORBIDDEN, text))
            }
        }
    }

    /// The pane whose reaper is above a process.
    fn pane_above(&self, whom: Identity) -> Option<&Pane> {
        let mut pid = whom.pid;
        // Pids may be recycled on the way up, into a ring even.
        for _ in 0..1_000 {
            let by_reaper = |pane: &&Pane| pane.reaper == pid && pane.reaped.is_none();
            if let Some(pane) = self.panes.values().find(by_reaper) {
                return Some(pane);
            }
            pid = process::stat(pid).filter(|it| it.ppid > 1)?.ppid;
        }
        None
    }

    /// The process is the host's from now on.
    pub(crate) fn spare(&mut self, process: Process) {
        let whom = identity(process);
        self.children.helpers.add(whom);
        if let Some(pane) = self.pane_above(whom)
            && let Err(error) = pane.io.spare(whom)
        {
            tracing::warn!("process {} may end with its pane: {error}", whom.pid);
        }
    }

    /// Nobody uses it any more.
    pub(crate) fn end_shared(&mut self, process: Process) {
        let whom = identity(process);
        if self.pane_above(whom).is_some() {
            // Its reaper leaves it to this host, where nobody will know it.
            self.children.helpers.0.retain(|it| it.whom != whom);
            return;
        }
        let until = Instant::now() + GRACE;
        for helper in self
            .children
            .helpers
            .0
            .iter_mut()
            .filter(|it| it.whom == whom)
        {
            helper.until = Some(until);
        }
        // Gone already: then the hunt finds what it left.
        let _gone = whom.signal(Signal::TERM);
        let _gone = whom.signal(Signal::CONT);
        self.children.expect_adopted();
        self.end_adopted();
    }
}
