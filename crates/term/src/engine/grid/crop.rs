//! The alternate screen in another size. In: the screen and where its cursor is; out: both for the
//! new size. Nothing is wrapped anew, since its program draws it anew.

use super::cell::Cell;
use super::reflow::Point;
use super::screen::{Screen, split};
use crate::size::Size;

/// The alternate screen in another size: cropped or filled up at the right and at the bottom;
/// rows leave at the top only if the cursor would fall off.
pub(super) fn crop(screen: &Screen, size: Size, cursor: Point, clock: u64) -> (Screen, Point) {
    let mut out = Screen::new(size, clock);
    let below = screen.rows - 1 - cursor.y.min(screen.rows - 1);
    let excess = screen.rows.saturating_sub(out.rows);
    let pushed = excess.saturating_sub(below);
    for y in 0..out.rows.min(screen.rows - pushed) {
        let source = screen.row(y + pushed);
        let old = screen.meta(y + pushed);
        let cols = out.cols;
        let (cells, meta) = out.write(y);
        let width = cols.min(source.len());
        cells[..width].copy_from_slice(&source[..width]);
        if width < source.len() && source[width].is_spacer() {
            let edge = &mut cells[width - 1];
            *edge = Cell::blank(edge.style());
        }
        split(cells, width);
        meta.used = old.used.min(width);
        meta.wide = old.wide;
        meta.wrapped = old.wrapped && cols == source.len();
    }
    let clamp = |n: usize, most: usize| n.min(most - 1);
    out.saved = screen.saved.map(|mut saved| {
        let y = usize::from(saved.y).saturating_sub(pushed);
        saved.x = saved.x.min(size.cols - 1);
        saved.y = u16::try_from(clamp(y, out.rows)).unwrap_or(0);
        saved.pending_wrap = false;
        saved
    });
    let at = Point {
        x: clamp(cursor.x, out.cols),
        y: clamp(cursor.y.saturating_sub(pushed), out.rows),
        pending: false,
    };
    (out, at)
}
