//! One program without a terminal, with its reaper or bare.

use reaper::{Launcher, ReportDecoder, Spec};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::process::{Command, ExitCode, Stdio};

pub(crate) fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

fn run() -> io::Result<()> {
    let mut words = std::env::args_os().skip(1);
    let program = words.next().unwrap_or_default();
    let argv: Vec<OsString> = words.skip(1).collect();
    if program == "bare" {
        return bare(&argv);
    }
    let spec = Spec {
        argv,
        cwd: std::env::current_dir()?,
        env: std::env::vars_os().collect(),
        pane: "p1".to_owned(),
    };
    let nothing = File::options().read(true).write(true).open("NUL")?;
    let reaped = Launcher::at(program)
        .spawn(&spec, nothing.into())
        .map_err(io::Error::other)?;
    say(&format!("reaper {}", reaped.reaper));
    let mut report = File::from(reaped.report);
    let reports = std::thread::spawn(move || {
        let (mut bytes, mut decoder) = ([0; 256], ReportDecoder::default());
        while let Ok(n @ 1..) = report.read(&mut bytes) {
            decoder.feed(&bytes[..n]);
            while let Some(report) = decoder.next_report() {
                say(&format!("{report:?}"));
            }
        }
        say("reports ended");
    });
    // Until its end is asked for by the end of stdin.
    while let Ok(1..) = io::stdin().read(&mut [0; 64]) {}
    drop(reaped.lifeline);
    drop(reports.join());
    Ok(())
}

fn bare(argv: &[OsString]) -> io::Result<()> {
    let (program, arguments) = argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()?;
    say(&format!("program {}", child.id()));
    while let Ok(1..) = io::stdin().read(&mut [0; 64]) {}
    child.kill()
}

fn say(line: &str) {
    // A test that has gone away does not listen.
    let _lost = writeln!(io::stdout(), "{line}").and_then(|()| io::stdout().flush());
}
