//! XTGETTCAP: `DCS + q names ST` asks for terminfo capabilities, names in hex.

/// Most names of one query that are answered.
const MAX_NAMES: usize = 32;

/// What is known: name and value, `None` for a flag. Names of terminfo and of the two extra
/// termcap ones xterm knows (`TN`, `Co`).
const KNOWN: [(&str, Option<&str>); 14] = [
    ("TN", Some("xterm-256color")),
    ("name", Some("xterm-256color")),
    ("Co", Some("256")),
    ("colors", Some("256")),
    ("RGB", Some("8/8/8")),
    ("Tc", None),
    ("Su", None),
    ("Smulx", Some("\x1b[4:%p1%dm")),
    (
        "Setulc",
        Some("\x1b[58:2::%p1%{65536}%/%d:%p1%{256}%/%{255}%&%d:%p1%{255}%&%d%;m"),
    ),
    ("Ms", Some("\x1b]52;%p1%s;%p2%s\x1b\\")),
    ("Ss", Some("\x1b[%p1%d q")),
    ("Se", Some("\x1b[0 q")),
    ("setrgbf", Some("\x1b[38:2::%p1%d:%p2%d:%p3%dm")),
    ("setrgbb", Some("\x1b[48:2::%p1%d:%p2%d:%p3%dm")),
];

/// One answer a name, in their order. An unknown name is answered without repeating it.
pub(super) fn answer(names: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for name in names.split(|&b| b == b';').take(MAX_NAMES) {
        let known = KNOWN
            .iter()
            .find(|(known, _)| hex(known).as_bytes().eq_ignore_ascii_case(name));
        let text = match known {
            Some((name, Some(value))) => format!("\x1bP1+r{}={}\x1b\\", hex(name), hex(value)),
            Some((name, None)) => format!("\x1bP1+r{}\x1b\\", hex(name)),
            None => "\x1bP0+r\x1b\\".into(),
        };
        out.extend_from_slice(text.as_bytes());
    }
    out
}

fn hex(text: &str) -> String {
    text.bytes().map(|b| format!("{b:02X}")).collect()
}
