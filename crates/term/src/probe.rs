//! For tests: a terminal without a screen. Feeds a stream to the parser and what comes out to
//! the mode table, the events and the answers, as an engine does.

use crate::answer::{self, Facts};
use crate::colours::Colours;
use crate::events::Events;
use crate::modes::Modes;
use crate::parser::{Parser, Perform, Sequence, StringKind, Terminator};
use crate::sink::Event;
use crate::size::Size;
use crate::strings::Strings;

/// The terminal, with what it said so far.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Probe {
    pub(crate) modes: Modes,
    pub(crate) events: Events,
    pub(crate) colours: Colours,
    pub(crate) cursor: (u16, u16),
    pub(crate) told: Vec<Event>,
    pub(crate) answers: Vec<u8>,
    pub(crate) strings: Strings,
}

impl Default for Probe {
    fn default() -> Self {
        Self {
            modes: Modes::default(),
            events: Events::default(),
            colours: Colours::default(),
            cursor: (4, 2),
            told: Vec::new(),
            answers: Vec::new(),
            strings: Strings::default(),
        }
    }
}

impl Probe {
    /// A terminal that has read this.
    pub(crate) fn after(stream: impl AsRef<[u8]>) -> Self {
        let mut probe = Self::default();
        probe.feed(stream);
        probe
    }

    /// Reads this too.
    pub(crate) fn feed(&mut self, stream: impl AsRef<[u8]>) {
        let mut parser = Parser::new();
        parser.advance(stream.as_ref(), self);
        assert!(parser.is_ground(), "the stream ends inside a sequence");
    }

    fn answer(&mut self, make: impl FnOnce(&Facts<'_>) -> Option<Vec<u8>>) {
        let facts = Facts {
            cursor: self.cursor,
            size: Size { cols: 80, rows: 24 },
            pen: "0;1;31",
            region: (1, 19),
            margins: (2, 70),
            protected: true,
            modes: &self.modes,
            colours: &self.colours,
        };
        self.answers.extend(make(&facts).unwrap_or_default());
    }

    fn end(&mut self, whole: bool) {
        if let Some(string) = self.strings.end(whole) {
            self.answer(|facts| answer::string(&string, facts));
        }
    }
}

impl Perform for Probe {
    fn esc(&mut self, intermediates: &[u8], byte: u8) {
        self.modes.esc(intermediates, byte);
        self.answer(|_| answer::esc(intermediates, byte));
    }
    fn csi(&mut self, seq: &Sequence, byte: u8) {
        self.told.extend(self.modes.csi(seq, byte));
        self.answer(|facts| answer::csi(seq, byte, facts));
    }
    fn osc(&mut self, payload: &[u8], terminator: Terminator) {
        self.told.extend(self.events.osc(payload, &mut self.modes));
        self.answer(|facts| answer::osc(payload, terminator, facts));
    }
    fn dcs_start(&mut self, seq: &Sequence, byte: u8) {
        self.strings.dcs_start(seq, byte);
    }
    fn dcs_put(&mut self, piece: &[u8]) {
        self.strings.put(piece);
    }
    fn dcs_end(&mut self, whole: bool) {
        self.end(whole);
    }
    fn string_start(&mut self, kind: StringKind) {
        self.strings.string_start(kind);
    }
    fn string_put(&mut self, piece: &[u8]) {
        self.strings.put(piece);
    }
    fn string_end(&mut self, whole: bool) {
        self.end(whole);
    }
}
