//! Keys to commands. Pure.

use super::editor::Edit;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseEventKind};

/// What the keys mean now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A request is typed.
    Typing,
    /// A card waits, with so many options; `words`: it takes words.
    Card {
        /// How many options it has.
        options: usize,
    },
    /// Words to search for are typed.
    Searching,
}

/// What a key wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Text was typed or pasted.
    Insert(String),
    /// The text being typed changes.
    Edit(Edit),
    /// What was typed is sent, or the search is done, or the chosen option answers the card.
    Enter,
    /// The turn is stopped; a search is left.
    Escape,
    /// Ctrl-C: stop, and with nothing under way leave.
    Interrupt,
    /// Ctrl-D on an empty line: leave.
    EndOfInput,
    /// The view moves by so many lines, up when negative.
    Scroll(i32),
    /// The view moves by so many pages.
    Page(i32),
    /// To the end.
    Bottom,
    /// To the beginning.
    Top,
    /// Begins to search.
    Search,
    /// The next place found, upward when false.
    Next(bool),
    /// Another option of the card.
    Choose(i32),
    /// The option with this number answers the card.
    Option(usize),
}

/// What an event wants; `None`: nothing.
#[must_use]
pub fn command(event: &Event, mode: Mode) -> Option<Command> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => of_key(*key, mode),
        Event::Paste(text) => Some(Command::Insert(text.replace('\r', "\n"))),
        Event::Mouse(mouse) => match mouse.kind {
            MouseEventKind::ScrollUp => Some(Command::Scroll(-3)),
            MouseEventKind::ScrollDown => Some(Command::Scroll(3)),
            _ => None,
        },
        _ => None,
    }
}

fn of_key(key: KeyEvent, mode: Mode) -> Option<Command> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let alt = key.modifiers.contains(KeyModifiers::ALT);
    let shift = key.modifiers.contains(KeyModifiers::SHIFT);
    if let KeyCode::Char(c) = key.code
        && control
    {
        return with_control(c.to_ascii_lowercase());
    }
    if let Mode::Card { options } = mode
        && let Some(command) = on_card(key.code, options)
    {
        return Some(command);
    }
    Some(match key.code {
        KeyCode::Enter if alt || shift => Command::Insert("\n".to_owned()),
        KeyCode::Enter => Command::Enter,
        KeyCode::Esc => Command::Escape,
        KeyCode::PageUp => Command::Page(-1),
        KeyCode::PageDown => Command::Page(1),
        KeyCode::Home if shift => Command::Top,
        KeyCode::End if shift => Command::Bottom,
        KeyCode::Up if mode == Mode::Searching => Command::Next(false),
        KeyCode::Down if mode == Mode::Searching => Command::Next(true),
        KeyCode::Char('b') if alt => Command::Edit(Edit::WordLeft),
        KeyCode::Char('f') if alt => Command::Edit(Edit::WordRight),
        KeyCode::Char(c) if !alt => Command::Insert(c.to_string()),
        code => Command::Edit(edit(code, alt)?),
    })
}

fn with_control(c: char) -> Option<Command> {
    Some(match c {
        'c' => Command::Interrupt,
        'd' => Command::EndOfInput,
        'f' | 'r' => Command::Search,
        'j' => Command::Insert("\n".to_owned()),
        'a' => Command::Edit(Edit::Home),
        'e' => Command::Edit(Edit::End),
        'w' => Command::Edit(Edit::KillWord),
        'u' => Command::Edit(Edit::KillToStart),
        'k' => Command::Edit(Edit::KillToEnd),
        'p' => Command::Edit(Edit::Earlier),
        'n' => Command::Edit(Edit::Later),
        _ => return None,
    })
}

fn on_card(code: KeyCode, options: usize) -> Option<Command> {
    match code {
        KeyCode::Up | KeyCode::Left => Some(Command::Choose(-1)),
        KeyCode::Down | KeyCode::Right | KeyCode::Tab => Some(Command::Choose(1)),
        KeyCode::Char(c) => {
            let number = usize::try_from(c.to_digit(10)?).ok()?;
            (1..=options)
                .contains(&number)
                .then(|| Command::Option(number - 1))
        }
        _ => None,
    }
}

const fn edit(code: KeyCode, alt: bool) -> Option<Edit> {
    Some(match code {
        KeyCode::Left if alt => Edit::WordLeft,
        KeyCode::Right if alt => Edit::WordRight,
        KeyCode::Left => Edit::Left,
        KeyCode::Right => Edit::Right,
        KeyCode::Home => Edit::Home,
        KeyCode::End => Edit::End,
        KeyCode::Backspace if alt => Edit::KillWord,
        KeyCode::Backspace => Edit::Backspace,
        KeyCode::Delete => Edit::Delete,
        KeyCode::Up => Edit::Earlier,
        KeyCode::Down => Edit::Later,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys() {
        let check = |code, modifiers, mode, want: Option<Command>| {
            let key = Event::Key(KeyEvent::new(code, modifiers));
            assert_eq!(command(&key, mode), want, "{code:?} {modifiers:?} {mode:?}");
        };
        let (none, control, alt) = (KeyModifiers::NONE, KeyModifiers::CONTROL, KeyModifiers::ALT);
        let typing = Mode::Typing;
        let insert = |text: &str| Some(Command::Insert(text.to_owned()));
        check(KeyCode::Char('x'), none, typing, insert("x"));
        check(KeyCode::Enter, none, typing, Some(Command::Enter));
        check(KeyCode::Enter, alt, typing, insert("\n"));
        check(KeyCode::Char('j'), control, typing, insert("\n"));
        check(
            KeyCode::Char('c'),
            control,
            typing,
            Some(Command::Interrupt),
        );
        check(
            KeyCode::Up,
            none,
            typing,
            Some(Command::Edit(Edit::Earlier)),
        );
        check(
            KeyCode::Up,
            none,
            Mode::Searching,
            Some(Command::Next(false)),
        );
        let card = Mode::Card { options: 2 };
        check(KeyCode::Char('2'), none, card, Some(Command::Option(1)));
        check(KeyCode::Char('3'), none, card, insert("3"));
        check(KeyCode::Down, none, card, Some(Command::Choose(1)));
        check(KeyCode::F(5), none, typing, None);
    }
}
