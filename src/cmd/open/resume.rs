//! Opening a folder brings back the panes of its workspace that do not run.
//!
//! In: the workspace that is about to be shown. Out: the panes that come back, so that the client
//! waits for them instead of making others. Promises: the keeper does it where one lives, else a
//! command beside this one, which goes on when the window is closed; nothing here waits for a pane.

use crate::bring::{self, Bringer};
use crate::cmd::Ctx;
use crate::daemons;
use crate::desk::Desk;
use crate::failure::Failure;
use crate::out::say;
use link::layout::Workspace;
use restore::Cause;
use std::ffi::OsString;

/// Begins to bring back the panes of `workspace`; gives their ids.
///
/// # Errors
/// The host refuses, or the records cannot be written.
pub(super) fn begin(
    ctx: &Ctx,
    desk: &mut Desk,
    workspace: &Workspace,
) -> Result<Vec<u32>, Failure> {
    let bringer = Bringer::new(ctx)?;
    // Why not was told where the workspaces were read; what is there can still be shown.
    let Ok(document) = bringer.store.document() else {
        return Ok(Vec::new());
    };
    let live = bring::live(desk);
    let missing = |pane: &restore::PaneRecord| {
        pane.workspace.as_deref() == Some(&workspace.id) && !live.contains(&pane.id)
    };
    if !document.panes().iter().any(missing) {
        return Ok(Vec::new());
    }
    let cause = Cause::Opened(workspace.id.clone());
    let plan = bringer.plan(&document, cause.clone(), live);
    let inside = workspace.panes();
    let coming = plan.items.iter().filter(|item| item.spawn.is_some());
    let coming: Vec<u32> = coming
        .map(|item| item.pane)
        .filter(|it| inside.contains(it))
        .collect();
    if coming.is_empty() {
        return Ok(coming);
    }
    if bring::ask_keeper(ctx, &bringer, desk, &cause)? {
        return Ok(coming);
    }
    match start(ctx, &workspace.id) {
        Ok(()) => Ok(coming),
        Err(why) => {
            say(&format!(
                "the panes of {} do not come back: {why}",
                workspace.name
            ));
            Ok(Vec::new())
        }
    }
}

/// A command of its own, detached from this terminal.
fn start(ctx: &Ctx, workspace: &str) -> std::io::Result<()> {
    let mut argv = vec![daemons::own_program().into_os_string()];
    argv.extend(["restore", "--workspace", workspace].map(OsString::from));
    let log = ctx.places.state.join("restore.log");
    let environment: Vec<_> = std::env::vars_os().collect();
    sys::daemon::spawn_detached(&argv, &environment, &log).map(|_| ())
}
