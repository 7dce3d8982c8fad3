//! Lines of a file that may be large and is written meanwhile.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// Longer lines are cut: pictures and tool results, whose beginning tells what they are.
const MAX_LINE: u64 = 1024 * 1024;
/// Lines that are looked at; a turn of the user's stands among the first of a real conversation.
const MAX_LINES: usize = 200_000;

/// The first line of which `look` makes something. A last line without its end is being written and
/// is left out.
pub(super) fn find<T>(
    path: &Path,
    mut look: impl FnMut(&str) -> Option<T>,
) -> io::Result<Option<T>> {
    let mut file = BufReader::with_capacity(64 * 1024, File::open(path)?);
    if !file.get_ref().metadata()?.is_file() {
        return Err(io::Error::from(io::ErrorKind::InvalidData));
    }
    let mut line = Vec::new();
    for _ in 0..MAX_LINES {
        line.clear();
        file.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)?;
        if line.last() != Some(&b'\n') {
            if (line.len() as u64) < MAX_LINE {
                return Ok(None);
            }
            skip_rest(&mut file)?;
        }
        if let Some(found) = look(&String::from_utf8_lossy(&line)) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn skip_rest(file: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = file.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        let end = buffer.iter().position(|b| *b == b'\n');
        let used = end.map_or(buffer.len(), |at| at + 1);
        file.consume(used);
        if end.is_some() {
            return Ok(());
        }
    }
}
