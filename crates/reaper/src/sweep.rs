//! Finding and ending what outlived its reaper, by the tag it carries.
//!
//! In: a state folder, and everybody `/proc` shows. Out: who was ended, who was left and why.
//! Only needed when a pane's reaper, the host and the root reaper died together: each of them
//! ends by descent what the others leave. Promises: a process is signalled only when it carries a
//! tag of this very place (state folder, boot, pid namespace), the *innermost* reaper of that tag
//! is gone, it is this user's alone, and neither this process nor above it. What does not carry a
//! tag, or hides its environment, is never touched; nor are tools that the user keeps ([`Kept`]), nor
//! whoever is a living host's own business: see [`Sweeper::beside`].

mod chase;
mod judge;
mod look;
mod numbers;
mod trail;

use judge::Known;
use look::Sight;
use numbers::Numbers;

use crate::keep::Kept;
use crate::tag::Place;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use sys::process::{self, Identity, Signal, Stat};

/// How long leftovers have to end by themselves after TERM, as in a pane.
const GRACE: Duration = Duration::from_secs(3);
/// The limit for those that fork faster than they are found.
const LONGEST: Duration = Duration::from_secs(10);
/// How long those are waited for in the end who were killed and are still there.
const LAST: Duration = Duration::from_secs(1);
/// Looks without a death before whoever is left is left: sleeping in the kernel, say.
const FRUITLESS: u32 = 40;

/// Looks that find nobody, but may have missed somebody, before it is believed that there is nobody.
const UNSURE: usize = 400;
/// Such looks in one strike, which begins with a look at everybody.
const CHASE: usize = 100;
/// How long is waited at most before the counter of pids is read again; see [`Numbers`].
const COUNTED: Duration = Duration::from_millis(50);

/// A process whose reaper is gone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leftover {
    /// The process.
    pub process: Identity,
    /// The name it gives itself; for people only.
    pub name: String,
    /// The reapers it was below, innermost first; the first is gone.
    pub reapers: Vec<Identity>,
}

impl fmt::Display for Leftover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name: String = self.name.chars().filter(|c| !c.is_control()).collect();
        let reaper = self.reapers.first().map_or(0, |it| it.pid);
        let pid = self.process.pid;
        write!(f, "{pid} ({name}): its reaper, process {reaper}, is gone")
    }
}

/// What a sweep did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SweepReport {
    /// Those that were found and are gone now.
    pub ended: Vec<Leftover>,
    /// Those that could not be ended, with the reason.
    pub left: Vec<(Leftover, String)>,
}

type Spare = Arc<dyn Fn(Identity) -> bool + Send + Sync>;

/// Sweeps one state folder again and again; remembers whom it has looked at.
pub struct Sweeper {
    place: Place,
    kept: Kept,
    host: Option<Identity>,
    known: HashMap<Identity, Known>,
    numbers: Numbers,
    spare: Spare,
}

impl fmt::Debug for Sweeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sweeper")
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}

impl Sweeper {
    /// For the families of hosts with this state folder.
    #[must_use]
    pub fn new(state: &Path) -> Self {
        Self {
            place: Place::of(state),
            kept: Kept::of(state),
            host: None,
            known: HashMap::new(),
            numbers: Numbers::default(),
            spare: Arc::new(|_| false),
        }
    }

    /// Leaves those alone that `spare` says true for, and what it is asked about is a leftover.
    #[must_use]
    pub fn sparing(mut self, spare: impl Fn(Identity) -> bool + Send + Sync + 'static) -> Self {
        self.spare = Arc::new(spare);
        self
    }

    /// There is a host of this state folder. What fell to it when its reaper ended is its own to end or
    /// to spare: helpers that several panes share. That is everybody below it with no living reaper of
    /// a pane in between.
    #[must_use]
    pub fn beside(mut self, host: Option<Identity>) -> Self {
        self.host = host;
        self
    }

    /// Everybody whose reaper is gone. Signals nobody. Looks until somebody is found or nobody can
    /// have been missed; on a machine that is so busy that this is never certain, until it is likely.
    pub fn find(&mut self) -> Vec<Leftover> {
        let mut looks = self.looks();
        for _ in 0..UNSURE {
            let mut found = Vec::new();
            let certain = self.look(&mut looks, &mut |sight, _| {
                if let Sight::Leftover(leftover) = sight {
                    found.push(leftover);
                }
            });
            if certain || !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// Ends everybody whose reaper is gone: TERM and CONT, 3 s, then KILL until nobody is found.
    /// Returns at once when there is nobody, else after 15 s at most.
    pub fn sweep(&mut self) -> SweepReport {
        let mut met: HashMap<Identity, Leftover> = HashMap::new();
        for leftover in self.find() {
            // Gone or refused: the rounds after the grace find out.
            let _gone = leftover.process.signal(Signal::TERM);
            let _gone = leftover.process.signal(Signal::CONT);
            met.insert(leftover.process, leftover);
        }
        if met.is_empty() {
            return SweepReport::default();
        }
        self.wait(met.keys(), GRACE);
        let left = self.force(&mut met);
        let stays = |whom: &Identity| left.iter().any(|(it, _)| it.process == *whom);
        let mut ended: Vec<Leftover> = met
            .into_iter()
            .filter(|(whom, _)| !stays(whom))
            .map(|(_, it)| it)
            .collect();
        ended.sort_by_key(|it| it.process.pid);
        SweepReport { ended, left }
    }

    /// Waits for the end of all of them, `limit` at most, and reads the counter of pids meanwhile.
    fn wait<'a>(&mut self, all: impl Iterator<Item = &'a Identity>, limit: Duration) {
        let begun = Instant::now();
        for whom in all {
            loop {
                self.numbers.read_counter();
                let left = limit.saturating_sub(begun.elapsed());
                if whom.wait_gone(left.min(COUNTED)) {
                    break;
                }
                if left.is_zero() {
                    return;
                }
            }
        }
    }

    /// Kills until nobody is found; those that stay, and why.
    fn force(&mut self, met: &mut HashMap<Identity, Leftover>) -> Vec<(Leftover, String)> {
        let begun = Instant::now();
        let (mut fruitless, mut before) = (0, HashSet::new());
        loop {
            let (hit, certain) = self.strike();
            let late = begun.elapsed() > LONGEST;
            if hit.is_empty() {
                let found = if certain { Vec::new() } else { self.find() };
                if found.is_empty() || late {
                    return found
                        .into_iter()
                        .map(|it| (it, FASTER.to_owned()))
                        .collect();
                }
                met.extend(found.into_iter().map(|it| (it.process, it)));
                continue;
            }
            let now: HashSet<Identity> = hit.iter().map(|(it, _)| it.process).collect();
            fruitless = if now == before { fruitless + 1 } else { 0 };
            before = now;
            met.extend(hit.iter().map(|(it, _)| (it.process, it.clone())));
            if fruitless > FRUITLESS || late {
                // On a busy machine one that was killed may wait for its turn to die.
                self.wait(before.iter(), LAST);
                let stay = hit.into_iter().filter(|(it, _)| it.process.alive());
                return stay.map(|(it, done)| (it, reason(&done))).collect();
            }
            self.wait(
                before.iter(),
                Duration::from_millis(u64::from(fruitless) * 2),
            );
        }
    }

    /// Kills everybody who is found, and how that went. True: nobody else can have been missed.
    ///
    /// A group is killed as a group, which the kernel makes atomic against fork, where every member
    /// is to go anyway: a chain of forks keeps its group. Its session was made by the family, since
    /// the tag is set after `setsid`, so a member that shows no environment because it is being
    /// executed at this moment is one of the family. That is done with the groups of all leftovers
    /// that were seen in this sweep, also if nobody is seen there now; see [`Numbers`]. With one
    /// stranger among them the members are met one by one: each is stopped first, so that it neither
    /// forks nor ends while those below it are looked for; see [`chase`].
    fn strike(&mut self) -> (Vec<Hit>, bool) {
        let mut mixed: HashSet<i32> = HashSet::from([0, 1]);
        let (mut looks, mut found) = (self.looks(), Vec::new());
        let mut certain = self.look(&mut looks, &mut |sight, stat| match sight {
            Sight::Stranger => drop(mixed.insert(stat.pgrp)),
            Sight::Leftover(leftover) => found.push((leftover, stat.clone())),
        });
        self.numbers.kill_groups(&mixed);
        let stays = self.stays();
        let strike = |leftover: Leftover, stat: &Stat| {
            let frozen = chase::freeze(stat, &leftover.reapers, &|it| stays.has(it));
            if !mixed.contains(&stat.pgrp) {
                // Empty by now.
                let _gone = process::signal_group(stat.pgrp, Signal::KILL);
            }
            for whom in frozen {
                // Gone by the group's signal.
                let _gone = whom.signal(Signal::KILL);
            }
            let done = leftover.process.signal(Signal::KILL);
            (leftover, done)
        };
        let found = found.into_iter();
        let mut hit: Vec<Hit> = found.map(|(it, stat)| strike(it, &stat)).collect();
        for _ in 0..CHASE {
            if certain {
                break;
            }
            certain = self.look(&mut looks, &mut |sight, stat| {
                if let Sight::Leftover(leftover) = sight {
                    hit.push(strike(leftover, stat));
                }
            });
        }
        (hit, certain)
    }
}

/// One that was killed, and how that went.
type Hit = (Leftover, std::io::Result<()>);

const FASTER: &str = "it starts others and ends, faster than they can be caught";

fn reason(killed: &std::io::Result<()>) -> String {
    match killed {
        Ok(()) => "it does not die of SIGKILL; it sleeps in the kernel".to_owned(),
        Err(error) => sys::files::plain(error),
    }
}

/// Ends everybody whose reaper is gone, once: see [`Sweeper::sweep`]. For the start of a host,
/// and of whoever else starts reapers for this state folder,
/// when there is no other host: else [`Sweeper::beside`] names it.
#[must_use]
pub fn sweep(state: &Path) -> SweepReport {
    Sweeper::new(state).sweep()
}
