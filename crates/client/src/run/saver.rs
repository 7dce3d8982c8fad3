//! What cannot be polled, on a thread of its own: layouts for the disk, and acts of the caller.
//!
//! In: layouts, acts. Out: calls of the caller's `save` and `act`, and what an act came to. Promises:
//! the loop never waits for it; at most [`WAITING`] wait, and more layouts are dropped, since the next
//! one holds it all; when the thread fails its descriptor tells.

use crate::{Act, Backstage, ClientError};
use link::layout::Workspace;
use std::io::{self, ErrorKind, PipeReader, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Layouts and acts waiting for their turn.
const WAITING: usize = 16;

/// Something for the thread.
enum Job {
    Save(Box<Workspace>),
    Act(Act),
}

/// See the module.
pub(super) struct Saver {
    jobs: SyncSender<Job>,
    thread: JoinHandle<()>,
    /// A byte for each answer; its other end is the thread's, so it hangs up when that ends.
    alive: PipeReader,
    answers: Receiver<String>,
}

impl Saver {
    pub(super) fn start(mut backstage: Backstage) -> Result<Self, ClientError> {
        let system = |doing| move |source| ClientError::System { doing, source };
        let (jobs, to_do) = sync_channel::<Job>(WAITING);
        let (told, answers) = channel();
        let (alive, mut life) = io::pipe().map_err(system("make a pipe"))?;
        let thread = std::thread::Builder::new()
            .name("saving".to_owned())
            .spawn(move || {
                for job in to_do {
                    match job {
                        Job::Save(layout) => (backstage.save)(&layout),
                        Job::Act(act) => {
                            // The client may have left meanwhile.
                            drop(told.send((backstage.act)(act)));
                            drop(life.write(&[0]));
                        }
                    }
                }
            })
            .map_err(system("start a thread"))?;
        Ok(Self {
            jobs,
            thread,
            alive,
            answers,
        })
    }

    /// A layout to save.
    pub(super) fn save(&self, layout: Workspace) {
        drop(self.jobs.try_send(Job::Save(Box::new(layout))));
    }

    /// An act to carry out. One too many is dropped: the user has not seen what came of the others.
    pub(super) fn act(&self, act: Act) {
        drop(self.jobs.try_send(Job::Act(act)));
    }

    /// What acts came to, when the descriptor is ready.
    ///
    /// # Errors
    /// The thread has ended.
    pub(super) fn told(&mut self) -> io::Result<Vec<String>> {
        let mut bytes = [0; WAITING];
        match self.alive.read(&mut bytes) {
            Ok(0) => Err(ErrorKind::BrokenPipe.into()),
            Ok(_) => Ok(self.answers.try_iter().collect()),
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// What is still to be saved gets until then.
    pub(super) fn finish(self, until: Instant) {
        drop(self.jobs);
        while !self.thread.is_finished() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Ready when an act is done, or when the thread is no more.
impl AsFd for Saver {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.alive.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acts_are_answered_in_order_and_the_end_of_the_thread_is_told() {
        let backstage = Backstage {
            save: Box::new(|_| {}),
            act: Box::new(|act| match act {
                Act::Hold => "held".to_owned(),
                Act::Fresh(id) if id == "boom" => std::panic::resume_unwind(Box::new(())),
                Act::Fresh(id) => format!("fresh {id}"),
            }),
        };
        let mut saver = Saver::start(backstage).unwrap();
        saver.act(Act::Hold);
        saver.act(Act::Fresh("w1".to_owned()));
        let mut told = Vec::new();
        while told.len() < 2 {
            told.extend(saver.told().unwrap());
        }
        assert_eq!(told, ["held", "fresh w1"]);
        saver.act(Act::Fresh("boom".to_owned()));
        assert!(saver.told().is_err());
    }
}
