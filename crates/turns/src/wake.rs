//! What gives every clock of the watchdog its whole window again: sleep and wake, the lid, the network.
//!
//! In: the kernel's words about links and addresses, the system bus's about sleep and lid, the clock that
//! runs on through sleep. Out: [`Input::Woke`]. Promises: a source that is not there is left out and costs
//! nothing; each is a thread that waits and does nothing else; hearing too often does no harm, since a
//! window that begins again ends nothing.

#[cfg(unix)]
mod bus;
#[cfg(unix)]
mod message;

use crate::program::Input;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// How much further the clock that runs through sleep must be than the other for a sleep.
const SLEPT: Duration = Duration::from_secs(20);

/// Listens to what there is.
pub fn watch(inputs: &Sender<Input>) {
    let network = inputs.clone();
    std::thread::spawn(move || {
        let Ok(mut source) = sys::network::Network::open() else {
            return;
        };
        while source.wait().is_ok() && network.send(Input::Woke).is_ok() {}
    });
    #[cfg(unix)]
    {
        let inputs = inputs.clone();
        std::thread::spawn(move || {
            let told = bus::listen(&bus::address(), &mut || inputs.send(Input::Woke).is_ok());
            drop(told); // a machine without a bus, or the bus went away
        });
    }
}

/// Looks whether the machine slept.
#[derive(Clone, Copy, Debug)]
pub struct Sleeper {
    through: Duration,
    awake: Instant,
}

impl Sleeper {
    /// `through`: a clock that runs on through sleep; `awake`: one that does not.
    #[must_use]
    pub const fn new(through: Duration, awake: Instant) -> Self {
        Self { through, awake }
    }

    /// Whether it slept since the last look.
    pub fn slept(&mut self, through: Duration, awake: Instant) -> bool {
        let passed = through.saturating_sub(self.through);
        let ran = awake.saturating_duration_since(self.awake);
        *self = Self::new(through, awake);
        passed > ran + SLEPT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// paseo#3235, t3code#11805: sleep counted as silence.
    #[test]
    fn a_clock_that_ran_further_means_that_it_slept() {
        let (through, awake) = (Duration::from_secs(1000), Instant::now());
        let seconds = Duration::from_secs;
        let check = |passed: u64, ran: u64, want: bool| {
            let mut sleeper = Sleeper::new(through, awake);
            let slept = sleeper.slept(through + seconds(passed), awake + seconds(ran));
            assert_eq!(slept, want, "{passed} s passed, {ran} s awake");
            assert!(!sleeper.slept(through + seconds(passed), awake + seconds(ran)));
        };
        check(30, 30, false);
        check(45, 30, false);
        check(3600, 30, true);
        check(8 * 3600, 0, true);
        check(0, 30, false); // a clock that was set back, where only the wall clock is there
    }

    #[test]
    fn this_machine_has_both_clocks() {
        let mut sleeper = Sleeper::new(sys::time::with_suspends(), Instant::now());
        assert!(!sleeper.slept(sys::time::with_suspends(), Instant::now()));
    }
}
