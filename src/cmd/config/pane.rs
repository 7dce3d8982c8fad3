//! `abide config get|set --pane PANE`: a setting for one pane, over the settings file.
//!
//! In: the pane, the setting, its value. Out: the pane's record in `restore.json`. Promises: only
//! `restore.start` and `restore.continue` can differ from pane to pane; anything else is refused before
//! anything is written; a pane that has just been made is waited for until it is written down.

use crate::bring;
use crate::cmd::{Ctx, forget};
use crate::config::{ConfigError, KEYS};
use crate::desk::Desk;
use crate::failure::Failure;
use protocol::{PaneId, Role};
use restore::record::{GoOn, PaneSetting, Start};
use restore::{PaneRecord, Store};
use serde_json::{Map, json};
use std::time::{Duration, Instant};

/// What a pane can have of its own.
const OWN: [&str; 2] = ["restore.start", "restore.continue"];
/// Follows the settings file.
const DEFAULT: &str = "default";
/// How long a running pane may take to be written down.
const WRITTEN: Duration = Duration::from_secs(5);
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(50);

/// Prints the settings of `pane`, or one of them.
///
/// # Errors
/// There is no such pane, or no such setting of a pane.
pub(super) fn get(ctx: &Ctx, pane: &str, key: Option<&str>) -> Result<(), Failure> {
    let (store, id) = find(ctx, pane)?;
    let own = written(&store, id)?.restore.unwrap_or_default();
    let value = |key: &str| match key {
        "restore.start" => own.start.map_or(DEFAULT, Start::word),
        _ => own.go_on.map_or(DEFAULT, GoOn::word),
    };
    if let Some(key) = key {
        allowed(key)?;
        return ctx.out.either(
            || json!({ "pane": PaneId(id).to_string(), "key": key, "value": value(key) }),
            || value(key).to_owned(),
        );
    }
    ctx.out.either(
        || {
            OWN.map(|key| (key.to_owned(), value(key).into()))
                .into_iter()
                .collect::<Map<_, _>>()
                .into()
        },
        || OWN.map(|key| format!("{key} = {}", value(key))).join("\n"),
    )
}

/// Gives `pane` its own value, or none of its own.
///
/// # Errors
/// There is no such pane, no such setting of a pane, no such value, or the record cannot be written.
pub(super) fn set(ctx: &Ctx, pane: &str, key: &str, value: &str) -> Result<(), Failure> {
    allowed(key)?;
    let own = |setting: &mut PaneSetting| match key {
        "restore.start" => read(value, Start::read)
            .map(|it| setting.start = it)
            .is_some(),
        _ => read(value, GoOn::read)
            .map(|it| setting.go_on = it)
            .is_some(),
    };
    if !own(&mut PaneSetting::default()) {
        return Err(no_value(key, value));
    }
    let (store, id) = find(ctx, pane)?;
    written(&store, id)?;
    let mut there = false;
    store.change(|document| {
        there = document.edit_pane(id, |record| {
            let mut setting = record.restore.take().unwrap_or_default();
            own(&mut setting);
            record.restore = Some(setting).filter(|it| *it != PaneSetting::default());
        })?;
        Ok(())
    })?;
    if !there {
        return Err(not_written(id));
    }
    bring::poke_any(ctx);
    if ctx.out.json {
        let pane = PaneId(id).to_string();
        return ctx
            .out
            .json(&json!({ "pane": pane, "key": key, "value": value }));
    }
    Ok(())
}

/// Which pane is meant: one that runs, else one that is only written down.
fn find(ctx: &Ctx, pane: &str) -> Result<(Store, u32), Failure> {
    let store = Store::open(&ctx.places.state)?;
    let desk = Desk::open_if_any(ctx, Role::Control)?;
    let id = forget::one(pane, &store.document()?.panes(), desk.as_ref())?;
    Ok((store, id))
}

/// The pane's record, as soon as there is one.
fn written(store: &Store, id: u32) -> Result<PaneRecord, Failure> {
    let until = Instant::now() + WRITTEN;
    loop {
        if let Some(record) = store.document()?.pane(id) {
            return Ok(record);
        }
        if Instant::now() >= until {
            return Err(not_written(id));
        }
        std::thread::sleep(PAUSE);
    }
}

fn not_written(id: u32) -> Failure {
    let pane = PaneId(id);
    Failure::new(format!(
        "nothing is written down of {pane}, so it has no settings of its own: does the keeper run? \
         `abide status` tells, `abide keeper start` starts it"
    ))
}

fn allowed(key: &str) -> Result<(), Failure> {
    if OWN.contains(&key) {
        return Ok(());
    }
    if !KEYS.iter().any(|it| it.name == key) {
        return Err(ConfigError::NoKey(key.to_owned()).into());
    }
    let own = OWN.join(" and ");
    Err(Failure::new(format!(
        "{key} is one for all panes; a pane can have its own {own}"
    )))
}

fn no_value(key: &str, value: &str) -> Failure {
    let kind = KEYS.iter().find(|it| it.name == key).map(|it| it.kind);
    let words = kind.map(|it| it.allowed()).unwrap_or_default();
    Failure::new(format!(
        "{key} cannot be `{value}` for a pane; allowed: {words}; or \"{DEFAULT}\", which follows the file"
    ))
}

/// What `word` says; `None`: nothing.
fn read<T>(word: &str, known: impl Fn(&str) -> Option<T>) -> Option<Option<T>> {
    if word == DEFAULT {
        return Some(None);
    }
    known(word).map(Some)
}
