//! What becomes of each pane at a start, and why. Pure: the outside is asked through [`World`].
//!
//! In: the document, why there is a restore, settings. Out: one [`Item`] a pane: resume, shell,
//! fresh, blocked or skip, each with its reason and, where something is started, what exactly.
//! Promises: no proof, no resume; a permission is never above the last known; a first prompt is never
//! sent again; two panes never open one conversation; nothing is started for a pane the user ended.

mod agent;
mod program;
mod shell;
mod spawn;

#[cfg(test)]
mod tests;

pub use spawn::{Spawn, Wrapped, stands_in};

use crate::record::{GoOn, Intent, PaneRecord, Start};
use crate::store::Document;
use crate::verdict::Reason;
use crate::world::World;
use agents::Catalogue;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Attempts after which a pane is left alone until the user asks.
pub const MAX_TRIES: u32 = 3;
/// Times a cut turn is told to go on before that stops, over all boots.
pub const MAX_CONTINUES: u32 = 3;
/// Longest label, in characters.
const LABEL: usize = 60;

/// Why a pane that the user held is left out.
pub(crate) const HELD: &str = "held; `abide restore` goes on";

/// Why there is a restore.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cause {
    /// A start found the host gone.
    Gone(Reason),
    /// The user opened the folder of this workspace.
    Opened(String),
    /// The user asked for all of it.
    Asked,
    /// The user asked for these panes, whatever became of them.
    Reopened(Vec<u32>),
}

/// What is to be known beside the document.
#[derive(Clone, Debug)]
pub struct Settings<'a> {
    /// Why.
    pub cause: Cause,
    /// `restore.start`.
    pub start: Start,
    /// `restore.continue`.
    pub go_on: GoOn,
    /// Somebody is attached.
    pub attended: bool,
    /// Panes whose program runs in the host.
    pub live: BTreeSet<u32>,
    /// Panes somebody sees or will see first.
    pub shown: BTreeSet<u32>,
    /// The CLIs.
    pub catalogue: &'a Catalogue,
}

/// What becomes of a pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// The agent opens its own conversation.
    Resume,
    /// A shell starts in its folder.
    Shell,
    /// The agent starts without a conversation: there was none to lose.
    Fresh,
    /// It cannot come back; the offer stays.
    Blocked,
    /// It is not to come back now.
    Skip,
}

impl Cause {
    /// For people, to stand behind a colon.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Gone(reason) => reason.words().to_owned(),
            Self::Opened(_) => "its folder was opened".to_owned(),
            Self::Asked => "asked for".to_owned(),
            Self::Reopened(_) => "reopened".to_owned(),
        }
    }
}

impl Action {
    /// As `abide restore --dry-run` prints it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Resume => "resume",
            Self::Shell => "shell",
            Self::Fresh => "fresh",
            Self::Blocked => "blocked",
            Self::Skip => "skip",
        }
    }
}

impl Item {
    /// For people: what would come, and how.
    #[must_use]
    pub fn what(&self) -> String {
        match self.action {
            Action::Skip => self.label.clone(),
            action => format!("{} ({})", self.label, action.word()),
        }
    }

    /// It is left out because the user held it.
    pub(crate) fn is_held(&self) -> bool {
        self.spawn.is_none() && self.reason == HELD
    }
}

/// What becomes of one pane.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Its id.
    pub pane: u32,
    /// Its workspace's id.
    pub workspace: Option<String>,
    /// For people: its name, its agent, or its program.
    pub label: String,
    /// What becomes of it.
    pub action: Action,
    /// Why; never empty.
    pub reason: String,
    /// What is started; `None` only when it is skipped.
    pub spawn: Option<Spawn>,
    /// Somebody sees it.
    pub shown: bool,
}

/// What becomes of every pane.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// One entry a pane, in the order they are started: shown ones first.
    pub items: Vec<Item>,
}

/// Makes the plan.
#[must_use]
pub fn plan(document: &Document, settings: &Settings<'_>, world: &dyn World) -> Plan {
    let panes = document.panes();
    let mut taken = taken(&panes, settings);
    let mut items: Vec<Item> = panes
        .iter()
        .filter(|pane| !settings.live.contains(&pane.id))
        .map(|pane| {
            let mut item = item(document, pane, settings, world);
            one_a_conversation(&mut item, pane, &mut taken, world);
            if let Some(spawn) = &mut item.spawn {
                spawn.shell = world.shell();
            }
            item
        })
        .collect();
    items.sort_by_key(|item| !item.shown);
    Plan { items }
}

/// Conversations that living panes have, by CLI and id.
fn taken(panes: &[PaneRecord], settings: &Settings<'_>) -> BTreeMap<(String, String), u32> {
    let live = panes.iter().filter(|pane| settings.live.contains(&pane.id));
    live.filter_map(|pane| Some((key(pane)?, pane.id)))
        .collect()
}

fn key(pane: &PaneRecord) -> Option<(String, String)> {
    let cli = pane.agent.as_ref()?.cli.clone();
    Some((cli, pane.conversation.as_ref()?.id.clone()))
}

/// The second pane of a conversation does not open it again.
fn one_a_conversation(
    item: &mut Item,
    pane: &PaneRecord,
    taken: &mut BTreeMap<(String, String), u32>,
    world: &dyn World,
) {
    let Some(key) = key(pane).filter(|_| matches!(item.action, Action::Resume | Action::Fresh))
    else {
        return;
    };
    match taken.get(&key) {
        Some(other) => {
            let reason = format!("its conversation is already open in pane p{other}");
            shell::block(item, pane, reason, world);
        }
        None => {
            taken.insert(key, pane.id);
        }
    }
}

fn item(
    document: &Document,
    pane: &PaneRecord,
    settings: &Settings<'_>,
    world: &dyn World,
) -> Item {
    let mut item = Item {
        pane: pane.id,
        workspace: pane.workspace.clone(),
        label: label(pane),
        action: Action::Skip,
        reason: String::new(),
        spawn: None,
        shown: settings.shown.contains(&pane.id),
    };
    if let Some(why) = left_out(document, pane, settings) {
        item.reason = why;
        return item;
    }
    agent::decide(&mut item, pane, settings, world);
    item
}

/// For people: what the pane is.
#[must_use]
pub fn label(pane: &PaneRecord) -> String {
    let cli = pane.agent.as_ref().map(|agent| agent.cli.clone());
    let title = Some(&pane.title).filter(|it| !it.is_empty() && !pane.private);
    let program = || {
        let program = pane.argv.first().map(|it| it.as_path().file_name());
        let name = program.flatten().unwrap_or_default();
        name.to_string_lossy().into_owned()
    };
    let label = pane.name.clone().or(cli).or_else(|| title.cloned());
    let label = label.filter(|it| !it.is_empty()).unwrap_or_else(program);
    shorten(label.chars().filter(|c| !c.is_control()))
}

/// At most [`LABEL`] characters, the cut shown.
fn shorten(label: impl Iterator<Item = char>) -> String {
    let mut label: Vec<char> = label.take(LABEL + 1).collect();
    if label.len() > LABEL {
        label.truncate(LABEL - 1);
        label.push('…');
    }
    label.into_iter().collect()
}

/// Why this pane is not to come back now; `None`: it is.
fn left_out(document: &Document, pane: &PaneRecord, settings: &Settings<'_>) -> Option<String> {
    let start = pane.restore.as_ref().and_then(|it| it.start);
    let start = start.unwrap_or(settings.start);
    let intent = &pane.intent;
    let asked = match &settings.cause {
        Cause::Reopened(ids) => {
            return (!ids.contains(&pane.id)).then(|| "another pane was asked for".to_owned());
        }
        Cause::Opened(workspace) if pane.workspace.as_ref() != Some(workspace) => {
            return Some("its folder was not opened".to_owned());
        }
        Cause::Gone(_) => false,
        Cause::Opened(_) | Cause::Asked => true,
    };
    let opened = matches!(settings.cause, Cause::Opened(_));
    let why = match intent {
        Intent::EndedByUser { .. } => "ended by user; `abide reopen` brings it back",
        Intent::Exited { .. } => "it had exited by itself; `abide reopen` brings it back",
        Intent::Discarded { .. } => "started fresh; `abide restore --undo` brings it back",
        Intent::ClosedWorkspace { .. } if !opened => {
            "its workspace was closed; opening its folder brings it back"
        }
        Intent::ClosedWorkspace { .. } => return None,
        Intent::Open | Intent::Provisional { .. } => match start {
            _ if opened && document.hold() => HELD,
            _ if asked && !(opened && start == Start::Never) => return None,
            Start::Never => "restore.start is never; `abide restore` brings it back",
            Start::OnOpen if pane.workspace.is_none() => {
                "restore.start is on-open and no workspace has it; `abide restore` brings it back"
            }
            Start::OnOpen => "restore.start is on-open; opening its folder brings it back",
            Start::Auto if document.hold() => HELD,
            Start::Auto => return None,
        },
    };
    Some(why.to_owned())
}

impl Plan {
    /// How many panes become this.
    #[must_use]
    pub fn count(&self, action: Action) -> usize {
        self.items
            .iter()
            .filter(|item| item.action == action)
            .count()
    }

    /// Something is to be started.
    #[must_use]
    pub fn starts(&self) -> bool {
        self.items.iter().any(|item| item.spawn.is_some())
    }

    /// The line that says what begins; `None` when no agent is resumed.
    #[must_use]
    pub fn beginning(&self, reason: &str) -> Option<String> {
        let agents = self.count(Action::Resume);
        (agents > 0)
            .then(|| format!("resuming {agents} agent(s) on their own conversations: {reason}"))
    }
}
