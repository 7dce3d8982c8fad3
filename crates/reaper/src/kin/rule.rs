//! Who belongs to a family, from pictures of everybody.

use std::collections::HashSet;

/// One process and where it comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lineage {
    /// Its pid, which others may have had.
    pub(crate) pid: i32,
    /// Its unique id, which nobody else ever has.
    pub(crate) unique: u64,
    /// The unique id of the process that started it.
    pub(crate) starter: u64,
}

/// A family, picture by picture.
#[derive(Debug)]
pub(crate) struct Kin {
    root: u64,
    /// Members of the last picture.
    here: HashSet<u64>,
    /// Members of the one before who were not in it: those they started last may show only now.
    gone: HashSet<u64>,
}

impl Kin {
    /// The family of the process with this unique id, which is not a member itself.
    pub(crate) fn of(root: u64) -> Self {
        Self {
            root,
            here: HashSet::new(),
            gone: HashSet::new(),
        }
    }

    /// The members in this picture: everybody whose starter is the root, a member of this picture, or
    /// one of the last two. Bounded by the living: ids of the dead are kept for one more picture.
    pub(crate) fn look(&mut self, everybody: &[Lineage]) -> Vec<Lineage> {
        let mut known: HashSet<u64> = self.here.union(&self.gone).copied().collect();
        known.insert(self.root);
        let mut members: Vec<Lineage> = Vec::new();
        let mut open: Vec<&Lineage> = everybody
            .iter()
            .filter(|it| it.unique != self.root)
            .collect();
        // Until nobody is added: a picture has no order.
        loop {
            let before = open.len();
            open.retain(|it| {
                let member = known.contains(&it.starter) || known.contains(&it.unique);
                if member {
                    known.insert(it.unique);
                    members.push(**it);
                }
                !member
            });
            if open.len() == before {
                break;
            }
        }
        let here: HashSet<u64> = members.iter().map(|it| it.unique).collect();
        self.gone = self.here.difference(&here).copied().collect();
        self.here = here;
        members
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: u64 = 100;

    fn at(pid: i32, unique: u64, starter: u64) -> Lineage {
        Lineage {
            pid,
            unique,
            starter,
        }
    }

    /// Pictures one after the other, and the pids found in the last.
    fn check(name: &str, pictures: &[&[Lineage]], want: &[i32]) {
        let mut kin = Kin::of(ROOT);
        let mut found = Vec::new();
        for picture in pictures {
            found = kin.look(picture).iter().map(|it| it.pid).collect();
        }
        found.sort_unstable();
        assert_eq!(found, want, "{name}");
    }

    #[test]
    fn a_family_is_found_whatever_became_of_its_parents() {
        let launchd = at(1, 1, 0);
        let me = at(10, ROOT, 1);
        let stranger = at(20, 200, 1);
        let (main, child, daemon) = (at(11, 101, ROOT), at(12, 102, 101), at(13, 103, 102));
        check("nobody", &[&[launchd, me, stranger]], &[]);
        check(
            "in any order",
            &[&[daemon, stranger, child, me, main, launchd]],
            &[11, 12, 13],
        );
        check(
            "double fork: the one between was seen and is gone",
            &[&[launchd, me, main, child], &[launchd, me, main, daemon]],
            &[11, 13],
        );
        check(
            "a picture later still: the daemon itself is known",
            &[
                &[me, main, child],
                &[me, main, daemon],
                &[me, daemon, stranger],
                &[me, daemon, stranger],
            ],
            &[13],
        );
        check(
            "the one between was never seen: the sweep's work",
            &[&[me, main], &[me, main, daemon]],
            &[11],
        );
        check(
            "the pid of a member is a stranger's by now",
            &[&[me, main], &[me, at(11, 300, 1)]],
            &[],
        );
    }

    #[test]
    fn what_is_remembered_is_bounded_by_who_lives() {
        let mut kin = Kin::of(ROOT);
        let me = at(10, ROOT, 1);
        let main = at(11, 101, ROOT);
        for n in 0..1000 {
            let command = at(12, 1000 + n, 101);
            assert_eq!(kin.look(&[me, main, command]).len(), 2);
            assert!(kin.here.len() + kin.gone.len() <= 3);
        }
    }
}
