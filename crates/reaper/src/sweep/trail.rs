//! What is still open after a look at everybody, and when nothing is: pure, without the system.
//!
//! In: for each pid that a look came by, what came of it. Out: where the next look has to begin, and
//! whether it is certain that nobody was missed. Promise: while a chain of forks lives, no look is
//! called certain.
//!
//! Why that holds. A look goes through the pids upwards and is told of whoever is next only when it
//! comes there ([`sys::process::each_pid_from`]). Pids are given out upwards too, and a link of a chain
//! lives until the next one does. So a look that began below a chain meets at least one link. If that
//! one ended before it could be judged, or hides behind its execution, the chain has it or a larger pid
//! from then on: the next look may begin there, and whoever has been judged need not be judged
//! again. Looks become short in that way. Only when the counter of pids has come round, all is open again.

use std::collections::HashSet;

/// What came of one pid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Seen {
    /// It is known whose it is, and it is left alone.
    Judged,
    /// It ended before it could be judged, or has been dealt with. It does nothing more, but may have
    /// started others before.
    Passed,
    /// It cannot be judged yet.
    Open,
}

/// What is known over several looks that follow each other closely.
#[derive(Debug, Default)]
pub(super) struct Trail {
    done: HashSet<i32>,
    from: i32,
    open: Option<i32>,
}

impl Trail {
    /// The smallest pid that the next look has to come by.
    pub(super) const fn from(&self) -> i32 {
        self.from
    }

    /// Whether nothing new can come of this pid.
    pub(super) fn is_done(&self, pid: i32) -> bool {
        self.done.contains(&pid)
    }

    /// Takes in what came of a pid.
    pub(super) fn saw(&mut self, pid: i32, seen: Seen) {
        if seen != Seen::Open {
            self.done.insert(pid);
        }
        if seen != Seen::Judged {
            self.open = Some(self.open.map_or(pid, |it| it.min(pid)));
        }
    }

    /// A look came to its end. `turned`: the counter of pids came round meanwhile. True: nobody can
    /// have been missed since the first look.
    pub(super) fn ends(&mut self, turned: bool) -> bool {
        let open = self.open.take();
        if turned {
            *self = Self::default();
            return false;
        }
        self.from = open.unwrap_or(self.from);
        open.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn the_next_look_begins_at_the_first_who_is_open() {
        use Seen::{Judged, Open, Passed};
        for (name, seen, from, certain) in [
            ("nobody", &[][..], 0, true),
            ("all judged", &[(1, Judged), (5, Judged)], 0, true),
            (
                "one passed",
                &[(1, Judged), (5, Passed), (9, Open)],
                5,
                false,
            ),
            ("one is open", &[(7, Open), (9, Judged)], 7, false),
        ] {
            let mut trail = Trail::default();
            for (pid, seen) in seen {
                trail.saw(*pid, *seen);
            }
            assert_eq!(trail.ends(false), certain, "{name}");
            assert_eq!(trail.from(), from, "{name}");
            let asked_again = |(pid, seen): &(i32, Seen)| trail.is_done(*pid) == (*seen != Open);
            assert!(seen.iter().all(asked_again), "{name}");
        }
        let mut trail = Trail::default();
        trail.saw(5, Passed);
        assert!(!trail.ends(true), "the counter came round");
        assert_eq!((trail.from(), trail.is_done(5)), (0, false));
        assert!(trail.ends(false));
    }

    /// The machine of the test: who lives, and the look that is on its way.
    struct World {
        living: BTreeMap<i32, bool>,
        link: i32,
        newest: i32,
        at: i32,
        trail: Trail,
    }

    impl World {
        /// The chain goes on: the next link first, the end of the old one second.
        fn fork(&mut self) {
            self.newest += 1;
            self.living.insert(self.newest, true);
            self.living.remove(&self.link);
            self.link = self.newest;
        }

        fn stranger(&mut self) {
            self.newest += 1;
            self.living.insert(self.newest, false);
        }

        /// The look goes on to the next pid, and the chain `forks` times before that is judged. A link
        /// that is caught in time would end the test, so it hides. True: a look was certain.
        fn look(&mut self, forks: usize) -> bool {
            let Some((&pid, &chain)) = self.living.range(self.at..).next() else {
                self.at = 0;
                let certain = self.trail.ends(false);
                self.at = self.trail.from();
                return certain;
            };
            self.at = pid + 1;
            if self.trail.is_done(pid) {
                return false;
            }
            for _ in 0..forks {
                self.fork();
            }
            self.trail.saw(
                pid,
                match self.living.contains_key(&pid) {
                    _ if !chain => Seen::Judged,
                    true => Seen::Open,
                    false => Seen::Passed,
                },
            );
            false
        }
    }

    proptest! {
        /// However looks and forks come upon each other, no look is certain while a chain lives; and
        /// the first two without a chain are.
        #[test]
        fn no_look_is_certain_while_a_chain_lives(
            steps in proptest::collection::vec((0_u8..6, 0_usize..3), 1..400),
            strangers in proptest::collection::btree_set(1_i32..60, 0..20),
        ) {
            let living = strangers.into_iter().map(|pid| (pid, false));
            let mut world = World {
                living: living.collect(),
                link: 60,
                newest: 60,
                at: 0,
                trail: Trail::default(),
            };
            world.living.insert(60, true);
            for (kind, forks) in steps {
                match kind {
                    0 => world.fork(),
                    1 => world.stranger(),
                    _ => prop_assert!(!world.look(forks)),
                }
            }
            world.living.remove(&world.link);
            let looks = 3 * (world.living.len() + 1);
            prop_assert!((0..looks).any(|_| world.look(0)), "never certain");
        }
    }
}
