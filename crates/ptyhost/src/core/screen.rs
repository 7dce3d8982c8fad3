//! One pane's terminal model, with a fault that ends at its pane.
//!
//! In: output, sizes, colours. Out: answers (into the pane's input queue), events, encoded
//! snapshots and pages. Promises: a panic of the model leaves a blank screen of the same size and
//! one line for the log, never a dead host; one chunk of output gives at most [`MAX_EVENTS`]
//! events, the newest where newer ones replace older ones.

use super::queue::InputQueue;
use std::panic::{AssertUnwindSafe, catch_unwind};
use term::{Colours, Event, Options, Silent, Sink, Size, Terminal};

/// Most events of one chunk of output that are passed on.
const MAX_EVENTS: usize = 64;
/// Most lines of one page.
const MAX_PAGE_LINES: usize = 1_000;
/// Most bytes of one encoded page, unless a single line is longer.
const MAX_PAGE_BYTES: usize = 1024 * 1024;

/// Cuts off a sequence that was not finished, then ends a synchronized update.
const END_HELD_FRAME: &[u8] = b"\x18\x1b[?2026l";
/// Half a sequence of a dead program ends, and so does its title.
const NO_TITLE: &[u8] = b"\x18\x1b]2;\x07";

/// See the module.
#[derive(Debug)]
pub(crate) struct Screen {
    terminal: Terminal,
    options: Options,
    colours: Colours,
    size: Size,
    fault: Option<String>,
}

impl Screen {
    /// A blank screen.
    pub(crate) fn new(size: Size, options: &Options, colours: &Colours) -> Self {
        let mut terminal = Terminal::new(size, options);
        terminal.set_colours(colours);
        Self {
            terminal,
            options: options.clone(),
            colours: colours.clone(),
            size,
            fault: None,
        }
    }

    /// A screen that begins with an encoded snapshot; `None`: it cannot be read.
    pub(crate) fn seeded(
        seed: &[u8],
        size: Size,
        options: &Options,
        colours: &Colours,
    ) -> Option<Self> {
        let mut snapshot = catch_unwind(|| term::codec::decode_snapshot(seed).ok()).ok()??;
        // Half a sequence of a dead program must not swallow the new one's first bytes.
        snapshot.pending.clear();
        let mut screen = Self::new(size, options, colours);
        screen.guard("seed", |terminal| {
            *terminal = Terminal::from_snapshot(&snapshot, options);
            terminal.resize(size);
            terminal.set_colours(colours);
        })?;
        // Who drew it is dead, the program that starts now has set nothing.
        screen.reset_left_modes();
        screen.forget_title();
        Some(screen)
    }

    /// Runs `work` on the model. `None`: it failed, the screen is blank now.
    fn guard<R>(&mut self, what: &str, work: impl FnOnce(&mut Terminal) -> R) -> Option<R> {
        let terminal = &mut self.terminal;
        if let Ok(result) = catch_unwind(AssertUnwindSafe(|| work(terminal))) {
            return Some(result);
        }
        self.fault = Some(format!(
            "the terminal model failed at {what}; its screen starts anew"
        ));
        self.terminal = Terminal::new(self.size, &self.options);
        self.terminal.set_colours(&self.colours);
        None
    }

    /// The last fault that was not taken yet, for the log. Viewers need a snapshot after it.
    pub(crate) fn take_fault(&mut self) -> Option<String> {
        self.fault.take()
    }

    /// Reads output; answers go to `queue`, events come back.
    pub(crate) fn advance(&mut self, bytes: &[u8], queue: &mut InputQueue) -> Vec<Event> {
        let mut gather = Gather {
            queue,
            events: Vec::new(),
        };
        let done = self.guard("output", |terminal| terminal.advance(bytes, &mut gather));
        let events = gather.events;
        if done.is_none() { Vec::new() } else { events }
    }

    /// Changes the size; `false`: it had this size.
    pub(crate) fn resize(&mut self, size: Size) -> bool {
        if size == self.size {
            return false;
        }
        self.size = size;
        self.guard("a new size", |terminal| terminal.resize(size));
        true
    }

    /// Columns and rows.
    pub(crate) const fn size(&self) -> Size {
        self.size
    }

    /// The viewer's colours, which queries are answered with.
    pub(crate) fn set_colours(&mut self, colours: &Colours) {
        self.colours = colours.clone();
        self.guard("colours", |terminal| terminal.set_colours(colours));
    }

    /// What a program that asked for it (mode 2031) is told of the viewer's new colours.
    pub(crate) fn scheme_report(&mut self) -> Option<Vec<u8>> {
        let colours = self.colours.clone();
        self.guard("a colour report", |terminal| {
            term::answer::scheme_changed(terminal.modes(), &colours)
        })?
    }

    /// The last title.
    pub(crate) fn title(&self) -> String {
        let terminal = &self.terminal;
        catch_unwind(AssertUnwindSafe(|| terminal.title().to_owned())).unwrap_or_default()
    }

    /// There is no title any more.
    pub(crate) fn forget_title(&mut self) {
        self.guard("a title", |terminal| {
            terminal.advance(NO_TITLE, &mut Silent);
        });
    }

    /// Resets modes that a dead program left, and ends the frame it held back; whether there was
    /// anything. Viewers need a snapshot then.
    pub(crate) fn reset_left_modes(&mut self) -> bool {
        let reset = self.guard("left modes", |terminal| {
            let left = !terminal.reset_left_modes().is_empty();
            let held = terminal.synchronized();
            if held {
                terminal.advance(END_HELD_FRAME, &mut Silent);
            }
            left || held
        });
        reset.unwrap_or(true)
    }

    /// Pictures that the program has drawn.
    pub(crate) fn pictures(&self) -> u64 {
        self.terminal.pictures_seen()
    }

    /// The screen as it is now, encoded.
    pub(crate) fn snapshot(&mut self) -> Vec<u8> {
        let encode = |terminal: &mut Terminal| terminal.encoded_snapshot(0);
        self.guard("a snapshot", encode)
            .or_else(|| self.guard("a snapshot of nothing", encode))
            .unwrap_or_default()
    }

    /// At most `count` lines of scrollback from line `from` on, encoded.
    pub(crate) fn page(&mut self, from: u64, count: u32) -> Vec<u8> {
        let mut count = usize::try_from(count)
            .unwrap_or(usize::MAX)
            .min(MAX_PAGE_LINES);
        loop {
            let page = self.guard("a page", |terminal| {
                term::codec::encode_page(&terminal.page(from, count))
            });
            let page = page.unwrap_or_default();
            if page.len() <= MAX_PAGE_BYTES || count <= 1 {
                return page;
            }
            count /= 2;
        }
    }
}

/// Takes what one chunk of output has to say.
struct Gather<'a> {
    queue: &'a mut InputQueue,
    events: Vec<Event>,
}

/// Whether only the newest event of this kind matters.
const fn replaces(event: &Event) -> bool {
    match event {
        Event::Notice { .. } | Event::Mark { .. } => false,
        Event::Title(_)
        | Event::Folder(_)
        | Event::Bell
        | Event::Progress { .. }
        | Event::ProgramStatus(_)
        | Event::Clipboard(_)
        | Event::RiskyMode
        | Event::Fault(_) => true,
    }
}

impl Sink for Gather<'_> {
    fn answer(&mut self, bytes: &[u8]) {
        // Over the bound the program does not read what it asks for; the answer is dropped.
        let _ = self.queue.push_answer(bytes);
    }

    fn event(&mut self, event: Event) {
        if replaces(&event) {
            let kind = std::mem::discriminant(&event);
            self.events
                .retain(|old| std::mem::discriminant(old) != kind);
        }
        if self.events.len() < MAX_EVENTS {
            self.events.push(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_events_is_cut_to_the_newest() {
        let mut queue = InputQueue::default();
        let mut gather = Gather {
            queue: &mut queue,
            events: Vec::new(),
        };
        for i in 0..1_000 {
            gather.event(Event::Bell);
            gather.event(Event::Title(i.to_string()));
        }
        assert_eq!(gather.events, [Event::Bell, Event::Title("999".to_owned())]);
        for _ in 0..1_000 {
            gather.event(Event::Mark {
                kind: b'A',
                status: None,
            });
        }
        assert_eq!(gather.events.len(), MAX_EVENTS);
    }

    #[test]
    fn a_panic_ends_at_the_pane() {
        let mut screen = Screen::new(Size::new(30, 6), &Options::default(), &Colours::default());
        let size = screen.size();
        assert!(screen.guard("a test", |_| panic!("as asked")).is_none());
        assert!(screen.take_fault().unwrap().contains("a test"));
        assert_eq!((screen.take_fault(), screen.terminal.size()), (None, size));
        assert!(!screen.snapshot().is_empty());
    }

    #[test]
    fn a_seed_that_is_no_snapshot_is_refused() {
        let (options, colours) = (Options::default(), Colours::default());
        assert!(Screen::seeded(b"nonsense", Size::new(80, 24), &options, &colours).is_none());
        let mut blank = Screen::new(Size::new(30, 6), &options, &colours);
        let seed = blank.snapshot();
        let screen = Screen::seeded(&seed, Size::new(80, 24), &options, &colours).unwrap();
        assert_eq!(screen.terminal.size(), Size::new(80, 24));
    }
}
