//! What a client's terminal is: colours for query answers, stable links, its label.
//!
//! Promises: colours of the client that told last answer every pane's queries; a link leads to an
//! absolute path outside the links folder, so a client inside a pane cannot make it lead to itself.

use super::action::Action;
use super::event::ConnId;
use super::step::Step;
use protocol::msg::{Bytes, Viewer};
use term::Colours;
use term::colours::Rgb;

/// Most links there are.
const MAX_LINKS: usize = 16;
/// Most bytes of a link's name.
const MAX_LINK_NAME: usize = 64;
/// Most bytes of the path a link leads to.
const MAX_LINK_PATH: usize = 4_096;
/// Most characters of a label.
const MAX_LABEL: usize = 128;

impl Step<'_> {
    /// A client tells what it is.
    pub(crate) fn viewer(&mut self, conn: ConnId, viewer: &Viewer) {
        if let Some(state) = self.s.conns.get_mut(&conn) {
            state.label = clean(&viewer.label);
        }
        self.refresh_links(&viewer.links);
        let colours = colours(viewer);
        if colours == Colours::default() || colours == self.s.colours {
            return;
        }
        let turned = colours.dark() != self.s.colours.dark();
        // The cursor makes way for pictures by the size of a cell: viewers must know the same.
        let measured = colours.cell() != self.s.colours.cell();
        for pane in self.s.panes.values_mut() {
            pane.screen.set_colours(&colours);
        }
        self.s.colours = colours;
        if turned {
            self.report_scheme();
        }
        if measured {
            let ids: Vec<_> = self.s.panes.keys().copied().collect();
            ids.into_iter().for_each(|id| self.resync(id));
        }
    }

    /// Tells the programs that asked for it (mode 2031) that light became dark, or dark light.
    fn report_scheme(&mut self) {
        let ids: Vec<_> = self.s.panes.keys().copied().collect();
        for id in ids {
            let Some(pane) = self.s.panes.get_mut(&id) else {
                continue;
            };
            let Some(report) = pane.screen.scheme_report() else {
                continue;
            };
            // Over the bound the program does not read what it asked for.
            let _ = pane.queue.push_answer(&report);
            self.pump(id);
        }
    }

    /// Takes over where links lead, and has those made that changed.
    pub(crate) fn refresh_links(&mut self, links: &[(Bytes, Bytes)]) {
        let mut changed = Vec::new();
        for (name, path) in links {
            let Some(name) = link_name(name).filter(|_| self.leads_well(path)) else {
                continue;
            };
            let room = self.s.links.len() < MAX_LINKS || self.s.links.contains_key(&name);
            if room && self.s.links.get(&name) != Some(path) {
                self.s.links.insert(name.clone(), path.clone());
                changed.push((name, path.clone()));
            }
        }
        if !changed.is_empty() {
            self.out.push(Action::RefreshLinks(changed));
        }
    }

    fn leads_well(&self, path: &[u8]) -> bool {
        let inside = [self.s.config.links.as_slice(), b"/"].concat();
        path.starts_with(b"/")
            && path.len() <= MAX_LINK_PATH
            && !path.contains(&0)
            && !path.starts_with(&inside)
    }
}

/// A name that is a plain variable and a plain file name.
fn link_name(name: &[u8]) -> Option<String> {
    let plain = |b: &u8| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_';
    let sound = !name.is_empty() && name.len() <= MAX_LINK_NAME && name.iter().all(plain);
    sound.then(|| String::from_utf8_lossy(name).into_owned())
}

/// A label as logs and other clients may show it.
fn clean(label: &str) -> String {
    label
        .chars()
        .filter(|c| !c.is_control())
        .take(MAX_LABEL)
        .collect()
}

fn rgb(value: u32) -> Rgb {
    let [_, r, g, b] = value.to_be_bytes();
    (r, g, b)
}

fn colours(viewer: &Viewer) -> Colours {
    Colours {
        foreground: viewer.foreground.map(rgb),
        background: viewer.background.map(rgb),
        cursor: viewer.cursor.map(rgb),
        palette: viewer
            .palette
            .iter()
            .take(256)
            .map(|(i, value)| (*i, rgb(*value)))
            .collect(),
        cell_pixels: (viewer.cell.0 > 0 && viewer.cell.1 > 0).then_some(viewer.cell),
    }
}
