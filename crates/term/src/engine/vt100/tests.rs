//! What only shows inside: a panic in vt100, and that our copies of its state
//! are right.

use super::*;
use crate::sink::Recorder;

fn engine(cols: u16, rows: u16) -> Vt100 {
    Vt100::new(Size::new(cols, rows), &Options::default())
}

/// The sequence panics vt100 0.18.1 when it comes unfiltered; there is no
/// other known one, so it is fed past the translation.
#[test]
fn a_panic_inside_costs_neither_the_text_nor_the_modes() {
    let mut engine = engine(80, 24);
    let mut sink = Recorder::default();
    engine.advance(b"\x1b[5;1Hkept\x1b[?2004h\x1b[31m", &mut sink);
    engine
        .core
        .get_mut()
        .feed("\x1b[24;80H❤\u{fe0f}\x1b[23;80H b".as_bytes());
    engine.advance(b"\x1b[10;1Hafter", &mut sink);
    let faults: Vec<_> = sink
        .events
        .iter()
        .filter(|event| matches!(event, Event::Fault(_)))
        .collect();
    assert_eq!(faults.len(), 1, "{:?}", sink.events);
    let text: Vec<String> = (0..24).map(|y| engine.row(y).text()).collect();
    assert!(text.iter().any(|row| row == "kept"), "{text:?}");
    assert_eq!(text[9], "after");
    assert!(engine.modes().bracketed_paste);
    assert_eq!(engine.row(9).cells[0].style.fg, crate::Colour::Indexed(1));
}

/// What we keep of vt100's state is what vt100 has: measured on it.
#[test]
fn regions_and_origin_are_vt100s() {
    let mut engine = engine(10, 6);
    let mut sink = Recorder::default();
    for bytes in [
        "\x1b[2;4r",
        "\x1b[?6h",
        "\x1b7\x1b[?6l\x1b8",
        "\x1b[?1049h\x1b[3;5r",
        "\x1b[?1049l",
        "\x1b[!p",
        "\x1b[3;6r\x1b[?6h\x1b#8",
    ] {
        engine.advance(bytes.as_bytes(), &mut sink);
        let (top, bottom) = engine.look().region();
        let mut probe = ::vt100::Parser::new(NonZeroU16::MIN, NonZeroU16::MIN, 0);
        *probe.screen_mut() = engine.look().vt.screen().clone();
        probe.process(b"\x1b[?6h\x1b[1;1H");
        assert_eq!(probe.screen().cursor_position().0, top, "{bytes:?}");
        probe.process(b"\x1b[999;1H");
        assert_eq!(probe.screen().cursor_position().0, bottom, "{bytes:?}");
        *probe.screen_mut() = engine.look().vt.screen().clone();
        probe.process(b"\x1b[1;1H");
        let first = if engine.modes().origin { top } else { 0 };
        assert_eq!(probe.screen().cursor_position().0, first, "{bytes:?}");
    }
}
