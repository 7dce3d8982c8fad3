//! A pane's old screen, as the beginning of the new one.
//!
//! In: what was saved of it (`screens/ID.snapshot` in the state folder, as the host encodes it). Out:
//! the same with every mode off that a program set, and the cursor below the last line, so that a
//! shell goes on underneath. Promises: what cannot be read is left out, never a reason to start
//! nothing.

use std::path::Path;
use term::{Options, Silent, Terminal};

/// Larger is no saved screen.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// Lines of scrollback that are carried over.
const LINES: usize = 2_000;

/// Leaves the alternate screen and every mode a program may have set.
const PLAIN: &str = "\x1b[?1049l\x1b[!p\x1b[?1000;1002;1003;1004;1006;2004;2026;2031l\x1b[<99u\x1b[r\x1b[?25h\x1b[m";

/// The seed of pane `id`, if its screen was saved.
#[must_use]
pub fn of(state: &Path, id: u32) -> Option<Vec<u8>> {
    let file = state.join("screens").join(format!("{id}.snapshot"));
    let bytes = sys::files::read_bounded(&file, MAX_BYTES).ok()?;
    below(&bytes)
}

/// The same screen, ready for a shell underneath.
fn below(encoded: &[u8]) -> Option<Vec<u8>> {
    let snapshot = term::codec::decode_snapshot(encoded).ok()?;
    let mut terminal = Terminal::from_snapshot(&snapshot, &Options::default());
    terminal.advance(PLAIN.as_bytes(), &mut Silent);
    // Rows, not lines: a long line takes several.
    let rows = 0..terminal.size().rows;
    let last = rows
        .rev()
        .find(|y| !terminal.row(*y).text().trim_end().is_empty());
    if let Some(last) = last {
        let end = format!("\x1b[{};1H\r\n", last + 1);
        terminal.advance(end.as_bytes(), &mut Silent);
    }
    Some(terminal.encoded_snapshot(LINES))
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::Size;

    #[test]
    fn a_shell_goes_on_below_what_was_there() {
        let mut old = Terminal::new(Size::new(20, 5), &Options::default());
        old.advance(
            b"$ make\r\nok\r\n$ \x1b[?1000h\x1b[?25l\x1b[1m",
            &mut Silent,
        );
        let seed = below(&old.encoded_snapshot(10)).unwrap();
        let snapshot = term::codec::decode_snapshot(&seed).unwrap();
        let mut new = Terminal::from_snapshot(&snapshot, &Options::default());
        new.advance(b"new$ ", &mut Silent);
        let text = new.text();
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        assert_eq!(lines[..4], ["$ make", "ok", "$", "new$"], "{text}");
        assert_eq!((new.cursor().x, new.cursor().y), (5, 3));
    }

    /// Lines that are longer than a row take several: the shell begins below the last of them, also on a full screen.
    #[test]
    fn a_shell_goes_on_below_wrapped_lines() {
        for (rows, want) in [(8, 5), (5, 4)] {
            let mut old = Terminal::new(Size::new(10, rows), &Options::default());
            let text = format!("{}\r\n{}\r\n$ ", "a".repeat(15), "b".repeat(15));
            old.advance(text.as_bytes(), &mut Silent);
            let seed = below(&old.encoded_snapshot(10)).unwrap();
            let snapshot = term::codec::decode_snapshot(&seed).unwrap();
            let mut new = Terminal::from_snapshot(&snapshot, &Options::default());
            new.advance(b"new$ ", &mut Silent);
            let rows: Vec<String> = (0..rows).map(|y| new.row(y).text()).collect();
            assert_eq!(rows[want].trim_end(), "new$", "{rows:?}");
            assert_eq!(rows[want - 1].trim_end(), "$", "{rows:?}");
        }
    }

    /// What a full-screen program showed is gone with it; what was below it stands again.
    #[test]
    fn a_full_screen_program_leaves() {
        let mut old = Terminal::new(Size::new(20, 5), &Options::default());
        old.advance(b"$ vim\x1b[?1049h\x1b[Htext of vim", &mut Silent);
        let seed = below(&old.encoded_snapshot(10)).unwrap();
        let snapshot = term::codec::decode_snapshot(&seed).unwrap();
        let new = Terminal::from_snapshot(&snapshot, &Options::default());
        assert!(new.text().starts_with("$ vim") && !new.text().contains("text of vim"));
    }

    #[test]
    fn what_cannot_be_read_is_left_out() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(of(home.path(), 3), None);
        std::fs::create_dir(home.path().join("screens")).unwrap();
        std::fs::write(home.path().join("screens/3.snapshot"), b"torn").unwrap();
        assert_eq!(of(home.path(), 3), None);
    }
}
