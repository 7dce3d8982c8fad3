//! Escape and control sequences and the head of a DCS, byte by byte.

use super::sequence::Taken;
use super::{CAN, DEL, ESC, Parser, Part, Perform, SUB, State, StringKind};

impl Parser {
    /// The parameters of a CSI, as far as they go, and the byte behind them.
    #[inline]
    pub(super) fn csi_params(&mut self, bytes: &[u8], out: &mut impl Perform) -> usize {
        let run = self.seq.take_params(bytes);
        if run > 0 {
            self.state = State::Csi(Part::Params);
        }
        match bytes.get(run) {
            // How nearly every sequence ends.
            Some(&byte @ 0x40..=0x7e) => {
                self.finish_csi(byte, out);
                run + 1
            }
            Some(&byte) => {
                self.sequence_byte(byte, out);
                run + 1
            }
            None => run,
        }
    }

    /// One byte of an escape or control sequence or of a DCS's head.
    pub(super) fn sequence_byte(&mut self, byte: u8, out: &mut impl Perform) {
        match byte {
            CAN | SUB => self.cancel(byte, out),
            ESC => {
                self.seq.clear();
                self.state = State::Escape;
            }
            // A DCS's head takes no controls; elsewhere they act at once.
            0..=0x1f if matches!(self.state, State::Dcs(_)) => {}
            0..=0x1f => out.execute(byte),
            DEL.. => {}
            _ => match self.state {
                State::Escape => self.escape_byte(byte, out),
                State::Csi(part) => self.csi_byte(part, byte, out),
                State::Dcs(part) => self.dcs_byte(part, byte, out),
                _ => self.ignored_byte(byte),
            },
        }
    }

    fn escape_byte(&mut self, byte: u8, out: &mut impl Perform) {
        if byte < 0x30 {
            if !self.seq.push_intermediate(byte) {
                self.seq.clear();
                self.state = State::EscapeIgnore;
            }
            return;
        }
        let plain = self.seq.intermediates().is_empty();
        self.state = match byte {
            b'[' if plain => State::Csi(Part::Entry),
            b'P' if plain => State::Dcs(Part::Entry),
            b']' if plain => State::Osc,
            b'X' if plain => State::Text(StringKind::Sos),
            b'^' if plain => State::Text(StringKind::Pm),
            b'_' if plain => State::Text(StringKind::Apc),
            _ => State::Ground,
        };
        match self.state {
            State::Text(kind) => out.string_start(kind),
            State::Ground => {
                out.esc(self.seq.intermediates(), byte);
                self.seq.clear();
            }
            _ => {}
        }
    }

    fn csi_byte(&mut self, part: Part, byte: u8, out: &mut impl Perform) {
        match self
            .seq
            .take(part == Part::Entry, part == Part::Intermediates, byte)
        {
            Taken::Param => self.state = State::Csi(Part::Params),
            Taken::Intermediate => self.state = State::Csi(Part::Intermediates),
            Taken::Final => self.finish_csi(byte, out),
            Taken::Wrong => {
                self.seq.clear();
                self.state = State::CsiIgnore;
            }
        }
    }

    #[inline]
    fn finish_csi(&mut self, byte: u8, out: &mut impl Perform) {
        self.state = State::Ground;
        self.seq.close();
        out.csi(&self.seq, byte);
        self.seq.clear();
    }

    fn dcs_byte(&mut self, part: Part, byte: u8, out: &mut impl Perform) {
        match self
            .seq
            .take(part == Part::Entry, part == Part::Intermediates, byte)
        {
            Taken::Param => self.state = State::Dcs(Part::Params),
            Taken::Intermediate => self.state = State::Dcs(Part::Intermediates),
            Taken::Final => {
                self.state = State::DcsData;
                self.dcs_final = byte;
                let mut head = self.seq.clone();
                head.close();
                out.dcs_start(&head, byte);
            }
            Taken::Wrong => {
                self.seq.clear();
                self.state = State::DcsIgnore;
            }
        }
    }

    /// A printable byte of a sequence that has no effect.
    fn ignored_byte(&mut self, byte: u8) {
        let first_final = if self.state == State::CsiIgnore {
            0x40
        } else {
            0x30
        };
        if byte >= first_final {
            self.state = State::Ground;
        }
    }
}
