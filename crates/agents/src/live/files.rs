//! The CLI's own file about a running process: `sessions/<pid>.json` and its like.
//!
//! Counts only with the pid *and* the start that the kernel knows, and only when it belongs to the
//! process's user: a file may be stale after kill -9, and pids are given out again.

use super::Unproven;
use crate::resume::bad_id;
use crate::spec::{Live, Spec};
use serde_json::Value;
use std::path::{Path, PathBuf};
use sys::process::{self, Identity};

/// Larger is no live file.
const MAX_BYTES: u64 = 256 * 1024;

/// What a live file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) id: String,
    pub(super) status: Option<String>,
    pub(super) why: Option<String>,
}

/// The live file of `process` below `home`. `Ok(None)`: there is none, or the CLI keeps none that is
/// a proof.
pub(super) fn read(spec: &Spec, home: &Path, process: Identity) -> Result<Option<Said>, Unproven> {
    let Some((live, path)) = path(spec, home, process) else {
        return Ok(None);
    };
    let owner = process::user(process.pid).ok_or(Unproven::Gone)?;
    let bytes = match sys::files::read_owned(&path, MAX_BYTES, owner) {
        Ok(bytes) => bytes,
        Err(error) if error.is_missing() => return Ok(None),
        Err(error) => return Err(Unproven::Unreadable(error.to_string())),
    };
    // Half written, or another form than we know: the next look will tell.
    let unreadable = |what: &str| Unproven::Unreadable(format!("{}: {what}", path.display()));
    let value: Value = serde_json::from_slice(&bytes).map_err(|_| unreadable("not whole"))?;
    if !is_of(live, &value, process) {
        // Left by another process that had this pid.
        return Ok(None);
    }
    let text = |key: &Option<String>| {
        let value = value.get(key.as_deref()?)?;
        value.as_str().map(str::to_owned)
    };
    let id = text(&live.id).ok_or_else(|| unreadable("no id in it"))?;
    if bad_id(spec, &id).is_some() {
        return Err(unreadable("what it calls the id is none"));
    }
    Ok(Some(Said {
        id,
        status: text(&live.status),
        why: text(&live.why),
    }))
}

/// Where it lies; `None` for a file that states no start, which is no proof.
fn path<'a>(spec: &'a Spec, home: &Path, process: Identity) -> Option<(&'a Live, PathBuf)> {
    let live = spec.learn.live.as_ref()?;
    let rest = live.path.strip_prefix("{home}/")?;
    let whole = live.start.is_some() && live.id.is_some() && !rest.contains(['*']);
    let path = home.join(rest.replace("{pid}", &process.pid.to_string()));
    whole.then_some((live, path))
}

/// Whether pid and start in the file are this process's.
fn is_of(live: &Live, value: &Value, process: Identity) -> bool {
    let number = |key: &Option<String>| value.get(key.as_deref()?);
    let pid = number(&live.pid).and_then(Value::as_i64);
    let start = number(&live.start).map(|start| match start {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    });
    pid.is_none_or(|pid| pid == i64::from(process.pid))
        && start.is_some_and(|start| is_start(&start, process.start))
}

/// The kernel's number alone, or behind the id of the boot.
fn is_start(text: &str, start: u64) -> bool {
    match text.rsplit_once(':') {
        Some((boot, ticks)) => {
            ticks.parse() == Ok(start) && boot.eq_ignore_ascii_case(&sys::boot::boot().id)
        }
        None => text.parse() == Ok(start),
    }
}
