//! Targets of hyperlinks (OSC 8) by ids that are never given twice, so that a cell or a line of
//! the scrollback whose link was forgotten shows none instead of another one. Bounded by number
//! and bytes: unused links go first, then the oldest.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Most links kept.
pub(super) const MOST: usize = 16 * 1024;
/// Most bytes of all links.
pub(super) const MOST_BYTES: usize = 2 << 20;
/// Most bytes of one link, parameters and target; a longer one is none (as in VTE).
pub(super) const LONGEST: usize = 2083 + 250;

/// The links.
#[derive(Clone, Debug, Default)]
pub(super) struct Links {
    by_id: BTreeMap<u32, Arc<str>>,
    ids: HashMap<Arc<str>, u32>,
    next: u32,
    bytes: usize,
}

impl Links {
    /// What stands behind `OSC 8 ;`.
    pub(super) fn get(&self, id: u32) -> Option<&str> {
        self.by_id.get(&id).map(|link| &**link)
    }

    /// Time to collect before the next new link.
    pub(super) fn is_due(&self) -> bool {
        self.by_id.len() >= MOST || self.bytes >= MOST_BYTES
    }

    /// The id of a link; `None` if it is too long or no ids are left.
    pub(super) fn intern(&mut self, link: &str) -> Option<u32> {
        if let Some(&id) = self.ids.get(link) {
            return Some(id);
        }
        if link.len() > LONGEST || self.next == u32::MAX {
            return None;
        }
        let id = self.next;
        self.next += 1;
        let link: Arc<str> = link.into();
        self.bytes += link.len();
        self.by_id.insert(id, Arc::clone(&link));
        self.ids.insert(link, id);
        Some(id)
    }

    /// Makes room: keeps `used`, of which the oldest go too if there are too many.
    pub(super) fn collect(&mut self, used: &BTreeSet<u32>) {
        let kept = |id: &u32| used.contains(id);
        let unused: Vec<u32> = self.by_id.keys().copied().filter(|id| !kept(id)).collect();
        for id in unused {
            self.forget(id);
        }
        while self.by_id.len() > MOST / 2 || self.bytes > MOST_BYTES / 2 {
            let Some(id) = self.by_id.keys().next().copied() else {
                break;
            };
            self.forget(id);
        }
    }

    fn forget(&mut self, id: u32) {
        if let Some(link) = self.by_id.remove(&id) {
            self.bytes -= link.len();
            self.ids.remove(&link);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_links_stay_bounded() {
        let mut links = Links::default();
        let first = links.intern(";http://first").unwrap();
        let used = BTreeSet::from([first]);
        for n in 0..1_000_000 {
            if links.is_due() {
                links.collect(&used);
            }
            assert!(links.intern(&format!(";http://x/{n}")).is_some());
        }
        assert!(links.by_id.len() <= MOST && links.bytes <= MOST_BYTES + LONGEST);
        assert_eq!(links.get(first), Some(";http://first"));
        assert_eq!(links.intern(&"x".repeat(LONGEST + 1)), None);
        // All in use: the oldest go.
        for n in 0..MOST {
            links.intern(&format!(";http://y/{n}"));
        }
        let all: BTreeSet<u32> = links.by_id.keys().copied().collect();
        links.collect(&all);
        assert!(links.by_id.len() <= MOST / 2);
        assert_eq!(links.get(first), None);
    }
}
