//! `abide resize`: a pane's size while no client shows it.

use crate::cmd::Ctx;
use crate::desk::Desk;
use crate::failure::Failure;
use protocol::Role;
use protocol::msg::Resize;

const EXAMPLES: &str = "\
Examples:
  abide resize web 200x50";

/// The words of `abide resize`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The pane.
    pane: String,
    /// Columns and rows, each 1 to 1000.
    #[arg(value_name = "COLSxROWS", value_parser = size)]
    size: (u16, u16),
}

/// Reads `200x50`.
///
/// # Errors
/// What it must look like.
pub fn size(word: &str) -> Result<(u16, u16), String> {
    let pair = word.split_once(['x', 'X']);
    let pair = pair.and_then(|(cols, rows)| Some((cols.parse().ok()?, rows.parse().ok()?)));
    let fits = |n: u16| (1..=1000).contains(&n);
    pair.filter(|(cols, rows)| fits(*cols) && fits(*rows))
        .ok_or_else(|| "must be COLSxROWS, each from 1 to 1000".to_owned())
}

/// Gives the size.
///
/// # Errors
/// No host, no such pane, or a client shows the pane and decides its size.
pub fn run(ctx: &Ctx, args: Args) -> Result<(), Failure> {
    let mut desk = Desk::open(ctx, Role::Control)?;
    let id = desk.find(&args.pane)?.id();
    let (cols, rows) = args.size;
    desk.tell(id, Resize { cols, rows })?;
    if ctx.out.json {
        return ctx
            .out
            .json(&serde_json::json!({ "pane": id.to_string(), "size": [cols, rows] }));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(size("200x50"), Ok((200, 50)));
        assert_eq!(size("1X1000"), Ok((1, 1000)));
        for bad in [
            "", "x", "0x5", "5x0", "1001x5", "80", "80x", "-1x5", "80 x 24", "99999x1",
        ] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }
}
