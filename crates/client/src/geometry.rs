//! Where a tab's panes stand on the screen.
//!
//! In: a split tree and an area. Out: rectangles. Promises: rectangles never overlap and never
//! leave the area; in an area too small for the tree some are empty. With one pane (or a zoomed one) it has the whole area; with several, each has one
//! row above it for its title, which is also the divider to the pane above, and one column stands
//! between panes side by side.

use link::layout::{Direction, Node, Tab};
use ratatui::layout::Rect;

pub(crate) mod ops;

/// A pane's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    /// The pane.
    pub(crate) pane: u32,
    /// Its title row; `None`: it has none.
    pub(crate) title: Option<Rect>,
    /// Where its cells go; may be empty.
    pub(crate) content: Rect,
}

impl Placed {
    /// Title and content together.
    pub(crate) fn outer(&self) -> Rect {
        self.title
            .map_or(self.content, |title| title.union(self.content))
    }
}

/// A border that can be dragged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Divider {
    /// Child indices from the root to the split.
    pub(crate) path: Vec<usize>,
    /// It stands between this child and the next.
    pub(crate) after: usize,
    /// Which way the split's children follow each other.
    pub(crate) direction: Direction,
    /// Where it is drawn.
    pub(crate) rect: Rect,
}

/// A tab on the screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Geometry {
    /// Panes in reading order; with a zoomed tab only the focused one.
    pub(crate) panes: Vec<Placed>,
    /// What can be dragged.
    pub(crate) dividers: Vec<Divider>,
}

impl Geometry {
    /// The pane's place, if it is on the screen.
    pub(crate) fn of(&self, pane: u32) -> Option<&Placed> {
        self.panes.iter().find(|p| p.pane == pane)
    }

    /// The pane at a cell, title rows included.
    pub(crate) fn at(&self, x: u16, y: u16) -> Option<&Placed> {
        self.panes
            .iter()
            .find(|p| p.outer().contains((x, y).into()))
    }
}

/// Places a tab's panes in `area`.
pub(crate) fn arrange(tab: &Tab, area: Rect) -> Geometry {
    let mut geometry = Geometry::default();
    let single = matches!(tab.root, Node::Pane { .. });
    if tab.zoomed || single {
        geometry.panes.push(Placed {
            pane: tab.focus,
            title: None,
            content: area,
        });
    } else {
        place(&tab.root, area, &mut Vec::new(), &mut geometry);
    }
    geometry
}

fn place(node: &Node, area: Rect, path: &mut Vec<usize>, out: &mut Geometry) {
    let (direction, children) = match node {
        Node::Pane { pane } => {
            let title = Rect {
                height: area.height.min(1),
                ..area
            };
            let content = Rect {
                y: area.y + title.height,
                height: area.height.saturating_sub(1),
                ..area
            };
            out.panes.push(Placed {
                pane: *pane,
                title: Some(title),
                content,
            });
            return;
        }
        Node::Split {
            direction,
            children,
        } => (*direction, children),
    };
    let rects = split_rects(direction, children, area);
    for (index, ((_, child), rect)) in children.iter().zip(&rects).enumerate() {
        path.push(index);
        place(child, *rect, path, out);
        path.pop();
        if let Some(next) = rects.get(index + 1) {
            let rect = match direction {
                Direction::Across => Rect {
                    x: next.x.saturating_sub(1),
                    width: 1,
                    ..area
                },
                Direction::Down => Rect {
                    height: next.height.min(1),
                    ..*next
                },
            };
            let visible = area.intersection(rect);
            if !visible.is_empty() {
                out.dividers.push(Divider {
                    path: path.clone(),
                    after: index,
                    direction,
                    rect: visible,
                });
            }
        }
    }
}

/// The children's rectangles.
fn split_rects(direction: Direction, children: &[(u16, Node)], area: Rect) -> Vec<Rect> {
    let (mut at, total, gap) = match direction {
        Direction::Across => (area.x, area.width, 1),
        Direction::Down => (area.y, area.height, 0),
    };
    let sizes = sizes(children, total, gap);
    let end = at + total;
    sizes
        .into_iter()
        .map(|size| {
            let start = at.min(end);
            let size = size.min(end - start);
            at = start + size + gap;
            match direction {
                Direction::Across => Rect {
                    x: start,
                    width: size,
                    ..area
                },
                Direction::Down => Rect {
                    y: start,
                    height: size,
                    ..area
                },
            }
        })
        .collect()
}

/// Shares `total` cells, less the gaps, in proportion to the weights; the rest goes to the largest
/// remainders, the first of equal ones.
fn sizes(children: &[(u16, Node)], total: u16, gap: u16) -> Vec<u16> {
    let count = u16::try_from(children.len()).unwrap_or(u16::MAX);
    let room = u64::from(total.saturating_sub(gap.saturating_mul(count.saturating_sub(1))));
    let sum: u64 = children
        .iter()
        .map(|(w, _)| u64::from(*w))
        .sum::<u64>()
        .max(1);
    let mut shares: Vec<(u64, u64)> = children
        .iter()
        .map(|(w, _)| (u64::from(*w) * room / sum, u64::from(*w) * room % sum))
        .collect();
    let mut left = room - shares.iter().map(|(size, _)| size).sum::<u64>().min(room);
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by_key(|i| std::cmp::Reverse(shares[*i].1));
    for i in order {
        if left == 0 {
            break;
        }
        shares[i].0 += 1;
        left -= 1;
    }
    shares
        .into_iter()
        .map(|(size, _)| u16::try_from(size).unwrap_or(u16::MAX))
        .collect()
}

#[cfg(test)]
mod tests;
