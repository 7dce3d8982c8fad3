//! One small process for each pane that ends everything the pane's program started, and one
//! above the host that does the same for the host.
//!
//! In: a command, a folder, an environment and the program's side of a pty. Out: a stream of
//! [`Report`]s, and the promise that nothing of the family is left once the lifeline is closed,
//! the host is dead, or the main program has exited - whatever the family forked, in whatever
//! session or group, unless it belongs to another user by then.
//!
//! The host only ever calls [`Launcher::spawn`], which does not fork; whoever runs a program without a
//! terminal calls [`Launcher::spawn_piped`]. [`pane_main`] and [`root_main`] are
//! the bodies of the program's two hidden subcommands. [`sweep`] finds by a mark in the
//! environment ([`Tag`]) what outlived all of them. The crate knows no socket, no terminal model and
//! no record, and decides by descent and by that mark alone, never by a name.
#![forbid(unsafe_code)]

#[cfg(unix)]
mod adopted;
mod failure;
#[cfg(unix)]
mod headless;
#[cfg(unix)]
mod hunt;
#[cfg(windows)]
mod job;
mod keep;
#[cfg(unix)]
mod kin;
mod launch;
mod order;
#[cfg(unix)]
mod pane;
mod report;
#[cfg(unix)]
mod root;
mod small;
mod sweep;
mod tag;
#[cfg(not(unix))]
mod unpiped;

#[cfg(unix)]
pub use adopted::end_adopted;
pub use failure::describe_failure;
#[cfg(unix)]
pub use headless::{Headless, News, Use};
#[cfg(windows)]
pub use job::{end_adopted, pane_main, root_main};
pub use keep::{KEEP, KEEP_LONGEST, Keep, KeepError, Kept, KeptNow};
pub use launch::{Launcher, PANE_COMMAND, PIPES_COMMAND, ROOT_COMMAND, Reaped, SpawnError, Spec};
pub use order::{SPARED, end, spare};
#[cfg(unix)]
pub use pane::pane_main;
pub use report::{RECORD, Report, ReportDecoder, Stage};
#[cfg(unix)]
pub use root::root_main;
pub use small::small_size;
pub use sweep::{Leftover, SweepReport, Sweeper, sweep};
pub use tag::{LINKS, LONGEST, Place, Tag, VARIABLE, reaper_of};
#[cfg(not(unix))]
pub use unpiped::{Headless, News, Use};
