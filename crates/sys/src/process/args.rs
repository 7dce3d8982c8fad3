//! What macOS shows of a process's start: one block of bytes, read here without the system so that
//! it is tested everywhere.
//!
//! The block (`KERN_PROCARGS2`): the number of arguments as an `int`, the program's path, zeroes up
//! to the next word, the arguments, the environment, each with a zero behind it; then, behind an
//! empty entry, what only the loader wants.

/// The environment in such a block, entries each with a zero behind it. `None`: it is no such
/// block. Empty: the system hides it (a program it protects).
pub(crate) fn environment(block: &[u8]) -> Option<Vec<u8>> {
    let (count, rest) = block.split_first_chunk::<4>()?;
    let count = usize::try_from(i32::from_ne_bytes(*count)).ok()?;
    let path = rest.iter().position(|byte| *byte == 0)?;
    let padding = rest[path..].iter().position(|byte| *byte != 0);
    let mut rest = &rest[path + padding.unwrap_or(0)..];
    if padding.is_none() {
        rest = &[];
    }
    for _ in 0..count {
        rest = after_zero(rest)?;
    }
    let mut entries = rest;
    let mut length = 0;
    while entries.first().is_some_and(|byte| *byte != 0) {
        // The last one may be cut by the system's limit; it is left out then.
        let Some(next) = after_zero(entries) else {
            break;
        };
        length += entries.len() - next.len();
        entries = next;
    }
    Some(rest[..length].to_vec())
}

/// The arguments in such a block. `None`: it is no such block.
pub(crate) fn arguments(block: &[u8]) -> Option<Vec<Vec<u8>>> {
    let (count, rest) = block.split_first_chunk::<4>()?;
    let count = usize::try_from(i32::from_ne_bytes(*count)).ok()?;
    let path = rest.iter().position(|byte| *byte == 0)?;
    let padding = rest[path..].iter().position(|byte| *byte != 0);
    let mut rest = &rest[path + padding.unwrap_or(rest.len() - path)..];
    let mut words = Vec::new();
    for _ in 0..count {
        let next = after_zero(rest)?;
        words.push(rest[..rest.len() - next.len() - 1].to_vec());
        rest = next;
    }
    Some(words)
}

fn after_zero(bytes: &[u8]) -> Option<&[u8]> {
    let end = bytes.iter().position(|byte| *byte == 0)?;
    bytes.get(end + 1..)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(count: i32, rest: &[u8]) -> Vec<u8> {
        [&count.to_ne_bytes()[..], rest].concat()
    }

    #[test]
    fn the_environment_stands_behind_the_arguments() {
        for (name, count, rest, want) in [
            (
                "padding",
                2,
                &b"/bin/sh\0\0\0\0sh\0-c\0A=1\0B=2 3\0\0ptr_munge=\0"[..],
                Some(&b"A=1\0B=2 3\0"[..]),
            ),
            (
                "an empty argument",
                3,
                b"/x\0x\0\0y\0A=1\0\0",
                Some(b"A=1\0"),
            ),
            ("hidden", 1, b"/x\0\0x\0", Some(b"")),
            ("hidden, with more", 1, b"/x\0\0x\0\0stack=\0", Some(b"")),
            ("no arguments", 0, b"/x\0\0A=1\0", Some(b"A=1\0")),
            ("cut in a variable", 1, b"/x\0\0x\0A=1\0B=", Some(b"A=1\0")),
            ("cut in the arguments", 3, b"/x\0\0x\0y", None),
            ("nothing behind the path", 0, b"/x\0\0\0", Some(b"")),
            ("no path", 0, b"", None),
            ("a negative count", -1, b"/x\0\0x\0", None),
        ] {
            let words = arguments(&block(count, rest));
            assert_eq!(words.is_some(), want.is_some(), "{name}");
            let found = environment(&block(count, rest));
            assert_eq!(found.as_deref(), want, "{name}");
        }
        assert_eq!(environment(b"\x01"), None);
    }

    #[test]
    fn the_arguments_stand_behind_the_path() {
        let words = arguments(&block(3, b"/x\0\0\0claude\0\0-c\0A=1\0\0"));
        assert_eq!(
            words,
            Some(vec![b"claude".to_vec(), Vec::new(), b"-c".to_vec()])
        );
        assert_eq!(arguments(b"\x01"), None);
    }

    #[test]
    fn a_block_cut_anywhere_gives_whole_variables_or_none() {
        let whole = block(1, b"/bin/sh\0\0sh\0AA=11\0BB=22\0\0");
        for end in 0..whole.len() {
            let found = environment(&whole[..end]).unwrap_or_default();
            let right: [&[u8]; 3] = [b"", b"AA=11\0", b"AA=11\0BB=22\0"];
            assert!(right.contains(&found.as_slice()), "cut at {end}");
        }
    }
}
