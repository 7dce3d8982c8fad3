//! A net below the `grid` engine: should it panic, the vt100 engine takes the pane over with what
//! can still be read of it, and goes on behind the piece of the stream that failed. In and out:
//! what the trait says. Promises that no panic of `grid` gets out of any call, that nothing of
//! the stream but that piece (one sequence, or text up to the next sequence) is lost, and that the
//! change is told once, as [`Event::Fault`].

use std::any::Any;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::Engine;
use super::grid::Grid;
use super::vt100::Vt100;
use crate::cell::Row;
use crate::colours::Colours;
use crate::modes::Modes;
use crate::parser::{Parser, Perform};
use crate::picture::Picture;
use crate::scrollback::Page;
use crate::sink::{Event, Sink};
use crate::size::Size;
use crate::snapshot::{Cursor, Snapshot};
use crate::terminal::{EngineKind, Options};

/// `grid`, and what follows it.
#[derive(Debug)]
pub struct Guarded {
    options: Options,
    /// Boxed, since the fallback is larger.
    engine: Active,
    /// What went wrong, until it is told.
    fault: Option<String>,
    /// Generations of rows go on from here after a change of engines.
    base: u64,
}

#[derive(Debug)]
enum Active {
    Grid(Box<Grid>),
    Fallback(Box<Vt100>),
}

impl Guarded {
    /// The terminal a snapshot was taken of, on `grid`.
    #[must_use]
    pub fn from_snapshot(snapshot: &Snapshot, options: &Options) -> Self {
        let made = catch_unwind(AssertUnwindSafe(|| Grid::from_snapshot(snapshot, options)));
        let (engine, fault) = match made {
            Ok(grid) => (Active::Grid(Box::new(grid)), None),
            Err(panic) => {
                let fallback = Vt100::from_snapshot(snapshot, options);
                (Active::Fallback(Box::new(fallback)), Some(why(&*panic)))
            }
        };
        Self {
            options: options.clone(),
            engine,
            fault,
            base: 0,
        }
    }

    fn get(&self) -> &dyn Engine {
        match &self.engine {
            Active::Grid(grid) => &**grid,
            Active::Fallback(vt100) => &**vt100,
        }
    }

    fn get_mut(&mut self) -> &mut dyn Engine {
        match &mut self.engine {
            Active::Grid(grid) => &mut **grid,
            Active::Fallback(vt100) => &mut **vt100,
        }
    }

    /// A look that gives `otherwise` if it fails; the next change brings the fallback.
    fn look<T>(&self, otherwise: T, look: impl FnOnce(&dyn Engine) -> T) -> T {
        let seen = catch_unwind(AssertUnwindSafe(|| look(self.get())));
        seen.unwrap_or(otherwise)
    }

    /// A change; if it fails, the fallback takes over and does it instead.
    fn change<T>(&mut self, change: impl Fn(&mut dyn Engine) -> T) -> T {
        let done = catch_unwind(AssertUnwindSafe(|| change(self.get_mut())));
        match done {
            Ok(done) => done,
            Err(panic) => {
                self.take_over(&*panic);
                change(self.get_mut())
            }
        }
    }

    /// Puts the fallback in `grid`'s place, from the most that can be read.
    fn take_over(&mut self, panic: &(dyn Any + Send)) {
        let Active::Grid(grid) = &mut self.engine else {
            return;
        };
        let modes = grid.modes().clone();
        let lines = self.options.scrollback_lines;
        let read = [lines, 0]
            .into_iter()
            .find_map(|history| catch_unwind(AssertUnwindSafe(|| grid.snapshot(history))).ok());
        let size = grid.size();
        let generations = (0..size.rows).map(|y| grid.row_generation(y));
        self.base = generations.max().unwrap_or_default();
        let mut snapshot = read.unwrap_or_else(|| Snapshot {
            modes,
            ..Snapshot::blank(size)
        });
        // The parser may have stopped anywhere; the stream goes on behind the failed piece.
        snapshot.pending = Vec::new();
        let fallback = Vt100::from_snapshot(&snapshot, &self.options);
        self.engine = Active::Fallback(Box::new(fallback));
        self.fault = Some(why(panic));
    }
}

fn why(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    let text = text.unwrap_or_default();
    format!("the grid engine failed ({text}); the vt100 engine goes on")
}

/// Calls of a parser that only counts.
struct Nothing;

impl Perform for Nothing {}

/// Where the piece ends that begins in state `parser` and holds the byte at `at` of `bytes`.
fn behind(mut parser: Parser, bytes: &[u8], at: usize) -> usize {
    let mut done = 0;
    while done <= at && done < bytes.len() {
        done += parser.step(&bytes[done..], &mut Nothing);
    }
    // The rest of a sequence is no text.
    while !parser.is_ground() && done < bytes.len() {
        done += parser.step(&bytes[done..], &mut Nothing);
    }
    done
}

impl Engine for Guarded {
    fn kind(&self) -> EngineKind {
        match self.engine {
            Active::Grid(_) => EngineKind::Grid,
            Active::Fallback(_) => EngineKind::Vt100,
        }
    }

    fn advance(&mut self, bytes: &[u8], sink: &mut dyn Sink) {
        if let Active::Grid(grid) = &mut self.engine {
            let parser = grid.parser().clone();
            let mut done = 0;
            let read = catch_unwind(AssertUnwindSafe(|| grid.read(bytes, &mut done, sink)));
            if let Err(panic) = read {
                self.take_over(&*panic);
                let rest = bytes.get(behind(parser, bytes, done)..);
                self.get_mut().advance(rest.unwrap_or_default(), sink);
            }
        } else {
            self.get_mut().advance(bytes, sink);
        }
        if let Some(fault) = self.fault.take() {
            sink.event(Event::Fault(fault));
        }
    }

    fn resize(&mut self, size: Size) {
        self.change(|engine| engine.resize(size));
    }

    fn size(&self) -> Size {
        self.get().size()
    }

    fn snapshot(&mut self, history: usize) -> Snapshot {
        self.change(|engine| engine.snapshot(history))
    }

    fn encoded(&mut self, history: usize) -> Vec<u8> {
        self.change(|engine| engine.encoded(history))
    }

    fn set_colours(&mut self, colours: &Colours) {
        self.change(|engine| engine.set_colours(colours));
    }

    fn modes(&self) -> &Modes {
        self.get().modes()
    }

    fn reset_left_modes(&mut self) -> Vec<u8> {
        self.change(|engine| engine.reset_left_modes())
    }

    fn cursor(&self) -> Cursor {
        self.look(Cursor::default(), |engine| engine.cursor())
    }

    fn row(&self, y: u16) -> Row {
        self.look(Row::default(), |engine| engine.row(y))
    }

    fn row_generation(&self, y: u16) -> u64 {
        self.base + self.get().row_generation(y)
    }

    fn scrollback(&self) -> Range<u64> {
        self.get().scrollback()
    }

    fn page(&self, from: u64, count: usize) -> Page {
        self.look(Page::default(), |engine| engine.page(from, count))
    }

    fn pictures(&mut self) -> Vec<Picture> {
        match &self.engine {
            Active::Grid(_) => self.change(|engine| engine.pictures()),
            Active::Fallback(_) => Vec::new(),
        }
    }

    fn pictures_seen(&self) -> u64 {
        self.get().pictures_seen()
    }

    fn pictures_asked(&self) -> u64 {
        self.get().pictures_asked()
    }

    fn link(&self, id: u32) -> Option<String> {
        self.look(None, |engine| engine.link(id))
    }
}

#[cfg(test)]
mod tests;
