//! Frames on terminals that disagree about widths.

use super::*;
use crate::links::Links;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthChar;

/// A terminal that may disagree with us about widths: it knows what a frame uses and no more.
struct Outer {
    cols: usize,
    cells: Vec<String>,
    at: (usize, usize),
    wrap: bool,
    /// Width of a char, by that terminal's own lights.
    char_width: fn(char) -> usize,
}

/// Counts VS16 emoji as narrow, as tmux 3.3 does, and draws ZWJ parts one by one.
fn narrow_minded(c: char) -> usize {
    match c {
        '\u{fe0f}' | '\u{200d}' | '\u{20e3}' => 0,
        _ => c.width().unwrap_or(0),
    }
}

/// East Asian habits: everything ambiguous is wide.
fn wide_minded(c: char) -> usize {
    match c {
        '\u{fe0f}' | '\u{200d}' | '\u{20e3}' => 0,
        '\u{2600}'..='\u{27bf}' => 2,
        // Box drawing stays narrow: such terminals special-case it, or no border would fit.
        '\u{2500}'..='\u{257f}' => 1,
        _ => c.width_cjk().unwrap_or(0),
    }
}

impl Outer {
    fn new(cols: u16, rows: u16, char_width: fn(char) -> usize) -> Self {
        let cells = vec![" ".to_owned(); usize::from(cols) * usize::from(rows)];
        Self {
            cols: cols.into(),
            cells,
            at: (0, 0),
            wrap: true,
            char_width,
        }
    }

    fn feed(&mut self, bytes: &[u8]) {
        let text = std::str::from_utf8(bytes).unwrap();
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            if c != '\x1b' {
                self.print(c);
                continue;
            }
            assert_eq!(chars.next(), Some('['));
            let mut body = String::new();
            let end = loop {
                match chars.next().unwrap() {
                    c @ '@'..='~' => break c,
                    c => body.push(c),
                }
            };
            match (body.as_str(), end) {
                ("2", 'J') => self.cells.fill(" ".to_owned()),
                ("?7", 'h') => self.wrap = true,
                ("?7", 'l') => self.wrap = false,
                (place, 'H') => {
                    let (y, x) = place.split_once(';').unwrap();
                    self.at = (
                        x.parse::<usize>().unwrap() - 1,
                        y.parse::<usize>().unwrap() - 1,
                    );
                }
                (_, 'm' | 'q' | 'h' | 'l') => {}
                other => panic!("unexpected {other:?}"),
            }
        }
    }

    fn print(&mut self, c: char) {
        let width = (self.char_width)(c);
        let (x, y) = self.at;
        if width == 0 {
            return;
        }
        let x = if x + width > self.cols {
            assert!(!self.wrap, "a frame must not wrap");
            self.cols - width
        } else {
            x
        };
        self.blank_halves(x, y);
        self.blank_halves(x + width - 1, y);
        let row = y * self.cols;
        self.cells[row + x] = c.to_string();
        if width == 2 {
            self.cells[row + x + 1] = String::new();
        }
        self.at = (x + width, y);
    }

    /// Writing over one half of a wide character clears the other.
    fn blank_halves(&mut self, x: usize, y: usize) {
        let i = y * self.cols + x;
        if self.cells[i].is_empty() {
            self.cells[i - 1] = " ".to_owned();
            self.cells[i] = " ".to_owned();
        } else if x + 1 < self.cols && self.cells[i + 1].is_empty() {
            self.cells[i + 1] = " ".to_owned();
        }
    }

    fn row(&self, y: usize) -> String {
        self.cells[y * self.cols..(y + 1) * self.cols].concat()
    }

    fn column(&self, x: usize) -> String {
        self.cells
            .iter()
            .skip(x)
            .step_by(self.cols)
            .cloned()
            .collect()
    }
}

const COLS: u16 = 30;
const ROWS: u16 = 3;

/// A frame: `text` in each row (clusters as they are, `_` is the spacer of the one before), a
/// border in the last two columns.
fn frame(painter: &mut Painter, text: &[&str]) -> Canvas {
    let mut canvas = painter.blank(COLS, ROWS);
    for (y, row) in (0..ROWS).zip(text) {
        let mut cells: Vec<term::Cell> = Vec::new();
        for cluster in row.split('.').filter(|c| !c.is_empty()) {
            let style = term::Style::default();
            if let Some(wide) = cluster.strip_prefix('+') {
                cells.push(term::Cell {
                    text: wide.into(),
                    width: 2,
                    style,
                });
                cells.push(term::Cell {
                    text: "".into(),
                    width: 0,
                    style,
                });
            } else {
                cells.push(term::Cell::narrow(cluster, style));
            }
        }
        canvas.put_cells((0, y), COLS - 2, &cells, &mut Links::none());
    }
    for y in 0..ROWS {
        let buffer = canvas.part(Rect::new(COLS - 2, y, 2, 1));
        buffer[(COLS - 2, y)].set_symbol("│");
        buffer[(COLS - 1, y)].set_symbol("#");
    }
    canvas
}

/// Clusters terminals count differently (`+` says we count two columns).
const HARD: &str = "a. .+⚠️. .b.+➡️.c.+✔️.+👨‍👩‍👧.+🇮🇳.+1️⃣.±.§.é.+日.+本.X";

fn disagreeing() -> [fn(char) -> usize; 2] {
    [narrow_minded, wide_minded]
}

#[test]
fn borders_stand_whatever_the_outer_terminal_thinks() {
    for char_width in disagreeing() {
        let mut outer = Outer::new(COLS, ROWS, char_width);
        let mut painter = Painter::default();
        for text in [
            [HARD; 3],
            ["x.y"; 3],
            [HARD, "", HARD],
            ["+日.+本", HARD, ""],
        ] {
            let canvas = frame(&mut painter, &text);
            outer.feed(&painter.paint(canvas, None));
            assert_eq!(outer.column(usize::from(COLS) - 2), "│││", "{text:?}");
            assert_eq!(outer.column(usize::from(COLS) - 1), "###", "{text:?}");
        }
    }
}

#[test]
fn nothing_stays_behind_after_clear() {
    for char_width in disagreeing() {
        for start in 0..27 {
            let mut outer = Outer::new(COLS, ROWS, char_width);
            let mut painter = Painter::default();
            let shifted = format!("{}{HARD}", "q.".repeat(start));
            let canvas = frame(&mut painter, &[&shifted, HARD, &shifted]);
            outer.feed(&painter.paint(canvas, None));
            let canvas = frame(&mut painter, &["", "", ""]);
            outer.feed(&painter.paint(canvas, None));
            let want = format!("{}│#", " ".repeat(usize::from(COLS) - 2));
            assert_eq!(
                [outer.row(0), outer.row(1), outer.row(2)],
                [(); 3].map(|()| want.clone())
            );
        }
    }
}

#[test]
fn plain_text_right_of_a_hard_cluster_stays_in_its_column() {
    for char_width in disagreeing() {
        let mut outer = Outer::new(COLS, ROWS, char_width);
        let mut painter = Painter::default();
        let canvas = frame(&mut painter, &["+⚠️.1.2.3.+👨‍👩‍👧.4.5.6.7.8", "", ""]);
        outer.feed(&painter.paint(canvas, None));
        let canvas = frame(&mut painter, &["+⚠️.1.Z.3.+👨‍👩‍👧.4.5.6.7.9", "", ""]);
        outer.feed(&painter.paint(canvas, None));
        let row = &outer.cells[..usize::from(COLS)];
        assert_eq!(row[2..5].concat(), "1Z3");
        assert_eq!(row[7..12].concat(), "45679");
    }
}

/// Letters that UAX #29 joins keep a column each: none is written over by the next (Thai SARA AM, Devanagari),
/// and where the terminal drew two in one, what follows stands in its own column all the same.
#[test]
fn letters_with_a_column_of_their_own_are_all_there() {
    let joining = |c: char| match c {
        '\u{e33}' | '\u{93f}' | '\u{940}' | '\u{937}' => 0,
        c => narrow_minded(c),
    };
    let split = |text: &str| {
        let parts: Vec<&str> = term::width::clusters(text).map(|it| it.0).collect();
        parts.join(".")
    };
    let texts = ["ทำงาน", "हिन्दी", "क्ष"];
    for (char_width, whole) in [(narrow_minded as fn(char) -> usize, true), (joining, false)] {
        let mut outer = Outer::new(COLS, ROWS, char_width);
        let mut painter = Painter::default();
        for end in ["|12", "|19"] {
            let rows = texts.map(|text| split(&format!("{text}{end}")));
            let canvas = frame(&mut painter, &rows.each_ref().map(String::as_str));
            outer.feed(&painter.paint(canvas, None));
            for (y, text) in texts.into_iter().enumerate() {
                let columns = term::width::text_width(text);
                let row = &outer.cells[y * usize::from(COLS)..][..usize::from(COLS)];
                assert_eq!(row[columns..columns + 3].concat(), end, "{text}");
                if whole {
                    // This terminal of ours shows no marks.
                    let plain: String = text.chars().filter(|c| c.width() != Some(0)).collect();
                    assert_eq!(row[..columns].concat(), plain);
                }
            }
        }
    }
}

#[test]
fn an_unchanged_frame_costs_nothing() {
    let mut painter = Painter::default();
    let place = Some(CursorPlace {
        x: 1,
        y: 1,
        shape: 0,
    });
    let canvas = frame(&mut painter, &[HARD; 3]);
    assert!(!painter.paint(canvas, place).is_empty());
    let canvas = frame(&mut painter, &[HARD; 3]);
    assert_eq!(painter.paint(canvas, place), b"");
    let canvas = frame(&mut painter, &[HARD; 3]);
    let moved = painter.paint(
        canvas,
        Some(CursorPlace {
            x: 2,
            y: 1,
            shape: 4,
        }),
    );
    assert_eq!(
        String::from_utf8(moved).unwrap().replace('\x1b', "^"),
        "^[?2026h^[?25l^[?7l^[m^[m^[?7h^[4 q^[2;3H^[?25h^[?2026l"
    );
}

#[test]
fn every_style_is_told() {
    let check = |style: term::Style, want: &str| {
        let mut painter = Painter::default();
        let mut canvas = painter.blank(4, 1);
        let cells = [term::Cell::narrow("x", style)];
        canvas.put_cells((0, 0), 4, &cells, &mut Links::none());
        let bytes = String::from_utf8(painter.paint(canvas, None))
            .unwrap()
            .replace('\x1b', "^");
        let middle = bytes
            .split("^[1;1H")
            .nth(1)
            .unwrap()
            .split('x')
            .next()
            .unwrap()
            .to_owned();
        assert_eq!(middle, want);
    };
    let plain = term::Style::default();
    let flags = |bits: u8| term::Style {
        flags: term::StyleFlags(bits),
        ..plain
    };
    check(plain, "");
    check(flags(1 | 2 | 4), "^[1;2;3m");
    check(flags(8 | 16 | 32 | 64), "^[5;7;8;9m");
    check(flags(128), "^[53m");
    check(
        term::Style {
            fg: Colour::Indexed(1),
            bg: Colour::Indexed(12),
            ..plain
        },
        "^[31;104m",
    );
    check(
        term::Style {
            fg: Colour::Indexed(200),
            ..plain
        },
        "^[38;5;200m",
    );
    check(
        term::Style {
            bg: Colour::Rgb(1, 2, 3),
            ..plain
        },
        "^[48;2;1;2;3m",
    );
    let curly = term::Style {
        underline: Underline::Curly,
        underline_colour: Colour::Rgb(9, 8, 7),
        ..plain
    };
    check(curly, "^[4m^[4:3m^[58:2::9:8:7m");
}

#[test]
fn styles_do_not_leak_into_the_next_cell() {
    let mut painter = Painter::default();
    let mut canvas = painter.blank(4, 1);
    let bold = term::Style {
        flags: term::StyleFlags(1),
        ..term::Style::default()
    };
    let red = term::Style {
        fg: Colour::Indexed(1),
        ..bold
    };
    let plain = term::Style::default();
    let cells = [("a", bold), ("b", red), ("c", plain)].map(|(t, s)| term::Cell::narrow(t, s));
    canvas.put_cells((0, 0), 4, &cells, &mut Links::none());
    let bytes = String::from_utf8(painter.paint(canvas, None))
        .unwrap()
        .replace('\x1b', "^");
    assert!(bytes.contains("^[1ma^[31mb^[0mc"), "{bytes}");
}

#[test]
fn a_wide_cell_cut_by_the_edge_is_a_blank() {
    let mut painter = Painter::default();
    let mut canvas = painter.blank(3, 1);
    let style = term::Style::default();
    let wide = |text: &str| term::Cell {
        text: text.into(),
        width: 2,
        style,
    };
    let spacer = term::Cell {
        text: "".into(),
        width: 0,
        style,
    };
    let cells = [wide("日"), spacer.clone(), wide("本"), spacer];
    canvas.put_cells((0, 0), 3, &cells, &mut Links::none());
    assert_eq!(canvas.buffer()[(2, 0)].symbol(), " ");
    assert_eq!(canvas.area(), Rect::new(0, 0, 3, 1));
    let mut outer = Outer::new(3, 1, narrow_minded);
    outer.feed(&painter.paint(canvas, None));
    assert_eq!(outer.row(0), "日 ");
}
