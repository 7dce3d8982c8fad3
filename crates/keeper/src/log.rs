//! The keeper's log: lines of `tracing` into `keeper.log`, which rotates by size.
//!
//! Promises: no bytes of panes; a fault's message goes nowhere, since it may quote what a program
//! printed (its place is logged).

use std::path::Path;
use std::sync::Mutex;
use sys::files::Rotating;

/// Sends this process's log lines and faults to `path`. A second call in a process changes nothing.
pub(crate) fn start(path: &Path) {
    let lines = tracing_subscriber::fmt()
        .with_writer(Mutex::new(Rotating::at(path)))
        .with_ansi(false)
        .with_target(false)
        .with_max_level(tracing::Level::INFO)
        .finish();
    if tracing::subscriber::set_global_default(lines).is_ok() {
        std::panic::set_hook(Box::new(|fault| {
            let place = fault
                .location()
                .map_or_else(|| "?".to_owned(), ToString::to_string);
            tracing::error!("a fault at {place}");
        }));
    }
}
