//! Our own engine. In: program output; out: what the trait says. It models everything the
//! snapshot can hold: all styles, links, clusters, character sets, margins, protection, and text
//! that is wrapped anew when the size changes.
//!
//! A cell is eight bytes (`cell`), a screen one piece of memory whose rows are reached through
//! a list (`screen`), so a line that scrolls costs its text and no allocation; rows that leave
//! are packed into the scrollback at once. Styles, clusters and links are kept once and bounded.
//!
//! Where terminals differ it does what xterm does, unless said otherwise in `docs/terminal.md`.

mod cell;
mod control;
mod core;
mod crop;
mod edit;
mod gallery;
mod links;
mod motion;
mod perform;
mod pool;
mod print;
mod rectangle;
mod reflow;
mod screen;
mod shelf;
mod snapshot;
mod stand_ins;
mod store;
mod switch;

use std::ops::Range;

use crate::cell::Row;
use crate::codec;
use crate::colours::Colours;
use crate::engine::Engine;
use crate::modes::Modes;
use crate::parser::Parser;
use crate::picture::Picture;
use crate::scrollback::Page;
use crate::sink::{Silent, Sink};
use crate::size::Size;
use crate::snapshot::{Cursor, Snapshot};
use crate::terminal::{EngineKind, Options};
use core::Core;
use perform::Performer;

/// The engine.
#[derive(Debug)]
pub struct Grid {
    parser: Parser,
    core: Core,
}

impl Grid {
    /// A blank terminal.
    #[must_use]
    pub fn new(size: Size, options: &Options) -> Self {
        Self::from_snapshot(&Snapshot::blank(size.clamped()), options)
    }

    /// The terminal a snapshot was taken of.
    #[must_use]
    pub fn from_snapshot(snapshot: &Snapshot, options: &Options) -> Self {
        let mut core = Core::restore(snapshot, options);
        let mut parser = Parser::new();
        // Its effects are none but to bring parser and collectors where they were.
        let mut nobody = Silent;
        parser.advance(
            &snapshot.pending,
            &mut Performer::new(&mut core, &mut nobody),
        );
        if core.strings.is_cut() {
            // The middle of a picture is not in the snapshot.
            core.collector.give_up();
        }
        Self { parser, core }
    }
}

impl Grid {
    /// The parser as it is now.
    pub(super) fn parser(&self) -> &Parser {
        &self.parser
    }

    /// Reads the bytes piece by piece; `done` is always where the current one begins.
    pub(super) fn read(&mut self, bytes: &[u8], done: &mut usize, sink: &mut dyn Sink) {
        self.core.clock += 1;
        let mut performer = Performer::new(&mut self.core, sink);
        self.parser.read(bytes, done, &mut performer);
    }

    #[cfg(test)]
    pub(super) fn set_trap(&mut self) {
        self.core.trap = true;
    }
}

impl Engine for Grid {
    fn kind(&self) -> EngineKind {
        EngineKind::Grid
    }

    fn advance(&mut self, bytes: &[u8], sink: &mut dyn Sink) {
        self.read(bytes, &mut 0, sink);
    }

    fn resize(&mut self, size: Size) {
        self.core.clock += 1;
        self.core.resize(size.clamped());
    }

    fn size(&self) -> Size {
        self.core.size()
    }

    fn snapshot(&mut self, history: usize) -> Snapshot {
        let mut snapshot = self.core.capture(history);
        snapshot.pending = self.parser.pending_with(self.core.strings.data());
        snapshot
    }

    fn encoded(&mut self, history: usize) -> Vec<u8> {
        let (mut snapshot, main, alternate) = self.core.packed(history);
        snapshot.pending = self.parser.pending_with(self.core.strings.data());
        codec::encode_with(&snapshot, main, alternate)
    }

    fn set_colours(&mut self, colours: &Colours) {
        self.core.colours.clone_from(colours);
    }

    fn modes(&self) -> &Modes {
        &self.core.modes
    }

    fn reset_left_modes(&mut self) -> Vec<u8> {
        self.core.modes.reset_left()
    }

    fn cursor(&self) -> Cursor {
        self.core.cursor()
    }

    fn row(&self, y: u16) -> Row {
        self.core.row(usize::from(y))
    }

    fn row_generation(&self, y: u16) -> u64 {
        self.core.shown.generation(usize::from(y))
    }

    fn scrollback(&self) -> Range<u64> {
        self.core.store.ids()
    }

    fn page(&self, from: u64, count: usize) -> Page {
        self.core.page(from, count)
    }

    fn pictures(&mut self) -> Vec<Picture> {
        self.core.pictures()
    }

    fn pictures_seen(&self) -> u64 {
        self.core.events.pictures()
    }

    fn pictures_asked(&self) -> u64 {
        self.core.gallery.asked
    }

    fn link(&self, id: u32) -> Option<String> {
        self.core.links.get(id).map(str::to_owned)
    }
}
