//! Answers to the queries programs send, for every engine alike.
//!
//! In: a parsed query and the [`Facts`] of the terminal as it is at that byte; out: the bytes to
//! write to the program, or `None` if it was no query. Each query is answered exactly once, by
//! the host, whether or not anybody watches. An answer holds constants and numbers only: never
//! text the program chose, so that nothing a program prints can become input of a shell
//! (`orca#16633`, `tmux#4846`). ENQ and clipboard reads get nothing; titles are reported empty.
//!
//! Sources: xterm "Control Sequences" (DA, DSR, DECRQM, DECRQSS, XTVERSION, XTGETTCAP, XTWINOPS,
//! OSC 4/10-12), VT510 manual (DECRQSS, DECXCPR), kitty keyboard and graphics pages, contour's
//! colour-scheme page (996/997, 2031), program status protocol 0.2 (OSC 7501).

mod settings;
mod termcap;

#[cfg(test)]
mod tests;

use crate::colours::{Colours, pairs, spelled};
use crate::events::split_number;
use crate::modes::Modes;
use crate::parser::{Sequence, Terminator};
use crate::size::Size;
use crate::strings::Collected;

/// What answers are made of.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// Cursor, column and row from 0 at the screen's corner. A pending wrap is the last column.
    pub cursor: (u16, u16),
    /// Screen in cells.
    pub size: Size,
    /// The pen as SGR parameters, `0;1;31` for bold red; `0` for the default pen.
    pub pen: &'a str,
    /// DECSTBM: first and last row from 0.
    pub region: (u16, u16),
    /// DECSLRM: first and last column from 0.
    pub margins: (u16, u16),
    /// DECSCA: what is written now resists DECSED.
    pub protected: bool,
    /// The mode table.
    pub modes: &'a Modes,
    /// What the last client told of its colours and of its cells in pixels.
    pub colours: &'a Colours,
}

/// Whether [`csi`] could have an answer to this; the facts it needs are not free.
pub(crate) fn may_be_csi(seq: &Sequence, byte: u8) -> bool {
    match byte {
        b'c' | b'n' | b'p' | b'q' | b't' | b'x' => true,
        b'm' | b'S' | b'u' => seq.prefix() == b'?',
        _ => false,
    }
}

/// Answers DA, DSR, DECRQM, XTVERSION, XTWINOPS and the keyboard queries.
pub fn csi(seq: &Sequence, byte: u8, facts: &Facts<'_>) -> Option<Vec<u8>> {
    let params = seq.params();
    let first = params.get(0);
    let text = match (seq.prefix(), seq.intermediates(), byte) {
        // VT220 with ANSI colours (22) and clipboard writes (52).
        (0, b"", b'c') if first == 0 => "\x1b[?62;22;52c".into(),
        (b'>', b"", b'c') if first == 0 => "\x1b[>1;10;0c".into(),
        (b'=', b"", b'c') if first == 0 => "\x1bP!|00000000\x1b\\".into(),
        (0, b"", b'n') => status(first, facts)?,
        (b'?', b"", b'n') => private_status(first, facts)?,
        (0, b"$", b'p') => format!("\x1b[{first};{}$y", value(facts.modes.ansi(first))),
        (b'?', b"$", b'p') => format!("\x1b[?{first};{}$y", private_value(first, facts.modes)),
        (b'>', b"", b'q') if first == 0 => {
            concat!("\x1bP>|abide(", env!("CARGO_PKG_VERSION"), ")\x1b\\").into()
        }
        (b'?', b"", b'u') => format!("\x1b[?{}u", facts.modes.kitty()),
        (b'?', b"", b'm') if first == 4 => {
            format!("\x1b[>4;{}m", facts.modes.modify_other_keys)
        }
        (0, b"", b't') => window(first, params.get(1), facts)?,
        // DECREQTPARM: 8 bits, no parity, 38400 baud.
        (0, b"", b'x') if first <= 1 => format!("\x1b[{};1;1;128;128;1;0x", first + 2),
        // XTSMGRAPHICS: there are no graphics (3: failure).
        (b'?', b"", b'S') if (1..=3).contains(&first) => format!("\x1b[?{first};3;0S"),
        _ => return None,
    };
    Some(text.into_bytes())
}

/// Answers DECID (`ESC Z`).
pub fn esc(intermediates: &[u8], byte: u8) -> Option<Vec<u8>> {
    (intermediates.is_empty() && byte == b'Z').then(|| b"\x1b[?62;22;52c".to_vec())
}

/// Answers colour queries (4, 10-12) and the program status query (7501). Several queries in one
/// OSC get an answer each, in their order.
pub fn osc(payload: &[u8], terminator: Terminator, facts: &Facts<'_>) -> Option<Vec<u8>> {
    let (number, text) = split_number(payload)?;
    let mut out = Vec::new();
    let mut answer = |text: String| {
        out.extend_from_slice(b"\x1b]");
        out.extend_from_slice(text.as_bytes());
        out.extend_from_slice(terminator.bytes());
    };
    let seen = &facts.modes.colours;
    match number {
        4 => {
            for index in pairs(text)
                .filter(|(_, spec)| spec == b"?")
                .filter_map(|pair| pair.0)
            {
                let colour = seen.seen_indexed(facts.colours, index);
                answer(format!("4;{index};{}", spelled(colour)));
            }
        }
        10..=12 => {
            for (number, _) in (number..=12)
                .zip(text.split(|&b| b == b';'))
                .filter(|(_, spec)| spec == b"?")
            {
                let colour = seen.seen(facts.colours, number)?;
                answer(format!("{number};{}", spelled(colour)));
            }
        }
        7501 if text == b"?" => answer("7501;?".into()),
        _ => {}
    }
    (!out.is_empty()).then_some(out)
}

/// Answers a whole DCS (DECRQSS, XTGETTCAP) or APC (a kitty graphics query).
pub fn string(string: &Collected, facts: &Facts<'_>) -> Option<Vec<u8>> {
    match string {
        Collected::Dcs(seq, b'q', data) if seq.prefix() == 0 => match seq.intermediates() {
            b"$" => Some(settings::answer(data, facts)),
            b"+" => Some(termcap::answer(data)),
            _ => None,
        },
        Collected::Apc(data) => graphics(data),
        Collected::Dcs(..) | Collected::Passthrough(_) => None,
    }
}

/// What a program that set mode 2031 is told when the client's scheme changed; `None` if it did
/// not ask.
pub fn scheme_changed(modes: &Modes, colours: &Colours) -> Option<Vec<u8>> {
    modes.scheme_reports.then(|| scheme(colours).into_bytes())
}

/// Dark is 1, light 2.
fn scheme(colours: &Colours) -> String {
    format!("\x1b[?997;{}n", if colours.dark() { 1 } else { 2 })
}

fn status(which: u16, facts: &Facts<'_>) -> Option<String> {
    match which {
        5 => Some("\x1b[0n".into()),
        6 => {
            let (row, column) = position(facts);
            Some(format!("\x1b[{row};{column}R"))
        }
        _ => None,
    }
}

fn private_status(which: u16, facts: &Facts<'_>) -> Option<String> {
    Some(match which {
        6 => {
            let (row, column) = position(facts);
            format!("\x1b[?{row};{column}R")
        }
        // No printer; keys locked; a North American keyboard, ready; no locator.
        15 => "\x1b[?13n".into(),
        25 => "\x1b[?21n".into(),
        26 => "\x1b[?27;1;0;0n".into(),
        53 | 55 => "\x1b[?50n".into(),
        996 => scheme(facts.colours),
        _ => return None,
    })
}

/// Row and column from 1; in origin mode from the region's corner.
fn position(facts: &Facts<'_>) -> (u16, u16) {
    let (column, row) = facts.cursor;
    let (top, left) = match facts.modes.origin {
        true if facts.modes.margins => (facts.region.0, facts.margins.0),
        true => (facts.region.0, 0),
        false => (0, 0),
    };
    let from = |place: u16, start: u16| place.saturating_sub(start).saturating_add(1);
    (
        from(row, top),
        from(column.min(facts.size.cols.saturating_sub(1)), left),
    )
}

/// DECRPM's numbers: 0 not known, 1 set, 2 reset.
fn value(mode: Option<bool>) -> u8 {
    mode.map_or(0, |on| if on { 1 } else { 2 })
}

fn private_value(number: u16, modes: &Modes) -> u8 {
    match number {
        // Grapheme clusters are always on; highlight tracking, which waits for the program's word
        // at every click, is always off.
        2027 => 3,
        1001 => 4,
        // Saving the cursor is an act, not a state.
        1048 => 2,
        _ => value(modes.private(number)),
    }
}

/// XTWINOPS reports. Titles are reported empty.
fn window(which: u16, part: u16, facts: &Facts<'_>) -> Option<String> {
    let (cols, rows) = (facts.size.cols, facts.size.rows);
    let (width, height) = facts.colours.cell();
    let pixels = |cells: u16, one: u16| u32::from(cells) * u32::from(one);
    let (screen_width, screen_height) = (pixels(cols, width), pixels(rows, height));
    Some(match which {
        11 => "\x1b[1t".into(),
        13 => "\x1b[3;0;0t".into(),
        14 if matches!(part, 0 | 2) => format!("\x1b[4;{screen_height};{screen_width}t"),
        15 => format!("\x1b[5;{screen_height};{screen_width}t"),
        16 => format!("\x1b[6;{height};{width}t"),
        18 => format!("\x1b[8;{rows};{cols}t"),
        19 => format!("\x1b[9;{rows};{cols}t"),
        20 => "\x1b]L\x1b\\".into(),
        21 => "\x1b]l\x1b\\".into(),
        _ => return None,
    })
}

/// A kitty graphics query (`a=q`) is answered "not supported", with its number; anything else of
/// that protocol gets nothing.
fn graphics(data: &[u8]) -> Option<Vec<u8>> {
    let head = data.strip_prefix(b"G")?.split(|&b| b == b';').next()?;
    let mut query = false;
    let mut id = 0u32;
    for field in head.split(|&b| b == b',') {
        match field {
            b"a=q" => query = true,
            // Errors are not wanted.
            b"q=2" => return None,
            [b'i', b'=', digits @ ..] => id = std::str::from_utf8(digits).ok()?.parse().ok()?,
            _ => {}
        }
    }
    (query && id != 0)
        .then(|| format!("\x1b_Gi={id};ENOTSUPPORTED:no graphics here\x1b\\").into_bytes())
}
