//! Cuts the byte stream into keys, control sequences, strings and pastes.

use super::{Input, MAX_PASTE, csi, keys};
use term::input::{Key, Mods};

/// Longest control sequence; a longer one is dropped.
const MAX_SEQUENCE: usize = 256;
/// Longest OSC reply that is looked at; the rest of a longer string is dropped.
const MAX_STRING: usize = 4096;
/// What ends a paste.
const PASTE_END: &[u8] = b"\x1b[201~";

/// What the decoder is in the middle of, for the driver to choose how long to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pending {
    /// An ESC that may be the Escape key: wait some 30 ms.
    Escape,
    /// A sequence or a string: wait a second.
    Sequence,
    /// A paste: wait two seconds. What came is delivered then, and keys are keys again.
    Paste,
}

/// See the module above.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    state: State,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Ground,
    /// Part of a UTF-8 character; `alt`: behind an ESC.
    Utf8 {
        alt: bool,
        bytes: Vec<u8>,
        need: usize,
    },
    Escape {
        /// Two of them: Alt with what follows.
        twice: bool,
    },
    Ss3,
    Csi(Vec<u8>),
    /// The three bytes behind `CSI M` of a terminal that knows no SGR mouse.
    OldMouse(Vec<u8>),
    /// OSC (`]`), DCS (`P`), APC (`_`), PM (`^`) or SOS (`X`), up to ST or BEL.
    String {
        kind: u8,
        body: Vec<u8>,
        escape: bool,
    },
    Paste {
        body: Vec<u8>,
        overflow: bool,
    },
}

impl Decoder {
    /// Reads bytes; appends what they mean to `out`.
    pub(crate) fn feed(&mut self, bytes: &[u8], out: &mut Vec<Input>) {
        for &byte in bytes {
            let state = std::mem::take(&mut self.state);
            self.state = step(state, byte, out);
        }
    }

    /// What is unfinished, if anything.
    pub(crate) const fn pending(&self) -> Option<Pending> {
        match &self.state {
            State::Ground => None,
            State::Escape { .. } | State::Ss3 => Some(Pending::Escape),
            State::Csi(body) | State::String { body, .. } if body.is_empty() => {
                Some(Pending::Escape)
            }
            State::Paste { .. } => Some(Pending::Paste),
            State::Csi(_) | State::String { .. } | State::OldMouse(_) | State::Utf8 { .. } => {
                Some(Pending::Sequence)
            }
        }
    }

    /// Nothing followed for as long as [`Pending`] says: a lone ESC was the Escape key, `ESC [`
    /// was Alt and `[`, a cut sequence is dropped, a paste without an end is given as it is.
    pub(crate) fn flush(&mut self, out: &mut Vec<Input>) {
        let alt = |c| Input::Key(keys::typed(c, true));
        match std::mem::take(&mut self.state) {
            State::Ground | State::Utf8 { .. } | State::OldMouse(_) => {}
            State::Escape { twice } => {
                let mods = if twice { Mods::ALT } else { Mods::NONE };
                out.push(Input::Key(keys::plain(Key::Escape, mods)));
            }
            State::Ss3 => out.push(alt('O')),
            State::Csi(body) if body.is_empty() => out.push(alt('[')),
            State::String { kind, body, .. } if body.is_empty() => out.push(alt(char::from(kind))),
            State::Csi(_) | State::String { .. } => {}
            State::Paste { body, overflow } => out.push(pasted(body, overflow)),
        }
    }
}

fn step(state: State, byte: u8, out: &mut Vec<Input>) -> State {
    match state {
        State::Ground => ground(false, byte, out),
        State::Utf8 { alt, bytes, need } => utf8(alt, bytes, need, byte, out),
        State::Escape { twice } => escape(twice, byte, out),
        State::Ss3 => {
            out.extend(keys::ss3(byte).map(Input::Key));
            State::Ground
        }
        State::Csi(body) => control(body, byte, out),
        State::OldMouse(mut body) => {
            body.push(byte);
            if body.len() < 3 {
                State::OldMouse(body)
            } else {
                State::Ground
            }
        }
        State::String { kind, body, escape } => string(kind, body, escape, byte, out),
        State::Paste { body, overflow } => paste(body, overflow, byte, out),
    }
}

fn ground(alt: bool, byte: u8, out: &mut Vec<Input>) -> State {
    let need = match byte {
        0x1b => return State::Escape { twice: alt },
        0x00..=0x7f => {
            out.push(Input::Key(keys::control_or_ascii(byte, alt)));
            return State::Ground;
        }
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        // Not UTF-8; no terminal sends 8-bit controls in UTF-8 mode.
        _ => return State::Ground,
    };
    State::Utf8 {
        alt,
        bytes: vec![byte],
        need,
    }
}

fn utf8(alt: bool, mut bytes: Vec<u8>, need: usize, byte: u8, out: &mut Vec<Input>) -> State {
    if !matches!(byte, 0x80..=0xbf) {
        // Cut short: what was there is dropped, what came is read on its own.
        return ground(false, byte, out);
    }
    bytes.push(byte);
    if bytes.len() < need {
        return State::Utf8 { alt, bytes, need };
    }
    if let Some(c) = std::str::from_utf8(&bytes)
        .ok()
        .and_then(|text| text.chars().next())
    {
        out.push(Input::Key(keys::typed(c, alt)));
    }
    State::Ground
}

fn escape(twice: bool, byte: u8, out: &mut Vec<Input>) -> State {
    match byte {
        b'[' => State::Csi(Vec::new()),
        b'O' => State::Ss3,
        b']' | b'P' | b'_' | b'^' | b'X' if !twice => State::String {
            kind: byte,
            body: Vec::new(),
            escape: false,
        },
        0x1b if twice => {
            out.push(Input::Key(keys::plain(Key::Escape, Mods::ALT)));
            State::Escape { twice: false }
        }
        _ => ground(true, byte, out),
    }
}

fn control(mut body: Vec<u8>, byte: u8, out: &mut Vec<Input>) -> State {
    match byte {
        // The Linux console's F1..F5 are `CSI [ A`..`CSI [ E`.
        b'[' if body.is_empty() => State::Csi(vec![b'[']),
        b'M' if body.is_empty() => State::OldMouse(Vec::new()),
        0x1b => State::Escape { twice: false },
        0x20..=0x3f if body.len() < MAX_SEQUENCE => {
            body.push(byte);
            State::Csi(body)
        }
        0x40..=0x7e => {
            if body == b"200" && byte == b'~' {
                return State::Paste {
                    body: Vec::new(),
                    overflow: false,
                };
            }
            out.extend(csi::meaning(&body, byte));
            State::Ground
        }
        // Over-long or malformed; what came is not typed.
        _ => State::Ground,
    }
}

fn string(kind: u8, mut body: Vec<u8>, escape: bool, byte: u8, out: &mut Vec<Input>) -> State {
    match (escape, byte) {
        (false, 0x1b) => State::String {
            kind,
            body,
            escape: true,
        },
        (true, b'\\') | (false, 0x07) => {
            if kind == b']' {
                out.extend(csi::osc(&body).map(Input::Reply));
            }
            State::Ground
        }
        // The string was cut off by another sequence.
        (true, _) => self::escape(false, byte, out),
        (false, _) => {
            if body.len() < MAX_STRING {
                body.push(byte);
            }
            State::String { kind, body, escape }
        }
    }
}

fn paste(mut body: Vec<u8>, mut overflow: bool, byte: u8, out: &mut Vec<Input>) -> State {
    body.push(byte);
    if body.ends_with(PASTE_END) {
        body.truncate(body.len() - PASTE_END.len());
        out.push(pasted(body, overflow));
        return State::Ground;
    }
    if body.len() > MAX_PASTE + PASTE_END.len() {
        overflow = true;
        // The end may already have begun.
        body.drain(..body.len() - PASTE_END.len());
    }
    State::Paste { body, overflow }
}

fn pasted(body: Vec<u8>, overflow: bool) -> Input {
    if overflow {
        Input::PasteTooLong
    } else {
        Input::Paste(body)
    }
}
