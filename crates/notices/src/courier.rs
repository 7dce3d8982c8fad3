//! Takes notices and has them delivered, without keeping anybody waiting.
//!
//! A delivery waits for others (a bus, a program, a server), so each has a thread of its own while it
//! lasts. What came of it stands in a queue; a socket that becomes readable says so to whoever polls.

use crate::lane::Lane;
use crate::setup::Setup;
use crate::{Notice, Trouble, Way, WayKind, command, desktop, webhook};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

/// What came of one notice on one way.
#[derive(Debug)]
pub struct Outcome {
    /// The pane it was about.
    pub pane: String,
    /// The way it went.
    pub way: WayKind,
    /// Whether it got through.
    pub result: Result<(), Trouble>,
}

struct Job {
    way: Way,
    notice: Arc<Notice>,
}

/// See the module.
pub struct Courier {
    setup: Arc<Setup>,
    lanes: [Lane<Job>; 3],
    tell: Sender<Outcome>,
    told: Receiver<Outcome>,
    rings: Arc<UnixStream>,
    hears: UnixStream,
}

impl std::fmt::Debug for Courier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Courier").finish_non_exhaustive()
    }
}

impl Courier {
    /// One that has nothing to do yet.
    ///
    /// # Errors
    /// No descriptors are left.
    pub fn new(setup: Setup) -> io::Result<Self> {
        let (hears, rings) = UnixStream::pair()?;
        hears.set_nonblocking(true)?;
        rings.set_nonblocking(true)?;
        let (tell, told) = channel();
        Ok(Self {
            setup: Arc::new(setup),
            lanes: Default::default(),
            tell,
            told,
            rings: Arc::new(rings),
            hears,
        })
    }

    /// There is a desktop to tell, as far as can be seen without asking it.
    #[must_use]
    pub fn has_desktop(&self) -> bool {
        desktop::address(&self.setup).is_some()
    }

    /// Has the notice delivered on each of these ways. Gives what had to go for it.
    pub fn give(&mut self, notice: Notice, ways: Vec<Way>) -> Vec<Outcome> {
        let notice = Arc::new(notice.bounded());
        let mut gone = Vec::new();
        for way in ways {
            let job = Job {
                way,
                notice: Arc::clone(&notice),
            };
            let lane = &mut self.lanes[job.way.kind() as usize];
            gone.extend(lane.push(job).map(|job| Outcome {
                pane: job.notice.pane.clone(),
                way: job.way.kind(),
                result: Err(Trouble::new(
                    "too many notices wait; the oldest was dropped",
                )),
            }));
        }
        self.begin();
        gone
    }

    /// Readable once something came of a notice.
    #[must_use]
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.hears.as_fd()
    }

    /// What came of notices since the last call. Waits for nothing.
    pub fn take(&mut self) -> Vec<Outcome> {
        let mut bytes = [0; 256];
        while matches!((&self.hears).read(&mut bytes), Ok(n) if n == bytes.len()) {}
        let outcomes: Vec<Outcome> = self.told.try_iter().collect();
        for outcome in &outcomes {
            self.lanes[outcome.way as usize].ended();
        }
        self.begin();
        outcomes
    }

    fn begin(&mut self) {
        for lane in &mut self.lanes {
            while let Some(job) = lane.begin() {
                let (setup, rings) = (Arc::clone(&self.setup), Arc::clone(&self.rings));
                let (tell, pane, way) =
                    (self.tell.clone(), job.notice.pane.clone(), job.way.kind());
                let thread = std::thread::Builder::new().name("abide-notice".to_owned());
                let began = thread.spawn(move || {
                    let result = deliver(&setup, &job);
                    ring(&tell, &rings, Outcome { pane, way, result });
                });
                if let Err(error) = began {
                    let why = format!("no thread: {}", sys::files::plain(&error));
                    let outcome = Outcome {
                        pane: String::new(),
                        way,
                        result: Err(Trouble::new(why)),
                    };
                    ring(&self.tell, &self.rings, outcome);
                }
            }
        }
    }
}

fn ring(tell: &Sender<Outcome>, mut rings: &UnixStream, outcome: Outcome) {
    // The courier may be gone, or its socket full of the same news.
    let _gone = tell.send(outcome);
    let _full = rings.write(&[1]);
}

fn deliver(setup: &Setup, job: &Job) -> Result<(), Trouble> {
    match &job.way {
        Way::Desktop => desktop::show(setup, &job.notice),
        Way::Command(argv) => command::run(setup, argv, &job.notice, command::LIMIT),
        Way::Webhook(address) => webhook::send(setup, address, &job.notice),
    }
}
