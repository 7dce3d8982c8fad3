//! Keys that scroll: the list of keys, and the view into the scrollback.
//!
//! In: keys. Out: a moved list or view. Promises: tmux's keys of both its tables move; in a list any other
//! key closes it.

use crate::draw::help;
use crate::keys::typed;
use crate::model::{Mode, Model};
use crate::scroll::Move;
use term::input::{Key, KeyInput, Mods};

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
