//! Screens as bytes. In: rows, cursors, pens; out: sequences that draw them on
//! a blank screen of the same size, with wrap flags and a pending wrap, for one
//! of two readers: the crate vt100 with its gaps, or a real terminal. Promises
//! that nothing here scrolls but what is meant to (`history`) and that no text becomes a control.

mod history;
mod margin;
mod rows;

use unicode_width::UnicodeWidthChar as _;

use crate::cell::{Cell, Row, Style, StyleFlags, Underline};
use crate::picture::stand_in::is_stand_in;
use crate::sgr;
use crate::size::Size;
use crate::width::joins;
use rows::Waits;

/// Stands for U+FFFD, which vt100 does not print: a private-use character of
/// the same width.
pub(crate) const TOFU: char = '\u{10fffd}';

/// Who reads the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// The crate vt100 0.18: few styles, erasing with all of the pen, absolute
    /// rows by VPA whatever the origin mode.
    Vt100,
    /// A terminal of xterm's kind.
    Real,
}

/// Writes bytes and knows what state they leave.
pub(crate) struct Painter {
    pub(crate) out: Vec<u8>,
    dialect: Dialect,
    size: Size,
    pen: Option<Style>,
    /// Hyperlinks by a style's `link`, for a real terminal.
    pub(crate) links: Vec<String>,
    /// The one that is on.
    link: Option<u32>,
    /// Protection (DECSCA) is on.
    protected: bool,
    /// Column and row that addresses of the reader count from, in origin mode.
    origin: (u16, u16),
    /// Rows are meant to scroll off at the top.
    slides: bool,
}

impl Painter {
    /// Continues `out` for a terminal of this size with an unknown pen.
    pub(crate) fn new(out: Vec<u8>, size: Size, dialect: Dialect) -> Self {
        Self {
            out,
            dialect,
            size,
            pen: None,
            links: Vec::new(),
            link: None,
            protected: false,
            origin: (0, 0),
            slides: false,
        }
    }

    /// The reader's pen is known to be this one.
    pub(crate) fn pen_is(&mut self, style: Style) {
        self.pen = Some(style);
    }

    /// The reader is in origin mode with its region beginning at this column
    /// and row.
    pub(crate) fn origin(&mut self, left: u16, top: u16) {
        self.origin = (left, top);
    }

    /// Sets a scroll region, if it is not the whole screen.
    pub(crate) fn region(&mut self, (top, bottom): (u16, u16)) {
        let whole = top == 0 && bottom + 1 == self.size.rows;
        if !whole && top < bottom && bottom < self.size.rows {
            self.numbers(&[top + 1, bottom + 1], b'r');
        }
    }

    /// Writes one row of a blank screen. `joined`: the cursor waits behind the
    /// row above to wrap. Returns how it waits behind this one.
    fn row(&mut self, y: u16, row: &Row, joined: bool) -> Waits {
        let cols = self.size.cols;
        let mut at = None;
        let mut skip_blank = true;
        if joined {
            at = Some(0);
            if row.cells.first().is_none_or(|cell| self.is_blank(cell)) {
                // Only printing wraps; the character is erased again.
                self.out.extend_from_slice(b" \x08");
                skip_blank = false;
            }
        }
        let mut x = 0;
        let mut cells = row.cells.iter().take(usize::from(cols)).peekable();
        let mut filled = false;
        // Text of the cell just written.
        let mut before = None;
        while let Some(cell) = cells.next() {
            if self.is_blank(cell) {
                filled = cell.width == 0 && filled;
                let blank = cell.width != 0;
                let mut run = 1;
                while blank && cells.next_if(|next| self.same_blank(next, cell)).is_some() {
                    run += 1;
                }
                if blank && (!skip_blank || self.seen(cell.style) != Style::default()) {
                    self.go(&mut at, x, y);
                    at = self.blanks(cell.style, x, run);
                }
                skip_blank = true;
                before = before.filter(|_| !blank);
                x += run;
                continue;
            }
            skip_blank = true;
            filled = x + u16::from(cell.width.max(1)) <= cols;
            let first = cell.text.as_str().chars().next();
            if let (Some(last), Some(first), Dialect::Real) = (before, first, self.dialect)
                && joins(last, first)
            {
                // Written one behind the other they would become one cell.
                at = None;
            }
            before = Some(cell.text.as_str());
            if self.dialect == Dialect::Real && self.is_squeezed(cell) {
                self.squeezed(cell, x, y);
                at = None;
            } else if filled {
                self.go(&mut at, x, y);
                at = self.text(cell, x);
            }
            x += 1;
        }
        let goes_on = row.wrapped && (self.slides || y + 1 < self.size.rows);
        let gap = row.cells.last() == Some(&Cell::BLANK) && self.dialect == Dialect::Real;
        match at {
            Some(x) if goes_on && filled && x == cols => Waits::Behind,
            Some(x) if goes_on && gap && x + 1 == cols => Waits::Before,
            _ => Waits::No,
        }
    }

    /// Blank cells in a style; returns the column the cursor is left at.
    fn blanks(&mut self, style: Style, x: u16, count: u16) -> Option<u16> {
        self.pen(style);
        if self.dialect == Dialect::Vt100 || self.seen(style) == Style::default() {
            self.numbers(&[count], b'X');
            return Some(x);
        }
        // Not every terminal erases with the background, none with the rest.
        let spaces = std::iter::repeat_n(b' ', usize::from(count));
        self.out.extend(spaces);
        // Behind the last column the cursor's place is not certain.
        Some(x + count).filter(|&x| x < self.size.cols)
    }

    /// Prints a cell; returns the column behind it if that is certain.
    fn text(&mut self, cell: &Cell, x: u16) -> Option<u16> {
        self.pen(cell.style);
        let mut width = 0;
        for c in cell.text.as_str().chars() {
            let Some(c) = self.printable(c) else {
                continue;
            };
            width = width.max(c.width().unwrap_or(1).min(2));
            self.out
                .extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        (width == usize::from(cell.width)).then_some(x + u16::from(cell.width))
    }

    fn go(&mut self, at: &mut Option<u16>, x: u16, y: u16) {
        if *at != Some(x) {
            self.goto(x, y);
        }
        *at = Some(x);
    }

    /// Moves the cursor to an absolute position, whatever the origin mode
    /// (vt100's CUP counts from the region there, its VPA never does).
    pub(crate) fn goto(&mut self, x: u16, y: u16) {
        match self.dialect {
            Dialect::Vt100 => {
                self.numbers(&[y + 1], b'd');
                self.numbers(&[x + 1], b'G');
            }
            Dialect::Real => {
                let x = x.saturating_sub(self.origin.0);
                let y = y.saturating_sub(self.origin.1);
                self.numbers(&[y + 1, x + 1], b'H');
            }
        }
    }

    /// Places vt100's cursor; `row` is what stands there. It keeps a pending
    /// wrap as a column behind the last, and only printing leads there.
    pub(crate) fn cursor(&mut self, x: u16, y: u16, pending_wrap: bool, row: Option<&Row>) {
        let last = self.size.cols - 1;
        if !pending_wrap {
            self.goto(x.min(last), y);
            return;
        }
        let cell = |x: u16| row.and_then(|row| row.cells.get(usize::from(x)));
        let end = cell(last).filter(|cell| cell.width > 0 && !cell.text.is_empty());
        let wide = last
            .checked_sub(1)
            .and_then(cell)
            .filter(|cell| cell.width == 2 && !cell.text.is_empty());
        match (end, wide) {
            (Some(cell), _) => {
                self.goto(last, y);
                self.text(cell, last);
            }
            (None, Some(cell)) => {
                self.goto(last - 1, y);
                self.text(cell, last - 1);
            }
            (None, None) => {
                let style = cell(last).map_or(Style::default(), |cell| cell.style);
                self.goto(last, y);
                self.pen(style);
                // Print, note the place, step back, erase, return.
                self.out.extend_from_slice(b" \x1b7\x08\x1b[X\x1b8");
            }
        }
    }

    /// Sets the pen, if it is another one.
    pub(crate) fn pen(&mut self, style: Style) {
        if self.dialect == Dialect::Real {
            self.link(style.link);
            self.protect(style.protected);
        }
        // Link and protection are no part of SGR.
        let style = Style {
            link: None,
            protected: false,
            ..self.seen(style)
        };
        if self.pen == Some(style) {
            return;
        }
        if self.pen == Some(Style::default()) {
            sgr::write_on_default(&style, &mut self.out);
        } else if style == Style::default() {
            self.out.extend_from_slice(b"\x1b[m");
        } else {
            sgr::write(&style, &mut self.out);
        }
        self.pen = Some(style);
    }

    fn link(&mut self, link: Option<u32>) {
        if self.link == link {
            return;
        }
        self.link = link;
        let at = link.and_then(|link| self.links.get(usize::try_from(link).ok()?));
        self.out.extend_from_slice(b"\x1b]8;");
        let spelled = at.map_or(";", String::as_str);
        self.out.extend_from_slice(spelled.as_bytes());
        self.out.extend_from_slice(b"\x1b\\");
    }

    fn protect(&mut self, on: bool) {
        if self.protected != on {
            self.protected = on;
            let sequence: &[u8] = if on { b"\x1b[1\"q" } else { b"\x1b[0\"q" };
            self.out.extend_from_slice(sequence);
        }
    }

    /// Switches all of the pen off, whatever the reader's is.
    pub(crate) fn plain(&mut self) {
        self.out.extend_from_slice(b"\x1b]8;;\x1b\\\x1b[0\"q\x1b[m");
        (self.link, self.protected) = (None, false);
        self.pen = Some(Style::default());
    }

    /// A control sequence with these parameters.
    pub(crate) fn numbers(&mut self, numbers: &[u16], last: u8) {
        sequence(numbers, last, &mut self.out);
    }

    /// What the reader can show of a style.
    fn seen(&self, style: Style) -> Style {
        match self.dialect {
            Dialect::Vt100 => projected(style),
            Dialect::Real => style,
        }
    }

    fn same_blank(&self, next: &Cell, cell: &Cell) -> bool {
        self.is_blank(next) && next.width != 0 && self.seen(next.style) == self.seen(cell.style)
    }

    /// Nothing is to be seen there: what stands for a part of a picture means nothing elsewhere.
    fn is_blank(&self, cell: &Cell) -> bool {
        let text = cell.text.as_str();
        text.is_empty() || self.dialect == Dialect::Real && is_stand_in(text)
    }

    fn printable(&self, c: char) -> Option<char> {
        match self.dialect {
            Dialect::Vt100 => printable(c),
            Dialect::Real => (!c.is_control()).then_some(c),
        }
    }
}

/// Writes a control sequence with these parameters.
pub(crate) fn sequence(numbers: &[u16], last: u8, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\x1b[");
    for (n, number) in numbers.iter().enumerate() {
        if n > 0 {
            out.push(b';');
        }
        sgr::number(*number, out);
    }
    out.push(last);
}

/// The character to send to vt100, if it prints it without trouble.
pub(crate) fn printable(c: char) -> Option<char> {
    match c {
        // Variation selectors: vt100 widens a cell for U+FE0F and then fails
        // at the right margin.
        '\u{fe0e}' | '\u{fe0f}' => None,
        '\u{fffd}' => Some(TOFU),
        c if c.is_control() => None,
        c => Some(c),
    }
}

/// What of a style vt100 can keep; bold and dim exclude each other there.
pub(crate) fn projected(style: Style) -> Style {
    let mut flags = StyleFlags::default();
    for flag in [
        StyleFlags::BOLD,
        StyleFlags::DIM,
        StyleFlags::ITALIC,
        StyleFlags::INVERSE,
    ] {
        flags.set(flag, style.flags.contains(flag));
    }
    if flags.contains(StyleFlags::BOLD) {
        flags.set(StyleFlags::DIM, false);
    }
    Style {
        fg: style.fg,
        bg: style.bg,
        flags,
        underline: match style.underline {
            Underline::None => Underline::None,
            _ => Underline::Single,
        },
        ..Style::default()
    }
}
