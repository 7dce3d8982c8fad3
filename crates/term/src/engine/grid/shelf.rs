//! kitty's pictures that a viewer keeps to show them later. In: pictures as they come, frames, what is
//! deleted; out: the bytes that draw one. A host keeps none, and neither does a snapshot: who attaches
//! later shows what comes from then on. Promises: at most [`MOST`] and the limit of bytes, the oldest go
//! first; names are the program's and never leave.

use std::sync::Arc;

use crate::picture::collect::KITTY;
use crate::picture::{Delete, Name, Place};

/// Most pictures at once.
const MOST: usize = 64;
/// Most strings of frames of one picture; an animation with more stands still from there on.
const MOST_FRAMES: usize = 1024;

/// A picture that may be shown again.
#[derive(Debug)]
pub(super) struct Kept {
    /// Told apart from every other of this terminal; 0 is none.
    pub(super) serial: u64,
    pub(super) id: u32,
    number: u32,
    /// What carries it, without what is to be done with it.
    bytes: Vec<u8>,
    /// Frames and what plays them.
    pub(super) frames: Vec<Arc<Vec<u8>>>,
    /// It is shown where characters stand for it: how, and the number of that.
    pub(super) by_text: Option<(Place, u64)>,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    limit: usize,
    all: Vec<Kept>,
    last: u64,
}

impl Kept {
    fn size(&self) -> usize {
        self.bytes.len() + self.frames.iter().map(|frame| frame.len()).sum::<usize>()
    }

    /// What draws it like this at the cursor.
    pub(super) fn drawn(&self, place: &Place) -> Vec<u8> {
        drawn(&self.bytes, place)
    }
}

/// What draws a picture, given what carries it.
pub(super) fn drawn(bytes: &[u8], place: &Place) -> Vec<u8> {
    let rest = bytes.strip_prefix(KITTY).unwrap_or(bytes);
    [KITTY, b",a=T", &place.keys, rest].concat()
}

impl Shelf {
    /// Keeps up to `limit` bytes; with 0 it stays empty.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            ..Self::default()
        }
    }

    /// Keeps one that came with this name, in place of the one that had it. Gives its serial number and
    /// that of the one that is gone.
    pub(super) fn put(&mut self, name: Name, bytes: Vec<u8>) -> (u64, Option<u64>) {
        if !name.any() || self.limit == 0 {
            return (0, None);
        }
        let old = self
            .all
            .iter()
            .position(|kept| name.id != 0 && kept.id == name.id);
        let old = old.map(|at| self.all.remove(at).serial);
        self.last += 1;
        self.all.push(Kept {
            serial: self.last,
            id: name.id,
            number: name.number,
            bytes,
            frames: Vec::new(),
            by_text: None,
        });
        self.shrink();
        (self.last, old)
    }

    pub(super) fn clear(&mut self) {
        self.all.clear();
    }

    fn shrink(&mut self) {
        while self.all.len() > MOST || self.all.iter().map(Kept::size).sum::<usize>() > self.limit {
            self.all.remove(0);
        }
    }

    /// The newest with this name.
    pub(super) fn find(&mut self, name: Name) -> Option<&mut Kept> {
        let mut newest = self.all.iter_mut().rev();
        newest.find(|kept| name.is(kept.id, kept.number))
    }

    /// The newest with this id, if characters may stand for it.
    pub(super) fn by_text(&self, id: u32) -> Option<&Kept> {
        let mut newest = self.all.iter().rev();
        newest.find(|kept| kept.id == id && kept.by_text.is_some())
    }

    /// Whether characters may stand for any.
    pub(super) fn any_by_text(&self) -> bool {
        self.all.iter().any(|kept| kept.by_text.is_some())
    }

    /// Adds a frame, or what plays frames, to one; gives its serial number and all of them.
    pub(super) fn add(&mut self, name: Name, string: Vec<u8>) -> Option<(u64, Vec<Arc<Vec<u8>>>)> {
        let limit = self.limit;
        let kept = self.find(name)?;
        if kept.frames.len() == MOST_FRAMES || kept.size() + string.len() > limit {
            return None;
        }
        kept.frames.push(Arc::new(string));
        let all = (kept.serial, kept.frames.clone());
        self.shrink();
        Some(all)
    }

    /// Forgets what is to be deleted as a whole; gives the serial numbers it names.
    pub(super) fn delete(&mut self, delete: &Delete, shown: impl Fn(u64) -> bool) -> Vec<u64> {
        let named = |kept: &Kept| match delete.what {
            b'a' => shown(kept.serial),
            b'i' | b'n' => delete.name.is(kept.id, kept.number),
            b'r' => (delete.x..=delete.y).contains(&kept.id),
            _ => false,
        };
        let one =
            |kept: &Kept| delete.what != b'n' || Some(kept.serial) == self.newest(delete.name);
        let found: Vec<u64> = self
            .all
            .iter()
            .filter(|kept| named(kept) && one(kept))
            .map(|kept| kept.serial)
            .collect();
        for kept in self
            .all
            .iter_mut()
            .filter(|kept| found.contains(&kept.serial))
        {
            if matches!(delete.what, b'i' | b'n' | b'r') {
                kept.by_text = None;
            }
        }
        if delete.frees && delete.name.placement == 0 {
            self.all.retain(|kept| !found.contains(&kept.serial));
        }
        found
    }

    fn newest(&self, name: Name) -> Option<u64> {
        let mut newest = self.all.iter().rev();
        newest
            .find(|kept| name.is(kept.id, kept.number))
            .map(|kept| kept.serial)
    }
}
