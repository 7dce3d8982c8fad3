//! The parser's state as bytes: what a snapshot adds, so that a fresh parser goes on from there.

use super::{ESC, OSC_DIGITS, Parser, State, StringKind};

impl Parser {
    /// Bytes that bring a fresh parser to this state. Data of a streamed string is not kept
    /// here: [`Parser::pending_with`] puts it in.
    pub fn pending(&self) -> Vec<u8> {
        self.pending_with(&[])
    }

    /// Like [`Parser::pending`]; `data` is what the caller kept of the running DCS, APC, PM or
    /// SOS (unused in any other state).
    pub fn pending_with(&self, data: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        match self.state {
            State::Ground => bytes.extend_from_slice(self.utf8.bytes()),
            State::Escape => {
                bytes.push(ESC);
                bytes.extend_from_slice(self.seq.intermediates());
            }
            State::EscapeIgnore => bytes.extend_from_slice(b"\x1b   "),
            State::Csi(_) => self.seq.write(b'[', &mut bytes),
            State::CsiIgnore => bytes.extend_from_slice(b"\x1b[0<"),
            State::Dcs(_) => self.seq.write(b'P', &mut bytes),
            State::DcsIgnore => bytes.extend_from_slice(b"\x1bP0<"),
            State::DcsData => {
                self.seq.write(b'P', &mut bytes);
                bytes.push(self.dcs_final);
                bytes.extend_from_slice(data);
            }
            State::Osc => {
                bytes.extend_from_slice(b"\x1b]");
                bytes.extend_from_slice(&self.osc);
            }
            State::OscIgnore => {
                bytes.extend_from_slice(b"\x1b]");
                bytes.resize(bytes.len() + OSC_DIGITS + 1, b'9');
            }
            State::Text(kind) => {
                bytes.extend_from_slice(&[ESC, introducer(kind)]);
                bytes.extend_from_slice(data);
            }
        }
        if self.escaped {
            bytes.push(ESC);
        }
        bytes
    }
}

fn introducer(kind: StringKind) -> u8 {
    match kind {
        StringKind::Apc => b'_',
        StringKind::Pm => b'^',
        StringKind::Sos => b'X',
    }
}
