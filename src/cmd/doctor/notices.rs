//! Whether notices get through: what the keeper wrote down, and what can be seen without sending one.

use super::{Check, Level};
use crate::cmd::Ctx;
use notices::{Failures, Url, WayKind};
use std::path::Path;

const NAME: &str = "notices";

/// One check a way that is in use and fails, else one in all.
pub(super) fn checks(ctx: &Ctx) -> Vec<Check> {
    let Ok(config) = ctx.config() else {
        return Vec::new(); // another check says so
    };
    let notify = config.notify();
    let webhook = Url::parse(&notify.webhook);
    let failures = Failures::at(&ctx.places.state);
    let mut found = Vec::new();
    for way in WayKind::ALL {
        let used = match way {
            WayKind::Desktop => notify.desktop,
            WayKind::Command => !notify.command.is_empty(),
            WayKind::Webhook => webhook.is_some(),
        };
        if let Some(failed) = failures.of(way).filter(|_| used) {
            let (word, why) = (way.word(), &failed.why);
            let ago = sys::boot::unix_now().saturating_sub(failed.at);
            let text = format!("notify.{word}, {} ago: {why}", span(ago));
            found.push(warn(text));
        }
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let there = |program: &str| is_there(program, &path);
    if let Some(program) = notify.command.first().filter(|it| !there(it)) {
        found.push(warn(format!(
            "notify.command: there is no program `{program}`"
        )));
    }
    if webhook.as_ref().is_some_and(|url| url.secure) && !there("curl") {
        let text = "notify.webhook: https needs the program `curl`, which is not there";
        found.push(warn(text.to_owned()));
    }
    if found.is_empty() {
        let ways = [
            notify
                .desktop
                .then(|| "the desktop, where there is one".to_owned()),
            notify.command.first().map(|it| format!("`{it}`")),
            webhook.map(|url| url.to_string()),
        ];
        let ways: Vec<String> = ways.into_iter().flatten().collect();
        let text = match ways.is_empty() {
            true => "only attached clients tell that a pane waits".to_owned(),
            false => format!("that a pane waits is told to {}", ways.join(", ")),
        };
        found.push(check(Level::Ok, text));
    }
    found
}

fn warn(text: String) -> Check {
    check(Level::Warn, text)
}

fn check(level: Level, text: String) -> Check {
    Check {
        name: NAME,
        level,
        text,
    }
}

/// A program by path, or in one of the folders of `PATH`.
fn is_there(program: &str, path: &std::ffi::OsStr) -> bool {
    match program.contains('/') {
        true => Path::new(program).is_file(),
        false => std::env::split_paths(path).any(|folder| folder.join(program).is_file()),
    }
}

fn span(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_as_a_shell_finds_them() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("here"), "").unwrap();
        let path = std::env::join_paths(["/nowhere".as_ref(), folder.path()]).unwrap();
        for (program, want) in [
            ("here", true),
            ("gone", false),
            (folder.path().join("here").to_str().unwrap(), true),
            ("/nowhere/here", false),
        ] {
            assert_eq!(is_there(program, &path), want, "{program}");
        }
    }

    #[test]
    fn spans() {
        for (seconds, want) in [
            (5, "5 s"),
            (600, "10 min"),
            (10_000, "2 h"),
            (1_000_000, "11 days"),
        ] {
            assert_eq!(span(seconds), want);
        }
    }
}
