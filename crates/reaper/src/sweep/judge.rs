//! Whether a process is a leftover: the judgement, apart from how its facts are found.

use crate::tag::{self, Place, Tag, VARIABLE};
use std::collections::HashSet;
use std::time::{Duration, Instant};
use sys::process::{self, Identity};

/// How long one without a tag is looked at again.
const SETTLED: Duration = Duration::from_secs(30);

/// Most processes one above the other that are followed.
const MOST_ABOVE: usize = 1_000;

/// How often the way up from a process is tried.
const ATTEMPTS: usize = 5;

/// Why a process is a leftover or is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Why {
    /// Its innermost reaper is gone: the one reason to end it.
    ReaperGone,
    /// Its innermost reaper lives, and ends it when the time comes.
    ReaperLives,
    /// It carries no tag that can be read.
    NoTag,
    /// Its tag is another state folder's, another boot's or another pid namespace's.
    OtherPlace,
    /// It is this process, or above it.
    Ourselves,
    /// It is another user's, or between two users.
    OtherUser,
}

/// What a judgement is made from, apart from the process itself.
pub(crate) struct Watcher {
    /// Where this process is.
    pub(crate) place: Place,
    /// This process and everybody above it.
    pub(crate) ourselves: HashSet<i32>,
}

impl Watcher {
    pub(crate) fn new(place: Place) -> Self {
        let mut ourselves = HashSet::new();
        let mut next = Identity::me().pid;
        // Pids may be recycled on the way up, into a ring even.
        while next > 0 && ourselves.insert(next) {
            next = process::stat(next).map_or(0, |it| it.ppid);
        }
        Self { place, ourselves }
    }
}

/// The judgement. `lives` says whether a reaper does; `ours` whether the process is this user's
/// alone, asked last.
pub(crate) fn judge(
    watcher: &Watcher,
    whom: Identity,
    tag: Option<&Tag>,
    lives: impl FnOnce(Identity) -> bool,
    ours: impl FnOnce() -> bool,
) -> Why {
    let Some(tag) = tag else { return Why::NoTag };
    let Some(innermost) = tag.links.first() else {
        return Why::NoTag;
    };
    if tag.place != watcher.place {
        Why::OtherPlace
    } else if watcher.ourselves.contains(&whom.pid) {
        Why::Ourselves
    } else if lives(*innermost) {
        Why::ReaperLives
    } else if !ours() {
        Why::OtherUser
    } else {
        Why::ReaperGone
    }
}

/// Whether a leftover is the business of a host that lives: it is below it, and no reaper of a pane
/// is in between, which would have the family's end as its own business. True as well for one that
/// has ended meanwhile, which is nobody's.
pub(crate) fn is_hosts(whom: Identity, host: Identity) -> bool {
    if !host.alive() {
        return false;
    }
    // Whoever is above it may end while it is looked for.
    let seen = || is_below(whom, host);
    std::iter::repeat_with(seen)
        .take(ATTEMPTS)
        .flatten()
        .next()
        .unwrap_or_else(|| !whom.alive())
}

/// `None`: somebody on the way up was gone.
fn is_below(whom: Identity, host: Identity) -> Option<bool> {
    let mut below = process::stat(whom.pid).filter(|it| it.start == whom.start)?;
    // Pids may be recycled on the way up, into a ring even.
    for _ in 0..MOST_ABOVE {
        if below.ppid == host.pid {
            let environment = process::environment(below.pid).unwrap_or_default();
            let head = process::variable(&environment, VARIABLE).is_some_and(tag::is_head);
            return Some(!head);
        }
        if below.ppid <= 1 {
            return Some(false);
        }
        below = process::stat(below.ppid)?;
    }
    Some(false)
}

/// What is remembered of a process from look to look.
#[derive(Clone, Debug, Default)]
pub(crate) enum Known {
    /// Nothing.
    #[default]
    New,
    /// It had no tag at this moment. Looked at again: a reaper's child has the reaper's environment
    /// until it is executed, and every process none while it is.
    Untagged(Instant),
    /// It had none after [`SETTLED`] either.
    Settled,
    /// Its tag. It stays what it was born with, also if it is executed anew without it.
    Tagged(Box<Tag>),
}

impl Known {
    /// Looks where that can still bring something.
    pub(crate) fn or_look(self, now: Instant, look: impl FnOnce() -> Option<Tag>) -> Self {
        let since = match self {
            Self::Tagged(_) | Self::Settled => return self,
            Self::New => now,
            Self::Untagged(since) => since,
        };
        match look() {
            Some(tag) => Self::Tagged(Box::new(tag)),
            None if now.duration_since(since) < SETTLED => Self::Untagged(since),
            None => Self::Settled,
        }
    }

    pub(crate) const fn tag(&self) -> Option<&Tag> {
        match self {
            Self::Tagged(tag) => Some(tag),
            Self::New | Self::Untagged(_) | Self::Settled => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place = Place {
        state: 1,
        boot: 2,
        namespace: 3,
    };
    const INNER: Identity = Identity {
        pid: i32::MAX - 2,
        start: 10,
    };
    const OUTER: Identity = Identity {
        pid: i32::MAX - 1,
        start: 20,
    };
    const WHOM: Identity = Identity {
        pid: i32::MAX,
        start: 30,
    };

    fn at(change: impl Fn(&mut Place)) -> Place {
        let mut place = PLACE;
        change(&mut place);
        place
    }

    /// Who lives besides the process, its tag, whether it is this user's: what comes of it.
    #[test]
    fn only_an_innermost_reaper_that_is_gone_makes_a_leftover() {
        let tag = |place, links: &[Identity]| Tag {
            place,
            links: links.to_vec(),
        };
        let both = [INNER, OUTER];
        let recycled = Identity {
            start: INNER.start + 1,
            ..INNER
        };
        for (name, living, tag, ours, want) in [
            ("no tag", vec![], None, true, Why::NoTag),
            (
                "a head alone",
                vec![],
                Some(tag(PLACE, &[])),
                true,
                Why::NoTag,
            ),
            (
                "all gone",
                vec![],
                Some(tag(PLACE, &both)),
                true,
                Why::ReaperGone,
            ),
            (
                "the outer lives",
                vec![OUTER],
                Some(tag(PLACE, &both)),
                true,
                Why::ReaperGone,
            ),
            (
                "the inner lives",
                vec![INNER],
                Some(tag(PLACE, &both)),
                true,
                Why::ReaperLives,
            ),
            (
                "the inner's pid is another's",
                vec![recycled],
                Some(tag(PLACE, &both)),
                true,
                Why::ReaperGone,
            ),
            (
                "another user's",
                vec![],
                Some(tag(PLACE, &both)),
                false,
                Why::OtherUser,
            ),
            (
                "another state folder's",
                vec![],
                Some(tag(at(|p| p.state = 9), &both)),
                true,
                Why::OtherPlace,
            ),
            (
                "another boot's",
                vec![],
                Some(tag(at(|p| p.boot = 9), &both)),
                true,
                Why::OtherPlace,
            ),
            (
                "another namespace's",
                vec![],
                Some(tag(at(|p| p.namespace = 9), &both)),
                true,
                Why::OtherPlace,
            ),
        ] {
            let watcher = Watcher {
                place: PLACE,
                ourselves: HashSet::from([1]),
            };
            assert_eq!(
                judge(
                    &watcher,
                    WHOM,
                    tag.as_ref(),
                    |it| living.contains(&it),
                    || ours
                ),
                want,
                "{name}"
            );
        }
    }

    #[test]
    fn whoever_looks_and_those_above_are_no_leftovers() {
        let watcher = Watcher::new(PLACE);
        let tag = Tag {
            place: PLACE,
            links: vec![INNER],
        };
        for pid in [Identity::me().pid, process::parent(), 1] {
            let whom = Identity { pid, start: 1 };
            assert_eq!(
                judge(&watcher, whom, Some(&tag), |_| false, || true),
                Why::Ourselves,
                "{pid}"
            );
        }
        assert_eq!(
            judge(&watcher, WHOM, Some(&tag), |_| false, || true),
            Why::ReaperGone
        );
    }

    #[test]
    fn one_without_a_tag_is_looked_at_again_later_and_a_tag_is_kept() {
        let tag = Tag {
            place: PLACE,
            links: vec![INNER],
        };
        let (begun, late) = (Instant::now(), Instant::now() + SETTLED);
        let mut known = Known::default();
        for _ in 0..3 {
            known = known.or_look(begun, || None);
        }
        let found = known.clone().or_look(begun, || Some(tag.clone()));
        assert_eq!(found.tag(), Some(&tag));
        assert_eq!(found.or_look(late, || None).tag(), Some(&tag));
        let settled = known.or_look(late, || None);
        let never = || panic!("not looked at again");
        assert_eq!(settled.or_look(late, never).tag(), None);
    }
}
