//! Operations on a tab's split tree that need to know where its panes stand.
//!
//! In: a tab, the area it has, a pane. Out: the changed tab, or false and an unchanged one.
//! Promises: weights stay >= 1; no operation loses or doubles a pane.

use super::{Divider, Placed, arrange, split_rects};
use link::layout::{Direction, Node, Tab};
use ratatui::layout::Rect;

/// Rows a pane keeps at least, its title included.
const MIN_ROWS: u16 = 2;
/// Columns a pane keeps at least.
const MIN_COLS: u16 = 2;

/// Splits a pane's leaf: the new pane stands right of or below it. False when the pane is not
/// here or its place is too small for two.
pub(crate) fn split(tab: &mut Tab, area: Rect, pane: u32, direction: Direction, new: u32) -> bool {
    let zoomed = std::mem::replace(&mut tab.zoomed, false);
    let geometry = arrange(tab, area);
    let outer = geometry.of(pane).map(Placed::outer).unwrap_or_default();
    let fits = match direction {
        Direction::Across => outer.width > MIN_COLS * 2,
        Direction::Down => outer.height >= MIN_ROWS * 2,
    };
    if !fits {
        tab.zoomed = zoomed;
        return false;
    }
    let done = insert_beside(tab, area, pane, direction, new)
        || divide_leaf(&mut tab.root, pane, direction, new);
    if done {
        tab.focus = new;
    }
    done
}

/// Puts the new pane into the split the pane stands in, if that goes the same way: it gets half
/// of the pane's cells, the others keep theirs.
fn insert_beside(tab: &mut Tab, area: Rect, pane: u32, direction: Direction, new: u32) -> bool {
    let Some((path, at)) = split_above(&tab.root, pane, direction) else {
        return false;
    };
    let Some(sizes) = measure(tab, area, &path) else {
        return false;
    };
    let Some(Node::Split { children, .. }) = node_at(&mut tab.root, &path) else {
        return false;
    };
    if !matches!(children.get(at), Some((_, Node::Pane { .. }))) {
        return false;
    }
    for ((weight, _), size) in children.iter_mut().zip(&sizes) {
        *weight = (*size).max(1);
    }
    let gap = if direction == Direction::Across { 1 } else { 0 };
    let room = sizes[at].saturating_sub(gap);
    children[at].0 = room.div_ceil(2).max(1);
    children.insert(at + 1, ((room / 2).max(1), Node::Pane { pane: new }));
    true
}

fn divide_leaf(node: &mut Node, pane: u32, direction: Direction, new: u32) -> bool {
    match node {
        Node::Pane { pane: p } if *p == pane => {
            let children = vec![(1, Node::Pane { pane }), (1, Node::Pane { pane: new })];
            *node = Node::Split {
                direction,
                children,
            };
            true
        }
        Node::Pane { .. } => false,
        Node::Split { children, .. } => children
            .iter_mut()
            .any(|(_, child)| divide_leaf(child, pane, direction, new)),
    }
}

/// A side of a pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Towards smaller columns.
    Left,
    /// Towards larger columns.
    Right,
    /// Towards smaller rows.
    Up,
    /// Towards larger rows.
    Down,
}

impl Side {
    const fn direction(self) -> Direction {
        match self {
            Self::Left | Self::Right => Direction::Across,
            Self::Up | Self::Down => Direction::Down,
        }
    }
}

/// The pane next to `pane` on that side, the one level with its start if several are; past the
/// edge of the screen the search goes on at the other end.
pub(crate) fn neighbour(tab: &Tab, area: Rect, pane: u32, side: Side) -> Option<u32> {
    let whole = Tab {
        zoomed: false,
        ..tab.clone()
    };
    let geometry = arrange(&whole, area);
    let from = geometry.of(pane)?.outer();
    let level = |r: &Rect| match side {
        Side::Left | Side::Right => r.y <= from.y && from.y < r.bottom(),
        Side::Up | Side::Down => r.x <= from.x && from.x < r.right(),
    };
    let others: Vec<(u32, Rect)> = geometry
        .panes
        .iter()
        .filter(|p| p.pane != pane)
        .map(|p| (p.pane, p.outer()))
        .filter(|(_, r)| level(r))
        .collect();
    let nearest = |wrap: bool| {
        others
            .iter()
            .filter(|(_, r)| {
                wrap || match side {
                    Side::Left => r.right() <= from.x,
                    Side::Right => r.x >= from.right(),
                    Side::Up => r.bottom() <= from.y,
                    Side::Down => r.y >= from.bottom(),
                }
            })
            .min_by_key(|(_, r)| match side {
                Side::Left => u16::MAX - r.right(),
                Side::Right => r.x,
                Side::Up => u16::MAX - r.bottom(),
                Side::Down => r.y,
            })
            .map(|(p, _)| *p)
    };
    nearest(false).or_else(|| nearest(true))
}

/// Moves the border on that side of the pane (or, at the screen's edge, the opposite one) by
/// `by` cells. False when there is none or no room.
pub(crate) fn resize(tab: &mut Tab, area: Rect, pane: u32, side: Side, by: u16) -> bool {
    let Some((path, index)) = split_above(&tab.root, pane, side.direction()) else {
        return false;
    };
    let Some(sizes) = measure(tab, area, &path) else {
        return false;
    };
    let after = if index + 1 < sizes.len() {
        index
    } else {
        index - 1
    };
    let by = i32::from(by);
    let by = if matches!(side, Side::Left | Side::Up) {
        -by
    } else {
        by
    };
    shift(tab, area, &path, after, by)
}

/// Moves a divider so that it stands at column or row `to`. False when nothing changed.
pub(crate) fn drag(tab: &mut Tab, area: Rect, divider: &Divider, to: u16) -> bool {
    let now = match divider.direction {
        Direction::Across => divider.rect.x,
        Direction::Down => divider.rect.y,
    };
    shift(
        tab,
        area,
        &divider.path,
        divider.after,
        i32::from(to) - i32::from(now),
    )
}

/// Path to the deepest split of that direction above the pane, and the child it is in.
fn split_above(node: &Node, pane: u32, direction: Direction) -> Option<(Vec<usize>, usize)> {
    let Node::Split {
        direction: own,
        children,
    } = node
    else {
        return None;
    };
    let index = children.iter().position(|(_, c)| c.contains(pane))?;
    if let Some((mut path, deeper)) = split_above(&children[index].1, pane, direction) {
        path.insert(0, index);
        return Some((path, deeper));
    }
    (*own == direction).then(|| (Vec::new(), index))
}

/// Sizes in cells of the children of the split at `path`.
fn measure(tab: &Tab, area: Rect, path: &[usize]) -> Option<Vec<u16>> {
    let (mut node, mut area) = (&tab.root, area);
    for step in path {
        let Node::Split {
            direction,
            children,
        } = node
        else {
            return None;
        };
        area = *split_rects(*direction, children, area).get(*step)?;
        node = &children.get(*step)?.1;
    }
    let Node::Split {
        direction,
        children,
    } = node
    else {
        return None;
    };
    let rects = split_rects(*direction, children, area);
    let size = |r: Rect| match direction {
        Direction::Across => r.width,
        Direction::Down => r.height,
    };
    Some(rects.into_iter().map(size).collect())
}

fn shift(tab: &mut Tab, area: Rect, path: &[usize], after: usize, by: i32) -> bool {
    let Some(mut sizes) = measure(tab, area, path) else {
        return false;
    };
    let Some(node) = node_at(&mut tab.root, path) else {
        return false;
    };
    let Node::Split {
        direction,
        children,
    } = node
    else {
        return false;
    };
    let least = match direction {
        Direction::Across => MIN_COLS,
        Direction::Down => MIN_ROWS,
    };
    let (Some(&first), Some(&second)) = (sizes.get(after), sizes.get(after + 1)) else {
        return false;
    };
    let room = |size: u16| i32::from(size.saturating_sub(least));
    let by = by.clamp(-room(first), room(second));
    if by == 0 {
        return false;
    }
    let moved = |size: u16, by: i32| u16::try_from(i32::from(size) + by).unwrap_or(size);
    sizes[after] = moved(first, by);
    sizes[after + 1] = moved(second, -by);
    for ((weight, _), size) in children.iter_mut().zip(sizes) {
        *weight = size.max(1);
    }
    true
}

fn node_at<'a>(mut node: &'a mut Node, path: &[usize]) -> Option<&'a mut Node> {
    for step in path {
        let Node::Split { children, .. } = node else {
            return None;
        };
        node = &mut children.get_mut(*step)?.1;
    }
    Some(node)
}

/// The next of the even arrangements: side by side, stacked, tiled. False with one pane.
pub(crate) fn even(tab: &mut Tab) -> bool {
    let panes = tab.root.panes();
    if panes.len() < 2 {
        return false;
    }
    let next = match &tab.root {
        root if *root == row(&panes, Direction::Across) => row(&panes, Direction::Down),
        root if panes.len() > 2 && *root == row(&panes, Direction::Down) => tiled(&panes),
        _ => row(&panes, Direction::Across),
    };
    tab.root = next;
    tab.zoomed = false;
    true
}

fn row(panes: &[u32], direction: Direction) -> Node {
    match panes {
        [pane] => Node::Pane { pane: *pane },
        _ => Node::Split {
            direction,
            children: panes
                .iter()
                .map(|pane| (1, Node::Pane { pane: *pane }))
                .collect(),
        },
    }
}

fn tiled(panes: &[u32]) -> Node {
    let columns = (1..).find(|n| n * n >= panes.len()).unwrap_or(1);
    let children = panes
        .chunks(columns)
        .map(|c| (1, row(c, Direction::Across)))
        .collect();
    Node::Split {
        direction: Direction::Down,
        children,
    }
}

/// Swaps the pane with the next (or the previous) in reading order; the focus stays on it.
pub(crate) fn swap(tab: &mut Tab, pane: u32, forward: bool) -> bool {
    let panes = tab.root.panes();
    let Some(at) = panes
        .iter()
        .position(|p| *p == pane)
        .filter(|_| panes.len() > 1)
    else {
        return false;
    };
    let count = panes.len();
    let other = panes[if forward {
        (at + 1) % count
    } else {
        (at + count - 1) % count
    }];
    // 0 is never a pane's id, so it can stand in for a moment.
    tab.root.replace(pane, 0);
    tab.root.replace(other, pane);
    tab.root.replace(0, other);
    tab.zoomed = false;
    true
}
