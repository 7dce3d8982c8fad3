//! Pictures in a stream (sixel, kitty graphics, iTerm2's files): never part of the screen.
//!
//! In: the strings they come in; out: a `Head`, that is how many cells one takes and where the
//! cursor goes, which every terminal needs to know, and for viewers (`collect`) the bytes that draw
//! it on a real terminal. Promises: what a head is made of stands in the first 4 KiB of a string,
//! so that a terminal made from a snapshot in the middle moves its cursor alike; the bytes hold
//! nothing but the picture (no controls, no numbers of the program's); sizes that cannot be told
//! move nothing and are not drawn.
//!
//! A file of iTerm2's may come in parts, and a picture of kitty's be placed later (`album`, `kitty`):
//! both ends keep what that needs alike.
//!
//! Sources: VT330 manual (sixel raster attributes), kitty's graphics page (keys, chunks, cursor),
//! iTerm2's page on inline images; xterm 379, as measured, for where a sixel picture leaves the cursor.

mod album;
pub(crate) mod collect;
mod image;
pub(crate) mod kitty;
pub(crate) mod stand_in;

#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use album::{Album, PartialFile};
pub(crate) use collect::Collector;
pub(crate) use kitty::{Act, Delete, Images, Name, Place};

/// Cells of a picture, columns and rows.
type Cells = (u16, u16);
/// Most columns or rows of one.
const MOST: u32 = 1000;

/// How a picture is spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureKind {
    /// Sixel, `DCS q`.
    Sixel,
    /// kitty's, `APC G`.
    Kitty,
    /// iTerm2's, `OSC 1337 ; File =`.
    File,
}

/// A picture a viewer may draw over the screen's cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Told apart from every other of this terminal.
    pub id: u64,
    /// How it is spelled.
    pub kind: PictureKind,
    /// Column and row of its corner.
    pub at: (u16, u16),
    /// Columns and rows it takes; it is all on the screen.
    pub cells: (u16, u16),
    /// What draws it at the cursor. A kitty picture has no number and asks for no answer.
    pub bytes: Arc<Vec<u8>>,
    /// Frames of a kitty picture and what plays them, in the order they came; without its number.
    pub frames: Vec<Arc<Vec<u8>>>,
}

/// Where the cursor goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moves {
    /// To the column it was in, in the last row of the picture.
    Under,
    /// Behind the last column of its last row.
    Beside,
    /// Nowhere.
    Stays,
}

/// How much of a picture a string is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Whole,
    /// More strings follow.
    First,
    /// It goes on; `true`: and is complete.
    Later(bool),
}

/// What the beginning of a picture's string tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) kind: PictureKind,
    /// Cells it takes; `None`: not known, or it is not shown (yet).
    pub(crate) cells: Option<Cells>,
    pub(crate) moves: Moves,
    pub(crate) part: Part,
    /// One more picture has come with it.
    pub(crate) counts: bool,
    /// What a viewer does about it.
    pub(crate) act: Act,
}

impl Head {
    /// Of a picture that is all in one string, shown once, and has no name.
    fn whole(kind: PictureKind, cells: Option<Cells>, moves: Moves) -> Self {
        Self {
            kind,
            cells,
            moves,
            part: Part::Whole,
            counts: true,
            act: Act::Shows(Name::default(), Place::default()),
        }
    }
}

/// Cells for so many pixels, at least one.
fn cells(pixels: (u32, u32), cell: (u16, u16)) -> Option<Cells> {
    let along = |pixels: u32, cell: u16| {
        let cells = pixels.div_ceil(u32::from(cell.max(1)));
        u16::try_from(cells)
            .ok()
            .filter(|n| (1..=MOST).contains(&u32::from(*n)))
    };
    Some((along(pixels.0, cell.0)?, along(pixels.1, cell.1)?))
}

/// A sixel picture, if its raster attributes (`" Pan ; Pad ; Ph ; Pv`) tell its size.
pub(crate) fn sixel(data: &[u8], cell: (u16, u16)) -> Head {
    let raster = data.trim_ascii_start().strip_prefix(b"\"");
    let size = raster.and_then(|raster| {
        let mut numbers = raster
            .split(|b| *b == b';')
            .map(|field| field.iter().take_while(|b| b.is_ascii_digit()));
        let mut next = || {
            let digits = numbers.next()?;
            digits
                .map(|b| u32::from(b - b'0'))
                .try_fold(0u32, |n, digit| n.checked_mul(10)?.checked_add(digit))
        };
        let (_, _) = (next()?, next()?);
        Some((next()?, next()?))
    });
    let cells = size.and_then(|size| cells(size, cell));
    Head::whole(PictureKind::Sixel, cells, Moves::Under)
}

/// `key=value` fields of kitty's and iTerm2's heads.
struct Fields<'a>(&'a [u8], u8);

impl<'a> Fields<'a> {
    fn all(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
        let fields = self.0.split({
            let separator = self.1;
            move |b| *b == separator
        });
        fields.filter_map(|field| {
            let at = field.iter().position(|b| *b == b'=')?;
            Some((&field[..at], &field[at + 1..]))
        })
    }

    fn get(&self, key: &[u8]) -> Option<&'a [u8]> {
        self.all()
            .find(|(name, _)| *name == key)
            .map(|(_, value)| value)
    }

    fn number(&self, key: &[u8]) -> Option<u32> {
        std::str::from_utf8(self.get(key)?).ok()?.parse().ok()
    }
}

/// Keys and payload of a kitty graphics string.
fn kitty_parts(data: &[u8]) -> Option<(&[u8], &[u8])> {
    let body = data.strip_prefix(b"G")?;
    let end = body.iter().position(|b| *b == b';').unwrap_or(body.len());
    Some((&body[..end], body.get(end + 1..).unwrap_or_default()))
}

/// Cells when one side is given and the other follows from the picture's shape.
fn scaled(
    (width, height): (u32, u32),
    given: (Option<u32>, Option<u32>),
    cell: (u16, u16),
) -> Option<Cells> {
    let (cw, ch) = (u64::from(cell.0.max(1)), u64::from(cell.1.max(1)));
    let (w, h) = (u64::from(width), u64::from(height));
    let (columns, rows) = match given {
        (Some(c), _) => {
            let c = u64::from(c);
            (c, (c * cw).checked_mul(h)?.checked_div(w)?.div_ceil(ch))
        }
        (_, Some(r)) => {
            let r = u64::from(r);
            ((r * ch).checked_mul(w)?.checked_div(h)?.div_ceil(cw), r)
        }
        (None, None) => return None,
    };
    cells(
        (u32::try_from(columns).ok()?, u32::try_from(rows).ok()?),
        (1, 1),
    )
}

/// An iTerm2 file that is to be shown; `None` if the OSC is something else, a download among them.
/// `screen` is what percentages count from.
pub(crate) fn file(payload: &[u8], cell: (u16, u16), screen: (u16, u16)) -> Option<Head> {
    let (args, data) = file_parts(payload)?;
    shown_file(args, data, cell, screen)
}

/// The same with its arguments and base64 apart.
fn shown_file(args: &[u8], data: &[u8], cell: Cells, screen: Cells) -> Option<Head> {
    let args = Fields(args, b';');
    if args.number(b"inline") != Some(1) {
        return None;
    }
    let side = |key: &[u8], cell: u16, whole: u16| -> Option<Option<u32>> {
        let text = match args.get(key) {
            None | Some(b"auto") => return Some(None),
            Some(text) => std::str::from_utf8(text).ok()?,
        };
        let number = |text: &str| text.parse::<u32>().ok().filter(|n| *n <= 65_535);
        Some(Some(if let Some(pixels) = text.strip_suffix("px") {
            number(pixels)?.div_ceil(u32::from(cell.max(1)))
        } else if let Some(part) = text.strip_suffix('%') {
            number(part)? * u32::from(whole) / 100
        } else {
            number(text)?
        }))
    };
    let size = || {
        let width = side(b"width", cell.0, screen.0)?;
        let height = side(b"height", cell.1, screen.1)?;
        match (width, height) {
            (Some(w), Some(h)) => cells((w, h), (1, 1)),
            (None, None) => cells(image::size(data)?, cell),
            given => scaled(image::size(data)?, given, cell),
        }
    };
    let moves = match args.number(b"doNotMoveCursor") {
        Some(1) => Moves::Stays,
        _ => Moves::Beside,
    };
    Some(Head::whole(PictureKind::File, size(), moves))
}

/// Arguments and base64 of `1337;File=..:..`.
fn file_parts(payload: &[u8]) -> Option<(&[u8], &[u8])> {
    let body = payload.strip_prefix(b"1337;File=")?;
    let end = body.iter().position(|b| *b == b':')?;
    Some((&body[..end], &body[end + 1..]))
}

/// Whether an OSC so far is a file or a part of one, which may be longer than others.
pub(crate) fn is_file(payload: &[u8]) -> bool {
    payload.starts_with(b"1337;File=") || payload.starts_with(b"1337;FilePart=")
}
