//! The parser against `vte` 0.15, the parser of alacritty. Both read the same streams; the
//! differences that are decisions of ours are taken out:
//! * vte prints DEL; here it is ignored.
//! * vte executes U+0080..=U+009F, also as single bytes; here the characters are dropped and the
//!   bytes are invalid UTF-8.
//! * vte hands out a sequence it could not hold, marked; here it has no effect. vte counts the
//!   private marker as one of two intermediates, here it is none.
//! * vte splits an OSC at `;`, keeps the first 16 fields apart and gives BEL or not; it ends an
//!   OSC at any ESC and at CAN and SUB, here such an OSC has no effect.
//! * vte ends a DCS at 0x9c and at any ESC, reports APC, PM and SOS not at all, and reports the
//!   `ESC \` that ends a string as an escape sequence.

use proptest::prelude::*;

use super::{Call, Calls, parse};
use crate::parser::Terminator;

/// vte's callbacks as ours.
#[derive(Default)]
struct Vte(Calls);

fn groups(params: &vte::Params) -> Vec<Vec<u16>> {
    params.iter().map(<[u16]>::to_vec).collect()
}

/// vte counts the private marker as an intermediate.
fn split(intermediates: &[u8]) -> (u8, Vec<u8>) {
    match intermediates {
        [prefix @ b'<'..=b'?', rest @ ..] => (*prefix, rest.to_vec()),
        rest => (0, rest.to_vec()),
    }
}

impl vte::Perform for Vte {
    fn print(&mut self, c: char) {
        if c != '\u{7f}' && !('\u{80}'..='\u{9f}').contains(&c) {
            self.0.text(c.encode_utf8(&mut [0; 4]));
        }
    }
    fn execute(&mut self, byte: u8) {
        if byte < 0x20 {
            self.0.0.push(Call::Execute(byte));
        }
    }
    fn esc_dispatch(&mut self, intermediates: &[u8], ignore: bool, byte: u8) {
        if !ignore && (intermediates, byte) != (b"", b'\\') {
            self.0.0.push(Call::Esc(intermediates.to_vec(), byte));
        }
    }
    fn csi_dispatch(&mut self, params: &vte::Params, inter: &[u8], ignore: bool, byte: char) {
        if !ignore {
            let (prefix, intermediates) = split(inter);
            let byte = u8::try_from(byte).unwrap();
            self.0
                .0
                .push(Call::Csi(prefix, groups(params), intermediates, byte));
        }
    }
    fn osc_dispatch(&mut self, params: &[&[u8]], bell: bool) {
        let terminator = if bell {
            Terminator::Bel
        } else {
            Terminator::St
        };
        self.0.0.push(Call::Osc(params.join(&b';'), terminator));
    }
    fn hook(&mut self, params: &vte::Params, inter: &[u8], ignore: bool, byte: char) {
        assert!(!ignore);
        let (prefix, intermediates) = split(inter);
        let byte = u8::try_from(byte).unwrap();
        self.0
            .0
            .push(Call::Dcs(prefix, groups(params), intermediates, byte));
    }
    fn put(&mut self, byte: u8) {
        match self.0.0.last_mut() {
            Some(Call::Put(before)) => before.push(byte),
            _ => self.0.0.push(Call::Put(vec![byte])),
        }
    }
    fn unhook(&mut self) {
        self.0.0.push(Call::End(true));
    }
}

fn by_vte(stream: &[u8]) -> Vec<Call> {
    let mut vte = Vte::default();
    vte::Parser::<1024>::default().advance(&mut vte, stream);
    vte.0.0
}

/// Ours without what vte does not report.
fn ours(stream: &[u8]) -> Vec<Call> {
    let mut calls = Vec::new();
    let mut hidden = false;
    for call in parse(stream) {
        match call {
            Call::String(_) => hidden = true,
            Call::Put(_) if hidden => {}
            Call::End(_) if hidden => hidden = false,
            Call::Esc(intermediates, b'\\') if intermediates.is_empty() => {}
            Call::Csi(1.., _, intermediates, _) if intermediates.len() > 1 => {}
            call => calls.push(call),
        }
    }
    merge(calls)
}

/// Text on both sides of something that is not reported is one text.
fn merge(calls: Vec<Call>) -> Vec<Call> {
    let mut merged = Calls::default();
    for call in calls {
        match call {
            Call::Print(text) => merged.text(&text),
            call => merged.0.push(call),
        }
    }
    merged.0
}

fn check(stream: &[u8]) {
    assert_eq!(
        ours(stream),
        merge(by_vte(stream)),
        "{:?}",
        String::from_utf8_lossy(stream)
    );
}

/// What real programs send, put together by hand from xterm's documentation and from what
/// editors, pagers and agents write.
#[test]
fn corpus() {
    for stream in [
        "\x1b[?1049h\x1b[22;0;0t\x1b[?1h\x1b=\x1b[?2004h\x1b[1;24r\x1b[m\x1b[H\x1b[2J\x1b[2;1H~",
        "\x1b[>0q\x1b[?u\x1b]7501;?\x07\x1b[c\x1b[<u\x1b[>5u\x1b[>4;2m\x1b[?2026$p\x1b[16t",
        "\x1b[?2026h\x1b[38;2;215;119;87m\u{2733}\x1b[39m \x1b[1mThinking\u{2026}\x1b[22m\x1b[?2026l",
        "\x1b]0;\u{2733} title\x07\x1b]9;4;0;\x07\x1b]8;id=1;https://example.org\x1b\\link\x1b]8;;\x1b\\",
        "\x1b(0lqqqk\x1b(B\x0e\x0f\r\n\x08\x1b7\x1b8\x1bM\x1bD\x1b#8",
        "\x1b[48:2::1:2:3;58:5:9;4:3mundercurl\x1b[0;1;31m\x1b[K\x1b[10X\x1b[3@\x1b[2P\x1b[5b",
        "\x1bP+q544e\x1b\\\x1bP$qm\x1b\\\x1b[!p\x1b[2 q\x1b[?25l\x1b[?12l\x1b[?25h",
        "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[?1016$p\x1b[c\x1b]133;A\x07$ ",
    ] {
        check(stream.as_bytes());
        // And cut off anywhere outside strings' ends, where both agree again.
        check(&[b"\x18", stream.as_bytes()].concat());
    }
}

/// One well-formed or bent piece of a stream inside the common language.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let strings = "[ -:<-\\[\\]-~\u{a0}-\u{4fff};]{0,20}";
    prop_oneof![
        "[ -~]{1,40}".prop_map(String::into_bytes),
        "[\u{80}-\u{ffff}]{1,8}".prop_map(String::into_bytes),
        prop::collection::vec(prop_oneof![0..0x1bu8, 0x20..0x80u8, 0xa0..=0xffu8], 1..6),
        "\x1b[ -/]{0,3}[0-OQ-WYZ\\\\`-~]".prop_map(String::into_bytes),
        "\x1b\\[[0-9;:]{0,12}[ -/]{0,3}[@-~]".prop_map(String::into_bytes),
        "\x1b\\[[<-?][0-9;:]{0,12}[ -/]{0,1}[@-~]".prop_map(String::into_bytes),
        "\x1b\\[[0-9;:<-? -/]{0,6}[\x00-\x17\u{7f}]?[0-9;]{0,3}[@-~]".prop_map(String::into_bytes),
        "\x1b\\[[0-9;]{0,5}([\x18\x1a]|\x1bM)".prop_map(String::into_bytes),
        (0..5000u16, strings, any::<bool>()).prop_map(|(number, text, bell)| {
            format!(
                "\x1b]{number};{text}{}",
                if bell { "\x07" } else { "\x1b\\" }
            )
            .into_bytes()
        }),
        "\x1bP[<-?]?[0-9;:]{0,6}[ -/]{0,1}[@-~][\x07 -~]{0,20}\x1b\\\\"
            .prop_map(String::into_bytes),
        ("[_X^]", strings).prop_map(|(kind, text)| format!("\x1b{kind}{text}\x1b\\").into_bytes()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]
    #[test]
    fn agrees_with_vte(stream in prop::collection::vec(pieces(), 0..20)) {
        check(&stream.concat());
    }
}
