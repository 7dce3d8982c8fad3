//! What each command of the prefix does.

use super::{Cx, Effect, create, layout};
use crate::Act;
use crate::geometry::ops;
use crate::keys::Command;
use crate::model::{Asked, Mode, Model, Place, Question};
use crate::scroll::{Move, Scroll};
use crate::{Outcome, pane::State};
use link::layout::Tab;
use protocol::msg::GetPage;

/// Carries out a command.
pub(super) fn run(model: &mut Model, command: Command, cx: &mut Cx) {
    let focus = model.focus();
    match command {
        Command::Detach => cx.leave(model, Outcome::Detached),
        Command::Help => model.mode = Mode::Help(0),
        Command::Scroll => {
            open_scroll(model, focus, cx);
            if let Some(scroll) = model.focused().and_then(|pane| pane.scroll.as_mut()) {
                scroll.stay();
            }
        }
        Command::ClosePane => ask_close(model, focus, cx),
        // Who only looks changes nothing.
        Command::Hold | Command::Fresh if model.watch => {
            model.tell("this view only looks", cx.now);
        }
        Command::Hold => {
            model.tell("stopping what has not come back yet", cx.now);
            cx.effects.push(Effect::Act(Act::Hold));
        }
        // One pane has the whole terminal: there is nothing to divide, move or name.
        _ if model.bare => model.tell("this view has one pane only", cx.now),
        Command::Split(direction) => {
            if let Some(pane) = focus {
                create::create(model, Place::Beside(pane, direction), cx);
            }
        }
        Command::NewTab => create::create(model, Place::Tab, cx),
        Command::Fresh => model.mode = Mode::Confirm(Question::Fresh),
        Command::CloseTab => model.mode = Mode::Confirm(Question::KillTab),
        Command::Rename => {
            let name = model
                .tab()
                .and_then(|tab| tab.name.clone())
                .unwrap_or_default();
            model.mode = Mode::Rename(name);
        }
        Command::Focus(side) => {
            let area = model.area();
            let next = model
                .tab()
                .zip(focus)
                .and_then(|(t, f)| ops::neighbour(t, area, f, side));
            focus_pane(model, next, cx);
        }
        Command::NextPane => {
            let next = model.tab().and_then(after_focus);
            focus_pane(model, next, cx);
        }
        Command::LastPane => focus_pane(model, model.last_pane, cx),
        Command::CycleTab(forward) => {
            let (count, at) = (model.workspace.tabs.len(), model.workspace.active);
            let next = if forward {
                at + 1
            } else {
                at + count.max(1) - 1
            };
            focus_tab(model, next % count.max(1), cx);
        }
        Command::LastTab => focus_tab(model, model.last_tab.unwrap_or(usize::MAX), cx),
        Command::Tab(number) => focus_tab(model, number, cx),
        Command::Zoom | Command::Resize(..) | Command::Even | Command::Swap(_) => {
            arrange(model, command, cx);
        }
    }
}

/// Commands that change the tab's tree.
fn arrange(model: &mut Model, command: Command, cx: &Cx) {
    let area = model.area();
    let Some(tab) = model.tab_mut() else {
        return;
    };
    let focus = tab.focus;
    let changed = match command {
        Command::Zoom => {
            tab.zoomed = !tab.zoomed && tab.root.panes().len() > 1;
            true
        }
        Command::Resize(side, by) => !tab.zoomed && ops::resize(tab, area, focus, side, by),
        Command::Even => ops::even(tab),
        Command::Swap(forward) => ops::swap(tab, focus, forward),
        _ => false,
    };
    if changed {
        layout::touch(model, cx.now);
    }
}

fn after_focus(tab: &Tab) -> Option<u32> {
    let panes = tab.root.panes();
    let at = panes.iter().position(|pane| *pane == tab.focus)?;
    panes.get((at + 1) % panes.len()).copied()
}

/// Gives a pane the keyboard, and its tab the screen.
pub(super) fn focus_pane(model: &mut Model, pane: Option<u32>, cx: &Cx) {
    let before = model.focus();
    let Some(pane) = pane.filter(|pane| Some(*pane) != before) else {
        return;
    };
    let tabs = &mut model.workspace.tabs;
    let Some(at) = tabs.iter().position(|tab| tab.root.contains(pane)) else {
        return;
    };
    // A zoomed tab that lets another pane have the focus shows all of them again.
    tabs[at].zoomed &= tabs[at].focus == pane;
    tabs[at].focus = pane;
    if at == model.workspace.active {
        model.last_pane = before;
    }
    focus_tab(model, at, cx);
    layout::touch(model, cx.now);
}

/// Brings a tab to the front; one that is not there changes nothing.
pub(super) fn focus_tab(model: &mut Model, tab: usize, cx: &Cx) {
    if tab >= model.workspace.tabs.len() || tab == model.workspace.active {
        return;
    }
    model.last_tab = Some(model.workspace.active);
    model.workspace.active = tab;
    model.last_pane = None;
    layout::touch(model, cx.now);
}

fn ask_close(model: &mut Model, focus: Option<u32>, cx: &mut Cx) {
    let Some(pane) = focus.and_then(|id| model.panes.get(&id)) else {
        return;
    };
    let id = pane.id;
    if model.watch {
        cx.leave(model, Outcome::Detached);
        return;
    }
    match pane.state {
        State::Running | State::Stopped | State::Starting => {
            model.mode = Mode::Confirm(Question::KillPane(id));
        }
        State::Exited { .. } | State::Failed(_) | State::Taken { .. } | State::Away(_) => {
            create::close(model, id, cx);
        }
    }
}

/// Opens the view into the scrollback.
pub(super) fn open_scroll(model: &mut Model, pane: Option<u32>, cx: &mut Cx) {
    let geometry = model.geometry();
    let Some(pane) = pane.and_then(|id| model.panes.get_mut(&id)) else {
        return;
    };
    let height = geometry.of(pane.id).map_or(0, |place| place.content.height);
    if pane.scroll.is_some() || height == 0 {
        return;
    }
    let Some(terminal) = pane.terminal() else {
        return;
    };
    // The alternate screen has no scrollback; what is above the main screen is not its past.
    let end = if terminal.modes().alternate {
        0
    } else {
        terminal.scrollback().end
    };
    pane.scroll = Some(Scroll::new(terminal, height, end));
    let id = pane.id;
    fetch(model, id, cx);
}

/// Closes it.
pub(super) fn close_scroll(model: &mut Model, pane: u32) {
    if let Some(pane) = model.panes.get_mut(&pane) {
        pane.scroll = None;
    }
}

/// Moves it.
pub(super) fn scroll(model: &mut Model, pane: u32, movement: Move, cx: &mut Cx) {
    if let Some(scroll) = model
        .panes
        .get_mut(&pane)
        .and_then(|pane| pane.scroll.as_mut())
    {
        scroll.go(movement);
        let down = matches!(
            movement,
            Move::Down(_) | Move::HalfDown | Move::PageDown | Move::Bottom
        );
        if down && scroll.is_over() {
            close_scroll(model, pane);
            return;
        }
    }
    fetch(model, pane, cx);
}

/// Asks for the page the view needs next, if any.
pub(super) fn fetch(model: &mut Model, pane: u32, cx: &mut Cx) {
    let scroll = model
        .panes
        .get_mut(&pane)
        .and_then(|pane| pane.scroll.as_mut());
    if let Some((from, count)) = scroll.and_then(Scroll::wanted) {
        cx.ask(model, pane, GetPage { from, count }, Asked::Page);
    }
}
