//! The sections of a snapshot.

use super::cells::Rows;
use super::reader::{Reader, sections};
use super::writer::Writer;
use super::{CodecError, SNAPSHOT, aside, cells};
use crate::colours::{Colours, Rgb};
use crate::modes::Modes;
use crate::picture::Images;
use crate::size::Size;
use crate::snapshot::{Charset, Charsets, Joins, LineRange, Saved, Screen, Snapshot};
use crate::terminal::EngineKind;

const SIZE: u16 = 1;
const MAIN: u16 = 2;
const ALTERNATE: u16 = 3;
const SHOWN: u16 = 4;
const CURSOR: u16 = 5;
const PEN: u16 = 6;
const CHARSETS: u16 = 7;
const TABS: u16 = 8;
const LAST_CHAR: u16 = 9;
const MODES: u16 = 10;
const COLOURS: u16 = 11;
const PENDING: u16 = 12;
const LINES: u16 = 13;
const HISTORY: u16 = 14;
const LINKS: u16 = 15;
/// Region and saved cursor of the main and of the alternate screen.
const MAIN_STATE: u16 = 16;
const ALTERNATE_STATE: u16 = 17;
const MARGINS: u16 = 18;
const JOINS: u16 = 19;
const ENGINE: u16 = 20;
const HISTORY_IDS: u16 = 21;
const PENS: u16 = 22;
const NOTICE: u16 = 23;
const PICTURES: u16 = 24;
const FILE: u16 = 25;
const IMAGES: u16 = 26;

/// Adds to an encoded snapshot which engine it was taken of.
pub(crate) fn name_engine(snapshot: &mut Vec<u8>, engine: EngineKind) {
    let mut out = Writer::after(std::mem::take(snapshot));
    out.section(ENGINE, |out| out.bool(engine == EngineKind::Vt100));
    *snapshot = out.finish();
}

/// The engine an encoded snapshot was taken of: only that one goes on from it exactly as the
/// original does. The default where it is not named or not known here.
#[must_use]
pub fn engine_of(snapshot: &[u8]) -> EngineKind {
    let all = sections(snapshot, SNAPSHOT, "snapshot");
    let mut all = all.into_iter().flatten().flatten();
    match all.find(|(tag, _)| *tag == ENGINE) {
        Some((_, [1])) => EngineKind::Vt100,
        _ => EngineKind::default(),
    }
}

/// A snapshot as bytes.
#[must_use]
pub fn encode_snapshot(snapshot: &Snapshot) -> Vec<u8> {
    let rows = |screen: &Screen, out: &mut Writer| cells::put_rows(&screen.rows, out);
    encode(snapshot, rows, rows)
}

/// A snapshot as bytes whose rows were written elsewhere. `alternate` counts only if the snapshot
/// has that screen.
pub(crate) fn encode_with(snapshot: &Snapshot, main: Rows, alternate: Option<Rows>) -> Vec<u8> {
    encode(
        snapshot,
        |_, out| main.put(out),
        |_, out| alternate.unwrap_or_else(Rows::new).put(out),
    )
}

fn encode(
    snapshot: &Snapshot,
    main: impl FnOnce(&Screen, &mut Writer),
    other: impl FnOnce(&Screen, &mut Writer),
) -> Vec<u8> {
    let mut out = Writer::new(SNAPSHOT);
    let size = snapshot.size;
    out.section(SIZE, |out| {
        out.u16(size.cols);
        out.u16(size.rows);
    });
    out.section(MAIN, |out| main(&snapshot.main, out));
    out.section(MAIN_STATE, |out| put_state(&snapshot.main, out));
    if let Some(alternate) = &snapshot.alternate {
        out.section(ALTERNATE, |out| other(alternate, out));
        out.section(ALTERNATE_STATE, |out| put_state(alternate, out));
    }
    out.section(SHOWN, |out| out.bool(snapshot.on_alternate));
    out.section(CURSOR, |out| {
        out.u16(snapshot.cursor.x);
        out.u16(snapshot.cursor.y);
        out.bool(snapshot.cursor.pending_wrap);
    });
    out.section(PEN, |out| out.style(&snapshot.pen));
    out.section(CHARSETS, |out| put_charsets(snapshot.charsets, out));
    if let Some(tabs) = &snapshot.tabs {
        out.section(TABS, |out| tabs.iter().for_each(|&tab| out.u16(tab)));
    }
    if let Some(c) = snapshot.last_char {
        out.section(LAST_CHAR, |out| out.u32(c.into()));
    }
    let (left, right) = snapshot.margins;
    if (left, right) != (0, size.cols - 1) {
        out.section(MARGINS, |out| {
            out.u16(left);
            out.u16(right);
        });
    }
    if snapshot.joins != Joins::No {
        out.section(JOINS, |out| out.bool(snapshot.joins == Joins::On));
    }
    out.section(MODES, |out| out.raw(&snapshot.modes.encode()));
    out.section(COLOURS, |out| put_colours(&snapshot.colours, out));
    out.section(PENDING, |out| out.raw(&snapshot.pending));
    out.section(LINES, |out| {
        out.u64(snapshot.lines.first);
        out.u64(snapshot.lines.end);
        out.bool(snapshot.lines.open);
    });
    if !snapshot.history.is_empty() {
        out.section(HISTORY, |out| cells::put_lines(&snapshot.history, out));
    }
    if !snapshot.history_ids.is_empty() {
        out.section(HISTORY_IDS, |out| {
            cells::put_jumps(&snapshot.history_ids, out);
        });
    }
    if !snapshot.pens.entries().is_empty() {
        out.section(PENS, |out| aside::put_pens(&snapshot.pens, out));
    }
    if snapshot.pictures > 0 {
        out.section(PICTURES, |out| out.u64(snapshot.pictures));
    }
    if let Some(file) = &snapshot.album.file {
        out.section(FILE, |out| aside::put_file(file, out));
    }
    if snapshot.album.images != Images::default() {
        out.section(IMAGES, |out| aside::put_images(&snapshot.album.images, out));
    }
    if !snapshot.notice.is_empty() {
        out.section(NOTICE, |out| aside::put_notice(&snapshot.notice, out));
    }
    if !snapshot.links.is_empty() {
        out.section(LINKS, |out| cells::put_links(&snapshot.links, out));
    }
    out.finish()
}

fn put_charsets(charsets: Charsets, out: &mut Writer) {
    for set in charsets.sets {
        out.u8(set as u8);
    }
    out.u8(charsets.left);
    out.u8(charsets.single);
}

fn put_state(screen: &Screen, out: &mut Writer) {
    out.u16(screen.region.0);
    out.u16(screen.region.1);
    out.bool(screen.saved.is_some());
    if let Some(saved) = &screen.saved {
        out.u16(saved.x);
        out.u16(saved.y);
        out.bool(saved.pending_wrap);
        out.bool(saved.origin);
        put_charsets(saved.charsets, out);
        out.style(&saved.pen);
    }
}

/// Each part is a number, 0 to 255 for the palette, and three bytes.
fn put_colours(colours: &Colours, out: &mut Writer) {
    let dynamic = [
        (0x100, colours.foreground),
        (0x101, colours.background),
        (0x102, colours.cursor),
    ];
    let palette = colours.palette.iter().map(|&(n, rgb)| (u16::from(n), rgb));
    let dynamic = dynamic.into_iter().filter_map(|(n, rgb)| Some((n, rgb?)));
    for (number, (r, g, b)) in palette.chain(dynamic) {
        out.u16(number);
        out.raw(&[r, g, b]);
    }
    if let Some((width, height)) = colours.cell_pixels {
        // Shorter than an entry: it can only be the last.
        out.u16(width);
        out.u16(height);
    }
}

/// Bytes as a snapshot.
///
/// # Errors
/// If they are damaged, of another kind, or without size or main screen.
pub fn decode_snapshot(bytes: &[u8]) -> Result<Snapshot, CodecError> {
    let all: Vec<(u16, &[u8])> =
        sections(bytes, SNAPSHOT, "snapshot")?.collect::<Result<_, CodecError>>()?;
    let find = |tag| all.iter().find(|(t, _)| *t == tag).map(|(_, value)| *value);
    let reader = |tag, what| find(tag).map(|value| Reader::new(value, what));
    let mut value = reader(SIZE, "the size").ok_or(CodecError::Missing("size"))?;
    let size = Size::new(value.u16()?, value.u16()?);
    let mut snapshot = Snapshot {
        size,
        main: Screen {
            region: (0, size.rows - 1),
            ..Screen::default()
        },
        margins: (0, size.cols - 1),
        ..Snapshot::blank(Size::new(1, 1))
    };
    let mut rows = reader(MAIN, "the main screen").ok_or(CodecError::Missing("main screen"))?;
    snapshot.main.rows = cells::take_rows(&mut rows, size)?;
    if let Some(mut value) = reader(ALTERNATE, "the alternate screen") {
        snapshot.alternate = Some(Screen {
            rows: cells::take_rows(&mut value, size)?,
            region: (0, size.rows - 1),
            saved: None,
        });
    }
    for (tag, value) in &all {
        take_section(*tag, Reader::new(value, "a snapshot"), &mut snapshot)?;
    }
    snapshot.on_alternate &= snapshot.alternate.is_some();
    snapshot.cursor.visible = snapshot.modes.cursor_visible;
    snapshot.cursor.shape = snapshot.modes.cursor_style();
    Ok(snapshot)
}

fn take_section(
    tag: u16,
    mut value: Reader<'_>,
    snapshot: &mut Snapshot,
) -> Result<(), CodecError> {
    let size = snapshot.size;
    match tag {
        MAIN_STATE => take_state(&mut value, size, &mut snapshot.main)?,
        ALTERNATE_STATE => {
            if let Some(alternate) = &mut snapshot.alternate {
                take_state(&mut value, size, alternate)?;
            }
        }
        SHOWN => snapshot.on_alternate = value.bool()?,
        CURSOR => {
            snapshot.cursor.x = value.u16()?.min(size.cols - 1);
            snapshot.cursor.y = value.u16()?.min(size.rows - 1);
            snapshot.cursor.pending_wrap = value.bool()?;
        }
        PEN => snapshot.pen = value.style()?,
        CHARSETS => snapshot.charsets = take_charsets(&mut value)?,
        TABS => snapshot.tabs = Some(take_tabs(&mut value, size)?),
        LAST_CHAR => {
            let c = char::from_u32(value.u32()?).filter(|c| !c.is_control());
            snapshot.last_char = c;
        }
        MARGINS => {
            let margins = (value.u16()?, value.u16()?);
            if margins.0 < margins.1 && margins.1 < size.cols {
                snapshot.margins = margins;
            }
        }
        JOINS => {
            // Nothing stood there before there was a difference.
            let on = !value.is_empty() && value.bool()?;
            snapshot.joins = if on { Joins::On } else { Joins::Behind };
        }
        MODES => {
            let modes = Modes::decode(value.rest());
            snapshot.modes = modes.map_err(|_| CodecError::Short("the modes"))?;
        }
        COLOURS => snapshot.colours = take_colours(&mut value)?,
        PENDING => snapshot.pending = value.rest().to_vec(),
        LINES => snapshot.lines = take_range(&mut value)?,
        HISTORY => snapshot.history = cells::take_lines(&mut value)?,
        HISTORY_IDS => snapshot.history_ids = cells::take_jumps(&mut value)?,
        PENS => snapshot.pens = aside::take_pens(&mut value)?,
        PICTURES => snapshot.pictures = value.u64()?,
        FILE => snapshot.album.file = Some(aside::take_file(&mut value)?),
        IMAGES => snapshot.album.images = aside::take_images(&mut value)?,
        NOTICE => snapshot.notice = aside::take_notice(&mut value)?,
        LINKS => snapshot.links = cells::take_links(&mut value)?,
        _ => {}
    }
    Ok(())
}

fn take_charsets(value: &mut Reader<'_>) -> Result<Charsets, CodecError> {
    // A set of a later version prints as ASCII.
    let set = |number| Charset::from_number(number).unwrap_or_default();
    Ok(Charsets {
        sets: [
            set(value.u8()?),
            set(value.u8()?),
            set(value.u8()?),
            set(value.u8()?),
        ],
        left: value.u8()?.min(3),
        single: Some(value.u8()?)
            .filter(|single| matches!(single, 2 | 3))
            .unwrap_or(0),
    })
}

fn take_state(value: &mut Reader<'_>, size: Size, screen: &mut Screen) -> Result<(), CodecError> {
    let region = (value.u16()?, value.u16()?);
    let fits = region.0 < region.1 && region.1 < size.rows;
    if fits {
        screen.region = region;
    }
    if value.bool()? {
        screen.saved = Some(Saved {
            x: value.u16()?.min(size.cols - 1),
            y: value.u16()?.min(size.rows - 1),
            pending_wrap: value.bool()?,
            origin: value.bool()?,
            charsets: take_charsets(value)?,
            pen: value.style()?,
        });
    }
    Ok(())
}

fn take_tabs(value: &mut Reader<'_>, size: Size) -> Result<Vec<u16>, CodecError> {
    let mut tabs = Vec::new();
    while !value.is_empty() {
        tabs.push(value.u16()?);
    }
    tabs.retain(|&tab| tab < size.cols);
    tabs.sort_unstable();
    tabs.dedup();
    Ok(tabs)
}

fn take_colours(value: &mut Reader<'_>) -> Result<Colours, CodecError> {
    let mut colours = Colours::default();
    while value.len() >= 5 {
        let number = value.u16()?;
        let rgb: Rgb = (value.u8()?, value.u8()?, value.u8()?);
        match (number, u8::try_from(number)) {
            (_, Ok(index)) => colours.palette.push((index, rgb)),
            (0x100, _) => colours.foreground = Some(rgb),
            (0x101, _) => colours.background = Some(rgb),
            (0x102, _) => colours.cursor = Some(rgb),
            _ => {}
        }
    }
    if value.len() == 4 {
        colours.cell_pixels = Some((value.u16()?, value.u16()?));
    }
    Ok(colours)
}

fn take_range(value: &mut Reader<'_>) -> Result<LineRange, CodecError> {
    let range = LineRange {
        first: value.u64()?,
        end: value.u64()?,
        open: value.bool()?,
    };
    // Ids stay far from their end, so counting on never overflows.
    if range.first > range.end || range.end > u64::MAX / 2 || (range.open && range.end == 0) {
        return value.out_of_range();
    }
    Ok(range)
}
