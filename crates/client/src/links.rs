//! Hyperlinks on their way from panes to the outer terminal.
//!
//! In: a pane's links by the numbers its styles have. Out: what stands behind `OSC 8 ;` for the
//! outer terminal. Promises: no two panes' links become one; nothing but a target and an id is
//! passed on, and no control character; what is kept is bounded.

use std::collections::BTreeMap;
use term::Style;

/// Most links a view of the scrollback keeps; cells of more than that have none.
const MAX_KEPT: usize = 10_000;

/// The links of one pane while it is drawn: the numbers its styles have, and those of a frame.
pub(crate) struct Links<'a> {
    pane: u32,
    find: &'a dyn Fn(u32) -> Option<String>,
    known: BTreeMap<u32, u32>,
}

impl<'a> Links<'a> {
    /// Of `pane`, whose links `find` knows as `OSC 8 ;` spells them.
    pub(crate) const fn new(pane: u32, find: &'a dyn Fn(u32) -> Option<String>) -> Self {
        Self {
            pane,
            find,
            known: BTreeMap::new(),
        }
    }

    /// For cells whose links are not known.
    #[cfg(test)]
    pub(crate) const fn none() -> Self {
        Self::new(0, &|_| None)
    }

    /// The number of a link in the frame whose links are `frame`; 0 if it is none.
    pub(crate) fn number(&mut self, id: u32, frame: &mut Vec<String>) -> u32 {
        if let Some(number) = self.known.get(&id) {
            return *number;
        }
        let link = (self.find)(id).and_then(|link| outer_link(self.pane, &link));
        let number = link.map_or(0, |link| {
            frame.push(link);
            u32::try_from(frame.len()).unwrap_or(0)
        });
        self.known.insert(id, number);
        number
    }
}

/// A pane's link for the outer terminal: the same target, and an id that no other pane has, or what
/// is pointed at here would light up there. One without an id gets the pane's, so that it stays one
/// link however it is drawn in pieces: only equal targets with equal ids belong together.
fn outer_link(pane: u32, link: &str) -> Option<String> {
    let (params, target) = link.split_once(';')?;
    if target.is_empty() || link.chars().any(char::is_control) {
        return None;
    }
    let id = params
        .split(':')
        .find_map(|param| param.strip_prefix("id="));
    Some(match id.filter(|id| !id.is_empty()) {
        Some(id) => format!("id=p{pane}-{id};{target}"),
        None => format!("id=p{pane};{target}"),
    })
}

/// Links kept beside cells that outlive the terminal they came from.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    links: Vec<String>,
    numbers: BTreeMap<String, u32>,
}

impl Kept {
    /// The style with its link, if it has one, counted in here.
    pub(crate) fn keep(&mut self, style: &mut Style, find: impl Fn(u32) -> Option<String>) {
        style.link = style.link.and_then(find).and_then(|link| self.add(link));
    }

    fn add(&mut self, link: String) -> Option<u32> {
        if let Some(number) = self.numbers.get(&link) {
            return Some(*number);
        }
        let number = u32::try_from(self.links.len()).ok()?;
        if self.links.len() >= MAX_KEPT {
            return None;
        }
        self.links.push(link.clone());
        self.numbers.insert(link, number);
        Some(number)
    }

    /// What a number means.
    pub(crate) fn get(&self, number: u32) -> Option<String> {
        self.links.get(usize::try_from(number).ok()?).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_marked_with_their_pane_and_nothing_else_is_passed_on() {
        for (link, want) in [
            (";http://x/", Some("id=p7;http://x/")),
            ("id=a;http://x/;y", Some("id=p7-a;http://x/;y")),
            ("k=v:id=a:z=1;http://x/", Some("id=p7-a;http://x/")),
            ("id=;http://x/", Some("id=p7;http://x/")),
            ("id=a;", None),
            ("http://x/", None),
            (";http://x/\x1b\\", None),
            ("id=\u{9c};http://x/", None),
        ] {
            assert_eq!(outer_link(7, link).as_deref(), want, "{link:?}");
        }
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut kept = Kept::default();
        for n in 0..2 * MAX_KEPT {
            let number = kept.add(format!(";http://x/{n}"));
            assert_eq!(number.is_some(), n < MAX_KEPT);
        }
        assert_eq!(kept.add(";http://x/3".to_owned()), Some(3));
        assert_eq!(kept.get(3).as_deref(), Some(";http://x/3"));
    }
}
