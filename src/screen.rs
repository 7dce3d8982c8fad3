//! A pane's screen in this process: fetched once, or kept up to date by watching.
//!
//! In: a pane, a connection. Out: a terminal model. Promises: the stream is acknowledged as it is
//! used, so the host goes on sending; a fresh snapshot replaces what lagged.

use crate::desk::{ANSWER, Desk, unexpected};
use crate::failure::Failure;
use protocol::msg::{Ack, GetPage, GetSnapshot, Watch, split_offset};
use protocol::{FromHost, PaneId};
use term::{Page, Silent, Snapshot, Terminal};

/// Lines asked for at once; the host gives no more.
const PAGE: u32 = 1_000;
/// After so many bytes the host is told that they were used.
const ACK_EVERY: u64 = 64 * 1024;

/// A pane's screen as it is now.
///
/// # Errors
/// The host refuses, or sends what this build cannot read.
pub fn snapshot(desk: &mut Desk, pane: PaneId) -> Result<Snapshot, Failure> {
    match desk.connection.request(pane, GetSnapshot {}, ANSWER)? {
        FromHost::Snapshot(payload) => decode(&payload).map(|(_, snapshot)| snapshot),
        other => Err(unexpected(&other)),
    }
}

fn decode(payload: &[u8]) -> Result<(u64, Snapshot), Failure> {
    let (offset, body) = split_offset(payload).ok_or_else(|| unreadable(&"it is too short"))?;
    let snapshot = term::codec::decode_snapshot(body).map_err(|e| unreadable(&e))?;
    Ok((offset, snapshot))
}

fn unreadable(why: &dyn std::fmt::Display) -> Failure {
    Failure::new(format!(
        "the host's picture of the pane cannot be read: {why}"
    ))
}

/// The last `most` lines of a pane's scrollback, oldest first (`None`: all), page by page.
///
/// # Errors
/// The host refuses, or sends what this build cannot read.
pub fn scrollback(
    desk: &mut Desk,
    pane: PaneId,
    lines: std::ops::Range<u64>,
    most: Option<u64>,
    mut each: impl FnMut(Page) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let kept = lines.end.saturating_sub(lines.start);
    let most = most.unwrap_or(kept).min(kept);
    let mut from = lines.end - most;
    let mut widened = false;
    while from < lines.end {
        let left = u32::try_from(lines.end - from).unwrap_or(PAGE);
        let page = page(desk, pane, from, left.min(PAGE))?;
        let count = u64::try_from(page.lines.len()).unwrap_or_default();
        if most <= PAGE.into() && !widened {
            // Ids may be without lines; as many lines further back make up for these.
            widened = true;
            let more = (most - count.min(most)).min(from.saturating_sub(lines.start));
            if more > 0 {
                from -= more;
                continue;
            }
        }
        if count == 0 {
            return Ok(()); // the lines went out of the store meanwhile
        }
        from = page.end();
        each(page)?;
    }
    Ok(())
}

fn page(desk: &mut Desk, pane: PaneId, from: u64, count: u32) -> Result<Page, Failure> {
    match desk
        .connection
        .request(pane, GetPage { from, count }, ANSWER)?
    {
        FromHost::Page(bytes) => term::codec::decode_page(&bytes).map_err(|e| unreadable(&e)),
        other => Err(unexpected(&other)),
    }
}

/// A pane that is being watched.
#[derive(Debug)]
pub struct Watched {
    /// The pane.
    pub pane: PaneId,
    /// Its screen, once the first snapshot is there.
    pub terminal: Option<Terminal>,
    offset: u64,
    acked: u64,
    first_line: u64,
}

impl Watched {
    /// Begins to watch.
    ///
    /// # Errors
    /// The host refuses or does not answer.
    pub fn begin(desk: &mut Desk, pane: PaneId) -> Result<Self, Failure> {
        desk.tell(
            pane,
            Watch {
                panes: vec![pane.0],
            },
        )?;
        Ok(Self {
            pane,
            terminal: None,
            offset: 0,
            acked: 0,
            first_line: 0,
        })
    }

    /// Takes a message of the host; true when it changed the screen.
    ///
    /// # Errors
    /// It cannot be read, or the connection is broken.
    pub fn take(&mut self, desk: &mut Desk, message: &FromHost) -> Result<bool, Failure> {
        match message {
            FromHost::Snapshot(payload) => {
                let (offset, snapshot) = decode(payload)?;
                let options = term::Options {
                    engine: split_offset(payload)
                        .map(|(_, body)| term::codec::engine_of(body))
                        .unwrap_or_default(),
                    ..term::Options::default()
                };
                let terminal = Terminal::from_snapshot(&snapshot, &options);
                if self.terminal.is_none() {
                    self.first_line = terminal.scrollback().end;
                }
                self.terminal = Some(terminal);
                self.used(desk, offset, true)?;
                Ok(true)
            }
            FromHost::Output(payload) => {
                let Some((offset, bytes)) = split_offset(payload) else {
                    return Err(unreadable(&"it is too short"));
                };
                if let Some(terminal) = &mut self.terminal {
                    terminal.advance(bytes, &mut Silent);
                }
                let count = u64::try_from(bytes.len()).unwrap_or_default();
                self.used(desk, offset + count, false)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn used(&mut self, desk: &mut Desk, offset: u64, now: bool) -> Result<(), Failure> {
        self.offset = offset;
        if now || self.offset.saturating_sub(self.acked) >= ACK_EVERY {
            self.acked = self.offset;
            desk.connection.send(self.pane, Ack { offset })?;
        }
        Ok(())
    }

    /// The first line that matches: of those that scrolled away since the last call, then of the
    /// screen.
    pub fn matching_line(&mut self, pattern: &regex::Regex) -> Option<String> {
        let terminal = self.terminal.as_ref()?;
        let kept = terminal.scrollback();
        let from = self.first_line.max(kept.start);
        let count = usize::try_from(kept.end.saturating_sub(from)).unwrap_or_default();
        let mut text = term::render::page_to_text(&terminal.page(from, count));
        text.push_str(&terminal.text());
        // The newest line may still grow, so it is looked at once more.
        self.first_line = kept.end.saturating_sub(1);
        let found = pattern.find(&text)?;
        let begin = text[..found.start()].rfind('\n').map_or(0, |at| at + 1);
        let end = text[found.start()..]
            .find('\n')
            .map_or(text.len(), |at| found.start() + at);
        Some(text[begin..end].trim_end().to_owned())
    }
}
