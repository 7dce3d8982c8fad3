//! The state as data and back. Links are numbered in the order they first occur, so two engines
//! in the same state give the same snapshot whatever ids they use inside.

use std::collections::HashMap;

use super::cell::{Cell as Packed, Content, Kind};
use super::core::Core;
use super::gallery::Gallery;
use super::screen::Screen;
use crate::cell::{Cell, CellText, Row, Style};
use crate::codec::Rows;
use crate::events::Events;
use crate::picture::Collector;
use crate::picture::stand_in::{STAND_IN, is_stand_in};
use crate::scrollback::{Line, Page, Scrollback, Span};
use crate::size::Size;
use crate::snapshot::{Cursor, Saved, Screen as Shown, Snapshot};
use crate::terminal::Options;

/// Links of a snapshot that is being made.
#[derive(Default)]
struct Numbers {
    numbers: HashMap<u32, Option<u32>>,
    links: Vec<String>,
}

impl Numbers {
    /// The style with its link's number in the snapshot.
    fn style(&mut self, mut style: Style, core: &Core) -> Style {
        if let Some(id) = style.link {
            let links = &mut self.links;
            style.link = *self.numbers.entry(id).or_insert_with(|| {
                let link = core.links.get(id)?;
                links.push(link.to_owned());
                u32::try_from(links.len() - 1).ok()
            });
        }
        style
    }

    fn rows(&mut self, screen: &Screen, core: &Core) -> Vec<Row> {
        let rows = 0..screen.rows;
        rows.map(|y| core.read(screen, y, false, |style| self.style(style, core)))
            .collect()
    }

    /// A screen without its rows, which were numbered before.
    fn screen(&mut self, screen: &Screen, core: &Core) -> Shown {
        Shown {
            rows: Vec::new(),
            saved: screen.saved.map(|saved| Saved {
                pen: self.style(saved.pen, core),
                ..saved
            }),
            region: (short(core.top), short(core.bottom)),
        }
    }

    /// Rows as the codec writes them.
    fn packed(&mut self, screen: &Screen, core: &Core) -> Rows {
        let mut out = Rows::new();
        let mut seen = None;
        for y in 0..screen.rows {
            let meta = screen.meta(y);
            out.row(meta.wrapped);
            let mut rest = screen.row(y);
            while let Some(first) = rest.first() {
                let word = first.style();
                let style = match seen {
                    Some((known, style)) if known == word => style,
                    _ => out.style(self.style(core.style(word), core)),
                };
                seen = Some((word, style));
                rest = core.pack_run(rest, *first, style, &mut out);
            }
        }
        out
    }
}

impl Core {
    /// A row as data; `restyle` may change each style. `seen`: as people see it, where what stands
    /// for a part of a picture is blank.
    fn read(
        &self,
        screen: &Screen,
        y: usize,
        seen_by_people: bool,
        mut restyle: impl FnMut(Style) -> Style,
    ) -> Row {
        let mut seen = (0, Style::default());
        let mut cells = Vec::with_capacity(screen.cols);
        let used = screen.meta(y).used.min(screen.cols);
        cells.extend(screen.row(y)[..used].iter().map(|&cell| {
            if cell.is_spacer() {
                return Cell {
                    width: 0,
                    ..Cell::BLANK
                };
            }
            if cell.style() != seen.0 {
                seen = (cell.style(), restyle(self.style(cell.style())));
            }
            let text = match cell.content() {
                Content::Char(STAND_IN) if seen_by_people => CellText::EMPTY,
                Content::Char(c) => CellText::from(c),
                Content::Cluster(number) => match self.clusters.get(number) {
                    Some(text) if !(seen_by_people && is_stand_in(text)) => CellText::from(&**text),
                    _ => CellText::EMPTY,
                },
                Content::Blank | Content::Spacer => CellText::EMPTY,
            };
            Cell {
                text,
                width: 1 + u8::from(cell.is_wide()),
                style: seen.1,
            }
        }));
        cells.resize(screen.cols, Cell::BLANK);
        Row {
            cells,
            wrapped: screen.meta(y).wrapped,
        }
    }

    /// Row `y` of the screen that is shown; empty if there is none.
    pub(super) fn row(&self, y: usize) -> Row {
        if y >= self.rows() {
            return Row::default();
        }
        self.read(&self.shown, y, true, |style| style)
    }

    /// Writes the cells at the front that go into one run; gives the rest.
    fn pack_run<'a>(
        &self,
        cells: &'a [Packed],
        first: Packed,
        style: usize,
        out: &mut Rows,
    ) -> &'a [Packed] {
        let base = Packed::blank(first.style()).0;
        let (kind, wide) = (first.kind(), first.is_wide());
        let same = |cell: &Packed| cell.kind() == kind && cell.style() == first.style();
        let run = |count: usize| cells.split_at(count);
        match kind {
            Kind::Blank => {
                let (blank, rest) = run(cells.iter().take_while(|cell| cell.0 == base).count());
                out.blank(blank.len(), style);
                rest
            }
            Kind::Ascii => {
                let (ascii, rest) = run(cells.iter().take_while(|cell| same(cell)).count());
                out.ascii(ascii.iter().map(Packed::shown_byte), style);
                rest
            }
            Kind::Text => {
                let same = |cell: &Packed| {
                    cell.is_spacer() && wide || same(cell) && cell.is_wide() == wide
                };
                let (texts, rest) = run(cells.iter().take_while(|cell| same(cell)).count());
                let step = if wide { 2 } else { 1 };
                out.texts(texts.len() / step, wide, style);
                for cell in texts.iter().step_by(step) {
                    out.text(self.text(*cell, &mut [0; 4]));
                }
                rest
            }
        }
    }

    /// Everything but the parser, with the newest `history` lines.
    pub(super) fn capture(&self, history: usize) -> Snapshot {
        let (mut snapshot, main, alternate) = self.gather(history, Numbers::rows);
        snapshot.main.rows = main;
        if let (Some(screen), Some(rows)) = (&mut snapshot.alternate, alternate) {
            screen.rows = rows;
        }
        snapshot
    }

    /// The same with the rows as the codec writes them.
    pub(super) fn packed(&self, history: usize) -> (Snapshot, Rows, Option<Rows>) {
        self.gather(history, Numbers::packed)
    }

    /// Everything but the parser; rows are made by `rows`.
    fn gather<R>(
        &self,
        history: usize,
        rows: impl Fn(&mut Numbers, &Screen, &Self) -> R,
    ) -> (Snapshot, R, Option<R>) {
        let size = self.size();
        let mut numbers = Numbers::default();
        let (main, alternate) = match (&self.hidden, self.on_alternate) {
            (Some(main), true) => (main, Some(&self.shown)),
            (alternate, _) => (&self.shown, alternate.as_ref()),
        };
        let main_rows = rows(&mut numbers, main, self);
        let main = numbers.screen(main, self);
        let alternate_rows = alternate.map(|screen| rows(&mut numbers, screen, self));
        let alternate = alternate.map(|screen| numbers.screen(screen, self));
        let pen = numbers.style(self.pen, self);
        let mut lines = self.store.newest(history);
        for span in lines.lines.iter_mut().flat_map(|line| &mut line.spans) {
            span.style = numbers.style(span.style, self);
        }
        let mut snapshot = Snapshot {
            size,
            main,
            alternate,
            on_alternate: self.on_alternate,
            cursor: self.cursor(),
            pen,
            charsets: self.charsets,
            tabs: self.tabs.clone(),
            last_char: self.last_char,
            margins: (short(self.left), short(self.right)),
            joins: self.joins,
            modes: self.modes.clone(),
            colours: self.colours.clone(),
            lines: self.store.range(),
            links: numbers.links,
            pens: self.pens.clone(),
            notice: self.events.notice().clone(),
            pictures: self.events.pictures(),
            album: self.album.kept(),
            // All that is left is what the parser holds.
            ..Snapshot::blank(Size::new(1, 1))
        };
        snapshot.set_history(lines);
        (snapshot, main_rows, alternate_rows)
    }

    /// Lines of the scrollback, their links numbered within the page.
    pub(super) fn page(&self, from: u64, count: usize) -> Page {
        let mut page = self.store.page(from, count);
        let mut numbers = Numbers::default();
        for span in page.lines.iter_mut().flat_map(|line| &mut line.spans) {
            span.style = numbers.style(span.style, self);
        }
        page.links = numbers.links;
        page
    }

    /// The cursor as it is shown.
    pub(super) fn cursor(&self) -> Cursor {
        Cursor {
            x: short(self.x),
            y: short(self.y),
            visible: self.modes.cursor_visible,
            shape: self.modes.cursor_style(),
            pending_wrap: self.pending,
        }
    }

    /// The state a snapshot was taken of.
    pub(super) fn restore(snapshot: &Snapshot, options: &Options) -> Self {
        let size = snapshot.size.clamped();
        let mut core = Self::new(size, Scrollback::new(0, 0));
        let links: Vec<_> = snapshot.links.iter().map(|link| core.link(link)).collect();
        let linked = |mut style: Style| {
            style.link = style
                .link
                .and_then(|number| links.get(number as usize).copied().flatten());
            style
        };
        let history: Vec<Line> = snapshot
            .history
            .iter()
            .map(|line| relinked(line, &linked))
            .collect();
        core.store = Scrollback::resume(
            options.scrollback_lines,
            options.scrollback_bytes,
            snapshot.lines,
            &history,
            &snapshot.history_ids,
        );
        core.pens.clone_from(&snapshot.pens);
        core.events = Events::resumed(snapshot.notice.clone(), snapshot.pictures);
        core.album.clone_from(&snapshot.album);
        core.collector = Collector::new(options.picture_bytes);
        core.gallery = Gallery::new(options.picture_bytes);
        core.on_alternate = snapshot.on_alternate && snapshot.alternate.is_some();
        let main = core.draw(&snapshot.main, size, &linked);
        let alternate = snapshot.alternate.as_ref();
        let alternate = alternate.map(|screen| core.draw(screen, size, &linked));
        (core.shown, core.hidden) = match alternate {
            Some(alternate) if core.on_alternate => (alternate, Some(main)),
            alternate => (main, alternate),
        };
        let region = snapshot.shown().region;
        if region.0 < region.1 && usize::from(region.1) < core.rows() {
            (core.top, core.bottom) = (usize::from(region.0), usize::from(region.1));
        }
        let margins = snapshot.margins;
        if margins.0 < margins.1 && usize::from(margins.1) < core.cols() {
            (core.left, core.right) = (usize::from(margins.0), usize::from(margins.1));
        }
        core.pen = linked(snapshot.pen);
        core.repen();
        core.charsets = snapshot.charsets;
        core.tabs.clone_from(&snapshot.tabs);
        core.last_char = snapshot.last_char;
        core.modes.clone_from(&snapshot.modes);
        core.modes.alternate = core.on_alternate;
        core.colours.clone_from(&snapshot.colours);
        core.go(
            usize::from(snapshot.cursor.x),
            usize::from(snapshot.cursor.y),
        );
        core.pending = snapshot.cursor.pending_wrap;
        core.joins = snapshot.joins;
        core
    }

    fn draw(&mut self, from: &Shown, size: Size, linked: &impl Fn(Style) -> Style) -> Screen {
        let mut screen = Screen::new(size, 1);
        let mut seen = (Style::default(), 0);
        for (y, row) in from.rows.iter().take(screen.rows).enumerate() {
            let cols = screen.cols;
            let mut used = 0;
            for (x, cell) in row.cells.iter().take(cols).enumerate() {
                if cell.style != seen.0 {
                    seen = (cell.style, self.word_of(&linked(cell.style)));
                }
                // The second half of a wide cell is written with its first.
                let packed = match cell.width {
                    0 => continue,
                    width => self.pack(cell.text.as_str(), width == 2 && x + 1 < cols, seen.1),
                };
                let (cells, meta) = screen.write(y);
                cells[x] = packed;
                if packed.is_wide() {
                    cells[x + 1] = Packed::spacer(seen.1);
                    meta.wide = true;
                }
                if packed != Packed::BLANK {
                    used = x + 1 + usize::from(packed.is_wide());
                }
            }
            let (_, meta) = screen.write(y);
            meta.used = used;
            meta.wrapped = row.wrapped;
        }
        screen.saved = from.saved.map(|saved| Saved {
            x: saved.x.min(size.cols - 1),
            y: saved.y.min(size.rows - 1),
            pen: linked(saved.pen),
            ..saved
        });
        screen
    }

    fn pack(&mut self, text: &str, wide: bool, word: u32) -> Packed {
        let mut chars = text.chars();
        match (chars.next(), chars.next()) {
            (None, _) => Packed::blank(word),
            (Some(c), None) => Packed::char(c, wide, word),
            (Some(c), _) => match self.cluster(text) {
                Some(number) => Packed::cluster(number, wide, word),
                None => Packed::char(c, wide, word),
            },
        }
    }
}

fn relinked(line: &Line, linked: &impl Fn(Style) -> Style) -> Line {
    let spans = line.spans.iter().map(|span| Span {
        text: span.text.clone(),
        style: linked(span.style),
    });
    Line {
        spans: spans.collect(),
        continued: line.continued,
    }
}

/// A screen is made from a size, so its numbers fit.
fn short(n: usize) -> u16 {
    u16::try_from(n).unwrap_or(u16::MAX)
}
