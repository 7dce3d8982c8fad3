//! What a pane's reaper tells the host, and its form on the report pipe.
//!
//! A record has [`RECORD`] bytes, all numbers little endian:
//!
//! | bytes | |
//! | --- | --- |
//! | 0 | kind: 1 started, 2 failed, 3 stopped, 4 continued, 5 exited, 6 refused |
//! | 1 | stage (failed): 0 exec, 1 folder, 2 terminal; else 0 |
//! | 2..4 | 0 |
//! | 4..8 | pid (started, refused), errno (failed), signal (stopped), raw wait status (exited) |
//! | 8..16 | start time of the process (started), else 0 |
//!
//! A record is written in one piece that a pipe never splits. A reader skips kinds it does not
//! know. When the pipe is full (4,096 unread records) news is dropped; the end of the program
//! can still be told from the reaper's own exit code.

/// Bytes in one record.
pub const RECORD: usize = 16;

/// News of a pane's main program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Report {
    /// It runs.
    Started {
        /// Its pid, which is its session and its first process group too.
        pid: i32,
        /// Its start time, as in [`sys::process::Identity`].
        start: u64,
    },
    /// It could not be started; nothing follows.
    Failed {
        /// Where it stopped.
        stage: Stage,
        /// The system's error number, for [`crate::describe_failure`].
        errno: i32,
    },
    /// It stopped because it read from or wrote to the terminal in the background, and stays so.
    Stopped {
        /// SIGTTIN or SIGTTOU.
        signal: i32,
    },
    /// It goes on after a stop that was reported.
    Continued,
    /// It ended. The rest of its family is being ended.
    Exited {
        /// The status as `wait` gives it: [`sys::process::Status::from_raw`].
        raw: i32,
    },
    /// A process of the family belongs to another user and could not be ended.
    Refused {
        /// Its pid.
        pid: i32,
    },
}

/// The step at which a start failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// The program could not be executed.
    Exec,
    /// The folder could not be entered.
    Folder,
    /// The session or its controlling terminal could not be set up.
    Pty,
}

impl Report {
    /// The record.
    #[must_use]
    pub fn encode(self) -> [u8; RECORD] {
        let (kind, stage, value, start) = match self {
            Self::Started { pid, start } => (1, 0, pid, start),
            Self::Failed {
                stage: Stage::Exec,
                errno,
            } => (2, 0, errno, 0),
            Self::Failed {
                stage: Stage::Folder,
                errno,
            } => (2, 1, errno, 0),
            Self::Failed {
                stage: Stage::Pty,
                errno,
            } => (2, 2, errno, 0),
            Self::Stopped { signal } => (3, 0, signal, 0),
            Self::Continued => (4, 0, 0, 0),
            Self::Exited { raw } => (5, 0, raw, 0),
            Self::Refused { pid } => (6, 0, pid, 0),
        };
        let mut record = [0; RECORD];
        record[0] = kind;
        record[1] = stage;
        record[4..8].copy_from_slice(&value.to_le_bytes());
        record[8..].copy_from_slice(&start.to_le_bytes());
        record
    }

    /// `None`: a kind or stage that this version does not know.
    fn decode(record: [u8; RECORD]) -> Option<Self> {
        let [kind, stage, _, _, v0, v1, v2, v3, start @ ..] = record;
        let value = i32::from_le_bytes([v0, v1, v2, v3]);
        match (kind, stage) {
            (1, _) => Some(Self::Started {
                pid: value,
                start: u64::from_le_bytes(start),
            }),
            (2, 0) => Some(Self::Failed {
                stage: Stage::Exec,
                errno: value,
            }),
            (2, 1) => Some(Self::Failed {
                stage: Stage::Folder,
                errno: value,
            }),
            (2, 2) => Some(Self::Failed {
                stage: Stage::Pty,
                errno: value,
            }),
            (3, _) => Some(Self::Stopped { signal: value }),
            (4, _) => Some(Self::Continued),
            (5, _) => Some(Self::Exited { raw: value }),
            (6, _) => Some(Self::Refused { pid: value }),
            _ => None,
        }
    }
}

/// Turns what was read from the pipe, cut anywhere, into reports. Keeps what was fed until it is
/// taken; feed what one read gave, then take.
#[derive(Debug, Default)]
pub struct ReportDecoder(Vec<u8>);

impl ReportDecoder {
    /// Adds what was read.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// Takes the next whole report; `None`: more bytes are needed.
    pub fn next_report(&mut self) -> Option<Report> {
        while let Some(record) = self.0.first_chunk::<RECORD>().copied() {
            self.0.drain(..RECORD);
            if let Some(report) = Report::decode(record) {
                return Some(report);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Report; 8] = [
        Report::Started {
            pid: 77,
            start: u64::MAX,
        },
        Report::Failed {
            stage: Stage::Exec,
            errno: 2,
        },
        Report::Failed {
            stage: Stage::Folder,
            errno: 20,
        },
        Report::Failed {
            stage: Stage::Pty,
            errno: 25,
        },
        Report::Stopped { signal: 21 },
        Report::Continued,
        Report::Exited { raw: -1 },
        Report::Refused { pid: 1 },
    ];

    #[test]
    fn every_report_comes_back_from_a_stream_cut_anywhere() {
        let stream: Vec<u8> = ALL.iter().flat_map(|it| it.encode()).collect();
        for cut in 0..=stream.len() {
            let mut decoder = ReportDecoder::default();
            let mut found = Vec::new();
            for part in [&stream[..cut], &stream[cut..]] {
                decoder.feed(part);
                found.extend(std::iter::from_fn(|| decoder.next_report()));
            }
            assert_eq!(found, ALL, "cut at {cut}");
        }
    }

    /// A host may run beside reapers of an older or newer build: these bytes do not change.
    #[test]
    fn the_records_are_these_bytes() {
        let started = Report::Started {
            pid: 0x0102_0304,
            start: 0x1112_1314_1516_1718,
        };
        let bytes = [
            1, 0, 0, 0, 4, 3, 2, 1, 0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11,
        ];
        assert_eq!(started.encode(), bytes);
        let failed = Report::Failed {
            stage: Stage::Folder,
            errno: 2,
        };
        assert_eq!(
            failed.encode(),
            [2, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        );
        let kinds: Vec<u8> = ALL.iter().map(|it| it.encode()[0]).collect();
        assert_eq!(kinds, [1, 2, 2, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn an_unknown_kind_is_skipped() {
        let mut decoder = ReportDecoder::default();
        decoder.feed(&[99; RECORD]);
        decoder.feed(&Report::Continued.encode());
        assert_eq!(decoder.next_report(), Some(Report::Continued));
        assert_eq!(decoder.next_report(), None);
    }
}
