//! Shells: those that were there, and those that stand in the place of what cannot come back. Pure.

use super::{Action, Item, Spawn};
use crate::record::PaneRecord;
use crate::world::{Folder, World};
use std::path::Path;

/// A shell in the pane's folder, or the nearest one above that is there.
pub(super) fn shell(item: &mut Item, pane: &PaneRecord, world: &dyn World) {
    let mut spawn = Spawn::of(pane);
    let is_shell = is_shell(pane, world);
    spawn.argv = match is_shell && !pane.argv.is_empty() {
        true => pane.argv.clone(),
        false => vec![world.shell()],
    };
    if let Some(program) = spawn.argv.first().cloned()
        && world
            .program(program.as_os(), None, pane.cwd.as_path())
            .is_none()
    {
        spawn.argv = vec![world.shell()];
    }
    item.action = Action::Shell;
    item.reason = match is_shell {
        true => "its shell starts over".to_owned(),
        false => {
            let program = program_name(&pane.argv);
            format!(
                "cannot resume: `{program}` is no agent abide knows, and is not run again unasked"
            )
        }
    };
    let without = missing(pane, world);
    if !without.is_empty() {
        let names = without.join(", ");
        item.reason = format!("{}; without {names}, {UNKEPT}", item.reason);
    }
    if let Some(why) = nearest(&mut spawn, world) {
        item.reason = format!("{}; {why}", item.reason);
    }
    if !is_shell {
        spawn.wrapped.say = Some(item.reason.clone());
        spawn.wrapped.then = spawn.argv.first().cloned();
        spawn.argv.clear();
    }
    item.spawn = Some(spawn);
}

/// A shell by its name, or the user's own, whatever that is called (a script that starts one).
pub(super) fn is_shell(pane: &PaneRecord, world: &dyn World) -> bool {
    pane.shell || pane.argv == [world.shell()]
}

/// Said of a variable that the user set for the pane and that cannot be given again.
pub(super) const UNKEPT: &str = "which `--env` gave: no secret is written down";

/// Variables the user set for the pane whose values nobody has.
pub(super) fn missing<'a>(pane: &'a PaneRecord, world: &dyn World) -> Vec<&'a str> {
    let names = pane.set_needs.iter().map(String::as_str);
    names
        .filter(|name| world.variable(name) == Some(false))
        .collect()
}

fn program_name(argv: &[crate::Text]) -> String {
    let name = argv
        .first()
        .map(|it| it.as_path().file_name().unwrap_or_default());
    let name = name.unwrap_or_default().to_string_lossy().into_owned();
    name.chars().filter(|c| !c.is_control()).collect()
}

/// Moves a shell to the nearest folder above that is there, and says so.
fn nearest(spawn: &mut Spawn, world: &dyn World) -> Option<String> {
    let folder = spawn.cwd.as_path().to_owned();
    if world.folder(&folder) == Folder::There {
        return None;
    }
    let there = |it: &&Path| world.folder(it) == Folder::There;
    let up = folder
        .ancestors()
        .skip(1)
        .find(there)
        .unwrap_or(Path::new("/"));
    spawn.cwd = up.to_owned().into();
    Some(format!(
        "{} is gone, so it starts in {}",
        shown(&folder),
        shown(up)
    ))
}

pub(super) fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    text.chars()
        .map(|c| if c.is_control() { '?' } else { c })
        .collect()
}

/// The pane comes back as a shell that says why its agent could not; the record stays as it is.
pub(super) fn block(item: &mut Item, pane: &PaneRecord, why: String, world: &dyn World) {
    let mut spawn = Spawn::of(pane);
    nearest(&mut spawn, world);
    let then = pane.argv.first().filter(|_| is_shell(pane, world));
    let then = then.cloned();
    let agent = pane.agent.as_ref().map_or("the agent", |agent| &agent.cli);
    spawn.wrapped.say = Some(format!(
        "{agent} did not come back: {why}. `abide reopen p{id}` tries again, `abide fresh p{id}` lets go of it.",
        id = pane.id
    ));
    spawn.wrapped.then = Some(then.unwrap_or_else(|| world.shell()));
    item.action = Action::Blocked;
    item.reason = why;
    item.spawn = Some(spawn);
}
