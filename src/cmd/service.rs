//! `abide service`: have the keeper started at login.

use crate::cmd::Ctx;
use crate::daemons::own_program;
use crate::failure::Failure;
use crate::out::say;
use crate::service::{Kind, MARK, Service};
use serde_json::json;
use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  abide service install            the keeper starts when you log in, and brings back what was there
  abide service install --linger   it starts with the machine, before anyone logs in
  abide service status
  abide service uninstall          what runs goes on";

/// How long systemd may take to answer.
const LIMIT: Duration = Duration::from_secs(20);
/// Bytes of an answer that are read.
const MAX_ANSWER: u64 = 64 * 1024;

/// The words of `abide service`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Have the keeper started at login.
    #[command(after_help = EXAMPLES)]
    Install {
        /// Start it with the machine, too (`loginctl enable-linger`).
        #[arg(long)]
        linger: bool,
    },
    /// Have it started no more.
    #[command(after_help = EXAMPLES)]
    Uninstall,
    /// Tell whether it is.
    #[command(after_help = EXAMPLES)]
    Status,
}

/// Does it.
///
/// # Errors
/// A file cannot be written, or systemd refuses.
pub fn run(ctx: &Ctx, args: Args) -> Result<(), Failure> {
    if !cfg!(target_os = "linux") {
        return Err(Failure::new(
            "on this system abide has no way yet to start at login; `abide keeper start` does it by hand",
        ));
    }
    let service = service(ctx)?;
    match args.what {
        What::Install { linger } => install(ctx, &service, linger),
        What::Uninstall => uninstall(ctx, &service),
        What::Status => status(ctx, &service),
    }
}

fn service(ctx: &Ctx) -> Result<Service, Failure> {
    let text = |path: &Path| {
        let text = path.to_str().map(str::to_owned);
        text.ok_or_else(|| {
            let shown = path.display();
            Failure::new(format!(
                "{shown} is not UTF-8, which no service file can say"
            ))
        })
    };
    let home = ctx.places.home.as_deref().map(text).transpose()?;
    let mut env: Vec<(String, String)> = Vec::new();
    match &home {
        Some(home) => env.push(("ABIDE_HOME".to_owned(), home.clone())),
        // The user manager need not have what a shell's own files set.
        None => {
            for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME"] {
                let value = std::env::var(name).ok().filter(|it| it.starts_with('/'));
                env.extend(value.map(|value| (name.to_owned(), value)));
            }
        }
    }
    Ok(Service {
        program: text(&own_program())?,
        env,
        home,
    })
}

/// The user's configuration folder, where systemd and desktops look.
fn config() -> Result<PathBuf, Failure> {
    let absolute = |name: &str| {
        let path = std::env::var_os(name).map(PathBuf::from);
        path.filter(|it| it.is_absolute())
    };
    absolute("XDG_CONFIG_HOME")
        .or_else(|| Some(absolute("HOME")?.join(".config")))
        .ok_or_else(|| Failure::new("no home folder is known: set HOME"))
}

/// What can start it here.
fn kind() -> Kind {
    match ask("systemctl", &["--user", "show", "--property=Version"]) {
        Ok(answer) if answer.starts_with("Version=") => Kind::Systemd,
        _ => Kind::Autostart,
    }
}

fn install(ctx: &Ctx, service: &Service, linger: bool) -> Result<(), Failure> {
    let (kind, config) = (kind(), config()?);
    let file = service.file(kind, &config);
    if let Some(text) = foreign(&file) {
        return Err(Failure::new(text));
    }
    if let Some(folder) = file.parent() {
        make(folder)?;
    }
    sys::files::write_atomic(&file, service.text(kind).as_bytes())?;
    let lingers =
        switch_on(service, kind, linger).map_err(|failure| half_done(kind, &file, &failure))?;
    match (kind, lingers) {
        (Kind::Systemd, Some(false)) => say(
            "it starts when you log in. To have it start with the machine, and go on when you log out, \
             let your account linger: `abide service install --linger`",
        ),
        (Kind::Autostart, _) => say(
            "there is no systemd user manager here, and only desktops read that entry: without one, let \
             `abide keeper start` run in your shell's login file",
        ),
        _ => {}
    }
    ctx.out.either(
        || json!({ "kind": kind.word(), "file": file, "linger": lingers }),
        || match kind {
            Kind::Systemd => format!("the keeper starts at login ({})", file.display()),
            Kind::Autostart => format!("a desktop starts the keeper at login ({})", file.display()),
        },
    )
}

/// Has systemd read its file; gives whether the account lingers.
fn switch_on(service: &Service, kind: Kind, linger: bool) -> Result<Option<bool>, Failure> {
    if kind == Kind::Autostart {
        return match linger {
            true => Err(Failure::new(
                "`--linger` needs a systemd user manager, and there is none here",
            )),
            false => Ok(None),
        };
    }
    let unit = format!("{}.service", service.name());
    must("systemctl", &["--user", "daemon-reload"])?;
    must("systemctl", &["--user", "enable", "--now", &unit])?;
    if linger {
        must("loginctl", &["enable-linger"])?;
    }
    Ok(lingers())
}

/// What was done stays, and is told with what was not.
fn half_done(kind: Kind, file: &Path, failure: &Failure) -> Failure {
    let (why, file) = (&failure.text, file.display());
    Failure::new(match kind {
        Kind::Systemd => format!(
            "{why}; {file} was written and stays, so that `abide service install` can be tried again \
             and `abide service uninstall` takes it away"
        ),
        Kind::Autostart => format!(
            "{why}; {file} was written, so a desktop starts the keeper at login; \
             `abide service uninstall` takes that away"
        ),
    })
}

fn uninstall(ctx: &Ctx, service: &Service) -> Result<(), Failure> {
    let config = config()?;
    let mut removed = Vec::new();
    for kind in [Kind::Systemd, Kind::Autostart] {
        let file = service.file(kind, &config);
        if !file.exists() {
            continue;
        }
        if let Some(text) = foreign(&file) {
            say(&text);
            continue;
        }
        let unit = format!("{}.service", service.name());
        if kind == Kind::Systemd
            && let Err(failure) = must("systemctl", &["--user", "disable", "--now", &unit])
        {
            say(&failure.text);
        }
        std::fs::remove_file(&file).map_err(|error| {
            let why = sys::files::plain(&error);
            Failure::new(format!("cannot delete {}: {why}", file.display()))
        })?;
        if kind == Kind::Systemd {
            // Without its file the unit is gone at the next login at the latest.
            drop(ask("systemctl", &["--user", "daemon-reload"]));
        }
        removed.push(file);
    }
    if removed.is_empty() {
        say("nothing is installed");
    } else if lingers() == Some(true) {
        say(
            "your account still lingers; `loginctl disable-linger` ends that, for everything of yours",
        );
    }
    if ctx.out.json {
        return ctx.out.json(&json!({ "removed": removed }));
    }
    let told = removed.iter().map(|it| format!("removed {}", it.display()));
    told.into_iter().try_for_each(|line| ctx.out.line(&line))
}

fn status(ctx: &Ctx, service: &Service) -> Result<(), Failure> {
    let config = config()?;
    let installed = [Kind::Systemd, Kind::Autostart]
        .into_iter()
        .map(|kind| (kind, service.file(kind, &config)))
        .find(|(_, file)| file.exists());
    let unit = format!("{}.service", service.name());
    let word = |verb: &str| {
        let told = ask("systemctl", &["--user", verb, &unit]);
        told.ok()
            .map(|it| it.trim().to_owned())
            .filter(|it| !it.is_empty())
    };
    let systemd = matches!(installed, Some((Kind::Systemd, _)));
    let (enabled, active) = match systemd {
        true => (word("is-enabled"), word("is-active")),
        false => (None, None),
    };
    let lingers = lingers();
    let current = installed.as_ref().map(|(kind, file)| {
        let there = std::fs::read_to_string(file);
        there.is_ok_and(|it| it == service.text(*kind))
    });
    if ctx.out.json {
        return ctx.out.json(&json!({
            "installed": installed.is_some(),
            "kind": installed.as_ref().map(|(kind, _)| kind.word()),
            "file": installed.as_ref().map(|(_, file)| file),
            "current": current,
            "enabled": enabled,
            "active": active,
            "linger": lingers,
        }));
    }
    let Some((kind, file)) = installed else {
        return ctx
            .out
            .line("not installed; `abide service install` does that");
    };
    ctx.out
        .line(&format!("{}: {}", kind.word(), file.display()))?;
    if current == Some(false) {
        ctx.out.line(
            "it is of another abide, or was edited; `abide service install` writes it anew",
        )?;
    }
    for (name, value) in [("enabled", enabled), ("active", active)] {
        if let Some(value) = value {
            ctx.out.line(&format!("{name}: {value}"))?;
        }
    }
    if kind == Kind::Autostart {
        return ctx.out.line("starts when you log in to a desktop");
    }
    match lingers {
        Some(true) => ctx
            .out
            .line("starts with the machine (your account lingers)"),
        Some(false) => ctx
            .out
            .line("starts when you log in (your account does not linger)"),
        None => Ok(()),
    }
}

/// Whether the user's services run without a login; `None`: nobody knows.
fn lingers() -> Option<bool> {
    let user = std::env::var("USER").ok().filter(|it| !it.is_empty())?;
    let words = ["show-user", &user, "--property=Linger"];
    match ask("loginctl", &words).ok()?.trim() {
        "Linger=yes" => Some(true),
        "Linger=no" => Some(false),
        _ => None,
    }
}

/// A file that abide did not write is not touched.
fn foreign(file: &Path) -> Option<String> {
    let text = std::fs::read(file).ok()?;
    (!text.starts_with(MARK.as_bytes())).then(|| {
        let file = file.display();
        format!("{file} was not written by abide; move it away first")
    })
}

fn make(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| {
        let why = sys::files::plain(&error);
        Failure::new(format!(
            "cannot make the folder {}: {why}",
            folder.display()
        ))
    })
}

fn must(program: &str, words: &[&str]) -> Result<(), Failure> {
    let told = ask(program, words);
    told.map(drop)
        .map_err(|why| Failure::new(format!("`{program} {}` failed: {why}", words.join(" "))))
}

/// Runs a program for its answer. `is-enabled` and the like answer with words and a status: the words
/// count. `Err`: what it said instead.
fn ask<S: AsRef<OsStr>>(program: &str, words: &[S]) -> Result<String, String> {
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = sys::process::own_group(&mut command)
        .spawn()
        .map_err(|error| sys::files::plain(&error))?;
    let pid = i32::try_from(child.id()).map_err(|error| error.to_string())?;
    let (answer, answered) = mpsc::channel();
    std::thread::spawn(move || {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        if let Some(pipe) = child.stdout.take() {
            drop(pipe.take(MAX_ANSWER).read_to_end(&mut out));
        }
        if let Some(pipe) = child.stderr.take() {
            drop(pipe.take(MAX_ANSWER).read_to_end(&mut err));
        }
        let status = child.wait();
        drop(answer.send((status, out, err)));
    });
    let Ok((status, out, err)) = answered.recv_timeout(LIMIT) else {
        // Gone already is as good.
        drop(sys::process::signal_group(pid, sys::process::Signal::KILL));
        return Err(format!("no answer within {} s", LIMIT.as_secs()));
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match status {
        Ok(status) if status.success() => Ok(text(&out)),
        Ok(_) if err.is_empty() && !out.is_empty() => Ok(text(&out)),
        Ok(status) => {
            let said = text(&err);
            let line = said.lines().find(|it| !it.trim().is_empty());
            Err(line.map_or_else(|| status.to_string(), str::to_owned))
        }
        Err(error) => Err(sys::files::plain(&error)),
    }
}
