//! kitty's notifications, OSC 99, put together from their parts
//! (<https://sw.kovidgoyal.net/kitty/desktop-notifications/>): titles and bodies, plain or
//! base64. Buttons, icons, sounds, closing and queries are ignored: answers would have to echo
//! the program's identifier.

use base64::Engine as _;

use super::{BASE64, NOTICE_LIMIT, clean};
use crate::modes::TITLE_LIMIT;
use crate::sink::Event;

/// Longest identifier that is told apart, bytes.
const ID_LIMIT: usize = 64;

/// The notice that is being assembled. A part with another identifier begins a new one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PartialNotice {
    /// The program's identifier, at most 64 bytes.
    pub id: Vec<u8>,
    /// Title so far, at most [`TITLE_LIMIT`] bytes, as it came.
    pub title: Vec<u8>,
    /// Text so far, at most [`NOTICE_LIMIT`] bytes, as it came.
    pub body: Vec<u8>,
}

/// The fields of one part's head.
struct Head<'a> {
    id: &'a [u8],
    done: bool,
    base64: bool,
    body: bool,
}

impl PartialNotice {
    /// Nothing came.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The same with every part within its bound.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        self.id.truncate(ID_LIMIT);
        self.title.truncate(TITLE_LIMIT);
        self.body.truncate(NOTICE_LIMIT);
        self
    }

    /// Takes one part; gives the notice when it is whole.
    pub(super) fn osc(&mut self, text: &[u8]) -> Option<Event> {
        let end = text.iter().position(|&b| b == b';')?;
        let head = parse_head(&text[..end])?;
        let payload = &text[end + 1..];
        if self.id != head.id {
            *self = Self {
                id: head.id.to_vec(),
                ..Self::default()
            };
        }
        let decoded = head
            .base64
            .then(|| BASE64.decode(payload).unwrap_or_default());
        let payload = decoded.as_deref().unwrap_or(payload);
        let (part, limit) = if head.body {
            (&mut self.body, NOTICE_LIMIT)
        } else {
            (&mut self.title, TITLE_LIMIT)
        };
        let room = limit.saturating_sub(part.len());
        part.extend_from_slice(&payload[..payload.len().min(room)]);
        if !head.done {
            return None;
        }
        let whole = std::mem::take(self);
        let title = clean(&whole.title, TITLE_LIMIT);
        let body = clean(&whole.body, NOTICE_LIMIT);
        (!title.is_empty() || !body.is_empty()).then_some(Event::Notice { title, body })
    }
}

/// `None` for parts that are neither title nor body.
fn parse_head(head: &[u8]) -> Option<Head<'_>> {
    let mut parsed = Head {
        id: b"",
        done: true,
        base64: false,
        body: false,
    };
    for field in head.split(|&b| b == b':') {
        match field {
            [b'i', b'=', id @ ..] => parsed.id = &id[..id.len().min(ID_LIMIT)],
            b"d=0" => parsed.done = false,
            b"e=1" => parsed.base64 = true,
            b"p=body" => parsed.body = true,
            b"p=title" => parsed.body = false,
            [b'p', b'=', ..] => return None,
            _ => {}
        }
    }
    Some(parsed)
}
