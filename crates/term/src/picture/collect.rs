//! A viewer's copy of the picture that is being received, made fit to be passed on. In: pieces of
//! strings; out: the bytes that draw it. Promises: at most the limit is kept, a longer picture is
//! given up whole; what comes out holds printable ASCII between its introducers and terminators,
//! only keys that draw, no number of the program's and no wish for an answer.

use super::{Act, Fields, Head, Part, PictureKind, file_parts, kitty_parts};

/// A picture on its way. With a limit of 0 nothing is kept: the host only counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Collector {
    limit: usize,
    /// Strings so far, the running one without its end.
    bytes: Vec<u8>,
    /// Where the running string's data begins.
    start: usize,
    /// Too long, or its beginning was not seen.
    broken: bool,
    running: bool,
    /// A picture in several strings is not complete.
    open: bool,
    /// It is a frame.
    frame: bool,
}

/// What each string of kitty's begins with here. What is to be done with a picture stands behind it.
pub(crate) const KITTY: &[u8] = b"\x1b_Gq=2";

impl Collector {
    /// Keeps pictures up to `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            ..Self::default()
        }
    }

    /// Most bytes it keeps.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// A string begins that may be a picture.
    pub(crate) fn start(&mut self) {
        if self.limit == 0 {
            return;
        }
        if !self.open {
            self.bytes.clear();
            self.broken = false;
        }
        self.start = self.bytes.len();
        self.running = true;
    }

    /// A string begins that is none.
    pub(crate) fn skip(&mut self) {
        self.running = false;
    }

    /// A piece of it.
    pub(crate) fn put(&mut self, piece: &[u8]) {
        if !self.running || self.broken {
            return;
        }
        if self.bytes.len() + piece.len() > self.limit {
            self.give_up();
            return;
        }
        self.bytes.extend_from_slice(piece);
    }

    /// What came so far is not all there is of it.
    pub(crate) fn give_up(&mut self) {
        self.broken = true;
        self.bytes = Vec::new();
        self.start = 0;
    }

    /// The running string ended and is this; gives the picture's bytes once it is complete.
    pub(crate) fn end(&mut self, head: &Head) -> Option<Vec<u8>> {
        if self.limit == 0 {
            return None;
        }
        let data = self.bytes.split_off(self.start.min(self.bytes.len()));
        self.running = false;
        let carries = match head.act {
            Act::Places(..) | Act::Plays(..) | Act::Deletes(_) => false,
            Act::Elsewhere => head.counts || head.part == Part::First,
            Act::Nothing | Act::Shows(..) | Act::Keeps(_) | Act::Frame(_) => true,
        };
        if !carries {
            // One that is coming in parts goes on.
            return None;
        }
        match head.part {
            Part::First | Part::Whole => {
                self.bytes.clear();
                self.open = head.part == Part::First;
                self.frame = matches!(head.act, Act::Frame(_));
            }
            // The rest of something that is not passed on.
            Part::Later(_) if !self.open => return None,
            Part::Later(last) => self.open = !last,
        }
        let sound = match head.kind {
            PictureKind::Sixel => sixel(&data, &mut self.bytes),
            PictureKind::Kitty => kitty(&data, self.frame, head.part, &mut self.bytes),
            PictureKind::File => file(&data, head, &mut self.bytes),
        };
        if !sound {
            self.give_up();
        }
        if self.open {
            return None;
        }
        let bytes = std::mem::take(&mut self.bytes);
        (!self.broken).then_some(bytes)
    }

    /// An OSC that is a picture, whole.
    pub(crate) fn whole(&mut self, payload: &[u8], head: &Head) -> Option<Vec<u8>> {
        self.open = false;
        self.start();
        self.put(payload);
        self.end(head)
    }

    /// A string ended that is no picture, or was cut off.
    pub(crate) fn drop_string(&mut self) {
        if self.running {
            self.bytes.truncate(self.start);
            self.running = false;
        }
    }
}

fn sixel(data: &[u8], out: &mut Vec<u8>) -> bool {
    // The background stays as it is (P2 = 1), so that the cells below show through.
    out.extend_from_slice(b"\x1bP0;1q");
    out.extend(data.iter().filter(|b| b.is_ascii_graphic()));
    out.extend_from_slice(b"\x1b\\");
    true
}

fn is_base64(payload: &[u8]) -> bool {
    let good = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
    payload.iter().all(good)
}

fn is_word(text: &[u8]) -> bool {
    let good = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'%');
    !text.is_empty() && text.len() <= 16 && text.iter().all(good)
}

/// One string of a picture, or of a frame. Names are given by the viewer, as is where it is shown.
fn kitty(data: &[u8], frame: bool, part: Part, out: &mut Vec<u8>) -> bool {
    let Some((keys, payload)) = kitty_parts(data) else {
        return false;
    };
    if !is_base64(payload) {
        return false;
    }
    out.extend_from_slice(KITTY);
    let later = matches!(part, Part::Later(_));
    if frame && !later {
        out.extend_from_slice(b",a=f");
    }
    for (key, value) in Fields(keys, b',').all() {
        if !(is_word(key) && is_word(value)) {
            return false;
        }
        let of_picture = matches!(key, b"f" | b"s" | b"v" | b"S" | b"O" | b"o" | b"t" | b"m");
        let of_frame = matches!(key, b"x" | b"y" | b"c" | b"r" | b"z" | b"X" | b"Y");
        if !(of_picture || frame && of_frame) {
            continue;
        }
        out.push(b',');
        out.extend_from_slice(key);
        out.push(b'=');
        out.extend_from_slice(value);
    }
    if frame && later {
        out.extend_from_slice(b",a=f");
    }
    out.push(b';');
    out.extend_from_slice(payload);
    out.extend_from_slice(b"\x1b\\");
    true
}

fn file(data: &[u8], head: &Head, out: &mut Vec<u8>) -> bool {
    let (Some((args, payload)), Some((cols, rows))) = (file_parts(data), head.cells) else {
        return false;
    };
    let keeps = Fields(args, b';').get(b"preserveAspectRatio") != Some(b"0");
    let args = format!(
        "\x1b]1337;File=inline=1;width={cols};height={rows};preserveAspectRatio={};doNotMoveCursor=1:",
        u8::from(keeps)
    );
    out.extend_from_slice(args.as_bytes());
    out.extend_from_slice(payload);
    out.extend_from_slice(b"\x1b\\");
    is_base64(payload)
}
