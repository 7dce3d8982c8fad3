//! The VT parser: bytes in, callbacks on a [`Perform`] out.
//!
//! A plain-data state machine after Paul Williams' diagram
//! (<https://vt100.net/emu/dec_ansi_parser>), for UTF-8 streams. It can be cloned and
//! compared, holds no clock and no hidden buffer, and knows nothing of what sequences mean.
//!
//! Promises:
//! * Any split of a stream gives the same callbacks (only print runs and string pieces may be
//!   cut at other places).
//! * [`Parser::pending`] are bytes that bring a fresh parser to the same state, so a snapshot of
//!   a screen plus these bytes goes on exactly where the stream was cut.
//! * Memory is bounded: an OSC holds at most [`OSC_LIMIT`] bytes ([`OSC_CLIPBOARD_LIMIT`] for
//!   OSC 52, [`OSC_FILE_LIMIT`] for a file in OSC 1337); a longer one is swallowed up to its terminator and dropped. DCS, APC, PM and SOS
//!   are handed out in pieces and never kept. At most [`MAX_VALUES`] parameter values are kept,
//!   sub-parameters counted; later ones are ignored.
//!
//! Decisions where terminals differ:
//! * Bytes 0x80..=0x9f are no C1 controls: they are parts of UTF-8. The characters
//!   U+0080..=U+009F, spelled in UTF-8, are dropped.
//! * Invalid UTF-8 prints U+FFFD once per maximal subpart (Unicode 3.9, best practice).
//! * DEL is ignored everywhere but inside strings' text.
//! * A string cut off by CAN, SUB or an ESC that is not ST has no effect (as xterm does), except
//!   that `ESC ESC` is data inside a DCS, which the tmux pass-through needs.
//! * A sequence with parameters or intermediates in the wrong order, or with more than two
//!   intermediates, is consumed and has no effect.

mod heads;
mod pending;
mod perform;
mod sequence;
mod strings;
mod utf8;

#[cfg(test)]
mod tests;

pub use perform::{Perform, StringKind, Terminator};
pub use sequence::{MAX_VALUES, Params, ParamsIter, Sequence};

use utf8::{Decoded, Partial};

/// Most bytes of an OSC's payload.
pub const OSC_LIMIT: usize = 64 * 1024;
/// Most bytes of an OSC 52's payload: 1 MiB of text in base64, and its head.
pub const OSC_CLIPBOARD_LIMIT: usize = (1024 * 1024 / 3 + 1) * 4 + 64;
/// Most bytes of an OSC 1337 that carries a file: 3 MiB of it in base64.
pub const OSC_FILE_LIMIT: usize = 4 << 20;
/// Most digits of an OSC's number. More is no OSC anybody knows: it is swallowed at once.
const OSC_DIGITS: usize = 5;

const BEL: u8 = 0x07;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;
const ESC: u8 = 0x1b;
const DEL: u8 = 0x7f;

/// Where in the grammar the stream stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum State {
    #[default]
    Ground,
    Escape,
    EscapeIgnore,
    Csi(Part),
    CsiIgnore,
    Dcs(Part),
    DcsIgnore,
    DcsData,
    Osc,
    OscIgnore,
    Text(StringKind),
}

/// Which part of a CSI's or DCS's head comes next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    Entry,
    Params,
    Intermediates,
}

/// The state machine. `Default` is the state at the start of a stream.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Parser {
    state: State,
    /// An ESC came inside a string; the next byte tells whether it is ST.
    escaped: bool,
    /// Intermediates, prefix and parameters so far; empty in the ground state.
    seq: Sequence,
    /// The final byte that opened the running DCS, else 0.
    dcs_final: u8,
    osc: Vec<u8>,
    utf8: Partial,
}

impl Parser {
    /// A parser at the start of a stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// True between sequences: nothing is half read.
    pub fn is_ground(&self) -> bool {
        self.state == State::Ground && self.utf8.is_empty()
    }

    /// Parses `bytes`, calling `out` for everything that became complete.
    pub fn advance(&mut self, bytes: &[u8], out: &mut impl Perform) {
        self.read(bytes, &mut 0, out);
    }

    /// The same from byte `done` on, which is always where the current piece begins (see
    /// [`Self::step`]), also should `out` panic.
    #[inline]
    pub fn read(&mut self, bytes: &[u8], done: &mut usize, out: &mut impl Perform) {
        while let Some(rest) = bytes.get(*done..).filter(|rest| !rest.is_empty()) {
            if self.is_ground() {
                self.ground::<false>(bytes, done, out);
            } else {
                *done += self.step(rest, out);
            }
        }
    }

    /// Parses the next piece of `bytes`, which are not empty: text up to a sequence, or some of
    /// one. Gives how many bytes that were (0 if only the state changed).
    #[inline]
    pub fn step(&mut self, bytes: &[u8], out: &mut impl Perform) -> usize {
        if self.escaped {
            return self.after_escape(bytes[0], out);
        }
        match self.state {
            State::Ground if !self.utf8.is_empty() => self.finish_character(bytes[0], out),
            State::Ground => {
                let mut done = 0;
                self.ground::<true>(bytes, &mut done, out);
                done
            }
            State::Osc => self.osc(bytes, out),
            State::DcsData | State::DcsIgnore | State::OscIgnore | State::Text(_) => {
                self.string(bytes, out)
            }
            State::Csi(Part::Entry | Part::Params) => self.csi_params(bytes, out),
            State::Escape
            | State::EscapeIgnore
            | State::Csi(Part::Intermediates)
            | State::CsiIgnore
            | State::Dcs(_) => {
                self.sequence_byte(bytes[0], out);
                1
            }
        }
    }

    /// Text, C0 controls and whole control sequences, up to a sequence of another kind; with `ONE`
    /// a single piece of them. `done` moves on with each piece.
    #[inline]
    fn ground<const ONE: bool>(&mut self, bytes: &[u8], done: &mut usize, out: &mut impl Perform) {
        let mut at = *done;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                0x20..=0x7e => {
                    let run = printable_run(&bytes[at..]);
                    out.print_ascii(&bytes[at..at + run]);
                    at += run;
                }
                // A sequence is a piece of its own.
                ESC if ONE && at > *done => break,
                ESC => {
                    *done = at;
                    at += self.introduce(&bytes[at..], out);
                    *done = at;
                    if ONE || self.state != State::Ground {
                        return;
                    }
                }
                DEL => at += 1,
                0..=0x1f => {
                    out.execute(byte);
                    at += 1;
                }
                _ => match utf8::decode(&bytes[at..]) {
                    Decoded::Char(c, used) => {
                        print(c, out);
                        at += used;
                    }
                    Decoded::Invalid(used) => {
                        out.print(char::REPLACEMENT_CHARACTER);
                        at += used;
                    }
                    Decoded::Incomplete => {
                        self.utf8 = Partial::keep(&bytes[at..]);
                        at = bytes.len();
                    }
                },
            }
        }
        *done = at;
    }

    /// An ESC in the ground state. A control sequence takes one step as far as it came.
    #[inline]
    fn introduce(&mut self, bytes: &[u8], out: &mut impl Perform) -> usize {
        if let [_, b'[', rest @ ..] = bytes {
            self.state = State::Csi(Part::Entry);
            return 2 + self.csi_params(rest, out);
        }
        self.state = State::Escape;
        1
    }

    /// One more byte for a character whose beginning came in an earlier call.
    fn finish_character(&mut self, byte: u8, out: &mut impl Perform) -> usize {
        self.utf8.push(byte);
        match utf8::decode(self.utf8.bytes()) {
            Decoded::Incomplete => return 1,
            Decoded::Char(c, _) => {
                print(c, out);
                self.utf8 = Partial::default();
                return 1;
            }
            Decoded::Invalid(_) => {}
        }
        // What was kept is a maximal subpart, so the new byte begins something else.
        self.utf8 = Partial::default();
        out.print(char::REPLACEMENT_CHARACTER);
        0
    }
}

/// C1 controls spelled in UTF-8 are dropped.
fn print(c: char, out: &mut impl Perform) {
    if !('\u{80}'..='\u{9f}').contains(&c) {
        out.print(c);
    }
}

/// Length of the run of printable ASCII at the start. A long one is tested in whole blocks without
/// a branch per byte, which the compiler turns into vector code.
fn printable_run(bytes: &[u8]) -> usize {
    const BLOCK: usize = 32;
    let printable = |b: u8| b.wrapping_sub(0x20) <= 0x5e;
    let mut run = 0;
    for block in bytes.chunks_exact(BLOCK) {
        // Most runs between sequences are short.
        let short = block[..8].iter().position(|&b| !printable(b));
        if let Some(end) = short {
            return run + end;
        }
        if block
            .iter()
            .fold(0, |odd, &b| odd | u8::from(!printable(b)))
            != 0
        {
            break;
        }
        run += BLOCK;
    }
    let rest = &bytes[run..];
    run + rest
        .iter()
        .position(|&b| !printable(b))
        .unwrap_or(rest.len())
}
