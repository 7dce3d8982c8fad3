//! A host that is there and does not answer.
//!
//! In: what was asked and typed, what the host says, the time. Out: whether it is silent. Promises:
//! any message of the host ends the silence; a program that does not echo is no silent host, since
//! the host itself is asked before it is called so; nothing is asked while nobody types.

use super::Cx;
use crate::model::{Asked, Model};
use protocol::msg::Status;
use std::time::{Duration, Instant};

/// Without an answer for so long the host is silent.
const SILENT: Duration = Duration::from_secs(2);
/// Without an echo for so long the host is asked whether it is there.
const ECHO: Duration = Duration::from_secs(1);

/// What the host owes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Silence {
    /// An answer, since then.
    since: Option<Instant>,
    /// Perhaps an echo, since then.
    typed: Option<Instant>,
    /// It has owed that for too long.
    pub(crate) silent: bool,
}

impl Silence {
    /// Something was asked.
    pub(super) fn asked(&mut self, now: Instant) {
        self.since.get_or_insert(now);
    }

    /// Something was typed that is not answered, but mostly echoed.
    pub(super) fn typed(&mut self, now: Instant) {
        self.typed.get_or_insert(now);
    }

    /// The host said something; `more`: it still owes answers.
    pub(super) fn heard(&mut self, more: bool, now: Instant) {
        *self = Self {
            since: more.then_some(now),
            ..Self::default()
        };
    }

    /// When there is something to do.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let silent = self.since.filter(|_| !self.silent).map(|at| at + SILENT);
        let ask = self.typed.filter(|_| self.since.is_none());
        silent.or(ask.map(|at| at + ECHO))
    }
}

/// Asks, or gives up waiting, if it is time.
pub(super) fn settle(model: &mut Model, cx: &mut Cx) {
    if model.silence.deadline().is_none_or(|at| cx.now < at) {
        return;
    }
    match model.silence.since {
        Some(_) => model.silence.silent = true,
        None => {
            model.silence.since = model.silence.typed.take();
            cx.ask(model, 0, Status {}, Asked::Ignored);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Bench;
    use protocol::ToHost;

    const MOMENT: Duration = Duration::from_millis(1);

    fn told(bench: &mut Bench) -> bool {
        bench.text().contains("the host does not answer")
    }

    #[test]
    fn a_host_that_leaves_a_request_unanswered_is_called_silent_until_it_answers() {
        let mut bench = Bench::tabs(&[1]);
        bench.keys("C-b %");
        bench.wait(SILENT - MOMENT);
        assert!(!told(&mut bench));
        bench.wait(MOMENT);
        assert!(told(&mut bench));
        bench.settle();
        assert!(!told(&mut bench));
        bench.wait(Duration::from_secs(60));
        bench.settle();
        assert!(!told(&mut bench), "nothing is owed");
    }

    #[test]
    fn a_key_without_an_echo_leads_to_a_question() {
        let asked = |bench: &mut Bench| bench.sent().contains("Status");
        let mut bench = Bench::tabs(&[1]);
        bench.keys("a");
        bench.wait(ECHO - MOMENT);
        assert!(!asked(&mut bench));
        bench.wait(MOMENT);
        assert!(asked(&mut bench));
        bench.wait(SILENT - ECHO);
        assert!(told(&mut bench));
        bench.output(1, 0, "a");
        assert!(!told(&mut bench));

        // Its program reads without an echo: the host answers for itself.
        bench.keys("a");
        bench.wait(ECHO);
        bench.settle();
        bench.effects.clear();
        bench.wait(Duration::from_secs(60));
        assert!(!told(&mut bench) && !asked(&mut bench));
    }

    #[test]
    fn a_host_that_says_anything_is_not_silent() {
        let mut bench = Bench::tabs(&[1]);
        bench.keys("C-b %");
        let (_, request) = bench.request(|m| matches!(m, ToHost::Create(_)));
        for n in 0..5 {
            bench.wait(SILENT - MOMENT);
            bench.output(1, n, "x");
            assert!(!told(&mut bench));
        }
        bench.host(0, request, protocol::msg::Created { pane: 9, pid: 1 });
        assert!(!told(&mut bench));
    }
}
