//! OSC, DCS, APC, PM and SOS: collected or handed out, ended, cut off or swallowed.

use super::{
    BEL, CAN, ESC, OSC_CLIPBOARD_LIMIT, OSC_DIGITS, OSC_FILE_LIMIT, OSC_LIMIT, Parser, Perform,
    SUB, State, Terminator,
};

impl Parser {
    /// The byte after an ESC inside a string: `\` ends it, anything else cuts it off.
    pub(super) fn after_escape(&mut self, byte: u8, out: &mut impl Perform) -> usize {
        self.escaped = false;
        if byte == b'\\' {
            if self.state == State::Osc {
                self.finish_osc(Terminator::St, out);
            } else {
                self.end_string(true, out);
            }
            return 1;
        }
        if byte == ESC && self.state == State::DcsData {
            out.dcs_put(&[ESC, ESC]);
            return 1;
        }
        self.end_string(false, out);
        self.state = State::Escape;
        0
    }

    /// Collects an OSC.
    pub(super) fn osc(&mut self, bytes: &[u8], out: &mut impl Perform) -> usize {
        let run = bytes.iter().position(|&b| b < 0x20).unwrap_or(bytes.len());
        if run > 0 {
            // Judged before it is kept, so that a split cannot change what is dropped.
            self.osc
                .extend_from_slice(&bytes[..run.min(OSC_FILE_LIMIT + 1)]);
            if self.osc_is_too_much() {
                self.drop_osc();
                self.state = State::OscIgnore;
            }
            return run;
        }
        match bytes[0] {
            BEL => self.finish_osc(Terminator::Bel, out),
            ESC => self.escaped = true,
            CAN | SUB => self.cancel(bytes[0], out),
            _ => {}
        }
        1
    }

    pub(super) fn osc_is_too_much(&self) -> bool {
        let limit = if self.osc.len() <= OSC_LIMIT {
            OSC_LIMIT
        } else if self.osc.starts_with(b"52;") {
            OSC_CLIPBOARD_LIMIT
        } else if crate::picture::is_file(&self.osc) {
            OSC_FILE_LIMIT
        } else {
            OSC_LIMIT
        };
        self.osc.len() > limit
            || (self.osc.len() > OSC_DIGITS
                && self.osc[..=OSC_DIGITS].iter().all(u8::is_ascii_digit))
    }

    pub(super) fn finish_osc(&mut self, terminator: Terminator, out: &mut impl Perform) {
        let payload = std::mem::take(&mut self.osc);
        self.state = State::Ground;
        out.osc(&payload, terminator);
        self.osc = payload;
        self.drop_osc();
    }

    /// Empties the buffer; a large one is given back.
    pub(super) fn drop_osc(&mut self) {
        if self.osc.capacity() > 4096 {
            self.osc = Vec::new();
        } else {
            self.osc.clear();
        }
    }

    /// Hands out the data of a streamed or swallowed string.
    pub(super) fn string(&mut self, bytes: &[u8], out: &mut impl Perform) -> usize {
        let run = memchr::memchr3(ESC, CAN, SUB, bytes).unwrap_or(bytes.len());
        let run = match self.state {
            State::OscIgnore => memchr::memchr(BEL, &bytes[..run]).unwrap_or(run),
            _ => run,
        };
        if run > 0 {
            match self.state {
                State::DcsData => out.dcs_put(&bytes[..run]),
                State::Text(_) => out.string_put(&bytes[..run]),
                _ => {}
            }
            return run;
        }
        match bytes[0] {
            ESC => self.escaped = true,
            BEL => self.end_string(true, out),
            byte => self.cancel(byte, out),
        }
        1
    }

    /// Leaves any string state for the ground state.
    pub(super) fn end_string(&mut self, whole: bool, out: &mut impl Perform) {
        let state = std::mem::take(&mut self.state);
        self.seq.clear();
        self.dcs_final = 0;
        match state {
            State::DcsData => out.dcs_end(whole),
            State::Text(_) => out.string_end(whole),
            _ => self.drop_osc(),
        }
    }

    /// CAN or SUB: whatever was half read has no effect.
    pub(super) fn cancel(&mut self, byte: u8, out: &mut impl Perform) {
        self.end_string(false, out);
        out.execute(byte);
    }
}
