//! What abide puts around a program that comes back, in the command line of its pane: never shown.
//!
//! In: a pane's words as the host has them. Out: the program's own. Pure.

/// The words of the program that abide runs there; of a shell that only says something, the shell's.
#[must_use]
pub fn inner(argv: &[Vec<u8>]) -> Vec<Vec<u8>> {
    if argv.get(1).is_none_or(|word| word != b"__pane") {
        return argv.to_vec();
    }
    let mut shell = Vec::new();
    let mut words = argv.iter().skip(2);
    while let Some(word) = words.next() {
        match word.as_slice() {
            b"--" => break,
            b"--then" => shell.extend(words.next().cloned()),
            _ => drop(words.next()),
        }
    }
    let own: Vec<_> = words.cloned().collect();
    if own.is_empty() { shell } else { own }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_programs_own_words_are_shown() {
        let check = |line: &str, want: &str| {
            let words = |line: &str| -> Vec<Vec<u8>> {
                line.split_whitespace()
                    .map(|it| it.as_bytes().to_vec())
                    .collect()
            };
            assert_eq!(inner(&words(line)), words(want), "{line}");
        };
        check("bash -l", "bash -l");
        check(
            "abide __pane --then /bin/sh --watch 10 -- tuck --then x",
            "tuck --then x",
        );
        check("abide __pane --say -- --then /bin/zsh --", "/bin/zsh");
        check("/x/abide __pane --say why --", "");
        check("", "");
    }
}
