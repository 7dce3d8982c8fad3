//! OSC strings as events: titles, folders, notices, progress, prompt marks, program status and
//! clipboard writes.
//!
//! In: the payload of a finished OSC; out: at most one [`Event`], clean and bounded: text for
//! people has no controls and no direction overrides and is at most [`TITLE_LIMIT`] or
//! [`NOTICE_LIMIT`] bytes. Titles and colours also go into the mode table. Answers to OSC queries
//! are made in `answer`; clipboard reads are never answered (a program on the far end of an ssh
//! connection could read passwords). Links (OSC 8) belong to the engine.
//!
//! Sources: xterm ctlseqs (0, 2, 52), kitty's desktop-notifications page (99), ConEmu (9;4),
//! iTerm2's and FinalTerm's pages (9, 133, 1337), urxvt's notify extension (777), the program
//! status protocol 0.2 (7501).

mod folder;
mod kitty_notice;

#[cfg(test)]
mod tests;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::modes::{Modes, TITLE_LIMIT};
use crate::sink::Event;
pub use kitty_notice::PartialNotice;

/// Most bytes of a notice's text; its title has [`TITLE_LIMIT`].
pub const NOTICE_LIMIT: usize = 4 * 1024;
/// Most bytes a program may put on the clipboard at once.
pub const CLIPBOARD_LIMIT: usize = 1024 * 1024;
/// Most bytes of a program status, from OSC to ST.
pub const STATUS_LIMIT: usize = 4096;

/// Base64 as programs write it: with or without padding.
pub(crate) const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// The little that is remembered: a kitty notice that comes in parts, how many pictures came.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Events {
    notice: PartialNotice,
    pictures: u64,
}

impl Events {
    /// Applies one OSC: titles and colours go into `modes`, everything else becomes an event.
    pub fn osc(&mut self, payload: &[u8], modes: &mut Modes) -> Option<Event> {
        let (number, text) = split_number(payload)?;
        match number {
            0 | 2 => {
                let title = clean(text, TITLE_LIMIT);
                modes
                    .titles
                    .set(title.clone())
                    .then_some(Event::Title(title))
            }
            4 | 10..=12 | 104 | 110..=112 => {
                modes.colours.osc(number, text);
                None
            }
            7 => folder::from_url(text).map(Event::Folder),
            9 => osc_9(text),
            52 => clipboard(text),
            99 => self.notice.osc(text),
            133 => mark(text),
            777 => osc_777(text),
            1337 => osc_1337(text),
            7501 => status(text),
            _ => None,
        }
    }

    /// What goes on from a notice that came in part and so many pictures.
    #[must_use]
    pub fn resumed(notice: PartialNotice, pictures: u64) -> Self {
        Self { notice, pictures }
    }

    /// The notice that has not come whole.
    #[must_use]
    pub const fn notice(&self) -> &PartialNotice {
        &self.notice
    }

    /// Pictures that came so far (sixel, kitty graphics, iTerm2's).
    #[must_use]
    pub const fn pictures(&self) -> u64 {
        self.pictures
    }

    /// One more came.
    pub fn count_picture(&mut self) {
        self.pictures = self.pictures.saturating_add(1);
    }

    /// Forgets a notice that has not come whole, as RIS does.
    pub fn reset(&mut self) {
        self.notice = PartialNotice::default();
    }
}

/// An OSC's number and the text behind its `;`. `None` if there is no number.
pub(crate) fn split_number(payload: &[u8]) -> Option<(u16, &[u8])> {
    let end = payload
        .iter()
        .position(|&b| b == b';')
        .unwrap_or(payload.len());
    let digits = &payload[..end];
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number = std::str::from_utf8(digits).ok()?.parse().ok()?;
    Some((number, payload.get(end + 1..).unwrap_or_default()))
}

/// Text for people: UTF-8 (invalid parts become U+FFFD), without controls, direction marks and
/// other invisible formatting, at most `limit` bytes. Tabs and line ends become spaces.
pub fn clean(text: &[u8], limit: usize) -> String {
    let mut out = String::new();
    for c in String::from_utf8_lossy(text).chars() {
        let c = match c {
            '\t' | '\n' | '\r' => ' ',
            c if is_hidden(c) => continue,
            c => c,
        };
        if out.len() + c.len_utf8() > limit {
            break;
        }
        out.push(c);
    }
    out.truncate(out.trim_end().len());
    out
}

/// Controls, and characters that change how other text is shown without being seen (the joiners
/// U+200C and U+200D, which scripts and emoji need, are kept).
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{061c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// OSC 9: a notice (iTerm2), or one of ConEmu's numbered commands, of which only 4 (progress)
/// and 9 (folder) mean something here.
fn osc_9(text: &[u8]) -> Option<Event> {
    let mut fields = text.split(|&b| b == b';');
    let first = fields.next()?;
    match first {
        b"4" => return progress(fields.next(), fields.next()),
        b"9" if text.len() > 1 => {
            return folder::plain(text[2..].trim_ascii().trim_quotes()).map(Event::Folder);
        }
        b"1" | b"2" | b"3" | b"5" | b"6" | b"7" | b"8" | b"10" | b"11" | b"12"
            if text.len() > first.len() =>
        {
            return None;
        }
        _ => {}
    }
    notice("", text)
}

/// iTerm2's: the folder, and a mark at this line.
fn osc_1337(text: &[u8]) -> Option<Event> {
    if text == b"SetMark" {
        return Some(Event::Mark {
            kind: b'M',
            status: None,
        });
    }
    folder::plain(text.strip_prefix(b"CurrentDir=")?).map(Event::Folder)
}

trait TrimQuotes {
    fn trim_quotes(&self) -> &[u8];
}

impl TrimQuotes for [u8] {
    fn trim_quotes(&self) -> &[u8] {
        self.strip_prefix(b"\"")
            .and_then(|rest| rest.strip_suffix(b"\""))
            .unwrap_or(self)
    }
}

fn progress(state: Option<&[u8]>, percent: Option<&[u8]>) -> Option<Event> {
    let number = |text: Option<&[u8]>| -> Option<u32> {
        std::str::from_utf8(text?.trim_ascii()).ok()?.parse().ok()
    };
    let state = u8::try_from(number(state)?)
        .ok()
        .filter(|state| *state <= 4)?;
    let percent = u8::try_from(number(percent).unwrap_or(0).min(100)).unwrap_or(100);
    // Without a bar (0) and with a moving one (3) a number has no meaning.
    let percent = if matches!(state, 0 | 3) { 0 } else { percent };
    Some(Event::Progress { state, percent })
}

fn notice(title: &str, body: &[u8]) -> Option<Event> {
    let body = clean(body, NOTICE_LIMIT);
    if title.is_empty() && body.is_empty() {
        return None;
    }
    Some(Event::Notice {
        title: title.to_owned(),
        body,
    })
}

fn osc_777(text: &[u8]) -> Option<Event> {
    let rest = text.strip_prefix(b"notify;")?;
    let end = rest.iter().position(|&b| b == b';').unwrap_or(rest.len());
    let title = clean(&rest[..end], TITLE_LIMIT);
    notice(&title, rest.get(end + 1..).unwrap_or_default())
}

fn mark(text: &[u8]) -> Option<Event> {
    let mut fields = text.split(|&b| b == b';');
    let kind = match fields.next()? {
        [kind @ b'A'..=b'D'] => *kind,
        _ => return None,
    };
    let status = fields.next().filter(|_| kind == b'D');
    let status = status.and_then(|text| std::str::from_utf8(text).ok()?.parse().ok());
    Some(Event::Mark { kind, status })
}

/// OSC 52. Empty and unreadable writes are ignored: they would only erase what the user has
/// (`herdr#1893`); reads (`?`) get nothing.
fn clipboard(text: &[u8]) -> Option<Event> {
    let at = text.iter().position(|&b| b == b';')?;
    let data = &text[at + 1..];
    if data == b"?" {
        return None;
    }
    let bytes = BASE64.decode(data).ok()?;
    (!bytes.is_empty() && bytes.len() <= CLIPBOARD_LIMIT).then_some(Event::Clipboard(bytes))
}

/// OSC 7501: the pairs as they came; only the protocol's alphabet is let through.
fn status(text: &[u8]) -> Option<Event> {
    let legal = |b: &u8| b.is_ascii_alphanumeric() || b"_.,+/=-:".contains(b);
    let fits = text.len() + b"\x1b]7501;\x1b\\".len() <= STATUS_LIMIT;
    (!text.is_empty() && fits && text.iter().all(legal))
        .then(|| Event::ProgramStatus(text.to_vec()))
}
