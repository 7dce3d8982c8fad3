//! The driver: one loop between everything that can happen and the core.
//!
//! In: wakes, pane output, time. Out: the core's actions, carried out in order. Promises: wakes
//! (connections, reports, signals) go before pane output, but no number of them keeps output out;
//! panes take turns, the pane that was typed into last goes first once; without anything to do
//! the loop sleeps until the core's deadline or the next look at the state folder.

use crate::children::Children;
use crate::config::HostConfig;
use crate::conn::{self, Outbox};
use crate::core::Core;
use crate::core::event::{ConnId, Event};
use crate::handshake::Admitted;
use crate::pane::Pane;
use crate::paneio::{Channels, PaneOutput};
use crate::tend::Tended;
use crate::wake::{Signal, Wake};
use protocol::PaneId;
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

/// Wakes that are dealt with before a chunk of output gets its turn.
const BATCH: usize = 32;
/// How often the state folder is looked at.
const TEND: Duration = Duration::from_secs(5);
/// Least time between two looks at the foreground groups of panes where something happened.
const SAMPLE: Duration = Duration::from_millis(250);
/// Time the last frames have to reach their readers at the end.
const FAREWELL: Duration = Duration::from_secs(1);

/// Everything the driver holds.
pub(crate) struct Driver {
    pub(crate) config: HostConfig,
    pub(crate) core: Core,
    pub(crate) tended: Tended,
    pub(crate) links: PathBuf,
    pub(crate) channels: Channels,
    pub(crate) conns: BTreeMap<u32, Outbox>,
    pub(crate) panes: BTreeMap<PaneId, Pane>,
    pub(crate) children: Children,
    /// Events that answer actions, for when the core is free.
    pub(crate) events: VecDeque<Event>,
    /// Set once: why the host ends.
    pub(crate) exit: Option<String>,
    /// The pane that was written to last; its next output goes first.
    pub(crate) favoured: Option<PaneId>,
    last_conn: u32,
    ready: VecDeque<PaneOutput>,
    pub(crate) sample_at: Option<Instant>,
    tend_at: Instant,
    pub(crate) adopted_at: Option<Instant>,
}

/// What a driver is made of.
pub(crate) struct Parts {
    pub(crate) config: HostConfig,
    pub(crate) core: Core,
    pub(crate) tended: Tended,
    pub(crate) links: PathBuf,
    pub(crate) channels: Channels,
}

impl Driver {
    pub(crate) fn new(parts: Parts) -> Self {
        let Parts {
            config,
            core,
            tended,
            links,
            channels,
        } = parts;
        let children = Children::new(&config.state);
        Self {
            config,
            core,
            tended,
            links,
            channels,
            conns: BTreeMap::new(),
            panes: BTreeMap::new(),
            children,
            events: VecDeque::new(),
            exit: None,
            favoured: None,
            last_conn: 0,
            ready: VecDeque::new(),
            sample_at: None,
            tend_at: Instant::now() + TEND,
            adopted_at: None,
        }
    }

    /// Runs until the core says that this is the end; gives the reason.
    pub(crate) async fn run(
        mut self,
        mut wakes: mpsc::Receiver<Wake>,
        mut output: mpsc::UnboundedReceiver<PaneOutput>,
    ) -> String {
        loop {
            let mut busy = self.on_time(Instant::now());
            for _ in 0..BATCH {
                let Ok(wake) = wakes.try_recv() else { break };
                self.on_wake(wake);
                busy = true;
            }
            while let Ok(chunk) = output.try_recv() {
                self.ready.push_back(chunk);
            }
            if let Some(chunk) = self.next_output() {
                self.on_output(chunk);
                busy = true;
            }
            if let Some(reason) = self.exit.take() {
                self.farewell(wakes).await;
                return reason;
            }
            if busy && self.is_behind(&wakes, &output) {
                tokio::task::yield_now().await;
                continue;
            }
            let until = tokio::time::Instant::from_std(self.next_time());
            tokio::select! {
                biased;
                Some(wake) = wakes.recv() => self.on_wake(wake),
                Some(chunk) = output.recv() => self.ready.push_back(chunk),
                () = tokio::time::sleep_until(until) => {}
            }
        }
    }

    /// More is waiting already. Only then must it let the other tasks in by force: that looks at
    /// every descriptor once more, on the way from a key to its echo.
    fn is_behind(
        &self,
        wakes: &mpsc::Receiver<Wake>,
        output: &mpsc::UnboundedReceiver<PaneOutput>,
    ) -> bool {
        let due = self.next_time() <= Instant::now();
        due || !(self.ready.is_empty() && wakes.is_empty() && output.is_empty())
    }

    /// Tells the core, and carries out what follows from it.
    pub(crate) fn tell(&mut self, event: Event) {
        self.events.push_back(event);
        self.settle();
    }

    /// Until the core has nothing more to answer.
    pub(crate) fn settle(&mut self) {
        let mut actions = Vec::new();
        while let Some(event) = self.events.pop_front() {
            self.core.on(event, Instant::now(), &mut actions);
            for action in actions.drain(..) {
                self.perform(action);
            }
        }
    }

    fn on_wake(&mut self, wake: Wake) {
        match wake {
            Wake::Proven(stream, admitted) => self.on_proven(stream, admitted),
            Wake::Frame(conn, frame, room) => {
                self.tell(Event::Frame {
                    conn: ConnId(conn),
                    frame,
                });
                drop(room);
            }
            Wake::Sent(conn, bytes) => self.tell(Event::Sent {
                conn: ConnId(conn),
                bytes,
            }),
            Wake::Closed(conn, why) => {
                tracing::debug!("connection {conn} ended: {why}");
                self.conns.remove(&conn);
                self.tell(Event::Disconnected { conn: ConnId(conn) });
            }
            Wake::Wrote(pane, bytes) => self.tell(Event::Wrote { pane, bytes }),
            Wake::WriteFailed(pane) => self.tell(Event::WriteFailed { pane }),
            Wake::Report(pane, report) => self.on_report(pane, report),
            Wake::ReportsEnded(pane) => self.on_reports_ended(pane),
            Wake::Login(token, answer) => {
                self.login_answered(token, answer);
                self.settle();
            }
            Wake::Knock => self.tended.tick(),
            Wake::Signal(Signal::Child) => self.reap(),
            Wake::Signal(Signal::End(signal)) => self.tell(Event::Terminate { signal }),
            Wake::Signal(Signal::HangUp) => tracing::info!("SIGHUP is nothing to a host"),
        }
    }

    fn on_proven(&mut self, stream: TcpStream, admitted: Admitted) {
        if admitted.pane.is_some_and(|pane| !self.core.has_pane(pane)) {
            return tracing::debug!("closed a connection with the key of a pane that is gone");
        }
        self.last_conn += 1;
        let conn = self.last_conn;
        self.conns.insert(
            conn,
            conn::start(stream, conn, self.channels.driver.clone()),
        );
        let Admitted {
            role,
            pane: pane_key,
        } = admitted;
        self.tell(Event::Connected {
            conn: ConnId(conn),
            role,
            pane_key,
        });
    }

    /// The chunk whose turn it is.
    fn next_output(&mut self) -> Option<PaneOutput> {
        let favoured = self.favoured.and_then(|pane| {
            self.ready
                .iter()
                .position(|chunk| matches!(chunk, PaneOutput::Bytes(p, _) if *p == pane))
        });
        if favoured.is_some() {
            self.favoured = None;
        }
        self.ready.remove(favoured.unwrap_or(0))
    }

    fn on_output(&mut self, chunk: PaneOutput) {
        let (id, bytes) = match chunk {
            PaneOutput::Bytes(id, bytes) => (id, bytes),
            PaneOutput::Ended(pane) => return self.tell(Event::OutputEnded { pane }),
        };
        let Some(pane) = self.panes.get_mut(&id).filter(|pane| !pane.closed) else {
            return;
        };
        pane.touch();
        for group in pane.gone_groups() {
            self.events.push_back(Event::GroupGone { pane: id, group });
        }
        self.tell(Event::Output { pane: id, bytes });
        if let Some(pane) = self.panes.get(&id) {
            pane.io.go_on();
        }
        self.sample_soon();
    }

    /// Looks at foreground groups before long.
    pub(crate) fn sample_soon(&mut self) {
        let soon = Instant::now() + SAMPLE;
        self.sample_at = Some(self.sample_at.map_or(soon, |at| at.min(soon)));
    }

    /// What is due by now; true: something was.
    fn on_time(&mut self, now: Instant) -> bool {
        let due = |at: Option<Instant>| at.is_some_and(|at| at <= now);
        let mut busy = false;
        if due(self.core.next_deadline()) {
            self.tell(Event::Deadline);
            busy = true;
        }
        if due(self.sample_at) {
            self.sample();
        }
        if due(self.adopted_at) {
            self.end_adopted();
        }
        if due(Some(self.tend_at)) {
            self.tended.tick();
            self.tend_at = now + TEND;
        }
        busy
    }

    fn next_time(&self) -> Instant {
        let others = [self.core.next_deadline(), self.sample_at, self.adopted_at];
        others
            .into_iter()
            .flatten()
            .fold(self.tend_at, Instant::min)
    }

    /// Lets the last frames reach their readers, briefly, and removes the endpoint.
    async fn farewell(&mut self, mut wakes: mpsc::Receiver<Wake>) {
        self.tended.remove_endpoint();
        self.conns.values().for_each(Outbox::close);
        let all_gone = async {
            while !self.conns.is_empty() {
                match wakes.recv().await {
                    Some(Wake::Closed(conn, _)) => drop(self.conns.remove(&conn)),
                    Some(_) => {}
                    None => return,
                }
            }
        };
        // Whoever does not read by then learns of the end by the closed connection.
        tokio::time::timeout(FAREWELL, all_gone).await.ok();
    }
}
