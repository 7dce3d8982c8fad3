//! alacritty_terminal with its scrollback, as rows of ours.

use alacritty_terminal::Term;
use alacritty_terminal::event::VoidListener;
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::{Cell as Theirs, Flags};
use alacritty_terminal::term::{Config, TermMode};
use alacritty_terminal::vte::ansi::{Color, NamedColor, Processor};
use term::{Cell, Colour, Row, Size, StyleFlags, Underline};

struct Cells(Size);

impl Dimensions for Cells {
    fn total_lines(&self) -> usize {
        usize::from(self.0.rows)
    }
    fn screen_lines(&self) -> usize {
        usize::from(self.0.rows)
    }
    fn columns(&self) -> usize {
        usize::from(self.0.cols)
    }
}

pub(crate) struct Alacritty {
    term: Term<VoidListener>,
    parser: Processor,
    size: Size,
}

impl Alacritty {
    pub(crate) fn new(size: Size) -> Self {
        Self {
            term: Term::new(Config::default(), &Cells(size), VoidListener),
            parser: Processor::new(),
            size,
        }
    }

    pub(crate) fn advance(&mut self, bytes: &[u8]) {
        self.parser.advance(&mut self.term, bytes);
    }

    pub(crate) fn shows_alternate(&self) -> bool {
        self.term.mode().contains(TermMode::ALT_SCREEN)
    }

    fn row(&self, y: i32) -> Row {
        let row = &self.term.grid()[Line(y)];
        let columns = (0..usize::from(self.size.cols)).map(Column);
        let last = Column(usize::from(self.size.cols) - 1);
        Row {
            cells: columns.map(|x| cell(&row[x])).collect(),
            wrapped: row[last].flags.contains(Flags::WRAPLINE),
        }
    }

    /// Rows above the screen.
    pub(crate) fn above(&self) -> Vec<Row> {
        let count = i32::try_from(self.term.grid().history_size()).unwrap();
        (-count..0).map(|y| self.row(y)).collect()
    }

    /// The screen that is shown.
    pub(crate) fn shown(&self) -> Vec<Row> {
        (0..i32::from(self.size.rows))
            .map(|y| self.row(y))
            .collect()
    }

    /// The cursor's column and row.
    pub(crate) fn cursor(&self) -> (u16, u16) {
        let at = self.term.grid().cursor.point;
        (
            at.column.0.try_into().unwrap(),
            at.line.0.try_into().unwrap(),
        )
    }
}

fn cell(theirs: &Theirs) -> Cell {
    let mut cell = Cell::BLANK;
    if theirs.flags.contains(Flags::WIDE_CHAR_SPACER) {
        cell.width = 0;
        return cell;
    }
    if theirs.flags.contains(Flags::LEADING_WIDE_CHAR_SPACER) {
        return cell;
    }
    // A tab stands where it moved the cursor from; it is shown as a blank.
    let base = if theirs.c == '\t' { ' ' } else { theirs.c };
    let text: String = std::iter::once(base)
        .chain(theirs.zerowidth().into_iter().flatten().copied())
        .collect();
    cell.text = text.as_str().into();
    cell.width = 1 + u8::from(theirs.flags.contains(Flags::WIDE_CHAR));
    for (their, ours) in [
        (Flags::BOLD, StyleFlags::BOLD),
        (Flags::DIM, StyleFlags::DIM),
        (Flags::ITALIC, StyleFlags::ITALIC),
        (Flags::INVERSE, StyleFlags::INVERSE),
    ] {
        cell.style.flags.set(ours, theirs.flags.contains(their));
    }
    if theirs.flags.intersects(Flags::ALL_UNDERLINES) {
        cell.style.underline = Underline::Single;
    }
    (cell.style.fg, cell.style.bg) = (colour(theirs.fg), colour(theirs.bg));
    cell
}

fn colour(colour: Color) -> Colour {
    match colour {
        Color::Named(NamedColor::Foreground | NamedColor::Background) => Colour::Default,
        Color::Named(named) => Colour::Indexed(named as u8),
        Color::Indexed(n) => Colour::Indexed(n),
        Color::Spec(rgb) => Colour::Rgb(rgb.r, rgb.g, rgb.b),
    }
}
