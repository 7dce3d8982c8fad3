//! Security: the token stays where it is, the door is loopback's, files are the user's alone.

#![cfg(test)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use testkit::wire::address;
use testkit::{Home, Outer, processes, until};

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_abide"))
}

/// Every file below a folder.
fn files(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder)
        .expect("a folder")
        .filter_map(Result::ok)
    {
        let kind = entry.file_type().expect("a kind");
        if kind.is_dir() {
            files(&entry.path(), found);
        } else if kind.is_file() {
            found.push(entry.path());
        }
    }
}

fn holds(bytes: &[u8], needle: &str) -> bool {
    bytes.windows(needle.len()).any(|w| w == needle.as_bytes())
}

/// podscape#99, freshell#18, agentmux#3358, gridbash#177: the control token stood in a child's
/// environment, in `ps`, in a log. It stands in its file and nowhere else.
#[test]
fn the_token_is_in_its_file_alone() {
    let home = home();
    home.start();
    let script = "env; cat /proc/*/cmdline /proc/*/environ 2>/dev/null | tr '\\0' '\\n'; ls -l /proc/$$/fd; echo over; sleep 600";
    let pane = home.script(script);
    let _screen = home.wait_capture(pane, "over");
    let window = Outer::open(&home, (100, 30), ["attach", &pane.to_string()]);
    window.wait_for("over");
    let token = fs::read_to_string(home.state_file("token")).expect("the token");
    let token = token.trim();
    assert_eq!(token.len(), 64);
    for process in processes::all() {
        for name in ["cmdline", "environ"] {
            let bytes = fs::read(format!("/proc/{}/{name}", process.pid)).unwrap_or_default();
            assert!(
                !holds(&bytes, token),
                "{name} of {} {}",
                process.pid,
                process.command()
            );
        }
    }
    let all = home
        .abide(["capture", &pane.to_string(), "--scrollback", "all"])
        .ok();
    assert!(!holds(all.as_bytes(), token), "the pane saw it");
    assert!(all.contains("ABIDE_PANE_KEY="), "the pane has its own key");
    let mut found = Vec::new();
    files(home.path(), &mut found);
    for path in found.iter().filter(|p| !p.ends_with("token")) {
        assert!(
            !holds(&fs::read(path).unwrap_or_default(), token),
            "{}",
            path.display()
        );
    }
}

/// Owner only, created that way whatever the umask is.
#[test]
fn state_is_the_users_alone() {
    let home = home();
    let mut command = Command::new("bash");
    command
        .args(["--norc", "-c", "umask 000; exec \"$0\" host start"])
        .arg(home.exe());
    command
        .env_clear()
        .envs(home.env().iter().map(|(n, v)| (n, v)))
        .stdin(Stdio::null());
    assert!(command.output().expect("bash").status.success());
    let _pane = home.pane(["sleep", "600"]);
    let mode = |path: &Path| {
        fs::metadata(path)
            .expect("it is there")
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(mode(&home.state()), 0o700);
    let mut found = Vec::new();
    files(&home.state(), &mut found);
    assert!(found.len() >= 3, "{found:?}");
    for path in found {
        assert_eq!(mode(&path) & 0o077, 0, "{}", path.display());
    }
}

/// A link that somebody planted is not followed: the state folder is refused, a file is replaced.
#[test]
fn planted_links_are_not_followed() {
    let home = home();
    let elsewhere = home.path().join("elsewhere");
    fs::create_dir(&elsewhere).expect("a folder");
    std::os::unix::fs::symlink(&elsewhere, home.state()).expect("a link");
    let output = home.abide(["host", "start"]).run();
    assert_ne!(output.code, 0, "a linked state folder was used");
    assert!(output.stderr.contains("state"), "{output:?}");
    assert_eq!(fs::read_dir(&elsewhere).expect("a folder").count(), 0);

    fs::remove_file(home.state()).expect("the link");
    fs::create_dir(home.state()).expect("a folder");
    fs::set_permissions(home.state(), fs::Permissions::from_mode(0o700)).expect("a mode");
    let target = home.path().join("target");
    for name in ["host.json", "ids"] {
        std::os::unix::fs::symlink(&target, home.state_file(name)).expect("a link");
    }
    let _outcome = home
        .abide(["new", "--no-attach", "--", "sleep", "600"])
        .run();
    assert!(
        !target.exists(),
        "something was written through a planted link"
    );
}

/// Bound to 127.0.0.1 and nothing else, on one port.
#[test]
fn only_loopback_is_listened_on() {
    let home = home();
    home.start();
    let host = home.host().pid;
    let port = address(&home).port();
    let socket = |to: &std::path::PathBuf| {
        let number = to.to_str()?.strip_prefix("socket:[")?;
        Some(number.strip_suffix(']')?.to_owned())
    };
    let sockets: Option<Vec<String>> =
        processes::descriptors(host).map(|all| all.iter().filter_map(socket).collect());
    // Who may not see the host's descriptors looks at its port alone.
    let is_its = |row: &[&str]| match &sockets {
        Some(sockets) => sockets.iter().any(|socket| socket == row[9]),
        None => row[1].ends_with(&format!(":{port:04X}")),
    };
    let listening = |table: &str| -> Vec<String> {
        let text = fs::read_to_string(table).unwrap_or_default();
        let rows = text
            .lines()
            .skip(1)
            .map(|l| l.split_whitespace().collect::<Vec<_>>());
        let ours = rows.filter(|r| r.len() > 9 && r[3] == "0A" && is_its(r));
        ours.map(|r| r[1].to_owned()).collect()
    };
    assert_eq!(listening("/proc/net/tcp"), [format!("0100007F:{port:04X}")]);
    assert_eq!(listening("/proc/net/tcp6"), [] as [String; 0]);
    assert_eq!(listening("/proc/net/udp"), [] as [String; 0]);
}

/// Another local user reaches every loopback port; here he gets no byte and learns nothing.
#[test]
fn another_user_is_closed_before_a_word() {
    let home = home();
    home.start();
    let is_root = Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|o| o.stdout == b"0\n");
    if !is_root {
        println!("skipped: needs root to become another user");
        return;
    }
    let port = address(&home).port();
    // A whole, sound hello; the owner's would be answered at once.
    let hello = "printf 'abide\\0h1\\51\\0\\1\\0\\1\\0\\3\\0\\0\\0\\0%032d' 0 >&3";
    let script =
        format!("exec 3<>/dev/tcp/127.0.0.1/{port} && {hello}; timeout 20 cat <&3 | wc -c");
    let run = |user: &[&str]| {
        let mut command = Command::new("setpriv");
        command.args(user).args(["bash", "--norc", "-c", &script]);
        let output = command.output().expect("setpriv runs");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    assert_eq!(
        run(&["--reuid=65534", "--regid=65534", "--clear-groups"]),
        "0"
    );
    assert_ne!(
        run(&["--reuid=0"]),
        "0",
        "the owner's hello is answered, so the hello is sound"
    );
    let denied = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups", "cat"])
        .arg(home.state_file("token"))
        .output();
    assert!(
        !denied.expect("setpriv runs").status.success(),
        "the token is readable"
    );
}

/// Nothing of the host reaches a pane: no descriptor but its terminal.
#[test]
fn a_pane_inherits_no_descriptor() {
    let home = home();
    home.start();
    let file = home.work().join("fds");
    let script = format!(
        "ls -l /proc/$$/fd > '{}'; echo over; sleep 600",
        file.display()
    );
    let pane = home.pane(["sh", "-c", &script]);
    let _screen = home.wait_capture(pane, "over");
    let list = fs::read_to_string(&file).expect("the list");
    let wrong: Vec<_> = list
        .lines()
        .filter(|l| l.contains(" -> "))
        .filter(|l| !l.contains("/dev/pts/") && !l.contains("/dev/tty") && !l.ends_with("/fds"))
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// A crash of the host writes no memory to disk.
#[test]
fn the_host_leaves_no_core() {
    let home = home();
    home.start();
    let limits = fs::read_to_string(format!("/proc/{}/limits", home.host().pid)).expect("limits");
    let core = limits
        .lines()
        .find(|l| l.starts_with("Max core file size"))
        .expect("a line");
    let fields: Vec<_> = core.split_whitespace().collect();
    assert_eq!(
        fields[4], "0",
        "the soft limit is the one that counts: {core}"
    );
}

/// CVE-2003-0070, tmux CVE-2020-27347, zellij's terminal titles: a title is text from a stranger.
/// It reaches neither a list nor a window as control characters, and cannot be reported back.
#[test]
fn a_title_is_only_text() {
    let home = home();
    home.start();
    let file = home.work().join("stdin");
    let script = format!(
        "stty raw -echo; printf '\\e]2;evil\\e[31m\\x9b31m\\x07'; \
         printf '\\e]0;one\\ntwo\\xe2\\x80\\xaethree\\xc2\\x9b2Jfour\\e\\\\'; printf '\\e[21t\\e[20t\\x05'; \
         printf ready; exec cat > '{}'",
        file.display()
    );
    let pane = home.script(&script);
    let _screen = home.wait_capture(pane, "ready");
    let window = Outer::open(&home, (100, 30), ["attach", &pane.to_string()]);
    window.wait_for("ready");
    for command in [&["ls"][..], &["ls", "--json"], &["status"]] {
        let said = home.abide(command).ok();
        let bad = |c: char| c.is_control() && c != '\n';
        assert!(!said.chars().any(bad), "{command:?}: {said:?}");
        assert!(!said.contains('\u{202e}'), "{command:?}: {said:?}");
    }
    let _typed = home.abide(["send", &pane.to_string(), "END"]).ok();
    let typed = until("the mark", || {
        fs::read(&file).ok().filter(|b| b.ends_with(b"END"))
    });
    assert!(
        !holds(&typed, "evil") && !holds(&typed, "four"),
        "the title came back: {typed:?}"
    );
}

/// OSC 52 reads are refused; the host answers nothing that it did not make up itself.
#[test]
fn the_clipboard_is_never_read() {
    let home = home();
    home.start();
    let file = home.work().join("stdin");
    let script = format!(
        "stty raw -echo; printf '\\e]52;c;c2VjcmV0\\a\\e]52;c;?\\a'; printf ready; exec cat > '{}'",
        file.display()
    );
    let pane = home.script(&script);
    let _screen = home.wait_capture(pane, "ready");
    let window = Outer::open(&home, (100, 30), ["attach", &pane.to_string()]);
    window.wait_for("ready");
    let _typed = home.abide(["send", &pane.to_string(), "END"]).ok();
    let typed = until("the mark", || {
        fs::read(&file).ok().filter(|b| b.ends_with(b"END"))
    });
    assert!(!holds(&typed, "c2VjcmV0"), "{typed:?}");
}
