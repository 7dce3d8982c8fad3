//! One proven connection: a reader of frames and a writer with a bounded outbox.
//!
//! In: a stream. Out: [`Wake::Frame`] and [`Wake::Sent`], then exactly one [`Wake::Closed`].
//! Promises: nobody waits for a slow peer (passing [`OUTBOX`] closes the connection); at most
//! [`INBOX`] bytes of a connection's frames wait for the driver; a panic in here closes this
//! connection and nothing else.

use crate::wake::{Wake, Waker};
use protocol::Decoder;
use protocol::frame::{HEADER, MAX_PAYLOAD};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{Notify, Semaphore};

/// Bytes that may wait for a peer to read them. The core stays far below; this is the fence.
const OUTBOX: usize = 64 * 1024 * 1024;
/// Bytes of a connection's frames that may wait for the driver: one frame of the greatest length.
const INBOX: usize = MAX_PAYLOAD + HEADER;
/// Time to write the rest after the host closed the connection.
const FLUSH: Duration = Duration::from_secs(2);
/// Buffers greater than this are given back once written.
const KEEP_BUFFER: usize = 256 * 1024;

/// The peer has not read what it was sent.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("it did not read {OUTBOX} bytes it was sent")]
pub(crate) struct TooSlow;

/// The driver's end of a connection. Dropping it does not end the connection; [`Outbox::end`] does.
#[derive(Clone)]
pub(crate) struct Outbox(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    /// Something to write, or closing.
    work: Notify,
    /// End at once.
    end: Notify,
}

#[derive(Default)]
struct State {
    waiting: Vec<u8>,
    in_flight: usize,
    closing: bool,
}

impl Outbox {
    fn new() -> Self {
        Self(Arc::new(Shared {
            state: Mutex::default(),
            work: Notify::new(),
            end: Notify::new(),
        }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues whole frames. With too much unread nothing is queued, and the connection must be
    /// ended.
    pub(crate) fn push(&self, frames: &[u8]) -> Result<(), TooSlow> {
        let mut state = self.state();
        if state.waiting.len() + state.in_flight + frames.len() > OUTBOX {
            return Err(TooSlow);
        }
        state.waiting.extend_from_slice(frames);
        drop(state);
        self.0.work.notify_one();
        Ok(())
    }

    /// Writes what waits, then ends; at the latest after [`FLUSH`].
    pub(crate) fn close(&self) {
        self.state().closing = true;
        self.0.work.notify_one();
        self.0.end.notify_one();
    }

    /// Ends at once.
    pub(crate) fn end(&self) {
        self.0.end.notify_one();
    }

    /// Swaps an empty buffer for what waits; `None`: closing and nothing left.
    async fn take(&self, mut empty: Vec<u8>) -> Option<Vec<u8>> {
        loop {
            {
                let mut state = self.state();
                state.in_flight = 0;
                if !state.waiting.is_empty() {
                    std::mem::swap(&mut state.waiting, &mut empty);
                    state.in_flight = empty.len();
                    return Some(empty);
                }
                if state.closing {
                    return None;
                }
            }
            self.0.work.notified().await;
        }
    }

    /// Resolves when the connection must end though its writer is busy: at [`Outbox::end`], or
    /// [`FLUSH`] after [`Outbox::close`].
    async fn ended(&self) -> String {
        self.0.end.notified().await;
        if self.state().closing {
            tokio::time::sleep(FLUSH).await;
        }
        "ended by the host".to_owned()
    }
}

/// Starts the tasks of connection `conn`.
pub(crate) fn start(stream: TcpStream, conn: u32, driver: Waker) -> Outbox {
    let outbox = Outbox::new();
    let mine = outbox.clone();
    let (to_driver, writers_driver) = (driver.clone(), driver.clone());
    let work = tokio::spawn(async move {
        let (reader, writer) = stream.into_split();
        tokio::select! {
            why = read(reader, conn, to_driver) => why,
            why = write(writer, conn, mine.clone(), writers_driver) => why,
            why = mine.ended() => why,
        }
    });
    tokio::spawn(async move {
        let why = work
            .await
            .unwrap_or_else(|fault| format!("a fault of the host: {fault}"));
        // Without a receiver the host is ending.
        driver.send(Wake::Closed(conn, why)).await.ok();
    });
    outbox
}

async fn read(mut from: OwnedReadHalf, conn: u32, driver: Waker) -> String {
    let room = Arc::new(Semaphore::new(INBOX));
    let mut decoder = Decoder::new();
    let mut chunk = vec![0; 16 * 1024];
    loop {
        match from.read(&mut chunk).await {
            Ok(0) => return "closed by the peer".to_owned(),
            Ok(n) => decoder.feed(&chunk[..n]),
            Err(error) => return format!("closed by the peer ({error})"),
        }
        loop {
            let frame = match decoder.next_frame() {
                Ok(Some(frame)) => frame,
                Ok(None) => break,
                Err(error) => return error.to_string(),
            };
            let bytes = u32::try_from(HEADER + frame.payload.len()).unwrap_or(u32::MAX);
            let Ok(room) = Arc::clone(&room).acquire_many_owned(bytes).await else {
                return "the host is ending".to_owned();
            };
            if driver.send(Wake::Frame(conn, frame, room)).await.is_err() {
                return "the host is ending".to_owned();
            }
        }
    }
}

async fn write(mut to: OwnedWriteHalf, conn: u32, outbox: Outbox, driver: Waker) -> String {
    let mut buffer = Vec::new();
    while let Some(taken) = outbox.take(buffer).await {
        buffer = taken;
        let mut rest = &buffer[..];
        while !rest.is_empty() {
            match to.write(rest).await {
                Ok(n) if n > 0 => {
                    rest = &rest[n..];
                    // Without a receiver the host is ending; what waits is still written.
                    driver.send(Wake::Sent(conn, n)).await.ok();
                }
                Ok(_) => return "cannot be written to".to_owned(),
                Err(error) => return format!("cannot be written to ({error})"),
            }
        }
        buffer.clear();
        if buffer.capacity() > KEEP_BUFFER {
            buffer = Vec::new();
        }
    }
    // It may be gone already, which is what was wanted.
    to.shutdown().await.ok();
    "closed by the host".to_owned()
}

#[cfg(test)]
mod tests;
