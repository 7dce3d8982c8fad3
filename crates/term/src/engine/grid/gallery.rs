//! Pictures over the cells of a viewer's terminal. In: pictures and what happens to the cells; out:
//! those still shown. They are no part of the screen: a snapshot has none, the host keeps none.
//!
//! A picture moves with its rows when they scroll as a whole. It goes when a cell below it gets
//! another content, when it is erased, torn apart or partly scrolled away, when columns move, and
//! with a change of the size; and a kitty picture when the program takes it away. At most [`MOST`] and
//! the collector's limit of bytes are kept; the oldest go first.

use std::sync::Arc;

use super::cell::Cell;
use super::core::Core;
use super::shelf::{Shelf, drawn};
use crate::picture::{Act, Delete, Head, Moves, Name, Part, Picture, PictureKind, Place};
use crate::snapshot::Joins;

/// Most pictures at once.
const MOST: usize = 16;

/// Corner and cells of a picture.
type Area = ((u16, u16), (u16, u16));

/// A picture and what its cells were when it came.
#[derive(Debug)]
struct Shown {
    picture: Picture,
    alternate: bool,
    under: Vec<Cell>,
    /// The kept one it is, 0: none; its placement, and whether it is over or below others.
    kept: u64,
    placement: u32,
    z: i32,
}

/// A picture that has come in part.
#[derive(Debug)]
struct Coming {
    kind: PictureKind,
    act: Act,
    area: Option<Area>,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Gallery {
    limit: usize,
    all: Vec<Shown>,
    next: u64,
    coming: Option<Coming>,
    pub(super) shelf: Shelf,
    /// How many were to be shown.
    pub(super) asked: u64,
}

impl Gallery {
    /// Keeps up to `limit` bytes; with 0 it stays empty.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            shelf: Shelf::new(limit),
            ..Self::default()
        }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Nothing is shown any more.
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.coming = None;
    }

    /// Nothing is kept either, as after a reset.
    pub(super) fn forget(&mut self) {
        self.clear();
        self.shelf.clear();
    }

    /// The number of the next picture.
    pub(super) fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn bytes(&self) -> usize {
        let size = |picture: &Picture| {
            picture.bytes.len()
                + picture
                    .frames
                    .iter()
                    .map(|frame| frame.len())
                    .sum::<usize>()
        };
        self.all.iter().map(|shown| size(&shown.picture)).sum()
    }
}

impl Core {
    /// A string about pictures ended: the cursor makes way for one that it shows, and a viewer does
    /// what it says.
    pub(super) fn picture(&mut self, head: Head, bytes: Option<Vec<u8>>) {
        if head.counts {
            self.events.count_picture();
        }
        let cells = head.cells.filter(|_| !matches!(head.part, Part::Later(_)));
        let area = cells.and_then(|cells| self.make_way(cells, head.moves));
        if self.gallery.limit == 0 {
            return;
        }
        let coming = Coming {
            kind: head.kind,
            act: head.act,
            area,
        };
        match head.part {
            Part::First => self.gallery.coming = Some(coming),
            Part::Later(false) => {}
            Part::Later(true) => {
                if let Some(coming) = self.gallery.coming.take() {
                    self.act(coming, bytes);
                }
            }
            Part::Whole => self.act(coming, bytes),
        }
    }

    fn act(&mut self, coming: Coming, bytes: Option<Vec<u8>>) {
        let Coming { kind, act, area } = coming;
        match act {
            Act::Nothing => {}
            Act::Elsewhere => self.gallery.asked += 1,
            Act::Shows(name, place) => {
                self.gallery.asked += 1;
                let Some(bytes) = bytes else { return };
                if kind != PictureKind::Kitty {
                    let bytes = Arc::new(bytes);
                    return self.hang(kind, area, bytes, Vec::new(), (0, 0, 0));
                }
                let shown = Arc::new(drawn(&bytes, &place));
                let kept = self.keep(name, bytes);
                if place.by_text {
                    return self.stand_for(name, place);
                }
                self.hang(
                    kind,
                    area,
                    shown,
                    Vec::new(),
                    (kept, name.placement, place.z),
                );
            }
            Act::Keeps(name) => {
                if let Some(bytes) = bytes {
                    self.keep(name, bytes);
                }
            }
            Act::Places(name, place) => {
                self.gallery.asked += 1;
                if place.by_text {
                    return self.stand_for(name, place);
                }
                let Some(kept) = self.gallery.shelf.find(name) else {
                    return;
                };
                let (bytes, frames) = (Arc::new(kept.drawn(&place)), kept.frames.clone());
                let serial = kept.serial;
                self.hang(kind, area, bytes, frames, (serial, name.placement, place.z));
            }
            Act::Frame(name) => {
                if let Some(bytes) = bytes {
                    self.add_frame(name, bytes);
                }
            }
            Act::Plays(name, keys) => {
                let string = [crate::picture::collect::KITTY, &keys, b"\x1b\\"].concat();
                self.add_frame(name, string);
            }
            Act::Deletes(delete) => self.take_down(&delete),
        }
    }

    /// Keeps a picture that has a name; places of the one that had it before are gone.
    fn keep(&mut self, name: Name, bytes: Vec<u8>) -> u64 {
        let (serial, old) = self.gallery.shelf.put(name, bytes);
        if let Some(old) = old {
            self.gallery.all.retain(|shown| shown.kept != old);
        }
        serial
    }

    fn stand_for(&mut self, name: Name, place: Place) {
        let number = self.gallery.number();
        if let Some(kept) = self.gallery.shelf.find(name) {
            kept.by_text = Some((place, number));
        }
    }

    fn add_frame(&mut self, name: Name, string: Vec<u8>) {
        let Some((serial, frames)) = self.gallery.shelf.add(name, string) else {
            return;
        };
        for shown in self
            .gallery
            .all
            .iter_mut()
            .filter(|shown| shown.kept == serial)
        {
            shown.picture.frames.clone_from(&frames);
        }
    }

    /// Takes pictures away that kitty's `a=d` names.
    fn take_down(&mut self, delete: &Delete) {
        let here = self.on_alternate;
        let (x, y) = match delete.what {
            b'c' => (self.x, self.y),
            _ => {
                let from_one = |n: u32| usize::try_from(n).unwrap_or(0).wrapping_sub(1);
                (from_one(delete.x), from_one(delete.y))
            }
        };
        let gallery = &mut self.gallery;
        let on_screen = |serial: u64| {
            let mut all = gallery.all.iter();
            all.any(|shown| shown.alternate == here && shown.kept == serial)
        };
        let named = gallery.shelf.delete(delete, on_screen);
        gallery.all.retain(|shown| {
            let ((left, top), (cols, rows)) = (shown.picture.at, shown.picture.cells);
            let across = (usize::from(left)..usize::from(left + cols)).contains(&x);
            let down = (usize::from(top)..usize::from(top + rows)).contains(&y);
            let placed = delete.name.placement;
            let gone = match delete.what {
                b'a' => shown.picture.kind == PictureKind::Kitty,
                b'i' | b'n' => {
                    named.contains(&shown.kept) && (placed == 0 || placed == shown.placement)
                }
                b'r' => named.contains(&shown.kept),
                b'c' | b'p' => across && down,
                b'q' => across && down && shown.z == delete.z,
                b'x' => across,
                b'y' => down,
                b'z' => shown.z == delete.z,
                _ => false,
            };
            shown.alternate != here || shown.picture.kind != PictureKind::Kitty || !gone
        });
    }

    /// Moves the cursor past a picture of so many cells. Gives the picture's corner and cells, if
    /// all of it is on the screen then.
    fn make_way(&mut self, cells: (u16, u16), moves: Moves) -> Option<Area> {
        let (cols, rows) = (usize::from(cells.0), usize::from(cells.1));
        self.joins = Joins::No;
        let x = self.x;
        let down = match moves {
            Moves::Under | Moves::Beside => rows - 1,
            Moves::Stays => 0,
        };
        // A picture higher than the screen is not shown; the text above it leaves all the same.
        for _ in 0..down.min(self.rows()) {
            self.index();
        }
        let y = self.y.checked_sub(down);
        self.x = match moves {
            // As far as text would take it.
            Moves::Beside => (x + cols).min(self.right_limit()),
            Moves::Under | Moves::Stays => x,
        };
        let y = y.filter(|y| y + rows <= self.rows() && x + cols <= self.cols())?;
        // A screen is made from a size, so both fit.
        Some(((u16::try_from(x).ok()?, u16::try_from(y).ok()?), cells))
    }

    /// Shows a picture over its cells, if it has any. `kept`: which one it is, its placement and how
    /// far it is in front.
    fn hang(
        &mut self,
        kind: PictureKind,
        area: Option<Area>,
        bytes: Arc<Vec<u8>>,
        frames: Vec<Arc<Vec<u8>>>,
        (kept, placement, z): (u64, u32, i32),
    ) {
        let Some((at, cells)) = area else { return };
        let picture = Picture {
            id: self.gallery.number(),
            kind,
            at,
            cells,
            bytes,
            frames,
        };
        let under = self.under(&picture);
        let alternate = self.on_alternate;
        let gallery = &mut self.gallery;
        // A placement that has a name is moved.
        let same = |shown: &Shown| {
            kept != 0 && placement != 0 && (shown.kept, shown.placement) == (kept, placement)
        };
        gallery.all.retain(|shown| !same(shown));
        gallery.all.push(Shown {
            picture,
            alternate,
            under,
            kept,
            placement,
            z,
        });
        while gallery.all.len() > MOST || gallery.bytes() > gallery.limit {
            gallery.all.remove(0);
        }
    }

    fn under(&self, picture: &Picture) -> Vec<Cell> {
        let ((x, y), (cols, rows)) = (picture.at, picture.cells);
        let columns = usize::from(x)..usize::from(x + cols);
        let rows = usize::from(y)..usize::from(y + rows);
        let rows = rows.filter(|y| *y < self.rows());
        rows.filter_map(|y| self.shown.row(y).get(columns.clone()))
            .flatten()
            .copied()
            .collect()
    }

    /// Pictures of the screen that is shown; those whose cells were written are gone.
    pub(super) fn pictures(&mut self) -> Vec<Picture> {
        let mut all = self.still_shown();
        if self.gallery.shelf.any_by_text() {
            all.extend(self.stood_for());
        }
        all
    }

    fn still_shown(&mut self) -> Vec<Picture> {
        if self.gallery.is_empty() {
            return Vec::new();
        }
        let mut all = std::mem::take(&mut self.gallery.all);
        let here = self.on_alternate;
        all.retain(|shown| shown.alternate != here || self.under(&shown.picture) == shown.under);
        let shown = all.iter().filter(|shown| shown.alternate == here);
        let shown = shown.map(|shown| shown.picture.clone()).collect();
        self.gallery.all = all;
        shown
    }

    /// Rows `top..=bottom` moved by `n`, up or down.
    pub(super) fn pictures_scrolled(&mut self, top: usize, bottom: usize, n: usize, up: bool) {
        if self.gallery.is_empty() {
            return;
        }
        let here = self.on_alternate;
        self.gallery.all.retain_mut(|shown| {
            let first = usize::from(shown.picture.at.1);
            let last = first + usize::from(shown.picture.cells.1) - 1;
            if shown.alternate != here || last < top || first > bottom {
                return true;
            }
            let inside = first >= top && last <= bottom;
            let stays = if up {
                first >= top + n
            } else {
                last + n <= bottom
            };
            let n = u16::try_from(n).unwrap_or(u16::MAX);
            let y = &mut shown.picture.at.1;
            *y = if up {
                y.saturating_sub(n)
            } else {
                y.saturating_add(n)
            };
            inside && stays
        });
    }

    /// Columns `from..to` of row `y` were erased, or moved.
    pub(super) fn pictures_touched(&mut self, y: usize, from: usize, to: usize) {
        if self.gallery.is_empty() {
            return;
        }
        let here = self.on_alternate;
        self.gallery.all.retain(|shown| {
            let ((x, first), (cols, rows)) = (shown.picture.at, shown.picture.cells);
            let rows = usize::from(first)..usize::from(first + rows);
            let columns = usize::from(x)..usize::from(x + cols);
            shown.alternate != here
                || !rows.contains(&y)
                || columns.end <= from
                || columns.start >= to
        });
    }
}
