//! One file per command: its words, and `run`.

pub mod adopt;
pub mod agents;
pub mod ask;
pub mod attach;
pub mod bench;
pub mod capture;
pub mod close;
pub mod completions;
pub mod config;
pub mod cont;
pub mod doctor;
pub mod forget;
pub mod fresh;
pub mod hook;
pub mod host;
pub mod keeper;
pub mod kill;
pub mod logs;
pub mod ls;
pub mod new;
pub mod open;
#[cfg(unix)]
pub mod pane_run;
pub mod record;
pub mod rename;
pub mod reopen;
pub mod resize;
pub mod restore;
pub mod send;
pub mod service;
pub mod status;
pub mod vault;
pub mod wait;

use crate::cli::{Cli, Command};
use crate::config::Config;
use crate::failure::{Exit, Failure};
use crate::out::{Out, say};
use clap::Parser;
use link::Places;
use std::ffi::OsString;
use std::process::ExitCode;

/// What every command gets.
#[derive(Debug)]
pub struct Ctx {
    /// Where its words go.
    pub out: Out,
    /// Where this instance lies.
    pub places: Places,
}

impl Ctx {
    /// The settings; keys this build does not know are told.
    ///
    /// # Errors
    /// The file cannot be used.
    pub fn config(&self) -> Result<Config, Failure> {
        let config = Config::load(&self.places.config_file())?;
        config.unknown.iter().for_each(|line| say(line));
        Ok(config)
    }
}

/// Reads the command line, runs the command, words its failure.
pub fn dispatch(args: Vec<OsString>) -> ExitCode {
    let json = asks_for_json(&args);
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are data, usage errors talk; clap knows which goes where.
            drop(error.print());
            if json && error.use_stderr() {
                let text = error.to_string();
                let text = text.lines().next().unwrap_or_default();
                let text = text.strip_prefix("error: ").unwrap_or(text);
                let value = serde_json::json!({ "error": text, "code": Exit::Usage as u8 });
                // Nobody to read it is no further failure.
                drop(Out { json }.json(&value));
            }
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(Exit::Usage as u8));
        }
    };
    let out = Out { json: cli.json };
    match run(cli, out) {
        Ok(()) => Exit::Ok.into(),
        Err(failure) => report(&failure, out),
    }
}

/// Whether a command line that cannot be read has `--json` among the words that are abide's own.
fn asks_for_json(args: &[OsString]) -> bool {
    let own = args.iter().take_while(|word| *word != "--");
    own.skip(1).any(|word| word == "--json")
}

fn report(failure: &Failure, out: Out) -> ExitCode {
    if failure.text.is_empty() {
        return failure.exit.into();
    }
    say(&failure.text);
    if out.json {
        let value = serde_json::json!({ "error": failure.text, "code": failure.exit as u8 });
        // Nobody to read it is no further failure.
        drop(out.json(&value));
    }
    failure.exit.into()
}

fn run(cli: Cli, out: Out) -> Result<(), Failure> {
    if let Some(Command::Hook(args)) = &cli.command {
        hook::run(args);
        return Ok(());
    }
    if cli.target.as_deref() == Some("") {
        return Err(Failure::with(
            Exit::Usage,
            "the word to open is empty; name a folder or a workspace",
        ));
    }
    let places = Places::find().map_err(|e| Failure::new(e.to_string()))?;
    let ctx = Ctx { out, places };
    let Some(command) = cli.command else {
        return open::run(&ctx, cli.target.as_deref());
    };
    if let Some(word) = cli.target {
        return Err(Failure::with(
            Exit::Usage,
            format!("`{word}` before a command means nothing"),
        ));
    }
    match command {
        Command::New(args) => new::run(&ctx, args),
        Command::Ls(args) => ls::run(&ctx, args),
        Command::Attach(args) => attach::run(&ctx, args),
        Command::Kill(args) => kill::run(&ctx, args),
        Command::Close(args) => close::run(&ctx, args),
        Command::Send(args) => send::run(&ctx, args),
        Command::Capture(args) => capture::run(&ctx, args),
        Command::Resize(args) => resize::run(&ctx, args),
        Command::Rename(args) => rename::run(&ctx, args),
        Command::Wait(args) => wait::run(&ctx, args),
        Command::Continue(args) => cont::run(&ctx, args),
        Command::Restore(args) => restore::run(&ctx, args),
        Command::Reopen(args) => reopen::run(&ctx, args),
        Command::Fresh(args) => fresh::run(&ctx, args),
        Command::Status(args) => status::run(&ctx, args),
        Command::Host(args) => host::run(&ctx, args),
        Command::Keeper(args) => keeper::run(&ctx, args),
        Command::Adopt(args) => adopt::run(&ctx, args),
        // Answered above: it must not fail, whatever is wrong here.
        Command::Hook(_) => Ok(()),
        Command::Ask(args) => ask::run(&ctx, args),
        Command::Record(args) => record::run(&ctx, args),
        Command::Agents(args) => agents::run(&ctx, args),
        Command::Service(args) => service::run(&ctx, args),
        Command::Vault(args) => vault::run(&ctx, args),
        Command::Forget(args) => forget::run(&ctx, args),
        Command::Doctor(args) => doctor::run(&ctx, args),
        Command::Logs(args) => logs::run(&ctx, args),
        Command::Config(args) => config::run(&ctx, args),
        Command::Bench(args) => bench::run(&ctx, args),
        Command::Completions(args) => completions::run(&ctx, args),
    }
}
