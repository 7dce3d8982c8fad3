//! This machine, as a plan asks it.
//!
//! Reads folders, files and /proc; starts and changes nothing. What only an open pane can know (the
//! variables of the user's login shell) is left open.

use super::{Folder, Kept, Transcript, Whose, World};
use crate::text::Text;
use agents::live::{Table, holder};
use agents::{Catalogue, Spec, Version};
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Where programs are besides the recorded PATH, below the home folder and the root.
const BELOW_HOME: &[&str] = &[
    ".local/bin",
    "bin",
    ".npm-global/bin",
    ".bun/bin",
    ".cargo/bin",
];
const ELSEWHERE: &[&str] = &["/usr/local/bin", "/opt/homebrew/bin", "/usr/bin", "/bin"];

/// Asked whether abide has a whole copy of a conversation: CLI and id.
pub type Vault = Box<dyn Fn(&str, &str) -> bool>;

/// See the module.
pub struct Machine {
    shell: Text,
    /// The variables panes will get, where they are known.
    environment: Option<Vec<(OsString, OsString)>>,
    vault: Vault,
    catalogue: Catalogue,
    /// The processes there were when it was made.
    table: Table,
}

impl std::fmt::Debug for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Machine")
            .field("shell", &self.shell)
            .finish_non_exhaustive()
    }
}

impl Machine {
    /// A machine whose panes get their variables from the user's login shell, and without a vault; its
    /// processes are those there are now.
    #[must_use]
    pub fn new(shell: Text, catalogue: Catalogue) -> Self {
        Self {
            shell,
            environment: None,
            vault: Box::new(|_, _| false),
            catalogue,
            table: Table::read(),
        }
    }

    /// The panes will get these variables.
    #[must_use]
    pub fn with_environment(mut self, environment: Vec<(OsString, OsString)>) -> Self {
        self.environment = Some(environment);
        self
    }

    /// Abide has copies of conversations.
    #[must_use]
    pub fn with_vault(mut self, vault: Vault) -> Self {
        self.vault = vault;
        self
    }

    fn own(&self, name: &str) -> Option<OsString> {
        match &self.environment {
            Some(known) => known
                .iter()
                .find(|(n, _)| n == name)
                .map(|(_, v)| v.clone()),
            None => std::env::var_os(name),
        }
    }

    fn paths(&self, path: Option<&OsStr>) -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> = path
            .map(std::env::split_paths)
            .into_iter()
            .flatten()
            .collect();
        let own = self.own("PATH");
        paths.extend(
            own.as_deref()
                .map(std::env::split_paths)
                .into_iter()
                .flatten(),
        );
        let home = self.own("HOME").map(PathBuf::from);
        paths.extend(
            home.iter()
                .flat_map(|home| BELOW_HOME.iter().map(|it| home.join(it))),
        );
        paths.extend(ELSEWHERE.iter().map(PathBuf::from));
        paths
    }
}

impl World for Machine {
    fn program(&self, name: &OsStr, path: Option<&OsStr>, folder: &Path) -> Option<PathBuf> {
        if name.is_empty() {
            return None;
        }
        if Path::new(name).components().count() > 1 || Path::new(name).is_absolute() {
            return Some(folder.join(name)).filter(|file| can_run(file));
        }
        let folders = self.paths(path).into_iter().filter(|it| it.is_absolute());
        folders.map(|it| it.join(name)).find(|file| can_run(file))
    }

    fn folder(&self, path: &Path) -> Folder {
        match std::fs::metadata(path) {
            Ok(meta) if !meta.is_dir() => Folder::NoFolder,
            // Entering is what a program needs, not listing.
            Ok(_) if path.join(".").metadata().is_ok() => Folder::There,
            Ok(_) => Folder::Closed,
            Err(error) => match error.kind() {
                ErrorKind::PermissionDenied => Folder::Closed,
                ErrorKind::NotADirectory => Folder::NoFolder,
                _ => Folder::Gone,
            },
        }
    }

    fn transcript(&self, whose: Whose<'_>) -> Transcript {
        let variable = |name: &str| whose.variable(name).or_else(|| self.own(name));
        super::transcript::find(whose, &variable)
    }

    fn holder(&self, whose: Whose<'_>) -> Option<i32> {
        let variable = |name: &str| whose.variable(name).or_else(|| self.own(name));
        let (table, spec) = (&self.table, whose.spec);
        let found = holder(&self.catalogue, table, spec, whose.id, &variable)?;
        found.process.alive().then_some(found.process.pid)
    }

    fn variable(&self, name: &str) -> Option<bool> {
        let known = self.environment.as_ref()?;
        Some(
            known
                .iter()
                .any(|(n, value)| n == name && !value.is_empty()),
        )
    }

    fn version(&self, spec: &Spec, program: &Path) -> Option<Version> {
        agents::packaged_version(spec, program)
    }

    fn kept(&self, whose: Whose<'_>) -> Kept {
        match (self.vault)(&whose.spec.name, whose.id) {
            true => Kept::Verified,
            false => Kept::None,
        }
    }

    fn shell(&self) -> Text {
        self.shell.clone()
    }
}

/// A plain file that somebody may execute.
fn can_run(file: &Path) -> bool {
    sys::files::is_program(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn machine() -> Machine {
        Machine::new("/bin/sh".into(), Catalogue::default())
    }

    fn program(path: &Path) {
        std::fs::write(path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    }

    #[test]
    fn programs_are_found_where_they_were_and_where_they_usually_are() {
        let home = tempfile::tempdir().unwrap();
        let old = home.path().join("old");
        let usual = home.path().join(".local/bin");
        for folder in [&old, &usual] {
            std::fs::create_dir_all(folder).unwrap();
        }
        program(&old.join("one"));
        program(&usual.join("two"));
        std::fs::write(old.join("two"), "no program").unwrap();
        let environment = vec![("HOME".into(), home.path().as_os_str().to_owned())];
        let here = machine().with_environment(environment);
        let find = |name: &str, folder: &Path| {
            here.program(OsStr::new(name), Some(old.as_os_str()), folder)
        };
        let nowhere = Path::new("/");
        assert_eq!(find("one", nowhere), Some(old.join("one")));
        // The recorded place has none (any more): an update moved it.
        assert_eq!(find("two", nowhere), Some(usual.join("two")));
        assert_eq!(find("three-is-nowhere", nowhere), None);
        assert_eq!(find("./one", &old), Some(old.join("./one")));
        assert_eq!(find("/no/such", &old), None);
        assert_eq!(find("", &old), None);
        assert_eq!(here.variable("HOME"), Some(true));
        assert_eq!(here.variable("X"), Some(false));
        assert_eq!(machine().variable("HOME"), None);
    }

    #[test]
    fn folders_are_looked_at() {
        let home = tempfile::tempdir().unwrap();
        let here = machine();
        let check = |name: &str, want| assert_eq!(here.folder(&home.path().join(name)), want);
        check("", Folder::There);
        check("gone", Folder::Gone);
        std::fs::write(home.path().join("file"), "").unwrap();
        check("file", Folder::NoFolder);
        check("file/below", Folder::NoFolder);
        std::os::unix::fs::symlink("gone", home.path().join("link")).unwrap();
        check("link", Folder::Gone);
    }
}
