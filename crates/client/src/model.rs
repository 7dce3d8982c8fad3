//! Everything the client knows, as plain data.
//!
//! In: changes by [`crate::update`]. Out: what [`crate::draw`] shows. Promises: no sockets, no
//! clock; every list in here is bounded by the number of panes or by a constant beside it.

use crate::ClientConfig;
use crate::ability::Ability;
use crate::geometry::{Divider, Geometry, arrange};
use crate::input::Input;
use crate::notice::Teller;
use crate::pane::{Pane, State};
use crate::update::Silence;
use link::layout::{Direction, Tab, Workspace};
use protocol::PaneId;
use ratatui::layout::Rect;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

/// Shortest time between two sizes a pane is given while a window or a border is dragged.
pub(crate) const RESIZE_PAUSE: Duration = Duration::from_millis(100);

/// How long a message stays.
pub(crate) const MESSAGE_TIME: Duration = Duration::from_secs(5);

/// Columns and rows that are drawn at most: a terminal that claims more would cost memory for cells
/// nobody sees.
const MAX_SIDE: u16 = 1000;

/// The part of the outer terminal that is drawn on.
pub(crate) fn drawable(cols: u16, rows: u16) -> (u16, u16) {
    (cols.min(MAX_SIDE), rows.min(MAX_SIDE))
}

/// What the keyboard is for at the moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Mode {
    /// Keys go to the focused pane.
    #[default]
    Normal,
    /// The prefix was typed.
    Prefix,
    /// A resizing key was typed; until then it may be repeated without the prefix.
    Repeat(Instant),
    /// A question that `y` answers.
    Confirm(Question),
    /// A tab's new name so far.
    Rename(String),
    /// The list of keys is shown, scrolled down so many rows.
    Help(usize),
}

/// What `y` would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// End the program of this pane.
    KillPane(u32),
    /// End every program of the tab in front.
    KillTab,
    /// Let go of what would come back in this workspace.
    Fresh,
}

/// Where a pane that is being made will stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In a tab of its own.
    Tab,
    /// Beside that pane.
    Beside(u32, Direction),
    /// Where that pane is.
    Instead(u32),
}

/// A pane shown alone was started again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Swap {
    /// Id of the workspace it stands in.
    pub(crate) workspace: String,
    /// The pane that was there.
    pub(crate) old: u32,
    /// The pane that is there now.
    pub(crate) new: u32,
    /// The old one ended, so the host may forget it.
    pub(crate) ended: bool,
    /// Times another program was faster.
    pub(crate) tries: u8,
}

/// A request whose answer has not come.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Asked {
    /// The list of panes, at the start (`first`) or to find out which are gone.
    Panes {
        /// Leaves without a pane get new shells.
        first: bool,
    },
    /// A new pane.
    Create(Place),
    /// Panes claimed.
    Claim(Vec<u32>),
    /// Scrollback lines.
    Page,
    /// Input that must not be lost.
    Input,
    /// The layout's note.
    Note,
    /// Notes, to find the layout's revision.
    Notes,
    /// Notes, to put one pane into another's place in a layout.
    SwapNotes(Swap),
    /// That layout's note.
    SwapWritten(Swap, Workspace),
    /// Nobody waits for it, but a refusal is shown.
    Plain,
    /// Nobody waits for it, and a refusal means nothing.
    Ignored,
}

/// The layout's way to the host and to disk.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Saving {
    /// Revision of the note as far as known; 0: there is none.
    pub(crate) revision: u64,
    /// The revision is known.
    pub(crate) known: bool,
    /// Changed and not yet written, since then.
    pub(crate) dirty: Option<Instant>,
    /// A write is on its way.
    pub(crate) busy: bool,
    /// The JSON that was written last.
    pub(crate) written: Vec<u8>,
}

/// A border that is being dragged.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Drag {
    /// Which.
    pub(crate) divider: Divider,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Model {
    /// Settings.
    pub(crate) config: ClientConfig,
    /// What the outer terminal can show.
    pub(crate) ability: Ability,
    /// How it is told that a pane waits.
    pub(crate) teller: Teller,
    /// One pane has the whole terminal and nothing is saved.
    pub(crate) bare: bool,
    /// Only to look: panes are watched, not claimed, and nothing is typed.
    pub(crate) watch: bool,
    /// Tabs and splits.
    pub(crate) workspace: Workspace,
    /// What is known of each pane; every leaf has one.
    pub(crate) panes: BTreeMap<u32, Pane>,
    /// Columns and rows of the outer terminal.
    pub(crate) size: (u16, u16),
    /// What the keyboard is for.
    pub(crate) mode: Mode,
    /// The pane that had the focus before.
    pub(crate) last_pane: Option<u32>,
    /// The tab that was in front before.
    pub(crate) last_tab: Option<usize>,
    /// What to tell, until when.
    pub(crate) message: Option<(String, Instant)>,
    /// Requests without an answer, by id.
    pub(crate) asked: BTreeMap<u32, (u32, Asked)>,
    /// Last request id given.
    pub(crate) last_request: u32,
    /// Layout to note and disk.
    pub(crate) saving: Saving,
    /// The outer window has the focus, as far as it tells.
    pub(crate) outer_focus: bool,
    /// It has told of the focus at least once.
    pub(crate) tells_focus: bool,
    /// Panes the host was told that the user looks at.
    pub(crate) looks: Option<Vec<u32>>,
    /// Programs are started once this is over: the outer terminal told its colours, which they ask
    /// for first of all, or had the time. Panes that are there are shown at once.
    pub(crate) waiting: Option<Instant>,
    /// Panes to make then.
    pub(crate) wanted: Vec<Place>,
    /// The host's list of panes has come.
    pub(crate) listed: bool,
    /// Another client is opening this workspace: what it makes is waited for, nothing is made.
    pub(crate) joining: bool,
    /// How long.
    pub(crate) join_until: Option<Instant>,
    /// Sizes are changing all the time; panes are told again then.
    pub(crate) resizing: Option<Instant>,
    /// What was typed before there was a pane to type into.
    pub(crate) held: VecDeque<Input>,
    /// What the host owes.
    pub(crate) silence: Silence,
    /// Panes that others bring back at this moment, of all workspaces.
    pub(crate) coming: BTreeSet<u32>,
    /// A border held by the mouse.
    pub(crate) drag: Option<Drag>,
    /// What the outer terminal told.
    pub(crate) viewer: protocol::msg::Viewer,
    /// Title last given to the outer terminal.
    pub(crate) outer_title: String,
    /// The pane that was told it has the focus; `None` inside: none has. `None`: not yet begun.
    pub(crate) told_focus: Option<Option<u32>>,
    /// The outer terminal reports the mouse's motion without a button.
    pub(crate) motion: bool,
    /// The client will leave, when panes on their way have come, at the latest then.
    pub(crate) leaving: Option<(crate::Outcome, Instant)>,
    /// Nothing is done any more.
    pub(crate) left: bool,
}

impl Model {
    /// The client at its start.
    pub(crate) fn new(config: ClientConfig, view: crate::View, size: (u16, u16)) -> Self {
        let watch = matches!(view, crate::View::Watch(_));
        let joining = matches!(view, crate::View::Joining(_));
        let (bare, workspace) = match view {
            crate::View::Workspace(workspace) | crate::View::Joining(workspace) => {
                (false, workspace)
            }
            crate::View::Pane(PaneId(pane)) | crate::View::Watch(PaneId(pane)) => {
                let mut workspace = Workspace::new("", "", "/");
                workspace.add_tab(pane);
                (true, workspace)
            }
        };
        let panes = workspace
            .panes()
            .into_iter()
            .map(|id| {
                let mut pane = Pane::new(id);
                pane.watched = watch;
                let away = config.comeback.away.iter().find(|(it, _)| *it == id);
                if let Some((_, words)) = away {
                    pane.state = State::Away(words.clone());
                }
                (id, pane)
            })
            .collect();
        let viewer = protocol::msg::Viewer {
            foreground: None,
            background: None,
            cursor: None,
            palette: Vec::new(),
            cell: (0, 0),
            links: config.links.clone(),
            label: config.label.clone(),
        };
        Self {
            ability: Ability::of(&config.env),
            teller: Teller::of(config.tell, &config.env),
            config,
            bare,
            watch,
            workspace,
            panes,
            size: drawable(size.0, size.1),
            mode: Mode::Normal,
            last_pane: None,
            last_tab: None,
            message: None,
            asked: BTreeMap::new(),
            last_request: 0,
            saving: Saving::default(),
            outer_focus: true,
            tells_focus: false,
            looks: None,
            waiting: None,
            wanted: Vec::new(),
            listed: false,
            joining,
            held: VecDeque::new(),
            silence: Silence::default(),
            coming: BTreeSet::new(),
            join_until: None,
            resizing: None,
            drag: None,
            viewer,
            outer_title: String::new(),
            told_focus: None,
            motion: false,
            leaving: None,
            left: false,
        }
    }

    /// Others bring this pane back at this moment.
    pub(crate) fn comes_back(&self, pane: u32) -> bool {
        self.coming.contains(&pane) || self.config.comeback.pending.contains(&pane)
    }

    /// What is said of panes on their way, and the key that stops the rest.
    pub(crate) fn coming_words(&self) -> Option<String> {
        let key = crate::update::prefix_name(self);
        let coming = self.coming.len();
        (coming > 0).then(|| format!("{coming} pane(s) come back - {key} H stops the rest"))
    }

    /// The tab in front.
    pub(crate) fn tab(&self) -> Option<&Tab> {
        self.workspace.tabs.get(self.workspace.active)
    }

    /// The tab in front.
    pub(crate) fn tab_mut(&mut self) -> Option<&mut Tab> {
        self.workspace.tabs.get_mut(self.workspace.active)
    }

    /// The pane that has the keyboard.
    pub(crate) fn focus(&self) -> Option<u32> {
        self.tab().map(|tab| tab.focus)
    }

    /// The focused pane.
    pub(crate) fn focused(&mut self) -> Option<&mut Pane> {
        let focus = self.focus()?;
        self.panes.get_mut(&focus)
    }

    /// Where panes go: everything above the status line.
    pub(crate) const fn area(&self) -> Rect {
        let (width, height) = self.size;
        let rows = if self.bare {
            height
        } else {
            height.saturating_sub(1)
        };
        Rect {
            x: 0,
            y: 0,
            width,
            height: rows,
        }
    }

    /// Where the status line goes.
    pub(crate) const fn status_row(&self) -> Rect {
        let (width, height) = self.size;
        Rect {
            x: 0,
            y: height.saturating_sub(1),
            width,
            height: if height > 0 { 1 } else { 0 },
        }
    }

    /// Where the panes of the tab in front stand.
    pub(crate) fn geometry(&self) -> Geometry {
        self.tab()
            .map(|tab| arrange(tab, self.area()))
            .unwrap_or_default()
    }

    /// A new pane, or its place in a layout, was asked for and the answer has not come.
    pub(crate) fn creating(&self) -> bool {
        self.asked.values().any(|(_, asked)| {
            matches!(
                asked,
                Asked::Create(_) | Asked::SwapNotes(_) | Asked::SwapWritten(..)
            )
        })
    }

    /// A pane that takes this one's place is being made or will be.
    pub(crate) fn replacing(&self, pane: u32) -> bool {
        let place = Place::Instead(pane);
        let mut asked = self.asked.values();
        self.wanted.contains(&place) || asked.any(|(_, asked)| *asked == Asked::Create(place))
    }

    /// Tells the user something for a while.
    pub(crate) fn tell(&mut self, text: impl Into<String>, now: Instant) {
        self.message = Some((text.into(), now + MESSAGE_TIME));
    }
}
