//! Recordings of real programs: against tmux if there is one, and always against what tmux 3.3a
//! showed (`tests/corpus/*.tmux`, written anew with `ABIDE_TEST_PIN=1`).

use std::path::{Path, PathBuf};

use term::{EngineKind, Size};

use crate::tmux::{Tmux, cells};
use crate::{Screen, differences, ours};

const SIZE: (u16, u16) = (80, 24);
/// Cuts of each recording.
const CUTS: usize = 4;

fn size() -> Size {
    Size::new(SIZE.0, SIZE.1)
}

pub(crate) fn recordings() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "bin"))
        .collect();
    files.sort();
    assert!(files.len() >= 14, "all recordings are here");
    files
}

/// Compares both engines with a screen of each cut.
fn check(theirs: impl Fn(&Path, &[u8], usize) -> Screen) {
    let mut wrong = Vec::new();
    for path in recordings() {
        let bytes = std::fs::read(&path).unwrap();
        for part in 1..=CUTS {
            let cut = bytes.len() * part / CUTS;
            let want = theirs(&path, &bytes[..cut], part);
            for engine in [EngineKind::Grid, EngineKind::Vt100] {
                let got = ours(engine, size(), &bytes[..cut]);
                let found = differences(&got, &want, true);
                if !found.is_empty() {
                    let name = path.file_stem().unwrap().to_string_lossy();
                    let found = found.join("\n");
                    wrong.push(format!("{name} up to {cut} on {engine:?}:\n{found}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn recordings_look_as_in_tmux() {
    let Some(tmux) = Tmux::start() else { return };
    if std::env::var_os("ABIDE_TEST_PIN").is_some() {
        pin(&tmux);
    }
    check(|_, bytes, _| tmux.screen(size(), bytes));
}

/// Form feed, the cursor, and what was captured, for each cut.
fn pin(tmux: &Tmux) {
    for path in recordings() {
        let bytes = std::fs::read(&path).unwrap();
        let mut out = Vec::new();
        for part in 1..=CUTS {
            let (text, (x, y)) = tmux.capture(size(), &bytes[..bytes.len() * part / CUTS]);
            out.extend_from_slice(format!("\x0c{x} {y}\n").as_bytes());
            out.extend_from_slice(&text);
        }
        std::fs::write(path.with_extension("tmux"), out).unwrap();
    }
}

#[test]
fn recordings_look_as_pinned() {
    check(|path, _, part| {
        let pinned = std::fs::read(path.with_extension("tmux")).unwrap();
        let screen = pinned.split(|b| *b == 0x0c).nth(part).unwrap();
        let end = screen.iter().position(|b| *b == b'\n').unwrap();
        let head = std::str::from_utf8(&screen[..end]).unwrap();
        let (x, y) = head.split_once(' ').unwrap();
        let cursor = (x.parse().unwrap(), y.parse().unwrap());
        (cells(size(), &screen[end + 1..]), cursor)
    });
}
