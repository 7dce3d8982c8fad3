//! What the client's keys ask for that concerns the records: hold, start fresh.
//!
//! In: an act. Out: what to tell the user in one line. Promises: the same as the commands of these
//! names do; a fault is told, never fatal to the client.

use crate::cmd::{fresh, restore};
use client::Act;
use link::Places;

/// Carries out an act; gives what came of it.
pub(in crate::cmd) type Acts = Box<dyn FnMut(Act) -> String + Send>;

/// What a client of this instance may ask for.
pub(in crate::cmd) fn acts(places: &Places) -> Acts {
    let places = places.clone();
    Box::new(move |act| {
        let done = match act {
            Act::Hold => restore::hold_in_client(&places).map(|()| restore::HELD.to_owned()),
            Act::Fresh(workspace) => fresh::in_client(&places, &workspace),
        };
        done.unwrap_or_else(|failure| failure.text)
    })
}
