//! The mouse: focus, borders, tabs, the wheel; or it is the pane's, if its program wants it.
//! Shift keeps it from this program altogether: the outer terminal selects text then.

use super::{Cx, Effect, command, layout, scrolling, typing};
use crate::draw::status;
use crate::geometry::{Placed, ops};
use crate::input::{Mouse, MouseKind};
use crate::model::{Drag, Mode, Model, RESIZE_PAUSE};
use crate::scroll::Move;
use link::layout::Direction;
use term::input::{Button, MouseInput, MouseKind as Kind, Wheel, encode_mouse};
use term::modes::MouseMode;

/// Pixels of a cell when the outer terminal does not tell.
const CELL: (u16, u16) = (8, 16);

/// Something was done with the mouse.
pub(super) fn mouse(model: &mut Model, mouse: Mouse, cx: &mut Cx) {
    if let Mode::Help(at) = model.mode
        && mouse.kind != MouseKind::Press(0)
    {
        // The list covers the panes: nothing is done to what is below it.
        let rows = usize::from(model.config.wheel_rows.max(1));
        match mouse.kind {
            MouseKind::WheelUp => scrolling::move_help(model, at, Move::Up(rows)),
            MouseKind::WheelDown => scrolling::move_help(model, at, Move::Down(rows)),
            _ => {}
        }
        return;
    }
    if mouse.kind == MouseKind::Press(0) {
        press(model, mouse, cx);
    }
    match (&model.drag, mouse.kind) {
        (Some(_), MouseKind::Drag(0)) => {
            drag(model, mouse, cx);
            return;
        }
        (Some(_), _) => {
            let started = mouse.kind == MouseKind::Press(0);
            if !started {
                model.drag = None;
                model.resizing = None;
            }
            return;
        }
        (None, _) => {}
    }
    let geometry = model.geometry();
    if let Some(place) = geometry.at(mouse.x, mouse.y) {
        inside(model, place, mouse, cx);
    }
}

/// The left button: closes the help, takes a border, focuses a pane or a tab.
fn press(model: &mut Model, mouse: Mouse, cx: &mut Cx) {
    model.drag = None;
    if matches!(model.mode, Mode::Help(_) | Mode::Prefix | Mode::Repeat(_)) {
        model.mode = Mode::Normal;
    }
    if !model.bare && model.status_row().contains((mouse.x, mouse.y).into()) {
        if let Some(tab) = status::tab_at(model, mouse.x) {
            command::focus_tab(model, tab, cx);
        }
        return;
    }
    let geometry = model.geometry();
    let at = (mouse.x, mouse.y).into();
    if let Some(divider) = geometry
        .dividers
        .iter()
        .find(|divider| divider.rect.contains(at))
    {
        model.drag = Some(Drag {
            divider: divider.clone(),
        });
    }
    let pane = geometry.at(mouse.x, mouse.y).map(|place| place.pane);
    command::focus_pane(model, pane, cx);
}

fn drag(model: &mut Model, mouse: Mouse, cx: &Cx) {
    let area = model.area();
    let Some(Drag { divider }) = model.drag.take() else {
        return;
    };
    let to = match divider.direction {
        Direction::Across => mouse.x,
        Direction::Down => mouse.y,
    };
    let moved = model
        .tab_mut()
        .is_some_and(|tab| ops::drag(tab, area, &divider, to));
    if moved {
        model.resizing.get_or_insert(cx.now + RESIZE_PAUSE);
        layout::touch(model, cx.now);
    }
    // The same border, where it is now.
    let dividers = model.geometry().dividers;
    model.drag = dividers
        .into_iter()
        .find(|now| now.path == divider.path && now.after == divider.after)
        .map(|divider| Drag { divider });
}

fn inside(model: &mut Model, place: &Placed, mouse: Mouse, cx: &mut Cx) {
    if !place.content.contains((mouse.x, mouse.y).into()) {
        return;
    }
    let rows = usize::from(model.config.wheel_rows.max(1));
    let cell = match model.viewer.cell {
        (0, _) | (_, 0) => CELL,
        told => told,
    };
    let Some(pane) = model.panes.get_mut(&place.pane) else {
        return;
    };
    let id = pane.id;
    if let Some(scroll) = &mut pane.scroll {
        match mouse.kind {
            MouseKind::WheelUp => command::scroll(model, id, Move::Up(rows), cx),
            MouseKind::WheelDown if !scroll.go(Move::Down(rows)) || scroll.is_over() => {
                command::close_scroll(model, id);
            }
            _ => {}
        }
        return;
    }
    let (left, top) = pane.origin(place.content.width, place.content.height);
    let input = MouseInput {
        kind: kind(mouse.kind),
        x: mouse.x - place.content.x + left,
        y: mouse.y - place.content.y + top,
        pixel: (0, 0),
        mods: mouse.mods,
    };
    let middle = |at: u16, size: u16| u32::from(at) * u32::from(size) + u32::from(size / 2);
    let input = MouseInput {
        pixel: (middle(input.x, cell.0), middle(input.y, cell.1)),
        ..input
    };
    let Some(modes) = pane.terminal().map(term::Terminal::modes) else {
        return;
    };
    match encode_mouse(&input, modes) {
        Some(bytes) if pane.takes_input() => typing::bytes(model, id, &bytes, cx),
        Some(_) => {}
        None if mouse.kind == MouseKind::WheelUp
            && modes.mouse == MouseMode::Off
            && !modes.alternate =>
        {
            command::open_scroll(model, Some(id), cx);
            let pane = model.panes.get_mut(&id);
            if let Some(scroll) = pane.and_then(|pane| pane.scroll.as_mut()) {
                scroll.end_at_bottom();
            }
            command::scroll(model, id, Move::Up(rows), cx);
        }
        None => {}
    }
}

const fn button(number: u8) -> Button {
    match number {
        0 => Button::Left,
        1 => Button::Middle,
        2 => Button::Right,
        other => Button::Extra(other),
    }
}

const fn kind(kind: MouseKind) -> Kind {
    match kind {
        MouseKind::Press(number) => Kind::Press(button(number)),
        MouseKind::Release(number) => Kind::Release(button(number)),
        MouseKind::Drag(number) => Kind::Move(Some(button(number))),
        MouseKind::Move => Kind::Move(None),
        MouseKind::WheelUp => Kind::Wheel(Wheel::Up),
        MouseKind::WheelDown => Kind::Wheel(Wheel::Down),
        MouseKind::WheelLeft => Kind::Wheel(Wheel::Left),
        MouseKind::WheelRight => Kind::Wheel(Wheel::Right),
    }
}

/// Motion without a button is asked for only while the focused pane wants it: it is a message
/// for every cell the mouse crosses.
pub(super) fn settle(model: &mut Model, cx: &mut Cx) {
    let focus = model.focus().and_then(|id| model.panes.get(&id));
    let wanted = focus
        .and_then(|pane| pane.terminal())
        .is_some_and(|terminal| terminal.modes().mouse == MouseMode::Motion);
    if model.config.mouse && wanted != model.motion {
        model.motion = wanted;
        // Switching 1003 off switches the others off too in some terminals.
        let bytes = if wanted {
            "\x1b[?1003h"
        } else {
            "\x1b[?1003l\x1b[?1000h\x1b[?1002h"
        };
        cx.effects.push(Effect::Write(bytes.to_owned()));
    }
}
