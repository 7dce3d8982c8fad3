//! The commands behind the prefix: tmux's default keys, and the help that lists them.
//!
//! In: a key typed after the prefix. Out: a command. Promises: the table is the one place that
//! says which key does what; the help is made from it.

use crate::geometry::ops::Side;
use link::layout::Direction;
use term::input::{Key, KeyInput, Mods, parse_key_name};

/// Cells of a large resizing step.
const LARGE: u16 = 5;

/// What the user can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// A new pane beside or below the focused one.
    Split(Direction),
    /// Focus the pane on that side.
    Focus(Side),
    /// Focus the next pane of the tab.
    NextPane,
    /// Focus the pane that had the focus before.
    LastPane,
    /// Give the focused pane the whole tab, or back.
    Zoom,
    /// Move the border on that side.
    Resize(Side, u16),
    /// The next even arrangement.
    Even,
    /// Swap with the next (true) or previous pane.
    Swap(bool),
    /// End the pane's program, after a question.
    ClosePane,
    /// A new tab.
    NewTab,
    /// The next (true) or previous tab.
    CycleTab(bool),
    /// The tab that was in front before.
    LastTab,
    /// The tab of this number.
    Tab(usize),
    /// End all programs of the tab, after a question.
    CloseTab,
    /// Name the tab.
    Rename,
    /// Look into the scrollback.
    Scroll,
    /// Stop what has not come back yet.
    Hold,
    /// Let go of what would come back, after a question.
    Fresh,
    /// Leave; everything goes on.
    Detach,
    /// List the keys.
    Help,
}

impl Command {
    /// Its key may be typed again without the prefix for a moment.
    pub(crate) const fn repeats(self) -> bool {
        matches!(self, Self::Resize(..))
    }
}

/// Key names, what they do, and the words for the help (empty: the line above speaks for it).
const TABLE: &[(&str, Command, &str)] = &[
    (
        "%",
        Command::Split(Direction::Across),
        "split: new pane to the right",
    ),
    (
        "\"",
        Command::Split(Direction::Down),
        "split: new pane below",
    ),
    (
        "Left",
        Command::Focus(Side::Left),
        "arrows: focus the pane on that side",
    ),
    ("Right", Command::Focus(Side::Right), ""),
    ("Up", Command::Focus(Side::Up), ""),
    ("Down", Command::Focus(Side::Down), ""),
    ("o", Command::NextPane, "focus the next pane"),
    (";", Command::LastPane, "focus the pane before"),
    ("z", Command::Zoom, "zoom the pane, and back"),
    (
        "C-Left",
        Command::Resize(Side::Left, 1),
        "Ctrl-arrows: resize (Alt: by 5)",
    ),
    ("C-Right", Command::Resize(Side::Right, 1), ""),
    ("C-Up", Command::Resize(Side::Up, 1), ""),
    ("C-Down", Command::Resize(Side::Down, 1), ""),
    ("M-Left", Command::Resize(Side::Left, LARGE), ""),
    ("M-Right", Command::Resize(Side::Right, LARGE), ""),
    ("M-Up", Command::Resize(Side::Up, LARGE), ""),
    ("M-Down", Command::Resize(Side::Down, LARGE), ""),
    ("Space", Command::Even, "even out the panes"),
    ("{", Command::Swap(false), "swap with the previous pane"),
    ("}", Command::Swap(true), "swap with the next pane"),
    ("x", Command::ClosePane, "close the pane (asks)"),
    ("c", Command::NewTab, "new tab"),
    ("n", Command::CycleTab(true), "next tab"),
    ("p", Command::CycleTab(false), "previous tab"),
    ("l", Command::LastTab, "the tab before"),
    ("0", Command::Tab(0), "0-9: that tab"),
    ("1", Command::Tab(1), ""),
    ("2", Command::Tab(2), ""),
    ("3", Command::Tab(3), ""),
    ("4", Command::Tab(4), ""),
    ("5", Command::Tab(5), ""),
    ("6", Command::Tab(6), ""),
    ("7", Command::Tab(7), ""),
    ("8", Command::Tab(8), ""),
    ("9", Command::Tab(9), ""),
    (",", Command::Rename, "name the tab"),
    ("&", Command::CloseTab, "close the tab (asks)"),
    ("[", Command::Scroll, "look into the scrollback"),
    ("PageUp", Command::Scroll, ""),
    ("H", Command::Hold, "stop what has not come back"),
    ("F", Command::Fresh, "start fresh here (asks)"),
    ("d", Command::Detach, "detach: everything goes on"),
    ("?", Command::Help, "this help"),
];

/// The command of a key typed after the prefix.
pub(crate) fn command(key: &KeyInput) -> Option<Command> {
    TABLE
        .iter()
        .find(|(name, ..)| parse_key_name(name).is_some_and(|bound| same(key, &bound)))
        .map(|(_, command, _)| *command)
}

/// Ctrl and the prefix letter, whatever locks are on.
pub(crate) fn is_prefix(key: &KeyInput, letter: char) -> bool {
    let on_us_keyboard = key.base.is_some_and(|base| base == letter);
    key.mods.held() == Mods::CTRL && (key.key == Key::Char(letter) || on_us_keyboard)
}

/// The character a key types as it is held; `None` with Ctrl, Alt and the like.
pub(crate) fn typed(key: &KeyInput) -> Option<char> {
    if key.mods.beyond_shift() {
        return None;
    }
    match key.key {
        Key::Char(c) if key.mods.contains(Mods::SHIFT) => Some(
            key.shifted
                .unwrap_or_else(|| c.to_uppercase().next().unwrap_or(c)),
        ),
        Key::Char(c) => Some(c),
        _ => None,
    }
}

fn same(key: &KeyInput, bound: &KeyInput) -> bool {
    match (typed(key), typed(bound)) {
        (Some(typed), Some(bound)) => typed == bound,
        (None, None) => key.key == bound.key && key.mods.held() == bound.mods.held(),
        _ => false,
    }
}

/// Key and words of each line of the help.
pub(crate) fn help() -> impl Iterator<Item = (&'static str, &'static str)> {
    TABLE
        .iter()
        .filter(|(.., words)| !words.is_empty())
        .map(|(name, _, words)| {
            let name = match *name {
                "Left" | "C-Left" | "0" => "",
                other => other,
            };
            (name, *words)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bound_name_is_a_key_and_none_is_bound_twice() {
        for (i, (name, ..)) in TABLE.iter().enumerate() {
            let key = parse_key_name(name).unwrap();
            let first = TABLE
                .iter()
                .position(|(n, ..)| same(&parse_key_name(n).unwrap(), &key));
            assert_eq!(first, Some(i), "{name}");
        }
    }

    #[test]
    fn keys_find_their_commands() {
        let check = |name: &str, want: Option<Command>| {
            assert_eq!(command(&parse_key_name(name).unwrap()), want, "{name}");
        };
        check("%", Some(Command::Split(Direction::Across)));
        check("Up", Some(Command::Focus(Side::Up)));
        check("C-Up", Some(Command::Resize(Side::Up, 1)));
        check("S-Up", None);
        check("d", Some(Command::Detach));
        check("D", None);
        check("C-d", None);
        // A keyboard that reports `%` as Shift and 5.
        let five = KeyInput {
            shifted: Some('%'),
            ..KeyInput::new(Key::Char('5'), Mods::SHIFT)
        };
        assert_eq!(command(&five), Some(Command::Split(Direction::Across)));
    }

    #[test]
    fn the_prefix_is_known_with_locks_on_and_on_other_layouts() {
        let b = KeyInput::new(Key::Char('b'), Mods::CTRL);
        assert!(is_prefix(&b, 'b') && !is_prefix(&b, 'a'));
        let locked = KeyInput {
            mods: Mods::CTRL.with(Mods::CAPS_LOCK).with(Mods::NUM_LOCK),
            ..b
        };
        assert!(is_prefix(&locked, 'b'));
        let cyrillic = KeyInput {
            key: Key::Char('и'),
            base: Some('b'),
            ..b
        };
        assert!(is_prefix(&cyrillic, 'b'));
        assert!(!is_prefix(
            &KeyInput {
                mods: Mods::CTRL.with(Mods::SHIFT),
                ..b
            },
            'b'
        ));
    }
}
