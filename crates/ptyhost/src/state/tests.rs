//! What may stand in the state folder, and what the host makes of it.

use super::*;
use std::os::unix::fs::{PermissionsExt, symlink};

fn dir() -> (tempfile::TempDir, StateDir) {
    let temp = tempfile::tempdir().unwrap();
    let dir = StateDir::open(&temp.path().join("state")).unwrap();
    (temp, dir)
}

fn set_aside_files(dir: &StateDir) -> usize {
    let names = fs::read_dir(&dir.0)
        .unwrap()
        .map(|e| e.unwrap().file_name());
    names
        .filter(|n| !["token", "ids"].contains(&n.to_str().unwrap()))
        .count()
}

#[test]
fn a_token_is_made_once_and_private() {
    let (_temp, dir) = dir();
    let (key, note) = token(&dir).unwrap();
    assert_eq!(note, None);
    assert_eq!(fs::metadata(dir.token()).unwrap().mode() & 0o777, 0o600);
    assert_eq!(token(&dir).unwrap().0.to_hex(), key.to_hex());
}

/// A token that is not one is set aside, never overwritten, and the report does not show it.
fn check_bad_token(plant: impl FnOnce(&Path)) {
    let (_temp, dir) = dir();
    plant(&dir.token());
    let (key, note) = token(&dir).unwrap();
    let note = note.expect("a report");
    assert!(
        !note.contains(&key.to_hex()) && note.contains("token"),
        "{note}"
    );
    assert_eq!(set_aside_files(&dir), 1);
    assert_eq!(token(&dir).unwrap().0.to_hex(), key.to_hex());
}

#[test]
fn bad_tokens_are_set_aside() {
    let write = |path: &Path, text: &str, mode| {
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    check_bad_token(|path| write(path, "", 0o600));
    check_bad_token(|path| write(path, "abcdef\n", 0o600));
    check_bad_token(|path| write(path, &"g".repeat(64), 0o600));
    check_bad_token(|path| write(path, &"a".repeat(100_000), 0o600));
    check_bad_token(|path| write(path, &"a".repeat(64), 0o644));
    check_bad_token(|path| {
        let other = path.with_file_name("elsewhere");
        write(&other, &"a".repeat(64), 0o600);
        symlink(&other, path).unwrap();
        // Only the link is set aside.
        fs::rename(
            &other,
            path.parent().unwrap().parent().unwrap().join("elsewhere"),
        )
        .unwrap();
    });
    check_bad_token(|path| fs::create_dir(path).unwrap());
}

#[test]
fn the_highest_id_survives_a_broken_file() {
    for (text, expected, aside) in [
        ("17\n", 17, 0),
        ("17 trailing 4", 17, 1),
        ("", 0, 1),
        ("\u{0}\u{0}\u{0}", 0, 1),
        ("99999999999", 0, 1),
        ("p12", 12, 1),
    ] {
        let (_temp, dir) = dir();
        fs::write(dir.ids(), text).unwrap();
        let (highest_id, note) = highest(&dir).unwrap();
        assert_eq!(
            (highest_id, note.is_some()),
            (expected, aside == 1),
            "{text:?}"
        );
        assert_eq!(set_aside_files(&dir), aside, "{text:?}");
        assert_eq!(highest(&dir).unwrap(), (expected, None), "{text:?}");
    }
    let (_temp, dir) = dir();
    assert_eq!(highest(&dir).unwrap(), (0, None));
}

#[test]
fn an_endpoint_is_read_back_and_a_newer_one_too() {
    let (_temp, dir) = dir();
    let endpoint = Endpoint {
        version: 1,
        instance: hex(&[0xab; 16]),
        pid: 7,
        start: 9,
        boot: Boot {
            id: "b".to_owned(),
            time: 3,
        },
        root_reaper: Some(Process { pid: 6, start: 8 }),
        address: "127.0.0.1".to_owned(),
        port: 4711,
        protocol: [1, 1],
        build: "a \"quoted\" build".to_owned(),
    };
    write_atomic(&dir.endpoint(), &endpoint.to_text()).unwrap();
    assert_eq!(Endpoint::read(&dir.endpoint()), Some(endpoint.clone()));
    let newer = String::from_utf8(endpoint.to_text())
        .unwrap()
        .replacen('{', "{\"more\":[1],", 1);
    fs::write(dir.endpoint(), newer).unwrap();
    assert_eq!(Endpoint::read(&dir.endpoint()), Some(endpoint));
    fs::write(dir.endpoint(), "{").unwrap();
    assert_eq!(Endpoint::read(&dir.endpoint()), None);
}
