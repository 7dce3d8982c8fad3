//! What a terminal tells while it reads: answers to queries of the program and
//! events for people. In: nothing; out: calls in the order of the bytes.
//! Promises that an event carries bounded data (the parser bounds strings) and
//! that answers are constants or numbers, never text the program chose.

/// Something the program told the terminal that is not on the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The window title is now this (OSC 0 and 2, or popped from the stack).
    Title(String),
    /// The program's folder (OSC 7), the path, decoded.
    Folder(Vec<u8>),
    /// BEL.
    Bell,
    /// A notification (OSC 9, 99, 777).
    Notice {
        /// Title, empty if the sequence has none.
        title: String,
        /// Text of the notification.
        body: String,
    },
    /// Progress (OSC 9;4).
    Progress {
        /// 0 none, 1 normal, 2 error, 3 indeterminate, 4 paused.
        state: u8,
        /// 0 to 100.
        percent: u8,
    },
    /// A shell prompt mark (OSC 133), or one of the user's (OSC 1337 SetMark).
    Mark {
        /// The letter of the mark: `A`, `B`, `C` or `D`; `M` for the user's.
        kind: u8,
        /// Exit status carried by `D`, if any.
        status: Option<i32>,
    },
    /// The program's own status (OSC 7501), the raw payload.
    ProgramStatus(Vec<u8>),
    /// The program wrote to the clipboard (OSC 52), decoded.
    Clipboard(Vec<u8>),
    /// A mode was set that a dying program may leave behind.
    RiskyMode,
    /// The engine failed and was repainted from what could still be read.
    Fault(String),
}

/// Where a terminal sends what it has to say while it reads.
pub trait Sink {
    /// Bytes to write to the program as one message.
    fn answer(&mut self, bytes: &[u8]);
    /// Something happened.
    fn event(&mut self, event: Event);
}

/// A sink that forgets everything, for viewers: the host answers, not they.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Sink for Silent {
    fn answer(&mut self, _bytes: &[u8]) {}
    fn event(&mut self, _event: Event) {}
}

/// A sink that keeps everything, for tests and tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorder {
    /// All answers, joined.
    pub answers: Vec<u8>,
    /// All events in order.
    pub events: Vec<Event>,
}

impl Sink for Recorder {
    fn answer(&mut self, bytes: &[u8]) {
        self.answers.extend_from_slice(bytes);
    }
    fn event(&mut self, event: Event) {
        self.events.push(event);
    }
}
