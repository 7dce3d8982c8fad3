//! Layouts for the disk, on a thread of their own, since a disk may block.
//!
//! In: layouts. Out: calls of the caller's `save`. Promises: the loop never waits for it; at most
//! [`SAVES`] wait, and more are dropped, since the next one holds it all; when it fails its
//! descriptor tells.

use crate::ClientError;
use link::layout::Workspace;
use std::io::{self, PipeReader};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Layouts waiting for the disk.
const SAVES: usize = 16;

/// See the module.
pub(super) struct Saver {
    layouts: SyncSender<Workspace>,
    thread: JoinHandle<()>,
    /// Its other end is the thread's, so it hangs up when that ends.
    alive: PipeReader,
}

impl Saver {
    pub(super) fn start(mut save: Box<dyn FnMut(&Workspace) + Send>) -> Result<Self, ClientError> {
        let system = |doing| move |source| ClientError::System { doing, source };
        let (layouts, to_save) = sync_channel::<Workspace>(SAVES);
        let (alive, life) = io::pipe().map_err(system("make a pipe"))?;
        let thread = std::thread::Builder::new()
            .name("saving".to_owned())
            .spawn(move || {
                let _life = life;
                for layout in to_save {
                    save(&layout);
                }
            })
            .map_err(system("start a thread"))?;
        Ok(Self {
            layouts,
            thread,
            alive,
        })
    }

    /// A layout to save.
    pub(super) fn save(&self, layout: Workspace) {
        drop(self.layouts.try_send(layout));
    }

    /// What is still to be saved gets until then.
    pub(super) fn finish(self, until: Instant) {
        drop(self.layouts);
        while !self.thread.is_finished() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Ready when the thread is no more.
impl AsFd for Saver {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.alive.as_fd()
    }
}
