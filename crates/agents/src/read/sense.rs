//! Whether a file's statements fit together: what a list of keys alone cannot see. Pure.

use super::Fault;
use crate::spec::{Arities, How, Spec};
use std::collections::BTreeMap;

/// Adds each fault of `spec`.
pub(super) fn check(spec: &Spec, faults: &mut Vec<Fault>) {
    let mut fault = |key: &str, what: String| {
        faults.push(Fault {
            key: key.to_owned(),
            what,
            warning: false,
        });
    };
    names(spec, &mut fault);
    templates(spec, &mut fault);
    flags(spec, &mut fault);
    permission(spec, &mut fault);
}

fn names(spec: &Spec, fault: &mut impl FnMut(&str, String)) {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if spec.name.is_empty() || !spec.name.chars().all(plain) {
        let what = format!("is \"{}\", but must be 1 or more of [a-z0-9-]", spec.name);
        fault("name", what);
    }
    if spec.title.is_empty() {
        fault("title", "is missing: the name for people".to_owned());
    }
    if spec.names.programs.is_empty() && spec.names.weak.is_empty() {
        fault(
            "names.programs",
            "is missing: by what the CLI is recognised".to_owned(),
        );
    }
    for program in spec.names.programs.iter().chain(spec.names.weak.keys()) {
        if program.is_empty() || program.contains('/') || program.starts_with('-') {
            fault("names", format!("\"{program}\" is no file name"));
        }
    }
    if spec.launch.argv.is_empty() {
        fault(
            "launch.argv",
            "is missing: the command line of a new conversation".to_owned(),
        );
    }
    if spec.provenance.how == How::Run && spec.provenance.versions.is_empty() {
        let what = "is missing: \"run\" must say against which versions".to_owned();
        fault("provenance.versions", what);
    }
    match (&spec.resume, &spec.cannot_resume) {
        (None, None) => {
            let what =
                "is missing, and so is `cannot_resume`: one of them must be there".to_owned();
            fault("resume", what);
        }
        (Some(_), Some(_)) => {
            let what = "contradicts `[resume]`: only one of them may be there".to_owned();
            fault("cannot_resume", what);
        }
        _ => {}
    }
}

fn templates(spec: &Spec, fault: &mut impl FnMut(&str, String)) {
    let resume = spec.resume.as_ref().map(|resume| &resume.argv);
    let choose = spec.choose.as_ref().map(|choose| &choose.argv);
    for (key, argv) in [("resume.argv", resume), ("choose.argv", choose)] {
        let ids = argv.map(|words| words.iter().filter(|word| word.contains("{id}")).count());
        if ids.is_some_and(|ids| ids != 1) {
            fault(key, "must hold `{id}` in exactly one word".to_owned());
        }
    }
    let live = spec
        .learn
        .live
        .iter()
        .map(|live| ("learn.live.path", &live.path));
    let lock = spec
        .learn
        .lock
        .iter()
        .map(|lock| ("learn.lock.path", &lock.path));
    let paths = spec
        .conversations
        .paths
        .iter()
        .map(|p| ("conversations.paths", p));
    for (key, path) in paths.chain(live).chain(lock) {
        for unknown in crate::paths::unknown_places(path) {
            fault(
                key,
                format!(
                    "holds `{{{unknown}}}`; known: {}",
                    crate::paths::PLACES.join(", ")
                ),
            );
        }
        if path.contains("{home}") && spec.home.is_none() {
            fault("home", format!("is missing, but `{key}` uses {{home}}"));
        }
    }
    if let Some(home) = &spec.home
        && !home.default.starts_with(['~', '/'])
    {
        fault(
            "home.default",
            format!("is \"{}\", but must begin with ~ or /", home.default),
        );
    }
}

fn flags(spec: &Spec, fault: &mut impl FnMut(&str, String)) {
    let mut seen: BTreeMap<&str, String> = BTreeMap::new();
    let groups: [(&str, &Arities); 4] = [
        ("keep", &spec.flags.keep),
        ("drop", &spec.flags.drop),
        ("conversation", &spec.flags.conversation),
        ("headless", &spec.flags.headless),
    ];
    let listed = groups.iter().flat_map(|(group, arities)| {
        let lists = [
            ("boolean", &arities.boolean),
            ("value", &arities.value),
            ("optional", &arities.optional),
            ("many", &arities.many),
        ];
        lists.into_iter().flat_map(move |(arity, flags)| {
            flags
                .iter()
                .map(move |flag| (flag.as_str(), format!("flags.{group}.{arity}")))
        })
    });
    let bare = spec
        .permission
        .flags
        .keys()
        .map(|f| (f.as_str(), "permission.flags".to_owned()));
    let valued = spec
        .permission
        .values
        .keys()
        .map(|f| (f.as_str(), "permission.values".to_owned()));
    for (flag, place) in listed.chain(bare).chain(valued) {
        if !flag.starts_with('-') || flag.len() < 2 || flag == "--" || flag.contains(['=', ' ']) {
            fault(
                &place,
                format!("\"{flag}\" is no flag: it must begin with - and hold no = or space"),
            );
        } else if let Some(other) = seen.insert(flag, place.clone()) {
            fault(&place, format!("{flag} stands in `{other}` already"));
        }
    }
}

fn permission(spec: &Spec, fault: &mut impl FnMut(&str, String)) {
    for (level, argv) in &spec.permission.set {
        let given = crate::granted(spec, &argv.iter().map(Into::into).collect::<Vec<_>>());
        if given.is_none_or(|given| given > *level) {
            let words = argv.join(" ");
            let what = format!(
                "sets `{words}`, which `permission.flags` and `permission.values` do not put at that level or below"
            );
            fault("permission.set", what);
        }
    }
}
