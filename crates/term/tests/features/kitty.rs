//! kitty's pictures that are placed later, taken away, animated, or stood for by characters. A viewer
//! shows what came since it is there.

use term::{EngineKind, Picture, Silent, Terminal};

use crate::pictures::{SIZE, places, viewer};
use crate::{check, fed, history, rows};

/// 30x40 pixels, three columns and two rows, by this id.
fn sent(id: u32) -> String {
    format!("\x1b_Gi={id},f=24,s=30,v=40;AA{id:02}\x1b\\")
}

fn placed(keys: &str) -> String {
    format!("\x1b_Ga=p,{keys}\x1b\\")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace('\x1b', "^")
}

fn after(stream: &str) -> Terminal {
    let mut terminal = viewer();
    terminal.advance(stream.as_bytes(), &mut Silent);
    terminal
}

fn only(terminal: &mut Terminal) -> Picture {
    let mut all = terminal.pictures();
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

#[test]
fn the_cursor_makes_way_when_it_is_placed() {
    let sent = sent(1);
    check(
        SIZE,
        &format!("{sent}a{}b", placed("i=1")),
        &["a", "    b"],
        (5, 1),
    );
    check(
        SIZE,
        &format!("{sent}a{}b", placed("i=1,C=1")),
        &["ab"],
        (2, 0),
    );
    check(
        SIZE,
        &format!("{sent}a{}b", placed("i=1,c=5,r=3")),
        &["a", "", "      b"],
        (7, 2),
    );
    check(SIZE, &format!("{sent}a{}b", placed("i=2")), &["ab"], (2, 0));
    let gone = "\x1b_Ga=d,d=I,i=1\x1b\\";
    check(
        SIZE,
        &format!("{sent}{gone}a{}b", placed("i=1")),
        &["ab"],
        (2, 0),
    );
    // A reset forgets it.
    check(
        SIZE,
        &format!("{sent}\x1bca{}b", placed("i=1")),
        &["ab"],
        (2, 0),
    );
}

#[test]
fn one_that_came_before_is_shown_where_it_is_placed() {
    let mut terminal = after(&format!(
        "{}\x1b[2;3H{}",
        sent(7),
        placed("i=7,C=1,z=-1,X=2,p=3")
    ));
    let picture = only(&mut terminal);
    assert_eq!((picture.at, picture.cells), ((2, 1), (3, 2)));
    assert_eq!(
        text(&picture.bytes),
        "^_Gq=2,a=T,z=-1,X=2,f=24,s=30,v=40;AA07^\\"
    );
    // In chunks, and a part of it in other cells.
    let chunks = "\x1b_Gi=1,s=9,v=9,m=1;AA\x1b\\\x1b_Gm=0;BB\x1b\\";
    let mut terminal = after(&format!(
        "{chunks}{}",
        placed("i=1,x=1,y=2,w=3,h=4,c=2,r=1")
    ));
    let picture = only(&mut terminal);
    assert_eq!(
        text(&picture.bytes),
        "^_Gq=2,a=T,x=1,y=2,w=3,h=4,c=2,r=1,s=9,v=9,m=1;AA^\\^_Gq=2,m=0;BB^\\"
    );
    assert_eq!(picture.cells, (2, 1));
    // By its number; the newest with it.
    let numbers = "\x1b_GI=5,s=9,v=9;AA\x1b\\\x1b_GI=5,s=9,v=9;BB\x1b\\";
    let mut terminal = after(&format!("{numbers}{}", placed("I=5")));
    assert!(text(&only(&mut terminal).bytes).contains(";BB"));
    // Again and again; a placement with a name moves; a new picture takes the old one's places away.
    let mut terminal = after(&sent(1));
    for (stream, want) in [
        (placed("i=1,C=1"), &[(0, 0)][..]),
        (
            format!("\x1b[1;5H{}", placed("i=1,C=1,p=2")),
            &[(0, 0), (4, 0)],
        ),
        (
            format!("\x1b[3;5H{}", placed("i=1,C=1,p=2")),
            &[(0, 0), (4, 2)],
        ),
        (sent(2), &[(0, 0), (4, 2)]),
        (sent(1), &[]),
        (placed("i=1,C=1"), &[(4, 2)]),
    ] {
        terminal.advance(stream.as_bytes(), &mut Silent);
        assert_eq!(places(&mut terminal), want, "{stream:?}");
    }
}

#[test]
fn they_are_taken_away() {
    // Two of picture 1 (the second is placement 5, in front), one of picture 2.
    let start = format!(
        "{}{}\x1b[1;1H{}\x1b[1;5H{}\x1b[4;1H{}\x1b[4;2H",
        sent(1),
        sent(2),
        placed("i=1,C=1"),
        placed("i=1,C=1,p=5,z=3"),
        placed("i=2,C=1"),
    );
    let all = [(0, 0), (4, 0), (0, 3)];
    for (keys, want) in [
        ("", &[][..]),
        ("d=a", &[]),
        ("d=i,i=1", &all[2..]),
        ("d=I,i=1", &all[2..]),
        ("d=i,i=1,p=5", &[(0, 0), (0, 3)]),
        ("d=i,i=9", &all),
        ("d=c", &all[..2]),
        ("d=p,x=6,y=2", &[(0, 0), (0, 3)]),
        ("d=q,x=6,y=2,z=1", &all),
        ("d=q,x=6,y=2,z=3", &[(0, 0), (0, 3)]),
        ("d=r,x=2,y=9", &all[..2]),
        ("d=x,x=5", &[(0, 0), (0, 3)]),
        ("d=y,y=4", &all[..2]),
        ("d=z,z=0", &all[1..2]),
        ("d=f", &all),
        ("d=N,I=9", &all),
    ] {
        let mut terminal = after(&format!("{start}\x1b_Ga=d,{keys}\x1b\\"));
        assert_eq!(places(&mut terminal), want, "{keys}");
    }
    // Only those of kitty, and of the screen that is shown.
    let sixel = "\x1bPq\"1;1;10;20#0~\x1b\\";
    let mut terminal = after(&format!("{sixel}\x1b_Ga=d\x1b\\"));
    assert_eq!(places(&mut terminal), [(0, 0)]);
    let mut terminal = after(&format!("{start}\x1b[?1049h\x1b_Ga=d\x1b\\\x1b[?1049l"));
    assert_eq!(places(&mut terminal), all);
    // What is not freed may be placed again.
    let again = placed("i=1,C=1");
    for (keys, want) in [
        ("d=a", 1),
        ("d=i,i=1", 1),
        ("d=A", 0),
        ("d=I,i=1", 0),
        ("d=R,x=1,y=1", 0),
    ] {
        let stream = format!(
            "{}\x1b[H{}\x1b_Ga=d,{keys}\x1b\\{again}",
            sent(1),
            placed("i=1,C=1")
        );
        assert_eq!(places(&mut after(&stream)).len(), want, "{keys}");
    }
}

#[test]
fn frames_come_with_it() {
    let frames =
        "\x1b_Ga=f,i=1,s=9,v=9,z=40,m=1;AA\x1b\\\x1b_Ga=f,m=0;BB\x1b\\\x1b_Ga=a,i=1,s=3,v=1\x1b\\";
    let want = [
        "^_Gq=2,a=f,s=9,v=9,z=40,m=1;AA^\\^_Gq=2,m=0,a=f;BB^\\",
        "^_Gq=2,a=a,s=3,v=1^\\",
    ];
    // Before it is placed, and behind that.
    for stream in [
        format!("{}{frames}{}", sent(1), placed("i=1")),
        format!("{}{}{frames}", sent(1), placed("i=1")),
        format!("\x1b_Ga=T,i=1,s=30,v=40;AA\x1b\\{frames}"),
    ] {
        let picture = only(&mut after(&stream));
        let got: Vec<String> = picture.frames.iter().map(|frame| text(frame)).collect();
        assert_eq!(got, want, "{stream:?}");
    }
    // Of a picture nobody knows, and too many.
    assert_eq!(after(frames).pictures(), []);
    let many = "\x1b_Ga=f,i=1,s=9,v=9;AAAAAAAA\x1b\\".repeat(5000);
    let picture = only(&mut after(&format!("{}{}{many}", sent(1), placed("i=1"))));
    let held: usize = picture.frames.iter().map(|frame| frame.len()).sum();
    assert!((1000..10_000).contains(&held), "{held}");
}

#[test]
fn kept_ones_are_bounded() {
    let mut terminal = viewer();
    for id in 1..500 {
        let one = format!("\x1b_Gi={id},s=9,v=9;{}\x1b\\", "A".repeat(1500));
        terminal.advance(one.as_bytes(), &mut Silent);
    }
    // The newest is there; the oldest of those whose size is still known are not shown.
    terminal.advance(placed("i=400,C=1").as_bytes(), &mut Silent);
    assert_eq!(terminal.pictures(), []);
    terminal.advance(placed("i=499,C=1").as_bytes(), &mut Silent);
    assert_eq!(places(&mut terminal), [(0, 0)]);
}

/// Two columns and rows of characters that stand for picture 42.
const STAND_INS: &str = "\x1b[38;5;42m\u{10eeee}\u{305}\u{305}\u{10eeee}\u{305}\u{30d}\r\n\
    \u{10eeee}\u{30d}\u{10eeee}\x1b[m";

#[test]
fn characters_that_stand_for_it_are_blank() {
    let around = format!("a{STAND_INS}b\r\n");
    check(SIZE, &around, &["a", "  b"], (0, 2));
    for engine in [EngineKind::Grid, EngineKind::Vt100] {
        // In the scrollback, in text, and drawn on another terminal.
        let (mut terminal, _) = fed(engine, SIZE, &format!("{around}{}", "\r\n".repeat(8)));
        assert_eq!(history(&terminal)[..2], ["a  ", "  b"], "{engine:?}");
        terminal.advance(format!("\x1b[H{around}").as_bytes(), &mut Silent);
        assert!(!terminal.text().contains('\u{10eeee}'), "{engine:?}");
        let options = term::render::AnsiOptions::default();
        let drawn = term::render::snapshot_to_ansi(&terminal.snapshot(), &options);
        let (again, _) = fed(engine, SIZE, &String::from_utf8(drawn).unwrap());
        assert_eq!(rows(&again), rows(&terminal), "{engine:?}");
    }
    // A terminal made from a snapshot has them still.
    let (mut terminal, _) = fed(EngineKind::Grid, SIZE, &around);
    let cell = &terminal.snapshot().main.rows[0].cells[1];
    assert_eq!(cell.text.as_str(), "\u{10eeee}\u{305}\u{305}");
}

#[test]
fn a_picture_is_where_its_characters_are() {
    let virtual_one = "\x1b_Ga=T,U=1,i=42,c=2,r=2,f=24,s=30,v=40;AA\x1b\\";
    let mut terminal = after(&format!("{virtual_one}\x1b[2;4H"));
    assert_eq!(terminal.pictures(), [], "no characters, no picture");
    for (stream, want) in [
        ("\x1b[2;1H".to_owned() + STAND_INS, &[(0, 1)][..]),
        // They are text: they scroll, may stand twice, and are written over.
        ("\x1b[M".to_owned(), &[]),
        ("\x1bM".to_owned(), &[]),
        ("\x1b[2;1H".to_owned() + STAND_INS, &[(0, 1)]),
        ("\x1b[4;1H".to_owned() + STAND_INS, &[(0, 1), (0, 3)]),
        ("\x1b[S".to_owned(), &[(0, 0), (0, 2)]),
        ("\x1b[1;1Hx".to_owned(), &[(0, 2)]),
        ("\x1b_Ga=d,d=i,i=42\x1b\\".to_owned(), &[]),
        (placed("i=42,U=1,c=2,r=2"), &[(0, 2)]),
        ("\x1bc".to_owned(), &[]),
    ] {
        terminal.advance(stream.as_bytes(), &mut Silent);
        assert_eq!(places(&mut terminal), want, "{stream:?}");
    }
    let mut terminal = after(&format!("{virtual_one}{STAND_INS}"));
    let picture = only(&mut terminal);
    assert_eq!((picture.at, picture.cells), ((0, 0), (2, 2)));
    assert_eq!(
        text(&picture.bytes),
        "^_Gq=2,a=T,c=2,r=2,f=24,s=30,v=40;AA^\\"
    );
    // Not all of its characters are there.
    let half = STAND_INS.split("\r\n").next().unwrap();
    assert_eq!(after(&format!("{virtual_one}{half}")).pictures(), []);
}

/// Who attaches later has the text and the sizes, and shows what comes from then on.
#[test]
fn who_comes_later() {
    let options = term::Options {
        picture_bytes: 10_000,
        ..term::Options::default()
    };
    let (mut host, _) = fed(EngineKind::Grid, SIZE, &sent(1));
    let mut late = Terminal::from_snapshot(&host.snapshot(), &options);
    for stream in [
        format!("a{}b", placed("i=1")),
        sent(1),
        format!("\x1b[H{}", placed("i=1")),
    ] {
        host.advance(stream.as_bytes(), &mut Silent);
        late.advance(stream.as_bytes(), &mut Silent);
        assert_eq!(host.snapshot(), late.snapshot(), "{stream:?}");
    }
    assert_eq!(places(&mut late), [(0, 0)]);
    assert_eq!(late.pictures_asked(), 2, "the first was to be shown too");
}
