//! Redraw: what `abide capture --redraw` prints makes a terminal of the same size show the same pane,
//! with its history in that terminal's own scrollback.

#![cfg(test)]

use term::{Options, Silent, Size, Terminal};
use testkit::Home;

/// Lines of a terminal's scrollback.
fn history(terminal: &Terminal) -> Vec<String> {
    let page = terminal.page(0, 1000);
    page.lines.iter().map(term::Line::text).collect()
}

#[test]
fn a_terminal_of_the_same_size_shows_the_same() {
    let home = Home::new(env!("CARGO_BIN_EXE_abide"));
    home.start();
    let long = "0123456789".repeat(15);
    let pane = home.script(&format!(
        r"for i in $(seq 60); do echo line $i; done; echo {long}; printf '\e[1;3;38;2;1;2;3mlast\e[m'; \
          printf '\e[?1049h\e[2;3Hfull screen\e[?1000h\e[4 q'; exec cat"
    ));
    home.wait_capture(pane, "full screen");
    let id = pane.to_string();
    let drawn = home
        .abide(["capture", &id, "--redraw", "--scrollback", "all"])
        .ok();
    let told = home.abide(["capture", &id, "--json", "--redraw"]).json();
    let size = |at: usize| u16::try_from(told["size"][at].as_u64().unwrap_or(0)).unwrap_or(0);
    let size = Size::new(size(0), size(1));
    let mut outer = Terminal::new(size, &Options::default());
    outer.advance(drawn.as_bytes(), &mut Silent);
    assert_eq!(outer.text().trim_end(), home.capture(pane).trim_end());
    let modes = outer.modes();
    assert!(modes.alternate && modes.mouse == term::modes::MouseMode::Normal);
    // Behind the alternate screen: history, a line that is wrapped, and styles.
    let lines = history(&outer);
    assert_eq!(lines[..2], ["line 1", "line 2"]);
    outer.advance(b"\x1b[?1049l", &mut Silent);
    let mut all = lines;
    all.extend(outer.text().lines().map(str::to_owned));
    assert!(
        all.contains(&"line 60".to_owned()) && all.contains(&long),
        "{all:?}"
    );
    // Without history only the screens.
    let drawn = home.abide(["capture", &id, "--redraw"]).ok();
    let mut outer = Terminal::new(size, &Options::default());
    outer.advance(drawn.as_bytes(), &mut Silent);
    assert_eq!(history(&outer), Vec::<String>::new());
    // Text with styles is another thing.
    let told = home.abide(["capture", &id, "--redraw", "--ansi"]).fails(2);
    assert!(told.contains("--ansi"), "{told}");
}
