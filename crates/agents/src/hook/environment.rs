//! The variables of a pane that add to what agents typed there are told. Pure but for a look whether
//! an administrator's file is there.

use super::files::place;
use crate::catalogue::Catalogue;
use crate::spec::{Holds, Hook};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The variables to set in a pane on top of `user`'s environment: those that each CLI's launch needs,
/// and with `hooks` (the folder of [`super::install`]) those that let CLIs report.
#[must_use]
pub fn pane_environment(
    catalogue: &Catalogue,
    hooks: Option<&Path>,
    user: &dyn Fn(&str) -> Option<OsString>,
) -> BTreeMap<String, OsString> {
    let mut set = BTreeMap::new();
    for spec in catalogue.specs() {
        let launch = spec.launch.env.iter();
        let free = launch.filter(|(name, _)| user(name).is_none());
        set.extend(free.map(|(name, value)| (name.clone(), value.into())));
        for hook in spec.learn.hooks() {
            if let Some(folder) = hooks
                && let Some(place) = place(spec, hook)
                && let Some(value) = value(hook, &folder.join(place), user)
            {
                set.insert(hook.variable.clone(), value);
            }
        }
    }
    set
}

/// Whether a pane's variable is one of [`pane_environment`]'s and may be written down, so that the pane
/// gets it again: JSON only when nothing of the user's is in it.
#[must_use]
pub fn is_pane_variable(catalogue: &Catalogue, name: &str, value: &OsStr) -> bool {
    catalogue.specs().any(|spec| {
        let mut hooks = spec.learn.hooks().filter(|it| it.form.is_some());
        let reports = hooks.any(|hook| {
            let free = hook.holds != Holds::Json || is_ours(&spec.name, value);
            hook.variable == name && free
        });
        reports
            || spec
                .launch
                .env
                .get(name)
                .is_some_and(|own| value == own.as_str())
    })
}

fn is_ours(cli: &str, value: &OsStr) -> bool {
    let text = value.to_str().unwrap_or_default();
    let inner = text.strip_prefix("{\"plugin\":[\"file://");
    let path = inner.and_then(|it| it.strip_suffix("\"]}"));
    path.is_some_and(|path| !path.contains('"') && path.ends_with(&format!("/{cli}/abide.js")))
}

/// `None`: the user or the administrator has a say there.
fn value(hook: &Hook, place: &Path, user: &dyn Fn(&str) -> Option<OsString>) -> Option<OsString> {
    let theirs = user(&hook.variable);
    if hook.holds == Holds::Folders {
        return joined(theirs.as_deref(), place);
    }
    let displaces = hook.instead_of.iter().any(|file| Path::new(file).exists());
    let taken = hook.not_with.iter().any(|name| user(name).is_some());
    if theirs.is_some() || displaces || taken {
        return None;
    }
    match hook.holds {
        Holds::Json => {
            let url = url(place)?;
            let text = serde_json::json!({ "plugin": [url] }).to_string();
            Some(text.into())
        }
        Holds::File | Holds::Folders => Some(place.as_os_str().to_owned()),
    }
}

/// Theirs, then ours; `None` when it stands there already or cannot be written so.
fn joined(theirs: Option<&OsStr>, ours: &Path) -> Option<OsString> {
    let theirs: Vec<PathBuf> = theirs
        .map(|it| std::env::split_paths(it).collect())
        .unwrap_or_default();
    if theirs.iter().any(|it| it == ours) {
        return None;
    }
    let own = theirs.into_iter().filter(|it| !it.as_os_str().is_empty());
    std::env::join_paths(own.chain([ours.to_owned()])).ok()
}

/// A file as an address.
fn url(path: &Path) -> Option<String> {
    let mut url = "file://".to_owned();
    for byte in path.to_str()?.bytes() {
        match byte {
            b if b.is_ascii_alphanumeric() || b"/-_.~".contains(&b) => url.push(char::from(b)),
            b => url.push_str(&format!("%{b:02X}")),
        }
    }
    Some(url)
}
