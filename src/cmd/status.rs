//! `abide status`: how things are. Starts nothing.

use crate::cmd::Ctx;
use crate::cmd::ls::{pane_json, unsaved};
use crate::desk::{Desk, unexpected};
use crate::failure::Failure;
use crate::words;
use link::{HostFile, Mode};
use protocol::msg::{HostFacts, Status};
use protocol::{FromHost, PaneId, Role, VERSIONS};
use restore::Store;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use sys::facts::Sampler;

const EXAMPLES: &str = "\
Examples:
  abide status
  abide status --json | jq .mode            host, silent, starting or none
  abide status --json --cpu | jq '.panes[] | {id, cpu_percent, memory}'";

/// The words of `abide status`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Measure each pane's processor use, which takes half a second.
    #[arg(long)]
    cpu: bool,
}

/// What was found.
struct Found {
    mode: Mode,
    desk: Option<(Desk, HostFacts)>,
    /// Pictures by pane, if they were asked for and the host counts them.
    pictures: Option<BTreeMap<u32, u64>>,
    /// Why what runs is not written down, if it is not.
    unsaved: Option<String>,
}

/// Prints how things are.
///
/// # Errors
/// stdout cannot be written. That there is no host is an answer, not an error.
pub fn run(ctx: &Ctx, args: Args) -> Result<(), Failure> {
    let mut found = look(ctx)?;
    if ctx.out.json {
        found.pictures = found
            .desk
            .as_mut()
            .and_then(|(desk, _)| desk.pictures().ok());
        return ctx.out.json(&to_json(ctx, &found, args.cpu));
    }
    ctx.out.line(&to_text(ctx, &found))
}

fn look(ctx: &Ctx) -> Result<Found, Failure> {
    // Neither an attachment nor an observer: asking changes nothing, not even the idle exit.
    match link::connect(&ctx.places, Role::Control) {
        Ok(connection) => {
            let mut desk = Desk::on(connection)?;
            let facts = match desk.ask(PaneId::NONE, Status {})? {
                FromHost::HostFacts(facts) => facts,
                other => return Err(unexpected(&other)),
            };
            let pid = i32::try_from(facts.pid).unwrap_or_default();
            Ok(Found {
                mode: Mode::Host { pid },
                unsaved: unsaved(&mut desk)?,
                desk: Some((desk, facts)),
                pictures: None,
            })
        }
        Err(error) => Ok(Found {
            mode: Mode::of_error(&error, &ctx.places),
            unsaved: None,
            desk: None,
            pictures: None,
        }),
    }
}

fn pid_and_reason(mode: &Mode) -> (Option<i32>, Option<&str>) {
    match mode {
        Mode::Host { pid } => (Some(*pid), None),
        Mode::Silent { pid, reason } => (Some(*pid).filter(|pid| *pid != 0), Some(reason)),
        Mode::Starting { reason } | Mode::None { reason } => (None, Some(reason)),
    }
}

fn to_json(ctx: &Ctx, found: &Found, cpu: bool) -> Value {
    let (pid, reason) = pid_and_reason(&found.mode);
    let boot = sys::boot::boot();
    let file = HostFile::read(&ctx.places)
        .ok()
        .flatten()
        .filter(|_| pid.is_some());
    let panes = found
        .desk
        .as_ref()
        .map(|(desk, _)| panes(desk, cpu, found.pictures.as_ref()))
        .unwrap_or_default();
    let alive = |pane: &&Value| pane["alive"] == true;
    json!({
        "mode": found.mode.word(),
        "reason": reason,
        "host_pid": pid,
        "keeper_pid": link::keeper::process(&ctx.places).map(|keeper| keeper.pid),
        "persistent_enabled": persistent(ctx),
        "workspaces": workspaces(ctx, found),
        "terminals": panes.len(),
        "live_agents": panes.iter().filter(alive).count(),
        "boot": { "id": boot.id, "time": boot.time },
        "protocol": file.map_or(VERSIONS, |file| file.protocol),
        "host": found.desk.as_ref().map(|(_, facts)| host_json(facts)),
        "unsaved": found.unsaved,
        "panes": panes,
        "restore": last_restore(ctx),
    })
}

/// Panes come back after their host's end, at once or when their folder is opened.
fn persistent(ctx: &Ctx) -> bool {
    let config = crate::config::Config::load(&ctx.places.config_file());
    config.is_ok_and(|it| it.restore_start() != restore::record::Start::Never)
}

/// What the last restore came to; empty when there was none.
fn last_restore(ctx: &Ctx) -> Value {
    let document = Store::at(&ctx.places.state).document().ok();
    let last = document.and_then(|document| document.last());
    last.and_then(|last| serde_json::to_value(last).ok())
        .unwrap_or_else(|| json!({}))
}

fn host_json(facts: &HostFacts) -> Value {
    let instance: String = facts
        .instance
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    json!({
        "instance": instance,
        "build": facts.build,
        "start": facts.pid_start,
        "root_reaper": Some(facts.root_reaper).filter(|pid| *pid != 0),
        "age_ms": facts.age_ms,
        "attachments": facts.attachments,
        "observers": facts.observers,
        "memory": Some(facts.memory).filter(|bytes| *bytes != 0),
        "warnings": facts.warnings,
    })
}

/// How many workspaces there are: the host's, and with no host those written down.
fn workspaces(ctx: &Ctx, found: &Found) -> usize {
    match &found.desk {
        Some((desk, _)) => desk.workspaces.len(),
        None if !ctx.places.state.exists() => 0,
        None => {
            let store = Store::open(&ctx.places.state).and_then(|store| store.load());
            store
                .map(|records| records.workspaces.len())
                .unwrap_or_default()
        }
    }
}

/// Each pane with what it uses and how many pictures it drew; null where the host cannot tell.
fn panes(desk: &Desk, cpu: bool, pictures: Option<&BTreeMap<u32, u64>>) -> Vec<Value> {
    let mut sampler = Sampler::new();
    let alive = desk.panes.iter().find(|pane| pane.alive());
    if let Some(pane) = alive.filter(|_| cpu) {
        // Use is a difference: the first look is only there to be compared with.
        sampler.family(i32::try_from(pane.facts.pid).unwrap_or_default());
        std::thread::sleep(std::time::Duration::from_millis(550));
    }
    let with_usage = desk.panes.iter().map(|pane| {
        let mut value = pane_json(pane);
        let pid = i32::try_from(pane.facts.pid).unwrap_or_default();
        let usage = if pane.alive() {
            sampler.family(pid)
        } else {
            None
        };
        let count = |all: &BTreeMap<u32, u64>| all.get(&pane.facts.pane).copied().unwrap_or(0);
        value["pictures"] = pictures.map(count).into();
        value["memory"] = usage.map(|it| it.memory).into();
        value["processes"] = usage.map(|it| it.processes).into();
        value["cpu_percent"] = usage.filter(|_| cpu).map(|it| it.cpu_percent).into();
        value
    });
    with_usage.collect()
}

fn to_text(ctx: &Ctx, found: &Found) -> String {
    let (pid, reason) = pid_and_reason(&found.mode);
    let mut lines = vec![format!("mode        {}", found.mode.word())];
    lines.extend(pid.map(|pid| format!("host        pid {pid}")));
    lines.extend(reason.map(|reason| format!("reason      {reason}")));
    if let Some((desk, facts)) = &found.desk {
        let alive = desk.panes.iter().filter(|pane| pane.alive()).count();
        lines.push(format!("build       {}", facts.build));
        lines.push(format!("age         {}", words::age(facts.age_ms)));
        lines.push(format!("panes       {} ({alive} live)", desk.panes.len()));
        lines.push(format!("workspaces  {}", desk.workspaces.len()));
        lines.push(format!("clients     {}", facts.attachments));
        lines.push(match link::keeper::process(&ctx.places) {
            Some(keeper) => format!("keeper      pid {}", keeper.pid),
            None => "keeper      none: what runs is not written down".to_owned(),
        });
        lines.push(match facts.root_reaper {
            0 => "reaper      none: if the host is killed, nothing ends what its panes leave"
                .to_owned(),
            pid => format!("reaper      pid {pid}"),
        });
        lines.extend(
            facts
                .warnings
                .iter()
                .map(|warning| format!("warning     {warning}")),
        );
        lines.extend(found.unsaved.iter().map(|why| format!("warning     {why}")));
    }
    let last = Store::at(&ctx.places.state).document().ok();
    let last = last.and_then(|document| document.last());
    lines.extend(last.map(|last| format!("restore     {}", last.line)));
    lines.join("\n")
}
