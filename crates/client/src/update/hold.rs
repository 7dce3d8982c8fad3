//! What is typed before there is a pane to type into: it waits, in order, commands too.
//!
//! In: keys, pastes, the mouse. Out: the same, once the pane that will have the keyboard is there;
//! as in a multiplexer that makes panes at once. Promises: at most [`MAX_HELD`] events and
//! [`MAX_PASTE`] pasted bytes wait; detaching never does; what was typed for a program that could
//! not be started is not taken for an answer to that.

use super::Cx;
use crate::Outcome;
use crate::input::{Input, MAX_PASTE};
use crate::keys::{Command, command, is_prefix};
use crate::model::{Asked, Mode, Model, Place};
use crate::pane::{Pane, State};

/// Most events that wait.
const MAX_HELD: usize = 1024;

fn focused(model: &Model) -> Option<&Pane> {
    model.focus().and_then(|id| model.panes.get(&id))
}

/// The pane that will have the keyboard is on its way.
fn waits(model: &Model) -> bool {
    let takes_focus = |place: &Place| !matches!(place, Place::Instead(_));
    let mut asked = model.asked.values();
    let made = asked.any(|(_, asked)| matches!(asked, Asked::Create(place) if takes_focus(place)));
    match focused(model) {
        Some(pane) => made || pane.state == State::Starting || model.wanted.iter().any(takes_focus),
        None => made || !model.listed || model.joining || !model.wanted.is_empty(),
    }
}

/// Something was typed: used now, or held.
pub(super) fn input(model: &mut Model, input: Input, cx: &mut Cx) {
    if model.held.is_empty() && !waits(model) {
        super::input(model, input, cx);
        return;
    }
    match &input {
        Input::Key(key) if command(key) == Some(Command::Detach) && after_prefix(model) => {
            // The prefix that stands before it; none if it was typed before all that.
            model.held.pop_back();
            cx.leave(model, Outcome::Detached);
        }
        Input::Key(_) | Input::Paste(_) => hold(model, input, cx),
        // It is aimed at what is seen, and that will change.
        Input::Mouse(_) => {}
        Input::PasteTooLong | Input::Focus(_) | Input::Reply(_) => super::input(model, input, cx),
    }
}

/// What is held ends with a prefix that waits for its command.
fn after_prefix(model: &Model) -> bool {
    let held = model.held.iter();
    held.fold(model.mode == Mode::Prefix, |after, input| match input {
        Input::Key(key) => !after && is_prefix(key, model.config.prefix),
        _ => after,
    })
}

fn hold(model: &mut Model, input: Input, cx: &Cx) {
    let pasted = |input: &Input| match input {
        Input::Paste(text) => text.len(),
        _ => 0,
    };
    let bytes: usize = model.held.iter().chain([&input]).map(pasted).sum();
    if model.held.len() >= MAX_HELD || bytes > MAX_PASTE {
        model.tell("the pane is not there yet; not all was typed", cx.now);
    } else {
        model.held.push_back(input);
    }
}

/// Uses what was held, as far as nothing is on its way again.
pub(super) fn settle(model: &mut Model, cx: &mut Cx) {
    while !model.held.is_empty() && !waits(model) && !model.left {
        let usable = |pane: &Pane| pane.takes_input();
        if !focused(model).is_some_and(usable) {
            model.held.clear();
        } else if let Some(input) = model.held.pop_front() {
            super::input(model, input, cx);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::View;
    use crate::testing::{Bench, facts};
    use crate::update::{Effect, Event};
    use link::layout::Workspace;
    use protocol::ToHost;
    use protocol::msg::{Panes, SPAWN};
    use std::time::Duration;

    /// A client whose host has not told its panes yet.
    fn starting(panes: &[u32]) -> Bench {
        let mut workspace = Workspace::new("w1", "work", "/work");
        panes.iter().for_each(|pane| workspace.add_tab(*pane));
        let mut bench = Bench::raw(View::Workspace(workspace), (80, 24));
        bench.event(Event::Start);
        bench
    }

    /// The host has `panes`, and does all it is asked.
    fn begin(bench: &mut Bench, panes: &[u32]) {
        let (_, request) = bench.request(|m| matches!(m, ToHost::List(_)));
        let panes = panes.iter().map(|id| facts(*id)).collect();
        bench.host(0, request, Panes { panes });
        bench.bytes("\x1b[?62c");
        bench.settle();
        bench.wait(Duration::from_secs(1));
        bench.settle();
    }

    fn typed(bench: &mut Bench) -> String {
        let typed = bench.typed().into_iter();
        typed
            .map(|(pane, text)| format!("{pane}:{text} "))
            .collect()
    }

    #[test]
    fn what_is_typed_early_is_used_in_order() {
        for (there, keys, want, panes) in [
            (&[][..], "ab", "101:a 101:b ", vec![101]),
            (&[1], "ab", "1:a 1:b ", vec![1]),
            (&[], "a\x02%b", "101:a 102:b ", vec![101, 102]),
            (&[1], "a\x02cb\x02pc", "1:a 102:b 1:c ", vec![1, 102]),
            (&[1], "\x02\x02x", "1:\x02 1:x ", vec![1]),
        ] {
            let mut bench = starting(there);
            bench.bytes(keys);
            assert_eq!(typed(&mut bench), "", "{keys:?}");
            begin(&mut bench, there);
            let got = bench.model.workspace.panes();
            assert_eq!(got.len(), panes.len(), "{keys:?}");
            let first = got.last().copied().unwrap_or_default();
            let want = if there.is_empty() {
                want.to_owned()
            } else {
                want.replace("102", &first.to_string())
            };
            let mut all: Vec<String> = typed(&mut bench)
                .split_whitespace()
                .map(str::to_owned)
                .collect();
            let mut expected: Vec<String> = want.split_whitespace().map(str::to_owned).collect();
            // Each pane's own order counts; they are sent as the panes come.
            all.sort_by_key(|it| it.split(':').next().map(str::to_owned));
            expected.sort_by_key(|it| it.split(':').next().map(str::to_owned));
            assert_eq!(all, expected, "{keys:?}");
        }
    }

    /// As in tmux, what follows a split goes to the new pane.
    #[test]
    fn what_follows_a_split_goes_to_the_new_pane() {
        let mut bench = Bench::tabs(&[1]);
        bench.bytes("\x02%x\x1b[200~paste\x1b[201~\x02zy");
        assert_eq!(typed(&mut bench), "");
        bench.settle();
        bench.settle();
        assert_eq!(typed(&mut bench), "101:x 101:paste 101:y ");
        assert!(bench.model.workspace.tabs[0].zoomed);
    }

    #[test]
    fn detaching_does_not_wait_for_a_pane() {
        let left = |bench: &Bench| bench.effects.contains(&Effect::Leave(Outcome::Detached));
        let mut bench = starting(&[1]);
        bench.bytes("\x02d");
        begin(&mut bench, &[1]);
        assert!(left(&bench));

        let mut bench = starting(&[1]);
        bench.bytes("\x02\x02d");
        begin(&mut bench, &[1]);
        assert!(!left(&bench), "the prefix was for the pane");

        let mut bench = starting(&[1]);
        bench.bytes("ls\x02d");
        bench.wait(crate::update::LEAVING);
        assert!(left(&bench), "a silent host holds nobody");
    }

    #[test]
    fn what_was_typed_for_a_program_that_could_not_start_is_dropped() {
        let mut bench = Bench::tabs(&[1, 2]);
        let ended = protocol::msg::PaneExited {
            raw_status: 1 << 8,
            since_input_ms: None,
            end_note: String::new(),
        };
        bench.host(1, 0, ended);
        bench.keys("Enter x");
        bench.refuse(|m| matches!(m, ToHost::Create(_)), SPAWN, "no such folder");
        assert_eq!(bench.model.workspace.panes(), [1, 2], "x closed nothing");
        bench.keys("C-b x");
        assert_eq!(bench.model.workspace.panes(), [2]);
    }

    #[test]
    fn what_is_held_is_bounded() {
        let mut bench = starting(&[1]);
        for _ in 0..MAX_HELD + 5 {
            bench.bytes("x");
        }
        assert_eq!(bench.model.held.len(), MAX_HELD);
        let mut bench = starting(&[1]);
        bench.event(Event::Input(Input::Paste(vec![b'x'; MAX_PASTE])));
        bench.event(Event::Input(Input::Paste(vec![b'x'; 1])));
        assert_eq!(bench.model.held.len(), 1);
        assert!(bench.model.message.is_some());
    }
}
