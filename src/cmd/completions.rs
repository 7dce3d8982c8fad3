//! `abide completions`: a script for the shell.

use crate::cli::Cli;
use crate::cmd::Ctx;
use crate::failure::Failure;
use clap::CommandFactory;
use clap_complete::Shell;

const EXAMPLES: &str = "\
Examples:
  abide completions bash > ~/.local/share/bash-completion/completions/abide
  abide completions zsh > ~/.zfunc/_abide
  abide completions fish > ~/.config/fish/completions/abide.fish";

/// The words of `abide completions`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The shell.
    shell: Shell,
}

/// Prints the script.
///
/// # Errors
/// stdout cannot be written.
pub fn run(ctx: &Ctx, args: Args) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "abide", &mut script);
    if ctx.out.json {
        let text = String::from_utf8_lossy(&script);
        return ctx.out.json(&serde_json::json!({ "script": text }));
    }
    ctx.out.bytes(&script)
}
