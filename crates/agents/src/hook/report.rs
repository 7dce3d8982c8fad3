//! A hook's report: made in the pane by `abide hook`, judged by the keeper.
//!
//! The host has proved by the pane's key that it comes from that pane. That it is the pane's *own*
//! agent's, not one that the agent started, is told by the process it descends from.

use crate::catalogue::Catalogue;
use crate::live::{How, Learnt, Running};
use crate::recognise::{Recognised, recognise};
use crate::resume::bad_id;
use crate::spec::Spec;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::ffi::OsString;
use std::path::PathBuf;
use sys::process::{self, Identity};

/// Processes above the hook that are told.
const MAX_PARENTS: usize = 12;
/// Words of a command line that are told, and bytes of each: enough to recognise a CLI.
const MAX_WORDS: usize = 6;
const MAX_WORD: usize = 300;
/// Longest text of a field.
const MAX_TEXT: usize = 4096;

/// What one hook said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// The CLI's name in the catalogue.
    pub cli: String,
    /// The event, as the CLI calls it.
    pub event: String,
    /// The kind of the event, where it has one (`permission_prompt`, `busy`).
    pub detail: Option<String>,
    /// Why a conversation began or ended (`startup`, `clear`, `resume`, `fork`).
    pub source: Option<String>,
    /// The conversation.
    pub id: Option<String>,
    /// Its transcript.
    pub transcript: Option<PathBuf>,
    /// The folder.
    pub folder: Option<PathBuf>,
    /// The processes above the hook, nearest first.
    pub parents: Vec<Parent>,
}

/// A process above the hook.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Parent {
    /// Its pid.
    pub pid: i32,
    /// Its start, as in [`Identity`].
    pub start: u64,
    /// The first words of its command line.
    pub argv: Vec<String>,
}

impl Report {
    /// What the hook of `cli` was given on its standard input; `None`: nothing abide knows. Who is
    /// above this very process is added.
    #[must_use]
    pub fn of_hook(cli: &str, payload: &[u8]) -> Option<Self> {
        let mut report = Self::of_payload(cli, payload)?;
        report.parents = parents();
        Some(report)
    }

    /// Only the fields that are needed: never a prompt, an answer or a tool's input.
    fn of_payload(cli: &str, payload: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(payload).ok()?;
        let text = |names: &[&str]| {
            let mut found = names.iter().filter_map(|name| value.get(name)?.as_str());
            let text = found.next()?;
            (text.len() <= MAX_TEXT && !text.is_empty()).then(|| text.to_owned())
        };
        Some(Self {
            cli: cli.to_owned(),
            event: text(&["hook_event_name", "event"])?,
            detail: text(&["notification_type", "detail"]),
            source: text(&["source", "reason"]),
            id: text(&["session_id", "sessionID", "sessionId"]),
            transcript: text(&["transcript_path"]).map(PathBuf::from),
            folder: text(&["cwd"]).map(PathBuf::from),
            parents: Vec::new(),
        })
    }

    /// As it is sent; well below the host's bound.
    #[must_use]
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// `None` when it is not of this form.
    #[must_use]
    pub fn from_json(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}

/// The processes above this one.
fn parents() -> Vec<Parent> {
    let mut found = Vec::new();
    let mut pid = process::parent();
    while found.len() < MAX_PARENTS
        && pid > 1
        && let Some(stat) = process::stat(pid)
    {
        let argv = process::command_line(pid).unwrap_or_default();
        let word = |word: &OsString| {
            let text = word.to_string_lossy();
            text.chars().take(MAX_WORD).collect()
        };
        found.push(Parent {
            pid,
            start: stat.start,
            argv: argv.iter().take(MAX_WORDS).map(word).collect(),
        });
        pid = stat.ppid;
    }
    found
}

/// Whether the report is the pane's own agent's: the nearest agent above the hook is `running`.
#[must_use]
pub fn accepted(catalogue: &Catalogue, report: &Report, running: &Running) -> bool {
    if report.cli != running.cli {
        return false;
    }
    for parent in &report.parents {
        let identity = Identity {
            pid: parent.pid,
            start: parent.start,
        };
        if running.own.contains(&identity) {
            return true;
        }
        let argv: Vec<OsString> = parent.argv.iter().map(OsString::from).collect();
        let found = recognise(catalogue, &argv, None, &|_| None);
        if matches!(found, Some(Recognised::Agent { .. })) {
            return false;
        }
    }
    false
}

/// Whether the report says what the agent's screen shows: the conversation it names, or none.
#[must_use]
pub fn is_of_screen(spec: &Spec, report: &Report) -> bool {
    let screen = spec.learn.screen.as_ref();
    screen.is_some_and(|it| it.events.contains(&report.event))
}

/// The conversation an accepted report names; `None` when it names none, or says that it ended.
#[must_use]
pub fn learnt(spec: &Spec, report: &Report, running: &Running) -> Option<Learnt> {
    let id = report.id.clone().filter(|id| bad_id(spec, id).is_none())?;
    let ends = report.event == "SessionEnd";
    (!ends).then(|| Learnt {
        id,
        how: How::Hook,
        process: running.process,
        transcript: report.transcript.clone().filter(|path| path.is_absolute()),
        status: None,
        why: None,
        permission: None,
        sure: None,
    })
}
