//! DCS and APC strings put together: the parser hands them out in pieces, a query needs them
//! whole.
//!
//! In: the parser's `dcs_*` and `string_*` calls; out: a [`Collected`] when one ended properly.
//! Plain data, part of a snapshot: [`Strings::data`] is what `Parser::pending_with` wants. Memory
//! is bounded by [`QUERY_LIMIT`], for tmux's pass-through by [`PASSTHROUGH_LIMIT`]; a longer
//! query is dropped, of a longer APC the beginning is kept.

use crate::parser::{OSC_CLIPBOARD_LIMIT, Sequence, StringKind};
use crate::picture::{self, Album, Head};

/// Most bytes of a DCS or APC that is looked at.
pub const QUERY_LIMIT: usize = 4 * 1024;
/// Most bytes of tmux's pass-through; enough for a clipboard write inside.
pub const PASSTHROUGH_LIMIT: usize = OSC_CLIPBOARD_LIMIT + 64;

/// tmux's pass-through: `ESC P tmux; ... ESC \`. The `t` is the DCS's final byte.
const TMUX: &[u8] = b"mux;";

/// A string that ended properly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Collected {
    /// A DCS: head, final byte, data.
    Dcs(Sequence, u8, Vec<u8>),
    /// The beginning of an APC.
    Apc(Vec<u8>),
    /// What tmux's pass-through carries, to be parsed in its place.
    Passthrough(Vec<u8>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Kind {
    #[default]
    None,
    Dcs(u8),
    Apc,
    /// Of no interest: pieces are dropped.
    Other,
}

/// The string that is being received.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Strings {
    kind: Kind,
    seq: Sequence,
    /// One byte more than the limit means: too long.
    data: Vec<u8>,
}

impl Strings {
    /// A DCS began.
    pub fn dcs_start(&mut self, seq: &Sequence, byte: u8) {
        self.kind = Kind::Dcs(byte);
        self.seq.clone_from(seq);
        self.data.clear();
    }

    /// An APC, PM or SOS began.
    pub fn string_start(&mut self, kind: StringKind) {
        self.kind = if kind == StringKind::Apc {
            Kind::Apc
        } else {
            Kind::Other
        };
        self.data.clear();
    }

    /// A piece of it.
    pub fn put(&mut self, piece: &[u8]) {
        if matches!(self.kind, Kind::None | Kind::Other) {
            return;
        }
        // The pass-through shows itself within the first bytes, far below either limit.
        let head = QUERY_LIMIT.saturating_sub(self.data.len()).min(piece.len());
        self.data.extend_from_slice(&piece[..head]);
        let room = (self.limit() + 1).saturating_sub(self.data.len());
        let rest = &piece[head..];
        self.data.extend_from_slice(&rest[..rest.len().min(room)]);
    }

    fn limit(&self) -> usize {
        if self.is_passthrough() {
            PASSTHROUGH_LIMIT
        } else {
            QUERY_LIMIT
        }
    }

    fn is_passthrough(&self) -> bool {
        self.kind == Kind::Dcs(b't') && self.seq.is_plain() && self.data.starts_with(TMUX)
    }

    /// It ended; gives it if it is whole and not too long.
    pub fn end(&mut self, whole: bool) -> Option<Collected> {
        let too_long = self.data.len() > self.limit();
        let passthrough = self.is_passthrough();
        let kind = std::mem::take(&mut self.kind);
        let seq = std::mem::take(&mut self.seq);
        let mut data = std::mem::take(&mut self.data);
        match kind {
            _ if !whole => None,
            Kind::Apc => {
                data.truncate(QUERY_LIMIT);
                Some(Collected::Apc(data))
            }
            Kind::Dcs(_) if too_long => None,
            Kind::Dcs(_) if passthrough => Some(Collected::Passthrough(unwrap_tmux(&data))),
            Kind::Dcs(byte) => Some(Collected::Dcs(seq, byte, data)),
            Kind::None | Kind::Other => None,
        }
    }

    /// What the running string is, if it is a picture or about one and ends here. A cell has `cell`
    /// pixels.
    pub(crate) fn picture(&self, cell: (u16, u16), album: &mut Album) -> Option<Head> {
        match self.kind {
            Kind::Dcs(b'q') if self.may_be_picture() => Some(picture::sixel(&self.data, cell)),
            Kind::Apc => album.images.string(&self.data, cell),
            Kind::None | Kind::Dcs(_) | Kind::Other => None,
        }
    }

    /// The running string is of a kind pictures come in.
    pub(crate) fn may_be_picture(&self) -> bool {
        match self.kind {
            Kind::Dcs(byte) => {
                byte == b'q' && self.seq.prefix() == 0 && self.seq.intermediates().is_empty()
            }
            Kind::Apc => true,
            Kind::None | Kind::Other => false,
        }
    }

    /// More came than was kept.
    pub(crate) fn is_cut(&self) -> bool {
        self.data.len() > self.limit()
    }

    /// What was kept of the running string, for `Parser::pending_with`.
    pub fn data(&self) -> &[u8] {
        &self.data
    }
}

/// Every ESC is doubled inside.
fn unwrap_tmux(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len());
    let mut bytes = data[TMUX.len()..].iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        out.push(byte);
        if byte == 0x1b {
            bytes.next_if_eq(&0x1b);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parser::{Parser, Perform};

    #[derive(Default)]
    struct Collector(Strings, Vec<Collected>);

    impl Perform for Collector {
        fn dcs_start(&mut self, seq: &Sequence, byte: u8) {
            self.0.dcs_start(seq, byte);
        }
        fn dcs_put(&mut self, piece: &[u8]) {
            self.0.put(piece);
        }
        fn dcs_end(&mut self, whole: bool) {
            self.1.extend(self.0.end(whole));
        }
        fn string_start(&mut self, kind: StringKind) {
            self.0.string_start(kind);
        }
        fn string_put(&mut self, piece: &[u8]) {
            self.0.put(piece);
        }
        fn string_end(&mut self, whole: bool) {
            self.1.extend(self.0.end(whole));
        }
    }

    fn collect(stream: &[u8], cut: usize) -> Vec<Collected> {
        let (mut parser, mut out) = (Parser::new(), Collector::default());
        parser.advance(&stream[..cut], &mut out);
        // As a snapshot does: parser and strings are made anew from their pending bytes.
        let pending = parser.pending_with(out.0.data());
        let mut parser = Parser::new();
        let mut again = Collector(Strings::default(), out.1);
        parser.advance(&pending, &mut again);
        assert_eq!(again.0, out.0, "{cut}");
        parser.advance(&stream[cut..], &mut again);
        again.1
    }

    #[test]
    fn strings_are_whole_at_every_cut() {
        let apc = |text: &str| Collected::Apc(text.into());
        let pass = |text: &str| Collected::Passthrough(text.into());
        for (stream, want) in [
            ("\x1b_Gi=1,a=q;AA\x1b\\", Some(apc("Gi=1,a=q;AA"))),
            ("\x1b_Gi=1\x18", None),
            ("\x1b^private\x1b\\", None),
            ("\x1bXstart\x1b\\", None),
            (
                "\x1bPtmux;\x1b\x1b]52;c;YQ==\x07\x1b\\",
                Some(pass("\x1b]52;c;YQ==\x07")),
            ),
            (
                "\x1bPtmux;\x1b\x1b]0;t\x1b\x1b\\\x1b\\",
                Some(pass("\x1b]0;t\x1b\\")),
            ),
        ] {
            for cut in 0..=stream.len() {
                assert_eq!(
                    collect(stream.as_bytes(), cut),
                    Vec::from_iter(want.clone())
                );
            }
        }
    }

    #[test]
    fn long_strings_are_bounded() {
        let long = [b"\x1bP$q".as_slice(), &[b'x'; 2 * QUERY_LIMIT], b"\x1b\\"].concat();
        assert_eq!(collect(&long, QUERY_LIMIT + 100), []);
        let long = [b"\x1b_G".as_slice(), &[b'x'; 2 * QUERY_LIMIT], b"\x1b\\"].concat();
        let [Collected::Apc(kept)] = &collect(&long, QUERY_LIMIT + 100)[..] else {
            panic!("no APC");
        };
        assert_eq!(kept.len(), QUERY_LIMIT);
        let long = [
            b"\x1bPtmux;".as_slice(),
            &[b'x'; PASSTHROUGH_LIMIT + 9],
            b"\x1b\\",
        ]
        .concat();
        assert_eq!(collect(&long, 9), []);
    }
}
