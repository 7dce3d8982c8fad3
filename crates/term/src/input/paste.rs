//! Pastes. Text comes from anywhere, so controls are taken out: an ESC could end the brackets,
//! and what follows would be typed (`a ESC [ 201 ~ CR`).

use crate::modes::Modes;

/// A paste for the program: in brackets if it asked for them (mode 2004), with line ends as they
/// are; else with CR for every line end, as if typed. In both cases without controls but tab and
/// line ends: no C0, no DEL, no C1, neither as single bytes nor as U+0080..=U+009F.
#[must_use]
pub fn encode_paste(text: &[u8], modes: &Modes) -> Vec<u8> {
    let clean = clean(text);
    if modes.bracketed_paste {
        [b"\x1b[200~", clean.as_slice(), b"\x1b[201~"].concat()
    } else {
        as_typed(&clean)
    }
}

fn clean(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars().filter(|c| allowed(*c)) {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        out.extend(
            chunk
                .invalid()
                .iter()
                .filter(|b| !(0x80..=0x9f).contains(*b)),
        );
    }
    out
}

fn allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r') || !c.is_control()
}

/// CR for LF and for CR LF.
fn as_typed(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut previous = 0;
    for &byte in text {
        match byte {
            b'\n' if previous == b'\r' => {}
            b'\n' => out.push(b'\r'),
            byte => out.push(byte),
        }
        previous = byte;
    }
    out
}
