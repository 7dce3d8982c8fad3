//! OSC 8. The vt100 engine shows the text without the link.

use term::{EngineKind, Options, Recorder, Size, Terminal, codec};

use crate::fed;

/// The links of the first cells: number in the snapshot and what it stands for.
fn links(bytes: &str) -> Vec<Option<String>> {
    let (mut terminal, _) = fed(EngineKind::Grid, (20, 3), bytes);
    let snapshot = terminal.snapshot();
    let cells = &snapshot.main.rows[0].cells;
    let linked = cells.iter().filter(|cell| !cell.text.is_empty());
    linked
        .map(|cell| Some(snapshot.links[cell.style.link? as usize].clone()))
        .collect()
}

#[test]
fn cells_are_linked() {
    let x = || Some(";http://x".to_owned());
    assert_eq!(
        links("a\x1b]8;;http://x\x07b\x1b[1mc\x1b[0md\x1b]8;;\x07e"),
        [None, x(), x(), x(), None]
    );
    assert_eq!(
        links("\x1b]8;id=1:k=v;http://x\x1b\\a\x1b]8;k=v;http://x\x1b\\b"),
        [Some("id=1;http://x".into()), x()]
    );
    // A target may hold semicolons; not controls, and not endless.
    assert_eq!(
        links("\x1b]8;;http://x;y\x07a"),
        [Some(";http://x;y".into())]
    );
    assert_eq!(links("\x1b]8;;\u{85}\x07a"), [None]);
    assert_eq!(links(&format!("\x1b]8;;{}\x07a", "x".repeat(3000))), [None]);
    // DECSTR and RIS end it, erasing does not spread it.
    assert_eq!(links("\x1b]8;;http://x\x07\x1b[!pa"), [None]);
    assert_eq!(links("\x1b]8;;http://x\x07\x1bca"), [None]);
    let (terminal, _) = fed(EngineKind::Grid, (9, 2), "\x1b]8;;http://x\x07\x1b[K");
    assert_eq!(terminal.row(0).cells[3].style.link, None);
}

#[test]
fn lines_of_the_scrollback_keep_theirs() {
    let text = "\x1b]8;;http://x\x07a\x1b]8;;\x07\r\n\x1b]8;;http://y\x07b\x1b]8;;\x07\r\n\n\n";
    let (terminal, _) = fed(EngineKind::Grid, (9, 2), text);
    let page = terminal.page(1, 1);
    let page = codec::decode_page(&codec::encode_page(&page)).unwrap();
    let link = page.lines[0].spans[0].style.link.unwrap();
    assert_eq!(page.links[link as usize], ";http://y");
    assert_eq!(page.links.len(), 1);
}

/// Links and styles without end do not add up.
#[test]
fn a_million_links_pass() {
    let options = Options {
        engine: EngineKind::Grid,
        ..Options::default()
    };
    let mut terminal = Terminal::new(Size::new(80, 24), &options);
    let mut sink = Recorder::default();
    let mut bytes = Vec::new();
    for n in 0..200_000u32 {
        let [r, g, b, _] = n.to_le_bytes();
        bytes.extend_from_slice(
            format!("\x1b]8;;http://x/{n}\x07\x1b[38;2;{r};{g};{b}mx\x1b]8;;\x07").as_bytes(),
        );
    }
    terminal.advance(&bytes, &mut sink);
    let snapshot = terminal.snapshot();
    let last = snapshot.main.rows[23]
        .cells
        .iter()
        .rev()
        .find(|c| !c.text.is_empty());
    let link = last.unwrap().style.link.unwrap();
    assert_eq!(snapshot.links[link as usize], ";http://x/199999");
    assert!(snapshot.links.len() <= 80 * 24 + 1);
}
