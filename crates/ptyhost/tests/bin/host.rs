//! The host alone, in the foreground, for this crate's own tests: they need a process of its own
//! (session, signals and waits are a whole process's) that is also its own pane reaper.
//!
//! `abide-ptyhost STATE [--idle SECONDS] [--versions LOW HIGH] [--keep N]`

#![forbid(unsafe_code)]

use ptyhost::{HostConfig, HostError, run};
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.first().is_some_and(|arg| arg == "__reaper") {
        return reaper::pane_main();
    }
    let Some(config) = config(&args) else {
        return fail(
            "usage: abide-ptyhost STATE [--idle SECONDS] [--versions LOW HIGH] [--keep N]",
            2,
        );
    };
    match run(config) {
        Ok(()) => ExitCode::SUCCESS,
        Err(HostError::AlreadyRunning { .. }) => ExitCode::from(3),
        Err(error) => fail(&error.to_string(), 1),
    }
}

fn fail(text: &str, code: u8) -> ExitCode {
    // With standard error closed the code has to do.
    writeln!(std::io::stderr(), "{text}").ok();
    ExitCode::from(code)
}

fn config(args: &[String]) -> Option<HostConfig> {
    let mut args = args.iter();
    let mut config = HostConfig::new(args.next()?.into());
    while let Some(option) = args.next() {
        let mut number = || args.next()?.parse::<u16>().ok();
        match option.as_str() {
            "--idle" => config.idle_exit = Duration::from_secs(number()?.into()),
            "--versions" => config.versions = (number()?, number()?),
            "--keep" => config.keep_exited = number()?.into(),
            _ => return None,
        }
    }
    Some(config)
}
