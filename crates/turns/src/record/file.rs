//! The files of a record: appended rows, the side file, the older half.

use super::row::{Part, Row};
use super::{Body, MAX_FILE};
use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use sys::files::{FileError, Lock, append_private, private_dir, read_bounded, write_atomic};

/// Another process that writes the same record is waited for so long.
const LOCK_LIMIT: Duration = Duration::from_secs(2);
/// Bytes at either end of a record that are looked at where all of it need not be read.
const END: u64 = 4 * 1024 * 1024;
/// Largest side file that is read: a row's text and its JSON marks.
const MAX_PART: u64 = 8 * 1024 * 1024;

/// The files of one conversation.
#[derive(Debug)]
pub(super) struct Files {
    folder: PathBuf,
    name: String,
    rows: File,
    bytes: u64,
    _lock: Lock,
}

impl Files {
    pub(super) fn open(state: &Path, name: &str) -> Result<Self, FileError> {
        let folder = folder(state);
        private_dir(&folder)?;
        let lock = Lock::exclusive(&folder.join(format!("{name}.lock")), LOCK_LIMIT)?;
        let path = folder.join(format!("{name}.jsonl"));
        let mut rows = open(&path)?;
        let bytes = mend(&mut rows).map_err(|source| fault(&path, "mend", source))?;
        Ok(Self {
            folder,
            name: name.to_owned(),
            rows,
            bytes,
            _lock: lock,
        })
    }

    fn path(&self, end: &str) -> PathBuf {
        self.folder.join(format!("{}.{end}", self.name))
    }

    /// Adds a row; `now`: it is on disk when this returns.
    pub(super) fn append(&mut self, row: &Row, now: bool) -> Result<(), FileError> {
        let path = self.path("jsonl");
        if self.bytes > MAX_FILE {
            let older = self.path("older.jsonl");
            std::fs::rename(&path, older).map_err(|e| fault(&path, "turn over", e))?;
            self.rows = open(&path)?;
            self.bytes = 0;
        }
        let mut line = serde_json::to_vec(row).unwrap_or_default();
        line.push(b'\n');
        let wrote = self.rows.write_all(&line);
        let wrote = wrote.and_then(|()| if now { self.rows.sync_data() } else { Ok(()) });
        if let Err(source) = wrote {
            // Half a line would swallow the next one.
            drop(self.rows.set_len(self.bytes));
            return Err(fault(&path, "write", source));
        }
        self.bytes += line.len() as u64;
        Ok(())
    }

    /// Replaces the side file; `None` removes it.
    pub(super) fn save(&self, part: Option<&Part>) -> Result<(), FileError> {
        let path = self.path("part");
        match part {
            Some(part) => write_atomic(&path, &serde_json::to_vec(part).unwrap_or_default()),
            None => match std::fs::remove_file(&path) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                    Err(fault(&path, "remove", e))
                }
                _ => Ok(()),
            },
        }
    }

    /// What a former process had streamed and not written as a row. One that is a row already (the
    /// process ended between the two steps) is not given again.
    pub(super) fn leftover(&self) -> Option<Part> {
        let bytes = read_bounded(&self.path("part"), MAX_PART).ok()?;
        let part: Part = serde_json::from_slice(&bytes).ok()?;
        let row = part.clone().row(false);
        let written = self
            .last_rows()
            .last()
            .is_some_and(|it| holds(&it.body, &row));
        (!written && !part.text.is_empty()).then_some(part)
    }

    /// Every row there is, oldest first.
    pub(super) fn rows(&self) -> Vec<Row> {
        rows(&self.folder, &self.name)
    }

    /// The newest rows, oldest first: some, however long the record is.
    pub(super) fn last_rows(&self) -> Vec<Row> {
        newest(&self.folder, &self.name)
    }
}

/// A process has the conversation's record open for writing.
pub(super) fn is_open(state: &Path, name: &str) -> bool {
    let lock = folder(state).join(format!("{name}.lock"));
    lock.exists() && matches!(Lock::try_exclusive(&lock), Ok(None))
}

/// Whether a row says all that was saved of it: a side file is older than its row.
fn holds(row: &Body, saved: &Body) -> bool {
    match (row, saved) {
        (Body::Text { text, .. }, Body::Text { text: saved, .. })
        | (Body::Thought { text, .. }, Body::Thought { text: saved, .. }) => {
            text.starts_with(saved.as_str())
        }
        _ => false,
    }
}

fn folder(state: &Path) -> PathBuf {
    state.join("conversations")
}

fn fault(path: &Path, operation: &'static str, source: std::io::Error) -> FileError {
    FileError {
        path: path.to_owned(),
        operation,
        source,
    }
}

fn open(path: &Path) -> Result<File, FileError> {
    append_private(path).map_err(|e| fault(path, "open", e))
}

/// Cuts off a half line at the end. Gives the length.
fn mend(file: &mut File) -> std::io::Result<u64> {
    let length = file.metadata()?.len();
    let mut keep = 0;
    let mut reader = BufReader::new(&*file);
    reader.seek(SeekFrom::Start(0))?;
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line)? as u64;
        if read == 0 || line.last() != Some(&b'\n') {
            break;
        }
        keep += read;
    }
    if keep < length {
        file.set_len(keep)?;
    }
    Ok(keep)
}

fn rows(folder: &Path, name: &str) -> Vec<Row> {
    each(folder, name).collect()
}

fn each(folder: &Path, name: &str) -> impl Iterator<Item = Row> + use<> {
    let files = ["older.jsonl", "jsonl"].map(|end| folder.join(format!("{name}.{end}")));
    let lines = files.into_iter().filter_map(|it| File::open(it).ok());
    lines
        .flat_map(|it| BufReader::new(it).split(b'\n').map_while(Result::ok))
        .filter_map(|line| serde_json::from_slice(&line).ok())
}

/// Rows of a piece of a file; a half row at either end of it is left out.
fn parsed(bytes: &[u8]) -> Vec<Row> {
    let lines = bytes.split(|it| *it == b'\n');
    lines
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect()
}

/// The rows at a record's end. A file that was just turned over may have few: the older one's follow.
fn newest(folder: &Path, name: &str) -> Vec<Row> {
    for end in ["jsonl", "older.jsonl"] {
        let path = folder.join(format!("{name}.{end}"));
        let tail = sys::files::read_tail(&path, END);
        let mut rows = tail.map(|it| parsed(&it.0)).unwrap_or_default();
        if rows.is_empty() && path.metadata().is_ok_and(|it| it.len() > END) {
            // One row that is longer than what was read.
            rows = each(folder, name).collect();
        }
        if !rows.is_empty() {
            return rows;
        }
    }
    Vec::new()
}

/// The rows at its beginning.
fn oldest(folder: &Path, name: &str) -> Vec<Row> {
    let files = ["older.jsonl", "jsonl"].map(|end| folder.join(format!("{name}.{end}")));
    let heads = files
        .iter()
        .filter_map(|it| sys::files::read_head(it, END).ok());
    heads.map(|it| parsed(&it)).next().unwrap_or_default()
}

/// Reads records without writing anything.
#[derive(Clone, Debug)]
pub struct Reader {
    folder: PathBuf,
}

/// One conversation in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Records {
    /// Our name of it.
    pub conversation: String,
    /// The framework of its last request.
    pub framework: String,
    /// The first line of its first request.
    pub title: String,
    /// When its last row was written, Unix seconds.
    pub at: u64,
}

impl Reader {
    /// For the records below `state`.
    #[must_use]
    pub fn new(state: &Path) -> Self {
        Self {
            folder: folder(state),
        }
    }

    /// Every row of a conversation, oldest first; empty when there is none.
    #[must_use]
    pub fn rows(&self, conversation: &str) -> Vec<Row> {
        rows(&self.folder, conversation)
    }

    /// Gives every row, oldest first, one after the other, until `take` says false.
    pub fn each(&self, conversation: &str, mut take: impl FnMut(Row) -> bool) {
        for row in each(&self.folder, conversation) {
            if !take(row) {
                return;
            }
        }
    }

    /// The conversations there are.
    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten();
        let name = |entry: std::fs::DirEntry| {
            let name = entry.file_name().into_string().ok()?;
            let name = name.strip_suffix(".jsonl")?;
            (!name.ends_with(".older")).then(|| name.to_owned())
        };
        entries.flatten().filter_map(name).collect()
    }
}

/// Every conversation, the newest first.
#[must_use]
pub fn list(reader: &Reader) -> Vec<Records> {
    let one = |conversation: String| {
        let (head, tail) = (
            oldest(&reader.folder, &conversation),
            newest(&reader.folder, &conversation),
        );
        let asked = |it: &Row| match &it.body {
            Body::Asked(asked) => Some(asked.clone()),
            _ => None,
        };
        let first = head.iter().find_map(asked).unwrap_or_default();
        let last = tail.iter().rev().find_map(asked);
        Records {
            framework: last.map_or_else(|| first.framework.clone(), |it| it.framework),
            title: first.text.lines().next().unwrap_or("").to_owned(),
            at: tail.last().map_or(0, |it| it.at),
            conversation,
        }
    };
    let mut found: Vec<Records> = reader.names().into_iter().map(one).collect();
    found.sort_by_key(|it| std::cmp::Reverse(it.at));
    found
}

/// Rows of any conversation whose text holds `words`, whatever its case: conversation and row, at
/// most `most`, the newest conversation first.
#[must_use]
pub fn search(reader: &Reader, words: &str, most: usize) -> Vec<(String, Row)> {
    let words = words.to_lowercase();
    let found = list(reader).into_iter().flat_map(|it| {
        let rows = each(&reader.folder, &it.conversation);
        rows.map(move |row| (it.conversation.clone(), row))
    });
    let holds = |row: &Row| {
        let text = serde_json::to_value(&row.body).unwrap_or_default();
        strings(&text).any(|it| it.to_lowercase().contains(&words))
    };
    found.filter(|(_, row)| holds(row)).take(most).collect()
}

/// Every text in a value.
fn strings(value: &serde_json::Value) -> Box<dyn Iterator<Item = &str> + '_> {
    use serde_json::Value;
    match value {
        Value::String(it) => Box::new(std::iter::once(it.as_str())),
        Value::Array(all) => Box::new(all.iter().flat_map(strings)),
        Value::Object(all) => Box::new(all.values().flat_map(strings)),
        _ => Box::new(std::iter::empty()),
    }
}
