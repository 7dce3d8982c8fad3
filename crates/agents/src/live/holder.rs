//! Who has a conversation open, also outside abide: one live process per CLI and conversation.

use super::{
    How, Learnt, Running, Table, Unproven, agent_at, conversation, files, launched_with, locks,
};
use crate::catalogue::Catalogue;
use crate::helpers;
use crate::paths;
use crate::recognise::{Recognised, recognise};
use crate::spec::Spec;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use sys::process::{self, Identity, Stat};

/// A live process that has a conversation open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The process.
    pub process: Identity,
    /// The pane it runs in, when it was started below abide.
    pub pane: Option<String>,
    /// How that is known.
    pub how: How,
}

/// An agent that runs outside abide.
#[derive(Clone, Debug)]
pub struct Outside {
    /// The agent.
    pub running: Running,
    /// Its conversation.
    pub conversation: Result<Learnt, Unproven>,
}

/// The process of this user that has conversation `id` of this CLI open; of several the oldest. Runs
/// without a person count, and so do helpers: they write to it too. `env` names the account: the
/// conversations of another account's folder are others, whatever their ids.
#[must_use]
pub fn holder(
    catalogue: &Catalogue,
    table: &Table,
    spec: &Spec,
    id: &str,
    env: &dyn Fn(&str) -> Option<OsString>,
) -> Option<Holder> {
    let home = paths::home(spec, env);
    let found =
        own_processes(table).filter_map(|stat| has(catalogue, spec, stat, id, home.as_deref()));
    found.min_by_key(|holder| holder.process.start)
}

/// The living processes of this user.
fn own_processes(table: &Table) -> impl Iterator<Item = &Stat> {
    let me = process::user(Identity::me().pid);
    let own = move |it: &&Stat| it.alive() && me.is_some() && process::user(it.pid) == me;
    table.all().filter(own)
}

/// Whether this process has it open.
fn has(
    catalogue: &Catalogue,
    spec: &Spec,
    stat: &Stat,
    id: &str,
    account: Option<&Path>,
) -> Option<Holder> {
    let facts = super::table::Facts::of(stat.pid);
    let env = |name: &str| facts.env.get(name);
    let line = match recognise(catalogue, &facts.argv, facts.exe.as_deref(), &env)? {
        Recognised::Agent { agent, line, .. } if agent == spec.name => line,
        _ => return None,
    };
    let other = |home: &PathBuf| account.is_some_and(|account| !same_folder(home, account));
    if paths::home(spec, &env).is_some_and(|home| other(&home)) {
        return None;
    }
    let process = stat.identity();
    let how = how(spec, process, &line.argv, &env, id)?;
    let pane = facts
        .env
        .get("ABIDE_PANE")
        .and_then(|it| it.into_string().ok());
    Some(Holder { process, pane, how })
}

/// Whether two paths lead to one folder.
pub(crate) fn same_folder(a: &Path, b: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    a == b || real(a) == real(b)
}

fn how(
    spec: &Spec,
    process: Identity,
    argv: &[OsString],
    env: &dyn Fn(&str) -> Option<OsString>,
    id: &str,
) -> Option<How> {
    if let Some(home) = paths::home(spec, env) {
        if let Ok(Some(said)) = files::read(spec, &home, process) {
            return (said.id == id).then_some(How::Live);
        }
        let held = locks::look(spec, &home, &[process]);
        let named = |list: &[locks::Held]| list.iter().any(|held| held.id == id);
        if named(&held.locks) {
            return Some(How::Lock);
        }
        if named(&held.transcripts) {
            return Some(How::Transcript);
        }
        if !held.locks.is_empty() {
            return None;
        }
    }
    let (begun, how) = launched_with(spec, argv)?;
    (begun == id).then_some(how)
}

/// The agents of this user that run outside abide with a person at their terminal.
#[must_use]
pub fn outside(catalogue: &Catalogue, table: &Table) -> Vec<Outside> {
    let mut found: Vec<Outside> = Vec::new();
    let mut stats: Vec<&Stat> = own_processes(table).collect();
    stats.sort_by_key(|it| (it.start, it.pid));
    for stat in stats {
        let known = |it: &Outside| it.running.own.contains(&stat.identity());
        if found.iter().any(known) {
            continue;
        }
        let Some(running) = agent_at(catalogue, table, stat.identity()) else {
            continue;
        };
        let ours = ["ABIDE_PANE", "ABIDE_REAPER"];
        let nested = catalogue.get(&running.cli).map(|spec| &spec.learn.nested);
        let marks = nested.into_iter().flatten().map(String::as_str);
        if ours
            .into_iter()
            .chain(marks)
            .any(|name| running.env.get(name).is_some())
        {
            continue;
        }
        let Some(spec) = catalogue.get(&running.cli) else {
            continue;
        };
        let env = |name: &str| running.env.get(name);
        let shared = helpers::find(spec, table, &env);
        let conversation = conversation(spec, &running, None, shared.first());
        found.push(Outside {
            running,
            conversation,
        });
    }
    found
}
