//! The last step: a frame becomes the bytes that turn the former frame into it.
//!
//! In: frames. Out: bytes for the outer terminal. ratatui's own diff and backend trust that every
//! terminal agrees about the width of a cluster; they do not (ratatui#2431, p2pmux#120: emoji with
//! VS16, ZWJ families, flags, keycaps), and then everything right of it drifts. Promises: after a
//! cluster that is wide or that terminals disagree about, the cursor is placed explicitly; the
//! cells it might cover are written anew, before and after; automatic wrap is off meanwhile, so
//! nothing spills into the next line; what the terminal cannot show is made simpler; no link is left
//! open. A frame is one synchronized update.

mod doubt;
mod pictures;

pub(crate) use pictures::Placed;

use crate::ability::Ability;
use crate::canvas::{Canvas, Extra, width};
use doubt::{clings, reach, steady};
use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};
use std::io::Write;
use term::{Colour, Underline};
use unicode_width::UnicodeWidthStr;

/// Where the cursor is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CursorPlace {
    /// Column.
    pub(crate) x: u16,
    /// Row.
    pub(crate) y: u16,
    /// DECSCUSR number, 0 to 6.
    pub(crate) shape: u8,
}

/// What the outer terminal shows.
#[derive(Debug, Default)]
pub(crate) struct Painter {
    ability: Ability,
    last: Option<Canvas>,
    spare: Option<Canvas>,
    cursor: Option<CursorPlace>,
    shape: u8,
    pictures: pictures::Pictures,
}

impl Painter {
    /// For a terminal of that ability, of which nothing is known to be shown.
    pub(crate) fn new(ability: Ability) -> Self {
        Self {
            ability,
            ..Self::default()
        }
    }

    /// A blank frame to draw into.
    pub(crate) fn blank(&mut self, cols: u16, rows: u16) -> Canvas {
        match self.spare.take() {
            Some(mut canvas) => {
                canvas.reset(cols, rows);
                canvas
            }
            None => Canvas::new(cols, rows),
        }
    }

    /// What the terminal told of itself since.
    pub(crate) fn set_ability(&mut self, ability: Ability) {
        self.ability = ability;
    }

    /// Pictures the next frame shows.
    pub(crate) fn want(&mut self, pictures: Vec<Placed>) {
        self.pictures.want(pictures);
    }

    /// The next frame is painted whole.
    pub(crate) fn forget(&mut self) {
        self.last = None;
    }

    /// Bytes that make the outer terminal show `next`; none if it does already.
    pub(crate) fn paint(&mut self, mut next: Canvas, cursor: Option<CursorPlace>) -> Vec<u8> {
        next.finish();
        let area = next.area();
        let mut pen = Pen::new(self.ability);
        let mut last = match self.last.take() {
            Some(last) if last.area() == area => last,
            _ => {
                pen.out.extend_from_slice(b"\x1b[2J");
                Canvas::new(area.width, area.height)
            }
        };
        let whole = !pen.out.is_empty();
        let plan = self.pictures.plan(self.ability, area, whole);
        pictures::spoil(&mut last, &plan.spoiled);
        pen.out.extend_from_slice(&plan.before);
        for y in 0..area.height {
            if !last.same_row(&next, y) {
                paint_row(&mut pen, &last, &next, y);
            }
        }
        pen.set_link(None);
        pen.out.extend_from_slice(&plan.behind);
        self.last = Some(next);
        self.spare = Some(last);
        if pen.out.is_empty() && cursor == self.cursor {
            return Vec::new();
        }
        self.finish(pen, cursor, whole)
    }

    fn finish(&mut self, pen: Pen, cursor: Option<CursorPlace>, whole: bool) -> Vec<u8> {
        let mut out = Vec::with_capacity(pen.out.len() + 64);
        out.extend_from_slice(b"\x1b[?2026h\x1b[?25l\x1b[?7l\x1b[m");
        out.extend_from_slice(&pen.out);
        out.extend_from_slice(b"\x1b[m\x1b[?7h");
        if let Some(place) = cursor {
            if place.shape != self.shape || whole {
                self.shape = place.shape;
                put(&mut out, format_args!("\x1b[{} q", place.shape));
            }
            put(
                &mut out,
                format_args!("\x1b[{};{}H\x1b[?25h", place.y + 1, place.x + 1),
            );
        }
        out.extend_from_slice(b"\x1b[?2026l");
        self.cursor = cursor;
        out
    }
}

fn paint_row(pen: &mut Pen, last: &Canvas, next: &Canvas, y: u16) {
    let area = next.area();
    let start = usize::from(y) * usize::from(area.width);
    let mut forced = 0;
    let mut x = 0;
    while x < area.width {
        let index = start + usize::from(x);
        let (new, extra) = (&next.buffer().content[index], next.extra(index));
        let columns = width(new).max(1).min(area.width - x);
        let mut dirty = x < forced || !last.same_extra(next, index);
        for i in 0..columns {
            let at = index + usize::from(i);
            if dirty || last.buffer().content[at] != next.buffer().content[at] {
                dirty = true;
                forced = forced.max(x + i + reach(&last.buffer().content[at]));
            }
        }
        if dirty {
            forced = forced.max(x + reach(new));
            pen.move_to(x, y);
            pen.set_link(next.link(extra.link));
            pen.cell(x, y, new, extra, area.width);
            let row = &next.buffer().content[start..start + usize::from(area.width)];
            if clings(row, x) {
                // A terminal that put it into the cell before has its cursor elsewhere.
                pen.at = None;
            }
            if clings(row, x + columns) {
                forced = forced.max(x + columns + 1);
            }
        }
        x += columns;
    }
}

/// Writes cells and remembers how the outer terminal's pen and cursor are.
struct Pen {
    ability: Ability,
    out: Vec<u8>,
    at: Option<(u16, u16)>,
    style: PenStyle,
    /// The link what is written belongs to.
    link: Option<String>,
}

type PenStyle = (Color, Color, Modifier, Extra);

const PLAIN: PenStyle = (
    Color::Reset,
    Color::Reset,
    Modifier::empty(),
    Extra {
        underline: Underline::None,
        underline_colour: Colour::Default,
        overline: false,
        link: 0,
    },
);

impl Pen {
    const fn new(ability: Ability) -> Self {
        Self {
            ability,
            out: Vec::new(),
            at: None,
            style: PLAIN,
            link: None,
        }
    }

    /// Opens, changes or closes the link.
    fn set_link(&mut self, link: Option<&str>) {
        if self.link.as_deref() == link || !self.ability.links {
            return;
        }
        put(
            &mut self.out,
            format_args!("\x1b]8;{}\x1b\\", link.unwrap_or(";")),
        );
        self.link = link.map(str::to_owned);
    }

    fn move_to(&mut self, x: u16, y: u16) {
        if self.at != Some((x, y)) {
            put(&mut self.out, format_args!("\x1b[{};{}H", y + 1, x + 1));
            self.at = Some((x, y));
        }
    }

    fn cell(&mut self, x: u16, y: u16, cell: &Cell, extra: Extra, cols: u16) {
        let symbol = cell.symbol();
        let columns = width(cell);
        self.move_to(x, y);
        let (fg, bg) = (self.shown(cell.fg), self.shown(cell.bg));
        self.set_style((fg, bg, cell.modifier, self.shown_extra(extra)));
        if columns == 0 || symbol.is_empty() || x + columns > cols {
            // A spacer without its wide cell, or a wide cell without its spacer.
            self.out.push(b' ');
            self.at = Some((x + 1, y));
            return;
        }
        let steady = steady(symbol);
        if !steady && columns > 1 {
            // A terminal that thinks the cluster narrow must not keep what stood beside it.
            self.out
                .extend(std::iter::repeat_n(b' ', usize::from(columns)));
            self.at = None;
            self.move_to(x, y);
        }
        self.out.extend_from_slice(symbol.as_bytes());
        let sure = steady && columns == 1 && symbol.width() == 1;
        self.at = (sure && x + 1 < cols).then_some((x + 1, y));
    }

    /// The colour as the terminal can show it.
    fn shown(&self, colour: Color) -> Color {
        match colour {
            Color::Rgb(r, g, b) => match self.ability.colour(Colour::Rgb(r, g, b)) {
                Colour::Indexed(n) => Color::Indexed(n),
                _ => colour,
            },
            colour => colour,
        }
    }

    /// What the terminal can show of it; the link is told apart from styles.
    fn shown_extra(&self, extra: Extra) -> Extra {
        let plain = !self.ability.shapes;
        Extra {
            underline: match extra.underline {
                Underline::None => Underline::None,
                _ if plain => Underline::Single,
                shape => shape,
            },
            underline_colour: match extra.underline_colour {
                _ if plain => Colour::Default,
                colour => self.ability.colour(colour),
            },
            overline: extra.overline,
            link: 0,
        }
    }

    /// Writes only what changes, from plain when something must be taken away.
    fn set_style(&mut self, style: PenStyle) {
        if style == self.style {
            return;
        }
        let (fg, bg, modifier, extra) = style;
        let (_, _, old_modifier, old_extra) = self.style;
        let mut codes = String::new();
        if !modifier.contains(old_modifier) || (old_extra != extra && old_extra != Extra::default())
        {
            codes.push_str(";0");
            self.style = PLAIN;
        }
        let added = modifier - self.style.2;
        for (flag, code) in MODIFIERS {
            if added.contains(flag) {
                codes.push_str(code);
            }
        }
        if fg != self.style.0 {
            push_colour(&mut codes, fg, 30, "38");
        }
        if bg != self.style.1 {
            push_colour(&mut codes, bg, 40, "48");
        }
        if !codes.is_empty() {
            put(&mut self.out, format_args!("\x1b[{}m", &codes[1..]));
        }
        if extra != self.style.3 {
            self.set_extra(extra);
        }
        self.style = style;
    }

    /// In sequences of their own: a terminal that knows no sub-parameters drops only these, and
    /// the plain underline before them stays.
    fn set_extra(&mut self, extra: Extra) {
        if extra.underline as u8 > Underline::Single as u8 {
            put(
                &mut self.out,
                format_args!("\x1b[4:{}m", extra.underline as u8),
            );
        }
        match extra.underline_colour {
            Colour::Default => {}
            Colour::Indexed(n) => put(&mut self.out, format_args!("\x1b[58:5:{n}m")),
            Colour::Rgb(r, g, b) => put(&mut self.out, format_args!("\x1b[58:2::{r}:{g}:{b}m")),
        }
        if extra.overline {
            self.out.extend_from_slice(b"\x1b[53m");
        }
    }
}

const MODIFIERS: [(Modifier, &str); 8] = [
    (Modifier::BOLD, ";1"),
    (Modifier::DIM, ";2"),
    (Modifier::ITALIC, ";3"),
    (Modifier::UNDERLINED, ";4"),
    (Modifier::SLOW_BLINK, ";5"),
    (Modifier::REVERSED, ";7"),
    (Modifier::HIDDEN, ";8"),
    (Modifier::CROSSED_OUT, ";9"),
];

fn push_colour(codes: &mut String, colour: Color, base: u8, extended: &str) {
    use std::fmt::Write as _;
    let index = match colour {
        Color::Reset => None,
        Color::Rgb(r, g, b) => {
            // Writing to a String cannot fail.
            let _ = write!(codes, ";{extended};2;{r};{g};{b}");
            return;
        }
        Color::Indexed(n) => Some(n),
        Color::Black => Some(0),
        Color::Red => Some(1),
        Color::Green => Some(2),
        Color::Yellow => Some(3),
        Color::Blue => Some(4),
        Color::Magenta => Some(5),
        Color::Cyan => Some(6),
        Color::Gray => Some(7),
        Color::DarkGray => Some(8),
        Color::LightRed => Some(9),
        Color::LightGreen => Some(10),
        Color::LightYellow => Some(11),
        Color::LightBlue => Some(12),
        Color::LightMagenta => Some(13),
        Color::LightCyan => Some(14),
        Color::White => Some(15),
    };
    let written = match index {
        None => write!(codes, ";{}", base + 9),
        Some(n @ 0..=7) => write!(codes, ";{}", base + n),
        Some(n @ 8..=15) => write!(codes, ";{}", base + 52 + n),
        Some(n) => write!(codes, ";{extended};5;{n}"),
    };
    let _ = written;
}

fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Writing to a Vec cannot fail.
    drop(out.write_fmt(text));
}

#[cfg(test)]
mod styles;
#[cfg(test)]
mod tests;
