//! Helpers that several panes share: a process that one pane's program started and others use too.
//!
//! In: `Share` requests, the driver's look at the process, the ends of panes. Out: whom to spare, and
//! when to end him. Promises: a helper belongs to the host from its first request on, whatever
//! pane's family it was born in and whatever its environment says; it is ended when the last pane
//! that was named as its user has ended, and not before; what it is for is never asked.

use super::action::Action;
use super::pane::Asker;
use super::step::Step;
use protocol::PaneId;
use protocol::msg::{self, Done};
use std::collections::BTreeSet;

/// Most helpers at a time.
pub(crate) const MAX_SHARED: usize = reaper::SPARED;

/// A process: its id and its start time in clock ticks since boot.
pub type Process = (u32, u64);

/// What the driver's look at a process that is to be shared found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Looked {
    /// Whose question it was.
    pub asker: (super::event::ConnId, u32),
    /// The pane that uses it.
    pub pane: PaneId,
    /// The process.
    pub process: Process,
    /// Why it cannot be shared: code and text of the answer.
    pub refused: Option<(u16, String)>,
    /// Shared helpers that have ended meanwhile.
    pub gone: Vec<Process>,
}

/// A helper and the panes that use it; at least one.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) process: Process,
    pub(crate) users: BTreeSet<PaneId>,
}

impl Step<'_> {
    /// A `Share` request of a pane whose program lives.
    pub(crate) fn share(&mut self, asker: Asker, pane: PaneId, share: &msg::Share) {
        let mut others = self.s.panes.values();
        if let Some(own) = others.find(|it| it.pid == share.pid || it.reaper == share.pid) {
            let text = format!("process {} is {}'s own, not a helper", share.pid, own.id);
            return self.fail(asker.conn, pane, asker.request, msg::FORBIDDEN, text);
        }
        self.out.push(Action::LookAtShared {
            asker: (asker.conn, asker.request),
            pane,
            process: (share.pid, share.start),
        });
    }

    /// The driver has looked.
    pub(crate) fn shared(&mut self, looked: Looked) {
        let Looked {
            asker: (conn, request),
            pane,
            process,
            refused,
            gone,
        } = looked;
        self.s.shared.retain(|it| !gone.contains(&it.process));
        if let Some((code, text)) = refused {
            return self.fail(conn, pane, request, code, text);
        }
        let known = self.s.shared.iter().position(|it| it.process == process);
        if known.is_none() && self.s.shared.len() >= MAX_SHARED {
            let text = format!("{MAX_SHARED} helpers are shared already");
            return self.fail(conn, pane, request, msg::LIMIT, text);
        }
        match known.and_then(|at| self.s.shared.get_mut(at)) {
            Some(shared) => drop(shared.users.insert(pane)),
            None => self.s.shared.push(Shared {
                process,
                users: BTreeSet::from([pane]),
            }),
        }
        self.log(format!(
            "{pane} uses process {}, which is shared",
            process.0
        ));
        self.out.push(Action::Spare { process });
        self.answer(Asker { conn, request }, pane, Done {});
    }

    /// A pane's family is gone: it uses nothing any more.
    pub(crate) fn uses_nothing(&mut self, pane: PaneId) {
        let mut unused = Vec::new();
        self.s.shared.retain_mut(|shared| {
            let last = shared.users.remove(&pane) && shared.users.is_empty();
            unused.extend(last.then_some(shared.process));
            !last
        });
        for process in unused {
            self.log(format!("process {} is ended: nobody shares it", process.0));
            self.out.push(Action::EndShared { process });
        }
    }
}
