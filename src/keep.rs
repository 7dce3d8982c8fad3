//! Tools that outlive the pane they were started in: which, for which panes.
//!
//! In: the words of `--keep`, the setting `reaper.keep`, whether an agent is started. Out: the list
//! as the host's reapers take it. Promises: what an agent starts is never kept, whatever the settings
//! say; a tool that is named on the command line is there, or it is said that it is not.

use crate::config::Config;
use crate::failure::{Exit, Failure};
use protocol::msg::Bytes;
use reaper::{KEEP, Keep};
use std::path::{Path, PathBuf};

/// The tools to keep for a new pane: `words` are those of `--keep`, `agent` says that `--agent` was
/// given.
///
/// # Errors
/// `--keep` beside `--agent`, a program that is not there, or a path that cannot be passed on.
pub fn for_pane(config: &Config, words: &[PathBuf], agent: bool) -> Result<Keep, Failure> {
    let usage = |text: String| Failure::with(Exit::Usage, text);
    if agent {
        if words.is_empty() {
            return Ok(Keep::default());
        }
        let text = "--keep is not for agents: what an agent starts ends with its pane; \
                    leave --agent or --keep out";
        return Err(usage(text.to_owned()));
    }
    let mut all = Vec::new();
    for word in words {
        let found = find(word);
        let missing = || usage(format!("--keep {}: no such program", word.display()));
        all.push(found.ok_or_else(missing)?);
    }
    // A tool that is in the settings and not on this machine runs nowhere.
    all.extend(config.keep().iter().map(|it| real(it)));
    Keep::new(all).map_err(|error| usage(error.to_string()))
}

/// What a new pane is given besides its environment.
#[must_use]
pub fn variable(keep: &Keep) -> Option<(Bytes, Bytes)> {
    (!keep.is_empty()).then(|| (KEEP.into(), sys::text::into_bytes(keep.value())))
}

/// Puts the list into a pane's variables: what was set there by hand does not count.
pub fn put(keep: &Keep, variables: &mut Vec<(Bytes, Bytes)>) {
    variables.retain(|(name, _)| name != KEEP.as_bytes());
    variables.extend(variable(keep));
}

/// The note that has a pane started again with the same tools.
#[must_use]
pub fn note(keep: &Keep) -> Option<(String, Bytes)> {
    variable(keep).map(|(_, value)| (link::notes::KEEP.to_owned(), value))
}

/// A program by its path, or by its name in `PATH`, without any symbolic link.
fn find(word: &Path) -> Option<PathBuf> {
    if word.as_os_str().as_encoded_bytes().contains(&b'/') {
        return word.canonicalize().ok().filter(|it| it.is_file());
    }
    let path = std::env::var_os("PATH")?;
    let mut found = std::env::split_paths(&path).map(|dir| dir.join(word));
    found.find(|it| it.is_file())?.canonicalize().ok()
}

fn real(path: &str) -> PathBuf {
    let path = Path::new(path);
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Config {
        Config::parse(text, Path::new("config.toml")).unwrap()
    }

    fn tool() -> PathBuf {
        find(Path::new("sleep")).unwrap()
    }

    #[test]
    fn words_and_settings_add_up_and_links_are_followed() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(tool(), &link).unwrap();
        let config = config("[reaper]\nkeep = [\"/usr/bin/no such tool\"]");
        let keep = for_pane(&config, &[link, "sleep".into()], false).unwrap();
        let want = [tool(), PathBuf::from("/usr/bin/no such tool")];
        assert_eq!(keep.paths(), want);
        assert_eq!(variable(&keep).unwrap().0, b"ABIDE_KEEP");
        assert_eq!(note(&keep).unwrap().1, sys::text::into_bytes(keep.value()));
        let none = for_pane(&Config::default(), &[], false).unwrap();
        assert_eq!((variable(&none), note(&none)), (None, None));
    }

    #[test]
    fn nothing_is_kept_for_an_agent() {
        let config = config("[reaper]\nkeep = [\"/usr/bin/sleep\"]");
        assert!(for_pane(&config, &[], true).unwrap().is_empty());
        let refused = for_pane(&config, &[tool()], true).unwrap_err();
        assert!(
            refused.text.contains("ends with its pane"),
            "{}",
            refused.text
        );
    }

    #[test]
    fn a_program_that_is_not_there_is_told() {
        for missing in ["no-such-tool", "/no/such/tool", "/tmp", ""] {
            let refused = for_pane(&Config::default(), &[missing.into()], false).unwrap_err();
            assert_eq!(refused.text, format!("--keep {missing}: no such program"));
        }
    }
}
