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

use judge::{Known, Watcher, Why, judge};

use crate::keep::{Kept, KeptNow};
use crate::tag::{Place, Tag, VARIABLE};
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

/// Looks that find nobody, but may have missed somebody, before it is believed that there is
/// nobody; while leftovers are being ended, a quarter of that when nobody can have been missed.
const UNSURE: u32 = 20;

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
    spare: Spare,
}

/// What holds for one look at everybody.
struct Round {
    begun: Instant,
    watcher: Watcher,
    living: HashMap<Identity, bool>,
    /// Looked up when the first leftover is met.
    stays: Option<Stays>,
}

/// Which leftovers stay all the same.
struct Stays {
    kept: KeptNow,
    host: Option<Identity>,
    spare: Spare,
}

impl Stays {
    fn has(&self, whom: Identity) -> bool {
        self.kept.has(whom)
            || self.host.is_some_and(|host| judge::is_hosts(whom, host))
            || (self.spare)(whom)
    }
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

    /// Everybody whose reaper is gone. Signals nobody.
    pub fn find(&mut self) -> Vec<Leftover> {
        self.find_once().0
    }

    fn find_once(&mut self) -> (Vec<Leftover>, bool) {
        let mut found = Vec::new();
        let mut meet = |sight, _: &Stat| {
            if let Sight::Leftover(leftover) = sight {
                found.push(leftover);
            }
        };
        let unsure = self.look(&mut meet);
        if unsure {
            self.chase(&mut meet);
        }
        (found, unsure)
    }

    /// Looks until somebody is found or it is likely that nobody is there.
    fn find_surely(&mut self) -> Vec<Leftover> {
        for _ in 0..UNSURE {
            let (found, unsure) = self.find_once();
            if !found.is_empty() || !unsure {
                return found;
            }
        }
        Vec::new()
    }

    /// Shows `meet` everybody, each judged and acted on at the moment it is looked at: the next in
    /// a chain of forks is gone before a whole picture has been taken.
    ///
    /// Answers whether somebody may have been missed: one was gone before it could be looked at, or
    /// showed no environment at all, as while it is executed.
    fn look(&mut self, meet: &mut dyn FnMut(Sight, &Stat)) -> bool {
        let mut round = self.round();
        let mut known = HashMap::new();
        let mut blanks = 0;
        let missed = process::each(|stat| {
            if stat.alive() {
                let sight = self.consider(&mut round, &stat);
                // A kernel thread has no group.
                blanks += usize::from(matches!(sight, Sight::Blank));
                let whom = stat.identity();
                known.extend(self.known.remove(&whom).map(|entry| (whom, entry)));
                meet(sight, &stat);
            }
        });
        self.known = known;
        missed + blanks > 0
    }

    fn round(&self) -> Round {
        Round {
            begun: Instant::now(),
            watcher: Watcher::new(self.place),
            living: HashMap::new(),
            stays: None,
        }
    }

    /// Judges one that lives.
    fn consider(&mut self, round: &mut Round, stat: &Stat) -> Sight {
        let whom = stat.identity();
        let (mut entry, mut blank) = (self.known.remove(&whom).unwrap_or_default(), false);
        entry = entry.or_look(round.begun, || {
            let environment = process::environment(whom.pid);
            let ended = environment.as_ref().is_err_and(|_| !whom.alive());
            blank = ended || environment.as_ref().is_ok_and(Vec::is_empty);
            // Hidden: as one without a tag.
            Tag::read(process::variable(&environment.ok()?, VARIABLE)?)
        });
        let living = &mut round.living;
        let lives = |reaper: Identity| *living.entry(reaper).or_insert_with(|| reaper.alive());
        let ours = || process::user(whom.pid) == Some(sys::peer::my_uid());
        let why = judge(&round.watcher, whom, entry.tag(), lives, ours);
        // Whose it was cannot be read of one that has ended meanwhile.
        blank |= why == Why::OtherUser && !whom.alive();
        let tag = entry.tag().filter(|_| why == Why::ReaperGone);
        let links = tag.map(|tag| tag.links.clone());
        self.known.insert(whom, entry);
        match links {
            Some(_) if round.stays.get_or_insert_with(|| self.stays()).has(whom) => Sight::Stranger,
            Some(reapers) => Sight::Leftover(Leftover {
                process: whom,
                name: stat.comm.clone(),
                reapers,
            }),
            None if blank && stat.pgrp > 0 => Sight::Blank,
            None => Sight::Stranger,
        }
    }

    fn stays(&self) -> Stays {
        Stays {
            kept: self.kept.look(),
            host: self.host,
            spare: Arc::clone(&self.spare),
        }
    }

    /// Ends everybody whose reaper is gone: TERM and CONT, 3 s, then KILL until nobody is found.
    /// Returns at once when there is nobody, else after 14 s at most.
    pub fn sweep(&mut self) -> SweepReport {
        let first = self.find_surely();
        let mut met: HashMap<Identity, Leftover> = HashMap::new();
        for leftover in first {
            // Gone or refused: the rounds after the grace find out.
            let _gone = leftover.process.signal(Signal::TERM);
            let _gone = leftover.process.signal(Signal::CONT);
            met.insert(leftover.process, leftover);
        }
        if met.is_empty() {
            return SweepReport::default();
        }
        let begun = Instant::now();
        for whom in met.keys() {
            if !whom.wait_gone(GRACE.saturating_sub(begun.elapsed())) {
                break;
            }
        }
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

    /// Kills until nobody is found; those that stay, and why.
    fn force(&mut self, met: &mut HashMap<Identity, Leftover>) -> Vec<(Leftover, String)> {
        let begun = Instant::now();
        let (mut fruitless, mut before, mut empty) = (0, HashSet::new(), 0);
        loop {
            let (hit, unsure) = self.strike();
            if hit.is_empty() {
                empty += if unsure { 1 } else { UNSURE / 4 };
                if empty >= UNSURE {
                    return Vec::new();
                }
                continue;
            }
            empty = 0;
            let now: HashSet<Identity> = hit.iter().map(|(it, _)| it.process).collect();
            fruitless = if now == before { fruitless + 1 } else { 0 };
            before = now;
            met.extend(hit.iter().map(|(it, _)| (it.process, it.clone())));
            if fruitless > FRUITLESS || begun.elapsed() > LONGEST {
                // On a busy machine one that was killed may wait for its turn to die.
                let late = Instant::now();
                return hit
                    .into_iter()
                    .filter(|(it, _)| !it.process.wait_gone(LAST.saturating_sub(late.elapsed())))
                    .map(|(it, done)| (it, reason(&done)))
                    .collect();
            }
            let nap = Duration::from_millis(u64::from(fruitless) * 2);
            for whom in &before {
                if !whom.wait_gone(nap) {
                    break;
                }
            }
        }
    }

    /// Kills everybody who is found, and how that went.
    ///
    /// A group is killed as a group, which the kernel makes atomic against fork, where every member
    /// is to go anyway: a chain of forks keeps its group. Its session was made by the family, since
    /// the tag is set after `setsid`, so a member that shows no environment because it is being
    /// executed at this moment is one of the family. With one stranger among them the members are
    /// met one by one: each is stopped first, so that it neither forks nor ends while those below it
    /// are looked for; see [`chase`].
    fn strike(&mut self) -> (Vec<(Leftover, std::io::Result<()>)>, bool) {
        let mut mixed: HashSet<i32> = HashSet::from([0, 1]);
        let mut unsure = self.look(&mut |sight, stat| {
            if matches!(sight, Sight::Stranger) {
                mixed.insert(stat.pgrp);
            }
        });
        let (mut hit, mut met, stays) = (Vec::new(), HashSet::new(), self.stays());
        let mut meet = |sight, stat: &Stat| {
            // Looked at so often, one that dies is met again and again.
            if let Sight::Leftover(leftover) = sight
                && met.insert(leftover.process)
            {
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
                hit.push((leftover, done));
            }
        };
        unsure |= self.look(&mut meet);
        if unsure {
            self.chase(&mut meet);
        }
        (hit, unsure)
    }
}

/// What a look at one process found.
enum Sight {
    Leftover(Leftover),
    /// It shows no environment at all: it is being executed, or is the kernel's.
    Blank,
    /// It stays.
    Stranger,
}

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
