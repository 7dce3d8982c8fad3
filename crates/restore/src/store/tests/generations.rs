//! A document that cannot be read gives way to the one before it (tmux-continuum#159,
//! sublime_text#5301: the good state was overwritten by an empty one).

use super::*;

/// A store with two changes behind it, so that there is a document before.
fn two_changes() -> (tempfile::TempDir, Store) {
    let home = home();
    let store = Store::open(home.path()).unwrap();
    store.merge_workspace(&workspace("a", &[1])).unwrap();
    store.merge_workspace(&workspace("b", &[2])).unwrap();
    (home, store)
}

#[test]
fn damage_costs_one_change_at_most() {
    let whole = {
        let (_home, store) = two_changes();
        std::fs::read(store.path()).unwrap()
    };
    let nothing = vec![0; whole.len()];
    let half = whole[..whole.len() / 2].to_vec();
    for damaged in [Vec::new(), half, nothing] {
        let (_home, store) = two_changes();
        std::fs::write(store.path(), &damaged).unwrap();
        // `write` above went into the file that counts, not into the one before it.
        let found = store.load().unwrap();
        assert_eq!(found.workspaces, [workspace("a", &[1])]);
        assert!(found.problems[0].contains("damaged"), "{found:?}");
        let merged = store.merge_workspace(&workspace("c", &[3])).unwrap();
        assert!(merged.recovered);
        assert_eq!(std::fs::read(merged.set_aside.unwrap()).unwrap(), damaged);
        let now = store.load().unwrap().workspaces;
        assert_eq!(now, [workspace("a", &[1]), workspace("c", &[3])]);
    }
}

#[test]
fn the_damaged_document_never_becomes_the_one_before() {
    let (home, store) = two_changes();
    std::fs::write(store.path(), b"torn").unwrap();
    store.merge_workspace(&workspace("c", &[3])).unwrap();
    let before = std::fs::read(home.path().join("restore.json.before")).unwrap();
    assert!(String::from_utf8(before).unwrap().contains("name-a"));
}

#[test]
fn an_unchanged_document_is_not_written() {
    let (home, store) = two_changes();
    let look = || std::fs::read(home.path().join("restore.json.before")).unwrap();
    let before = look();
    let merged = store.merge_workspace(&workspace("b", &[2])).unwrap();
    assert_eq!((merged, look()), (Merged::default(), before));
}

#[test]
fn a_folder_or_link_in_its_place_is_kept_aside() {
    type Make = fn(&Path);
    let folder: Make = |path| std::fs::create_dir(path).unwrap();
    let link: Make = |path| std::os::unix::fs::symlink("/nowhere", path).unwrap();
    for make in [folder, link] {
        let (_home, store) = two_changes();
        std::fs::remove_file(store.path()).unwrap();
        make(store.path());
        let merged = store.merge_workspace(&workspace("c", &[3])).unwrap();
        assert!(merged.recovered && merged.set_aside.is_some());
        assert_eq!(store.load().unwrap().workspaces.len(), 2);
    }
}

#[test]
fn two_writers_lose_nothing_of_each_other() {
    let home = home();
    let store = Store::open(home.path()).unwrap();
    std::thread::scope(|scope| {
        for writer in 0..4_u32 {
            let store = store.clone();
            scope.spawn(move || {
                for n in 1..=20 {
                    let id = writer * 100 + n;
                    let pane = crate::PaneRecord {
                        id,
                        ..crate::PaneRecord::default()
                    };
                    // Whoever is unlucky with the lock for long is told, and asks again.
                    let refused = |error: &StoreError| match error {
                        StoreError::File(it) => it.source.kind() == std::io::ErrorKind::TimedOut,
                        _ => false,
                    };
                    while let Err(error) = store.put_pane(&pane) {
                        assert!(refused(&error), "{error}");
                    }
                }
            });
        }
    });
    assert_eq!(store.load().unwrap().panes.len(), 80);
}
