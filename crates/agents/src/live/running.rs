//! Which process of a pane is its agent, and which processes are that agent itself.
//!
//! In: a look at the processes, the pane's program, its terminal's foreground group. Out: the topmost
//! agent on the way from the program to the foreground. Promises: an agent that another one started,
//! a run without a person, a job in the background is never the pane's; launchers and what they
//! start (`npx` -> `node` -> the CLI) are one agent.

use super::table::{Env, Facts, Table};
use crate::catalogue::Catalogue;
use crate::recognise::{CommandLine, Recognised, Use, recognise};
use std::ffi::OsString;
use std::path::PathBuf;
use sys::process::{self, Identity, Stat};

/// A running agent.
#[derive(Clone, Debug)]
pub struct Running {
    /// The CLI's name in the catalogue.
    pub cli: String,
    /// Its topmost process.
    pub process: Identity,
    /// Its command line as it ran, with what stood in front.
    pub line: CommandLine,
    /// The folder it is in now.
    pub folder: Option<PathBuf>,
    /// Its environment as it was started with.
    pub env: Env,
    /// It was typed into a shell: the pane's program is another.
    pub typed: bool,
    /// The processes that are this agent, topmost first: itself and what its launchers started.
    pub own: Vec<Identity>,
}

/// What a pane runs.
#[derive(Clone, Debug)]
pub enum Found {
    /// An agent with a person at its terminal.
    Agent(Box<Running>),
    /// An agent abide cannot look into: `docker`, `ssh`, `sudo`.
    Inside {
        /// The CLI's name in the catalogue.
        cli: String,
        /// The program around it.
        what: String,
        /// That program's process.
        process: Identity,
    },
    /// An agent's run that is no conversation: `claude -p`, `codex exec`.
    Headless {
        /// The CLI's name in the catalogue.
        cli: String,
        /// Its process.
        process: Identity,
    },
    /// None.
    Nothing,
}

/// The agent of the pane whose program is `root` and whose terminal's foreground group is
/// `foreground` (0: unknown).
#[must_use]
pub fn agent_of(catalogue: &Catalogue, table: &Table, root: Identity, foreground: i32) -> Found {
    let family = table.family(root);
    let mut way: Vec<i32> = family
        .iter()
        .filter(|it| it.pgrp == foreground && foreground > 0)
        .map(|it| it.pid)
        .collect();
    // A child stands behind its parent, so that one walk back marks all above.
    for member in family.iter().rev() {
        if way.contains(&member.pid) && member.pid != root.pid {
            way.push(member.ppid);
        }
    }
    way.push(root.pid);
    let candidates = family
        .iter()
        .filter(|it| way.contains(&it.pid) && it.alive());
    for stat in candidates {
        if let Some(found) = look(catalogue, table, root, stat) {
            return found;
        }
    }
    Found::Nothing
}

/// What this process is as an agent; `None`: none.
fn look(catalogue: &Catalogue, table: &Table, root: Identity, stat: &Stat) -> Option<Found> {
    let facts = Facts::of(stat.pid);
    let env = |name: &str| facts.env.get(name);
    let process = stat.identity();
    match recognise(catalogue, &facts.argv, facts.exe.as_deref(), &env)? {
        Recognised::Inside { agent, what } => Some(Found::Inside {
            cli: agent,
            what,
            process,
        }),
        Recognised::Agent {
            agent,
            line,
            used: Use::Conversation,
        } => {
            let own = own(catalogue, table, &agent, stat, &facts.env);
            Some(Found::Agent(Box::new(Running {
                cli: agent,
                process,
                line,
                folder: process::folder(stat.pid),
                env: facts.env,
                typed: process != root,
                own,
            })))
        }
        // abide's own helper around a program that came back: what it runs is what counts.
        Recognised::Agent {
            used: Use::Other(command),
            ..
        } if command == "__pane" => None,
        Recognised::Agent { agent, .. } => Some(Found::Headless {
            cli: agent,
            process,
        }),
    }
}

/// The agent that this one process is, wherever it runs; for looks outside panes.
#[must_use]
pub fn agent_at(catalogue: &Catalogue, table: &Table, process: Identity) -> Option<Running> {
    let stat = table.get(process.pid)?;
    match look(catalogue, table, process, stat)? {
        Found::Agent(running) => Some(*running),
        _ => None,
    }
}

/// The agent's own processes: in its process group and session, not begun by its tools.
fn own(catalogue: &Catalogue, table: &Table, cli: &str, top: &Stat, env: &Env) -> Vec<Identity> {
    let marks = catalogue.get(cli).map(|spec| spec.learn.nested.as_slice());
    let marks = marks.unwrap_or_default();
    let mut found: Vec<&Stat> = vec![top];
    let mut next = 0;
    while let Some(parent) = found.get(next).map(|it| it.pid) {
        next += 1;
        let same_job = |it: &&Stat| it.pgrp == top.pgrp && it.session == top.session;
        for child in table.children(parent).filter(same_job) {
            let new = !found.iter().any(|it| it.pid == child.pid);
            if new && child.alive() && is_same(catalogue, cli, marks, child, env) {
                found.push(child);
            }
        }
    }
    found.iter().map(|it| it.identity()).collect()
}

/// Whether a process in the agent's job is still that agent, not another it began.
fn is_same(catalogue: &Catalogue, cli: &str, marks: &[String], it: &Stat, top: &Env) -> bool {
    let facts = Facts::of(it.pid);
    if marks.iter().any(|mark| {
        let value: Option<OsString> = facts.env.get(mark);
        value.is_some() && value != top.get(mark)
    }) {
        return false;
    }
    let env = |name: &str| facts.env.get(name);
    match recognise(catalogue, &facts.argv, facts.exe.as_deref(), &env) {
        Some(Recognised::Agent { agent, used, .. }) => agent == cli && used == Use::Conversation,
        Some(Recognised::Inside { .. }) => false,
        None => true,
    }
}
