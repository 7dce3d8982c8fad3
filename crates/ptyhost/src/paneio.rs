//! The bytes of one pane: its pty's reader and writer, and its reaper's reports.
//!
//! In: the pty's master, the report pipe. Out: output chunks on one channel, reports and written
//! counts on another. Promises: at most one piece of a pane (16 KiB, mostly 4) waits for the driver
//! and nothing is read ahead, so a flood in one pane delays another by one piece; the writer waits for
//! the pty to take bytes, it never spins, and a child that never reads costs nothing; a panic in
//! here ends this pane's output and nothing else.

mod reader;

use crate::wake::{Wake, Waker};
use protocol::PaneId;
use reaper::ReportDecoder;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;
use sys::pty::Master;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::sync::{Notify, mpsc};
use tokio::task::AbortHandle;

/// What a pane's output side says.
#[derive(Debug)]
pub(crate) enum PaneOutput {
    /// Bytes, in order.
    Bytes(PaneId, Vec<u8>),
    /// Nothing follows.
    Ended(PaneId),
}

/// Where a pane's tasks send to.
#[derive(Clone)]
pub(crate) struct Channels {
    /// Output. Bounded by one piece a pane, each pane waiting for [`PaneIo::go_on`].
    pub(crate) output: mpsc::UnboundedSender<PaneOutput>,
    /// Everything else.
    pub(crate) driver: Waker,
}

/// A pane's running tasks. Dropping it closes the pty's master and the lifeline.
pub(crate) struct PaneIo {
    master: Option<Arc<Master>>,
    writes: mpsc::UnboundedSender<Vec<u8>>,
    next: mpsc::Sender<()>,
    tasks: Vec<AbortHandle>,
    gone: Arc<Notify>,
    lifeline: Option<OwnedFd>,
}

impl PaneIo {
    /// Starts the tasks of `pane`.
    pub(crate) fn start(
        pane: PaneId,
        master: Master,
        report: OwnedFd,
        lifeline: OwnedFd,
        to: &Channels,
    ) -> io::Result<Self> {
        let master = Arc::new(master);
        let report = watched(File::from(report), Interest::READABLE)?;
        let gone = Arc::new(Notify::new());
        let (writes, to_write) = mpsc::unbounded_channel();
        let (next, go_on) = mpsc::channel(1);
        let reader = tokio::spawn(reader::read(
            pane,
            Arc::clone(&master),
            to.output.clone(),
            go_on,
        ));
        let output = to.output.clone();
        let tasks = vec![
            reader.abort_handle(),
            tokio::spawn(write(
                pane,
                Arc::clone(&master),
                to_write,
                to.driver.clone(),
            ))
            .abort_handle(),
            tokio::spawn(reports(pane, report, Arc::clone(&gone), to.driver.clone()))
                .abort_handle(),
        ];
        tokio::spawn(async move {
            if reader.await.is_err_and(|fault| fault.is_panic()) {
                tracing::error!(%pane, "a fault in the reader of its output ends it");
            }
            // Without a receiver the host is ending.
            output.send(PaneOutput::Ended(pane)).ok();
        });
        Ok(Self {
            master: Some(master),
            writes,
            next,
            tasks,
            gone,
            lifeline: Some(lifeline),
        })
    }

    /// Queues bytes behind what is being written. The caller bounds them.
    pub(crate) fn write(&self, bytes: Vec<u8>) {
        // A writer that is gone has said so itself.
        self.writes.send(bytes).ok();
    }

    /// The last piece has been dealt with: another may come.
    pub(crate) fn go_on(&self) {
        // Full: the reader has not yet taken the last permission. Closed: it has ended.
        self.next.try_send(()).ok();
    }

    /// The pty, while it is open.
    pub(crate) fn master(&self) -> Option<&Master> {
        self.master.as_deref()
    }

    /// The reaper is gone: what is in the pipe is all there is.
    pub(crate) fn finish_reports(&self) {
        self.gone.notify_one();
    }

    /// Closes the lifeline: the reaper ends the family.
    pub(crate) fn end_family(&mut self) {
        if let Some(lifeline) = self.lifeline.take() {
            reaper::end(lifeline);
        }
    }

    /// Whether the family is being ended.
    pub(crate) const fn is_ending(&self) -> bool {
        self.lifeline.is_none()
    }

    /// Has the reaper leave a process to this host.
    pub(crate) fn spare(&self, whom: sys::process::Identity) -> io::Result<()> {
        match &self.lifeline {
            Some(lifeline) => reaper::spare(lifeline, whom),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Closes the pty, once a read that is under way has ended; what is left of the family gets
    /// SIGHUP.
    pub(crate) fn close_pty(&mut self) {
        self.tasks
            .drain(..2.min(self.tasks.len()))
            .for_each(|task| task.abort());
        self.master = None;
    }
}

impl Drop for PaneIo {
    fn drop(&mut self) {
        self.tasks.drain(..).for_each(|task| task.abort());
    }
}

/// Registers a descriptor with the runtime.
#[expect(
    deprecated,
    reason = "its successor is unsafe, which only sys may be; a master and a file own the one descriptor \
              that they are made with and name no other, which is all that it asks for"
)]
fn watched<T: AsRawFd>(owner: T, interest: Interest) -> io::Result<AsyncFd<T>> {
    AsyncFd::with_interest(owner, interest)
}

async fn write(
    pane: PaneId,
    master: Arc<Master>,
    mut to_write: mpsc::UnboundedReceiver<Vec<u8>>,
    driver: Waker,
) {
    while let Some(bytes) = to_write.recv().await {
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let word = match write_some(&master, rest).await {
                Ok(n) => {
                    rest = &rest[n..];
                    Wake::Wrote(pane, n)
                }
                Err(_) => Wake::WriteFailed(pane),
            };
            let failed = matches!(word, Wake::WriteFailed(..));
            if driver.send(word).await.is_err() || failed {
                return;
            }
        }
    }
}

/// Writes at least a byte. Only when the pty takes none is it watched for room, so that a program
/// that reads costs no wake-ups.
async fn write_some(master: &Master, bytes: &[u8]) -> io::Result<usize> {
    if let Some(written) = try_write(master, bytes)? {
        return Ok(written);
    }
    let room = watched(master.another()?, Interest::WRITABLE)?;
    loop {
        let mut ready = room.writable().await?;
        let hung_up = ready.ready().is_write_closed();
        match try_write(master, bytes)? {
            Some(written) => return Ok(written),
            // Hung up: it stays "ready" for ever and takes nothing (orca#11178 spun on that).
            None if hung_up => return Err(io::ErrorKind::BrokenPipe.into()),
            None => ready.clear_ready(),
        }
    }
}

/// `None`: nothing was taken, now.
fn try_write(master: &Master, bytes: &[u8]) -> io::Result<Option<usize>> {
    match master.write(bytes) {
        Ok(0) => Ok(None),
        Ok(written) => Ok(Some(written)),
        Err(e) if e.kind() == io::ErrorKind::WouldBlock => Ok(None),
        Err(e) => Err(e),
    }
}

/// Hands reports on until the pipe ends; once the reaper is `gone`, until the pipe is empty, since
/// some other process may still hold its other end.
async fn reports(pane: PaneId, pipe: AsyncFd<File>, gone: Arc<Notify>, driver: Waker) {
    let mut decoder = ReportDecoder::default();
    let mut last = false;
    loop {
        let mut bytes = [0; 256];
        let read = if last {
            pipe.get_ref().read(&mut bytes)
        } else {
            tokio::select! {
                read = pipe.async_io(Interest::READABLE, |mut fd| fd.read(&mut bytes)) => read,
                () = gone.notified() => {
                    last = true;
                    continue;
                }
            }
        };
        match read {
            Ok(n) if n > 0 => decoder.feed(&bytes[..n]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            _ => break,
        }
        while let Some(report) = decoder.next_report() {
            if driver.send(Wake::Report(pane, report)).await.is_err() {
                return;
            }
        }
    }
    // Without a receiver the host is ending.
    driver.send(Wake::ReportsEnded(pane)).await.ok();
}
