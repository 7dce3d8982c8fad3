//! macOS: pictures by `proc_pidinfo`, news by kqueue (`NOTE_FORK`, `NOTE_EXIT` of every member).

use super::{Kin, Lineage};
use std::collections::HashSet;
use std::os::fd::{AsFd, BorrowedFd};
use sys::lineage::{self, Watch};

/// Pictures in one look; a family that forks faster than it is watched is looked at again soon.
const ROUNDS: u32 = 20;

/// Follows a family.
#[derive(Debug, Default)]
pub(crate) struct Tracker(Option<Following>);

#[derive(Debug)]
struct Following {
    kin: Kin,
    watch: Watch,
    /// Unique ids of the watched.
    watched: HashSet<u64>,
}

impl Tracker {
    /// Follows the family of this process from now on; nobody, where the system does not tell.
    pub(crate) fn start() -> Self {
        let me = lineage::of(std::process::id().cast_signed());
        let following = me.zip(Watch::new().ok()).map(|(me, watch)| Following {
            kin: Kin::of(me.unique),
            watch,
            watched: HashSet::new(),
        });
        Self(following)
    }

    /// Readable when somebody of the family forked or ended; `None`: never.
    pub(crate) fn news(&self) -> Option<BorrowedFd<'_>> {
        self.0.as_ref().map(|it| it.watch.as_fd())
    }

    /// Looks who has come, if there was news.
    pub(crate) fn look(&mut self) {
        if let Some(following) = &mut self.0
            && following.watch.drain().unwrap_or(true)
        {
            following.picture();
        }
    }

    /// The pids of the family that lives now, beyond what the tree by parent shows.
    pub(crate) fn members(&mut self) -> HashSet<i32> {
        self.0.as_mut().map(Following::picture).unwrap_or_default()
    }
}

impl Following {
    /// Takes pictures until one shows nobody new: whoever forked before it was watched has its
    /// child in the next.
    fn picture(&mut self) -> HashSet<i32> {
        let mut members = Vec::new();
        for _ in 0..ROUNDS {
            members = self.kin.look(&everybody());
            let here: HashSet<u64> = members.iter().map(|it| it.unique).collect();
            self.watched.retain(|it| here.contains(it));
            let new: Vec<&Lineage> = members
                .iter()
                .filter(|it| self.watched.insert(it.unique))
                .collect();
            if new.is_empty() {
                break;
            }
            for member in new {
                // Gone by now: its children are in the next picture.
                let _gone = self.watch.add(member.pid);
            }
        }
        members.iter().map(|it| it.pid).collect()
    }
}

fn everybody() -> Vec<Lineage> {
    let all = lineage::all().into_iter();
    all.map(|it| Lineage {
        pid: it.pid,
        unique: it.unique,
        starter: it.starter,
    })
    .collect()
}
