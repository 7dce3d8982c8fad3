//! Tools that a user wants to outlive a pane: build servers, `adb`, masters of `ssh`.
//!
//! In: the files they are started from, as the variable [`KEEP`] of a pane's environment names them.
//! Out: who is one of them. A tool is found by what `/proc/PID/exe` leads to, never by its name or
//! command line, and everybody below it stays with it. The pane's own program is never one.
//!
//! A reaper knows the list of its own pane, spares those who are on it, and writes them down in the
//! [`Kept`] file of the state folder before it ends. Whoever else could end them (the host, the root
//! reaper, a sweep) looks there, and at the environment of the process itself, for those whose
//! reaper did not come to writing.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use sys::process::{self, Identity};

/// The variable: absolute paths of files, with `:` between them.
pub const KEEP: &str = "ABIDE_KEEP";
/// Most bytes of the variable's value.
pub const KEEP_LONGEST: usize = 4096;
/// Most bytes of the file of those who were kept that are looked at.
const FILE_BOUND: u64 = 1024 * 1024;
/// What the kernel adds to the path of a file that is gone: an upgrade of the tool, say.
const DELETED: &[u8] = b" (deleted)";

/// Why a list of tools cannot be one.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum KeepError {
    /// A path is not absolute, or has a `:` or a zero byte in it.
    #[error("{}: a program to keep is named by an absolute path without `:`", .0.display())]
    Path(PathBuf),
    /// All together are too long.
    #[error("the paths of programs to keep are over {KEEP_LONGEST} bytes in all")]
    TooLong,
}

/// The files whose processes are kept.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Keep(Vec<PathBuf>);

impl Keep {
    /// From paths, which should have no symbolic link in them: the kernel's answer has none.
    ///
    /// # Errors
    /// [`KeepError`].
    pub fn new(paths: impl IntoIterator<Item = PathBuf>) -> Result<Self, KeepError> {
        let mut kept = Self::default();
        for path in paths {
            let bytes = sys::text::path_bytes(&path);
            if !path.is_absolute() || bytes.contains(&b':') || bytes.contains(&0) {
                return Err(KeepError::Path(path));
            }
            if !kept.0.contains(&path) {
                kept.0.push(path);
            }
        }
        if kept.value().len() > KEEP_LONGEST {
            return Err(KeepError::TooLong);
        }
        Ok(kept)
    }

    /// Reads the variable's value; what is no absolute path in it is left out.
    #[must_use]
    pub fn read(value: &[u8]) -> Self {
        if value.len() > KEEP_LONGEST {
            return Self::default();
        }
        let paths = value
            .split(|b| *b == b':')
            .filter(|it| it.starts_with(b"/"));
        Self(paths.map(sys::text::path).collect())
    }

    /// The variable's value; empty for an empty list.
    #[must_use]
    pub fn value(&self) -> OsString {
        let paths: Vec<&[u8]> = self.0.iter().map(|it| sys::text::path_bytes(it)).collect();
        sys::text::word(paths.join(&b':'))
    }

    /// Whether nothing is kept.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The files.
    #[must_use]
    pub fn paths(&self) -> &[PathBuf] {
        &self.0
    }

    /// Whether this process was started from one of the files.
    #[must_use]
    pub fn has(&self, pid: i32) -> bool {
        let exe = (!self.0.is_empty()).then(|| process::executable(pid));
        exe.flatten().is_some_and(|it| self.names(&it))
    }

    fn names(&self, exe: &Path) -> bool {
        let bytes = sys::text::path_bytes(exe);
        let bytes = bytes.strip_suffix(DELETED).unwrap_or(bytes);
        self.0.iter().any(|it| sys::text::path_bytes(it) == bytes)
    }
}

/// The file in a state folder that names those whom reapers left alone: a line each, pid and start
/// time in decimal with a space between. Reapers append to it, a host that starts drops those who
/// are gone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kept(PathBuf);

impl Kept {
    /// The file of this state folder.
    #[must_use]
    pub fn of(state: &Path) -> Self {
        Self(state.join("kept"))
    }

    /// The file at this path.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Everybody it names. A file that cannot be read names nobody.
    #[must_use]
    pub fn all(&self) -> HashSet<Identity> {
        let text = sys::files::read_bounded(&self.0, FILE_BOUND).unwrap_or_default();
        text.split(|b| *b == b'\n').filter_map(identity).collect()
    }

    /// Adds one, in one write.
    ///
    /// # Errors
    /// What opening and writing report.
    pub fn add(&self, whom: Identity) -> std::io::Result<()> {
        let mut file = sys::files::append_private(&self.0)?;
        file.write_all(format!("{} {}\n", whom.pid, whom.start).as_bytes())
    }

    /// Drops those who are gone. For a host before its first pane: a line that a reaper adds at the
    /// same moment could be lost.
    ///
    /// # Errors
    /// What writing the file reports.
    pub fn forget_gone(&self) -> Result<(), sys::files::FileError> {
        let all = self.all();
        let living: Vec<&Identity> = all.iter().filter(|it| it.alive()).collect();
        if !self.0.exists() || living.len() == all.len() && !all.is_empty() {
            return Ok(());
        }
        let lines = living.iter().map(|it| format!("{} {}\n", it.pid, it.start));
        sys::files::write_atomic(&self.0, lines.collect::<String>().as_bytes())
    }

    /// A look at them, for deciding about many.
    #[must_use]
    pub fn look(&self) -> KeptNow {
        KeptNow(self.all())
    }
}

/// Those who were kept at the moment of [`Kept::look`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KeptNow(HashSet<Identity>);

impl KeptNow {
    /// Whether this process is kept: it is written down, or its own environment names its file.
    #[must_use]
    pub fn has(&self, whom: Identity) -> bool {
        self.0.contains(&whom) || asks_to_stay(whom.pid)
    }
}

/// Whether a process's own environment names the file it was started from.
fn asks_to_stay(pid: i32) -> bool {
    let environment = process::environment(pid).unwrap_or_default();
    process::variable(&environment, KEEP).is_some_and(|value| Keep::read(value).has(pid))
}

fn identity(line: &[u8]) -> Option<Identity> {
    let (pid, start) = std::str::from_utf8(line).ok()?.split_once(' ')?;
    let (pid, start) = (pid.parse().ok()?, start.parse().ok()?);
    Some(Identity { pid, start })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keep(paths: &[&str]) -> Result<Keep, KeepError> {
        Keep::new(paths.iter().map(PathBuf::from))
    }

    #[test]
    fn a_list_of_paths_comes_back_and_anything_else_is_refused() {
        let list = keep(&["/usr/bin/adb", "/opt/a b/x", "/usr/bin/adb"]).unwrap();
        assert_eq!(list.value(), "/usr/bin/adb:/opt/a b/x");
        assert_eq!(Keep::read(sys::text::bytes(&list.value())), list);
        assert_eq!(
            Keep::read(b"adb::/usr/bin/adb:./x").paths(),
            [Path::new("/usr/bin/adb")]
        );
        assert!(Keep::read(b"").is_empty());
        for bad in ["adb", "./adb", "/a:b", ""] {
            assert_eq!(keep(&[bad]), Err(KeepError::Path(bad.into())));
        }
        let long = format!("/{}", "x".repeat(KEEP_LONGEST));
        assert_eq!(keep(&[&long]), Err(KeepError::TooLong));
        assert!(Keep::read(long.as_bytes()).is_empty());
    }

    #[test]
    fn a_process_is_found_by_its_file_also_when_that_is_gone() {
        let me = std::env::current_exe().unwrap().canonicalize().unwrap();
        let list = Keep::new([me]).unwrap();
        assert!(list.has(Identity::me().pid));
        assert!(!list.has(1) && !Keep::default().has(Identity::me().pid));
        let adb = keep(&["/usr/bin/adb"]).unwrap();
        for (exe, want) in [
            ("/usr/bin/adb", true),
            ("/usr/bin/adb (deleted)", true),
            ("/usr/bin/adb2", false),
            ("/home/u/usr/bin/adb", false),
        ] {
            assert_eq!(adb.names(Path::new(exe)), want, "{exe}");
        }
    }

    #[test]
    fn those_who_were_kept_are_written_down_until_they_are_gone() {
        let dir = tempfile::tempdir().unwrap();
        let kept = Kept::of(dir.path());
        assert!(kept.all().is_empty());
        kept.forget_gone().unwrap();
        assert!(!kept.path().exists(), "nothing is written for nobody");
        let (me, gone) = (
            Identity::me(),
            Identity {
                pid: i32::MAX,
                start: 7,
            },
        );
        for whom in [me, gone] {
            kept.add(whom).unwrap();
        }
        assert_eq!(kept.all(), HashSet::from([me, gone]));
        assert!(kept.look().has(me) && kept.look().has(gone));
        let stranger = Identity {
            start: me.start + 1,
            ..me
        };
        assert!(!kept.look().has(stranger), "the pid alone is nobody");
        kept.forget_gone().unwrap();
        assert_eq!(kept.all(), HashSet::from([me]));
        std::fs::write(kept.path(), "x\n1\n1 2 3\n\n 5 5\n9 9").unwrap();
        assert_eq!(kept.all(), HashSet::from([Identity { pid: 9, start: 9 }]));
    }
}
