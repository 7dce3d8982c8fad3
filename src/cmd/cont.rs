//! `abide continue`: a stopped pane goes on.

use crate::cmd::Ctx;
use crate::desk::Desk;
use crate::failure::Failure;
use protocol::Role;
use protocol::msg::Continue;

const EXAMPLES: &str = "\
Examples:
  abide continue web      after `abide ls` shows it as stopped

A pane is stopped only when its program wants its terminal from the background (SIGTTIN, SIGTTOU).
One that stops itself or is stopped by SIGSTOP or Ctrl-Z as a whole is continued at once; jobs that a
shell in the pane stops are the shell's: `fg` there.";

/// The words of `abide continue`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The pane.
    pane: String,
}

/// Continues it.
///
/// # Errors
/// No host, no such pane, or its program has ended.
pub fn run(ctx: &Ctx, args: Args) -> Result<(), Failure> {
    let mut desk = Desk::open(ctx, Role::Control)?;
    let id = desk.find(&args.pane)?.id();
    desk.tell(id, Continue {})?;
    if ctx.out.json {
        return ctx.out.json(&serde_json::json!({ "pane": id.to_string() }));
    }
    Ok(())
}
