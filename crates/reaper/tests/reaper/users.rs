//! An ordinary user's families, with programs that change the user or hide from him; and systems that
//! refuse what the small build needs. Each needs root to set it up, and says so where there is none.

use crate::support::{HANG, HOST, Host, Witness, kill, until};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use sys::process::{Identity, Signal, user};

/// Nobody's, as every system has it.
const USER: &str = "65534";

fn skipped(why: &str) {
    let mut out = std::io::stderr();
    writeln!(out, "skipped: {why}").unwrap();
}

/// A folder with programs that an ordinary user can start, each a way to another right.
struct Folder {
    dir: tempfile::TempDir,
    build: String,
}

impl Folder {
    /// `None`: not root, or the programs have no effect here.
    fn new() -> Option<Self> {
        if sys::peer::my_uid() != 0 {
            skipped("only root can become another user");
            return None;
        }
        let dir = tempfile::tempdir().unwrap();
        let open = |path: &Path, mode: u32| {
            std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
        };
        open(dir.path(), 0o755);
        let copy = |from: &Path, name: &str, mode: u32| -> PathBuf {
            let path = dir.path().join(name);
            std::fs::copy(from, &path).unwrap();
            open(&path, mode);
            path
        };
        let program = |name: &str| {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let mut found = std::env::split_paths(&path).map(|it| it.join(name));
            found.find(|it| it.is_file())
        };
        copy(Path::new(HOST), "host", 0o755);
        let (sleep, setpriv) = (program("sleep")?, program("setpriv")?);
        copy(&sleep, "as-root", 0o4755);
        copy(&setpriv, "to-root", 0o4755);
        let capable = copy(&sleep, "capable", 0o755);
        let set = Command::new("setcap")
            .arg("cap_net_raw+ep")
            .arg(&capable)
            .status();
        if !set.is_ok_and(|it| it.success()) {
            skipped("no file capability can be set here");
        }
        let build = match crate::BUILD {
            "small" => "small".to_owned(),
            file => copy(Path::new(file), "reaper", 0o755).display().to_string(),
        };
        let new = Self { dir, build };
        let who = new.command(&["sh", "-c", "to=$0; \"$to\" --reuid 0 id -u"]);
        let mut who = who;
        let output = who.arg(new.dir.path().join("to-root")).output().unwrap();
        if output.stdout.trim_ascii() != b"0" {
            skipped("programs do not change the user here");
            return None;
        }
        Some(new)
    }

    /// A command as the ordinary user.
    fn command(&self, argv: &[&str]) -> Command {
        let mut command = Command::new("setpriv");
        command
            .args(["--reuid", USER, "--regid", USER, "--clear-groups"])
            .args(argv);
        command.current_dir("/").env("D", self.dir.path());
        command
    }

    fn host(&self, options: &[&str], script: &str, witness: &Witness) -> Host {
        let folder = witness.path.parent().unwrap();
        for (path, mode) in [(folder, 0o755), (&witness.path, 0o666)] {
            std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
        }
        let host = self.dir.path().join("host");
        let command = self.command(&[host.to_str().unwrap()]);
        Host::start_with(
            command,
            &self.build,
            options,
            &["sh", "-c", script],
            witness,
        )
    }
}

/// Daemons that run with root's rights or a capability, whose parent's death they are not told of;
/// their user is still the one who started them.
const PRIVILEGED: &str = "exec 9>\"$W\"
    (setsid sh -c 'echo up >&9; exec \"$D/as-root\" 1000' &)
    (setsid sh -c 'echo up >&9; exec \"$D/capable\" 1000' &)
    sh -c 'echo up >&9; exec \"$D/as-root\" 1000' &
    sleep 1000; exit";

/// What the events are, and who is left to end the family.
#[test]
fn an_ordinary_users_privileged_daemons_end_with_the_family() {
    let Some(folder) = Folder::new() else { return };
    for event in [
        "TERM to the reaper",
        "KILL to the reaper",
        "KILL to the host",
    ] {
        let mut witness = Witness::new();
        let mut host = folder.host(&["--subreaper"], PRIVILEGED, &witness);
        let reaper = host.reaper();
        witness.lines(3);
        assert_eq!(user(reaper), Some(65_534), "{event}");
        match event {
            "TERM to the reaper" => kill(reaper, Signal::TERM),
            "KILL to the reaper" => kill(reaper, Signal::KILL),
            _ => host.kill(),
        }
        witness.ended(event);
    }
}

/// One that became root altogether, as under sudo, is told of and left: nobody waits for it or spins.
#[test]
fn what_became_root_is_refused_once() {
    let Some(folder) = Folder::new() else { return };
    let script = "exec 9>\"$W\"
        (setsid sh -c 'echo up >&9; exec \"$D/to-root\" --reuid 0 --regid 0 --clear-groups sleep 1000' &)
        (setsid sh -c 'echo up >&9; exec sleep 1000' &)
        sleep 1000; exit";
    for signal in [Signal::TERM, Signal::KILL] {
        let mut witness = Witness::new();
        let mut host = folder.host(&["--subreaper", "--stay"], script, &witness);
        let reaper = host.reaper();
        witness.lines(2);
        let root = |it: &Identity| user(it.pid) == Some(0);
        until("it is root", || witness.holders().iter().any(root));
        let whom = witness.holders().into_iter().find(root).unwrap();
        kill(reaper, signal);
        if signal == Signal::TERM {
            let said = host.line("Refused { pid: ");
            assert_eq!(said, format!("{} }}", whom.pid));
        }
        let gone = Identity::of(reaper);
        assert!(
            gone.is_none_or(|it| it.wait_gone(HANG)),
            "the reaper gives up"
        );
        host.line("reaper-ended");
        until("only that one is left", || witness.holders() == [whom]);
        idle(host.pid());
        assert!(whom.alive());
        whom.signal(Signal::KILL).unwrap();
        witness.ended("the test is root");
        host.kill();
    }
}

/// It waits in one call without a limit, so it does nothing until something happens.
fn idle(pid: i32) {
    until("the host waits", || {
        let text = std::fs::read_to_string(format!("/proc/{pid}/syscall")).unwrap();
        let words: Vec<&str> = text.split(' ').collect();
        words.len() > 4 && words[0] == "271" && words[3] == "0x0"
    });
}

/// Where memory files cannot be executed, the hidden subcommand of the same program does the work.
#[test]
fn without_memory_files_the_portable_build_does_the_work() {
    if sys::peer::my_uid() != 0 {
        return skipped("only root can forbid memory files");
    }
    let refuse = "echo 2 >/proc/sys/vm/memfd_noexec && exec \"$0\" \"$@\"; exit 77";
    let mut command = Command::new("unshare");
    command.args(["-p", "-f", "--mount-proc", "sh", "-c", refuse, HOST]);
    let probe = Command::new("unshare")
        .args(["-p", "-f", "--mount-proc", "sh", "-c", refuse, "true"])
        .status();
    if !probe.is_ok_and(|it| it.success()) {
        return skipped("memory files cannot be forbidden here");
    }
    crate::start::runs_build(command, false);
}
