//! Keys that scroll: the list of keys, and the view into the scrollback.
//!
//! In: keys. Out: a moved list or view. Promises: tmux's keys of both its tables move; the list is closed by
//! any other key, the view by those that leave it alone, and no key of either reaches a program.

use super::{Cx, command};
use crate::draw::help;
use crate::keys::typed;
use crate::model::{Mode, Model};
use crate::scroll::Move;
use term::input::{Key, KeyInput, Mods};

/// What is told of a key that the view does not know.
pub(super) const NOT_ITS_OWN: &str = "not a key of the scrollback, and not typed - q: back";

/// What a key moves, if it does.
fn movement(key: &KeyInput) -> Option<Move> {
    let held = key.mods.held();
    if let Key::Char(letter) = key.key
        && (held == Mods::CTRL || held == Mods::ALT)
    {
        return match (held == Mods::CTRL, letter) {
            (true, 'y' | 'p') => Some(Move::Up(1)),
            (true, 'e' | 'n') => Some(Move::Down(1)),
            (true, 'u') => Some(Move::HalfUp),
            (true, 'd') => Some(Move::HalfDown),
            (true, 'b') | (false, 'v') => Some(Move::PageUp),
            (true, 'f' | 'v') => Some(Move::PageDown),
            (false, '<') => Some(Move::Top),
            (false, '>') => Some(Move::Bottom),
            _ => None,
        };
    }
    match (key.key, typed(key)) {
        (Key::Up, _) | (_, Some('k')) => Some(Move::Up(1)),
        (Key::Down, _) | (_, Some('j')) => Some(Move::Down(1)),
        (Key::PageUp, _) | (_, Some('b')) => Some(Move::PageUp),
        (Key::PageDown, _) | (_, Some('f' | ' ')) => Some(Move::PageDown),
        (Key::Home, _) | (_, Some('g')) => Some(Move::Top),
        (Key::End, _) | (_, Some('G')) => Some(Move::Bottom),
        _ => None,
    }
}

/// A key for the view into a pane's scrollback.
pub(super) fn view_key(model: &mut Model, pane: u32, key: &KeyInput, cx: &mut Cx) {
    let ctrl_c = key.key == Key::Char('c') && key.mods.held() == Mods::CTRL;
    if ctrl_c || matches!(key.key, Key::Escape | Key::Enter) || typed(key) == Some('q') {
        command::close_scroll(model, pane);
    } else if let Some(movement) = movement(key) {
        command::scroll(model, pane, movement, cx);
    } else {
        model.tell(NOT_ITS_OWN, cx.now);
    }
}

/// A key while the list of keys stands `at` so many rows down.
pub(super) fn help_key(model: &mut Model, at: usize, key: &KeyInput) {
    // A list that is seen as a whole is closed by any key.
    let movement = movement(key).filter(|_| help::most_down(model) > 0);
    if let Some(movement) = movement {
        move_help(model, at, movement);
    }
}

/// Moves the list of keys.
pub(super) fn move_help(model: &mut Model, at: usize, movement: Move) {
    let (most, page) = (help::most_down(model), help::rows(model).max(1));
    let to = match movement {
        Move::Up(rows) => at.saturating_sub(rows),
        Move::Down(rows) => at + rows,
        Move::HalfUp => at.saturating_sub(page.div_ceil(2)),
        Move::HalfDown => at + page.div_ceil(2),
        Move::PageUp => at.saturating_sub(page),
        Move::PageDown => at + page,
        Move::Top => 0,
        Move::Bottom => most,
    };
    model.mode = Mode::Help(to.min(most));
}
