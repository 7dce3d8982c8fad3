//! The plan against a world made of data.

mod agents;
mod panes;

use super::*;
use crate::record::{AgentRecord, Conversation, How, PaneSetting, Seen};
use crate::text::Text;
use crate::world::{Folder, Kept, Transcript, Whose};
use ::agents::{Spec, Version};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

pub(super) const ID: &str = "0a1b2c3d-0000-4000-8000-000000000001";
pub(super) const OTHER: &str = "0a1b2c3d-0000-4000-8000-000000000002";

/// A world in which everything is in order but what a test changes.
pub(super) struct Fake {
    pub(super) missing_programs: Vec<&'static str>,
    pub(super) folders: Vec<(&'static str, Folder)>,
    pub(super) transcript: Transcript,
    pub(super) holder: Option<i32>,
    pub(super) variables: Option<Vec<&'static str>>,
    pub(super) version: Option<&'static str>,
    pub(super) kept: Kept,
}

impl Default for Fake {
    fn default() -> Self {
        Self {
            missing_programs: Vec::new(),
            folders: Vec::new(),
            transcript: there(Some(true), None),
            holder: None,
            variables: None,
            version: Some("99.0.0"),
            kept: Kept::None,
        }
    }
}

pub(super) fn there(user_turn: Option<bool>, mode: Option<&str>) -> Transcript {
    Transcript::There {
        path: "/t".into(),
        user_turn,
        mode: mode.map(str::to_owned),
        stopped: None,
        written: None,
    }
}

impl World for Fake {
    fn program(&self, name: &OsStr, _: Option<&OsStr>, _: &Path) -> Option<PathBuf> {
        let missing = self.missing_programs.iter().any(|it| name == *it);
        (!missing).then(|| Path::new("/bin").join(name))
    }
    fn folder(&self, path: &Path) -> Folder {
        let found = self.folders.iter().find(|(it, _)| path == Path::new(it));
        found.map_or(Folder::There, |(_, folder)| *folder)
    }
    fn transcript(&self, _: Whose<'_>) -> Transcript {
        self.transcript.clone()
    }
    fn holder(&self, _: Whose<'_>) -> Option<i32> {
        self.holder
    }
    fn variable(&self, name: &str) -> Option<bool> {
        Some(self.variables.as_ref()?.contains(&name))
    }
    fn version(&self, _: &Spec, program: &Path) -> Option<Version> {
        // Asked of anything else it would be another program's.
        let own = !program.ends_with("node");
        Version::find(self.version.filter(|_| own)?)
    }
    fn kept(&self, _: Whose<'_>) -> Kept {
        self.kept
    }
    fn shell(&self) -> Text {
        "/bin/zsh".into()
    }
}

/// Claude Code as a pane's own program, in the middle of a turn.
pub(super) fn claude(id: u32, argv: &[&str]) -> PaneRecord {
    let argv: Vec<Text> = argv.iter().map(|word| (*word).into()).collect();
    PaneRecord {
        id,
        workspace: Some("shop".into()),
        argv: argv.clone(),
        cwd: "/src/shop".into(),
        agent: Some(AgentRecord {
            cli: "claude".into(),
            argv,
            cwd: "/src/shop".into(),
            ..AgentRecord::default()
        }),
        conversation: Some(conversation(ID)),
        state: Some(Seen {
            state: "working".into(),
            ..Seen::default()
        }),
        ..PaneRecord::default()
    }
}

pub(super) fn conversation(id: &str) -> Conversation {
    Conversation {
        id: id.into(),
        how: How::Live,
        at: 1,
        transcript: Some("/t".into()),
        permission: None,
        asked: None,
        rest: serde_json::Map::new(),
    }
}

pub(super) fn agent(cli: &str, argv: &[&str]) -> PaneRecord {
    let mut pane = claude(1, argv);
    pane.agent.as_mut().unwrap().cli = cli.into();
    pane
}

pub(super) fn shell(id: u32) -> PaneRecord {
    PaneRecord {
        id,
        argv: vec!["/bin/bash".into()],
        cwd: "/src/shop".into(),
        shell: true,
        ..PaneRecord::default()
    }
}

pub(super) fn settings(catalogue: &Catalogue) -> Settings<'_> {
    Settings {
        cause: Cause::Gone(Reason::Machine),
        start: Start::Auto,
        go_on: GoOn::Auto,
        attended: false,
        live: BTreeSet::new(),
        shown: BTreeSet::new(),
        catalogue,
    }
}

pub(super) fn document(panes: &[PaneRecord]) -> Document {
    let mut document = Document::default();
    panes
        .iter()
        .for_each(|pane| document.put_pane(pane).unwrap());
    document
}

/// The one item of a plan for `pane`.
pub(super) fn item_of(pane: &PaneRecord, world: &Fake) -> Item {
    let catalogue = Catalogue::built_in();
    let plan = plan(
        &document(std::slice::from_ref(pane)),
        &settings(&catalogue),
        world,
    );
    assert_eq!(plan.items.len(), 1);
    plan.items.into_iter().next().unwrap()
}

pub(super) fn check(pane: &PaneRecord, world: &Fake, action: Action, reason: &str) -> Item {
    let item = item_of(pane, world);
    assert_eq!(item.action, action, "{}", item.reason);
    assert!(
        item.reason.contains(reason),
        "{:?} has no {reason:?}",
        item.reason
    );
    item
}

pub(super) fn argv(item: &Item) -> String {
    let spawn = item.spawn.as_ref().expect("something is started");
    let words = spawn.argv.iter().map(Text::shown).collect::<Vec<_>>();
    words.join(" ")
}

pub(super) fn variable(env: &[(Text, Text)], name: &str) -> Option<String> {
    let found = env.iter().find(|(known, _)| known.as_os() == name);
    found.map(|(_, value)| value.shown())
}
