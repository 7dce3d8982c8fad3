//! Where a pane belongs in its workspace's layout, for whoever finds it outside of it.
//!
//! In: the pane note [`NOTE`], written when a pane is made. Out: a layout with the pane in its
//! place. Promises: a client that was killed before it could write its layout leaves no pane that
//! must stand in a tab of its own; a place that is gone or not understood leads to a tab; the
//! layout stays one that can be read.

use crate::layout::{Direction, Node, Workspace};
use serde::{Deserialize, Serialize};

/// Key of the pane note that holds a [`Place`] as JSON. A pane that begins a tab has none.
pub const NOTE: &str = "place";

/// Where a new pane belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Place {
    /// Right of or below that pane.
    Beside {
        /// Id of the pane that was split.
        beside: u32,
        /// Which way the two follow each other.
        direction: Direction,
    },
    /// Where that pane stands: it ended and was started again.
    Instead {
        /// Id of the pane that was there.
        instead: u32,
    },
}

impl Place {
    /// The note's value.
    #[must_use]
    pub fn to_json(self) -> Vec<u8> {
        serde_json::to_vec(&self).unwrap_or_default()
    }

    /// `None` when it is not of this form.
    #[must_use]
    pub fn from_json(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}

impl Workspace {
    /// Puts a pane at its place, or, if that is not there, into a tab of its own at the end. The
    /// tab in front and the focus stay.
    pub fn put(&mut self, pane: u32, place: Option<Place>) {
        if self.panes().contains(&pane) {
            return;
        }
        let mut with = self.clone();
        let put = match place {
            Some(Place::Instead { instead }) => with.replace_pane(instead, pane),
            Some(Place::Beside { beside, direction }) => with.tabs.iter_mut().any(|tab| {
                let put = divide(&mut tab.root, beside, direction, pane);
                tab.zoomed &= !put;
                put
            }),
            None => false,
        };
        // Splits nested too deep would make the layout unreadable.
        let readable = |layout: &Self| {
            let json = layout.to_json();
            json.is_ok_and(|json| Self::from_json(&json).is_ok())
        };
        if put && readable(&with) {
            *self = with;
            return;
        }
        let front = self.active;
        self.add_tab(pane);
        self.active = front;
    }
}

/// Halves the leaf of `beside`. True if it was in this part of the tree.
fn divide(node: &mut Node, beside: u32, direction: Direction, pane: u32) -> bool {
    let new = Node::Pane { pane };
    match node {
        Node::Pane { pane: there } if *there == beside => {
            let children = vec![(1, Node::Pane { pane: beside }), (1, new)];
            *node = Node::Split {
                direction,
                children,
            };
            true
        }
        Node::Pane { .. } => false,
        Node::Split {
            direction: same,
            children,
        } => {
            let at = children
                .iter()
                .position(|(_, child)| matches!(child, Node::Pane { pane } if *pane == beside));
            let Some(at) = at.filter(|_| *same == direction) else {
                return children
                    .iter_mut()
                    .any(|(_, child)| divide(child, beside, direction, pane));
            };
            if children[at].0 < 2 {
                children
                    .iter_mut()
                    .for_each(|(weight, _)| *weight = weight.saturating_mul(2));
            }
            let whole = children[at].0;
            children[at].0 = whole.div_ceil(2);
            children.insert(at + 1, ((whole / 2).max(1), new));
            true
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Direction::{Across, Down};

    /// Panes with their weights; splits in brackets, `|` across and `-` down.
    fn show(node: &Node) -> String {
        match node {
            Node::Pane { pane } => pane.to_string(),
            Node::Split {
                direction,
                children,
            } => {
                let mark = if *direction == Across { "|" } else { "-" };
                let children = children.iter().map(|(w, c)| format!("{w}*{}", show(c)));
                format!("({})", children.collect::<Vec<_>>().join(mark))
            }
        }
    }

    #[test]
    fn a_pane_found_outside_comes_to_its_place() {
        let beside = |beside, direction| Some(Place::Beside { beside, direction });
        let check = |puts: &[(u32, Option<Place>)], want: &str| {
            let mut workspace = Workspace::new("w", "w", "/w");
            workspace.add_tab(1);
            for (pane, place) in puts {
                workspace.put(*pane, *place);
            }
            let tabs = workspace.tabs.iter().map(|tab| show(&tab.root));
            assert_eq!(tabs.collect::<Vec<_>>().join(" "), want);
            assert_eq!(workspace.active, 0);
        };
        check(&[(2, beside(1, Across))], "(1*1|1*2)");
        check(
            &[(2, beside(1, Across)), (3, beside(2, Across))],
            "(2*1|1*2|1*3)",
        );
        check(
            &[(2, beside(1, Across)), (3, beside(2, Down))],
            "(1*1|1*(1*2-1*3))",
        );
        check(&[(2, beside(9, Across))], "1 2");
        check(&[(2, None), (2, None)], "1 2");
        check(&[(2, Some(Place::Instead { instead: 1 }))], "2");
        check(&[(2, Some(Place::Instead { instead: 7 }))], "1 2");
        let mut deep = vec![];
        for pane in 2..40 {
            let direction = if pane % 2 == 0 { Across } else { Down };
            deep.push((pane, beside(pane - 1, direction)));
        }
        let mut workspace = Workspace::new("w", "w", "/w");
        workspace.add_tab(1);
        for (pane, place) in deep {
            workspace.put(pane, place);
        }
        assert!(Workspace::from_json(&workspace.to_json().unwrap()).is_ok());
        assert_eq!(workspace.panes().len(), 39);
    }

    #[test]
    fn the_note_is_pinned() {
        for (place, text) in [
            (
                Place::Beside {
                    beside: 3,
                    direction: Across,
                },
                r#"{"beside":3,"direction":"across"}"#,
            ),
            (Place::Instead { instead: 4 }, r#"{"instead":4}"#),
        ] {
            assert_eq!(String::from_utf8(place.to_json()).unwrap(), text);
            assert_eq!(Place::from_json(text.as_bytes()), Some(place));
        }
        assert_eq!(Place::from_json(b"tab"), None);
    }
}
