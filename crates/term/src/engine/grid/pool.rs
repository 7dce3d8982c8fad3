//! Values kept once and named by small numbers that cells hold. Nothing counts references: when a
//! pool has grown to its threshold, its owner marks what is in use and the rest is freed, so the
//! pool is bounded by what the screens show.

use std::borrow::Borrow;
use std::hash::Hash;

use crate::quick::QuickMap;

/// Entries below which collecting is not worth a look at the cells.
const SMALL: usize = 4096;

/// Values by number.
#[derive(Clone, Debug)]
pub(super) struct Pool<T> {
    items: Vec<Option<T>>,
    numbers: QuickMap<T, u32>,
    free: Vec<u32>,
    threshold: usize,
    most: usize,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self::bounded(usize::MAX)
    }
}

impl<T> Pool<T> {
    /// A pool that refuses more than `most` values.
    pub(super) fn bounded(most: usize) -> Self {
        Self {
            items: Vec::new(),
            numbers: QuickMap::default(),
            free: Vec::new(),
            threshold: SMALL,
            most,
        }
    }

    /// The value of a number.
    pub(super) fn get(&self, number: u32) -> Option<&T> {
        self.items.get(number as usize)?.as_ref()
    }

    /// Values held.
    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Time to collect before the next new value.
    pub(super) fn is_due(&self) -> bool {
        self.len() >= self.threshold
    }

    /// All values.
    pub(super) fn values(&self) -> impl Iterator<Item = &T> {
        self.items.iter().flatten()
    }
}

impl<T: Clone + Eq + Hash> Pool<T> {
    /// The number of a value that is held.
    pub(super) fn find<Q: Eq + Hash + ?Sized>(&self, value: &Q) -> Option<u32>
    where
        T: Borrow<Q>,
    {
        self.numbers.get(value).copied()
    }

    /// The number of a value; `None` if there is no room.
    pub(super) fn intern(&mut self, value: &T) -> Option<u32> {
        if let Some(number) = self.find(value) {
            return Some(number);
        }
        if self.len() >= self.most {
            return None;
        }
        let number = match self.free.pop() {
            Some(number) => number,
            None => {
                self.items.push(None);
                u32::try_from(self.items.len() - 1).ok()?
            }
        };
        *self.items.get_mut(number as usize)? = Some(value.clone());
        self.numbers.insert(value.clone(), number);
        Some(number)
    }

    /// Frees every value whose number is not marked.
    pub(super) fn collect(&mut self, marks: &Marks) {
        for (number, item) in (0u32..).zip(&mut self.items) {
            if marks.has(number) {
                continue;
            }
            if let Some(value) = item.take() {
                self.numbers.remove(&value);
                self.free.push(number);
            }
        }
        self.threshold = (self.len() * 2).max(SMALL);
    }
}

/// Numbers in use.
#[derive(Debug, Default)]
pub(super) struct Marks(Vec<u64>);

impl Marks {
    /// Marks a number.
    pub(super) fn mark(&mut self, number: u32) {
        let at = (number / 64) as usize;
        if at >= self.0.len() {
            self.0.resize(at + 1, 0);
        }
        if let Some(word) = self.0.get_mut(at) {
            *word |= 1 << (number % 64);
        }
    }

    fn has(&self, number: u32) -> bool {
        let word = self.0.get((number / 64) as usize);
        word.is_some_and(|word| word >> (number % 64) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_given_again_only_when_unused() {
        let mut pool: Pool<u32> = Pool::bounded(5000);
        let numbers: Vec<u32> = (0..5000).map(|n| pool.intern(&n).unwrap()).collect();
        assert!(pool.is_due());
        assert_eq!(pool.intern(&7), Some(numbers[7]));
        assert_eq!(pool.intern(&5000), None);
        let mut marks = Marks::default();
        marks.mark(numbers[7]);
        marks.mark(numbers[4999]);
        pool.collect(&marks);
        assert_eq!(pool.len(), 2);
        for n in 6000..9000 {
            assert!(pool.intern(&n).is_some());
        }
        assert_eq!(pool.get(numbers[7]), Some(&7));
        assert_eq!(pool.get(numbers[4999]), Some(&4999));
        assert!(!pool.is_due());
    }
}
