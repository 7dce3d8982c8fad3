//! Records through cuts and restarts.

use super::*;
use crate::event::{Output, ToolOutcome};

fn asked(uuid: &str) -> Asked {
    Asked {
        text: format!("do {uuid}"),
        uuid: uuid.to_owned(),
        framework: "claude".to_owned(),
        ..Asked::default()
    }
}

fn text(text: &str) -> Event {
    Event::Text {
        text: text.to_owned(),
    }
}

fn bodies(state: &Path) -> Vec<Body> {
    let rows = Reader::new(state).rows("c");
    rows.into_iter().map(|it| it.body).collect()
}

fn said(words: &str, cut: bool) -> Body {
    let text = words.to_owned();
    Body::Text { text, cut }
}

#[test]
fn streamed_text_is_one_row_when_it_is_complete() {
    let dir = tempfile::tempdir().unwrap();
    let clock = Instant::now();
    let mut writer = Writer::open(dir.path(), "c", 1).unwrap();
    writer.asked(asked("u"), 1).unwrap();
    for word in ["a ", "b ", "c"] {
        writer.heard(&text(word), 2, clock).unwrap();
    }
    let part = dir.path().join("conversations/c.part");
    assert_eq!(writer.due(), Some(clock + SAVE));
    assert!(!part.exists(), "not before its time");
    writer.save_if_due(clock + SAVE).unwrap();
    assert!(std::fs::read_to_string(&part).unwrap().contains("a b c"));
    let ending = Ending::Done;
    let ended = Event::Ended { ending };
    writer.heard(&ended, 3, clock).unwrap();
    assert!(!part.exists());
    let uuid = "u".to_owned();
    let ending = Ending::Done;
    let want = [
        Body::Asked(asked("u")),
        said("a b c", false),
        Body::Ended { uuid, ending },
    ];
    assert_eq!(bodies(dir.path()), want);
}

/// What a killed process had streamed is in the next one's record, once.
#[test]
fn a_leftover_is_folded_in_once() {
    let dir = tempfile::tempdir().unwrap();
    let clock = Instant::now();
    let mut writer = Writer::open(dir.path(), "c", 1).unwrap();
    writer.heard(&text("half an ans"), 1, clock).unwrap();
    writer.save_if_due(clock + SAVE).unwrap();
    drop(writer);
    for _ in 0..2 {
        drop(Writer::open(dir.path(), "c", 2).unwrap());
        assert_eq!(bodies(dir.path()), [said("half an ans", true)]);
    }
}

/// Killed between the row and the removal of the side file.
#[test]
fn a_side_file_of_a_row_that_is_written_is_not_folded_in() {
    let dir = tempfile::tempdir().unwrap();
    let clock = Instant::now();
    let mut writer = Writer::open(dir.path(), "c", 1).unwrap();
    writer.heard(&text("half"), 1, clock).unwrap();
    writer.save_if_due(clock + SAVE).unwrap();
    let part = dir.path().join("conversations/c.part");
    let saved = std::fs::read(&part).unwrap();
    writer.heard(&text(" and whole"), 1, clock).unwrap();
    writer.interrupted("x", 1).unwrap();
    drop(writer);
    // The row is the last one written here.
    let file = dir.path().join("conversations/c.jsonl");
    let rows = std::fs::read_to_string(&file).unwrap();
    let first = rows.lines().next().unwrap();
    std::fs::write(&file, format!("{first}\n")).unwrap();
    std::fs::write(&part, saved).unwrap();
    drop(Writer::open(dir.path(), "c", 2).unwrap());
    assert_eq!(bodies(dir.path()), [said("half and whole", false)]);
    assert!(!part.exists());
}

#[test]
fn a_half_line_is_cut_off_and_the_next_row_is_whole() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = Writer::open(dir.path(), "c", 1).unwrap();
    writer.asked(asked("u"), 1).unwrap();
    drop(writer);
    let file = dir.path().join("conversations/c.jsonl");
    let whole = std::fs::read(&file).unwrap();
    for cut in 0..whole.len() {
        std::fs::write(&file, [&whole[..], &whole[..cut]].concat()).unwrap();
        let mut writer = Writer::open(dir.path(), "c", 1).unwrap();
        writer.interrupted("x", 2).unwrap();
        drop(writer);
        assert_eq!(bodies(dir.path()).len(), 2, "cut at {cut}");
    }
}

#[test]
fn one_process_writes_a_record_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let writer = Writer::open(dir.path(), "c", 1).unwrap();
    assert!(Writer::open(dir.path(), "c", 1).is_err());
    drop(writer);
    drop(Writer::open(dir.path(), "c", 1).unwrap());
}

#[test]
fn a_row_is_bounded_and_says_what_is_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let clock = Instant::now();
    let mut writer = Writer::open(dir.path(), "c", 1).unwrap();
    let long = "\u{e9}".repeat(MAX_ROW);
    let output = vec![Output::Text { text: long }];
    let (id, outcome) = ("t".to_owned(), ToolOutcome::Ok);
    let ended = Event::ToolEnded {
        id,
        outcome,
        output,
    };
    writer.heard(&ended, 1, clock).unwrap();
    let rows = Reader::new(dir.path()).rows("c");
    let line = serde_json::to_string(&rows[0]).unwrap();
    assert!(line.len() < MAX_ROW + 1000 && line.contains("bytes left out"));
}

#[test]
fn a_row_of_a_newer_build_is_no_obstacle() {
    let dir = tempfile::tempdir().unwrap();
    drop(Writer::open(dir.path(), "c", 1).unwrap());
    let file = dir.path().join("conversations/c.jsonl");
    std::fs::write(&file, "{\"at\":1,\"row\":\"from_the_future\",\"x\":1}\n").unwrap();
    assert_eq!(bodies(dir.path()), [Body::Unknown]);
}

#[test]
fn the_tail_knows_what_was_answered() {
    let row = |body| Row::new(0, body);
    let end = |uuid: &str, ending| {
        let uuid = uuid.to_owned();
        row(Body::Ended { uuid, ending })
    };
    let fault = crate::event::Fault::Other;
    let words = String::new();
    let rows = [
        row(Body::Asked(asked("a"))),
        end("a", Ending::Done),
        row(Body::Asked(asked("b"))),
        end("b", Ending::Failed { words, fault }),
    ];
    let tail = tail(&rows);
    assert_eq!(
        (tail.asked.as_deref(), tail.ended.as_deref()),
        (Some("b"), Some("a"))
    );
}

#[test]
fn search_finds_words_in_every_kind_of_row() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = Writer::open(dir.path(), "c", 5).unwrap();
    writer.asked(asked("u"), 5).unwrap();
    let found = search(&Reader::new(dir.path()), "DO U", 10);
    assert_eq!(found.len(), 1);
    assert!(search(&Reader::new(dir.path()), "nothing like it", 10).is_empty());
    let all = list(&Reader::new(dir.path()));
    assert_eq!((all[0].title.as_str(), all[0].at), ("do u", 5));
}

/// A conversation of ten thousand rows, some of them as long as rows get.
#[test]
fn a_long_record_is_listed_searched_and_gone_on_with() {
    let dir = tempfile::tempdir().unwrap();
    let clock = Instant::now();
    let mut writer = Writer::open(dir.path(), "c", 1).unwrap();
    writer.asked(asked("first"), 1).unwrap();
    let ended = |outcome| Event::ToolEnded {
        id: "t".to_owned(),
        outcome,
        output: vec![Output::Text {
            text: "x".repeat(200),
        }],
    };
    for n in 0..10_000 {
        writer.heard(&ended(ToolOutcome::Ok), n, clock).unwrap();
    }
    for _ in 0..6 {
        let text = "y".repeat(MAX_ROW);
        writer
            .heard(&Event::Notice { text }, 20_000, clock)
            .unwrap();
    }
    drop(writer);
    let reader = Reader::new(dir.path());
    let found = list(&reader);
    assert_eq!(found[0].title, "do first");
    assert_eq!(
        (found[0].framework.as_str(), found[0].at),
        ("claude", 20_000)
    );
    assert_eq!(search(&reader, "do FIRST", 10).len(), 1);
    assert_eq!(search(&reader, "xxx", 200).len(), 200);
    let mut count = 0;
    reader.each("c", |_| {
        count += 1;
        count < 5_000
    });
    assert_eq!(count, 5_000);
    // Its request stands far before the rows that are looked at first.
    let mut writer = Writer::open(dir.path(), "c", 1).unwrap();
    let ending = Ending::Done;
    writer
        .heard(&Event::Ended { ending }, 30_000, clock)
        .unwrap();
    assert_eq!(tail(&reader.rows("c")).ended.as_deref(), Some("first"));
}
