//! Every attribute a pane can have, on an outer terminal that knows them all, and on lesser ones.

use super::*;
use crate::links::Links;
use std::fmt::Write as _;
use std::sync::Arc;
use term::{Cell, Options, Silent, Size, Terminal};

const COLS: u16 = 12;
const ROWS: u16 = 3;

fn terminal() -> Terminal {
    let options = Options {
        engine: term::EngineKind::Grid,
        ..Options::default()
    };
    Terminal::new(Size::new(COLS, ROWS), &options)
}

/// The frame that shows pane `pane`.
fn paint(painter: &mut Painter, pane: u32, terminal: &Terminal) -> Vec<u8> {
    let mut canvas = painter.blank(COLS, ROWS);
    let find = |id| terminal.link(id);
    let mut links = Links::new(pane, &find);
    for y in 0..ROWS {
        canvas.put_row((0, y), COLS, (&Arc::new(terminal.row(y)), 0), &mut links);
    }
    painter.paint(canvas, None)
}

fn readable(bytes: &[u8]) -> String {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let text = text.replace("\x1b\\", "$").replace('\x1b', "^");
    text.replace("^[?2026h^[?25l^[?7l^[m", "")
        .replace("^[m^[?7h^[?2026l", "")
}

/// What a cell looks like, the link by what it means; `pane`'s links as they should arrive.
fn looks(terminal: &Terminal, pane: Option<u32>) -> Vec<(String, term::Style, Option<String>)> {
    let look = |cell: Cell| {
        let link = cell.style.link.and_then(|id| terminal.link(id));
        let link = link.map(|link| match pane {
            Some(pane) => match link.strip_prefix("id=") {
                Some(rest) => format!("id=p{pane}-{rest}"),
                None => format!("id=p{pane}{link}"),
            },
            None => link,
        });
        let style = term::Style {
            link: None,
            ..cell.style
        };
        (cell.text.as_str().trim().to_owned(), style, link)
    };
    let rows = (0..ROWS).flat_map(|y| terminal.row(y).cells);
    rows.map(look).collect()
}

/// The same numbers for a given seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn colour(&mut self, base: u64) -> String {
        match self.roll(4) {
            0 => String::new(),
            1 => format!("\x1b[{base}:5:{}m", self.roll(256)),
            _ => {
                let (r, g, b) = (self.roll(256), self.roll(256), self.roll(256));
                format!("\x1b[{base}:2::{r}:{g}:{b}m")
            }
        }
    }

    /// A program changes one attribute, or everything, of a cell whose letter mostly stays.
    fn change(&mut self) -> String {
        let (x, y) = (self.roll(COLS.into()) + 1, self.roll(ROWS.into()) + 1);
        let mut out = format!("\x1b[{y};{x}H\x1b[m");
        for code in [1, 2, 3, 5, 7, 8, 9, 53] {
            if self.roll(3) == 0 {
                let _ = write!(out, "\x1b[{code}m");
            }
        }
        let _ = write!(out, "\x1b[4:{}m", self.roll(6));
        for base in [38, 48, 58] {
            out.push_str(&self.colour(base));
        }
        out.push_str(match self.roll(6) {
            0 => "\x1b]8;;http://a/\x1b\\",
            1 => "\x1b]8;;http://b/\x1b\\",
            2 => "\x1b]8;id=1;http://a/\x1b\\",
            3 => "\x1b]8;id=2:x=y;http://a/\x1b\\",
            _ => "",
        });
        out.push(if self.roll(4) == 0 { 'b' } else { 'a' });
        out.push_str("\x1b]8;;\x1b\\");
        out
    }
}

/// Every frame of 3,000 that changes a few cells, often in one attribute alone, arrives whole.
#[test]
fn every_attribute_arrives_in_every_frame() {
    let (mut pane, mut outer, mut painter) = (terminal(), terminal(), Painter::default());
    let mut dice = Dice(7);
    for frame in 0..3_000 {
        for _ in 0..=dice.roll(4) {
            pane.advance(dice.change().as_bytes(), &mut Silent);
        }
        outer.advance(&paint(&mut painter, 7, &pane), &mut Silent);
        assert_eq!(looks(&outer, None), looks(&pane, Some(7)), "frame {frame}");
    }
}

#[test]
fn a_change_of_one_attribute_is_drawn() {
    for change in [
        "1",
        "2",
        "3",
        "4",
        "4:2",
        "4:3",
        "4:4",
        "4:5",
        "5",
        "7",
        "8",
        "9",
        "53",
        "38;5;9",
        "48;2;1;2;3",
        "1;2",
        "4;58:5:3",
        "4:3;58:2::1:2:3",
    ] {
        let (mut pane, mut painter) = (terminal(), Painter::default());
        pane.advance(b"abc", &mut Silent);
        paint(&mut painter, 1, &pane);
        pane.advance(format!("\x1b[1;2H\x1b[{change}mb").as_bytes(), &mut Silent);
        let bytes = readable(&paint(&mut painter, 1, &pane));
        assert!(
            bytes.starts_with("^[1;2H^[") && bytes.ends_with("mb"),
            "{change}: {bytes}"
        );
    }
}

#[test]
fn a_link_is_passed_on_and_never_left_open() {
    let check = |output: &str, want: &str| {
        let (mut pane, mut painter) = (terminal(), Painter::default());
        paint(&mut painter, 3, &pane);
        pane.advance(output.replace('^', "\x1b").as_bytes(), &mut Silent);
        assert_eq!(readable(&paint(&mut painter, 3, &pane)), want);
    };
    check(
        "a^]8;;http://x/^\\bc^]8;;^\\d",
        "^[1;1Ha^]8;id=p3;http://x/$bc^]8;;$d",
    );
    check(
        "^]8;id=k;http://x/^\\b",
        "^[1;1H^]8;id=p3-k;http://x/$b^]8;;$",
    );
    // Side by side, and behind a target that is none.
    check(
        "^]8;;http://x/^\\a^]8;;http://y/^\\b^]8;;^\\c",
        "^[1;1H^]8;id=p3;http://x/$a^]8;id=p3;http://y/$b^]8;;$c",
    );
}

/// Numbers of links are each frame's own: another target behind the same number is a change, the
/// same target behind another number is none.
#[test]
fn a_link_is_compared_by_its_target() {
    let (mut one, mut two, mut painter) = (terminal(), terminal(), Painter::default());
    one.advance(b"\x1b]8;;http://x/\x1b\\a", &mut Silent);
    two.advance(
        b"\x1b]8;;http://y/\x1b\\a\x1b[H\x1b]8;;http://x/\x1b\\a",
        &mut Silent,
    );
    paint(&mut painter, 1, &one);
    assert_eq!(paint(&mut painter, 1, &two), b"");
    assert_eq!(
        readable(&paint(&mut painter, 2, &two)),
        "^[1;1H^]8;id=p2;http://x/$a^]8;;$"
    );
}

#[test]
fn a_lesser_terminal_gets_what_it_can_show() {
    let output = "\x1b[4:3;58:2::1:2:3;38;2;255;0;0;48;2;8;8;8m\x1b]8;;http://x/\x1b\\a";
    let check = |ability: Ability, want: &str| {
        let (mut pane, mut painter) = (terminal(), Painter::new(ability));
        paint(&mut painter, 1, &pane);
        pane.advance(output.as_bytes(), &mut Silent);
        assert_eq!(readable(&paint(&mut painter, 1, &pane)), want);
    };
    let full = Ability::default();
    check(
        Ability { rgb: false, ..full },
        "^[1;1H^]8;id=p1;http://x/$^[4;38;5;196;48;5;232m^[4:3m^[58:5:16ma^]8;;$",
    );
    let plain = Ability {
        rgb: false,
        shapes: false,
        links: false,
        ..full
    };
    check(plain, "^[1;1H^[4;38;5;196;48;5;232ma");
}
