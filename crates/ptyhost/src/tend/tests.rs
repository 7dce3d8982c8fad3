//! What becomes of the state folder's files while a host lives, and what another host may rely on.

use super::*;
use crate::state::Boot;
use std::process::{Child, Command, Stdio};

const GLANCE: Duration = Duration::from_secs(1);

fn locks(dir: &StateDir) -> Locks {
    Locks {
        file: Lock::exclusive(&dir.lock(), GLANCE).unwrap(),
        folder: Lock::folder(dir.path(), GLANCE).unwrap(),
    }
}

fn endpoint(instance: &str, process: Identity) -> Endpoint {
    Endpoint {
        version: 1,
        instance: instance.to_owned(),
        pid: process.pid,
        start: process.start,
        boot: Boot {
            id: "boot".to_owned(),
            time: 0,
        },
        root_reaper: None,
        address: "127.0.0.1".to_owned(),
        port: 1,
        protocol: [1, 1],
        build: String::new(),
    }
}

fn key(byte: u8) -> Key {
    Key::from([byte; 32])
}

struct Case {
    _temp: tempfile::TempDir,
    dir: StateDir,
    tended: Tended,
}

fn served() -> Case {
    let temp = tempfile::tempdir().unwrap();
    let dir = StateDir::open(&temp.path().join("state")).unwrap();
    write_token(&dir, &key(1)).unwrap();
    let mine = endpoint("mine", Identity::me());
    let tended = Tended::new(dir.clone(), key(1), 7, mine, locks(&dir)).unwrap();
    Case {
        _temp: temp,
        dir,
        tended,
    }
}

impl Case {
    fn is_published(&self) -> bool {
        Endpoint::read(&self.dir.endpoint()).is_some_and(|it| it.instance == "mine")
            && self.tended.knows(&self.dir.token())
    }

    fn beside(&self, start: &str) -> usize {
        let names = fs::read_dir(self.dir.path()).unwrap().flatten();
        names
            .filter(|it| it.file_name().to_string_lossy().starts_with(start))
            .count()
    }
}

struct Other(Child);

impl Other {
    fn start() -> Self {
        let mut command = Command::new("sleep");
        Self(command.arg("600").stdin(Stdio::null()).spawn().unwrap())
    }

    fn identity(&self) -> Identity {
        Identity::of(self.0.id().cast_signed()).unwrap()
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

#[test]
fn a_removed_folder_is_made_again_whole() {
    let mut case = served();
    fs::remove_dir_all(case.dir.path()).unwrap();
    case.tended.tick();
    assert!(case.is_published() && case.tended.warnings().is_empty());
    assert_eq!(fs::read(case.dir.ids()).unwrap(), b"7\n");
    let second = Lock::try_exclusive(&case.dir.lock()).unwrap();
    assert!(second.is_none(), "its lock is held again");
    assert!(Lock::folder(case.dir.path(), Duration::ZERO).is_err());
}

/// A second host of the same path in a new folder: the first leaves every file of it alone.
#[test]
fn another_hosts_files_are_left_alone() {
    let mut case = served();
    fs::remove_dir_all(case.dir.path()).unwrap();
    let dir = StateDir::open(case.dir.path()).unwrap();
    let second = locks(&dir);
    write_token(&dir, &key(2)).unwrap();
    // Between its token and its endpoint: only its locks say that it is there.
    case.tended.tick();
    assert!(is_missing(&dir.endpoint()) && !case.tended.knows(&dir.token()));
    assert!(case.tended.warnings()[0].contains("another process holds"));
    let other = Other::start();
    let text = endpoint("other", other.identity()).to_text();
    write_atomic(&dir.endpoint(), &text).unwrap();
    // It lost its locks, too: its process still lives.
    drop(second);
    case.tended.tick();
    assert_eq!(fs::read(dir.endpoint()).unwrap(), text);
    assert!(!case.tended.knows(&dir.token()));
    let pid = other.identity().pid;
    assert!(case.tended.warnings()[0].contains(&format!("another host (pid {pid})")));
    case.tended.remove_endpoint();
    assert_eq!(fs::read(dir.endpoint()).unwrap(), text);
    // Once it is dead, endpoint and token are this host's, both.
    drop(other);
    case.tended.tick();
    assert!(case.is_published() && case.tended.warnings().is_empty());
    assert_eq!(
        (
            case.beside("token.foreign-"),
            case.beside("host.json.damaged-")
        ),
        (1, 1)
    );
}

#[test]
fn a_damaged_endpoint_is_set_aside_and_written_again() {
    for damage in [&b""[..], b"{", b"\xff\xff", b"[]"] {
        let mut case = served();
        fs::write(case.dir.endpoint(), damage).unwrap();
        case.tended.tick();
        assert!(case.is_published(), "{damage:?}");
        assert_eq!(case.beside("host.json.damaged-"), 1);
        assert_eq!(case.beside("token"), 1, "the good token stays");
    }
}

/// A full disk must not be forgotten at the next tick, and is over when it is over.
#[test]
fn an_id_that_is_not_kept_stays_a_warning_until_it_is() {
    let mut case = served();
    // Nothing can be renamed onto a folder.
    fs::remove_file(case.dir.ids()).unwrap();
    fs::create_dir(case.dir.ids()).unwrap();
    case.tended.keep_highest(8);
    for _ in 0..2 {
        case.tended.tick();
        assert!(case.tended.warnings()[0].contains("pane ids are not kept"));
    }
    fs::remove_dir(case.dir.ids()).unwrap();
    case.tended.tick();
    case.tended.tick();
    assert!(case.tended.warnings().is_empty());
    assert_eq!(fs::read(case.dir.ids()).unwrap(), b"8\n");
}

#[test]
fn a_folder_that_was_opened_to_others_is_closed() {
    use std::os::unix::fs::PermissionsExt;
    let mut case = served();
    let mode = |mode| fs::Permissions::from_mode(mode);
    fs::set_permissions(case.dir.path(), mode(0o777)).unwrap();
    case.tended.tick();
    let found = fs::metadata(case.dir.path()).unwrap().permissions();
    assert_eq!(found.mode() & 0o777, 0o700);
}
