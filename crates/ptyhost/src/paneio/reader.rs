//! One pane's output, read.
//!
//! In: the pty's master; permission to go on. Out: chunks in order. Two ways: calm, this thread reads
//! what there is when the pty has something. Once a chunk came full, a flood: each chunk is read by a
//! thread of the pool while the driver works on the one before, until one comes that is not full.
//! Promises: bytes keep their order; one chunk waits and one is read ahead, never more; a read never
//! waits for the driver, so the pool's threads never wait for anybody but the pty's kernel buffer.

use super::{PaneOutput, watched};
use crate::core::event::MAX_OUTPUT;
use protocol::PaneId;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use sys::pty::Master;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::sync::mpsc;

/// Time until a pty that could not be watched is tried again.
const AGAIN: Duration = Duration::from_millis(100);

/// What to do once a buffer has been filled as far as it went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    /// There may be more.
    More,
    /// Wait until the pty is readable again.
    Wait,
    /// The other side is closed.
    End,
}

/// Where chunks go, one at a time.
struct Chunks {
    pane: PaneId,
    output: mpsc::UnboundedSender<PaneOutput>,
    go_on: mpsc::Receiver<()>,
}

impl Chunks {
    /// Hands a chunk on; false: the host is ending.
    fn send(&self, bytes: Vec<u8>) -> bool {
        self.output
            .send(PaneOutput::Bytes(self.pane, bytes))
            .is_ok()
    }

    /// Waits until the last chunk has been dealt with; false: the pane is closed.
    async fn dealt_with(&mut self) -> bool {
        self.go_on.recv().await.is_some()
    }
}

/// Reads until the pty ends or nobody listens.
pub(super) async fn read(
    pane: PaneId,
    master: Arc<Master>,
    output: mpsc::UnboundedSender<PaneOutput>,
    go_on: mpsc::Receiver<()>,
) {
    let mut to = Chunks {
        pane,
        output,
        go_on,
    };
    while calm(&master, &mut to).await && flood(&master, &mut to).await {}
}

/// Reads on this thread until a full chunk was sent, which is not yet dealt with; false: the end.
async fn calm(master: &Arc<Master>, to: &mut Chunks) -> bool {
    let watch = watch(master, to.pane).await;
    loop {
        let Ok(mut ready) = watch.readable().await else {
            return false;
        };
        let (bytes, after) = fill(master);
        if after == After::Wait {
            ready.clear_ready();
        }
        let some = !bytes.is_empty();
        if some && !to.send(bytes) || after == After::End {
            return false;
        }
        if after == After::More {
            return true;
        }
        if some && !to.dealt_with().await {
            return false;
        }
    }
}

/// Reads each chunk on a thread of the pool while the driver works on the one before, until one is
/// not full; false: the end.
async fn flood(master: &Arc<Master>, to: &mut Chunks) -> bool {
    loop {
        let from = Arc::clone(master);
        let ahead = tokio::task::spawn_blocking(move || fill(&from));
        if !to.dealt_with().await {
            return false;
        }
        // Lost only if the runtime ends.
        let Ok((bytes, after)) = ahead.await else {
            return false;
        };
        let some = !bytes.is_empty();
        if some && !to.send(bytes) || after == After::End {
            return false;
        }
        if after == After::Wait {
            return !some || to.dealt_with().await;
        }
    }
}

/// The pty watched for output; not in a flood, where each of the kernel's pieces would wake this
/// thread for nothing.
async fn watch(master: &Arc<Master>, pane: PaneId) -> AsyncFd<Arc<Master>> {
    loop {
        match watched(Arc::clone(master), Interest::READABLE) {
            Ok(watch) => return watch,
            // The kernel is out of memory for it; the program waits, nothing is lost.
            Err(error) => {
                tracing::warn!(%pane, "its output cannot be watched yet: {error}");
                tokio::time::sleep(AGAIN).await;
            }
        }
    }
}

/// Reads until a chunk is full or the pty has no more (the kernel hands out at most 4 KiB a read).
fn fill(master: &Master) -> (Vec<u8>, After) {
    let mut bytes = Vec::with_capacity(MAX_OUTPUT);
    let after = loop {
        if bytes.len() >= MAX_OUTPUT {
            break After::More;
        }
        match master.append(&mut bytes) {
            Ok(0) => break After::End,
            Ok(_) => {}
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => break After::Wait,
            Err(_) => break After::End,
        }
    };
    (bytes, after)
}
