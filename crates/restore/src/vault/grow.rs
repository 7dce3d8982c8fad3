//! What is to be done with a copy whose transcript changed. Pure.

/// What is known of a transcript now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Source {
    /// What tells its file from others.
    pub(super) file: (u64, u64),
    /// Its bytes.
    pub(super) length: u64,
}

/// What the copy has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Held {
    /// The file it was taken from.
    pub(super) file: (u64, u64),
    /// Its bytes.
    pub(super) length: u64,
}

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// There is no copy: begin one.
    Begin,
    /// Add what is new, once the last block of the copy was found to be in its place.
    Append,
    /// Another file has its name: add what is new, once the whole copy was found to be its beginning.
    Compare,
    /// It is shorter than the copy: what was copied is kept as the former one.
    Replace,
}

/// Decides by sizes and identities; the bytes decide what [`Step::Append`] and [`Step::Compare`] come
/// to.
pub(super) fn step(source: Source, held: Option<Held>) -> Step {
    let Some(held) = held else {
        return Step::Begin;
    };
    if source.length < held.length {
        return Step::Replace;
    }
    match source.file == held.file {
        true => Step::Append,
        false => Step::Compare,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_identities_decide() {
        let check = |file: u64, length: u64, held: Option<(u64, u64)>, want: Step| {
            let source = Source {
                file: (1, file),
                length,
            };
            let held = held.map(|(file, length)| Held {
                file: (1, file),
                length,
            });
            assert_eq!(step(source, held), want, "{source:?} {held:?}");
        };
        check(1, 10, None, Step::Begin);
        check(1, 10, Some((1, 5)), Step::Append);
        // The same size may be other bytes.
        check(1, 10, Some((1, 10)), Step::Append);
        check(1, 4, Some((1, 5)), Step::Replace);
        check(2, 10, Some((1, 5)), Step::Compare);
        check(2, 4, Some((1, 5)), Step::Replace);
    }
}
