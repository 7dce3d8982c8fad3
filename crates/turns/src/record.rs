//! The record of a conversation: every framework's events in one form, as they happen.
//!
//! In: what is asked, [`Event`]s, the time. Out: `conversations/ID.jsonl`, a line a [`Row`], and
//! `ID.part`, the streamed text that is not a row yet, written at most every [`SAVE`]. Promises: a row
//! is whole or not there (a half line at the end is cut off); an asked or ended row is on disk before
//! the call returns; the text a cut process had streamed becomes a row of the next one; a row is at
//! most [`MAX_ROW`] and a record twice [`MAX_FILE`], the oldest rows going first.

mod file;
mod row;

#[cfg(test)]
mod tests;

pub use file::{Reader, Records, list, search};
pub use row::{Asked, Body, Row, Tail, last, tail};

use crate::event::{Ending, Event};
use file::Files;
use std::path::Path;
use std::time::{Duration, Instant};
use sys::files::FileError;

/// Streamed text is saved at most so often.
pub const SAVE: Duration = Duration::from_millis(400);
/// Longest text or output of one row in bytes; the middle of a longer one is left out, and said.
pub const MAX_ROW: usize = 1024 * 1024;
/// A file of rows is turned over when it is longer; one older file is kept.
pub const MAX_FILE: u64 = 64 * 1024 * 1024;

/// Writes one conversation's record. One writer at a time: its process holds the file's lock.
#[derive(Debug)]
pub struct Writer {
    files: Files,
    /// Streamed text: of the answer, or of its reasoning.
    part: Option<row::Part>,
    save_at: Option<Instant>,
    uuid: Option<String>,
    /// The last row says that the turn was cut.
    cut: bool,
}

/// A process has this conversation's record open for writing.
#[must_use]
pub fn is_open(state: &Path, conversation: &str) -> bool {
    file::is_open(state, conversation)
}

impl Writer {
    /// Opens the record of `conversation` below `state`, made when it is missing. Text that a former
    /// process streamed and did not finish becomes a row, marked as cut.
    ///
    /// # Errors
    /// It cannot be made, read or locked (another process writes it).
    pub fn open(state: &Path, conversation: &str, now: u64) -> Result<Self, FileError> {
        let mut files = Files::open(state, conversation)?;
        if let Some(part) = files.leftover() {
            files.append(&Row::new(now, part.row(true)), true)?;
        }
        files.save(None)?;
        let rows = files.last_rows();
        let last = rows.last().map(|it| &it.body);
        let cut = matches!(last, Some(Body::Interrupted { .. }));
        // A turn with so long a record that its request is not among the last rows.
        let asked = |rows: &[Row]| tail(rows).asked;
        let uuid = asked(&rows).or_else(|| asked(&files.rows()));
        Ok(Self {
            files,
            part: None,
            save_at: None,
            uuid,
            cut,
        })
    }

    /// A request is about to be sent. On disk when this returns.
    ///
    /// # Errors
    /// It could not be written.
    pub fn asked(&mut self, asked: Asked, now: u64) -> Result<(), FileError> {
        self.finish(now)?;
        self.cut = false;
        self.uuid = Some(asked.uuid.clone());
        self.files.append(&Row::new(now, Body::Asked(asked)), true)
    }

    /// The program was restarted in the middle of a turn. Said once, by whoever finds it first.
    ///
    /// # Errors
    /// It could not be written.
    pub fn interrupted(&mut self, why: &str, now: u64) -> Result<(), FileError> {
        self.finish(now)?;
        if std::mem::replace(&mut self.cut, true) {
            return Ok(());
        }
        let why = why.to_owned();
        self.files
            .append(&Row::new(now, Body::Interrupted { why }), true)
    }

    /// The end of this message's turn, which need not be the last one.
    ///
    /// # Errors
    /// It could not be written.
    pub fn ended_of(&mut self, uuid: &str, ended: &Event, now: u64) -> Result<(), FileError> {
        self.finish(now)?;
        match Body::of(ended, uuid) {
            Some(body) => self.files.append(&Row::new(now, body), true),
            None => Ok(()),
        }
    }

    /// The framework said this. Ends are on disk when this returns.
    ///
    /// # Errors
    /// It could not be written.
    pub fn heard(&mut self, event: &Event, now: u64, clock: Instant) -> Result<(), FileError> {
        if let Some((kind, text)) = row::streamed(event) {
            return self.stream(kind, text, now, clock);
        }
        let uuid = self.uuid.clone().unwrap_or_default();
        let Some(body) = Body::of(event, &uuid) else {
            return Ok(());
        };
        self.finish(now)?;
        self.cut = false;
        let last = matches!(event, Event::Ended { .. } | Event::Session { .. });
        self.files.append(&Row::new(now, body), last)
    }

    fn stream(
        &mut self,
        kind: row::Kind,
        text: &str,
        now: u64,
        clock: Instant,
    ) -> Result<(), FileError> {
        if self
            .part
            .as_ref()
            .is_some_and(|it| it.kind != kind || it.text.len() >= MAX_ROW)
        {
            self.finish(now)?;
        }
        self.cut = false;
        let part = self.part.get_or_insert_with(|| row::Part::new(kind));
        part.text.push_str(text);
        self.save_at.get_or_insert(clock + SAVE);
        self.save_if_due(clock)
    }

    /// When streamed text is to be saved next; `None`: there is none to save.
    #[must_use]
    pub const fn due(&self) -> Option<Instant> {
        self.save_at
    }

    /// Saves streamed text if it is time to.
    ///
    /// # Errors
    /// It could not be written.
    pub fn save_if_due(&mut self, clock: Instant) -> Result<(), FileError> {
        if self.save_at.is_some_and(|at| at <= clock) {
            self.save_at = None;
            self.files.save(self.part.as_ref())?;
        }
        Ok(())
    }

    /// Streamed text becomes a row.
    fn finish(&mut self, now: u64) -> Result<(), FileError> {
        self.save_at = None;
        if let Some(part) = self.part.take() {
            self.files.append(&Row::new(now, part.row(false)), false)?;
            self.files.save(None)?;
        }
        Ok(())
    }
}

/// How an ending is worded in a record.
#[must_use]
pub fn ending_words(ending: &Ending) -> String {
    match ending {
        Ending::Done => "done".to_owned(),
        Ending::Stopped => "stopped".to_owned(),
        Ending::Refused { words } if words.is_empty() => "refused".to_owned(),
        Ending::Refused { words } => format!("refused: {words}"),
        Ending::Failed { words, .. } => format!("failed: {words}"),
    }
}
