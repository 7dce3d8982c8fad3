//! Mouse events in the mode and spelling a program asked for.

use super::Mods;
use crate::modes::{Modes, MouseEncoding, MouseMode};

/// Cursor keys one step of the wheel sends where a program has no mouse (mode 1007).
const LINES_PER_STEP: usize = 3;

/// A mouse button.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Button {
    /// Left.
    Left,
    /// Middle.
    Middle,
    /// Right.
    Right,
    /// Button 8 to 11 (back, forward and two more).
    Extra(u8),
}

/// A step of the wheel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wheel {
    /// Away from the user.
    Up,
    /// Towards the user.
    Down,
    /// To the left.
    Left,
    /// To the right.
    Right,
}

/// What happened.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MouseKind {
    /// A button went down.
    Press(Button),
    /// A button went up.
    Release(Button),
    /// The mouse moved, with this button down if any.
    Move(Option<Button>),
    /// One step of the wheel.
    Wheel(Wheel),
}

/// One mouse event inside a pane.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MouseInput {
    /// What happened.
    pub kind: MouseKind,
    /// Column from 0.
    pub x: u16,
    /// Row from 0.
    pub y: u16,
    /// Place in pixels from the pane's corner, for mode 1016; the middle of the cell by
    /// `Colours::cell` if nothing better is known.
    pub pixel: (u32, u32),
    /// Modifiers that are held; shift, alt and control count.
    pub mods: Mods,
}

/// The event for the program, or `None` if it did not ask for this one or the spelling it chose
/// cannot hold the place.
///
/// Without a mouse mode, the wheel sends cursor keys on the alternate screen (mode 1007).
#[must_use]
pub fn encode_mouse(input: &MouseInput, modes: &Modes) -> Option<Vec<u8>> {
    if modes.mouse == MouseMode::Off {
        return alternate_scroll(input, modes);
    }
    if !wanted(input.kind, modes.mouse) {
        return None;
    }
    let mut code = number(input.kind);
    if modes.mouse != MouseMode::X10 {
        let mods = input.mods;
        code += 4 * u16::from(mods.contains(Mods::SHIFT));
        code += 8 * u16::from(mods.contains(Mods::ALT) || mods.contains(Mods::META));
        code += 16 * u16::from(mods.contains(Mods::CTRL));
    }
    let (x, y) = (u32::from(input.x) + 1, u32::from(input.y) + 1);
    match modes.mouse_encoding {
        MouseEncoding::Sgr => Some(sgr(code, x, y, input.kind)),
        MouseEncoding::SgrPixels => Some(sgr(code, input.pixel.0, input.pixel.1, input.kind)),
        MouseEncoding::Urxvt => {
            let code = without_button(code, input.kind) + 32;
            Some(format!("\x1b[{code};{x};{y}M").into_bytes())
        }
        MouseEncoding::Default => {
            let mut out = b"\x1b[M".to_vec();
            for value in [u32::from(without_button(code, input.kind)), x, y] {
                out.push(u8::try_from(value + 32).ok()?);
            }
            Some(out)
        }
        MouseEncoding::Utf8 => {
            let mut out = b"\x1b[M".to_vec();
            for value in [u32::from(without_button(code, input.kind)), x, y] {
                // Two bytes at most, as xterm defines it.
                let c = char::from_u32(value + 32).filter(|c| *c < '\u{800}')?;
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            Some(out)
        }
    }
}

fn wanted(kind: MouseKind, mode: MouseMode) -> bool {
    match kind {
        MouseKind::Press(button) => mode != MouseMode::X10 || !matches!(button, Button::Extra(_)),
        MouseKind::Release(_) | MouseKind::Wheel(_) => mode != MouseMode::X10,
        MouseKind::Move(Some(_)) => matches!(mode, MouseMode::Drag | MouseMode::Motion),
        MouseKind::Move(None) => mode == MouseMode::Motion,
    }
}

/// The event's number without modifiers.
fn number(kind: MouseKind) -> u16 {
    match kind {
        MouseKind::Press(button) | MouseKind::Release(button) => button_number(button),
        MouseKind::Move(button) => 32 + button.map_or(3, button_number),
        MouseKind::Wheel(Wheel::Up) => 64,
        MouseKind::Wheel(Wheel::Down) => 65,
        MouseKind::Wheel(Wheel::Left) => 66,
        MouseKind::Wheel(Wheel::Right) => 67,
    }
}

fn button_number(button: Button) -> u16 {
    match button {
        Button::Left => 0,
        Button::Middle => 1,
        Button::Right => 2,
        Button::Extra(n) => 128 + u16::from(n.clamp(8, 11) - 8),
    }
}

/// The old spellings cannot say which button went up: it is 3.
fn without_button(code: u16, kind: MouseKind) -> u16 {
    match kind {
        MouseKind::Release(button) => code - button_number(button) + 3,
        _ => code,
    }
}

fn sgr(code: u16, x: u32, y: u32, kind: MouseKind) -> Vec<u8> {
    let last = if matches!(kind, MouseKind::Release(_)) {
        'm'
    } else {
        'M'
    };
    format!("\x1b[<{code};{x};{y}{last}").into_bytes()
}

fn alternate_scroll(input: &MouseInput, modes: &Modes) -> Option<Vec<u8>> {
    if !modes.alternate || !modes.alternate_scroll {
        return None;
    }
    let key: &[u8] = match (input.kind, modes.cursor_keys) {
        (MouseKind::Wheel(Wheel::Up), false) => b"\x1b[A",
        (MouseKind::Wheel(Wheel::Up), true) => b"\x1bOA",
        (MouseKind::Wheel(Wheel::Down), false) => b"\x1b[B",
        (MouseKind::Wheel(Wheel::Down), true) => b"\x1bOB",
        _ => return None,
    };
    Some(key.repeat(LINES_PER_STEP))
}
