//! Catching a leftover together with those it has just started.
//!
//! One that is caught is stopped, so that it neither forks nor ends; whoever it has forked already is
//! its child and is stopped in the same way. So a chain of forks ends where one of its links was caught
//! in time, also when each link has a session of its own and there is no group to hit. A link
//! that was ending already is not caught by that, but the next look begins there.

use crate::tag::{Tag, VARIABLE};
use sys::process::{self, Identity, Signal, Stat};

/// Looks at a child that shows no environment because it is being executed.
const PATIENCE: usize = 200;
/// Most that are stopped below one, for a family that forks wildly; the next look meets the rest.
const MOST: usize = 4_096;

/// Stops a leftover and everybody below it who carries the same reapers' mark, parents before
/// children; gives those who were stopped. Those who stay, and whoever is below them, are left alone.
pub(super) fn freeze(
    leftover: &Stat,
    reapers: &[Identity],
    stays: &dyn Fn(Identity) -> bool,
) -> Vec<Identity> {
    let mut frozen = Vec::new();
    let mut open = vec![leftover.identity()];
    while let Some(whom) = open.pop() {
        if frozen.len() >= MOST || frozen.contains(&whom) || whom.signal(Signal::STOP).is_err() {
            continue;
        }
        frozen.push(whom);
        let children = process::children_listed(whom.pid).into_iter();
        let children = children.filter_map(process::stat);
        let ours = children.filter(|it| it.ppid == whom.pid && it.alive());
        let ours = ours.map(|it| it.identity());
        open.extend(ours.filter(|it| is_marked(*it, reapers) && !stays(*it)));
    }
    frozen
}

/// Whether it carries the mark of the same reapers and is this user's. It is waited for while it
/// shows no environment: its parent is stopped, so it is not waited for in vain.
fn is_marked(whom: Identity, reapers: &[Identity]) -> bool {
    for _ in 0..PATIENCE {
        match process::environment(whom.pid) {
            Ok(environment) if environment.is_empty() => std::thread::yield_now(),
            Ok(environment) => {
                let tag = process::variable(&environment, VARIABLE).and_then(Tag::read);
                return tag.is_some_and(|it| it.links == reapers)
                    && process::user(whom.pid) == Some(sys::peer::my_uid());
            }
            Err(_) => return false,
        }
    }
    false
}
