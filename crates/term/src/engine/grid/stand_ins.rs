//! kitty pictures shown by characters that stand for their parts. In: the screen that is shown; out:
//! those of which all characters are there, side by side. They are text: they scroll, are erased and come
//! back with a snapshot like any other; to people they are blank.

use super::cell::Content;
use super::core::Core;
use crate::picture::stand_in::{STAND_IN, StandIn};
use crate::picture::{Picture, PictureKind};

impl Core {
    /// What each cell of the screen stands for, row by row.
    fn stand_ins(&self) -> Vec<Vec<Option<StandIn>>> {
        let row = |y: usize| {
            let mut left = None;
            let cells = self.shown.row(y).iter().map(|cell| {
                let mut buffer = [0; 4];
                left = match cell.content() {
                    Content::Char(STAND_IN) | Content::Cluster(_) => {
                        let style = self.style(cell.style());
                        StandIn::of(self.text(*cell, &mut buffer), &style, left)
                    }
                    Content::Blank | Content::Spacer | Content::Char(_) => None,
                };
                left
            });
            cells.collect()
        };
        (0..self.rows()).map(row).collect()
    }

    /// Pictures all of whose characters are on the screen.
    pub(super) fn stood_for(&self) -> Vec<Picture> {
        let all = self.stand_ins();
        let mut found = Vec::new();
        for (y, row) in all.iter().enumerate() {
            for (x, cell) in row.iter().enumerate() {
                let corner = cell.filter(|cell| (cell.row, cell.column) == (0, 0));
                let picture = corner.and_then(|corner| self.stood_for_at(&all, x, y, corner.id));
                found.extend(picture);
            }
        }
        found
    }

    fn stood_for_at(
        &self,
        all: &[Vec<Option<StandIn>>],
        x: usize,
        y: usize,
        id: u32,
    ) -> Option<Picture> {
        let kept = self.gallery.shelf.by_text(id)?;
        let (place, number) = kept.by_text.as_ref()?;
        let cells = place.cells?;
        let part = |row: u16, column: u16| {
            let cell = all
                .get(y + usize::from(row))?
                .get(x + usize::from(column))?;
            (*cell == Some(StandIn { id, row, column })).then_some(())
        };
        for row in 0..cells.1 {
            for column in 0..cells.0 {
                part(row, column)?;
            }
        }
        Some(Picture {
            id: *number,
            kind: PictureKind::Kitty,
            at: (u16::try_from(x).ok()?, u16::try_from(y).ok()?),
            cells,
            bytes: std::sync::Arc::new(kept.drawn(place)),
            frames: kept.frames.clone(),
        })
    }
}
