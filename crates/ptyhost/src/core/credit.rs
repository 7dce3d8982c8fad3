//! What one viewer has of one pane's output: credit, and when a snapshot replaces the backlog.
//!
//! In: "so many bytes came", "used up to here". Out: send, skip or resync. Promises: at most
//! [`CREDIT`] bytes of output and the snapshot before them are under way; once a byte was skipped
//! nothing more is sent until a snapshot; the snapshot comes as soon as half the credit is back.

/// Most bytes of output under way to one viewer of one pane.
pub(crate) const CREDIT: u64 = 256 * 1024;

/// One (connection, pane) pair. Offsets are the pane's stream offsets.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct View {
    /// Output is streamed; else only events are.
    pub(crate) shown: bool,
    sent: u64,
    acked: u64,
    dirty: bool,
}

/// What to do with new output or a change of the whole screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing: not shown, or a snapshot will replace it.
    Skip,
    /// Send the bytes.
    Send,
    /// Send a snapshot of now, then call [`View::snapshot_sent`].
    Snapshot,
}

impl View {
    /// A view that nothing was sent to.
    pub(crate) const fn new(shown: bool) -> Self {
        Self {
            shown,
            sent: 0,
            acked: 0,
            dirty: false,
        }
    }

    const fn under_way(&self) -> u64 {
        self.sent.saturating_sub(self.acked)
    }

    /// `bytes` of output now end at `offset`.
    pub(crate) fn output(&mut self, offset: u64, bytes: usize) -> Verdict {
        if !self.shown || self.dirty {
            return Verdict::Skip;
        }
        if self.under_way().saturating_add(bytes as u64) > CREDIT {
            return self.resync();
        }
        self.sent = offset;
        Verdict::Send
    }

    /// The screen changed beyond what the stream tells (size, left modes).
    pub(crate) fn resync(&mut self) -> Verdict {
        if !self.shown {
            return Verdict::Skip;
        }
        if self.under_way() > CREDIT / 2 {
            self.dirty = true;
            return Verdict::Skip;
        }
        Verdict::Snapshot
    }

    /// The viewer has used everything up to `offset`. What it cannot have is not believed.
    pub(crate) fn ack(&mut self, offset: u64) -> Verdict {
        self.acked = self.acked.max(offset.min(self.sent));
        if self.dirty && self.shown && self.under_way() <= CREDIT / 2 {
            Verdict::Snapshot
        } else {
            Verdict::Skip
        }
    }

    /// A snapshot of `offset` went out: everything before it is settled.
    pub(crate) const fn snapshot_sent(&mut self, offset: u64) {
        self.sent = offset;
        self.acked = offset;
        self.dirty = false;
    }
}

#[cfg(test)]
mod tests {
    use super::{CREDIT, Verdict, View};
    use Verdict::{Send, Skip, Snapshot};

    enum Do {
        Out(u64),
        Ack(u64),
        Resync,
    }

    fn check(shown: bool, script: &[(Do, Verdict)]) {
        let mut view = View::new(shown);
        let mut offset = 1_000;
        view.snapshot_sent(offset);
        for (i, (what, want)) in script.iter().enumerate() {
            let got = match *what {
                Do::Out(n) => {
                    offset += n;
                    view.output(offset, usize::try_from(n).unwrap())
                }
                Do::Ack(back) => view.ack(offset.saturating_sub(back)),
                Do::Resync => view.resync(),
            };
            assert_eq!(got, *want, "step {i}");
            if got == Snapshot {
                view.snapshot_sent(offset);
            }
        }
    }

    #[test]
    fn credit_runs_out_and_a_snapshot_ends_the_gap() {
        let quarter = CREDIT / 4;
        check(
            true,
            &[
                (Do::Out(quarter), Send),
                (Do::Out(quarter), Send),
                (Do::Out(quarter), Send),
                (Do::Out(quarter), Send),
                (Do::Out(1), Skip),
                (Do::Out(1), Skip),
                (Do::Ack(quarter * 3 + 2), Skip),
                (Do::Ack(quarter * 2 + 2), Snapshot),
                (Do::Out(quarter), Send),
            ],
        );
    }

    #[test]
    fn a_chunk_over_the_whole_credit_is_a_snapshot_at_once() {
        check(
            true,
            &[(Do::Out(CREDIT + 1), Snapshot), (Do::Out(CREDIT), Send)],
        );
    }

    #[test]
    fn acks_from_the_future_or_the_past_give_no_credit() {
        check(
            true,
            &[
                (Do::Out(CREDIT), Send),
                (Do::Ack(u64::MAX), Skip),
                (Do::Out(1), Skip),
                (Do::Ack(CREDIT + 1), Skip),
            ],
        );
        let mut view = View::new(true);
        view.snapshot_sent(10);
        assert_eq!(view.output(11, 1), Send);
        assert_eq!(view.ack(u64::MAX), Skip);
        assert_eq!(
            view.output(11 + CREDIT, usize::try_from(CREDIT).unwrap()),
            Send
        );
        assert_eq!(view.output(12 + CREDIT, 1), Skip);
    }

    #[test]
    fn hidden_views_get_nothing() {
        check(
            false,
            &[(Do::Out(1), Skip), (Do::Resync, Skip), (Do::Ack(0), Skip)],
        );
    }

    #[test]
    fn a_resync_waits_for_credit_too() {
        check(
            true,
            &[
                (Do::Resync, Snapshot),
                (Do::Out(CREDIT), Send),
                (Do::Resync, Skip),
                (Do::Out(1), Skip),
                (Do::Ack(1), Snapshot),
            ],
        );
    }
}
