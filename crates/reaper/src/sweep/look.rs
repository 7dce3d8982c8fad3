//! Looking at everybody: who is a leftover, who stays, and who cannot be judged yet.

use super::judge::{Watcher, Why, judge};
use super::trail::{Seen, Trail};
use super::{Leftover, Spare, Sweeper, judge};
use crate::keep::KeptNow;
use crate::tag::{Tag, VARIABLE};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use sys::process::{self, Identity, Stat};

/// How many pids are looked at before the counter of pids is read again.
const OFTEN: usize = 16;
/// Looks without a pause between two pauses.
const BURST: usize = 4;
/// A pause, in which a machine that is busy gets on with what could not be judged.
const PAUSE: Duration = Duration::from_micros(500);

/// What a look at one process found.
pub(super) enum Sight {
    Leftover(Leftover),
    /// It stays.
    Stranger,
}

/// Several looks that follow each other closely, and what holds for them.
pub(super) struct Looks {
    begun: Instant,
    watcher: Watcher,
    living: HashMap<Identity, bool>,
    /// Looked up when the first leftover is met.
    stays: Option<Stays>,
    pub(super) trail: Trail,
    count: usize,
}

/// Which leftovers stay all the same.
pub(super) struct Stays {
    kept: KeptNow,
    host: Option<Identity>,
    spare: Spare,
}

impl Stays {
    pub(super) fn has(&self, whom: Identity) -> bool {
        self.kept.has(whom)
            || self.host.is_some_and(|host| judge::is_hosts(whom, host))
            || (self.spare)(whom)
    }
}

/// What a process shows of its environment.
enum Shown {
    /// All of it, or nothing ever.
    All(Option<Tag>),
    /// Nothing, since it is being executed at this moment.
    NotYet,
    /// Nothing, since it is ending.
    NoMore,
}

impl Sweeper {
    pub(super) fn looks(&self) -> Looks {
        Looks {
            begun: Instant::now(),
            watcher: Watcher::new(self.place),
            living: HashMap::new(),
            stays: None,
            trail: Trail::default(),
            count: 0,
        }
    }

    pub(super) fn stays(&self) -> Stays {
        Stays {
            kept: self.kept.look(),
            host: self.host,
            spare: Arc::clone(&self.spare),
        }
    }

    /// Shows `meet` everybody who is not done, each judged and acted on at the moment it is looked at:
    /// the next in a chain of forks is gone before a whole picture has been taken. The first of
    /// several looks is at everybody; see [`Trail`] for the others. True: nobody was missed.
    pub(super) fn look(&mut self, looks: &mut Looks, meet: &mut dyn FnMut(Sight, &Stat)) -> bool {
        if looks.count > 0 && looks.count.is_multiple_of(BURST) {
            std::thread::sleep(PAUSE);
        }
        let turns = self.numbers.read_counter();
        let before = (looks.count == 0).then(|| std::mem::take(&mut self.known));
        let mut before = before.unwrap_or_default();
        looks.count += 1;
        let mut passed = 0;
        process::each_pid_from(looks.trail.from(), |pid| {
            passed += 1;
            if passed % OFTEN == 0 {
                self.numbers.read_counter();
            }
            if looks.trail.is_done(pid) || self.numbers.is_zombie(pid) {
                return;
            }
            let stat = process::stat(pid);
            if stat.as_ref().is_some_and(|it| !it.alive()) {
                self.numbers.saw_zombie(pid);
            }
            let Some(stat) = stat.filter(Stat::alive) else {
                looks.trail.saw(pid, Seen::Passed);
                return;
            };
            let whom = stat.identity();
            // Those who are gone are forgotten with what is left of it.
            self.known.extend(before.remove(&whom).map(|it| (whom, it)));
            let (seen, sight) = self.consider(looks, &stat);
            looks.trail.saw(pid, seen);
            if let Some(sight) = sight {
                meet(sight, &stat);
            }
        });
        let turned = self.numbers.read_counter() != turns;
        looks.trail.ends(turned)
    }

    /// Judges one that lives.
    fn consider(&mut self, looks: &mut Looks, stat: &Stat) -> (Seen, Option<Sight>) {
        let whom = stat.identity();
        let (mut entry, mut seen) = (self.known.remove(&whom).unwrap_or_default(), Seen::Judged);
        entry = entry.or_look(looks.begun, || match shown(stat) {
            Shown::All(tag) => tag,
            Shown::NotYet => {
                seen = Seen::Open;
                None
            }
            Shown::NoMore => {
                seen = Seen::Passed;
                None
            }
        });
        let living = &mut looks.living;
        let lives = |reaper: Identity| *living.entry(reaper).or_insert_with(|| reaper.alive());
        let ours = || process::user(whom.pid) == Some(sys::peer::my_uid());
        let why = judge(&looks.watcher, whom, entry.tag(), lives, ours);
        if why == Why::OtherUser && !whom.alive() {
            // Whose it was cannot be read any more.
            seen = Seen::Passed;
        }
        let tag = entry.tag().filter(|_| why == Why::ReaperGone);
        let links = tag.map(|tag| tag.links.clone());
        self.known.insert(whom, entry);
        let Some(reapers) = links else {
            // One that cannot be judged says nothing of its group.
            return (seen, (seen == Seen::Judged).then_some(Sight::Stranger));
        };
        let stays = looks.stays.get_or_insert_with(|| self.stays());
        if stays.has(whom) {
            return (Seen::Judged, Some(Sight::Stranger));
        }
        self.numbers.saw_group(stat.pgrp);
        let leftover = Leftover {
            process: whom,
            name: stat.comm.clone(),
            reapers,
        };
        (Seen::Passed, Some(Sight::Leftover(leftover)))
    }
}

fn shown(stat: &Stat) -> Shown {
    match process::environment(stat.pid) {
        // The kernel's own have no group, and never an environment.
        Ok(all) if all.is_empty() && stat.pgrp > 0 && !process::is_bare(stat.pid) => Shown::NotYet,
        Ok(all) => Shown::All(process::variable(&all, VARIABLE).and_then(Tag::read)),
        Err(error) if is_gone(&error) => Shown::NoMore,
        // Hidden: as one without a tag.
        Err(_) => Shown::All(None),
    }
}

/// Its memory is given back first when a process ends, long before it is a zombie.
fn is_gone(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::NotFound || error.raw_os_error() == Some(ESRCH)
}

/// "No such process", the same number on every Unix.
const ESRCH: i32 = 3;
