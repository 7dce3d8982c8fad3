//! Starting a daemon so that whoever starts it is done at once, and becoming one.

#[cfg_attr(unix, path = "daemon/unix.rs")]
#[cfg_attr(windows, path = "daemon/windows.rs")]
mod platform;

#[cfg(unix)]
pub(crate) use platform::close_from;
#[cfg(unix)]
pub use platform::close_inherited;
pub use platform::detach_self;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Starts `argv` away from this process: stdin from `/dev/null`, stdout and stderr appended to
/// `log` (made 0600, never through a symbolic link), so that neither a pipe nor a `$(...)` around
/// the caller waits for it. `env` is its *whole* environment. Gives its pid; it stays a child
/// until the caller ends or waits for it. The rest is the daemon's own: `detach_self`,
/// but on Windows, where it has no console from the start.
///
/// # Errors
/// The log cannot be opened, or the program cannot be executed.
pub fn spawn_detached(
    argv: &[OsString],
    env: &[(OsString, OsString)],
    log: &Path,
) -> io::Result<i32> {
    let (program, arguments) = argv
        .split_first()
        .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    let log = platform::open_log(log)?;
    // No pre_exec: with one, std forks, which takes the longer the bigger the caller is. No
    // process group: the leader of one could not call setsid.
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env_clear()
        .envs(env.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log);
    let child = platform::away(&mut command).spawn()?;
    i32::try_from(child.id()).map_err(io::Error::other)
}

/// The argv that starts `argv` outside the login session where a systemd user manager runs, so
/// that logging out does not end it (systemd ends what a session leaves behind unless it is in a
/// unit of its own). Elsewhere `argv` as it is. When `systemd-run` fails, start `argv` itself.
#[must_use]
pub fn scoped(argv: &[OsString], env_lookup: impl Fn(&str) -> Option<OsString>) -> Vec<OsString> {
    let manager =
        env_lookup("XDG_RUNTIME_DIR").map(|dir| PathBuf::from(dir).join("systemd/private"));
    if !manager.is_some_and(|socket| socket.exists()) {
        return argv.to_vec();
    }
    let path = env_lookup("PATH").unwrap_or_default();
    let starter = std::env::split_paths(&path).map(|dir| dir.join("systemd-run"));
    let Some(starter) = starter.into_iter().find(|file| file.is_file()) else {
        return argv.to_vec();
    };
    let options = ["--user", "--scope", "--quiet", "--collect", "--"].map(OsString::from);
    std::iter::once(starter.into_os_string())
        .chain(options)
        .chain(argv.iter().cloned())
        .collect()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    /// A folder with a user manager's socket and a `systemd-run` that does `script`.
    fn manager(script: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("systemd")).unwrap();
        std::fs::write(dir.path().join("systemd/private"), "").unwrap();
        let program = dir.path().join("systemd-run");
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        dir
    }

    #[test]
    fn without_a_user_manager_the_command_stays() {
        let dir = tempfile::tempdir().unwrap();
        let with = |runtime: Option<&Path>, path: Option<&Path>| {
            scoped(&words("abide x"), |name| match name {
                "XDG_RUNTIME_DIR" => runtime.map(Into::into),
                "PATH" => path.map(Into::into),
                _ => None,
            })
        };
        assert_eq!(with(None, None), words("abide x"));
        assert_eq!(with(Some(dir.path()), None), words("abide x"));
        let there = manager("");
        assert_eq!(with(Some(there.path()), Some(dir.path())), words("abide x"));
        let scoped = with(Some(there.path()), Some(there.path()));
        assert_eq!(scoped[0], there.path().join("systemd-run"));
        assert_eq!(
            scoped[1..],
            words("--user --scope --quiet --collect -- abide x")
        );
    }

    #[test]
    fn the_scope_starter_gets_the_command_after_its_options() {
        let dir =
            manager("#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\nshift\nexec \"$@\"\n");
        let log = dir.path().join("log");
        let argv = scoped(&words("/bin/echo started in scope"), |name| match name {
            "XDG_RUNTIME_DIR" | "PATH" => Some(dir.path().into()),
            _ => None,
        });
        let pid = spawn_detached(&argv, &[], &log).unwrap();
        assert_eq!(wait_for(pid), 0);
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "started in scope\n");
        assert_eq!(
            std::fs::metadata(&log).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }

    #[test]
    fn the_environment_is_exactly_what_was_given() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        let env = [("ONLY".into(), "this".into())];
        let pid = spawn_detached(&words("/usr/bin/env"), &env, &log).unwrap();
        assert_eq!(wait_for(pid), 0);
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "ONLY=this\n");
    }

    #[test]
    fn a_log_behind_a_symbolic_link_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        std::os::unix::fs::symlink(dir.path().join("elsewhere"), &log).unwrap();
        assert!(spawn_detached(&words("/bin/true"), &[], &log).is_err());
        assert!(!dir.path().join("elsewhere").exists());
    }

    /// Waits for one child by its pid, so that other tests' children are left alone.
    fn wait_for(pid: i32) -> i32 {
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        let options = rustix::process::WaitOptions::empty();
        rustix::process::waitpid(Some(pid), options)
            .unwrap()
            .unwrap()
            .1
            .as_raw()
    }
}
