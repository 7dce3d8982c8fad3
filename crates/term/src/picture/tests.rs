//! Heads of pictures, and what is passed on of them.

use super::*;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

const CELL: (u16, u16) = (10, 20);

fn png(width: u32, height: u32) -> String {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    bytes.extend_from_slice(&width.to_be_bytes());
    bytes.extend_from_slice(&height.to_be_bytes());
    bytes.extend_from_slice(&[8, 6, 0, 0, 0, 1, 2, 3, 4]);
    STANDARD.encode(bytes)
}

#[test]
fn sixel_sizes() {
    for (data, want) in [
        ("\"1;1;100;40#0~", Some((10, 2))),
        ("\"1;1;101;41", Some((11, 3))),
        ("  \"1;1;1;1", Some((1, 1))),
        ("\"1;1;0;40", None),
        ("\"1;1;100", None),
        ("#0;2;0;0;0~", None),
        ("\"1;1;99999999999;1", None),
        ("\"1;1;65535;65535", None),
    ] {
        let head = sixel(data.as_bytes(), CELL);
        assert_eq!((head.cells, head.moves), (want, Moves::Under), "{data}");
    }
}

/// What a terminal knows of these strings: cells, cursor, part, and whether a picture came, of the
/// last one.
fn kitty(strings: &[&str]) -> Option<(Option<Cells>, Moves, Part, bool)> {
    let mut images = Images::default();
    let mut last = None;
    for string in strings {
        last = images.string(string.as_bytes(), CELL);
    }
    last.map(|head| (head.cells, head.moves, head.part, head.counts))
}

#[test]
fn kitty_heads() {
    use Moves::{Beside, Stays};
    use Part::{First, Later, Whole};
    for (strings, want) in [
        (
            &["Ga=T,f=24,s=20,v=20;AAAA"][..],
            (Some((2, 1)), Beside, Whole, true),
        ),
        (
            &["Ga=T,f=24,s=20,v=20,m=1;AAAA"],
            (Some((2, 1)), Beside, First, false),
        ),
        (
            &["Ga=T,s=20,v=20,m=1;A", "Gm=1;A"],
            (None, Stays, Later(false), false),
        ),
        (
            &["Ga=T,s=20,v=20,m=1;A", "Gm=1;A", "Gq=2,m=0;A"],
            (None, Stays, Later(true), true),
        ),
        (
            &["Ga=t,i=1,m=1;A", "Gm=0;A"],
            (None, Stays, Later(true), true),
        ),
        (
            &["Ga=T,c=4,r=3,C=1;AAAA"],
            (Some((4, 3)), Stays, Whole, true),
        ),
        (
            &["Ga=T,s=100,v=100,c=4;AAAA"],
            (Some((4, 2)), Beside, Whole, true),
        ),
        (
            &["Ga=T,s=100,v=100,r=4;AAAA"],
            (Some((8, 4)), Beside, Whole, true),
        ),
        (&["Ga=T,s=0,v=0,c=4;AAAA"], (None, Beside, Whole, true)),
        (&["Ga=T,f=100;AAAA"], (None, Beside, Whole, true)),
        // Files of another machine, characters that stand for it, one to be placed later.
        (&["Ga=T,t=f,s=20,v=20;AAAA"], (None, Stays, Whole, true)),
        (&["Ga=T,U=1,c=1,r=1;AAAA"], (None, Stays, Whole, true)),
        (&["Gi=1,s=20,v=20;AAAA"], (None, Stays, Whole, true)),
        // Placed later: by id, by number, a part of it, in cells, relative to another, in text.
        (
            &["Gi=1,s=20,v=40;A", "Ga=p,i=1"],
            (Some((2, 2)), Beside, Whole, false),
        ),
        (
            &["Gi=1,s=20,v=40,m=1;A", "Gm=0;A", "Ga=p,i=1"],
            (Some((2, 2)), Beside, Whole, false),
        ),
        (
            &["GI=7,s=20,v=40;A", "GI=7,s=9,v=9;A", "Ga=p,I=7"],
            (Some((1, 1)), Beside, Whole, false),
        ),
        (
            &["Gi=1,s=20,v=40;A", "Ga=p,i=1,w=10,h=20"],
            (Some((1, 1)), Beside, Whole, false),
        ),
        (
            &["Gi=1,s=20,v=40;A", "Ga=p,i=1,c=5,r=4,C=1"],
            (Some((5, 4)), Stays, Whole, false),
        ),
        (
            &["Gi=1,s=20,v=40;A", "Ga=p,i=1,P=2,Q=1"],
            (None, Beside, Whole, false),
        ),
        (
            &["Gi=1,s=20,v=40;A", "Ga=p,i=1,U=1"],
            (None, Beside, Whole, false),
        ),
        // Frames and what plays them.
        (
            &["Gi=1,s=1,v=1;A", "Ga=f,i=1,m=1;A"],
            (None, Stays, First, false),
        ),
        (
            &["Gi=1,s=1,v=1;A", "Ga=f,i=1,m=1;A", "Ga=f,m=0;A"],
            (None, Stays, Later(true), false),
        ),
        (
            &["Gi=1,s=1,v=1;A", "Ga=a,i=1,s=3"],
            (None, Stays, Whole, false),
        ),
        (&["Ga=d"], (None, Stays, Whole, false)),
        // Freed or not.
        (
            &["Gi=1,s=20,v=40;A", "Ga=d,d=i,i=1", "Ga=p,i=1"],
            (Some((2, 2)), Beside, Whole, false),
        ),
        (
            &["Gi=1,s=20,v=40;A", "Ga=d,d=A", "Ga=p,i=1"],
            (Some((2, 2)), Beside, Whole, false),
        ),
    ] {
        assert_eq!(kitty(strings), Some(want), "{strings:?}");
    }
    let image = format!("Ga=T,f=100;{}", png(95, 41));
    assert_eq!(kitty(&[&image]), Some((Some((10, 3)), Beside, Whole, true)));
    for none in [
        &["Ga=q,i=1,s=1,v=1;AAAA"][..],
        &["Ga=p,i=1"],
        &["Gm=0;A"],
        &["Ga=T,s=1,v=1;A", "Gm=0;A"],
        &["Ga=T,s=1,v=1,m=1;A", "Ga=f,m=0;A"],
        &["Gi=1,s=20,v=40;A", "Ga=d,d=I,i=1", "Ga=p,i=1"],
        &["Ga=T,i=1,s=20,v=40;A", "Ga=d,d=A", "Ga=p,i=1"],
        &["Gi=3,s=20,v=40;A", "Ga=d,d=R,x=2,y=4", "Ga=p,i=3"],
        &["x"],
        &[""],
    ] {
        assert_eq!(kitty(none), None, "{none:?}");
    }
    let mut images = Images::default();
    for id in 1..1000 {
        images.string(format!("Gi={id},s=1,v=1;A").as_bytes(), CELL);
    }
    assert_eq!(images.known.len(), 256);
    assert!(images.string(b"Ga=p,i=999", CELL).is_some());
    assert!(images.string(b"Ga=p,i=1", CELL).is_none());
}

#[test]
fn file_heads() {
    let check = |args: &str, data: &str, want: Option<Option<Cells>>| {
        let payload = format!("1337;File={args}:{data}");
        let head = file(payload.as_bytes(), CELL, (80, 24));
        assert_eq!(head.map(|head| head.cells), want, "{args}");
    };
    let image = png(200, 100);
    check("inline=1", &image, Some(Some((20, 5))));
    check(
        "name=eA==;size=9;inline=1;width=10",
        &image,
        Some(Some((10, 3))),
    );
    check(
        "inline=1;height=10;width=auto",
        &image,
        Some(Some((40, 10))),
    );
    check(
        "inline=1;width=55px;height=21px",
        "AAAA",
        Some(Some((6, 2))),
    );
    check(
        "inline=1;width=50%;height=50%",
        "AAAA",
        Some(Some((40, 12))),
    );
    check("inline=1;width=x", &image, Some(None));
    check("inline=1", "AAAA", Some(None));
    check("inline=0", &image, None);
    check("", &image, None);
    let gif = STANDARD.encode(b"GIF89a\x20\0\x30\0..");
    check("inline=1", &gif, Some(Some((4, 3))));
    let jpeg = STANDARD.encode(b"\xff\xd8\xff\xe0\0\x04..\xff\xc0\0\x0b\x08\0\x28\0\x64...");
    check("inline=1", &jpeg, Some(Some((10, 2))));
    assert_eq!(file(b"1337;CurrentDir=/x", CELL, (80, 24)), None);
}

/// What is passed on draws and does nothing else.
#[test]
fn what_is_passed_on_is_clean() {
    let mut collector = Collector::new(1000);
    let mut images = Images::default();
    let mut pass = |strings: &[&str]| {
        let mut out = None;
        for string in strings {
            collector.start();
            collector.put(string.as_bytes());
            let head = match string.as_bytes().first() {
                Some(b'G') => images.string(string.as_bytes(), CELL),
                _ => Some(sixel(string.as_bytes(), CELL)),
            };
            match head {
                Some(head) => out = collector.end(&head),
                None => collector.drop_string(),
            }
        }
        out.map(|bytes| String::from_utf8(bytes).unwrap())
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(pass(&["#0~\r\n\x07-"]), some("\x1bP0;1q#0~-\x1b\\"));
    // What shows it, and where, is put in behind `q=2`.
    assert_eq!(
        pass(&["Ga=T,i=7,p=2,q=1,C=0,c=3,f=24,s=1,v=1;AAAA"]),
        some("\x1b_Gq=2,f=24,s=1,v=1;AAAA\x1b\\")
    );
    let between = ["Ga=q,i=3;", "Ga=p,i=7", "Ga=d,d=i,i=9"];
    let chunks = [
        &["Ga=T,s=1,v=1,m=1;AA"][..],
        &between,
        &["Gm=1;BB", "Gm=0;CC"],
    ]
    .concat();
    assert_eq!(
        pass(&chunks),
        some("\x1b_Gq=2,s=1,v=1,m=1;AA\x1b\\\x1b_Gq=2,m=1;BB\x1b\\\x1b_Gq=2,m=0;CC\x1b\\")
    );
    assert_eq!(
        pass(&["Ga=f,i=7,s=1,v=1,x=2,z=40,m=1;AA", "Ga=f,m=0;BB"]),
        some("\x1b_Gq=2,a=f,s=1,v=1,x=2,z=40,m=1;AA\x1b\\\x1b_Gq=2,m=0,a=f;BB\x1b\\")
    );
    assert_eq!(pass(&["Gm=0;CC"]), None, "nothing it could belong to");
    assert_eq!(pass(&["Ga=T,s=1,v=1;A\x07A"]), None);
    assert_eq!(pass(&["Ga=T,s=\x07,v=1;AA"]), None);
    let long = format!("Gm=1;{}", "A".repeat(600));
    assert_eq!(pass(&["Ga=T,m=1;AA", &long, &long, "Gm=0;AA"]), None);
    assert_eq!(
        pass(&["#1~"]),
        some("\x1bP0;1q#1~\x1b\\"),
        "and the next is whole again"
    );
    assert_eq!(pass(&["Ga=T,m=1;AA", "#2~", "Gm=0;AA"]), None);

    let args = "name=x;inline=1;width=2;height=1;preserveAspectRatio=0";
    let payload = format!("1337;File={args}:AAAA");
    let head = file(payload.as_bytes(), CELL, (80, 24)).unwrap();
    let bytes = Collector::new(1000)
        .whole(payload.as_bytes(), &head)
        .unwrap();
    assert_eq!(
        String::from_utf8(bytes).unwrap(),
        "\x1b]1337;File=inline=1;width=2;height=1;preserveAspectRatio=0;doNotMoveCursor=1:AAAA\x1b\\"
    );
    let payload = format!("1337;File={args}:A\x7fAA");
    assert_eq!(Collector::new(1000).whole(payload.as_bytes(), &head), None);
    assert_eq!(Collector::new(10).whole(payload.as_bytes(), &head), None);
    assert_eq!(Collector::default().whole(payload.as_bytes(), &head), None);
}
