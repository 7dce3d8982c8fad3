//! DECRQSS: `DCS $ q Pt ST` asks for a setting by the end of the sequence that sets it.

use super::Facts;

/// The setting, or that it is not known.
pub(super) fn answer(which: &[u8], facts: &Facts<'_>) -> Vec<u8> {
    let setting = match which {
        b"m" => format!("{}m", facts.pen),
        b"r" => {
            format!(
                "{};{}r",
                u32::from(facts.region.0) + 1,
                u32::from(facts.region.1) + 1
            )
        }
        b"s" => {
            format!(
                "{};{}s",
                u32::from(facts.margins.0) + 1,
                u32::from(facts.margins.1) + 1
            )
        }
        b" q" => format!("{} q", facts.modes.cursor_style()),
        b"\"q" => format!("{}\"q", u8::from(facts.protected)),
        // VT220, 7-bit controls.
        b"\"p" => "62;1\"p".into(),
        b"t" => format!("{}t", facts.size.rows),
        b"$|" => format!("{}$|", facts.size.cols),
        b"*|" => format!("{}*|", facts.size.rows),
        b"*x" => format!("{}*x", 1 + u8::from(facts.modes.rectangles)),
        b">4m" => format!(">4;{}m", facts.modes.modify_other_keys),
        _ => return b"\x1bP0$r\x1b\\".to_vec(),
    };
    format!("\x1bP1$r{setting}\x1b\\").into_bytes()
}
