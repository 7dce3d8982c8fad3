//! Rows and lines. A table of styles comes first; rows are runs: `count * 4 +
//! kind`, style number, then per kind nothing (blank), one byte each (ASCII),
//! or a text each (narrow, wide).

use super::CodecError;
use super::reader::Reader;
use super::writer::Writer;
use crate::cell::{Cell, CellText, Row, Style};
use crate::quick::QuickMap;
use crate::scrollback::{Jump, Line, Span};
use crate::size::Size;

const BLANK: usize = 0;
const ASCII: usize = 1;
const NARROW: usize = 2;
const WIDE: usize = 3;

/// Styles by number, in the order they were first used.
#[derive(Default)]
struct Styles {
    list: Vec<Style>,
    numbers: QuickMap<Style, usize>,
}

impl Styles {
    fn number(&mut self, style: Style) -> usize {
        let list = &mut self.list;
        *self.numbers.entry(style).or_insert_with(|| {
            list.push(style);
            list.len() - 1
        })
    }

    fn put(&self, out: &mut Writer) {
        out.count(self.list.len());
        for style in &self.list {
            out.style(style);
        }
    }
}

fn take_styles(value: &mut Reader<'_>) -> Result<Vec<Style>, CodecError> {
    // A style takes at least six bytes.
    let count = value.bounded_count(6)?;
    (0..count).map(|_| value.style()).collect()
}

fn style(styles: &[Style], value: &mut Reader<'_>) -> Result<Style, CodecError> {
    let number = value.count()?;
    match styles.get(number) {
        Some(style) => Ok(*style),
        None => value.out_of_range(),
    }
}

/// How a cell is written; `None` for the second half of a wide one.
fn kind(cell: &Cell) -> Option<usize> {
    match (cell.width, cell.text.as_bytes()) {
        (0, _) => None,
        (2, _) => Some(WIDE),
        (_, []) => Some(BLANK),
        (_, [byte]) if byte.is_ascii() => Some(ASCII),
        _ => Some(NARROW),
    }
}

/// Rows as they are written, run by run. The table of styles comes out first, though it is known
/// last.
pub(crate) struct Rows {
    styles: Styles,
    body: Writer,
}

impl Rows {
    /// No rows yet.
    pub(crate) fn new() -> Self {
        Self {
            styles: Styles::default(),
            body: Writer::new(&[]),
        }
    }

    /// Begins a row.
    pub(crate) fn row(&mut self, wrapped: bool) {
        self.body.bool(wrapped);
    }

    /// The number of a style.
    pub(crate) fn style(&mut self, style: Style) -> usize {
        self.styles.number(style)
    }

    /// Blank cells in a style.
    pub(crate) fn blank(&mut self, count: usize, style: usize) {
        self.head(count, BLANK, style);
    }

    /// Cells of one ASCII character each.
    pub(crate) fn ascii(&mut self, bytes: impl ExactSizeIterator<Item = u8>, style: usize) {
        self.head(bytes.len(), ASCII, style);
        self.body.bytes(bytes);
    }

    /// Cells of any text, all of one width; to be followed by a [`Self::text`] for each.
    pub(crate) fn texts(&mut self, count: usize, wide: bool, style: usize) {
        self.head(count, if wide { WIDE } else { NARROW }, style);
    }

    /// The text of a cell.
    pub(crate) fn text(&mut self, text: &str) {
        self.body.text(text);
    }

    fn head(&mut self, count: usize, kind: usize, style: usize) {
        self.body.count(count * 4 + kind);
        self.body.count(style);
    }

    /// Writes all of it.
    pub(super) fn put(self, out: &mut Writer) {
        self.styles.put(out);
        out.raw(&self.body.finish());
    }
}

/// Writes rows.
pub(super) fn put_rows(rows: &[Row], out: &mut Writer) {
    let mut to = Rows::new();
    for row in rows {
        to.row(row.wrapped);
        let mut rest = row.cells.as_slice();
        while let Some(first) = rest.first() {
            match kind(first) {
                Some(kind) => rest = put_run(rest, first, kind, &mut to),
                None => rest = &rest[1..],
            }
        }
    }
    to.put(out);
}

/// Writes the cells at the front that go into one run; gives the rest.
fn put_run<'a>(cells: &'a [Cell], first: &Cell, kind: usize, to: &mut Rows) -> &'a [Cell] {
    let same = |cell: &Cell| self::kind(cell) == Some(kind) && cell.style == first.style;
    let len = if kind == WIDE {
        // Each with its second half.
        let whole = |pair: &&[Cell]| matches!(pair, [a, b] if same(a) && b.width == 0);
        let pairs = cells.chunks(2).take_while(whole).count();
        (pairs * 2).max(1)
    } else {
        cells[1..].iter().take_while(|cell| same(cell)).count() + 1
    };
    let (run, rest) = cells.split_at(len);
    let style = to.style(first.style);
    let byte = |cell: &Cell| cell.text.as_bytes().first().copied().unwrap_or(b' ');
    match kind {
        BLANK => to.blank(len, style),
        ASCII => to.ascii(run.iter().map(byte), style),
        _ => {
            let written = || run.iter().filter(|cell| cell.width > 0);
            to.texts(written().count(), kind == WIDE, style);
            written().for_each(|cell| to.text(cell.text.as_str()));
        }
    }
    rest
}

/// Reads as many rows as the size says, each as wide as it says.
pub(super) fn take_rows(value: &mut Reader<'_>, size: Size) -> Result<Vec<Row>, CodecError> {
    let styles = take_styles(value)?;
    let mut rows = Vec::new();
    for _ in 0..size.rows {
        let wrapped = value.bool()?;
        let mut row = Row {
            cells: Vec::with_capacity(usize::from(size.cols)),
            wrapped,
        };
        while row.cells.len() < usize::from(size.cols) {
            take_run(value, &styles, usize::from(size.cols), &mut row.cells)?;
        }
        rows.push(row);
    }
    Ok(rows)
}

fn take_run(
    value: &mut Reader<'_>,
    styles: &[Style],
    cols: usize,
    cells: &mut Vec<Cell>,
) -> Result<(), CodecError> {
    let head = value.count()?;
    let (count, kind) = (head / 4, head % 4);
    let style = style(styles, value)?;
    let width = if kind == WIDE { 2 } else { 1 };
    if count == 0 || cells.len() + count * width > cols {
        return value.out_of_range();
    }
    for _ in 0..count {
        let text = match kind {
            BLANK => CellText::EMPTY,
            ASCII => ascii(value)?,
            _ => clean(value.text()?),
        };
        cells.push(Cell {
            text,
            width: u8::from(kind == WIDE) + 1,
            style,
        });
        if kind == WIDE {
            cells.push(Cell {
                width: 0,
                ..Cell::BLANK
            });
        }
    }
    Ok(())
}

fn ascii(value: &mut Reader<'_>) -> Result<CellText, CodecError> {
    match value.u8()? {
        byte @ 0x20..=0x7e => Ok(CellText::from(
            char::from(byte).encode_utf8(&mut [0; 4]) as &str
        )),
        _ => value.out_of_range(),
    }
}

/// Text of a cell holds no controls: it goes to a real terminal as it is.
fn clean(text: &str) -> CellText {
    if text.chars().any(char::is_control) {
        return CellText::EMPTY;
    }
    text.into()
}

/// Writes lines.
pub(super) fn put_lines(lines: &[Line], out: &mut Writer) {
    let mut styles = Styles::default();
    for span in lines.iter().flat_map(|line| &line.spans) {
        styles.number(span.style);
    }
    styles.put(out);
    out.count(lines.len());
    for line in lines {
        out.count(line.spans.len() * 2 + usize::from(line.continued));
        for span in &line.spans {
            out.count(styles.number(span.style));
            out.text(&span.text);
        }
    }
}

/// Reads lines.
pub(super) fn take_lines(value: &mut Reader<'_>) -> Result<Vec<Line>, CodecError> {
    let styles = take_styles(value)?;
    let count = value.bounded_count(1)?;
    let mut lines = Vec::new();
    for _ in 0..count {
        let head = value.count()?;
        let mut spans = Vec::new();
        for _ in 0..head / 2 {
            let style = style(&styles, value)?;
            let text = value.text()?;
            let text: String = text.chars().filter(|c| !c.is_control()).collect();
            spans.push(Span { text, style });
        }
        lines.push(Line {
            spans,
            continued: head % 2 == 1,
        });
    }
    Ok(lines)
}

/// Writes where ids jump.
pub(super) fn put_jumps(jumps: &[Jump], out: &mut Writer) {
    out.count(jumps.len());
    for jump in jumps {
        out.count(jump.index);
        out.u64(jump.id);
    }
}

/// Reads them: places and ids grow, and ids stay far from their end.
pub(super) fn take_jumps(value: &mut Reader<'_>) -> Result<Vec<Jump>, CodecError> {
    let count = value.bounded_count(9)?;
    let mut jumps: Vec<Jump> = Vec::new();
    for _ in 0..count {
        let jump = Jump {
            index: value.count()?,
            id: value.u64()?,
        };
        let grows = jumps.last().is_none_or(|last| {
            let more = jump.index.saturating_sub(last.index) as u64;
            more > 0 && jump.id >= last.id.saturating_add(more)
        });
        if !grows || jump.id > u64::MAX / 2 {
            return value.out_of_range();
        }
        jumps.push(jump);
    }
    Ok(jumps)
}

/// Writes hyperlinks.
pub(super) fn put_links(links: &[String], out: &mut Writer) {
    out.count(links.len());
    links.iter().for_each(|link| out.text(link));
}

/// Reads hyperlinks. One holds no controls: it goes to a real terminal as it is.
pub(super) fn take_links(value: &mut Reader<'_>) -> Result<Vec<String>, CodecError> {
    let count = value.bounded_count(1)?;
    let mut links = Vec::new();
    for _ in 0..count {
        let text = value.text()?;
        let clean = !text.chars().any(char::is_control);
        links.push(if clean {
            text.to_owned()
        } else {
            String::new()
        });
    }
    Ok(links)
}
