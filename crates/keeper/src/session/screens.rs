//! Saves what panes show, so that a shell that is started again begins below it.
//!
//! In: how far each pane's output has come, snapshots and pages of the host. Out: `screens/ID.snapshot`,
//! which [`crate::seed`] reads. Promises: a pane whose output stood still is not asked for; a pane's screen is
//! saved soon after it began, soon after it fell still (at most every [`LEAST`]), and while it prints on at
//! most every [`EVERY`]; a file holds at most [`MAX_BYTES`] (fewer lines when need be), 0600;
//! private panes have none.

use super::{ANSWER, Session, Step, vanished};
use crate::core::Printed;
use link::LinkError;
use protocol::msg::{GetPage, GetSnapshot, split_offset};
use protocol::{FromHost, PaneId};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use sys::files::{private_dir, write_atomic};
use term::{Line, Snapshot};

/// Least time between two saves of a pane that prints without a pause, and longest between two looks.
const EVERY: Duration = Duration::from_secs(30);
/// Least time between two saves of any pane.
const LEAST: Duration = Duration::from_secs(5);
/// A pane that begins is saved after so long for the first time, and one that has been still for so long.
const SOON: Duration = Duration::from_secs(2);
/// Most bytes of a saved screen.
const MAX_BYTES: usize = 2 * 1024 * 1024;
/// Lines of scrollback in it.
const LINES: usize = 2_000;
/// Pages that are asked for at most to have them.
const MAX_PAGES: usize = 8;

/// What was saved, and when the next round is.
#[derive(Debug)]
pub(super) struct Screens {
    folder: PathBuf,
    at: Instant,
    /// How far the output had come that was saved, and when that was.
    saved: BTreeMap<u32, (u64, Instant)>,
    /// What a disk refused was told.
    told: bool,
}

impl Screens {
    pub(super) fn new(state: &Path) -> Self {
        Self {
            folder: state.join("screens"),
            at: Instant::now() + SOON,
            saved: BTreeMap::new(),
            told: false,
        }
    }

    /// A pane began, or something happened there.
    pub(super) fn soon(&mut self) {
        self.at = self.at.min(Instant::now() + SOON);
    }

    /// Which of these panes are to be saved now, by how far their output has come; and when to look
    /// again.
    fn due(&self, panes: &[Printed], now: Instant) -> (Vec<(u32, u64)>, Instant) {
        let mut next = now + EVERY;
        let mut due = Vec::new();
        for it in panes {
            let wanted = match self.saved.get(&it.pane) {
                Some((saved, _)) if *saved == it.offset => continue,
                Some((_, at)) => {
                    let still = it.last.map_or(*at, |last| last + SOON);
                    still.max(*at + LEAST).min(*at + EVERY)
                }
                None => now,
            };
            match wanted <= now {
                true => due.push((it.pane, it.offset)),
                false => next = next.min(wanted),
            }
        }
        (due, next)
    }

    fn file(&self, pane: u32) -> PathBuf {
        self.folder.join(format!("{pane}.snapshot"))
    }

    fn write(&mut self, pane: u32, bytes: &[u8]) {
        let file = self.file(pane);
        let written = private_dir(&self.folder).and_then(|()| write_atomic(&file, bytes));
        match written {
            Ok(()) => self.told = false,
            Err(error) if !std::mem::replace(&mut self.told, true) => {
                tracing::warn!("screens are not saved: {error}");
            }
            Err(_) => {}
        }
    }

    /// Deletes the screens of panes that are neither there nor written down.
    pub(super) fn prune(&mut self, known: &BTreeSet<u32>) {
        let Ok(entries) = std::fs::read_dir(&self.folder) else {
            return;
        };
        for path in entries.filter_map(|it| Some(it.ok()?.path())) {
            let id = path.file_stem().and_then(|it| it.to_str()?.parse().ok());
            let saved = path.extension().is_some_and(|it| it == "snapshot");
            if saved && id.is_some_and(|id: u32| !known.contains(&id)) {
                // What cannot be deleted now is tried again next time.
                drop(std::fs::remove_file(&path));
            }
        }
    }
}

impl Session<'_> {
    /// When to call [`Session::save_screens`].
    pub(super) fn screens_due(&self) -> Option<Instant> {
        let wanted = self.live.screens && self.core.has_screens();
        wanted.then_some(self.copies.screens.at)
    }

    /// Saves the screens that changed, when it is time.
    pub(super) fn save_screens(&mut self) -> Step<()> {
        if self.screens_due().is_none_or(|at| at > Instant::now()) {
            return Ok(());
        }
        self.list()?;
        let panes = self.core.screens();
        let (due, next) = self.copies.screens.due(&panes, Instant::now());
        for (pane, offset) in due {
            if let Some(bytes) = self.screen(pane)? {
                self.copies.screens.write(pane, &bytes);
                let saved = (offset, Instant::now());
                self.copies.screens.saved.insert(pane, saved);
            }
        }
        let there = |pane: &u32| panes.iter().any(|it| it.pane == *pane);
        self.copies.screens.saved.retain(|pane, _| there(pane));
        self.copies.screens.at = next;
        Ok(())
    }

    /// What a pane shows, with its newest lines.
    fn screen(&mut self, pane: u32) -> Step<Option<Vec<u8>>> {
        let payload = match self.manage.request(PaneId(pane), GetSnapshot {}, ANSWER) {
            Ok(FromHost::Snapshot(payload)) => payload,
            Ok(_) | Err(LinkError::Refused { .. }) => return Ok(None),
            Err(error) => return Err(vanished(error)),
        };
        let body = split_offset(&payload).map(|(_, body)| body);
        let Some(snapshot) = body.and_then(|it| term::codec::decode_snapshot(it).ok()) else {
            return Ok(None);
        };
        let lines = self.lines(pane, &snapshot)?;
        Ok(with_lines(snapshot, lines, MAX_BYTES))
    }

    /// The newest lines of a pane's scrollback.
    fn lines(&mut self, pane: u32, snapshot: &Snapshot) -> Step<Vec<Line>> {
        let end = snapshot.lines.end;
        let mut from = snapshot.lines.first.max(end.saturating_sub(LINES as u64));
        let mut lines = Vec::new();
        for _ in 0..MAX_PAGES {
            if from >= end {
                break;
            }
            let ask = GetPage {
                from,
                count: LINES as u32,
            };
            let page = match self.manage.request(PaneId(pane), ask, ANSWER) {
                Ok(FromHost::Page(bytes)) => term::codec::decode_page(&bytes).ok(),
                Ok(_) | Err(LinkError::Refused { .. }) => None,
                Err(error) => return Err(vanished(error)),
            };
            let Some(page) = page.filter(|it| !it.lines.is_empty()) else {
                break;
            };
            from = page.id(page.lines.len() - 1) + 1;
            lines.extend(page.lines);
        }
        Ok(lines)
    }
}

/// The snapshot with these lines above it, fewer when they do not fit; `None`: it does not fit alone.
fn with_lines(mut snapshot: Snapshot, mut lines: Vec<Line>, most: usize) -> Option<Vec<u8>> {
    for span in lines.iter_mut().flat_map(|line| &mut line.spans) {
        // Numbered by the page, not by the snapshot.
        span.style.link = None;
    }
    let mut keep = lines.len().min(LINES);
    loop {
        snapshot.history = lines.split_off(lines.len() - keep);
        snapshot.lines.end = snapshot.lines.end.max(keep as u64);
        snapshot.lines.first = snapshot.lines.end - keep as u64;
        snapshot.history_ids = Vec::new();
        let bytes = term::codec::encode_snapshot(&snapshot);
        if bytes.len() <= most {
            return Some(bytes);
        }
        if keep == 0 {
            return None;
        }
        lines = std::mem::take(&mut snapshot.history);
        keep /= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::{Options, Silent, Size, Terminal};

    #[test]
    fn lines_stand_above_the_screen_as_many_as_fit() {
        let mut old = Terminal::new(Size::new(20, 3), &Options::default());
        for n in 0..100 {
            old.advance(format!("line {n}\r\n").as_bytes(), &mut Silent);
        }
        let plain = || old.page(0, 1_000).lines;
        let lines = plain();
        let snapshot = term::codec::decode_snapshot(&old.encoded_snapshot(0)).unwrap();
        let read = |bytes: &[u8]| {
            let snapshot = term::codec::decode_snapshot(bytes).unwrap();
            let new = Terminal::from_snapshot(&snapshot, &Options::default());
            let lines = new.page(0, 1_000).lines;
            let first = lines.first().map(Line::text).unwrap_or_default();
            (lines.len(), first, new.text())
        };
        let all = with_lines(snapshot.clone(), lines.clone(), MAX_BYTES).unwrap();
        assert_eq!(read(&all), (98, "line 0".to_owned(), old.text()));
        let alone = with_lines(snapshot.clone(), Vec::new(), MAX_BYTES).unwrap();
        assert_eq!(read(&alone).0, 0);
        let some = with_lines(snapshot.clone(), lines, all.len() - 1).unwrap();
        assert_eq!(read(&some), (49, "line 49".to_owned(), old.text()));
        assert_eq!(with_lines(snapshot, Vec::new(), 10), None);
    }

    /// What a pane printed last was missing for up to half a minute.
    #[test]
    fn a_pane_that_fell_still_is_saved_soon() {
        let home = tempfile::tempdir().unwrap();
        let mut screens = Screens::new(home.path());
        let now = Instant::now();
        screens.saved.insert(1, (5, now));
        let after = |ms| now + Duration::from_millis(ms);
        // When it printed last, when it is looked at; whether it is saved, or when it is looked at again.
        for (last, at, saved, next) in [
            (10_000, 10_000, false, 12_000),
            (10_000, 11_999, false, 12_000),
            (10_000, 12_000, true, 42_000),
            (1_000, 3_000, false, 5_000),
            (1_000, 5_000, true, 35_000),
            (4_000, 5_000, false, 6_000),
            (29_500, 29_900, false, 30_000),
            (30_000, 30_000, true, 60_000),
        ] {
            let printed = Printed {
                pane: 1,
                offset: 6,
                last: Some(after(last)),
            };
            let (due, again) = screens.due(&[printed], after(at));
            assert_eq!(
                (!due.is_empty(), again),
                (saved, after(next)),
                "{last} {at}"
            );
        }
    }

    #[test]
    fn a_new_pane_is_saved_soon_and_each_seldom() {
        let home = tempfile::tempdir().unwrap();
        let mut screens = Screens::new(home.path());
        let now = Instant::now();
        let check =
            |screens: &Screens, panes: &[(u32, u64)], after: u64, want: &[u32], next: u64| {
                let at = now + Duration::from_secs(after);
                // Without a pause.
                let last = Some(at);
                let printed = |(pane, offset): &(u32, u64)| Printed {
                    pane: *pane,
                    offset: *offset,
                    last,
                };
                let panes: Vec<Printed> = panes.iter().map(printed).collect();
                let (due, again) = screens.due(&panes, at);
                let due: Vec<u32> = due.into_iter().map(|(pane, _)| pane).collect();
                assert_eq!(
                    (due.as_slice(), again),
                    (want, now + Duration::from_secs(next))
                );
            };
        check(&screens, &[(1, 5)], 0, &[1], 30);
        screens.saved.insert(1, (5, now));
        check(&screens, &[(1, 5), (2, 1)], 10, &[2], 40);
        check(&screens, &[(1, 6), (2, 1)], 10, &[2], 12);
        check(&screens, &[(1, 6)], 29, &[], 30);
        check(&screens, &[(1, 6)], 30, &[1], 60);
        // Nothing changed: nothing is saved, however long.
        check(&screens, &[(1, 5)], 3_600, &[], 3_630);
        screens.at = now + EVERY;
        screens.soon();
        assert!(screens.at < now + EVERY);
    }

    #[test]
    fn screens_of_panes_that_nobody_knows_go() {
        let home = tempfile::tempdir().unwrap();
        let mut screens = Screens::new(home.path());
        screens.write(3, b"x");
        screens.write(4, b"y");
        let mode = sys::files::mode(&std::fs::metadata(screens.file(3)).unwrap());
        assert_eq!(mode, 0o600);
        std::fs::write(screens.folder.join("9.other"), "z").unwrap();
        screens.prune(&BTreeSet::from([4]));
        assert!(!screens.file(3).exists() && screens.file(4).exists());
        assert!(screens.folder.join("9.other").exists());
    }
}
