//! Pictures: never in the grid and never garbage, counted, the cursor makes way for them; a viewer
//! that keeps them has them where their cells are, until these change. A cell has 10x20 pixels as
//! long as no viewer told another size.

use term::{Colours, EngineKind, Options, Picture, PictureKind, Silent, Size, Terminal};

use crate::{check, fed, rows};

pub(crate) const SIZE: (u16, u16) = (12, 6);
/// 30x40 pixels: three columns, two rows.
const SIXEL: &str = "\x1bPq\"1;1;30;40#0;2;0;0;0#0!30~-!30~-\x1b\\";
const KITTY: &str = "\x1b_Ga=T,i=5,f=24,s=30,v=40;AAAA\x1b\\";
const FILE: &str = "\x1b]1337;File=inline=1;width=3;height=2:AAAA\x07";
/// The same in parts (iTerm2 3.5).
const PARTS: &str = "\x1b]1337;MultipartFile=inline=1;width=3;height=2\x07\
    \x1b]1337;FilePart=AA\x07\x1b]1337;FilePart=AA\x1b\\\x1b]1337;FileEnd\x07";

#[test]
fn the_cursor_makes_way() {
    // In the last row in its column (xterm 379), behind its last cell (kitty, iTerm2).
    check(SIZE, &format!("a{SIXEL}b"), &["a", " b"], (2, 1));
    check(SIZE, &format!("a{KITTY}b"), &["a", "    b"], (5, 1));
    check(SIZE, &format!("a{FILE}b"), &["a", "    b"], (5, 1));
    check(SIZE, &format!("a{PARTS}b"), &["a", "    b"], (5, 1));
    // The screen scrolls if there is no room, region and all.
    check(
        SIZE,
        &format!("top\x1b[6Hx{SIXEL}y"),
        &["", "", "", "", "x", " y"],
        (2, 5),
    );
    check(
        SIZE,
        &format!("a\r\nb\r\nc\x1b[2;3r\x1b[3H{KITTY}"),
        &["a", "c"],
        (3, 2),
    );
    // Told to stay, or of no known size.
    for still in [
        "\x1b_Ga=T,C=1,f=24,s=30,v=40;AAAA\x1b\\",
        "\x1b_Ga=t,i=1,f=24,s=30,v=40;AAAA\x1b\\",
        "\x1b_Ga=p,i=1\x1b\\",
        "\x1b_Ga=f,i=1,s=30,v=40,m=1;AAAA\x1b\\\x1b_Ga=f,m=0;AAAA\x1b\\",
        "\x1b_Ga=a,i=1,s=3\x1b\\\x1b_Ga=c,i=1,r=1,c=2\x1b\\\x1b_Ga=d,d=A\x1b\\",
        "\x1b_Ga=T,U=1,i=1,c=2,r=1,s=30,v=40;AAAA\x1b\\",
        "\x1b_Ga=T,f=100;AAAA\x1b\\",
        "\x1bPq#0~~\x1b\\",
        "\x1b]1337;File=inline=0:AAAA\x07",
        "\x1b]1337;File=inline=1:AAAA\x07",
        "\x1b]1337;MultipartFile=inline=1;width=3;height=2\x07\x1b]1337;FilePart=AA\x07",
        "\x1b]1337;FilePart=AA\x07\x1b]1337;FileEnd\x07",
        "\x1bPpS(E)\x1b\\",
    ] {
        check(SIZE, &format!("a{still}b"), &["ab"], (2, 0));
    }
    // In parts: once, with the first.
    let parts = "\x1b_Ga=T,f=24,s=30,v=40,m=1;AA\x1b\\\x1b_Gm=1;AA\x1b\\\x1b_Gm=0;AA\x1b\\";
    check(SIZE, &format!("a{parts}b"), &["a", "    b"], (5, 1));
}

#[test]
fn they_are_counted() {
    let parts = "\x1b_Ga=T,m=1;AA\x1b\\\x1b_Gm=1;AA\x1b\\\x1b_Gm=0;AA\x1b\\";
    for (stream, want) in [
        (SIXEL, 1),
        (KITTY, 1),
        (FILE, 1),
        (parts, 1),
        (PARTS, 1),
        // To be placed later; what is done with it is no picture of its own.
        (
            "\x1b_Ga=t,i=1,s=9,v=9;AA\x1b\\\x1b_Ga=p,i=1\x1b\\\x1b_Ga=p,i=1\x1b\\",
            1,
        ),
        (
            "\x1b_Ga=t,i=1,s=9,v=9,m=1;AA\x1b\\\x1b_Gm=0;AA\x1b\\\x1b_Ga=d\x1b\\",
            1,
        ),
        (
            "\x1b_Ga=f,i=1,m=1;AA\x1b\\\x1b_Ga=f,m=0;AA\x1b\\\x1b_Ga=a,i=1,s=3\x1b\\",
            0,
        ),
        ("\x1b_Gm=0;AA\x1b\\", 0),
        // A download, and one that was never begun.
        (
            "\x1b]1337;MultipartFile=\x07\x1b]1337;FilePart=A\x07\x1b]1337;FileEnd\x07",
            0,
        ),
        ("\x1b]1337;FilePart=AA\x07\x1b]1337;FileEnd\x07", 0),
        ("\x1b_Ga=T,m=1;AA\x1b\\", 0),
        ("\x1b_Ga=q,i=1;AA\x1b\\", 0),
        ("\x1bPq#0~~", 0),
        ("\x1bPq#0~~\x18", 0),
        ("\x1bP$qm\x1b\\\x1bP+q544e\x1b\\", 0),
        ("\x1bPtmux;\x1b\x1bPq#0~\x1b\x1b\\\x1b\\", 1),
    ] {
        for engine in [EngineKind::Grid, EngineKind::Vt100] {
            let (mut terminal, _) = fed(engine, SIZE, &format!("{stream}{stream}\x1bc"));
            assert_eq!(terminal.pictures_seen(), 2 * want, "{engine:?} {stream:?}");
            assert_eq!(terminal.snapshot().pictures, 2 * want);
            assert_eq!(terminal.pictures(), [], "nobody keeps them");
        }
    }
}

pub(crate) fn viewer() -> Terminal {
    let options = Options {
        picture_bytes: 10_000,
        ..Options::default()
    };
    Terminal::new(Size::new(SIZE.0, SIZE.1), &options)
}

pub(crate) fn places(terminal: &mut Terminal) -> Vec<(u16, u16)> {
    terminal
        .pictures()
        .iter()
        .map(|picture| picture.at)
        .collect()
}

#[test]
fn a_viewer_has_them_where_their_cells_are() {
    let mut terminal = viewer();
    for (bytes, want) in [
        (SIXEL, &[(0, 0)][..]),
        ("\x1b[1;5H", &[(0, 0)]),
        (KITTY, &[(0, 0), (4, 0)]),
        // Cells beside it are nobody's business.
        ("\x1b[1;9Hx", &[(0, 0), (4, 0)]),
        ("\x1b[1;4Hx", &[(0, 0), (4, 0)]),
        // Written over, even with a blank.
        ("\x1b[2;2H ", &[(4, 0)]),
        // They move with their rows, and go when they are cut.
        ("\x1b[T", &[(4, 1)]),
        ("\x1b[1;1H\x1b[L", &[(4, 2)]),
        ("\x1b[6H\n\n", &[(4, 0)]),
        ("\n", &[]),
        // Erased, though the cells were blank before.
        ("\x1b[H\x1b_Ga=T,c=2,r=1;AA\x1b\\", &[(0, 0)]),
        ("\x1b[1;3H\x1b[K", &[(0, 0)]),
        ("\x1b[1;2H\x1b[X", &[]),
        // Each screen has its own.
        (FILE, &[(1, 0)]),
        ("\x1b[?1049h", &[]),
        (FILE, &[(4, 1)]),
        ("\x1b[?1049l", &[(1, 0)]),
        // Columns that move, sizes and resets end them.
        ("\x1b[H\x1b[@", &[]),
        (FILE, &[(0, 0)]),
        ("\x1bc", &[]),
        // Not all of it would be on the screen.
        ("\x1b[1;11H\x1b_Ga=T,c=3,r=1;AA\x1b\\", &[]),
        ("\x1b[H\x1b_Ga=T,c=1,r=7;AA\x1b\\", &[]),
        ("\x1b[6H\x1b_Ga=T,C=1,c=1,r=2;AA\x1b\\", &[]),
    ] {
        terminal.advance(bytes.as_bytes(), &mut Silent);
        assert_eq!(places(&mut terminal), want, "{bytes:?}");
    }
    terminal.advance(format!("\x1b[H{FILE}").as_bytes(), &mut Silent);
    assert_eq!(places(&mut terminal), [(0, 0)]);
    terminal.resize(Size::new(13, 6));
    assert_eq!(places(&mut terminal), []);
}

#[test]
fn what_draws_one_comes_with_it() {
    let mut terminal = viewer();
    terminal.advance(KITTY.as_bytes(), &mut Silent);
    let [
        Picture {
            kind, cells, bytes, ..
        },
    ] = &terminal.pictures()[..]
    else {
        panic!("one picture");
    };
    assert_eq!((*kind, *cells), (PictureKind::Kitty, (3, 2)));
    assert_eq!(bytes.as_slice(), b"\x1b_Gq=2,a=T,f=24,s=30,v=40;AAAA\x1b\\");
    // A file in parts becomes one.
    let mut terminal = viewer();
    terminal.advance(PARTS.as_bytes(), &mut Silent);
    let bytes = &terminal.pictures()[0].bytes;
    let start = b"\x1b]1337;File=inline=1;width=3;height=2;";
    assert!(bytes.starts_with(start) && bytes.ends_with(b":AAAA\x1b\\"));
    // A cell's size is the viewer's.
    let mut terminal = viewer();
    terminal.set_colours(&Colours {
        cell_pixels: Some((30, 40)),
        ..Colours::default()
    });
    terminal.advance(SIXEL.as_bytes(), &mut Silent);
    assert_eq!(terminal.pictures()[0].cells, (1, 1));
    assert_eq!((terminal.cursor().x, terminal.cursor().y), (0, 0));
}

#[test]
fn they_are_bounded() {
    let mut terminal = viewer();
    for n in 0..100 {
        let one = format!(
            "\x1b[{};1H\x1b_Ga=T,C=1,c=1,r=1;{}\x1b\\",
            n % 6 + 1,
            "A".repeat(1500)
        );
        terminal.advance(one.as_bytes(), &mut Silent);
    }
    let held: usize = terminal.pictures().iter().map(|p| p.bytes.len()).sum();
    assert!((1500..=10_000).contains(&held), "{held}");
    assert_eq!(terminal.pictures_seen(), 100);
    let long = format!("\x1bPq\"1;1;9;9{}\x1b\\", "~".repeat(20_000));
    terminal.advance(format!("\x1bc{long}").as_bytes(), &mut Silent);
    assert_eq!(terminal.pictures(), []);
    assert_eq!((terminal.pictures_seen(), terminal.cursor().y), (101, 0));
}

/// A viewer that came in the middle of one does not show half of it, and goes on as the host does.
#[test]
fn cut_anywhere() {
    for engine in [EngineKind::Grid, EngineKind::Vt100] {
        let parts = "\x1b_Ga=T,f=24,s=30,v=40,m=1;AA\x1b\\\x1b_Gm=0;AA\x1b\\";
        let later = "\x1b_Gi=1,s=30,v=40,m=1;AA\x1b\\\x1b_Ga=d\x1b\\\x1b_Gm=0;AA\x1b\\x\x1b_Ga=p,i=1\x1b\\\
            \x1b_Ga=f,i=1,s=1,v=1;A\x1b\\\x1b_Ga=p,i=1,U=1\x1b\\";
        let long = format!("\x1bPq\"1;1;30;40{}\x1b\\", "~".repeat(5_000));
        for stream in [SIXEL, KITTY, FILE, PARTS, parts, later, &long] {
            let stream = format!("{stream}x");
            for cut in (0..=stream.len()).step_by(if stream.len() > 1000 { 97 } else { 1 }) {
                let (mut host, _) = fed(engine, SIZE, &stream[..cut]);
                let options = Options {
                    engine,
                    picture_bytes: 1 << 20,
                    ..Options::default()
                };
                let mut view = Terminal::from_snapshot(&host.snapshot(), &options);
                host.advance(&stream.as_bytes()[cut..], &mut Silent);
                view.advance(&stream.as_bytes()[cut..], &mut Silent);
                assert_eq!(rows(&host), rows(&view), "{stream:?} at {cut}");
                assert_eq!(host.snapshot(), view.snapshot(), "{stream:?} at {cut}");
                for picture in view.pictures() {
                    let sound =
                        picture.bytes.starts_with(b"\x1b") && picture.bytes.ends_with(b"\x1b\\");
                    assert!(
                        sound
                            && (stream.contains("a=p")
                                || picture.bytes.len() + 40 > stream.len() - 1),
                        "{cut}"
                    );
                }
            }
        }
    }
}
