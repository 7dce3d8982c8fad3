//! Which conversation a running process has: proved, or unknown with the reason.
//!
//! In: a look at the processes ([`Table`]), a pane's program and foreground. Out: its agent
//! ([`agent_of`]), that agent's conversation ([`conversation`]), who has a conversation open
//! ([`holder`]). A proof ties the id to this very process: a file of the CLI's that names its pid and
//! start, a lock it holds, a report it made, or the id it was started with. Promises: the newest file
//! of a folder is no proof; what cannot be read at this moment proves nothing and refutes nothing; a
//! better proof is never replaced by what a process was started with.

mod doubt;
mod files;
mod holder;
mod launch;
mod learnt;
mod locks;
mod running;
mod table;

pub(crate) use holder::same_folder;
pub use holder::{Holder, Outside, holder, outside};
pub use launch::launched_with;
pub use learnt::{How, Learnt, Unproven};
pub use running::{Found, Running, agent_at, agent_of};
pub use table::{Env, Table};

use crate::helpers::Helper;
use crate::paths;
use crate::spec::Spec;
use crate::transcript;
use std::path::{Path, PathBuf};
use sys::process::Identity;

/// The conversation that `running` has now. `before` is what was learnt of this same pane before;
/// `shared` is a helper process of the same account that holds conversations of many
/// ([`crate::helpers::find`]).
///
/// # Errors
/// [`Unproven`]: there is no proof at this moment. What was learnt before is not refuted by that,
/// unless [`Unproven::refutes`] says so.
pub fn conversation(
    spec: &Spec,
    running: &Running,
    before: Option<&Learnt>,
    shared: Option<&Helper>,
) -> Result<Learnt, Unproven> {
    let before = before.filter(|it| running.own.contains(&it.process));
    let proof = proved(spec, running, before)?;
    match (proof, shared) {
        (Some(found), _) => Ok(complete(spec, running, before, found)),
        (None, Some(helper)) => Err(Unproven::Shared {
            name: helper.name.clone(),
            pid: helper.process.pid,
        }),
        (None, None) => started(spec, running, before),
    }
}

/// What the system proves now.
fn proved(
    spec: &Spec,
    running: &Running,
    before: Option<&Learnt>,
) -> Result<Option<Learnt>, Unproven> {
    let env = |name: &str| running.env.get(name);
    let Some(home) = paths::home(spec, &env) else {
        return Ok(None);
    };
    if let Some(found) = by_file(spec, running, before, &home)? {
        return Ok(Some(found));
    }
    let held = locks::look(spec, &home, &running.own);
    if let Some(lock) = locks::shown(spec, &held)? {
        let open = held.transcripts.iter().find(|it| it.id == lock.id);
        let transcript = open.map(|it| it.path.clone());
        return Ok(Some(learnt(lock.id, How::Lock, lock.process, transcript)));
    }
    let open = locks::open(spec, &held)?;
    Ok(open.map(|it| learnt(it.id, How::Transcript, it.process, Some(it.path))))
}

/// By the CLI's own file: the topmost of the agent's processes that has one.
fn by_file(
    spec: &Spec,
    running: &Running,
    before: Option<&Learnt>,
    home: &Path,
) -> Result<Option<Learnt>, Unproven> {
    // Whoever had it keeps it: a file that is missing for a moment must not lead further down.
    let same = before.filter(|it| it.how == How::Live).map(|it| it.process);
    for process in running
        .own
        .iter()
        .filter(|it| same.is_none_or(|same| same == **it))
    {
        if let Some(said) = files::read(spec, home, *process)? {
            let mut found = learnt(said.id, How::Live, *process, None);
            (found.status, found.why) = (said.status, said.why);
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Nothing proves what it has now: what was proved before holds, else what it was started with.
fn started(spec: &Spec, running: &Running, before: Option<&Learnt>) -> Result<Learnt, Unproven> {
    if let Some(before) = before.filter(|it| it.how.is_current()) {
        let mut same = before.clone();
        (same.status, same.why) = (None, None);
        return Ok(complete(spec, running, Some(before), same));
    }
    let (id, how) =
        launched_with(spec, &running.line.argv).ok_or_else(|| Unproven::NoProof(no_proof(spec)))?;
    let found = learnt(id, how, running.process, None);
    let mut found = complete(spec, running, before, found);
    if doubt::applies(spec) {
        let before = before.filter(|it| it.id == found.id);
        if found.transcript.is_none() {
            found.transcript = lies(spec, running, before, &found.id);
        }
        let sure = before.and_then(|it| it.sure);
        found.sure = doubt::look(spec, &found, sure).map_err(Unproven::Another)?;
    }
    Ok(found)
}

/// Where a conversation lies whose place only a look through folders tells; once found, it is known.
fn lies(spec: &Spec, running: &Running, before: Option<&Learnt>, id: &str) -> Option<PathBuf> {
    let known = before.and_then(|it| it.transcript.clone());
    known.filter(|path| path.exists()).or_else(|| {
        let env = |name: &str| running.env.get(name);
        transcript::find(spec, id, running.folder.as_deref()?, &env)
    })
}

fn no_proof(spec: &Spec) -> String {
    match spec.proofs().as_slice() {
        [] => format!("{} leaves nothing that proves it", spec.title),
        proofs => {
            let words: Vec<_> = proofs.iter().map(|proof| proof.word()).collect();
            format!("none of its proofs is there ({})", words.join(", "))
        }
    }
}

fn learnt(id: String, how: How, process: Identity, transcript: Option<PathBuf>) -> Learnt {
    Learnt {
        id,
        how,
        process,
        transcript,
        status: None,
        why: None,
        permission: None,
        sure: None,
    }
}

/// Adds where the transcript lies and the permission mode written there last.
fn complete(spec: &Spec, running: &Running, before: Option<&Learnt>, mut found: Learnt) -> Learnt {
    let before = before.filter(|it| it.id == found.id);
    if found.transcript.is_none() {
        let known = before.and_then(|it| it.transcript.clone());
        found.transcript = known.filter(|path| path.exists()).or_else(|| {
            let env = |name: &str| running.env.get(name);
            let folder = running.folder.as_deref()?;
            paths::exact(spec, &found.id, folder, &env)
        });
    }
    let written = found.transcript.as_deref();
    let written = written.and_then(|path| transcript::last_mode(spec, path));
    found.permission = written.or_else(|| before.and_then(|it| it.permission.clone()));
    found
}

/// Whether the kernel knows a lock of `pid` on the file.
fn holding(path: &Path, pid: i32) -> bool {
    sys::process::lock_holders(path).is_some_and(|pids| pids.contains(&pid))
}
