//! Versions as CLIs print them, and as the npm packages they come in state them.

use crate::spec::{Rule, Spec};
use std::fmt;
use std::path::Path;

/// Folders above a program that may still be its package's.
const MAX_ABOVE: usize = 6;
/// Larger is no package.json.
const MAX_BYTES: u64 = 1024 * 1024;

/// A version: its numbers, most important first. What follows a dash is left out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(Vec<u64>);

impl Version {
    /// The first dotted number of `text`, such as `2.1.332` in `2.1.332 (Claude Code)`.
    #[must_use]
    pub fn find(text: &str) -> Option<Self> {
        text.split(|c: char| !c.is_ascii_digit() && c != '.')
            .find_map(|word| Self::parse(word.trim_matches('.')))
    }

    fn parse(word: &str) -> Option<Self> {
        let numbers: Vec<u64> = word
            .split('.')
            .map(|n| n.parse().ok())
            .collect::<Option<_>>()?;
        (numbers.len() > 1).then_some(Self(numbers))
    }

    /// Whether this is below `other`, which may be as short as `2`.
    #[must_use]
    pub fn is_below(&self, other: &str) -> bool {
        let other: Vec<u64> = other.split('.').map_while(|n| n.parse().ok()).collect();
        self.0 < other
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = self.0.iter().map(u64::to_string).collect();
        f.write_str(&words.join("."))
    }
}

impl Spec {
    /// What holds for this version of the CLI beside the rest; `None`: nothing.
    #[must_use]
    pub fn rule(&self, version: Option<&Version>) -> Option<&Rule> {
        let rules = &self.resume.as_ref()?.rules;
        rules.iter().find(|rule| match version {
            Some(version) => version.is_below(&rule.below),
            None => rule.unknown,
        })
    }
}

/// The version that the npm package around `program` states, without running it; `None` when it comes
/// in no package of this CLI. Follows links, reads at most 6 files.
#[must_use]
pub fn packaged_version(spec: &Spec, program: &Path) -> Option<Version> {
    let real = program.canonicalize().ok()?;
    let above = real.ancestors().skip(1).take(MAX_ABOVE);
    above
        .map(|folder| folder.join("package.json"))
        .find_map(|file| {
            let bytes = sys::files::read_bounded(&file, MAX_BYTES).ok()?;
            let package: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
            let name = package.get("name")?.as_str()?;
            let own = spec.names.packages.iter().any(|known| known == name);
            Version::find(package.get("version")?.as_str().filter(|_| own)?)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_clis_print() {
        let check = |text: &str, version: &str| {
            assert_eq!(
                Version::find(text)
                    .map(|v| v.to_string())
                    .unwrap_or_default(),
                version
            );
        };
        check("2.1.332 (Claude Code)", "2.1.332");
        check("codex-cli 0.171.0\n", "0.171.0");
        check("0.64.0-nightly.20260912", "0.64.0");
        check("v1.18.33", "1.18.33");
        check(
            "GitHub Copilot CLI 1.0.102.\nRun 'copilot update'.",
            "1.0.102",
        );
        check("Hermes Agent v0.19.0 (2026.7.1)", "0.19.0");
        check("kimi, version 1.52.0", "1.52.0");
        check("no number, 7 of them", "");
        check("", "");
    }

    #[test]
    fn versions_compare_by_number() {
        let check = |version: &str, other: &str, below: bool| {
            let version = Version::find(version).expect("a version");
            assert_eq!(version.is_below(other), below, "{version} {other}");
        };
        check("0.9.9", "0.64", true);
        check("0.61.0", "0.64", true);
        check("0.64.0", "0.64", false);
        check("0.164.0", "0.64", false);
        check("1.52.0", "2", true);
        check("2.1.0", "2", false);
    }
}
