//! Leftovers of hosts that died together with their reapers: ended at the start and every minute.
//!
//! In: the state folder. Out: log lines. Promises: before the first pane starts it has been looked
//! once; after that a thread of its own looks, so that no terminal waits for it; whom to signal is
//! decided by [`reaper::Sweeper`] alone.

use reaper::{Kept, SweepReport, Sweeper};
use std::io;
use std::path::Path;
use std::time::Duration;
use sys::process::Identity;

/// Time between two looks.
const EVERY: Duration = Duration::from_secs(60);

/// Sweeps now, then again and again until the process ends. Returns after the first sweep.
pub(crate) fn start(state: &Path) -> io::Result<()> {
    if let Err(error) = Kept::of(state).forget_gone() {
        tracing::warn!("tools that were kept and are gone stay written down: {error}");
    }
    let mut sweeper = Sweeper::new(state).beside(Some(Identity::me()));
    note(&sweeper.sweep());
    let pause = |time| {
        std::thread::sleep(time);
        true
    };
    let again = move || repeat(&mut sweeper, pause);
    let thread = std::thread::Builder::new().name("abide-sweep".to_owned());
    thread.spawn(again).map(drop)
}

/// Sweeps after each pause, as long as `pause` says true.
fn repeat(sweeper: &mut Sweeper, mut pause: impl FnMut(Duration) -> bool) {
    while pause(EVERY) {
        note(&sweeper.sweep());
    }
}

fn note(report: &SweepReport) {
    for leftover in &report.ended {
        tracing::warn!("ended {leftover}");
    }
    for (leftover, why) in &report.left {
        tracing::warn!("cannot end {leftover}; {why}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reaper::{Place, Tag, VARIABLE};
    use std::process::{Child, Command};

    /// A process whose mark names a reaper that is gone.
    fn leftover(state: &Path) -> Child {
        let mut reaper = Command::new("true").spawn().unwrap();
        let links = vec![Identity::of(reaper.id().cast_signed()).unwrap()];
        reaper.wait().unwrap();
        let place = Place::of(state);
        let mut command = Command::new("sleep");
        command
            .arg("1000")
            .env(VARIABLE, Tag { place, links }.text());
        let child = command.spawn().unwrap();
        // While it is being executed it shows no environment, and a sweep may miss it.
        testkit::until("the mark", || {
            testkit::processes::variable(child.id().cast_signed(), VARIABLE)
        });
        child
    }

    /// The clock is the test's: each pause is asked for 60 s, and what turns up in it is swept after.
    #[test]
    fn it_is_swept_again_every_minute() {
        let state = tempfile::tempdir().unwrap();
        let mut sweeper = Sweeper::new(state.path());
        let (mut pauses, mut found) = (Vec::new(), Vec::<Child>::new());
        repeat(&mut sweeper, |time| {
            pauses.push(time);
            let ended = |child: &mut Child| child.try_wait().unwrap().is_some();
            assert!(found.iter_mut().all(ended), "what was there is gone");
            found.push(leftover(state.path()));
            pauses.len() < 3
        });
        assert_eq!(pauses, [Duration::from_secs(60); 3]);
        let mut last = found.pop().unwrap();
        assert!(last.try_wait().unwrap().is_none(), "no sweep after the end");
        last.kill().unwrap();
        last.wait().unwrap();
    }
}
