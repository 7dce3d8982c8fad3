//! Which panes the user has before his eyes, so that nobody is called to those.
//!
//! Promises: while the outer terminal tells of no focus, all that is shown counts, which is what a host
//! takes a silent client for, so nothing is said; once it tells, the focused pane counts, and only while
//! the window has the focus.

use super::Cx;
use crate::model::Model;
use link::notes::{self, NoticeNote};
use protocol::msg::Look;

/// The outer window got the focus or lost it.
pub(super) fn focus(model: &mut Model, focused: bool) {
    model.outer_focus = focused;
    model.tells_focus = true;
}

/// Says what is looked at, when that changed.
pub(super) fn settle(model: &mut Model, cx: &mut Cx) {
    if !model.tells_focus || !model.listed {
        return;
    }
    let focus = model.focus().filter(|_| model.outer_focus);
    let seen = focus.filter(|id| model.panes.get(id).is_some_and(|it| it.claimed.is_some()));
    let panes: Vec<u32> = seen.into_iter().collect();
    if model.looks.as_ref() != Some(&panes) {
        model.looks = Some(panes.clone());
        cx.send(0, Look { panes });
    }
}

/// A pane waits and nobody looks: the keeper wrote so.
pub(super) fn waits(model: &Model, pane: u32, value: Option<&[u8]>, cx: &mut Cx) {
    let note: Option<NoticeNote> = value.and_then(notes::from_json);
    let told = note.map(|note| model.teller.bytes(pane, &note));
    // Who only looks at a pane is not the one it waits for.
    if let Some(told) = told.filter(|told| !told.is_empty() && !model.watch) {
        cx.effects.push(super::Effect::Write(told));
    }
}

#[cfg(test)]
mod tests {
    use crate::View;
    use crate::testing::Bench;
    use crate::update::{Effect, Event};
    use link::notes::{self, NoticeNote};
    use protocol::msg::{Look, NoteChanged};
    use protocol::{PaneId, ToHost};

    /// What the host was told since the last look.
    fn looks(bench: &mut Bench) -> Vec<Vec<u32>> {
        let effects = std::mem::take(&mut bench.effects);
        let told = effects.into_iter().filter_map(|effect| match effect {
            Effect::Send {
                message: ToHost::Look(Look { panes }),
                ..
            } => Some(panes),
            _ => None,
        });
        told.collect()
    }

    #[test]
    fn the_focused_pane_is_looked_at_while_the_window_has_the_focus() {
        let mut bench = Bench::tabs(&[1, 2]);
        bench.keys("C-b n");
        assert_eq!(
            looks(&mut bench),
            [[0; 0]; 0],
            "its window tells nothing of focus"
        );
        let focus = "\x1b[I";
        for (typed, want) in [
            (focus, &[&[2][..]][..]),
            (focus, &[]),
            ("\x1b[O", &[&[]]),
            (focus, &[&[2]]),
        ] {
            bench.bytes(typed);
            assert_eq!(looks(&mut bench), want, "{typed:?}");
        }
        bench.keys("C-b p");
        assert_eq!(looks(&mut bench), [[1]]);
    }

    #[test]
    fn who_watches_looks_too() {
        let mut bench = Bench::bare(View::Watch(PaneId(1)));
        bench.bytes("\x1b[O");
        assert_eq!(looks(&mut bench), [[0; 0]]);
        bench.bytes("\x1b[I");
        assert_eq!(looks(&mut bench), [[1]]);
    }

    /// What was written to the outer terminal after this note of pane `pane`.
    fn told(bench: &mut Bench, pane: u32, passed: &str) -> String {
        bench.effects.clear();
        let note = NoticeNote {
            state: "needs_input".to_owned(),
            at: 1,
            passed: passed.to_owned(),
            name: "web/claude".to_owned(),
            screen: String::new(),
        };
        bench.host(
            pane,
            0,
            NoteChanged {
                key: notes::NOTICE.to_owned(),
                revision: 1,
                value: Some(notes::to_json(&note)),
            },
        );
        let writes = bench.effects.iter().filter_map(|effect| match effect {
            Effect::Write(text) => Some(text.as_str()),
            _ => None,
        });
        writes.collect()
    }

    #[test]
    fn a_notice_goes_to_the_outer_terminal() {
        let mut bench = Bench::tabs(&[1, 2]);
        // Its own pane, and one of another workspace; nothing is known of the terminal.
        assert_eq!(told(&mut bench, 2, NoticeNote::TERMINAL), "\x07");
        assert_eq!(told(&mut bench, 77, NoticeNote::TERMINAL), "\x07");
        assert_eq!(told(&mut bench, 2, NoticeNote::SEEN), "");
        assert_eq!(told(&mut bench, 2, NoticeNote::TRYING), "");
        // The wait is over.
        let over = NoteChanged {
            key: notes::NOTICE.to_owned(),
            revision: 2,
            value: None,
        };
        bench.effects.clear();
        bench.host(2, 0, over);
        bench.event(Event::Tick);
        assert!(
            !bench
                .effects
                .iter()
                .any(|it| matches!(it, Effect::Write(_)))
        );
        let mut watcher = Bench::bare(View::Watch(PaneId(1)));
        assert_eq!(told(&mut watcher, 1, NoticeNote::TERMINAL), "");
    }
}
