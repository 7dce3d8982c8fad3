//! Tests of the parser: a table of streams and their callbacks, and properties over any stream:
//! splits, pending bytes, and agreement with the `vte` crate.

mod differential;
mod properties;

use super::*;

/// A callback. Text and string pieces in a row are merged, since where they are cut says nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Call {
    Print(String),
    Execute(u8),
    Esc(Vec<u8>, u8),
    Csi(u8, Vec<Vec<u16>>, Vec<u8>, u8),
    Osc(Vec<u8>, Terminator),
    Dcs(u8, Vec<Vec<u16>>, Vec<u8>, u8),
    String(StringKind),
    Put(Vec<u8>),
    End(bool),
}

#[derive(Default)]
pub(super) struct Calls(pub(super) Vec<Call>);

impl Calls {
    pub(super) fn text(&mut self, text: &str) {
        match self.0.last_mut() {
            Some(Call::Print(before)) => before.push_str(text),
            _ => self.0.push(Call::Print(text.into())),
        }
    }

    fn put(&mut self, piece: &[u8]) {
        assert!(!piece.is_empty());
        match self.0.last_mut() {
            Some(Call::Put(before)) => before.extend_from_slice(piece),
            _ => self.0.push(Call::Put(piece.to_vec())),
        }
    }
}

fn groups(params: &Params) -> Vec<Vec<u16>> {
    assert_eq!(params.iter().count(), params.len());
    params.iter().map(<[u16]>::to_vec).collect()
}

impl Perform for Calls {
    fn print_ascii(&mut self, run: &[u8]) {
        assert!(!run.is_empty() && run.iter().all(|b| (0x20..=0x7e).contains(b)));
        self.text(std::str::from_utf8(run).unwrap());
    }
    fn print(&mut self, c: char) {
        assert!(!c.is_ascii() && !c.is_control());
        self.text(c.encode_utf8(&mut [0; 4]));
    }
    fn execute(&mut self, byte: u8) {
        assert!(byte < 0x20 && byte != ESC);
        self.0.push(Call::Execute(byte));
    }
    fn esc(&mut self, intermediates: &[u8], byte: u8) {
        self.0.push(Call::Esc(intermediates.to_vec(), byte));
    }
    fn csi(&mut self, seq: &Sequence, byte: u8) {
        self.0.push(Call::Csi(
            seq.prefix(),
            groups(seq.params()),
            seq.intermediates().to_vec(),
            byte,
        ));
    }
    fn osc(&mut self, payload: &[u8], terminator: Terminator) {
        self.0.push(Call::Osc(payload.to_vec(), terminator));
    }
    fn dcs_start(&mut self, seq: &Sequence, byte: u8) {
        self.0.push(Call::Dcs(
            seq.prefix(),
            groups(seq.params()),
            seq.intermediates().to_vec(),
            byte,
        ));
    }
    fn dcs_put(&mut self, piece: &[u8]) {
        self.put(piece);
    }
    fn dcs_end(&mut self, whole: bool) {
        self.0.push(Call::End(whole));
    }
    fn string_start(&mut self, kind: StringKind) {
        self.0.push(Call::String(kind));
    }
    fn string_put(&mut self, piece: &[u8]) {
        self.put(piece);
    }
    fn string_end(&mut self, whole: bool) {
        self.0.push(Call::End(whole));
    }
}

pub(super) fn parse(stream: &[u8]) -> Vec<Call> {
    let mut calls = Calls::default();
    Parser::new().advance(stream, &mut calls);
    calls.0
}

fn print(text: &str) -> Call {
    Call::Print(text.into())
}

fn csi(prefix: u8, params: &[&[u16]], intermediates: &str, byte: u8) -> Call {
    let params = params.iter().map(|group| group.to_vec()).collect();
    Call::Csi(prefix, params, intermediates.into(), byte)
}

fn osc(payload: &str, terminator: Terminator) -> Call {
    Call::Osc(payload.into(), terminator)
}

#[test]
fn text() {
    let utf8 = |bytes: &[u8], want: &str| (bytes.to_vec(), vec![print(want)]);
    let table = [
        utf8(b"plain ~", "plain ~"),
        utf8(b"a\x7fb", "ab"),
        utf8(
            "gr\u{fc}\u{df} \u{4f60} \u{1f600}".as_bytes(),
            "gr\u{fc}\u{df} \u{4f60} \u{1f600}",
        ),
        // C1 controls spelled in UTF-8 are dropped, single bytes are invalid.
        utf8("a\u{9b}b\u{85}c".as_bytes(), "abc"),
        utf8(b"a\x9bm", "a\u{fffd}m"),
        // One U+FFFD a maximal subpart (Unicode 15, table 3-8 and its neighbours).
        utf8(
            b"\x61\xf1\x80\x80\xe1\x80\xc2\x62",
            "a\u{fffd}\u{fffd}\u{fffd}b",
        ),
        utf8(
            b"\xc0\xaf\xe0\x80\xbf",
            "\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}",
        ),
        utf8(b"\xed\xa0\x80", "\u{fffd}\u{fffd}\u{fffd}"),
        utf8(b"\xf4\x91\x92\x93", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}"),
        utf8(b"\xff\x41\x80\xbf\x42", "\u{fffd}A\u{fffd}\u{fffd}B"),
        (
            b"\xe2\x82\x1b[m".to_vec(),
            vec![print("\u{fffd}"), csi(0, &[&[0]], "", b'm')],
        ),
        (b"\xe2\x82".to_vec(), vec![]),
        (
            b"\r\n\x07".to_vec(),
            vec![Call::Execute(13), Call::Execute(10), Call::Execute(7)],
        ),
    ];
    for (stream, want) in table {
        assert_eq!(
            parse(&stream),
            want,
            "{:?}",
            String::from_utf8_lossy(&stream)
        );
    }
}

#[test]
fn sequences() {
    let table: Vec<(&str, Vec<Call>)> = vec![
        ("\x1bc", vec![Call::Esc(vec![], b'c')]),
        ("\x1b(0", vec![Call::Esc(b"(".to_vec(), b'0')]),
        ("\x1b#8", vec![Call::Esc(b"#".to_vec(), b'8')]),
        ("\x1b !#8", vec![]),
        ("\x1b\x1bD", vec![Call::Esc(vec![], b'D')]),
        ("\x1b\\", vec![Call::Esc(vec![], b'\\')]),
        ("\x1b\nM", vec![Call::Execute(10), Call::Esc(vec![], b'M')]),
        ("\x1b\x18M", vec![Call::Execute(CAN), print("M")]),
        ("\x1b[m", vec![csi(0, &[&[0]], "", b'm')]),
        ("\x1b[1;2H", vec![csi(0, &[&[1], &[2]], "", b'H')]),
        ("\x1b[;2H", vec![csi(0, &[&[0], &[2]], "", b'H')]),
        ("\x1b[;H", vec![csi(0, &[&[0], &[0]], "", b'H')]),
        (
            "\x1b[?25;1049h",
            vec![csi(b'?', &[&[25], &[1049]], "", b'h')],
        ),
        ("\x1b[>4;2m", vec![csi(b'>', &[&[4], &[2]], "", b'm')]),
        ("\x1b[=5u", vec![csi(b'=', &[&[5]], "", b'u')]),
        ("\x1b[<u", vec![csi(b'<', &[&[0]], "", b'u')]),
        ("\x1b[?2026$p", vec![csi(b'?', &[&[2026]], "$", b'p')]),
        ("\x1b[2 q", vec![csi(0, &[&[2]], " ", b'q')]),
        ("\x1b[!p", vec![csi(0, &[&[0]], "!", b'p')]),
        (
            "\x1b[38:2::1:2:3;4:3m",
            vec![csi(0, &[&[38, 2, 0, 1, 2, 3], &[4, 3]], "", b'm')],
        ),
        ("\x1b[99999999C", vec![csi(0, &[&[65535]], "", b'C')]),
        (
            "\x1b[1\n2C",
            vec![Call::Execute(10), csi(0, &[&[12]], "", b'C')],
        ),
        ("\x1b[1\x1b[2C", vec![csi(0, &[&[2]], "", b'C')]),
        ("\x1b[1\x18C", vec![Call::Execute(CAN), print("C")]),
        ("\x1b[1\x1aC", vec![Call::Execute(SUB), print("C")]),
        ("\x1b[1\u{e9}\x7f2C", vec![csi(0, &[&[12]], "", b'C')]),
        // Wrong order, too many intermediates: no effect, and the end is found.
        ("\x1b[1?2hx", vec![print("x")]),
        ("\x1b[1$2hx", vec![print("x")]),
        ("\x1b[ !#px", vec![print("x")]),
        ("\x1b[??1\nhx", vec![Call::Execute(10), print("x")]),
    ];
    for (stream, want) in table {
        assert_eq!(parse(stream.as_bytes()), want, "{stream:?}");
    }
}

#[test]
fn parameters_beyond_the_limit_are_ignored() {
    let many = |separator: &str| vec!["7"; MAX_VALUES + 3].join(separator);
    let flat = vec![vec![7]; MAX_VALUES];
    let one = vec![vec![7; MAX_VALUES]];
    for (separator, want) in [(";", flat), (":", one)] {
        let stream = format!("\x1b[{}9m", many(separator));
        assert_eq!(parse(stream.as_bytes()), [Call::Csi(0, want, vec![], b'm')]);
    }
}

#[test]
fn strings() {
    use Terminator::{Bel, St};
    let put = |text: &str| Call::Put(text.into());
    let dcs = |intermediates: &str, byte| Call::Dcs(0, vec![vec![0]], intermediates.into(), byte);
    let table: Vec<(&str, Vec<Call>)> = vec![
        ("\x1b]0;t\x07x", vec![osc("0;t", Bel), print("x")]),
        ("\x1b]0;t\x1b\\x", vec![osc("0;t", St), print("x")]),
        ("\x1b]\x07", vec![osc("", Bel)]),
        ("\x1b]0;\u{fc}\u{9c}\x07", vec![osc("0;\u{fc}\u{9c}", Bel)]),
        // Controls inside are not part of it.
        ("\x1b]0;a\nb\x00c\x07", vec![osc("0;abc", Bel)]),
        // Cut off: no effect.
        ("\x1b]0;t\x18x", vec![Call::Execute(CAN), print("x")]),
        (
            "\x1b]0;t\x1b[mx",
            vec![csi(0, &[&[0]], "", b'm'), print("x")],
        ),
        (
            "\x1b]0;t\x1b\x1b\\x",
            vec![Call::Esc(vec![], b'\\'), print("x")],
        ),
        // Such a number is no OSC.
        ("\x1b]123456;t\x07x", vec![print("x")]),
        ("\x1b]123456;t\x1b\\x", vec![print("x")]),
        ("\x1b]12345;t\x07x", vec![osc("12345;t", Bel), print("x")]),
        (
            "\x1bP$qm\x1b\\x",
            vec![dcs("$", b'q'), put("m"), Call::End(true), print("x")],
        ),
        (
            "\x1bPq\x07\n\x1b\\",
            vec![dcs("", b'q'), put("\x07\n"), Call::End(true)],
        ),
        ("\x1bPtmux;\x1b\x1b[m\x1b\\", {
            vec![dcs("", b't'), put("mux;\x1b\x1b[m"), Call::End(true)]
        }),
        ("\x1bPqa\x1b[m", {
            vec![
                dcs("", b'q'),
                put("a"),
                Call::End(false),
                csi(0, &[&[0]], "", b'm'),
            ]
        }),
        (
            "\x1bPqa\x18",
            vec![
                dcs("", b'q'),
                put("a"),
                Call::End(false),
                Call::Execute(CAN),
            ],
        ),
        (
            "\x1bP1;2:3+qab\x1b\\",
            vec![
                Call::Dcs(0, vec![vec![1], vec![2, 3]], b"+".to_vec(), b'q'),
                put("ab"),
                Call::End(true),
            ],
        ),
        ("\x1bP1?qab\x07\x1b\\x", vec![print("x")]),
        ("\x1b_Gi=1;a\x07\x1b\\", {
            vec![
                Call::String(StringKind::Apc),
                put("Gi=1;a\x07"),
                Call::End(true),
            ]
        }),
        (
            "\x1b^p\x1b\\",
            vec![Call::String(StringKind::Pm), put("p"), Call::End(true)],
        ),
        (
            "\x1bXs\x1ac",
            vec![
                Call::String(StringKind::Sos),
                put("s"),
                Call::End(false),
                Call::Execute(SUB),
                print("c"),
            ],
        ),
    ];
    for (stream, want) in table {
        assert_eq!(parse(stream.as_bytes()), want, "{stream:?}");
    }
}

/// An OSC of any length leaves memory bounded, and what follows it is read.
#[test]
fn endless_osc() {
    for (head, limit, cut) in [
        ("2;", OSC_LIMIT, 1000),
        ("52;c;", OSC_CLIPBOARD_LIMIT, 1 << 16),
        ("1337;", OSC_LIMIT, 7),
    ] {
        for (len, heard) in [(limit, true), (limit + 1, false), (4 * limit, false)] {
            let mut stream = format!("\x1b]{head}").into_bytes();
            stream.resize(2 + len, b'x');
            stream.extend_from_slice(b"\x07after");
            let (mut parser, mut calls) = (Parser::new(), Calls::default());
            let mut most = 0;
            for piece in stream.chunks(cut) {
                parser.advance(piece, &mut calls);
                most = most.max(parser.osc.capacity());
            }
            assert!(most <= 3 * limit + cut, "{head} {len}: {most}");
            assert_eq!(calls.0.len(), 1 + usize::from(heard), "{head} {len}");
            assert_eq!(calls.0.last(), Some(&print("after")));
            assert_eq!(parser, Parser::new());
            assert_eq!(parser.osc.capacity(), 0);
        }
    }
}

#[test]
fn pending_bytes_of_every_state() {
    for stream in [
        "",
        "text",
        "\x1b",
        "\x1b(",
        "\x1b($",
        "\x1b($%",
        "\x1b[",
        "\x1b[?",
        "\x1b[1",
        "\x1b[1;",
        "\x1b[1;2:",
        "\x1b[:",
        "\x1b[;",
        "\x1b[?1;2$",
        "\x1b[1?",
        "\x1b[1$2",
        "\x1b]",
        "\x1b]0;t",
        "\x1b]0;t\x1b",
        "\x1b]1234567",
        "\x1b]1234567\x1b",
        "\x1bP",
        "\x1bP?1",
        "\x1bP1$",
        "\x1bP1?",
        "\x1bP1?\x1b",
        "\x1bP$q",
        "\x1bPq\x1b",
        "\x1b_",
        "\x1b_\x1b",
        "\x1b^",
        "\x1bX",
        "\u{7f}\x1b[1\n2",
    ] {
        check_pending(stream.as_bytes());
    }
    for stream in [
        b"\xe2".as_slice(),
        b"\xe2\x82",
        b"\xf0\x9f\x98",
        b"a\xc3",
        b"\xff",
        b"\xe2\x82a",
    ] {
        check_pending(stream);
    }
    check_pending(format!("\x1b[{}", "1;".repeat(40)).as_bytes());
    check_pending(format!("\x1b[{}5", "1:".repeat(31)).as_bytes());
    check_pending(format!("\x1b]0;{}", "x".repeat(OSC_LIMIT)).as_bytes());
}

/// The pending bytes bring a fresh parser to the same state, without an effect but the beginning
/// of a streamed string.
fn check_pending(stream: &[u8]) {
    let mut parser = Parser::new();
    parser.advance(stream, &mut Calls::default());
    let pending = parser.pending();
    let (mut again, mut calls) = (Parser::new(), Calls::default());
    again.advance(&pending, &mut calls);
    assert_eq!(again, parser, "{:?}", String::from_utf8_lossy(stream));
    assert_eq!(again.pending(), pending);
    assert_eq!(parser.is_ground(), pending.is_empty());
    assert!(
        calls
            .0
            .iter()
            .all(|call| matches!(call, Call::Dcs(..) | Call::String(_))),
        "{:?}",
        calls.0
    );
}
