//! Everything a host remembers, in one struct of owned data.
//!
//! Nothing here borrows, locks or holds a descriptor, so a later host can take it over: write the
//! fields as tagged sections (each pane's terminal by `term::codec`, each queue as its bytes), hand
//! over the pty descriptors by pane id beside them, and read the sections back into this struct.
//! `Instant`s travel as ages, connections do not travel: clients connect again and claim.

use super::config::CoreConfig;
use super::credit::View;
use super::event::ConnId;
use super::notes::{Ledger, NoteMap};
use super::pane::{Asker, Pane};
use super::share::Shared;
use protocol::msg::{Bytes, Create};
use protocol::{PaneId, Role};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Instant;
use term::Colours;

/// See the module.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) config: CoreConfig,
    pub(crate) began: Instant,
    pub(crate) panes: BTreeMap<PaneId, Pane>,
    /// Exited panes, oldest end first.
    pub(crate) exited: VecDeque<PaneId>,
    pub(crate) conns: BTreeMap<ConnId, Conn>,
    /// Highest pane id ever given.
    pub(crate) highest: u32,
    pub(crate) ledger: Ledger,
    pub(crate) notes: NoteMap,
    /// Of the client that told last.
    pub(crate) colours: Colours,
    /// Stable links there are, with where they lead.
    pub(crate) links: BTreeMap<String, Bytes>,
    /// Helpers that panes share.
    pub(crate) shared: Vec<Shared>,
    /// Panes that wait for the login shell's environment.
    pub(crate) login: Option<LoginWait>,
    pub(crate) login_token: u32,
    /// `Status` requests that wait for the host's measures.
    pub(crate) measuring: Vec<Asker>,
    /// Since when nothing has held the host.
    pub(crate) idle_since: Option<Instant>,
    pub(crate) stopping: Option<Stopping>,
    /// `Exit` was given out; nothing counts any more.
    pub(crate) over: bool,
}

/// A question to the login shell and who waits for it.
#[derive(Debug)]
pub(crate) struct LoginWait {
    pub(crate) token: u32,
    pub(crate) panes: Vec<(PaneId, Asker, Create)>,
}

/// The host is ending.
#[derive(Debug)]
pub(crate) struct Stopping {
    pub(crate) reason: String,
    /// When it ends whatever is left.
    pub(crate) until: Instant,
}

/// A proven connection.
#[derive(Debug)]
pub(crate) struct Conn {
    pub(crate) role: Role,
    pub(crate) pane_key: Option<PaneId>,
    pub(crate) since: Instant,
    /// Where the client runs, cleaned; see `Viewer::label`.
    pub(crate) label: String,
    pub(crate) subscribed: bool,
    /// Its first claim was logged.
    pub(crate) attached: bool,
    /// Panes it has claimed (attach) or watches.
    pub(crate) views: BTreeMap<PaneId, View>,
    /// Panes its user looks at; `None`: it never said, so all that it shows.
    pub(crate) looks: Option<BTreeSet<PaneId>>,
    /// Bytes sent that have not left.
    pub(crate) outbox: usize,
    /// Events were left out since the outbox was last short.
    pub(crate) missed: bool,
    /// Nothing is sent or read any more.
    pub(crate) closing: bool,
}

impl State {
    pub(crate) fn new(config: CoreConfig, now: Instant) -> Self {
        Self {
            highest: config.highest,
            config,
            began: now,
            panes: BTreeMap::new(),
            exited: VecDeque::new(),
            conns: BTreeMap::new(),
            ledger: Ledger::default(),
            notes: NoteMap::new(),
            colours: Colours::default(),
            links: BTreeMap::new(),
            shared: Vec::new(),
            login: None,
            login_token: 0,
            measuring: Vec::new(),
            idle_since: Some(now),
            stopping: None,
            over: false,
        }
    }

    /// The pane, if it has started.
    pub(crate) fn visible(&mut self, pane: PaneId) -> Option<&mut Pane> {
        self.panes.get_mut(&pane).filter(|pane| pane.is_visible())
    }

    /// Whether this id is taken, also by a pane that is still on its way.
    pub(crate) fn is_taken(&self, pane: PaneId) -> bool {
        let waits = |wait: &LoginWait| wait.panes.iter().any(|(id, ..)| *id == pane);
        self.panes.contains_key(&pane) || self.login.as_ref().is_some_and(waits)
    }
}

impl Conn {
    pub(crate) const fn new(role: Role, pane_key: Option<PaneId>, since: Instant) -> Self {
        Self {
            role,
            pane_key,
            since,
            label: String::new(),
            subscribed: false,
            attached: false,
            views: BTreeMap::new(),
            looks: None,
            outbox: 0,
            missed: false,
            closing: false,
        }
    }
}
