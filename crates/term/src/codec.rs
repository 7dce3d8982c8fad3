//! Snapshots and pages as bytes. In and out: a magic word, then sections of
//! `u16` tag, `u32` length and value, all little endian. Promises that unknown
//! sections are skipped, so either side may be newer; that what is decoded is
//! bounded by the bytes that came and by the largest size; and that no bytes
//! make it panic. Tags are frozen once released.

mod aside;
mod cells;
mod reader;
mod snapshot;
mod writer;

#[cfg(test)]
mod tests;

use crate::scrollback::Page;
pub(crate) use cells::Rows;
pub use snapshot::{decode_snapshot, encode_snapshot, engine_of};
pub(crate) use snapshot::{encode_with, name_engine};

use reader::{Reader, sections};
use writer::Writer;

/// First bytes of a snapshot and of a page; the last is the format's version.
const SNAPSHOT: &[u8; 8] = b"abideSN\x01";
const PAGE: &[u8; 8] = b"abidePG\x01";

/// Sections of a page.
const PAGE_FIRST: u16 = 1;
const PAGE_LINES: u16 = 2;
const PAGE_LINKS: u16 = 3;
const PAGE_JUMPS: u16 = 4;
const PAGE_HELD: u16 = 5;

/// Why bytes are no snapshot or page.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodecError {
    /// They end inside a value.
    #[error("the data ends too early (in {0})")]
    Short(&'static str),
    /// They are something else, or of a version nobody here reads.
    #[error("this is no {0} that can be read here")]
    Magic(&'static str),
    /// A value is outside what it may be.
    #[error("{0} is out of range")]
    Range(&'static str),
    /// A section without which there is no screen is missing.
    #[error("the section {0} is missing")]
    Missing(&'static str),
}

/// A page as bytes.
#[must_use]
pub fn encode_page(page: &Page) -> Vec<u8> {
    let mut out = Writer::new(PAGE);
    out.section(PAGE_FIRST, |out| out.u64(page.first));
    out.section(PAGE_LINES, |out| cells::put_lines(&page.lines, out));
    out.section(PAGE_HELD, |out| {
        out.u64(page.held.start);
        out.u64(page.held.end);
    });
    if !page.jumps.is_empty() {
        out.section(PAGE_JUMPS, |out| cells::put_jumps(&page.jumps, out));
    }
    if !page.links.is_empty() {
        out.section(PAGE_LINKS, |out| cells::put_links(&page.links, out));
    }
    out.finish()
}

/// Bytes as a page.
///
/// # Errors
/// If they are damaged or of another kind.
pub fn decode_page(bytes: &[u8]) -> Result<Page, CodecError> {
    let mut page = Page::default();
    for section in sections(bytes, PAGE, "page")? {
        let (tag, value) = section?;
        let mut value = Reader::new(value, "a page");
        match tag {
            PAGE_FIRST => page.first = value.u64()?,
            PAGE_LINES => page.lines = cells::take_lines(&mut value)?,
            PAGE_HELD => page.held = value.u64()?..value.u64()?,
            PAGE_JUMPS => page.jumps = cells::take_jumps(&mut value)?,
            PAGE_LINKS => page.links = cells::take_links(&mut value)?,
            _ => {}
        }
    }
    Ok(page)
}
