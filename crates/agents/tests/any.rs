//! Any words at all: nothing panics, the whole line stays, a prompt is never sent twice, an id is
//! always where it belongs.

#![cfg(test)]

use agents::{Catalogue, Recognised, conversation_paths, recognise, resume_argv};
use proptest::prelude::*;
use std::ffi::OsString;
use std::path::Path;
use std::sync::LazyLock;

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(Catalogue::built_in);

/// Words that command lines are made of, and some that they are not.
fn word() -> impl Strategy<Value = String> {
    let flags: Vec<String> = CATALOGUE
        .specs()
        .flat_map(|spec| {
            let groups = [
                &spec.flags.keep,
                &spec.flags.drop,
                &spec.flags.conversation,
                &spec.flags.headless,
            ];
            let listed = groups.into_iter().flat_map(|group| {
                [&group.boolean, &group.value, &group.optional, &group.many]
                    .into_iter()
                    .flatten()
            });
            listed
                .chain(spec.permission.flags.keys())
                .chain(spec.permission.values.keys())
                .cloned()
                .collect::<Vec<_>>()
        })
        .collect();
    let plain = [
        "npx",
        "-y",
        "node",
        "bash",
        "-c",
        "-lc",
        "exec \"$@\"",
        "env",
        "A=1",
        "--",
        "sudo",
        "docker",
        "run",
        "claude",
        "codex",
        "gemini",
        "@anthropic-ai/claude-code",
        "resume",
        "chat",
        "threads",
        "continue",
        "session",
        "plan",
        "x",
        "-",
        "",
        "--x=y",
        "-xyz",
        "ünï",
        "claude --model 'x y'",
        "mise",
        "python3",
        "-m",
    ];
    prop_oneof![
        proptest::sample::select(flags),
        proptest::sample::select(plain.map(str::to_owned).to_vec()),
        any::<String>(),
    ]
}

const ID: &str = "0198c2d4-1111-4222-8333-444455556666";

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_line_is_read(cli in 0_usize..20, words in prop::collection::vec(word(), 0..8), last in 0_u8..7) {
        // Mostly a CLI's own line, else whatever comes.
        let mut argv: Vec<OsString> = CATALOGUE.specs().nth(cli).map_or_else(Vec::new, |spec| {
            spec.launch.argv.iter().map(OsString::from).collect()
        });
        argv.extend(words.iter().map(OsString::from));
        let Some(Recognised::Agent { agent, line, .. }) = recognise(&CATALOGUE, &argv, None, &|_| None) else {
            return Ok(());
        };
        let spec = CATALOGUE.get(&agent).expect("from the catalogue");
        let levels = [agents::Level::Read, agents::Level::Ask, agents::Level::Edits, agents::Level::Auto, agents::Level::All];
        let last = levels.get(usize::from(last)).copied();
        let id = format!("{}{ID}", spec.id.prefix);
        if let Ok(found) = resume_argv(spec, &line, &id, last) {
            let times = found.argv.iter().filter(|word| word.to_string_lossy().contains(&id)).count();
            prop_assert!(times >= 1);
            let again = recognise(&CATALOGUE, &found.argv, None, &|_| None);
            let Some(Recognised::Agent { line, .. }) = again else {
                panic!("not recognised again: {:?}", found.argv);
            };
            let again = resume_argv(spec, &line, &id, last).map(|again| again.argv);
            prop_assert_eq!(again, Ok(found.argv.clone()));
            prop_assert!(found.argv.starts_with(&line.wrapper));
            if let (Some(last), Some(level)) = (last, found.permission) {
                let may = level <= last || spec.permission.default.is_some_and(|default| level <= default);
                prop_assert!(may, "{level:?} over {last:?}");
            }
        }
    }

    #[test]
    fn a_prompt_is_never_sent_twice(flags in prop::collection::vec(word(), 0..4)) {
        // A prompt behind whole flags, as people type it.
        let prompt = "fix the build, please";
        for spec in CATALOGUE.specs().filter(|spec| spec.resume.is_some()) {
            let keep = &spec.flags.keep;
            let mut argv: Vec<OsString> = spec.launch.argv.iter().map(OsString::from).collect();
            for flag in flags.iter().filter(|flag| keep.boolean.contains(flag)) {
                argv.push(flag.into());
            }
            for flag in flags.iter().filter(|flag| keep.value.contains(flag)) {
                argv.extend([OsString::from(flag), "value".into()]);
            }
            argv.push(prompt.into());
            let Some(Recognised::Agent { line, .. }) = recognise(&CATALOGUE, &argv, None, &|_| None) else {
                continue;
            };
            if let Ok(found) = resume_argv(spec, &line, &format!("{}{ID}", spec.id.prefix), None) {
                let folder = spec.name == "opencode";
                prop_assert!(folder || !found.argv.iter().any(|word| word == prompt), "{:?}", found.argv);
            }
        }
    }

    #[test]
    fn no_id_leaves_its_folder(id in any::<String>()) {
        for spec in CATALOGUE.specs() {
            for path in conversation_paths(spec, &id, Path::new("/srv/app"), &|_| Some("/home/u".into())) {
                prop_assert!(!path.to_string().contains(".."), "{path}");
            }
        }
    }
}
