//! Panes and undo in the document, and their bounds.

use super::*;
use crate::record::{Intent, PaneRecord};
use crate::store::{MAX_ENDED, MAX_PANE_BYTES, MAX_PANES};

fn pane(id: u32, intent: Intent) -> PaneRecord {
    PaneRecord {
        id,
        intent,
        ..PaneRecord::default()
    }
}

fn parse(text: &str) -> Document {
    Document::parse(text.as_bytes(), Path::new("restore.json")).unwrap()
}

#[test]
fn a_pane_is_written_edited_and_forgotten_beside_the_others() {
    let mut document = Document::default();
    document.put_pane(&pane(1, Intent::Open)).unwrap();
    document.put_pane(&pane(2, Intent::Open)).unwrap();
    assert!(document.edit_pane(1, |it| it.title = "one".into()).unwrap());
    assert!(!document.edit_pane(3, |_| {}).unwrap());
    assert_eq!(document.pane(1).unwrap().title, "one");
    // What became unknown is unknown in the file, too.
    document
        .edit_pane(1, |it| it.failure = Some("lost".into()))
        .unwrap();
    document.edit_pane(1, |it| it.failure = None).unwrap();
    assert_eq!(document.pane(1).unwrap().failure, None);
    document.forget_pane(1);
    assert_eq!(document.panes(), [pane(2, Intent::Open)]);
}

#[test]
fn an_entry_that_is_not_understood_stays() {
    let text = r#"{"version":1,"panes":[{"id":3,"intent":{"kind":"asleep"}},{"id":0},
        {"id":4,"later":true}]}"#;
    let mut document = parse(text);
    let records = document.records();
    assert_eq!(records.panes.len(), 1);
    assert!(
        records.problems[0].starts_with("pane p3: unknown variant `asleep`"),
        "{:?}",
        records.problems
    );
    assert!(document.put_pane(&pane(3, Intent::Open)).is_err());
    document.put_pane(&pane(4, Intent::Open)).unwrap();
    let after: Value = serde_json::from_slice(&document.to_bytes()).unwrap();
    assert_eq!(after["panes"][0]["intent"]["kind"], "asleep");
    assert_eq!(after["panes"][2]["later"], true);
}

#[test]
fn the_oldest_ended_panes_go() {
    let mut document = Document::default();
    for id in 1..=70 {
        let at = u64::from(id);
        let intent = match id % 2 {
            0 => Intent::EndedByUser { at },
            _ => Intent::Exited {
                at,
                raw_status: None,
            },
        };
        document.put_pane(&pane(id, intent)).unwrap();
    }
    document.put_pane(&pane(71, Intent::Open)).unwrap();
    let closed = Intent::ClosedWorkspace { at: 1 };
    document.put_pane(&pane(72, closed)).unwrap();
    document.prune(1_000);
    let left = document.panes();
    assert_eq!(left.len(), MAX_ENDED + 2);
    assert_eq!(left[0].id, 21);
}

#[test]
fn a_full_document_lets_ended_panes_go_and_then_refuses() {
    let entries: Vec<String> = (1..=MAX_PANES)
        .map(|id| format!(r#"{{"id":{id}}}"#))
        .collect();
    let text = format!(r#"{{"version":1,"panes":[{}]}}"#, entries.join(","));
    let mut document = parse(&text);
    let new = 1_000_000;
    let error = document.put_pane(&pane(new, Intent::Open)).unwrap_err();
    assert!(matches!(error, StoreError::FullOfPanes));
    document
        .put_pane(&pane(5, Intent::EndedByUser { at: 1 }))
        .unwrap();
    document.put_pane(&pane(new, Intent::Open)).unwrap();
    assert_eq!(document.pane(5), None);
    assert_eq!(document.panes().len(), MAX_PANES);
}

#[test]
fn a_record_that_is_too_large_is_refused() {
    let mut document = Document::default();
    let mut large = pane(1, Intent::Open);
    large.title = "x".repeat(MAX_PANE_BYTES);
    let error = document.put_pane(&large).unwrap_err();
    assert!(matches!(error, StoreError::TooLarge { .. }), "{error}");
    assert!(document.panes().is_empty());
}

#[test]
fn what_was_taken_away_can_be_taken_back_for_30_days() {
    let mut document = Document::default();
    for at in [100, 200] {
        let undo = Undo {
            at,
            panes: vec![pane(1, Intent::Open)],
            ..Undo::default()
        };
        document.push_undo(&undo).unwrap();
    }
    document.prune(100 + UNDO_SECONDS);
    assert_eq!(document.undo().len(), 1);
    assert_eq!(document.pop_undo().unwrap().at, 200);
    assert_eq!(document.pop_undo(), None);
}

#[test]
fn a_wish_is_taken_once_or_grows_old() {
    use crate::plan::Cause;
    let mut document = Document::default();
    let opened = Cause::Opened("shop".into());
    document.ask(&opened, 100).unwrap();
    document.ask(&Cause::Reopened(vec![3]), 150).unwrap();
    assert_eq!(document.asked().len(), 2);
    assert!(document.unask(&opened) && !document.unask(&opened));
    document.ask(&Cause::Asked, 10).unwrap();
    assert_eq!(document.take_asked(160), [Cause::Reopened(vec![3])]);
    assert_eq!(document.take_asked(160), []);
}

/// While a closed workspace's panes end, a client that still shows it writes ever smaller layouts.
#[test]
fn a_closed_workspace_keeps_its_layout() {
    use link::layout::Workspace;
    let mut document = Document::default();
    let mut whole = Workspace::new("shop", "shop", "/src/shop");
    [1, 2].into_iter().for_each(|pane| whole.add_tab(pane));
    let mut less = whole.clone();
    less.remove_pane(1);
    assert!(!document.close_workspace("shop", 5));
    document.merge_workspace(&whole).unwrap();
    assert!(document.close_workspace("shop", 5) && document.is_closed("shop"));
    document.merge_workspace(&less).unwrap();
    document.forget_workspace("shop");
    assert_eq!(document.workspaces()[0].panes(), [1, 2]);
    document.open_workspace("shop");
    document.merge_workspace(&less).unwrap();
    assert_eq!(document.workspaces()[0].panes(), [2]);
    document.close_workspace("shop", 5);
    document.drop_workspace("shop");
    assert!(document.workspaces().is_empty());
}

/// What is over is over in the file, too: an optional field that is empty now does not keep its old value.
#[test]
fn a_field_that_is_empty_now_is_empty_in_the_file() {
    let mut document = Document::default();
    let mut pane = PaneRecord {
        id: 1,
        opened: Some("other".into()),
        set_needs: vec!["TOKEN".into()],
        failure: Some("words".into()),
        ..PaneRecord::default()
    };
    document.put_pane(&pane).unwrap();
    (pane.opened, pane.failure) = (None, None);
    pane.set_needs.clear();
    document.put_pane(&pane).unwrap();
    assert_eq!(document.pane(1), Some(pane));
}
