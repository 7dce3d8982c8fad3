//! `abide send`: type into a pane.
//!
//! Enter is a write of its own after a pause: agents take a burst of bytes as a paste, in which a
//! carriage return is a new line and submits nothing (tty7#317, agterm#399, orca#14525). Windows
//! of 100 to 200 ms were measured.

use crate::cmd::Ctx;
use crate::desk::{ANSWER, Desk};
use crate::failure::{Exit, Failure};
use crate::out::say;
use crate::screen;
use link::LinkError;
use protocol::msg::INPUT_FULL;
use protocol::{PaneId, Role, ToHost};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use sys::files::plain;
use term::input::{encode_key, encode_paste, parse_key_name};

const EXAMPLES: &str = "\
Examples:
  abide send web 'npm test' --enter     types it, pauses, presses Enter
  abide send web --keys C-c             one or more keys: C-c, Enter, Up, F5, M-x, S-Tab
  abide send web --keys Escape : w q Enter
  abide send claude --paste notes.md --enter
  git diff | abide send claude -        what stdin gives (with --paste -: as a paste)";

/// Between a text and the Enter that submits it. The longest paste window seen in agents is about
/// 150 ms; a reader that is slower than this pause still gets two writes.
const PAUSE: Duration = Duration::from_millis(200);
/// How long a pane whose queue is full may take to read on, and how often it is tried again.
const FULL_LIMIT: Duration = Duration::from_secs(10);
const FULL_PAUSE: Duration = Duration::from_millis(50);
/// Bytes of one message; the host takes no longer one.
const MESSAGE: usize = 1024 * 1024;
/// Longest text or paste.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The words of `abide send`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The pane.
    pane: String,
    /// Text to type as it is; `-`: what stdin gives.
    #[arg(required_unless_present_any = ["keys", "paste", "enter"], conflicts_with_all = ["keys", "paste"], allow_hyphen_values = true)]
    text: Option<String>,
    /// Press Enter afterwards, after a pause.
    #[arg(long)]
    enter: bool,
    /// Press these keys.
    #[arg(long, num_args = 1.., value_name = "KEY", conflicts_with = "paste")]
    keys: Vec<String>,
    /// Paste a file (`-`: stdin), bracketed when the program asked for that.
    #[arg(long, value_name = "FILE")]
    paste: Option<PathBuf>,
}

/// Types.
///
/// # Errors
/// No host, no such pane, an unknown key, or the pane takes no input.
pub fn run(ctx: &Ctx, args: Args) -> Result<(), Failure> {
    let mut desk = Desk::open(ctx, Role::Control)?;
    let pane = desk.find(&args.pane)?;
    let id = pane.id();
    if !pane.alive() {
        let how = crate::words::ending(pane.facts.raw_status);
        return Err(Failure::new(format!(
            "{id} has ended ({how}); nothing was typed"
        )));
    }
    let bytes = what(&mut desk, id, &args)?;
    for (n, part) in bytes.chunks(MESSAGE).enumerate() {
        type_part(&mut desk, id, part).map_err(|mut failure| {
            let before = n * MESSAGE;
            failure.text = format!(
                "{} ({before} of {} bytes were taken)",
                failure.text,
                bytes.len()
            );
            failure
        })?;
    }
    if args.enter {
        if !bytes.is_empty() {
            std::thread::sleep(PAUSE);
        }
        let enter = keys(&mut desk, id, &["Enter".to_owned()])?;
        type_part(&mut desk, id, &enter)?;
        say("typed, not confirmed: nothing tells yet whether the program took it");
    }
    if ctx.out.json {
        let value = serde_json::json!({
            "pane": id.to_string(), "bytes": bytes.len(), "enter": args.enter, "confirmed": false
        });
        return ctx.out.json(&value);
    }
    Ok(())
}

/// Types one message; a pane whose queue is full gets some time to read.
fn type_part(desk: &mut Desk, id: PaneId, part: &[u8]) -> Result<(), Failure> {
    let begun = Instant::now();
    loop {
        match desk
            .connection
            .request(id, ToHost::Input(part.to_vec()), ANSWER)
        {
            Err(LinkError::Refused {
                code: INPUT_FULL, ..
            }) if begun.elapsed() < FULL_LIMIT => {
                std::thread::sleep(FULL_PAUSE);
            }
            other => return Ok(other.map(|_| ())?),
        }
    }
}

fn what(desk: &mut Desk, id: PaneId, args: &Args) -> Result<Vec<u8>, Failure> {
    if !args.keys.is_empty() {
        return keys(desk, id, &args.keys);
    }
    if let Some(file) = &args.paste {
        let text = if file.as_os_str() == "-" {
            stdin()?
        } else {
            file_bytes(file)?
        };
        let modes = screen::snapshot(desk, id)?.modes;
        return Ok(encode_paste(&text, &modes));
    }
    match args.text.as_deref() {
        Some("-") => stdin(),
        Some(text) => Ok(text.as_bytes().to_vec()),
        None => Ok(Vec::new()),
    }
}

/// The bytes these keys are to the program, in the modes it has set.
fn keys(desk: &mut Desk, id: PaneId, names: &[String]) -> Result<Vec<u8>, Failure> {
    let parsed = names.iter().map(|name| {
        parse_key_name(name).ok_or_else(|| {
            let name = crate::words::text(name.as_bytes());
            let text =
                format!("no key is named `{name}`; keys are named like C-c, Enter, Up, F5, M-x");
            Failure::with(Exit::Usage, text)
        })
    });
    let parsed = parsed.collect::<Result<Vec<_>, _>>()?;
    let modes = screen::snapshot(desk, id)?.modes;
    Ok(parsed
        .iter()
        .flat_map(|key| encode_key(key, &modes))
        .collect())
}

fn stdin() -> Result<Vec<u8>, Failure> {
    bounded(std::io::stdin().lock(), "stdin")
}

fn file_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let name = path.display().to_string();
    let file = std::fs::File::open(path)
        .map_err(|e| Failure::new(format!("{name} cannot be read: {}", plain(&e))))?;
    bounded(file, &name)
}

fn bounded(from: impl Read, name: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    from.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| Failure::new(format!("{name} cannot be read: {}", plain(&e))))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Failure::new(format!(
            "{name} holds more than 16 MiB; nothing was typed"
        )));
    }
    Ok(bytes)
}
