//! The store against damaged, newer and half-written files, and against being killed.

mod generations;
#[cfg(target_os = "linux")]
mod syscalls;

use super::*;
use std::process::{Command, Stdio};

fn home() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn workspace(id: &str, panes: &[u32]) -> Workspace {
    let mut workspace = Workspace::new(id, format!("name-{id}"), format!("/src/{id}"));
    panes.iter().for_each(|pane| workspace.add_tab(*pane));
    workspace
}

fn text(store: &Store) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(store.path()).unwrap()).unwrap()
}

#[test]
fn a_workspace_is_merged_beside_the_others() {
    let home = home();
    let store = Store::open(home.path()).unwrap();
    assert!(store.load().unwrap().workspaces.is_empty());
    store.merge_workspace(&workspace("a", &[1, 2])).unwrap();
    store.merge_workspace(&workspace("b", &[3])).unwrap();
    store.merge_workspace(&workspace("a", &[2, 9])).unwrap();
    let found = store.load().unwrap().workspaces;
    assert_eq!(found, [workspace("a", &[2, 9]), workspace("b", &[3])]);
    store.forget_workspace("a").unwrap();
    assert_eq!(store.load().unwrap().workspaces, [workspace("b", &[3])]);
}

#[test]
fn what_this_build_does_not_know_is_carried_over() {
    let home = home();
    let store = Store::open(home.path()).unwrap();
    let written = r#"{"version":1,"boot":{"id":"x","time":1},
        "panes":[{"id":7,"argv":["claude","--resume","u"],"conversation":"a later form"}],
        "workspaces":[{"version":1,"id":"a","name":"n","folder":"/","tabs":[],"pinned":true}],
        "later":[1,2]}"#;
    std::fs::write(store.path(), written).unwrap();
    store.merge_workspace(&workspace("a", &[7])).unwrap();
    store.merge_workspace(&workspace("b", &[8])).unwrap();
    let before: serde_json::Value = serde_json::from_str(written).unwrap();
    let after = text(&store);
    for kept in ["panes", "boot", "later"] {
        assert_eq!(after[kept], before[kept], "{kept}");
    }
    assert_eq!(after["workspaces"][0]["pinned"], true);
    assert_eq!(after["workspaces"][0]["tabs"][0]["focus"], 7);
}

#[test]
fn a_newer_document_is_never_overwritten() {
    let home = home();
    let store = Store::open(home.path()).unwrap();
    let newer = br#"{"version":2,"workspaces":"another form"}"#;
    std::fs::write(store.path(), newer).unwrap();
    let error = store.merge_workspace(&workspace("a", &[1])).unwrap_err();
    assert!(matches!(error, StoreError::Newer { found: 2, .. }));
    let words = error.to_string();
    assert!(
        words.contains("restore.json") && words.contains("newer"),
        "{words}"
    );
    assert!(store.load().is_err());
    assert_eq!(std::fs::read(store.path()).unwrap(), newer);
}

#[test]
fn a_newer_entry_stays_and_is_reported() {
    let home = home();
    let store = Store::open(home.path()).unwrap();
    let written = r#"{"version":1,"workspaces":[{"version":2,"id":"a","shape":1}]}"#;
    std::fs::write(store.path(), written).unwrap();
    let error = store.merge_workspace(&workspace("a", &[1])).unwrap_err();
    assert!(matches!(error, StoreError::NewerEntry { found: 2, .. }));
    store.merge_workspace(&workspace("b", &[1])).unwrap();
    let records = store.load().unwrap();
    assert_eq!((records.workspaces.len(), records.problems.len()), (1, 1));
    assert_eq!(text(&store)["workspaces"][0]["shape"], 1);
}

#[test]
fn an_unreadable_document_is_set_aside_and_reported() {
    for damaged in [
        "",
        "{",
        "[]",
        "{}",
        r#"{"version":1,"workspaces":{}}"#,
        "\u{0}\u{0}",
    ] {
        let home = home();
        let store = Store::open(home.path()).unwrap();
        std::fs::write(store.path(), damaged).unwrap();
        assert!(
            matches!(store.load(), Err(StoreError::Damaged { .. })),
            "{damaged:?}"
        );
        let merged = store.merge_workspace(&workspace("a", &[1])).unwrap();
        let aside = merged.set_aside.expect("it was set aside");
        assert_eq!(std::fs::read(aside).unwrap(), damaged.as_bytes());
        assert_eq!(store.load().unwrap().workspaces, [workspace("a", &[1])]);
    }
}

#[test]
fn a_full_document_refuses_one_more() {
    let home = home();
    let store = Store::open(home.path()).unwrap();
    let entries: Vec<_> = (0..MAX_WORKSPACES)
        .map(|n| workspace(&format!("w{n}"), &[]).to_json().unwrap())
        .collect();
    let entries: Vec<serde_json::Value> = entries
        .iter()
        .map(|bytes| serde_json::from_slice(bytes).unwrap())
        .collect();
    let document = serde_json::json!({ "version": 1, "workspaces": entries });
    std::fs::write(store.path(), document.to_string()).unwrap();
    let error = store
        .merge_workspace(&workspace("one-more", &[]))
        .unwrap_err();
    assert!(matches!(error, StoreError::FullOfWorkspaces));
    store.merge_workspace(&workspace("w5", &[4])).unwrap();
}

/// What each step of a write leaves when the writer stops right after it.
#[test]
fn stopping_after_any_step_leaves_the_former_or_the_new_document() {
    let whole = {
        let home = home();
        let store = Store::open(home.path()).unwrap();
        store.merge_workspace(&workspace("a", &[1])).unwrap();
        std::fs::read(store.path()).unwrap()
    };
    for cut in [0, 1, whole.len() / 2, whole.len()] {
        let home = home();
        let store = Store::open(home.path()).unwrap();
        store.merge_workspace(&workspace("a", &[1])).unwrap();
        // A temp file of any length beside the document, and a lock whose holder is gone.
        std::fs::write(home.path().join(".restore.json.tmp"), &whole[..cut]).unwrap();
        std::fs::write(home.path().join("restore.json.tmp"), &whole[..cut]).unwrap();
        assert_eq!(store.load().unwrap().workspaces, [workspace("a", &[1])]);
        store.merge_workspace(&workspace("b", &[2])).unwrap();
        assert_eq!(store.load().unwrap().workspaces.len(), 2);
    }
}

const CHILD: &str = "ABIDE_TEST_STORE_CHILD";

/// Not a test of its own: the process that the next test kills while it writes.
#[test]
fn child_that_writes_until_it_is_killed() {
    let Some(dir) = std::env::var_os(CHILD) else {
        return;
    };
    let store = Store::open(Path::new(&dir)).unwrap();
    for n in 1.. {
        let panes: Vec<u32> = (1..=n % 50 + 1).collect();
        store.merge_workspace(&workspace("child", &panes)).unwrap();
        println!("wrote {n}");
    }
}

#[test]
fn a_writer_killed_at_any_moment_loses_nothing_that_stood() {
    use std::io::{BufRead, BufReader};
    let home = home();
    let store = Store::open(home.path()).unwrap();
    store
        .merge_workspace(&workspace("stays", &[1, 2, 3]))
        .unwrap();
    for round in 1..=12 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "store::tests::child_that_writes_until_it_is_killed",
                "--exact",
                "--nocapture",
            ])
            .env(CHILD, home.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let wrote = lines
            .map_while(Result::ok)
            .filter(|line| line.contains("wrote"));
        assert_eq!(wrote.take(round).count(), round, "the child wrote");
        child.kill().unwrap();
        child.wait().unwrap();
        let found = store.load().unwrap().workspaces;
        assert_eq!(found[0], workspace("stays", &[1, 2, 3]), "round {round}");
        assert_eq!(found.len(), 2, "round {round}");
        // The dead writer's lock is free.
        store
            .merge_workspace(&workspace("stays", &[1, 2, 3]))
            .unwrap();
    }
}
