//! `abide rename`: what a pane is called.

use crate::cmd::Ctx;
use crate::desk::Desk;
use crate::failure::{Exit, Failure};
use crate::find::check_name;
use protocol::Role;

const EXAMPLES: &str = "\
Examples:
  abide rename p12 web
  abide rename . agent      the pane this is typed in
  abide rename web ''       takes the name away";

/// The words of `abide rename`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The pane.
    pane: String,
    /// Its new name; empty: none.
    name: String,
}

/// Writes the name.
///
/// # Errors
/// No host, no such pane, or a name that looks like something else.
pub fn run(ctx: &Ctx, args: Args) -> Result<(), Failure> {
    if !args.name.is_empty() {
        check_name(&args.name).map_err(|why| Failure::with(Exit::Usage, why))?;
    }
    let mut desk = Desk::open(ctx, Role::Control)?;
    let id = desk.find(&args.pane)?.id();
    let value = (!args.name.is_empty()).then_some(args.name.as_bytes());
    desk.note(id, "name", value)?;
    if ctx.out.json {
        let name = value.map(|_| &args.name);
        return ctx
            .out
            .json(&serde_json::json!({ "pane": id.to_string(), "name": name }));
    }
    Ok(())
}
