//! Rows that leave vt100's screen go straight into our scrollback: its own
//! has room for none. vt100 writes such a row as text with SGR; whether it was
//! wrapped shows in whether the next one would begin with a line break.

use std::fmt::Write;

use ::vt100::capture::{BasicFormattedCaptureState, RowContents};

use crate::cell::Style;
use crate::paint::TOFU;
use crate::scrollback::{RowWriter, Scrollback};
use crate::sgr;

/// The callbacks object inside vt100's parser.
#[derive(Debug)]
pub(super) struct Hooks {
    pub(super) store: Scrollback,
    /// Rows are dropped: a screen is being repainted.
    pub(super) muted: bool,
}

impl ::vt100::Callbacks for Hooks {
    fn on_scroll(&mut self, contents: RowContents<'_>, alternate: bool) {
        if alternate || self.muted {
            return;
        }
        let mut state = BasicFormattedCaptureState::new();
        let mut row = StyledText::new(self.store.row());
        // Neither writer fails but by intent.
        let _ = contents.write_formatted_basic(&mut row, &mut state);
        let mut probe = Probe { line_break: false };
        let _ = contents.write_formatted_basic(&mut probe, &mut state);
        self.store.end_row(!probe.line_break);
    }
}

/// Notes whether the first thing written is a line break, then refuses more.
struct Probe {
    line_break: bool,
}

impl Write for Probe {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.line_break = text == "\n";
        Err(std::fmt::Error)
    }
}

/// Takes text with SGR apart.
struct StyledText<'a> {
    row: &'a mut RowWriter,
    style: Style,
    /// The row's last run has this style.
    running: bool,
    /// Inside a sequence: its parameters so far.
    sequence: Option<Vec<u16>>,
}

impl<'a> StyledText<'a> {
    fn new(row: &'a mut RowWriter) -> Self {
        Self {
            row,
            style: Style::default(),
            running: false,
            sequence: None,
        }
    }

    #[inline]
    fn text(&mut self, text: &str) {
        if self.running {
            self.row.extend(text);
        } else {
            self.row.push(text, self.style);
            self.running = true;
        }
    }

    fn parameters(&mut self, text: &str) {
        let Some(values) = &mut self.sequence else {
            return;
        };
        for byte in text.bytes() {
            match byte {
                b'0'..=b'9' => {
                    if let Some(last) = values.last_mut() {
                        *last = last
                            .saturating_mul(10)
                            .saturating_add(u16::from(byte - b'0'));
                    }
                }
                b';' => values.push(0),
                b'm' => {
                    sgr::apply(&mut self.style, values.chunks(1));
                    self.running = false;
                    self.sequence = None;
                    return;
                }
                _ => {}
            }
        }
    }
}

impl Write for StyledText<'_> {
    #[inline]
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        match text.as_bytes().first() {
            _ if self.sequence.is_some() => self.parameters(text),
            Some(0x1b) => {
                self.sequence = Some(vec![0]);
                self.parameters(text);
            }
            // The first byte of its UTF-8.
            Some(0xf4) if text.starts_with(TOFU) => self.text(&text.replace(TOFU, "\u{fffd}")),
            Some(_) => self.text(text),
            None => {}
        }
        Ok(())
    }

    #[inline]
    fn write_char(&mut self, c: char) -> std::fmt::Result {
        self.write_str(c.encode_utf8(&mut [0; 4]))
    }
}
