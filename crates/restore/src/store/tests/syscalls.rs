//! A writer killed at each of its system calls, a full disk, a disk that became read-only
//! (freebuff#1168, sublime_text#5301, gemini-cli#27277).

use super::*;
use std::path::PathBuf;
use std::process::Output;

const CHILD: &str = "ABIDE_TEST_STORE_ONE_WRITE";
/// What a writer calls.
const CALLS: &str = "open,openat,flock,fstat,statx,newfstatat,read,pread64,lseek,link,linkat,unlink,unlinkat,\
                     write,fsync,fdatasync,rename,renameat,renameat2,close,ftruncate";

/// Not a test of its own: one write, in the process that the next test traces.
#[test]
fn child_that_writes_once() {
    let Some(dir) = std::env::var_os(CHILD) else {
        return;
    };
    let store = Store::open(Path::new(&dir)).unwrap();
    store.merge_workspace(&workspace("child", &[9])).unwrap();
}

fn traced(home: &Path, options: &[&str]) -> std::io::Result<Output> {
    Command::new("strace")
        .args(["-f", "-qq"])
        .args(options)
        .arg(std::env::current_exe().unwrap())
        .args(["store::tests::syscalls::child_that_writes_once", "--exact"])
        .env(CHILD, home)
        .stdin(Stdio::null())
        .output()
}

/// A folder with two documents behind it.
fn stands() -> (tempfile::TempDir, Store) {
    let home = home();
    let store = Store::open(home.path()).unwrap();
    store.merge_workspace(&workspace("a", &[1])).unwrap();
    store.merge_workspace(&workspace("b", &[2])).unwrap();
    (home, store)
}

/// Each call of the write, as its name and the how-manieth of its name it is in its thread. `None`:
/// nothing can be traced here.
fn calls() -> Option<Vec<(String, usize)>> {
    let (home, _store) = stands();
    let log = home.path().join("log");
    let trace = format!("trace={CALLS}");
    let options = ["-o", log.to_str()?, "-e", &trace];
    let output = traced(home.path(), &options).ok()?;
    let text = std::fs::read_to_string(&log).unwrap_or_default();
    if !output.status.success() || text.is_empty() {
        return None;
    }
    let thread = |line: &str| line.split_whitespace().next().map(str::to_owned);
    let ours = thread(text.lines().find(|line| line.contains("restore.lock"))?)?;
    let mut seen = std::collections::BTreeMap::<String, usize>::new();
    let (mut found, mut begun) = (Vec::new(), false);
    for line in text
        .lines()
        .filter(|line| thread(line).as_ref() == Some(&ours))
    {
        let call = line.split_whitespace().nth(1).unwrap_or_default();
        let Some((name, _)) = call.split_once('(') else {
            continue; // the second half of a call that was interrupted
        };
        let count = seen.entry(name.to_owned()).or_default();
        *count += 1;
        begun |= line.contains("restore.lock");
        if begun {
            found.push((name.to_owned(), *count));
        }
    }
    Some(found)
}

#[test]
fn a_writer_killed_at_any_system_call_leaves_the_former_or_the_new_document() {
    let Some(calls) = calls() else {
        eprintln!("SKIPPED: strace cannot trace here, so no writer is killed at its system calls");
        return;
    };
    let names: Vec<&str> = calls.iter().map(|(name, _)| name.as_str()).collect();
    assert!(
        names.iter().any(|name| name.starts_with("rename")),
        "{names:?}"
    );
    assert!(
        names.contains(&"fsync") && names.contains(&"flock"),
        "{names:?}"
    );
    let former = [workspace("a", &[1]), workspace("b", &[2])];
    let (mut old, mut new) = (0, 0);
    for (name, count) in &calls {
        let (home, store) = stands();
        let trace = format!("trace={CALLS}");
        let inject = format!("inject={name}:signal=KILL:when={count}");
        traced(
            home.path(),
            &["-o", "/dev/null", "-e", &trace, "-e", &inject],
        )
        .unwrap();
        let found = store.load().unwrap();
        assert_eq!(found.problems, [""; 0], "{name} {count}");
        assert_eq!(found.workspaces[..2], former, "{name} {count}");
        match found.workspaces.len() {
            2 => old += 1,
            _ => new += 1,
        }
        // Its lock is free, and what it left behind is in nobody's way.
        store.merge_workspace(&workspace("c", &[3])).unwrap();
        assert!(
            store
                .load()
                .unwrap()
                .workspaces
                .contains(&workspace("c", &[3]))
        );
    }
    assert!(
        old > 3 && new > 0,
        "{old} before the rename, {new} after it"
    );
}

/// A small file system of its own; ended with it.
struct Disk(PathBuf);

impl Disk {
    fn of(folder: &Path, bytes: usize) -> Option<Self> {
        let options = format!("size={bytes}");
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &options, "tmpfs"])
            .arg(folder)
            .stderr(Stdio::null())
            .status();
        mount
            .is_ok_and(|it| it.success())
            .then(|| Self(folder.to_owned()))
    }

    fn read_only(&self, on: bool) {
        let how = if on { "remount,ro" } else { "remount,rw" };
        let done = Command::new("mount")
            .args(["-o", how])
            .arg(&self.0)
            .status();
        assert!(done.unwrap().success());
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let ended = Command::new("umount").arg(&self.0).status();
        assert!(ended.is_ok_and(|it| it.success()) || std::thread::panicking());
    }
}

#[test]
fn a_full_or_read_only_disk_is_told_and_costs_nothing_that_stood() {
    let home = home();
    let Some(disk) = Disk::of(home.path(), 128 * 1024) else {
        eprintln!("SKIPPED: no file system can be mounted here, so no disk is filled");
        return;
    };
    let store = Store::open(home.path()).unwrap();
    store.merge_workspace(&workspace("a", &[1])).unwrap();
    let filler = home.path().join("filler");
    let full = std::fs::write(&filler, vec![1; 1024 * 1024]);
    assert!(full.is_err());
    let error = store.merge_workspace(&workspace("b", &[2])).unwrap_err();
    let words = error.to_string();
    assert!(
        words.contains("restore.json") && words.contains("No space"),
        "{words}"
    );
    assert_eq!(store.load().unwrap().workspaces, [workspace("a", &[1])]);
    let left: Vec<_> = std::fs::read_dir(home.path()).unwrap().collect();
    let names = || left.iter().map(|it| it.as_ref().unwrap().file_name());
    assert!(
        !names().any(|it| it.to_string_lossy().contains("tmp")),
        "{:?}",
        names().collect::<Vec<_>>()
    );
    std::fs::remove_file(&filler).unwrap();
    store.merge_workspace(&workspace("b", &[2])).unwrap();

    disk.read_only(true);
    let error = store.merge_workspace(&workspace("c", &[3])).unwrap_err();
    assert!(error.to_string().contains("Read-only"), "{error}");
    assert_eq!(store.load().unwrap().workspaces.len(), 2);
    disk.read_only(false);
    store.merge_workspace(&workspace("c", &[3])).unwrap();
    assert_eq!(store.load().unwrap().workspaces.len(), 3);
}
