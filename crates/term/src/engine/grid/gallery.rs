//! Pictures over the cells of a viewer's terminal. In: pictures and what happens to the cells; out:
//! those still shown. They are no part of the screen: a snapshot has none, the host keeps none.
//!
//! A picture moves with its rows when they scroll as a whole. It goes when a cell below it gets
//! another content, when it is erased, torn apart or partly scrolled away, when columns move, and
//! with a change of the size. At most [`MOST`] and the collector's limit of bytes are kept; the
//! oldest go first.

use std::sync::Arc;

use super::cell::Cell;
use super::core::Core;
use crate::picture::{Head, Moves, Part, Picture};
use crate::snapshot::Joins;

/// Most pictures at once.
const MOST: usize = 16;

/// A picture and what its cells were when it came.
#[derive(Debug)]
struct Shown {
    picture: Picture,
    alternate: bool,
    under: Vec<Cell>,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Gallery {
    limit: usize,
    all: Vec<Shown>,
    next: u64,
    /// Corner and cells of a picture that has come in part.
    coming: Option<((u16, u16), (u16, u16))>,
}

impl Gallery {
    /// Keeps up to `limit` bytes; with 0 it stays empty.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            ..Self::default()
        }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.coming = None;
    }

    fn bytes(&self) -> usize {
        self.all.iter().map(|shown| shown.picture.bytes.len()).sum()
    }
}

impl Core {
    /// A picture's string ended: the cursor makes way for it, and a viewer keeps it.
    pub(super) fn picture(&mut self, head: &Head, bytes: Option<Vec<u8>>) {
        if head.completes() {
            self.events.count_picture();
        }
        let mut corner = self.gallery.coming.take();
        if !matches!(head.part, Part::Later(_)) {
            corner = head
                .cells
                .map(|cells| self.make_way(cells, head.moves))
                .unwrap_or_default();
        }
        match (bytes, corner) {
            (Some(bytes), Some((at, cells))) => self.hang(head, at, cells, bytes),
            (None, corner) if !head.completes() && self.gallery.limit > 0 => {
                self.gallery.coming = corner;
            }
            _ => {}
        }
    }

    /// Moves the cursor past a picture of so many cells. Gives the picture's corner and cells, if
    /// all of it is on the screen then.
    fn make_way(&mut self, cells: (u16, u16), moves: Moves) -> Option<((u16, u16), (u16, u16))> {
        let (cols, rows) = (usize::from(cells.0), usize::from(cells.1));
        self.joins = Joins::No;
        let x = self.x;
        let down = match moves {
            Moves::Below => rows,
            Moves::Beside => rows - 1,
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
            Moves::Below | Moves::Stays => x,
        };
        let y = y.filter(|y| y + rows <= self.rows() && x + cols <= self.cols())?;
        // A screen is made from a size, so both fit.
        Some(((u16::try_from(x).ok()?, u16::try_from(y).ok()?), cells))
    }

    fn hang(&mut self, head: &Head, at: (u16, u16), cells: (u16, u16), bytes: Vec<u8>) {
        let gallery = &mut self.gallery;
        gallery.next += 1;
        let picture = Picture {
            id: gallery.next,
            kind: head.kind,
            at,
            cells,
            bytes: Arc::new(bytes),
        };
        let under = self.under(&picture);
        let alternate = self.on_alternate;
        let gallery = &mut self.gallery;
        gallery.all.push(Shown {
            picture,
            alternate,
            under,
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
