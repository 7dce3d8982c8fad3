//! What the parser calls, and the words of those calls.

use super::Sequence;

/// How an OSC ended; answers to it end the same way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Terminator {
    /// BEL (xterm).
    Bel,
    /// `ESC \` (ECMA-48).
    St,
}

impl Terminator {
    /// The bytes of this terminator.
    pub fn bytes(self) -> &'static [u8] {
        match self {
            Self::Bel => b"\x07",
            Self::St => b"\x1b\\",
        }
    }
}

/// A string that is streamed and has no parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StringKind {
    /// Application program command, `ESC _`.
    Apc,
    /// Privacy message, `ESC ^`.
    Pm,
    /// Start of string, `ESC X`.
    Sos,
}

/// What a parser calls. Every function has an empty body, so an implementation names only what
/// it wants.
pub trait Perform {
    /// A run of printable ASCII, each byte 0x20..=0x7e, never empty.
    fn print_ascii(&mut self, run: &[u8]) {
        let _ = run;
    }
    /// One character outside ASCII, or U+FFFD for invalid UTF-8. Never a control.
    fn print(&mut self, c: char) {
        let _ = c;
    }
    /// A C0 control (never ESC), also one that stands inside a CSI or escape sequence.
    fn execute(&mut self, byte: u8) {
        let _ = byte;
    }
    /// An escape sequence: at most two intermediates (0x20..=0x2f), a final 0x30..=0x7e.
    /// `ESC \` that ends a string is not reported.
    fn esc(&mut self, intermediates: &[u8], byte: u8) {
        let _ = (intermediates, byte);
    }
    /// A control sequence with its final byte 0x40..=0x7e.
    fn csi(&mut self, seq: &Sequence, byte: u8) {
        let _ = (seq, byte);
    }
    /// A whole OSC without its introducer and terminator, C0 controls removed.
    fn osc(&mut self, payload: &[u8], terminator: Terminator) {
        let _ = (payload, terminator);
    }
    /// A DCS began.
    fn dcs_start(&mut self, seq: &Sequence, byte: u8) {
        let _ = (seq, byte);
    }
    /// A piece of a DCS's data, raw, never empty.
    fn dcs_put(&mut self, piece: &[u8]) {
        let _ = piece;
    }
    /// The DCS ended: by ST (`whole`), or cut off.
    fn dcs_end(&mut self, whole: bool) {
        let _ = whole;
    }
    /// An APC, PM or SOS began.
    fn string_start(&mut self, kind: StringKind) {
        let _ = kind;
    }
    /// A piece of its data, raw, never empty.
    fn string_put(&mut self, piece: &[u8]) {
        let _ = piece;
    }
    /// It ended: by ST (`whole`), or cut off.
    fn string_end(&mut self, whole: bool) {
        let _ = whole;
    }
}
