//! `abide restore`: bring back what was there, see what would come back, hold it, take back.

use crate::bring::{self, Bringer, Brought, bring};
use crate::cmd::{Ctx, close};
use crate::desk::Desk;
use crate::failure::{Exit, Failure};
use crate::out::say;
use protocol::Role;
use restore::execute::Report;
use restore::verdict::{judge, look};
use restore::{Action, Cause, Intent, Item, PaneRecord, Plan, Verdict};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const EXAMPLES: &str = "\
Examples:
  abide restore --dry-run         what would come back, and why not; starts nothing
  abide restore                   bring it back now
  abide restore --hold            what has not come back yet stays where it is
  abide restore --undo            take back the last `abide fresh`

Panes come back by themselves when a start finds the host gone (`restore.start`).";

/// The words of `abide restore`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Only tell what would happen.
    #[arg(long, conflicts_with_all = ["hold", "undo"])]
    dry_run: bool,
    /// Stop what has not come back yet, until `abide restore`.
    #[arg(long, conflicts_with = "undo")]
    hold: bool,
    /// Take back what `abide fresh` let go of last, within 30 days.
    #[arg(long)]
    undo: bool,
    /// Only this workspace, by name or id, also when it was closed.
    #[arg(long, value_name = "W", conflicts_with_all = ["hold", "undo"])]
    workspace: Option<String>,
}

/// Does it.
///
/// # Errors
/// No host, or the records cannot be read or written.
pub fn run(ctx: &Ctx, args: Args) -> Result<(), Failure> {
    if args.undo {
        return undo(ctx);
    }
    if args.hold {
        set_hold(&ctx.places)?;
        // Whoever brings panes back at this moment hears of it through the host.
        bring::poke_any(ctx);
        return ctx
            .out
            .either(|| json!({ "held": true }), || HELD.to_owned());
    }
    let bringer = Bringer::new(ctx)?;
    let asked = match &args.workspace {
        Some(word) => Some(Cause::Opened(workspace(word, &bringer.store.document()?)?)),
        None => None,
    };
    if args.dry_run {
        return dry_run(ctx, &bringer, asked);
    }
    bringer.store.change(|document| {
        if document.hold() {
            document.set_hold(false);
        }
        Ok(())
    })?;
    let cause = asked.unwrap_or(Cause::Asked);
    match bring(ctx, &bringer, cause)? {
        Brought::ByKeeper => ctx.out.either(
            || json!({ "by": "keeper" }),
            || "the keeper brings it back; `abide status` tells how far it is".to_owned(),
        ),
        Brought::Here(report) => tell(ctx, &report),
    }
}

/// The id of the workspace that is meant, by name or id.
fn workspace(word: &str, document: &restore::Document) -> Result<String, Failure> {
    let belongs = |pane: &restore::PaneRecord| pane.workspace.as_deref() == Some(word);
    if document.panes().iter().any(belongs) {
        return Ok(word.to_owned());
    }
    close::named(word, &document.workspaces()).map(|it| it.id.clone())
}

fn tell(ctx: &Ctx, report: &Report) -> Result<(), Failure> {
    for (pane, why) in &report.reasons {
        say(&format!("p{pane}: {why}"));
    }
    ctx.out.either(
        || {
            let blocked = report.reasons.iter();
            let blocked: Vec<Value> = blocked
                .map(|(pane, why)| json!({ "pane": format!("p{pane}"), "reason": why }))
                .collect();
            json!({
                "by": "command", "line": report.line(), "workspaces": report.workspaces,
                "resumed": report.resumed, "skipped": report.skipped, "blocked": blocked,
            })
        },
        || report.line(),
    )
}

fn dry_run(ctx: &Ctx, bringer: &Bringer, asked: Option<Cause>) -> Result<(), Failure> {
    let document = bringer.store.document()?;
    let problems = document.records().problems;
    problems.iter().for_each(|line| say(line));
    let (verdict, live) = match Desk::open(ctx, Role::Control) {
        Ok(desk) => (Verdict::Alive, bring::live(&desk)),
        Err(failure) if failure.exit == Exit::Unreachable => {
            let held = !matches!(link::probe(&ctx.places), link::Mode::None { .. });
            (judge(&look(&document, held, false)), BTreeSet::new())
        }
        Err(failure) => return Err(failure),
    };
    let beside = asked.is_none() && verdict == Verdict::Alive;
    let cause = asked.unwrap_or(match verdict {
        Verdict::Gone(reason) => Cause::Gone(reason),
        _ => Cause::Asked,
    });
    let mut plan = bringer.plan(&document, cause.clone(), live.clone());
    if beside {
        // What runs is not there to come back; what a restart would make of it is what is asked.
        let mut running = bringer.plan_restart(&document).items;
        running.retain(|item| live.contains(&item.pane));
        plan.items.extend(running);
    }
    if ctx.out.json {
        return ctx.out.json(&to_json(verdict, &cause, &plan, &live));
    }
    let words = match beside {
        true => RESTART.to_owned(),
        false => format!("{}: {}", verdict_words(verdict), cause.words()),
    };
    say(&words);
    if plan.items.is_empty() {
        say("nothing is written down that could come back");
        return Ok(());
    }
    ctx.out.line(&table(&plan.items, &live))
}

/// What a dry run beside a host that runs tells.
const RESTART: &str = "the host runs: what is not there, and what a restart of the machine would bring back of what runs";

fn verdict_words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Alive => "the host runs",
        Verdict::Silent => "the host lives but is silent; nothing is started beside it",
        Verdict::Ending => "the host is gone, and its root reaper still ends what it left",
        Verdict::Gone(_) => "the host is gone",
        Verdict::Nothing => "no host is written down",
    }
}

fn to_json(verdict: Verdict, cause: &Cause, plan: &Plan, live: &BTreeSet<u32>) -> Value {
    let items = plan.items.iter().map(|item| {
        let argv = item.spawn.as_ref().map(|spawn| {
            let words = spawn.argv.iter().map(restore::Text::shown);
            words.collect::<Vec<_>>()
        });
        json!({
            "pane": format!("p{}", item.pane), "workspace": item.workspace, "label": item.label,
            "action": item.action.word(), "reason": item.reason, "argv": argv,
            "runs": live.contains(&item.pane),
            "cwd": item.spawn.as_ref().map(|spawn| spawn.cwd.shown()),
        })
    });
    let count = |action| plan.count(action);
    json!({
        "verdict": verdict_words(verdict), "reason": cause.words(),
        "resume": count(Action::Resume), "shell": count(Action::Shell), "fresh": count(Action::Fresh),
        "blocked": count(Action::Blocked), "skip": count(Action::Skip),
        "panes": items.collect::<Vec<_>>(),
    })
}

/// One line a pane; those of `live` run now.
fn table(items: &[Item], live: &BTreeSet<u32>) -> String {
    let id = |item: &Item| format!("p{}", item.pane);
    let width = |of: &dyn Fn(&Item) -> String| {
        let widths = items.iter().map(|item| term::width::text_width(&of(item)));
        widths.max().unwrap_or_default()
    };
    let (ids, labels) = (width(&id), width(&|item| item.label.clone()));
    let line = |item: &Item| {
        let pad =
            |text: &str, to: usize| " ".repeat(to.saturating_sub(term::width::text_width(text)));
        format!(
            "{}{}  {:<7}  {}{}  {}{}",
            id(item),
            pad(&id(item), ids),
            item.action.word(),
            item.label,
            pad(&item.label, labels),
            if live.contains(&item.pane) {
                "runs; "
            } else {
                ""
            },
            item.reason
        )
    };
    items.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// What is said when the rest is held.
pub(crate) const HELD: &str =
    "held: what has not come back yet stays where it is; `abide restore` goes on";

/// Stops what has not come back yet, for a client that is attached to the host.
///
/// # Errors
/// The records cannot be written, or the host is gone.
pub(crate) fn hold_in_client(places: &link::Places) -> Result<(), Failure> {
    set_hold(places)?;
    bring::poke(&mut Desk::on(link::connect(places, Role::Control)?)?)
}

fn set_hold(places: &link::Places) -> Result<(), Failure> {
    let store = restore::Store::open(&places.state)?;
    store.change(|document| {
        document.set_hold(true);
        Ok(())
    })?;
    Ok(())
}

fn undo(ctx: &Ctx) -> Result<(), Failure> {
    let store = restore::Store::open(&ctx.places.state)?.telling(say);
    let mut taken = None;
    store.change(|document| {
        taken = document.pop_undo();
        let Some(undo) = &taken else { return Ok(()) };
        undo.workspaces
            .iter()
            .for_each(|it| document.put_back_workspace(it));
        for pane in &undo.panes {
            document.put_pane(pane)?;
        }
        Ok(())
    })?;
    let Some(undo) = taken else {
        return Err(Failure::new(
            "there is nothing to take back; `abide fresh` is kept for 30 days",
        ));
    };
    bring::poke_any(ctx);
    let panes: Vec<String> = undo
        .panes
        .iter()
        .map(|pane| format!("p{}", pane.id))
        .collect();
    ctx.out.either(
        || json!({ "what": undo.what, "panes": panes }),
        || {
            let list = match panes.is_empty() {
                true => String::new(),
                false => format!(": {}", panes.join(", ")),
            };
            format!(
                "{} is taken back{list}; {}",
                undo.what,
                comes_back(&undo.panes)
            )
        },
    )
}

/// What brings back panes that are written down again.
fn comes_back(panes: &[PaneRecord]) -> &'static str {
    let closed = |pane: &PaneRecord| matches!(pane.intent, Intent::ClosedWorkspace { .. });
    let ended = |pane: &PaneRecord| pane.intent.is_ended() && !closed(pane);
    let open = |pane: &PaneRecord| !pane.intent.is_ended() && !closed(pane);
    if panes.iter().all(closed) {
        "opening its folder brings it back"
    } else if panes.iter().all(ended) {
        "`abide reopen` brings it back"
    } else if panes.iter().all(open) {
        "`abide restore` brings it back"
    } else {
        "`abide restore --dry-run` tells what brings each back"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_back_comes_back_as_it_ended() {
        let pane = |intent: Intent| PaneRecord {
            intent,
            ..PaneRecord::default()
        };
        let closed = || pane(Intent::ClosedWorkspace { at: 1 });
        let ended = || pane(Intent::EndedByUser { at: 1 });
        let open = || pane(Intent::Open);
        for (panes, want) in [
            (vec![], "opening its folder brings it back"),
            (
                vec![closed(), closed()],
                "opening its folder brings it back",
            ),
            (vec![ended()], "`abide reopen` brings it back"),
            (vec![open(), open()], "`abide restore` brings it back"),
            (
                vec![open(), closed()],
                "`abide restore --dry-run` tells what brings each back",
            ),
        ] {
            assert_eq!(comes_back(&panes), want);
        }
    }

    #[test]
    fn the_table_is_aligned() {
        let item = |pane, label: &str, action, reason: &str| Item {
            pane,
            workspace: None,
            label: label.into(),
            action,
            reason: reason.into(),
            spawn: None,
            shown: false,
        };
        let items = [
            item(3, "claude", Action::Resume, "conversation 7 (live)"),
            item(12, "日本", Action::Blocked, "unknown conversation"),
        ];
        let want = "p3   resume   claude  conversation 7 (live)\n\
                    p12  blocked  日本    unknown conversation";
        assert_eq!(table(&items, &BTreeSet::new()), want);
        let runs = table(&items[..1], &BTreeSet::from([3]));
        assert_eq!(runs, "p3  resume   claude  runs; conversation 7 (live)");
    }
}
