//! `abide doctor --reap`: ends programs that outlived their reaper, or names them.

use crate::cmd::Ctx;
use crate::failure::Failure;
use crate::out::say;
use reaper::{Leftover, Sweeper};
use serde_json::{Value, json};
use sys::process::Identity;

/// For leftovers of this instance. What fell to a host that lives is its own to end or to spare.
pub(super) fn sweeper(ctx: &Ctx) -> Sweeper {
    let host = link::HostFile::read(&ctx.places).ok().flatten();
    let host = host
        .filter(link::HostFile::process_lives)
        .map(|it| Identity {
            pid: it.pid,
            start: it.start,
        });
    Sweeper::new(&ctx.places.state).beside(host)
}

/// Ends them, or only names them.
///
/// # Errors
/// Some could not be ended.
pub(super) fn run(ctx: &Ctx, dry: bool) -> Result<(), Failure> {
    let mut sweeper = sweeper(ctx);
    if dry {
        let found = sweeper.find();
        return told(ctx, "would end", "found", &found);
    }
    let report = sweeper.sweep();
    for (leftover, why) in &report.left {
        say(&format!("cannot end {leftover}; {why}"));
    }
    told(ctx, "ended", "ended", &report.ended)?;
    if report.left.is_empty() {
        return Ok(());
    }
    let text = format!("{} programs could not be ended", report.left.len());
    Err(Failure::new(text))
}

fn told(ctx: &Ctx, verb: &str, key: &str, all: &[Leftover]) -> Result<(), Failure> {
    if ctx.out.json {
        let list: Vec<Value> = all.iter().map(facts).collect();
        return ctx.out.json(&json!({ key: list }));
    }
    if all.is_empty() {
        return ctx.out.line("no program is without its reaper");
    }
    all.iter()
        .try_for_each(|it| ctx.out.line(&format!("{verb} {it}")))
}

fn facts(it: &Leftover) -> Value {
    json!({
        "pid": it.process.pid,
        "name": it.name,
        "reaper": it.reapers.first().map(|reaper| reaper.pid),
        "reason": "its reaper is gone",
    })
}
