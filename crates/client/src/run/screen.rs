//! Bytes for the outer terminal, written by the loop without ever waiting for it.
//!
//! In: frames and requests. Out: the terminal. Promises: order is kept; a stopped or slow terminal
//! costs its bytes some memory and the loop nothing: at most one frame waits, and besides it at
//! most [`MAX_BESIDE`] bytes, more are dropped.

use crate::outer::Tap;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

/// Bytes beside frames that may wait: a clipboard of the greatest size.
const MAX_BESIDE: usize = 4 * 1024 * 1024;
/// Bytes that were taken and may still be kept.
const PIECE: usize = 64 * 1024;
/// A buffer greater than this is given back once it is empty.
const KEEP: usize = 256 * 1024;

/// See the module.
pub(super) struct Screen {
    tap: Tap,
    waiting: Vec<u8>,
    /// Bytes of `waiting` that the terminal has taken.
    taken: usize,
    /// Bytes of `waiting` up to the end of the frame; 0: it is out.
    frame: usize,
}

impl Screen {
    pub(super) const fn new(tap: Tap) -> Self {
        Self {
            tap,
            waiting: Vec::new(),
            taken: 0,
            frame: 0,
        }
    }

    /// A frame is not out yet; no other may be begun.
    pub(super) const fn is_painting(&self) -> bool {
        self.frame > self.taken
    }

    /// Something waits until the terminal takes bytes again.
    pub(super) const fn is_waiting(&self) -> bool {
        self.taken < self.waiting.len()
    }

    /// A frame.
    ///
    /// # Errors
    /// The terminal is gone.
    pub(super) fn paint(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.waiting.extend_from_slice(bytes);
        self.frame = self.waiting.len();
        self.flush()
    }

    /// Bytes beside frames; dropped when the terminal takes none.
    ///
    /// # Errors
    /// The terminal is gone.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.waiting.len() - self.taken + bytes.len() > MAX_BESIDE {
            return Ok(());
        }
        self.waiting.extend_from_slice(bytes);
        self.flush()
    }

    /// Writes what waits, as far as the terminal takes it.
    ///
    /// # Errors
    /// The terminal is gone.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        while let Some(rest @ [_, ..]) = self.waiting.get(self.taken..) {
            match self.tap.write(rest) {
                Ok(n) => self.taken += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                    self.compact();
                    return Ok(());
                }
                Err(e) => return Err(e),
            }
        }
        (self.taken, self.frame) = (0, 0);
        self.waiting.clear();
        if self.waiting.capacity() > KEEP {
            self.waiting = Vec::new();
        }
        Ok(())
    }

    /// Forgets what was taken, before it is much.
    fn compact(&mut self) {
        if self.taken >= PIECE {
            self.waiting.drain(..self.taken);
            self.frame = self.frame.saturating_sub(self.taken);
            self.taken = 0;
        }
    }

    /// Writes what waits before the terminal is given back; it has `limit` to take it.
    pub(super) fn finish(mut self, limit: Duration) {
        let until = Instant::now() + limit;
        while self.flush().is_ok() && self.is_waiting() {
            let left = until.saturating_duration_since(Instant::now());
            let Ok(left) = Timespec::try_from(left) else {
                return;
            };
            let mut fds = [PollFd::new(&self.tap, PollFlags::OUT)];
            if !poll(&mut fds, Some(&left)).is_ok_and(|n| n > 0) {
                return;
            }
        }
    }
}

impl AsFd for Screen {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.tap.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    /// A terminal that nobody reads yet.
    fn stuck() -> (Screen, io::PipeReader) {
        let (reader, writer) = io::pipe().unwrap();
        rustix::io::ioctl_fionbio(&writer, true).unwrap();
        (Screen::new(Tap::Pipe(writer.into())), reader)
    }

    /// Reads until `bytes` have come, while the screen writes.
    fn read(screen: &mut Screen, reader: &mut io::PipeReader, bytes: usize) -> Vec<u8> {
        let mut out = vec![0; bytes];
        for piece in out.chunks_mut(4096) {
            screen.flush().unwrap();
            reader.read_exact(piece).unwrap();
        }
        screen.flush().unwrap();
        out
    }

    #[test]
    fn a_terminal_that_takes_nothing_is_not_waited_for() {
        let (mut screen, mut reader) = stuck();
        screen.paint(&vec![b'f'; 1_000_000]).unwrap();
        assert!(screen.is_painting() && screen.is_waiting());
        screen.write(b"title").unwrap();
        let came = read(&mut screen, &mut reader, 1_000_005);
        assert!(came[..1_000_000].iter().all(|byte| *byte == b'f'));
        assert_eq!(&came[1_000_000..], b"title");
        assert!(!screen.is_painting() && !screen.is_waiting());
    }

    #[test]
    fn a_frame_is_out_when_its_last_byte_is() {
        let (mut screen, mut reader) = stuck();
        screen.paint(b"frame").unwrap();
        assert!(!screen.is_painting());
        screen.write(&vec![b'x'; 500_000]).unwrap();
        assert!(!screen.is_painting() && screen.is_waiting());
        screen.paint(b"last").unwrap();
        assert!(screen.is_painting());
        let came = read(&mut screen, &mut reader, 500_009);
        assert!(came.ends_with(b"last") && !screen.is_painting());
    }

    #[test]
    fn what_waits_beside_frames_is_bounded() {
        let (mut screen, _reader) = stuck();
        for _ in 0..100 {
            screen.write(&[b'x'; 100_000]).unwrap();
        }
        assert!(screen.waiting.len() <= MAX_BESIDE + PIECE);
        screen.finish(Duration::from_millis(1));
    }

    /// It never catches up, so the buffer is never empty.
    #[test]
    fn a_slow_terminal_does_not_make_what_it_took_pile_up() {
        let (mut screen, mut reader) = stuck();
        screen.write(&vec![b'x'; 1_000_000]).unwrap();
        for _ in 0..500 {
            screen.write(&[b'y'; 50_000]).unwrap();
            reader.read_exact(&mut [0; 50_000]).unwrap();
            screen.flush().unwrap();
            assert!(screen.is_waiting() && screen.waiting.len() < 1_200_000);
        }
    }

    #[test]
    fn a_terminal_that_is_gone_is_told() {
        let (mut screen, reader) = stuck();
        drop(reader);
        assert!(screen.write(b"x").is_err());
    }
}
