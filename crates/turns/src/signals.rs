//! Signals to a runner: SIGTERM and SIGHUP end it and leave its turn to the next start, SIGINT stops the
//! turn, a second one within [`TWICE`] ends it too.

use crate::program::Input;
#[cfg(unix)]
use crate::program::Person;
#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
#[cfg(unix)]
use signal_hook::iterator::Signals;
use std::io;
use std::sync::mpsc::Sender;
use std::time::Duration;
#[cfg(unix)]
use std::time::Instant;

/// Two interrupts so near to each other mean "leave".
pub const TWICE: Duration = Duration::from_secs(3);

/// From now on signals come as inputs.
///
/// # Errors
/// They cannot be caught.
#[cfg(unix)]
pub fn watch(inputs: Sender<Input>) -> io::Result<()> {
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    std::thread::spawn(move || {
        let mut last: Option<Instant> = None;
        for signal in signals.forever() {
            let twice = last.is_some_and(|it| it.elapsed() < TWICE);
            let input = match signal {
                SIGINT if !twice => Input::Person(Person::Stop),
                _ => Input::End,
            };
            last = Some(Instant::now());
            if inputs.send(input).is_err() {
                return;
            }
        }
    });
    Ok(())
}

/// There are no such signals here; Ctrl-C ends the program.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn watch(_inputs: Sender<Input>) -> io::Result<()> {
    Ok(())
}
