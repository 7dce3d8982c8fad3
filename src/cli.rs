//! What can be typed. Each command's own words stand in its file under `cmd/`.

use crate::cmd;
use clap::{Parser, Subcommand};

const EXAMPLES: &str = "\
Examples:
  abide                           open this folder's workspace
  abide shop                      open the workspace named shop
  abide ~/src/blog                open a workspace for exactly that folder
  abide new --name web -- npm start
                                  start a program in a new pane
  abide send web --enter 'rs'     type into it
  abide wait web --text 'ready'   until it shows that
  abide attach web                give it this terminal

PANE is an id (p12), a unique name, WORKSPACE/NAME, or `.` (this pane).
Exit codes: 0 ok, 1 failed, 2 usage, 3 no such pane or workspace,
4 host unreachable, 5 timed out.";

/// Terminals and coding agents that stay: closing the window only detaches.
#[derive(Debug, Parser)]
#[command(name = "abide", version, after_help = EXAMPLES, disable_help_subcommand = true)]
pub struct Cli {
    /// Print data as JSON.
    #[arg(long, global = true)]
    pub json: bool,
    /// Folder or workspace to open.
    #[arg(value_name = "DIR|NAME")]
    pub target: Option<String>,
    /// What to do instead of opening the client.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Start a program in a new pane.
    New(cmd::new::Args),
    /// List panes and workspaces.
    Ls(cmd::ls::Args),
    /// Give one pane the whole terminal.
    Attach(cmd::attach::Args),
    /// End a pane's program and all it started; forget a pane that has ended.
    Kill(cmd::kill::Args),
    /// End every pane of a workspace; opening its folder brings them back.
    Close(cmd::close::Args),
    /// Type into a pane.
    Send(cmd::send::Args),
    /// Print what a pane shows.
    Capture(cmd::capture::Args),
    /// Give a pane a size.
    Resize(cmd::resize::Args),
    /// Give a pane a name.
    Rename(cmd::rename::Args),
    /// Wait until a pane ends, shows a text, or is still.
    Wait(cmd::wait::Args),
    /// Let a stopped pane go on.
    #[command(name = "continue", visible_alias = "cont")]
    Continue(cmd::cont::Args),
    /// Bring back what was there before the host ended.
    Restore(cmd::restore::Args),
    /// Bring back a pane that has ended.
    Reopen(cmd::reopen::Args),
    /// Let go of what would come back, and begin anew.
    Fresh(cmd::fresh::Args),
    /// Tell how things are; starts nothing.
    Status(cmd::status::Args),
    /// Start, stop or be the host.
    Host(cmd::host::Args),
    /// Start, stop or be the keeper, which records what runs and brings it back.
    Keeper(cmd::keeper::Args),
    /// Ask an agent, in a conversation that survives a restart.
    Ask(cmd::ask::Args),
    /// Read the conversations that `ask` had.
    Record(cmd::record::Args),
    /// Tell which agents are installed and which of them can be resumed.
    Agents(cmd::agents::Args),
    /// Open a conversation that ran outside abide, or was used in this folder.
    Adopt(cmd::adopt::Args),
    /// Tell the keeper what this pane's agent has to say; agents call it by themselves.
    #[command(hide = true)]
    Hook(cmd::hook::Args),
    /// Have the keeper started at login.
    Service(cmd::service::Args),
    /// List, print and delete abide's copies of conversations.
    Vault(cmd::vault::Args),
    /// Delete what abide has written down of a pane.
    Forget(cmd::forget::Args),
    /// Look for what is wrong.
    Doctor(cmd::doctor::Args),
    /// Print the logs of host and keeper.
    Logs(cmd::logs::Args),
    /// Read and change settings.
    Config(cmd::config::Args),
    /// Measure this program on this machine.
    Bench(cmd::bench::Args),
    /// Print a completion script for a shell.
    Completions(cmd::completions::Args),
}
