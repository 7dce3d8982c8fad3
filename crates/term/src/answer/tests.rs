//! Tests of the answers: a query and what the program gets, exactly once, and nothing for what
//! is no query.

use proptest::prelude::*;

use super::scheme_changed;
use crate::colours::Colours;
use crate::modes::Modes;
use crate::probe::Probe;

const VERSION: &str = concat!("\x1bP>|abide(", env!("CARGO_PKG_VERSION"), ")\x1b\\");

fn check(stream: &str, want: &str) {
    let answers = Probe::after(stream).answers;
    assert_eq!(String::from_utf8_lossy(&answers), want, "{stream:?}");
}

/// The probe's screen is 80x24 with 10x20 pixels a cell, its cursor in column 5 of row 3.
#[test]
fn control_sequences() {
    for (stream, want) in [
        ("\x1b[c", "\x1b[?62;22;52c"),
        ("\x1b[0c", "\x1b[?62;22;52c"),
        ("\x1bZ", "\x1b[?62;22;52c"),
        ("\x1b[1c", ""),
        ("\x1b[?62;22;52c", ""),
        ("\x1b[>c", "\x1b[>1;10;0c"),
        ("\x1b[=c", "\x1bP!|00000000\x1b\\"),
        ("\x1b[5n", "\x1b[0n"),
        ("\x1b[6n", "\x1b[3;5R"),
        ("\x1b[?6n", "\x1b[?3;5R"),
        ("\x1b[?6h\x1b[6n", "\x1b[2;5R"),
        ("\x1b[?6;69h\x1b[6n", "\x1b[2;3R"),
        ("\x1b[n\x1b[7n\x1b[?7n", ""),
        ("\x1b[?15n", "\x1b[?13n"),
        ("\x1b[?25n", "\x1b[?21n"),
        ("\x1b[?26n", "\x1b[?27;1;0;0n"),
        ("\x1b[?55n", "\x1b[?50n"),
        ("\x1b[?996n", "\x1b[?997;1n"),
        ("\x1b[>q", VERSION),
        ("\x1b[>0q", VERSION),
        ("\x1b[>1q", ""),
        ("\x1b[?u", "\x1b[?0u"),
        ("\x1b[>5u\x1b[?u", "\x1b[?5u"),
        ("\x1b[>5u\x1b[?1049h\x1b[?u", "\x1b[?0u"),
        ("\x1b[?4m", "\x1b[>4;0m"),
        ("\x1b[>4;2m\x1b[?4m", "\x1b[>4;2m"),
        ("\x1b[?1m", ""),
        ("\x1b[11t", "\x1b[1t"),
        ("\x1b[13t", "\x1b[3;0;0t"),
        ("\x1b[14t", "\x1b[4;480;800t"),
        ("\x1b[14;2t", "\x1b[4;480;800t"),
        ("\x1b[15t", "\x1b[5;480;800t"),
        ("\x1b[16t", "\x1b[6;20;10t"),
        ("\x1b[18t", "\x1b[8;24;80t"),
        ("\x1b[19t", "\x1b[9;24;80t"),
        // A title could carry a command to the prompt: it is never given back.
        ("\x1b]2;rm -rf\x07\x1b[20t", "\x1b]L\x1b\\"),
        ("\x1b]2;rm -rf\x07\x1b[21t", "\x1b]l\x1b\\"),
        ("\x1b[1t\x1b[8;50;50t\x1b[22t\x1b[23t", ""),
        ("\x1b[x", "\x1b[2;1;1;128;128;1;0x"),
        ("\x1b[1x", "\x1b[3;1;1;128;128;1;0x"),
        ("\x1b[?2;1;0S", "\x1b[?2;3;0S"),
        ("\x05", ""),
    ] {
        check(stream, want);
    }
}

/// DECRQM: 0 not known, 1 set, 2 reset, 3 always set, 4 never set.
#[test]
fn modes() {
    for (stream, mode, value) in [
        ("", "?1", 2),
        ("\x1b[?1h", "?1", 1),
        ("", "?3", 2),
        ("\x1b[?40;3h", "?3", 1),
        ("", "?1001", 4),
        ("", "?7", 1),
        ("", "?25", 1),
        ("", "?1049", 2),
        ("\x1b[?47h", "?1049", 1),
        ("", "?1048", 2),
        ("\x1b[?1002h", "?1002", 1),
        ("\x1b[?1002h", "?1000", 2),
        ("\x1b[?1016h", "?1016", 1),
        ("", "?1007", 1),
        ("", "?2004", 2),
        // Agents hold drawing back only after this answer (`agentboard#158`).
        ("", "?2026", 2),
        ("\x1b[?2026h", "?2026", 1),
        ("", "?2027", 3),
        ("\x1b[?2027l", "?2027", 3),
        ("\x1b[?2031h", "?2031", 1),
        ("", "?9999", 0),
        ("", "4", 2),
        ("\x1b[4h", "4", 1),
        ("", "20", 2),
        ("", "12", 0),
    ] {
        check(
            &format!("{stream}\x1b[{mode}$p"),
            &format!("\x1b[{mode};{value}$y"),
        );
    }
}

#[test]
fn settings() {
    for (stream, which, want) in [
        ("", "m", "1$r0;1;31m"),
        ("", "r", "1$r2;20r"),
        ("", "s", "1$r3;71s"),
        ("", " q", "1$r0 q"),
        ("\x1b[5 q", " q", "1$r5 q"),
        ("", "\"q", "1$r1\"q"),
        ("", "\"p", "1$r62;1\"p"),
        ("", "t", "1$r24t"),
        ("", "$|", "1$r80$|"),
        ("", "*|", "1$r24*|"),
        ("", "*x", "1$r1*x"),
        ("\x1b[2*x", "*x", "1$r2*x"),
        ("\x1b[2*x\x1b[*x", "*x", "1$r1*x"),
        ("\x1b[2*x\x1bc", "*x", "1$r1*x"),
        // DECSTR leaves it alone (VT510 manual), a wrong number too.
        ("\x1b[2*x\x1b[!p\x1b[3*x", "*x", "1$r2*x"),
        ("\x1b[>4;2m", ">4m", "1$r>4;2m"),
        ("", "x; rm", "0$r"),
        ("", "", "0$r"),
    ] {
        check(
            &format!("{stream}\x1bP$q{which}\x1b\\"),
            &format!("\x1bP{want}\x1b\\"),
        );
    }
}

#[test]
fn capabilities() {
    for (names, want) in [
        ("544E", "\x1bP1+r544E=787465726D2D323536636F6C6F72\x1b\\"),
        ("544e", "\x1bP1+r544E=787465726D2D323536636F6C6F72\x1b\\"),
        ("436F", "\x1bP1+r436F=323536\x1b\\"),
        ("5463", "\x1bP1+r5463\x1b\\"),
        ("524742", "\x1bP1+r524742=382F382F38\x1b\\"),
        ("6162", "\x1bP0+r\x1b\\"),
        ("", "\x1bP0+r\x1b\\"),
        ("zz", "\x1bP0+r\x1b\\"),
        ("5463;6162", "\x1bP1+r5463\x1b\\\x1bP0+r\x1b\\"),
    ] {
        check(&format!("\x1bP+q{names}\x1b\\"), want);
    }
    let many = Probe::after(format!("\x1bP+q{}\x1b\\", "5463;".repeat(500))).answers;
    assert_eq!(many.len(), 32 * "\x1bP1+r5463\x1b\\".len());
}

#[test]
fn strings() {
    for (stream, want) in [
        ("\x1b]10;?\x1b\\", "\x1b]10;rgb:e5e5/e5e5/e5e5\x1b\\"),
        ("\x1b]11;?\x07", "\x1b]11;rgb:0000/0000/0000\x07"),
        ("\x1b]12;?\x07", "\x1b]12;rgb:e5e5/e5e5/e5e5\x07"),
        (
            "\x1b]10;?;?\x07",
            "\x1b]10;rgb:e5e5/e5e5/e5e5\x07\x1b]11;rgb:0000/0000/0000\x07",
        ),
        ("\x1b]4;1;?\x07", "\x1b]4;1;rgb:cdcd/0000/0000\x07"),
        ("\x1b]4;1;?;2;?\x07", {
            "\x1b]4;1;rgb:cdcd/0000/0000\x07\x1b]4;2;rgb:0000/cdcd/0000\x07"
        }),
        ("\x1b]4;256;?\x07\x1b]4;?\x07\x1b]13;?\x07\x1b]17;?\x07", ""),
        (
            "\x1b]11;#102030\x07\x1b]11;?\x07",
            "\x1b]11;rgb:1010/2020/3030\x07",
        ),
        (
            "\x1b]11;#102030\x07\x1b]111\x07\x1b]11;?\x07",
            "\x1b]11;rgb:0000/0000/0000\x07",
        ),
        (
            "\x1b]4;1;#102030\x07\x1b]4;1;?\x07",
            "\x1b]4;1;rgb:1010/2020/3030\x07",
        ),
        (
            "\x1b]4;1;#102030\x07\x1b]104\x07\x1b]4;1;?\x07",
            "\x1b]4;1;rgb:cdcd/0000/0000\x07",
        ),
        ("\x1b]7501;?\x07", "\x1b]7501;?\x07"),
        ("\x1b]7501;?\x1b\\", "\x1b]7501;?\x1b\\"),
        ("\x1b]7501;state=idle\x07", ""),
        // A clipboard is never read out.
        ("\x1b]52;c;?\x07", ""),
        ("\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\", {
            "\x1b_Gi=31;ENOTSUPPORTED:no graphics here\x1b\\"
        }),
        ("\x1b_Ga=q,i=4294967295\x1b\\", {
            "\x1b_Gi=4294967295;ENOTSUPPORTED:no graphics here\x1b\\"
        }),
        ("\x1b_Gi=31,a=T;AAAA\x1b\\", ""),
        ("\x1b_Gi=31,a=q,q=2;AAAA\x1b\\", ""),
        ("\x1b_Gi=;rm,a=q\x1b\\\x1b_Ga=q\x1b\\\x1b_other\x1b\\", ""),
        ("\x1bP$qm\x18", ""),
        ("\x1bPq#0\x1b\\\x1bP1$tx\x1b\\", ""),
    ] {
        check(stream, want);
    }
}

/// What agents ask at their start, in one burst: one answer each, in order.
#[test]
fn bursts_of_agents() {
    check(
        "\x1b[>0q\x1b[?u\x1b]7501;?\x07\x1b[c",
        &format!("{VERSION}\x1b[?0u\x1b]7501;?\x07\x1b[?62;22;52c"),
    );
    check(
        "\x1b[?u\x1b[?1007$p\x1b[c\x1b[6n\x1b]10;?\x1b\\\x1b]11;?\x1b\\",
        {
            "\x1b[?0u\x1b[?1007;1$y\x1b[?62;22;52c\x1b[3;5R\
         \x1b]10;rgb:e5e5/e5e5/e5e5\x1b\\\x1b]11;rgb:0000/0000/0000\x1b\\"
        },
    );
}

/// `cmux#1059`: light themes are unreadable when the terminal says it is dark.
#[test]
fn colours_of_the_client() {
    let mut probe = Probe {
        colours: Colours {
            background: Some((0xfd, 0xf6, 0xe3)),
            palette: vec![(7, (1, 2, 3))],
            cell_pixels: Some((9, 18)),
            ..Colours::default()
        },
        ..Probe::default()
    };
    probe.feed("\x1b]11;?\x07\x1b[?996n\x1b]4;7;?\x07\x1b[16t");
    assert_eq!(
        String::from_utf8_lossy(&probe.answers),
        "\x1b]11;rgb:fdfd/f6f6/e3e3\x07\x1b[?997;2n\x1b]4;7;rgb:0101/0202/0303\x07\x1b[6;18;9t"
    );
    assert_eq!(scheme_changed(&probe.modes, &probe.colours), None);
    probe.feed("\x1b[?2031h");
    assert_eq!(
        scheme_changed(&probe.modes, &probe.colours).as_deref(),
        Some(&b"\x1b[?997;2n"[..])
    );
    assert_eq!(
        scheme_changed(&probe.modes, &Colours::default()).as_deref(),
        Some(&b"\x1b[?997;1n"[..])
    );
}

#[test]
fn pending_wrap_is_the_last_column() {
    let mut probe = Probe {
        cursor: (80, 23),
        ..Probe::default()
    };
    probe.feed("\x1b[6n");
    assert_eq!(probe.answers, b"\x1b[24;80R");
}

proptest! {
    /// `orca#16633`: an answer that carried the program's text was run by the shell. No letter
    /// of a marker that only the program knows may come back.
    #[test]
    fn nothing_is_echoed(
        query in "(\x1b\\]([0-9]{1,4};)?|\x1bP[$+]?q|\x1b_G(i=7,a=q,)?|\x1b_)",
        text in "[;,?]{0,2}\u{15}?[JKWXYZ]{1,20}[;,?]{0,2}",
        end in "(\x07|\x1b\\\\)",
    ) {
        let answers = Probe::after(format!("{query}{text}{end}\x1b\\\x1b[20t\x1b[21t")).answers;
        let text = String::from_utf8(answers).unwrap();
        prop_assert!(!text.contains(['J', 'K', 'W', 'X', 'Y', 'Z']), "{text:?}");
    }

    /// No sequence, however odd, makes modes, events or answers panic or answer without end.
    #[test]
    fn any_sequence_is_survived(
        sequences in prop::collection::vec(
            prop_oneof![
                "\x1b\\[[<-?]?[0-9:;]{0,20}[ -/]{0,2}[@-~]",
                "\x1b\\][0-9]{0,4};[ -~]{0,40}\x07",
                "\x1bP[0-9;]{0,4}[ -/]{0,1}[@-~][ -~]{0,40}\x1b\\\\",
                "\x1b_[ -~]{0,40}\x1b\\\\",
                "\x1b[=>cZ]",
            ],
            0..30,
        ),
    ) {
        let mut probe = Probe::default();
        for sequence in &sequences {
            probe.answers.clear();
            probe.feed(sequence);
            prop_assert!(probe.answers.len() <= 1024, "{sequence:?}");
        }
        prop_assert_eq!(Modes::decode(&probe.modes.encode()), Ok(probe.modes));
    }
}
