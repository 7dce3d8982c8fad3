//! Pictures of panes on the outer terminal.
//!
//! In: which pictures are to be seen, and where. Out: rectangles whose cells must be written anew
//! (text over a sixel picture erases it), bytes that take pictures away, bytes that draw them.
//! Promises: a picture is drawn only by a terminal that can, and once as long as it stays where it
//! is, as is each frame of an animation; numbers of kitty pictures are ours, so two panes never touch
//! each other's.

use super::put;
use crate::ability::Ability;
use crate::canvas::Canvas;
use ratatui::layout::Rect;
use term::{Picture, PictureKind};

/// First of the numbers kitty pictures get here.
const FIRST_NUMBER: u32 = 0x00ab_1de0;
/// How many numbers there are before they are used again; a pane shows far fewer at once.
const NUMBERS: u32 = 1 << 12;

/// A picture of a pane and the corner where it is seen on the outer terminal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Placed {
    /// The pane.
    pub(crate) pane: u32,
    /// Column and row.
    pub(crate) corner: (u16, u16),
    /// It.
    pub(crate) picture: Picture,
}

impl Placed {
    fn area(&self) -> Rect {
        let (width, height) = self.picture.cells;
        Rect::new(self.corner.0, self.corner.1, width, height)
    }

    fn is(&self, other: &Self) -> bool {
        let key = |placed: &Self| (placed.pane, placed.picture.id, placed.corner);
        key(self) == key(other)
    }
}

/// A picture that is on the outer terminal.
#[derive(Debug)]
struct Drawn {
    placed: Placed,
    /// kitty's number.
    number: u32,
    /// How many of its frames the terminal has.
    frames: usize,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Pictures {
    wanted: Vec<Placed>,
    drawn: Vec<Drawn>,
    last_number: u32,
}

/// What a frame does about pictures.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Cells to write anew.
    pub(super) spoiled: Vec<Rect>,
    /// Before the text.
    pub(super) before: Vec<u8>,
    /// Behind the text.
    pub(super) behind: Vec<u8>,
}

impl Pictures {
    /// What the next frame shows.
    pub(super) fn want(&mut self, all: Vec<Placed>) {
        self.wanted = all;
    }

    /// What is to be done on a terminal of that size; `whole`: all of it is painted anew.
    pub(super) fn plan(&mut self, ability: Ability, size: Rect, whole: bool) -> Plan {
        let mut plan = Plan::default();
        if self.wanted.is_empty() && self.drawn.is_empty() {
            return plan;
        }
        let seen = |placed: &Placed| {
            let area = placed.area();
            // Behind a sixel picture the cursor goes to the next row, which must not scroll.
            let room = size.height - u16::from(placed.picture.kind == PictureKind::Sixel);
            ability.shows(placed.picture.kind)
                && area.right() <= size.width
                && area.bottom() <= room
        };
        let wanted: Vec<Placed> = self.wanted.iter().filter(|p| seen(p)).cloned().collect();
        let stays = |drawn: &Placed| !whole && wanted.iter().any(|placed| placed.is(drawn));
        let (mut kept, gone): (Vec<_>, Vec<_>) = std::mem::take(&mut self.drawn)
            .into_iter()
            .partition(|drawn| stays(&drawn.placed));
        for Drawn { placed, number, .. } in &gone {
            match placed.picture.kind {
                PictureKind::Kitty => {
                    put(
                        &mut plan.before,
                        format_args!("\x1b_Ga=d,d=I,i={number},q=2\x1b\\"),
                    );
                }
                PictureKind::Sixel | PictureKind::File => plan.spoiled.push(placed.area()),
            }
        }
        // What is written over is drawn again.
        kept.retain(|Drawn { placed, .. }| {
            let hit = |area: &Rect| area.intersects(placed.area());
            placed.picture.kind == PictureKind::Kitty || !plan.spoiled.iter().any(hit)
        });
        for placed in wanted {
            let known = kept.iter_mut().find(|drawn| drawn.placed.is(&placed));
            if let Some(drawn) = known {
                drawn.animate(&placed, &mut plan.behind);
                continue;
            }
            self.last_number = (self.last_number + 1) % NUMBERS;
            let number = FIRST_NUMBER + self.last_number;
            draw(&placed, number, &mut plan.behind);
            let mut drawn = Drawn {
                placed: placed.clone(),
                number,
                frames: 0,
            };
            drawn.animate(&placed, &mut plan.behind);
            kept.push(drawn);
        }
        self.drawn = kept;
        plan
    }
}

impl Drawn {
    /// Frames that came since.
    fn animate(&mut self, now: &Placed, out: &mut Vec<u8>) {
        let frames = now.picture.frames.iter().skip(self.frames);
        for frame in frames {
            if let Some(rest) = frame.strip_prefix(b"\x1b_G") {
                put(out, format_args!("\x1b_Gi={},", self.number));
                out.extend_from_slice(rest);
            }
        }
        self.frames = now.picture.frames.len();
    }
}

fn draw(placed: &Placed, number: u32, out: &mut Vec<u8>) {
    let (x, y) = placed.corner;
    put(out, format_args!("\x1b[{};{}H", y + 1, x + 1));
    let bytes = placed.picture.bytes.as_slice();
    match bytes.strip_prefix(b"\x1b_G") {
        Some(rest) => {
            put(out, format_args!("\x1b_Gi={number},C=1,"));
            out.extend_from_slice(rest);
        }
        None => out.extend_from_slice(bytes),
    }
}

/// Makes the frame that is shown differ from any other in these cells.
pub(super) fn spoil(last: &mut Canvas, areas: &[Rect]) {
    for area in areas {
        let area = area.intersection(last.area());
        let buffer = last.part(area);
        for y in area.y..area.bottom() {
            for x in area.x..area.right() {
                buffer[(x, y)].set_symbol("\u{1}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paint::Painter;
    use std::sync::Arc;

    fn placed(pane: u32, id: u64, kind: PictureKind, corner: (u16, u16)) -> Placed {
        let bytes: &[u8] = match kind {
            PictureKind::Kitty => b"\x1b_Gq=2,a=T;AA\x1b\\",
            PictureKind::Sixel => b"\x1bP0;1q~\x1b\\",
            PictureKind::File => b"\x1b]1337;File=:AA\x1b\\",
        };
        Placed {
            pane,
            corner,
            picture: Picture {
                id,
                kind,
                at: (0, 0),
                cells: (3, 2),
                bytes: Arc::new(bytes.to_vec()),
                frames: Vec::new(),
            },
        }
    }

    fn painter() -> Painter {
        let mut painter = Painter::new(Ability {
            kitty: true,
            files: true,
            sixel: true,
            ..Ability::default()
        });
        painter.paint(Canvas::new(10, 5), None);
        painter
    }

    fn frame(painter: &mut Painter, all: &[Placed]) -> String {
        painter.want(all.to_vec());
        let canvas = painter.blank(10, 5);
        let bytes = painter.paint(canvas, None);
        String::from_utf8(bytes).unwrap().replace('\x1b', "^")
    }

    fn frame_of(painter: &mut Painter, one: &Placed) -> String {
        frame(painter, std::slice::from_ref(one))
    }

    #[test]
    fn a_picture_is_drawn_once_and_taken_away_once() {
        for (kind, drawn, gone) in [
            (PictureKind::Sixel, "^[2;3H^P0;1q~^\\", "^[2;3H   ^[3;3H   "),
            (
                PictureKind::File,
                "^[2;3H^]1337;File=:AA^\\",
                "^[2;3H   ^[3;3H   ",
            ),
            (
                PictureKind::Kitty,
                "^[2;3H^_Gi=11214305,C=1,q=2,a=T;AA^\\",
                "^_Ga=d,d=I,i=11214305,q=2^\\",
            ),
        ] {
            let mut painter = painter();
            let one = [placed(1, 1, kind, (2, 1))];
            let bytes = frame(&mut painter, &one);
            assert!(bytes.contains(drawn), "{bytes}");
            assert_eq!(frame(&mut painter, &one), "", "nothing changed");
            let bytes = frame(&mut painter, &[]);
            assert!(bytes.contains(gone) && !bytes.contains('P'), "{bytes}");
            assert_eq!(frame(&mut painter, &[]), "");
        }
    }

    #[test]
    fn frames_are_passed_on_once() {
        let mut painter = painter();
        let string = |text: &str| Arc::new(format!("\x1b_Gq=2,{text}\x1b\\").into_bytes());
        let mut one = placed(1, 1, PictureKind::Kitty, (2, 1));
        one.picture.frames = vec![string("a=f;AA")];
        let bytes = frame_of(&mut painter, &one);
        let both = "^_Gi=11214305,C=1,q=2,a=T;AA^\\^_Gi=11214305,q=2,a=f;AA^\\";
        assert!(bytes.contains(both), "{bytes}");
        one.picture.frames.push(string("a=a,s=3"));
        let bytes = frame_of(&mut painter, &one);
        assert!(bytes.contains("^_Gi=11214305,q=2,a=a,s=3^\\"), "{bytes}");
        assert!(!bytes.contains("a=T") && !bytes.contains("a=f"), "{bytes}");
        assert_eq!(frame_of(&mut painter, &one), "");
    }

    #[test]
    fn a_picture_that_moved_is_drawn_there() {
        let mut painter = painter();
        frame(&mut painter, &[placed(1, 1, PictureKind::Sixel, (0, 1))]);
        let bytes = frame(&mut painter, &[placed(1, 1, PictureKind::Sixel, (0, 0))]);
        let (text, picture) = bytes.split_once("^P").unwrap();
        assert!(text.contains("^[2;1H   ^[3;1H   "), "erased first: {bytes}");
        assert!(picture.starts_with("0;1q~"));
    }

    /// Erasing one of two that touch erases a part of the other.
    #[test]
    fn neighbours_are_drawn_again() {
        let mut painter = painter();
        let a = placed(1, 1, PictureKind::Sixel, (0, 0));
        let b = placed(2, 1, PictureKind::Sixel, (2, 1));
        let c = placed(3, 1, PictureKind::Sixel, (6, 0));
        frame(&mut painter, &[a, b.clone(), c.clone()]);
        let bytes = frame(&mut painter, &[b, c]);
        assert_eq!(bytes.matches("^P0;1q").count(), 1, "{bytes}");
        painter.forget();
        let both = [
            placed(2, 1, PictureKind::Sixel, (2, 1)),
            placed(3, 1, PictureKind::Sixel, (6, 0)),
        ];
        assert_eq!(frame(&mut painter, &both).matches("^P0;1q").count(), 2);
    }

    #[test]
    fn what_cannot_be_shown_is_not_drawn() {
        let mut painter = Painter::new(Ability::default());
        painter.paint(Canvas::new(10, 5), None);
        for kind in [PictureKind::Sixel, PictureKind::File, PictureKind::Kitty] {
            assert_eq!(frame(&mut painter, &[placed(1, 1, kind, (0, 0))]), "");
        }
        let mut painter = self::painter();
        let out = placed(1, 1, PictureKind::Kitty, (8, 0));
        assert_eq!(frame(&mut painter, &[out]), "");
        // The last row is one too low for sixel, whose cursor goes below.
        let low = |kind| [placed(1, 1, kind, (0, 3))];
        assert_eq!(frame(&mut painter, &low(PictureKind::Sixel)), "");
        assert_ne!(frame(&mut painter, &low(PictureKind::File)), "");
    }
}
