//! Generated streams for tests of the `grid` engine: pieces of everything it knows, in any order.

use proptest::prelude::*;
use term::Size;

/// Text of all kinds of clusters and widths.
pub(crate) const TEXT: [&str; 24] = [
    "a",
    "word ",
    "0123456789",
    " ",
    "漢",
    "é",
    "e\u{301}",
    "\u{301}",
    "⚠\u{fe0f}",
    "1\u{fe0f}\u{20e3}",
    "\u{fe0f}",
    "\u{200d}",
    "👩\u{200d}🔧",
    "🔧",
    "🇩🇪",
    "🇩",
    "\u{fffd}",
    "ｱ",
    "\u{10fffd}",
    "क्षि",
    "\u{1100}\u{1161}",
    "🎉🎉",
    "\u{10eeee}\u{305}\u{30d}",
    "\u{10eeee}",
];

/// Whole sequences.
const FIXED: [&str; 114] = [
    "\x1bPq\"1;1;25;45#0~-~\x1b\\",
    "\x1b_Ga=T,f=24,s=25,v=45;AAAA\x1b\\",
    "\x1b_Ga=T,c=2,r=2,m=1;AA\x1b\\",
    "\x1b_Gm=0;AA\x1b\\",
    "\x1b_Gi=1,s=25,v=45,m=1;AA\x1b\\",
    "\x1b_GI=1,s=25,v=45;AA\x1b\\",
    "\x1b_Ga=p,i=1\x1b\\",
    "\x1b_Ga=p,I=1,U=1\x1b\\",
    "\x1b_Ga=f,i=1,m=1;AA\x1b\\",
    "\x1b_Ga=d,d=A\x1b\\",
    "\x1b_Ga=d,d=I,i=1\x1b\\",
    "\x1b]1337;File=inline=1;width=2;height=1:AAAA\x07",
    "\x1b]1337;MultipartFile=inline=1;width=2;height=1\x07",
    "\x1b]1337;FilePart=AAAA\x07",
    "\x1b]1337;FileEnd\x07",
    "\x1b]99;i=1:d=0;part\x1b\\",
    "\x1b]99;i=1:p=body;text\x1b\\",
    "\x1b[#{",
    "\x1b[1;10#{",
    "\x1b[#}",
    "\x1b(K[",
    "\x1b[?42h",
    "\x1b[?42l",
    "\x1b[?40h\x1b[?3h",
    "\x1b]1337;SetMark\x07",
    "\r",
    "\n",
    "\r\n",
    "\x08",
    "\t",
    "\x0b",
    "\x0e",
    "\x0f",
    "\x07",
    "\x1b7",
    "\x1b8",
    "\x1bD",
    "\x1bE",
    "\x1bH",
    "\x1bM",
    "\x1b6",
    "\x1b9",
    "\x1bN",
    "\x1bO",
    "\x1bn",
    "\x1bo",
    "\x1b(0",
    "\x1b(B",
    "\x1b)0",
    "\x1b*0",
    "\x1b+0",
    "\x1b#8",
    "\x1bc",
    "\x1b=",
    "\x1b>",
    "\x1b[!p",
    "\x1b[4h",
    "\x1b[4l",
    "\x1b[20h",
    "\x1b[20l",
    "\x1b[?7l",
    "\x1b[?7h",
    "\x1b[?6h",
    "\x1b[?6l",
    "\x1b[?69h",
    "\x1b[?69l",
    "\x1b[2;5s",
    "\x1b[?45h",
    "\x1b[?45l",
    "\x1b[1\"q",
    "\x1b[0\"q",
    "\x1b[?J",
    "\x1b[?2K",
    "\x1b[38:2::1:2:3m",
    "\x1b[48;2;9;8;7m",
    "\x1b[58:5:3m",
    "\x1b[4:3m",
    "\x1b[41m",
    "\x1b[m",
    "\x1b[1;2;3;4;5;7;8;9;21;53m",
    "\x1b[97;105m",
    "\x1b[39;49m",
    "\x1b[22;24;27m",
    "\x1b]0;title\x07",
    "\x1b]8;;http://x\x07",
    "\x1b]8;id=a:b=c;http://y\x1b\\",
    "\x1b]8;;\x07",
    "\x1bP$qm\x1b\\",
    "\x1bP$qs\x1b\\",
    "\x1b[22t",
    "\x1b[23t",
    "\x1b[>1u",
    "\x1b[<u",
    "\x1b[=3;2u",
    "\x1b_Ga=q,i=1;\x1b\\",
    "\x1b[6n",
    "\x1b[?6n",
    "\x1b[2 q",
    "\x1b[3J",
    "\x1b[2 @",
    "\x1b[ A",
    "\x1b['}",
    "\x1b[2'~",
    "\x1b[35;2;2;3;9$x",
    "\x1b[1;2;2;4$z",
    "\x1b[1;2;2;4${",
    "\x1b[1;3;3;4;1;4;7$r",
    "\x1b[2;2;3;9;0;5$r",
    "\x1b[$r",
    "\x1b[1;2;3;4;0;4$t",
    "\x1b[2*x",
    "\x1b[*x",
    "\x1b[1;1;2;5;1;2;3;1$v",
    "\x1b[1;2;9;3;1;1;1;1$v",
];

fn piece() -> impl Strategy<Value = Vec<u8>> {
    let n = prop_oneof![3 => 0u16..12, 1 => Just(65535u16), 1 => 0u16..400];
    let csi_final = prop::sample::select(b"@ABCDEFGHIJKLMPSTXZ`abdefghlmnrsu^".to_vec());
    let private = prop::sample::select(vec![
        1u16, 5, 6, 7, 25, 45, 47, 69, 1000, 1004, 1006, 1047, 1048, 1049, 2004, 2026,
    ]);
    prop_oneof![
        6 => prop::sample::select(TEXT.to_vec()).prop_map(|text| text.as_bytes().to_vec()),
        3 => (prop::collection::vec(n, 0..3), csi_final).prop_map(|(numbers, last)| {
            let numbers: Vec<String> = numbers.iter().map(u16::to_string).collect();
            let mut out = format!("\x1b[{}", numbers.join(";")).into_bytes();
            out.push(last);
            out
        }),
        1 => (private, prop::sample::select(b"hlsr".to_vec())).prop_map(|(number, last)| {
            format!("\x1b[?{number}{}", char::from(last)).into_bytes()
        }),
        4 => prop::sample::select(FIXED.to_vec()).prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..6),
    ]
}

/// A stream.
pub(crate) fn soup() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(piece(), 0..60).prop_map(|pieces| pieces.concat())
}

/// Small sizes, tiny ones and the usual one.
pub(crate) fn sizes() -> impl Strategy<Value = Size> {
    prop_oneof![
        3 => (2u16..20, 2u16..8),
        2 => (1u16..4, 1u16..4),
        1 => Just((80, 24)),
    ]
    .prop_map(|(cols, rows)| Size::new(cols, rows))
}
