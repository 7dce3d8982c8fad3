//! What the parser calls: each piece changes the screen, then modes, then
//! gives events and answers, in the order of the bytes.

use super::Core;
use crate::answer::{self, Facts};
use crate::parser::{Parser, Perform, Sequence, StringKind, Terminator};
use crate::picture;
use crate::sgr;
use crate::sink::{Event, Sink};
use crate::strings::Collected;

/// How deep tmux's pass-through may be nested.
const PASSTHROUGH_DEPTH: u8 = 2;

/// The core and the sink for the time of one call.
pub(super) struct Performer<'a> {
    core: &'a mut Core,
    sink: &'a mut dyn Sink,
    depth: u8,
}

impl<'a> Performer<'a> {
    pub(super) fn new(core: &'a mut Core, sink: &'a mut dyn Sink) -> Self {
        Self {
            core,
            sink,
            depth: 0,
        }
    }

    /// Asks `query` for an answer with the facts as they are at this byte.
    fn answer(&mut self, query: impl FnOnce(&Facts<'_>) -> Option<Vec<u8>>) {
        let core = &mut *self.core;
        let at = core.position();
        let mut pen = Vec::new();
        sgr::write(&core.pen, &mut pen);
        let pen = String::from_utf8_lossy(&pen);
        let facts = Facts {
            cursor: (at.x, at.y),
            size: core.size,
            pen: pen.trim_start_matches("\x1b[").trim_end_matches('m'),
            region: core.region(),
            margins: (0, core.size.cols - 1),
            protected: false,
            modes: &core.modes,
            colours: &core.colours,
        };
        if let Some(bytes) = query(&facts) {
            self.sink.answer(&bytes);
        }
    }

    fn string(&mut self, string: &Collected) {
        if let Collected::Passthrough(bytes) = string {
            if self.depth < PASSTHROUGH_DEPTH {
                let mut inner = Performer {
                    core: &mut *self.core,
                    sink: &mut *self.sink,
                    depth: self.depth + 1,
                };
                Parser::new().advance(bytes, &mut inner);
            }
            return;
        }
        self.answer(|facts| answer::string(string, facts));
    }

    /// A string ended, as it should or not.
    fn end(&mut self, whole: bool) {
        let core = &mut *self.core;
        let cell = core.colours.cell();
        let head = whole.then(|| core.strings.picture(cell, &mut core.album));
        if let Some(head) = head.flatten() {
            core.picture(&head);
        }
        if let Some(string) = core.strings.end(whole) {
            self.string(&string);
        }
    }

    /// An OSC that carries a picture or a part of one; false if it is another one.
    fn file(&mut self, payload: &[u8]) -> bool {
        let core = &mut *self.core;
        let (cell, screen) = (core.colours.cell(), (core.size.cols, core.size.rows));
        let head = match core.album.osc(payload, 0, cell, screen) {
            Some(part) => part.and_then(|ended| ended.head),
            None if picture::is_file(payload) => picture::file(payload, cell, screen),
            None => return false,
        };
        if let Some(head) = head {
            core.picture(&head);
        }
        true
    }
}

impl Perform for Performer<'_> {
    fn print_ascii(&mut self, run: &[u8]) {
        self.core.print_ascii(run);
    }

    fn print(&mut self, c: char) {
        self.core.print(c);
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            0x07 => self.sink.event(Event::Bell),
            _ => self.core.execute(byte),
        }
    }

    fn esc(&mut self, intermediates: &[u8], byte: u8) {
        self.core.esc(intermediates, byte);
        if byte == b'Z' {
            self.answer(|_| answer::esc(intermediates, byte));
        }
    }

    fn csi(&mut self, seq: &Sequence, byte: u8) {
        if let Some(event) = self.core.csi(seq, byte) {
            self.sink.event(event);
        }
        // Facts cost a look at the cursor, so only what can be a query asks.
        if answer::may_be_csi(seq, byte) {
            self.answer(|facts| answer::csi(seq, byte, facts));
        }
    }

    fn osc(&mut self, payload: &[u8], terminator: Terminator) {
        if self.file(payload) {
            return;
        }
        if payload.contains(&b'?') {
            self.answer(|facts| answer::osc(payload, terminator, facts));
        }
        let core = &mut *self.core;
        if let Some(event) = core.events.osc(payload, &mut core.modes) {
            self.sink.event(event);
        }
    }

    fn dcs_start(&mut self, seq: &Sequence, byte: u8) {
        self.core.strings.dcs_start(seq, byte);
    }

    fn dcs_put(&mut self, piece: &[u8]) {
        self.core.strings.put(piece);
    }

    fn dcs_end(&mut self, whole: bool) {
        self.end(whole);
    }

    fn string_start(&mut self, kind: StringKind) {
        self.core.strings.string_start(kind);
    }

    fn string_put(&mut self, piece: &[u8]) {
        self.core.strings.put(piece);
    }

    fn string_end(&mut self, whole: bool) {
        self.end(whole);
    }
}
