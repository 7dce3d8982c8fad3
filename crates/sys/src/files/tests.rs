//! Files that are whole or old, never half; locks that die with their holder.

use super::*;
use rustix::fs::Mode;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::time::Duration;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = names
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn mode(path: &Path) -> u32 {
    path.symlink_metadata().unwrap().mode() & 0o777
}

#[test]
fn a_write_makes_the_file_private_and_leaves_nothing_else() {
    let dir = folder();
    let path = dir.path().join("state");
    write_atomic(&path, b"one").unwrap();
    write_atomic(&path, b"two").unwrap();
    assert_eq!(read_bounded(&path, 3).unwrap(), b"two");
    assert_eq!(names(dir.path()), ["state"]);
    assert_eq!(mode(&path), 0o600);
}

/// A failure before any step leaves the old file or the new one, and no temporary file.
#[test]
fn a_failure_at_every_step_leaves_old_or_new() {
    for (fail_at, expected) in [
        (Step::Create, "old"),
        (Step::Write, "old"),
        (Step::SyncFile, "old"),
        (Step::Rename, "old"),
        (Step::SyncFolder, "new"),
    ] {
        let dir = folder();
        let path = dir.path().join("state");
        write_atomic(&path, b"old").unwrap();
        let error = write_in_steps(&path, b"new", &mut |step| {
            if step == fail_at {
                Err(io::Error::from_raw_os_error(libc::ENOSPC))
            } else {
                Ok(())
            }
        })
        .unwrap_err();
        assert_eq!(
            read_bounded(&path, 10).unwrap(),
            expected.as_bytes(),
            "{fail_at:?}"
        );
        assert_eq!(names(dir.path()), ["state"], "{fail_at:?}");
        assert!(!error.to_string().contains("os error"), "{error}");
    }
}

/// A crash at any step is a process that goes no further: what is on disk then is old or new.
#[test]
fn at_every_step_a_reader_sees_old_or_new() {
    let dir = folder();
    let path = dir.path().join("state");
    write_atomic(&path, b"old").unwrap();
    let mut seen = Vec::new();
    write_in_steps(&path, b"new", &mut |step| {
        seen.push((step, read_bounded(&path, 10).unwrap()));
        Ok(())
    })
    .unwrap();
    let old: Vec<_> = seen
        .iter()
        .filter(|(_, it)| it == b"old")
        .map(|(step, _)| *step)
        .collect();
    assert_eq!(
        old,
        [Step::Create, Step::Write, Step::SyncFile, Step::Rename]
    );
    assert_eq!(seen.last(), Some(&(Step::SyncFolder, b"new".to_vec())));
}

#[test]
fn a_temporary_file_left_by_a_crash_does_not_stop_the_next_write() {
    let dir = folder();
    let path = dir.path().join("state");
    for count in 0..50_u32 {
        let left = format!(".state.{}.{count}.tmp", std::process::id());
        std::fs::write(dir.path().join(left), "half").unwrap();
    }
    write_atomic(&path, b"whole").unwrap();
    assert_eq!(read_bounded(&path, 10).unwrap(), b"whole");
}

#[test]
fn a_write_replaces_a_symbolic_link_and_not_what_it_points_to() {
    let dir = folder();
    let (path, other) = (dir.path().join("state"), dir.path().join("other"));
    std::fs::write(&other, "mine").unwrap();
    symlink(&other, &path).unwrap();
    write_atomic(&path, b"new").unwrap();
    assert_eq!(std::fs::read(&other).unwrap(), b"mine");
    assert_eq!(read_bounded(&path, 10).unwrap(), b"new");
}

#[test]
fn what_cannot_be_read_says_why() {
    let dir = folder();
    let at = |name: &str| dir.path().join(name);
    std::fs::write(at("big"), "12345").unwrap();
    symlink(at("big"), at("link")).unwrap();
    std::fs::create_dir(at("folder")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        at("fifo"),
        rustix::fs::FileType::Fifo,
        Mode::RUSR,
        0,
    )
    .unwrap();
    for (name, words) in [
        ("big", "larger than 4 bytes"),
        ("link", "symbolic links"),
        ("folder", "no plain file"),
        ("fifo", "no plain file"),
        ("missing", "No such file"),
    ] {
        let error = read_bounded(&at(name), 4).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        assert!(error.to_string().contains(name), "{error}");
        assert_eq!(error.is_missing(), name == "missing");
    }
    assert_eq!(read_bounded(&at("big"), 5).unwrap(), b"12345");
}

#[test]
fn a_file_set_aside_is_never_overwritten() {
    let dir = folder();
    let path = dir.path().join("state");
    for n in 1..=3 {
        std::fs::write(&path, format!("{n}")).unwrap();
        let aside = set_aside(&path, "not /readable").unwrap();
        assert_eq!(aside, dir.path().join(format!("state.notreadable-{n}")));
    }
    assert_eq!(
        std::fs::read(dir.path().join("state.notreadable-1")).unwrap(),
        b"1"
    );
    assert!(set_aside(&path, "x").unwrap_err().is_missing());
}

#[test]
fn a_private_folder_is_made_or_tightened_or_refused() {
    let dir = folder();
    let deep = dir.path().join("a/b/c");
    private_dir(&deep).unwrap();
    assert_eq!((mode(&deep), mode(&dir.path().join("a"))), (0o700, 0o700));
    std::fs::set_permissions(&deep, PermissionsExt::from_mode(0o755)).unwrap();
    private_dir(&deep).unwrap();
    assert_eq!(mode(&deep), 0o700);
    let link = dir.path().join("link");
    symlink(&deep, &link).unwrap();
    assert!(
        private_dir(&link)
            .unwrap_err()
            .to_string()
            .contains("symbolic link")
    );
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    assert!(private_dir(&file).is_err());
}

#[test]
fn a_lock_has_one_holder_and_its_file_stays() {
    let dir = folder();
    let path = dir.path().join("lock");
    let held = Lock::try_exclusive(&path).unwrap().unwrap();
    assert!(Lock::try_exclusive(&path).unwrap().is_none());
    let late = Lock::exclusive(&path, Duration::from_millis(10)).unwrap_err();
    assert_eq!(late.source.kind(), io::ErrorKind::TimedOut);
    drop(held);
    assert!(path.exists());
    assert!(Lock::try_exclusive(&path).unwrap().is_some());
    assert_eq!(mode(&path), 0o600);
}

#[test]
fn a_waiter_gets_the_lock_when_it_is_let_go() {
    let dir = folder();
    let path = dir.path().join("lock");
    let held = Lock::try_exclusive(&path).unwrap().unwrap();
    let waiter = std::thread::spawn({
        let path = path.clone();
        move || Lock::exclusive(&path, Duration::from_secs(60)).map(drop)
    });
    drop(held);
    waiter.join().unwrap().unwrap();
}

#[test]
fn a_lock_whose_file_was_removed_is_not_the_lock() {
    let dir = folder();
    let path = dir.path().join("lock");
    let old = Lock::try_exclusive(&path).unwrap().unwrap();
    std::fs::remove_file(&path).unwrap();
    let new = Lock::try_exclusive(&path).unwrap().unwrap();
    assert!(!old.is_at(&path) && new.is_at(&path));
}

/// This same test again, as the writer that is to be killed.
const WRITER: &str = "ABIDE_SYS_TEST_WRITES";

#[test]
fn a_writer_killed_anywhere_leaves_a_whole_file() {
    let content = |letter: u8| vec![letter; 64 * 1024];
    if let Some(path) = std::env::var_os(WRITER) {
        for letter in (b'a'..=b'z').cycle() {
            write_atomic(Path::new(&path), &content(letter)).unwrap();
        }
    }
    let dir = folder();
    let path = dir.path().join("state");
    write_atomic(&path, &content(b'A')).unwrap();
    for round in 0..12 {
        let before = read_bounded(&path, 1 << 20).unwrap();
        let mut writer = std::process::Command::new(std::env::current_exe().unwrap());
        writer.args([
            "--exact",
            "files::tests::a_writer_killed_anywhere_leaves_a_whole_file",
        ]);
        let mut writer = writer
            .env(WRITER, &path)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        // Each round lets a few more writes pass, then kills in the middle of one.
        let mut last = before;
        for _ in 0..=round {
            while read_bounded(&path, 1 << 20).unwrap() == last {
                assert!(
                    writer.try_wait().unwrap().is_none(),
                    "the writer ended by itself"
                );
            }
            last = read_bounded(&path, 1 << 20).unwrap();
        }
        writer.kill().unwrap();
        writer.wait().unwrap();
        let after = read_bounded(&path, 1 << 20).unwrap();
        assert_eq!(after, content(after[0]), "round {round}");
    }
}

#[test]
fn heads_tails_and_owners() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    std::fs::write(&path, "0123456789").unwrap();
    assert_eq!(read_head(&path, 3).unwrap(), b"012");
    assert_eq!(read_head(&path, 99).unwrap(), b"0123456789");
    assert_eq!(read_tail(&path, 3).unwrap(), (b"789".to_vec(), false));
    assert_eq!(
        read_tail(&path, 10).unwrap(),
        (b"0123456789".to_vec(), true)
    );
    let me = platform::owner(&std::fs::metadata(&path).unwrap());
    assert_eq!(read_owned(&path, 10, me).unwrap(), b"0123456789");
    #[cfg(unix)]
    let others = read_owned(&path, 10, me + 1).unwrap_err();
    #[cfg(unix)]
    assert_eq!(others.source.kind(), std::io::ErrorKind::PermissionDenied);
    assert!(read_tail(folder.path(), 3).is_err(), "a folder is no file");
}
