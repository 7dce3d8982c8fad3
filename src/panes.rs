//! The environment of new panes: the creator's, and what lets agents typed there tell of themselves.
//!
//! Promises: a variable the user set is joined or left alone; files lie below abide's state folder
//! only; what cannot be written is told once and costs the pane nothing else.

use crate::config::Config;
use crate::daemons;
use crate::out::say;
use agents::{Catalogue, hook};
use link::Places;
use std::ffi::OsStr;
use std::path::PathBuf;

/// A name and its value, as bytes.
pub type Variable = (Vec<u8>, Vec<u8>);

/// The catalogue with the user's own files; what was left out is told.
#[must_use]
pub fn catalogue(places: &Places) -> Catalogue {
    let loaded = Catalogue::load(&places.config.join("agents"));
    loaded.left_out.iter().for_each(|line| say(line));
    loaded.catalogue
}

/// Where the hooks' files lie.
#[must_use]
pub fn hooks_folder(places: &Places) -> PathBuf {
    places.state.join("hooks")
}

/// This process's environment with the additions for a pane.
#[must_use]
pub fn environment(places: &Places, config: &Config) -> Vec<Variable> {
    let mut environment = daemons::environment();
    if !config.pane_environment() {
        return environment;
    }
    for (name, value) in additions(places, &catalogue(places)) {
        environment.retain(|(known, _)| *known != name);
        environment.push((name, value));
    }
    environment
}

/// The additions alone.
#[must_use]
pub fn additions(places: &Places, catalogue: &Catalogue) -> Vec<Variable> {
    let folder = hooks_folder(places);
    let installed = hook::install(catalogue, &folder, &daemons::own_program());
    if let Err(error) = &installed {
        say(&format!("agents cannot report here: {error}"));
    }
    let hooks = installed.is_ok().then_some(folder.as_path());
    let bytes = |text: &OsStr| text.as_encoded_bytes().to_vec();
    let set = hook::pane_environment(catalogue, hooks, &|name| std::env::var_os(name));
    set.iter()
        .map(|(name, value)| (name.clone().into_bytes(), bytes(value)))
        .collect()
}
