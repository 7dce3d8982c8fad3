//! A workspace's layout: what stands in the global note `workspace/<id>` and in the restore file.
//!
//! In and out: JSON. Promises: fields this build does not know survive a read and a write (of the
//! workspace and its tabs); a layout of a newer version is an error, never a guess; sizes and
//! colours are not in here, so a layout fits every terminal.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Version this build writes and the newest it reads.
pub const VERSION: u32 = 1;

/// Most bytes a global note may hold, hence a layout's JSON.
pub const MAX_JSON: usize = 64 * 1024;

/// Most panes of one workspace; keeps a layout far below [`MAX_JSON`].
pub const MAX_PANES: usize = 256;

/// Deepest nesting of splits a layout may have.
const MAX_DEPTH: usize = 32;

/// A folder's tabs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Workspace {
    /// See [`VERSION`].
    pub version: u32,
    /// Names it for ever; letters, digits and `-`.
    pub id: String,
    /// For people.
    pub name: String,
    /// Absolute path new panes start in.
    pub folder: String,
    /// At least one once it has a pane.
    pub tabs: Vec<Tab>,
    /// Index of the tab in front.
    #[serde(default)]
    pub active: usize,
    /// What a newer build wrote here.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// One tab.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tab {
    /// A name the user gave; `None`: the title of the focused pane is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How its panes share the screen.
    pub root: Node,
    /// The pane that has the keyboard.
    pub focus: u32,
    /// The focused pane has the whole tab.
    #[serde(default)]
    pub zoomed: bool,
    /// What a newer build wrote here.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// A tab's split tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Node {
    /// A leaf.
    Pane {
        /// Pane id.
        pane: u32,
    },
    /// Children share the area in proportion to their weights.
    Split {
        /// Which way the children follow each other.
        direction: Direction,
        /// Weight (>= 1) and child; at least two.
        children: Vec<(u16, Self)>,
    },
}

/// Which way a split's children follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Left to right.
    Across,
    /// Top to bottom.
    Down,
}

/// Why a text is not a layout this build can use.
#[derive(Debug, thiserror::Error)]
pub enum LayoutError {
    /// Not JSON, or not of a layout's form.
    #[error("the layout is not readable: {0}")]
    Json(#[from] serde_json::Error),
    /// Written by a newer abide.
    #[error("the layout has version {found}; this build reads up to {VERSION}")]
    Newer {
        /// The version it states.
        found: u32,
    },
    /// A bound is passed or a tree is malformed.
    #[error("the layout is not usable: {0}")]
    Shape(&'static str),
}

impl Workspace {
    /// A workspace without tabs.
    #[must_use]
    pub fn new(id: impl Into<String>, name: impl Into<String>, folder: impl Into<String>) -> Self {
        Self {
            version: VERSION,
            id: id.into(),
            name: name.into(),
            folder: folder.into(),
            tabs: Vec::new(),
            active: 0,
            rest: Map::new(),
        }
    }

    /// Key of the global note that holds this workspace.
    #[must_use]
    pub fn note_key(&self) -> String {
        format!("workspace/{}", self.id)
    }

    /// The JSON that stands in notes and files.
    ///
    /// # Errors
    /// [`LayoutError::Shape`] when it would pass [`MAX_JSON`].
    pub fn to_json(&self) -> Result<Vec<u8>, LayoutError> {
        let bytes = serde_json::to_vec(self)?;
        if bytes.len() > MAX_JSON {
            return Err(LayoutError::Shape("it passes 64 KiB"));
        }
        Ok(bytes)
    }

    /// Reads and checks a layout. An `active` or `focus` that points nowhere is moved to the first
    /// tab or pane, since older writers may have raced.
    ///
    /// # Errors
    /// [`LayoutError`]: not JSON, newer, or past a bound.
    pub fn from_json(bytes: &[u8]) -> Result<Self, LayoutError> {
        #[derive(Deserialize)]
        struct Head {
            version: u32,
        }
        if bytes.len() > MAX_JSON {
            return Err(LayoutError::Shape("it passes 64 KiB"));
        }
        let head: Head = serde_json::from_slice(bytes)?;
        if head.version > VERSION {
            return Err(LayoutError::Newer {
                found: head.version,
            });
        }
        let mut workspace: Self = serde_json::from_slice(bytes)?;
        workspace.settle()?;
        Ok(workspace)
    }

    /// Every pane, tab by tab, in reading order.
    #[must_use]
    pub fn panes(&self) -> Vec<u32> {
        self.tabs.iter().flat_map(|tab| tab.root.panes()).collect()
    }

    /// Adds a tab with one pane and brings it to the front.
    pub fn add_tab(&mut self, pane: u32) {
        self.tabs.push(Tab::new(pane));
        self.active = self.tabs.len() - 1;
    }

    /// Takes a pane out; a tab that loses its last pane goes too. True if the pane was here.
    pub fn remove_pane(&mut self, pane: u32) -> bool {
        let Some(at) = self.tabs.iter().position(|tab| tab.root.contains(pane)) else {
            return false;
        };
        let tab = &mut self.tabs[at];
        let panes = tab.root.panes();
        if panes.len() == 1 {
            self.tabs.remove(at);
            if self.active > at || self.active >= self.tabs.len() {
                self.active = self.active.saturating_sub(1);
            }
            return true;
        }
        tab.root.remove(pane);
        tab.zoomed = false;
        if tab.focus == pane {
            // The pane before it in reading order, as tmux does with its last pane.
            let index = panes.iter().position(|p| *p == pane).unwrap_or(0);
            tab.focus = if index == 0 {
                panes[1]
            } else {
                panes[index - 1]
            };
        }
        true
    }

    /// Gives a leaf another pane id (a shell started anew). True if the leaf was here.
    pub fn replace_pane(&mut self, old: u32, new: u32) -> bool {
        for tab in &mut self.tabs {
            if tab.root.replace(old, new) {
                if tab.focus == old {
                    tab.focus = new;
                }
                return true;
            }
        }
        false
    }

    fn settle(&mut self) -> Result<(), LayoutError> {
        let mut panes = self.panes();
        if panes.len() > MAX_PANES {
            return Err(LayoutError::Shape("it has more than 256 panes"));
        }
        panes.sort_unstable();
        if panes.windows(2).any(|two| two[0] == two[1]) {
            return Err(LayoutError::Shape("a pane stands in it twice"));
        }
        for tab in &mut self.tabs {
            tab.root.check(0)?;
            if !tab.root.contains(tab.focus) {
                tab.focus = tab.root.panes().first().copied().unwrap_or(0);
            }
        }
        if self.active >= self.tabs.len() {
            self.active = 0;
        }
        Ok(())
    }
}

impl Tab {
    /// A tab with one pane.
    #[must_use]
    pub fn new(pane: u32) -> Self {
        Self {
            name: None,
            root: Node::Pane { pane },
            focus: pane,
            zoomed: false,
            rest: Map::new(),
        }
    }
}

impl Node {
    /// Panes in reading order.
    #[must_use]
    pub fn panes(&self) -> Vec<u32> {
        match self {
            Self::Pane { pane } => vec![*pane],
            Self::Split { children, .. } => children.iter().flat_map(|(_, c)| c.panes()).collect(),
        }
    }

    /// The pane is in this part of the tree.
    #[must_use]
    pub fn contains(&self, pane: u32) -> bool {
        match self {
            Self::Pane { pane: p } => *p == pane,
            Self::Split { children, .. } => children.iter().any(|(_, c)| c.contains(pane)),
        }
    }

    /// Puts `new` where `old` was. True if it was here.
    pub fn replace(&mut self, old: u32, new: u32) -> bool {
        match self {
            Self::Pane { pane } if *pane == old => {
                *pane = new;
                true
            }
            Self::Pane { .. } => false,
            Self::Split { children, .. } => children.iter_mut().any(|(_, c)| c.replace(old, new)),
        }
    }

    /// Takes a pane out and folds splits of one child. The last pane of a tree is never taken;
    /// true if one was.
    pub fn remove(&mut self, pane: u32) -> bool {
        let Self::Split { children, .. } = self else {
            return false;
        };
        let before = children.len();
        children.retain(|(_, c)| !matches!(c, Self::Pane { pane: p } if *p == pane));
        let taken = children.len() < before || children.iter_mut().any(|(_, c)| c.remove(pane));
        if children.len() == 1
            && let Some((_, only)) = children.pop()
        {
            *self = only;
        }
        taken
    }

    fn check(&self, depth: usize) -> Result<(), LayoutError> {
        let Self::Split { children, .. } = self else {
            return Ok(());
        };
        if depth >= MAX_DEPTH {
            return Err(LayoutError::Shape("its splits are nested too deep"));
        }
        if children.len() < 2 {
            return Err(LayoutError::Shape("a split has fewer than two children"));
        }
        if children.iter().any(|(weight, _)| *weight == 0) {
            return Err(LayoutError::Shape("a split has a weight of 0"));
        }
        children
            .iter()
            .try_for_each(|(_, child)| child.check(depth + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Workspace {
        let mut w = Workspace::new("abc", "work", "/home/u/work");
        w.add_tab(1);
        w.add_tab(2);
        w.tabs[1].root = Node::Split {
            direction: Direction::Across,
            children: vec![
                (2, Node::Pane { pane: 2 }),
                (
                    1,
                    Node::Split {
                        direction: Direction::Down,
                        children: vec![(1, Node::Pane { pane: 3 }), (1, Node::Pane { pane: 4 })],
                    },
                ),
            ],
        };
        w
    }

    #[test]
    fn a_layout_survives_the_round_trip() {
        let w = sample();
        assert_eq!(Workspace::from_json(&w.to_json().unwrap()).unwrap(), w);
    }

    /// The form on disk; a change here needs a new version.
    #[test]
    fn the_json_form_is_pinned() {
        let text = String::from_utf8(sample().to_json().unwrap()).unwrap();
        assert_eq!(
            text,
            concat!(
                r#"{"version":1,"id":"abc","name":"work","folder":"/home/u/work","tabs":["#,
                r#"{"root":{"kind":"pane","pane":1},"focus":1,"zoomed":false},"#,
                r#"{"root":{"kind":"split","direction":"across","children":"#,
                r#"[[2,{"kind":"pane","pane":2}],[1,{"kind":"split","direction":"down","#,
                r#""children":[[1,{"kind":"pane","pane":3}],[1,{"kind":"pane","pane":4}]]}]]},"#,
                r#""focus":2,"zoomed":false}],"active":1}"#
            )
        );
    }

    #[test]
    fn fields_of_a_newer_build_are_kept() {
        let text = r#"{"version":1,"id":"a","name":"n","folder":"/","tabs":[
            {"root":{"kind":"pane","pane":7},"focus":9,"colour":"red"}],"active":5,"pinned":true}"#;
        let w = Workspace::from_json(text.as_bytes()).unwrap();
        assert_eq!((w.active, w.tabs[0].focus), (0, 7));
        let again = String::from_utf8(w.to_json().unwrap()).unwrap();
        assert!(again.contains(r#""colour":"red""#) && again.contains(r#""pinned":true"#));
    }

    #[test]
    fn bad_layouts_are_refused() {
        let check = |text: &str, want: &str| {
            let error = Workspace::from_json(text.as_bytes())
                .unwrap_err()
                .to_string();
            assert!(error.contains(want), "{text}: {error}");
        };
        let with = |root: &str| {
            format!(
                r#"{{"version":1,"id":"a","name":"n","folder":"/","tabs":[{{"root":{root},"focus":1}}]}}"#
            )
        };
        check("", "not readable");
        check(r#"{"version":2,"shape":"unknown"}"#, "version 2");
        check(
            &with(r#"{"kind":"split","direction":"down","children":[]}"#),
            "fewer than two",
        );
        let pane = r#"{"kind":"pane","pane":1}"#;
        let twice =
            format!(r#"{{"kind":"split","direction":"down","children":[[1,{pane}],[1,{pane}]]}}"#);
        check(&with(&twice), "twice");
        let zero = r#"{"kind":"split","direction":"down","children":
            [[0,{"kind":"pane","pane":1}],[1,{"kind":"pane","pane":2}]]}"#;
        check(&with(zero), "weight of 0");
    }

    #[test]
    fn removing_panes_folds_splits_and_moves_the_focus() {
        let mut w = sample();
        assert!(!w.remove_pane(99));
        assert!(w.remove_pane(3));
        assert_eq!(w.tabs[1].root.panes(), [2, 4]);
        w.tabs[1].focus = 4;
        assert!(w.remove_pane(4));
        assert_eq!(w.tabs[1].root, Node::Pane { pane: 2 });
        assert_eq!(w.tabs[1].focus, 2);
        assert!(w.remove_pane(2));
        assert_eq!((w.tabs.len(), w.active), (1, 0));
        assert!(w.remove_pane(1));
        assert!(w.tabs.is_empty());
    }

    #[test]
    fn a_leaf_can_get_another_pane() {
        let mut w = sample();
        w.tabs[1].focus = 3;
        assert!(w.replace_pane(3, 12));
        assert_eq!((w.panes(), w.tabs[1].focus), (vec![1, 2, 12, 4], 12));
        assert!(!w.replace_pane(3, 13));
    }
}
