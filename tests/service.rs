//! Starting at login: the files that are written, and what is said to systemd, to programs of the test
//! that stand in for it.

#![cfg(test)]
#![cfg(target_os = "linux")]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use testkit::Home;

/// `systemctl` and `loginctl` that write down how they were called, and answer.
fn stand_ins(home: &mut Home, systemd: bool) -> PathBuf {
    let folder = home.path().join("stand-ins");
    std::fs::create_dir_all(&folder).expect("a folder");
    let log = folder.join("log");
    let write = |name: &str, script: &str| {
        let file = folder.join(name);
        let text = format!(
            "#!/bin/sh\necho {name} \"$@\" >> '{}'\n{script}\n",
            log.display()
        );
        std::fs::write(&file, text).expect("a script");
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&file, mode).expect("a program");
    };
    let answers = "case \"$2\" in show) echo Version=255;; is-enabled) echo disabled; exit 1;; \
                   is-active) echo active;; esac";
    match systemd {
        true => write("systemctl", answers),
        false => write("systemctl", "echo 'Failed to connect to bus' >&2; exit 1"),
    }
    write(
        "loginctl",
        "test \"$1\" = show-user && echo Linger=no; exit 0",
    );
    let path = format!("{}:/usr/bin:/bin", folder.display());
    home.set_env("PATH", path);
    home.set_env("USER", "somebody");
    home.set_env("XDG_CONFIG_HOME", home.path().join("xdg"));
    log
}

fn log(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let lines = text.lines().filter(|it| !it.contains("--property"));
    lines.map(str::to_owned).collect()
}

#[test]
fn a_unit_is_written_enabled_and_taken_away() {
    let mut home = Home::new(env!("CARGO_BIN_EXE_abide"));
    let calls = stand_ins(&mut home, true);
    let said = home.abide(["service", "status", "--json"]).json();
    assert_eq!(said["installed"], false);
    let said = home.abide(["service", "install", "--json"]).json();
    assert_eq!(
        (&said["kind"], &said["linger"]),
        (&"systemd".into(), &false.into())
    );
    let file = PathBuf::from(said["file"].as_str().expect("a path"));
    let unit = file
        .file_name()
        .expect("a name")
        .to_str()
        .expect("text")
        .to_owned();
    let text = std::fs::read_to_string(&file).expect("the unit");
    let home_line = format!("Environment=\"ABIDE_HOME={}\"", home.abide_home().display());
    let start = format!(
        "ExecStart=\"{}\" keeper run --service",
        home.exe().display()
    );
    for line in [
        home_line.as_str(),
        &start,
        "Restart=on-failure",
        "KillMode=process",
    ] {
        assert!(text.lines().any(|it| it == line), "{line} in {text}");
    }
    let enable = format!("systemctl --user enable --now {unit}");
    assert_eq!(log(&calls), ["systemctl --user daemon-reload", &enable]);
    let said = home.abide(["service", "status", "--json"]).json();
    assert_eq!(
        (&said["current"], &said["enabled"], &said["active"]),
        (&true.into(), &"disabled".into(), &"active".into())
    );
    home.abide(["service", "install", "--linger"]).ok();
    assert!(log(&calls).contains(&"loginctl enable-linger".to_owned()));
    let refuses = "#!/bin/sh\ntest \"$1\" = show-user && echo Linger=no && exit 0\n\
                   echo 'Access denied' >&2; exit 1\n";
    std::fs::write(calls.with_file_name("loginctl"), refuses).expect("a script");
    let said = home.abide(["service", "install", "--linger"]).fails(1);
    let shown = file.display().to_string();
    assert!(
        said.contains("Access denied") && said.contains(&shown),
        "{said}"
    );
    home.abide(["service", "uninstall"]).ok();
    assert!(!file.exists());
    assert!(log(&calls).contains(&format!("systemctl --user disable --now {unit}")));
    // One that somebody else wrote is left alone.
    std::fs::write(&file, "[Unit]\n").expect("a unit");
    let said = home.abide(["service", "install"]).fails(1);
    assert!(said.contains("was not written by abide"), "{said}");
    home.abide(["service", "uninstall"]).ok();
    assert_eq!(
        std::fs::read_to_string(&file).expect("it stays"),
        "[Unit]\n"
    );
}

#[test]
fn without_systemd_it_is_the_desktop_that_starts_it() {
    let mut home = Home::new(env!("CARGO_BIN_EXE_abide"));
    let calls = stand_ins(&mut home, false);
    let said = home.abide(["service", "install", "--json"]).json();
    assert_eq!(said["kind"], "autostart");
    let file = PathBuf::from(said["file"].as_str().expect("a path"));
    let text = std::fs::read_to_string(&file).expect("the entry");
    assert!(text.contains("keeper start\n"), "{text}");
    assert_eq!(log(&calls), [] as [&str; 0]);
    let said = home.abide(["service", "install"]).run();
    assert!(
        said.stderr.contains("only desktops read"),
        "{}",
        said.stderr
    );
    assert!(
        said.stdout.starts_with("a desktop starts the keeper"),
        "{}",
        said.stdout
    );
    // What was written is told also where the rest fails.
    let said = home.abide(["service", "install", "--linger"]).fails(1);
    assert!(
        said.contains("needs a systemd") && said.contains("was written"),
        "{said}"
    );
    home.abide(["service", "uninstall"]).ok();
    assert!(!file.exists());
}

/// What the unit starts ends well when there is nothing to keep, and when a keeper is there already.
#[test]
fn the_unit_s_keeper_does_not_fail_without_reason() {
    let home = Home::with_keeper(env!("CARGO_BIN_EXE_abide"));
    home.abide(["keeper", "run", "--service"]).ok();
    home.start();
    let keeper = home.wait_keeper();
    home.abide(["keeper", "run", "--service"]).ok();
    assert_eq!(home.wait_keeper(), keeper);
}
