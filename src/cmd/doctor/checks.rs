//! The checks, each a look at one thing.

use super::{Check, Level};
use crate::cmd::Ctx;
use crate::config::Config;
use crate::desk::ANSWER;
use crate::words;
use link::{LinkError, Mode};
use protocol::msg::{HostFacts, Status};
use protocol::{FromHost, PaneId, Role};
use std::path::Path;

/// Every check, in the order in which one would look.
pub(crate) fn all(ctx: &Ctx) -> Vec<Check> {
    let mut checks = vec![
        private("state folder", &ctx.places.state, 0o700),
        private("token", &ctx.places.token(), 0o600),
        settings(ctx),
        layouts(ctx),
        super::disk::room(&ctx.places.state),
    ];
    checks.extend(host(ctx));
    checks.extend(leftovers(ctx));
    checks.extend(super::notices::checks(ctx));
    checks.push(pane_reaper());
    checks.push(locale(|name| std::env::var(name).ok()));
    checks.push(program());
    checks
}

pub(super) fn check(name: &'static str, level: Level, text: impl Into<String>) -> Check {
    Check {
        name,
        level,
        text: text.into(),
    }
}

/// A file or folder of ours: this user's, and nobody else may look.
fn private(name: &'static str, path: &Path, mode: u32) -> Check {
    let shown = path.display();
    let meta = match path.symlink_metadata() {
        Ok(meta) => meta,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            return check(name, Level::Ok, format!("{shown} is not there yet"));
        }
        Err(e) => {
            let why = sys::files::plain(&e);
            return check(
                name,
                Level::Bad,
                format!("{shown} cannot be looked at: {why}"),
            );
        }
    };
    if meta.is_symlink() {
        return check(
            name,
            Level::Bad,
            format!("{shown} is a symbolic link; move it away"),
        );
    }
    if sys::files::owner(&meta) != sys::peer::my_uid() {
        return check(
            name,
            Level::Bad,
            format!(
                "{shown} is another user's (uid {})",
                sys::files::owner(&meta)
            ),
        );
    }
    let extra = sys::files::mode(&meta) & !mode;
    if extra != 0 {
        return check(
            name,
            Level::Bad,
            format!("others may use it: chmod {mode:o} {shown}"),
        );
    }
    check(name, Level::Ok, format!("{shown} is private"))
}

fn settings(ctx: &Ctx) -> Check {
    let path = ctx.places.config_file();
    match Config::load(&path) {
        Ok(_) if !path.exists() => check(
            "settings",
            Level::Ok,
            format!("{} is not there: the defaults", path.display()),
        ),
        Ok(config) => {
            let missing = config.missing_programs();
            let wrong: Vec<String> = missing.into_iter().chain(config.unknown).collect();
            match wrong.is_empty() {
                true => check("settings", Level::Ok, format!("{} is good", path.display())),
                false => check("settings", Level::Warn, wrong.join("; ")),
            }
        }
        Err(error) => check("settings", Level::Bad, error.to_string()),
    }
}

fn layouts(ctx: &Ctx) -> Check {
    if !ctx.places.state.exists() {
        return check("layouts", Level::Ok, "nothing is written down yet");
    }
    match restore::Store::open(&ctx.places.state).and_then(|store| store.load()) {
        Ok(records) if records.problems.is_empty() => {
            let count = records.workspaces.len();
            let are = if count == 1 { "is" } else { "are" };
            let count = words::count(count, "workspace");
            check("layouts", Level::Ok, format!("{count} {are} written down"))
        }
        Ok(records) => check("layouts", Level::Warn, records.problems.join("; ")),
        Err(error) => check("layouts", Level::Bad, error.to_string()),
    }
}

fn host(ctx: &Ctx) -> Vec<Check> {
    let mut connection = match link::connect(&ctx.places, Role::Control) {
        Ok(connection) => connection,
        Err(error) => return vec![no_answer(ctx, &error)],
    };
    let name = "host";
    match connection.request(PaneId::NONE, Status {}, ANSWER) {
        Ok(FromHost::HostFacts(facts)) => {
            let mut checks = host_facts(&facts);
            checks.extend(super::disk::unsaved(connection));
            checks
        }
        Ok(_) => vec![check(name, Level::Bad, "it answers with something else")],
        Err(error) => vec![check(name, Level::Bad, error.to_string())],
    }
}

fn no_answer(ctx: &Ctx, error: &LinkError) -> Check {
    match Mode::of_error(error, &ctx.places) {
        Mode::None { .. } if matches!(error, LinkError::NoHost { .. }) => {
            check("host", Level::Ok, "none is running")
        }
        Mode::Starting { reason } => check("host", Level::Warn, reason),
        _ => check("host", Level::Bad, error.to_string()),
    }
}

fn host_facts(facts: &HostFacts) -> Vec<Check> {
    let ours = crate::daemons::build();
    let mut checks = vec![check(
        "host",
        Level::Ok,
        format!(
            "pid {} answers: {}, {} live",
            facts.pid,
            words::count(
                usize::try_from(facts.terminals).unwrap_or(usize::MAX),
                "pane"
            ),
            facts.live
        ),
    )];
    checks.push(if facts.build == ours {
        check("build", Level::Ok, format!("host and program are {ours}"))
    } else {
        let text = format!(
            "the host is {}, this program {ours}; both work together",
            facts.build
        );
        check("build", Level::Warn, text)
    });
    checks.push(match facts.root_reaper {
        0 => check(
            "root reaper",
            Level::Warn,
            "there is none: if the host is killed, nothing ends what its panes leave",
        ),
        pid => check(
            "root reaper",
            Level::Ok,
            format!("pid {pid} stands above the host"),
        ),
    });
    let warnings = facts.warnings.iter();
    checks.extend(warnings.map(|warning| check("host", Level::Warn, warning.clone())));
    checks
}

/// Programs whose reaper was killed together with everybody who would have noticed.
fn leftovers(ctx: &Ctx) -> Vec<Check> {
    let found = super::reap::sweeper(ctx).find();
    if found.is_empty() {
        let text = "no program is without its reaper";
        return vec![check("leftovers", Level::Ok, text)];
    }
    let tell = |it: &reaper::Leftover| {
        let text = format!("{it}; a host ends it within a minute, `abide doctor --reap` now");
        check("leftovers", Level::Warn, text)
    };
    found.iter().map(tell).collect()
}

/// Which build of the pane's reaper a host of this program uses on this system.
fn pane_reaper() -> Check {
    let text = if reaper::Launcher::default().is_small() {
        "panes get the small build"
    } else {
        "panes get the portable build, which takes 2 MB each: the small one is not in this program or does not run here"
    };
    check("pane reaper", Level::Ok, text)
}

/// Programs draw with UTF-8 only when the locale says so.
fn locale(variable: impl Fn(&str) -> Option<String>) -> Check {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"];
    let first = names
        .iter()
        .find_map(|name| Some((name, variable(name).filter(|value| !value.is_empty())?)));
    let utf8 = |value: &str| {
        let value = value.to_ascii_lowercase();
        value.contains("utf-8") || value.contains("utf8")
    };
    match first {
        Some((name, value)) if utf8(&value) => {
            check("locale", Level::Ok, format!("{name}={value}"))
        }
        Some((name, value)) => {
            let text = format!(
                "{name}={value} is not UTF-8; new panes get LANG=C.UTF-8 when neither LANG nor LC_ALL is"
            );
            check("locale", Level::Warn, text)
        }
        None => check(
            "locale",
            Level::Warn,
            "none is set; new panes get LANG=C.UTF-8",
        ),
    }
}

fn program() -> Check {
    let path = crate::daemons::own_program();
    if path.starts_with("/proc") {
        let text = "its file was replaced while it runs; start it again for the new one";
        return check("program", Level::Warn, text);
    }
    check("program", Level::Ok, path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locales_are_judged_by_the_one_that_counts() {
        let judge = |pairs: &[(&str, &str)]| {
            let find = |name: &str| {
                let found = pairs.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            locale(find).level
        };
        assert_eq!(judge(&[("LANG", "C.UTF-8")]), Level::Ok);
        assert_eq!(judge(&[("LC_ALL", "en_GB.utf8"), ("LANG", "C")]), Level::Ok);
        assert_eq!(judge(&[("LC_ALL", "C"), ("LANG", "C.UTF-8")]), Level::Warn);
        assert_eq!(judge(&[("LC_ALL", ""), ("LANG", "C.UTF-8")]), Level::Ok);
        assert_eq!(judge(&[]), Level::Warn);
    }

    #[test]
    fn what_others_may_use_is_bad() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("token");
        assert_eq!(private("token", &file, 0o600).level, Level::Ok);
        for (mode, level) in [(0o600, Level::Ok), (0o400, Level::Ok), (0o640, Level::Bad)] {
            std::fs::write(&file, "x").unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(private("token", &file, 0o600).level, level, "{mode:o}");
            std::fs::remove_file(&file).unwrap();
        }
        std::os::unix::fs::symlink("/etc/passwd", &file).unwrap();
        assert_eq!(private("token", &file, 0o600).level, Level::Bad);
    }
}
