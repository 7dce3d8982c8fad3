//! Processes of a CLI that several panes share, such as Codex's app-server daemon.
//!
//! Proved by the file in which the CLI keeps its pid, by its command line, its user and its account's
//! folder together; a name alone proves nothing.

use crate::live::{Env, Table, same_folder};
use crate::paths;
use crate::spec::{self, Spec};
use std::ffi::OsString;
use std::path::Path;
use sys::process::{self, Identity};

/// Larger is no file with a pid.
const MAX_BYTES: u64 = 4096;

/// A helper that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Helper {
    /// What it is called.
    pub name: String,
    /// Its process.
    pub process: Identity,
    /// What it does to conversations, for people.
    pub effect: String,
    /// The mark of abide's that it inherited from the pane that began it; `None`: begun outside.
    pub tag: Option<OsString>,
}

/// The helpers of this CLI that live for the account that `env` names.
#[must_use]
pub fn find(spec: &Spec, table: &Table, env: &dyn Fn(&str) -> Option<OsString>) -> Vec<Helper> {
    let Some(home) = paths::home(spec, env) else {
        return Vec::new();
    };
    let lives = |helper: &spec::Helper| look(spec, table, &home, helper);
    spec.helpers.iter().filter_map(lives).collect()
}

fn look(spec: &Spec, table: &Table, home: &Path, helper: &spec::Helper) -> Option<Helper> {
    let rest = helper.pid_file.as_deref()?.strip_prefix("{home}/")?;
    let owner = process::user(Identity::me().pid)?;
    let bytes = sys::files::read_owned(&home.join(rest), MAX_BYTES, owner).ok()?;
    let stat = table.get(pid_in(&bytes)?).filter(|it| it.alive())?;
    let argv = process::command_line(stat.pid).ok()?;
    let has = |word: &String| argv.iter().any(|it| it == word.as_str());
    let is_it = process::user(stat.pid) == Some(owner) && helper.argv.iter().all(has);
    let env = Env::of(stat.pid);
    let same = paths::home(spec, &|name| env.get(name)).is_some_and(|it| same_folder(&it, home));
    // Asked again: the pid may have been given to another between the two looks.
    let still = Identity::of(stat.pid) == Some(stat.identity());
    (is_it && same && still).then(|| Helper {
        name: helper.name.clone(),
        process: stat.identity(),
        effect: helper.effect.clone(),
        tag: env.get("ABIDE_REAPER"),
    })
}

/// The first whole number of the file, be it plain or a value in JSON.
fn pid_in(bytes: &[u8]) -> Option<i32> {
    let text = std::str::from_utf8(bytes).ok()?;
    let named = serde_json::from_str::<serde_json::Value>(text).ok();
    if let Some(pid) = named.and_then(|it| it.get("pid")?.as_i64()) {
        return i32::try_from(pid).ok();
    }
    let mut words = text.split(|c: char| !c.is_ascii_digit());
    words.find_map(|word| word.parse().ok().filter(|pid| *pid > 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pids_are_read_plain_and_as_json() {
        let check = |text: &str, want: Option<i32>| assert_eq!(pid_in(text.as_bytes()), want);
        check("4711\n", Some(4711));
        check("{\"version\":2,\"pid\":4711}", Some(4711));
        check("pid=4711", Some(4711));
        check("", None);
        check("1", None);
        check("99999999999999", None);
    }
}
