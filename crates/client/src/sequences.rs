//! The bytes that take the outer terminal over, give it back, and ask it for things.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use crossterm::Command;
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::event::{DisableFocusChange, EnableFocusChange};
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, SetTitle};

/// Buttons, drags and the wheel, with SGR coordinates.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1000l";
/// Kitty keyboard: tell keys apart, with their other layouts' codes.
pub(crate) const KITTY_PUSH: &str = "\x1b[>5u";
pub(crate) const KITTY_POP: &str = "\x1b[<1u";
/// XTMODKEYS: Shift+Enter and the like, where there is no kitty keyboard.
const KEYS_ON: &str = "\x1b[>4;1m";
const KEYS_OFF: &str = "\x1b[>4m";
/// Titles are kept on the terminal's own stack.
const TITLE_PUSH: &str = "\x1b[22;0t";
const TITLE_POP: &str = "\x1b[23;0t";
/// Tell when the user switches between light and dark.
const THEME_ON: &str = "\x1b[?2031h";
const THEME_OFF: &str = "\x1b[?2031l";
/// Colours; asked again when the theme changes.
const ASK_COLOURS: &str = "\x1b]10;?\x1b\\\x1b]11;?\x1b\\\x1b]12;?\x1b\\";
/// Keyboard protocol, cell size in pixels, and last what every terminal answers.
const ASK_REST: &str = "\x1b[?u\x1b[16t\x1b[c";

fn ansi(out: &mut String, command: impl Command) {
    // Writing to a String cannot fail.
    let _ = command.write_ansi(out);
}

pub(crate) fn enter_bytes(mouse: bool) -> String {
    let mut out = String::from(TITLE_PUSH);
    ansi(&mut out, EnterAlternateScreen);
    ansi(&mut out, EnableBracketedPaste);
    ansi(&mut out, EnableFocusChange);
    if mouse {
        out.push_str(MOUSE_ON);
    }
    out.push_str(KEYS_ON);
    out.push_str(THEME_ON);
    out.push_str(ASK_COLOURS);
    out.push_str(ASK_REST);
    out
}

pub(crate) fn leave_bytes(mouse: bool, kitty: bool) -> String {
    let mut out = String::from("\x1b[?2026l");
    if kitty {
        out.push_str(KITTY_POP);
    }
    out.push_str(THEME_OFF);
    out.push_str(KEYS_OFF);
    if mouse {
        out.push_str(MOUSE_OFF);
    }
    ansi(&mut out, DisableFocusChange);
    ansi(&mut out, DisableBracketedPaste);
    out.push_str("\x1b[?7h\x1b[m\x1b[0 q\x1b[?25h");
    ansi(&mut out, LeaveAlternateScreen);
    out.push_str("\x1b[m\x1b[?25h");
    out.push_str(TITLE_POP);
    out
}

/// Bytes that ask for the colours again.
pub(crate) const fn ask_colours() -> &'static str {
    ASK_COLOURS
}

/// Bytes that set the window title; control characters are left out.
pub(crate) fn title_bytes(title: &str) -> String {
    let mut out = String::new();
    let clean: String = title
        .chars()
        .filter(|c| !c.is_control())
        .take(200)
        .collect();
    ansi(&mut out, SetTitle(clean));
    out
}

/// Bytes that write the clipboard (OSC 52); an empty write would erase it and is none.
pub(crate) fn clipboard_bytes(text: &[u8]) -> String {
    if text.is_empty() {
        return String::new();
    }
    format!("\x1b]52;c;{}\x1b\\", STANDARD.encode(text))
}
