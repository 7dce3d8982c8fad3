//! A stream as data: events, waits, pauses; and the one function that puts it on the wire.

use crate::model::Shared;
use crate::model::answer::Hold;
use serde_json::Value;
use std::io::{self, Write};
use std::time::Duration;

/// Between two slow words.
pub(crate) const WORD: Duration = Duration::from_millis(100);

/// One thing that happens on a stream.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece {
    /// An event with a name.
    Named(&'static str, Value),
    /// An event without one.
    Data(Value),
    /// The mark at the end of a chat completion.
    Done,
    /// Nothing for so long.
    Pause(Duration),
    /// Nothing until a test says so.
    Wait(Hold),
}

/// Writes a stream, waiting where it waits.
pub(crate) fn send(stream: &mut impl Write, pieces: &[Piece], shared: &Shared) -> io::Result<()> {
    for piece in pieces {
        match piece {
            Piece::Named(name, data) => write!(stream, "event: {name}\ndata: {data}\n\n")?,
            Piece::Data(data) => write!(stream, "data: {data}\n\n")?,
            Piece::Done => stream.write_all(b"data: [DONE]\n\n")?,
            Piece::Pause(time) => std::thread::sleep(*time),
            Piece::Wait(hold) => wait(*hold, shared),
        }
        stream.flush()?;
    }
    Ok(())
}

/// Waits until a test lets it go on, or the model ends.
pub(crate) fn wait(hold: Hold, shared: &Shared) {
    let before = shared.lock().released;
    shared.wait(|state| match hold {
        Hold::Release => state.released > before,
        Hold::Gate(files) => state.gate.is_none_or(|gate| files < gate),
    });
}
