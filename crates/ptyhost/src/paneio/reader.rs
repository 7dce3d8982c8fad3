//! One pane's output, read.
//!
//! In: the pty's master; permission to go on. Out: pieces in order, at most [`PIECE`] bytes each. Two
//! ways: calm, the pty is watched and read when it has something. Once much came at once, a flood:
//! it is read again as soon as the last piece has been dealt with, and left only when it stays
//! empty for [`PATIENCE`] (see `docs/decisions/0012`). Promises: bytes keep their order; one piece
//! waits for the driver, never more; between two tries at an empty pty everybody else has a turn.

use super::{PaneOutput, watched};
use crate::core::event::MAX_OUTPUT;
use protocol::PaneId;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use sys::pty::Master;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::sync::mpsc;

/// Time until a pty that could not be watched is tried again.
const AGAIN: Duration = Duration::from_millis(100);

/// Most bytes of one piece. The kernel hands out about 4 KiB a read.
const PIECE: usize = 16 * 1024;
const _: () = assert!(PIECE <= MAX_OUTPUT);

/// So much at once is a flood: as good as all that the line discipline holds (4,095 bytes).
const FLOOD: usize = 4_000;

/// How long a pty may stay empty within a flood. Shorter than falling asleep and being woken, which
/// for each of the kernel's pieces would halve the speed; spent once at the end of each burst.
const PATIENCE: Duration = Duration::from_micros(50);

/// What to do once a piece has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    /// There may be more.
    More,
    /// Wait until the pty is readable again.
    Wait,
    /// The other side is closed.
    End,
}

/// Where pieces go, one at a time.
struct Pieces {
    pane: PaneId,
    output: mpsc::UnboundedSender<PaneOutput>,
    go_on: mpsc::Receiver<()>,
}

impl Pieces {
    /// Hands a piece on; false: the host is ending.
    fn send(&self, bytes: Vec<u8>) -> bool {
        self.output
            .send(PaneOutput::Bytes(self.pane, bytes))
            .is_ok()
    }

    /// Waits until the last piece has been dealt with; false: the pane is closed.
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
    let mut to = Pieces {
        pane,
        output,
        go_on,
    };
    while calm(&master, &mut to).await && flood(&master, &mut to).await {}
}

/// Waits for output and hands it on, until so much came at once that more is on its way; false: the
/// end. The last chunk is not yet dealt with then.
async fn calm(master: &Arc<Master>, to: &mut Pieces) -> bool {
    let watch = watch(master, to.pane).await;
    loop {
        let Ok(mut ready) = watch.readable().await else {
            return false;
        };
        let (bytes, after) = fill(master, FLOOD);
        if after == After::Wait {
            ready.clear_ready();
        }
        let (some, much) = (!bytes.is_empty(), bytes.len() >= FLOOD);
        if some && !to.send(bytes) || after == After::End {
            return false;
        }
        if much {
            return true;
        }
        if some && !to.dealt_with().await {
            return false;
        }
    }
}

/// Hands on piece by piece what the kernel has, until the pty stays empty; false: the end.
async fn flood(master: &Arc<Master>, to: &mut Pieces) -> bool {
    loop {
        if !to.dealt_with().await {
            return false;
        }
        let (bytes, after) = patiently(master).await;
        let some = !bytes.is_empty();
        if some && !to.send(bytes) || after == After::End {
            return false;
        }
        if !some {
            return true;
        }
    }
}

/// The next piece; none if there is none in time.
async fn patiently(master: &Master) -> (Vec<u8>, After) {
    let start = Instant::now();
    loop {
        let (bytes, after) = fill(master, 1);
        let empty = bytes.is_empty() && after == After::Wait;
        if !empty || start.elapsed() >= PATIENCE {
            return (bytes, after);
        }
        // The program may be waiting for this very core; the other panes wait for this thread.
        std::thread::yield_now();
        tokio::task::yield_now().await;
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

/// Reads until there is `enough` or the pty has no more.
fn fill(master: &Master, enough: usize) -> (Vec<u8>, After) {
    let mut bytes = Vec::with_capacity(PIECE);
    let after = loop {
        if bytes.len() >= enough {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// What a program writes to a raw pty, byte for byte, `each` bytes a write; how many pieces.
    fn check(total: usize, each: usize) -> usize {
        let wrote: Vec<u8> = (0..total).map(|i| b'0' + (i % 61) as u8).collect();
        let (master, slave) = sys::pty::open(80, 24).unwrap();
        let bytes = wrote.clone();
        let program = std::thread::spawn(move || {
            let mut file = std::fs::File::from(slave);
            bytes.chunks(each).for_each(|b| file.write_all(b).unwrap());
        });
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let (read, pieces) = runtime.block_on(async {
            let (output, mut pieces) = mpsc::unbounded_channel();
            let (next, go_on) = mpsc::channel(1);
            let task = tokio::spawn(super::read(PaneId(1), Arc::new(master), output, go_on));
            let (mut all, mut count) = (Vec::new(), 0);
            while let Some(PaneOutput::Bytes(_, bytes)) = pieces.recv().await {
                assert!(bytes.len() <= PIECE, "{}", bytes.len());
                assert!(pieces.is_empty(), "a piece came before it was asked for");
                all.extend(bytes);
                count += 1;
                // After the last piece nobody waits.
                next.try_send(()).ok();
            }
            task.await.unwrap();
            (all, count)
        });
        program.join().unwrap();
        assert!(read == wrote, "{} of {total} bytes", read.len());
        pieces
    }

    #[test]
    fn nothing_is_lost_between_calm_and_flood() {
        for each in [1, 100, 3_999, 4_000, 100_000] {
            check(if each == 1 { 5_000 } else { 300_000 }, each);
        }
        assert!(check(3 * PIECE, 3 * PIECE) >= 3);
    }
}
