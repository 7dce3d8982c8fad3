//! Which CLI a program, package, module or script name belongs to. Pure.

use super::text;
use crate::catalogue::Catalogue;
use crate::spec::Spec;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Endings of program files: npm installs native programs as `claude.exe` on every system.
const PROGRAM_ENDINGS: &[&str] = &[".exe", ".cmd"];
/// What a target triple may begin with, as in `codex-x86_64-unknown-linux-musl`.
const TARGETS: &[&str] = &[
    "x86_64", "aarch64", "arm64", "x64", "linux", "darwin", "macos",
];

/// The file name of a program; a login shell's dash is no part of it.
pub(super) fn base(program: &OsStr) -> String {
    let text = text(program);
    let name = text.rsplit('/').next().unwrap_or_default();
    name.strip_prefix('-').unwrap_or(name).to_owned()
}

/// The CLI whose program this is: by name, by a versioned name, or by where it lies.
pub(super) fn of_program<'a>(catalogue: &'a Catalogue, program: &OsStr) -> Option<&'a Spec> {
    let path = text(program);
    let name = base(program);
    let name = PROGRAM_ENDINGS
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(&name);
    let named = |spec: &&Spec| {
        let names = &spec.names;
        let weak = || {
            names
                .weak
                .iter()
                .any(|(weak, proof)| weak == name && path.contains(proof))
        };
        names
            .programs
            .iter()
            .any(|p| is_program(name, p) || is_version_of(&path, p))
            || weak()
    };
    catalogue.specs().find(named)
}

fn is_program(name: &str, program: &str) -> bool {
    let Some(rest) = name.strip_prefix(program) else {
        return false;
    };
    let Some(tail) = rest.strip_prefix(['-', '@']) else {
        return rest.is_empty();
    };
    is_version(tail) || TARGETS.iter().any(|target| tail.starts_with(target))
}

fn is_version(text: &str) -> bool {
    let text = text.strip_prefix('v').unwrap_or(text);
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// `../claude/versions/2.1.332`.
fn is_version_of(path: &str, program: &str) -> bool {
    let mut parts = path.rsplit('/');
    let version = parts.next().is_some_and(is_version);
    version && parts.next() == Some("versions") && parts.next() == Some(program)
}

/// The CLI whose package this is, with or without a version, or whose program is run by that name.
pub(super) fn of_package<'a>(catalogue: &'a Catalogue, word: &OsStr) -> Option<&'a Spec> {
    let word = text(word);
    let word = word.strip_prefix("npm:").unwrap_or(&word);
    let word = word.split("==").next().unwrap_or_default();
    // The @ of a scope stands first, the one of a version later.
    let at = word.char_indices().skip(1).find(|(_, c)| *c == '@');
    let name = at.map_or(word, |(at, _)| &word[..at]);
    let name = name.split('[').next().unwrap_or_default();
    let named = |spec: &&Spec| {
        let names = &spec.names;
        names
            .packages
            .iter()
            .chain(&names.programs)
            .any(|known| known == name)
    };
    catalogue.specs().find(named)
}

/// The CLI whose Python module this is.
pub(super) fn of_module<'a>(catalogue: &'a Catalogue, word: &OsStr) -> Option<&'a Spec> {
    let word = text(word);
    let module = word.split('.').next().unwrap_or_default();
    catalogue
        .specs()
        .find(|spec| spec.names.modules.iter().any(|known| known == module))
}

/// The CLI whose script this is: by a program name without an ending, or by its package's folder.
pub(super) fn of_script<'a>(
    catalogue: &'a Catalogue,
    script: &OsStr,
    env: &dyn Fn(&str) -> Option<OsString>,
) -> Option<&'a Spec> {
    if let Some(spec) = of_program(catalogue, script) {
        return Some(spec);
    }
    let path = match Path::new(script).is_absolute() {
        true => PathBuf::from(script),
        false => PathBuf::from(env("PWD")?).join(script),
    };
    let path = path.to_string_lossy();
    let holds = |package: &String| match package.starts_with('@') {
        true => path.contains(&format!("/{package}/")),
        false => path.contains(&format!("/node_modules/{package}/")),
    };
    catalogue
        .specs()
        .find(|spec| spec.names.packages.iter().any(holds))
}
