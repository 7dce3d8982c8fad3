//! The data files: each is whole, states only what the list of keys knows, and its ids, paths and
//! commands fit together; users' files are laid over them and their faults are named.

#![cfg(test)]

use agents::keys::{Found, KEYS, find, siblings};
use agents::spec::{How, Store};
use agents::{
    Catalogue, Origin, ReadError, Spec, Stamp, Version, check, conversation_paths, home, look_up,
};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

const NAMES: &[&str] = &[
    "claude",
    "codex",
    "gemini",
    "opencode",
    "qwen",
    "kimi",
    "hermes",
    "copilot",
    "cursor",
    "codebuddy",
    "openclaw",
    "amp",
    "goose",
    "droid",
    "kiro",
    "grok",
    "ask",
];

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(Catalogue::built_in);

fn data(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("data/{name}.toml"));
    std::fs::read_to_string(path).expect("a data file")
}

fn spec(name: &str) -> Spec {
    CATALOGUE
        .get(name)
        .cloned()
        .unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn every_built_in_file_is_whole() {
    let catalogue = Catalogue::built_in();
    let names: Vec<_> = catalogue.specs().map(|spec| spec.name.as_str()).collect();
    for name in NAMES {
        let read = check(&data(name), Path::new(name), |_| None);
        let (spec, faults) = read.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((spec.name.as_str(), faults), (*name, Vec::new()));
        assert!(
            !spec.provenance.sources.is_empty(),
            "{name} names no source"
        );
        assert!(
            spec.provenance
                .sources
                .iter()
                .all(|s| s.starts_with("https://")),
            "{name}"
        );
    }
    assert_eq!(names, NAMES);
    assert!(catalogue.specs().all(|spec| spec.origin == Origin::BuiltIn));
}

#[test]
fn only_what_was_run_says_so() {
    let run: Vec<_> = NAMES
        .iter()
        .filter(|name| spec(name).provenance.how == How::Run)
        .collect();
    assert_eq!(
        run,
        [
            &"claude",
            &"codex",
            &"gemini",
            &"opencode",
            &"qwen",
            &"kimi",
            &"hermes",
            &"copilot",
            &"ask"
        ]
    );
}

#[test]
fn programs_are_nobody_elses() {
    let catalogue = Catalogue::built_in();
    let mut seen = std::collections::BTreeMap::new();
    for spec in catalogue.specs() {
        for program in spec.names.programs.iter().chain(&spec.names.packages) {
            let other = seen.insert(program.clone(), spec.name.clone());
            assert!(other.is_none_or(|other| other == spec.name), "{program}");
        }
    }
}

/// A file that uses every key is read without a fault, and every key is in the list: the list and
/// the types say the same.
#[test]
fn the_list_of_keys_is_the_types() {
    let mut text = String::new();
    let sample = |kind: agents::keys::Kind, path: &str| match kind {
        agents::keys::Kind::Text if path.ends_with("home.default") => "\"~/.x\"".to_owned(),
        agents::keys::Kind::Text => "\"x\"".to_owned(),
        agents::keys::Kind::List => match path {
            "resume.argv" | "choose.argv" => "[\"{id}\"]".to_owned(),
            _ if path.starts_with("flags.") => format!("[\"--{}\"]", path.replace('.', "-")),
            _ if path.starts_with("permission.set") => "[\"--read\"]".to_owned(),
            _ => "[\"x\"]".to_owned(),
        },
        agents::keys::Kind::Bool => "true".to_owned(),
        agents::keys::Kind::Number => "3".to_owned(),
        agents::keys::Kind::Choice(words) => format!("\"{}\"", words[0]),
    };
    for key in KEYS.iter().filter(|key| key.path != "cannot_resume") {
        let (table, leaf) = key.path.rsplit_once('.').unwrap_or(("", key.path));
        let leaf = match (leaf, table) {
            ("*", "permission.flags") => "\"--read\"",
            ("*", "permission.set") => "read",
            ("*", _) => "\"name\"",
            (leaf, _) => leaf,
        };
        let table = table.replace("permission.values.*", "permission.values.--mode");
        let value = sample(key.kind, key.path);
        match table.strip_suffix("[]") {
            _ if table.is_empty() => text.push_str(&format!("{leaf} = {value}\n")),
            Some(_) => {}
            None => text.push_str(&format!("{table}.{leaf} = {value}\n")),
        }
    }
    text.push_str(
        "[[resume.rules]]\nbelow = \"1\"\nunknown = true\nneed = \"copy\"\nwhy = \"x\"\n",
    );
    text.push_str("[[helpers]]\nname = \"x\"\nargv = [\"x\"]\npid_file = \"x\"\neffect = \"x\"\n");
    let (spec, faults) =
        check(&text, Path::new("all"), |_| None).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(faults, Vec::new());
    // A field that the types do not have would have stayed at its default.
    let shown = format!("{spec:#?}");
    for empty in [": None", ": []", ": {}", ": \"\"", ": false", ": 0,"] {
        let left: Vec<_> = shown.lines().filter(|line| line.contains(empty)).collect();
        assert_eq!(
            left,
            ["    cannot_resume: None,"]
                .iter()
                .filter(|l| l.contains(empty))
                .copied()
                .collect::<Vec<_>>(),
            "{shown}"
        );
    }
}

#[test]
fn paths_of_keys_are_found() {
    let look = |path: &str| find(&path.split('.').collect::<Vec<_>>());
    assert_eq!(look("flags"), Found::Table);
    assert_eq!(look("helpers"), Found::Tables);
    assert_eq!(look("resume.rules"), Found::Tables);
    assert!(matches!(look("resume.rules.below"), Found::Value(_)));
    assert!(matches!(
        look("permission.values.--mode.plan"),
        Found::Value(_)
    ));
    assert_eq!(look("resum"), Found::Unknown);
    assert_eq!(look("resume.argvs"), Found::Unknown);
    assert_eq!(look("name.x"), Found::Unknown);
    assert_eq!(siblings(&["id", "x"]), ["prefix", "form"]);
}

#[track_caller]
fn refused(text: &str, told: &str) {
    let error = check(text, Path::new("/c/agents/x.toml"), |_| None).expect_err(text);
    assert_eq!(error.to_string(), told);
}

const LEAST: &str = "name = \"x\"\ntitle = \"X\"\ncannot_resume = \"-\"\nnames.programs = [\"x\"]\nlaunch.argv = [\"x\"]\n";

#[test]
fn faults_name_file_key_and_what_is_allowed() {
    let with = |more: &str| format!("{LEAST}{more}");
    refused(
        "name = ",
        "/c/agents/x.toml is not valid TOML: line 1: string values must be quoted, expected literal string",
    );
    refused(
        &with("names.strict = 1\n"),
        "/c/agents/x.toml: `names.strict` is 1, but must be true or false",
    );
    refused(
        &with("lost = \"gone\"\n"),
        "/c/agents/x.toml: `lost` is \"gone\", but must be a list of texts, such as [\"a\", \"b\"]",
    );
    refused(
        &with("launch.positional = \"words\"\n"),
        "/c/agents/x.toml: `launch.positional` is \"words\", but must be one of \"prompt\", \"headless\", \"folder\"",
    );
    refused(
        &with("flags = 3\n"),
        "/c/agents/x.toml: `flags` is 3, but must be a table: [flags]",
    );
    refused(
        &with("[helpers]\nname = \"x\"\n"),
        "/c/agents/x.toml: `helpers` is a table, but must be a list of tables: [[helpers]]",
    );
    refused(
        &with("permission.flags.--yolo = \"much\"\n"),
        "/c/agents/x.toml: `permission.flags.--yolo` is \"much\", but must be one of \"read\", \"ask\", \"edits\", \"auto\", \"all\"",
    );
    refused(
        &with("resume.argv = [\"--resume\"]\n"),
        "/c/agents/x.toml: `cannot_resume` contradicts `[resume]`: only one of them may be there; `resume.argv` must hold `{id}` in exactly one word",
    );
    refused(
        &with("flags.keep.boolean = [\"-x\"]\nflags.drop.value = [\"-x\"]\n"),
        "/c/agents/x.toml: `flags.drop.value` -x stands in `flags.keep.boolean` already",
    );
    refused(
        &with("flags.keep.value = [\"model\"]\n"),
        "/c/agents/x.toml: `flags.keep.value` \"model\" is no flag: it must begin with - and hold no = or space",
    );
    refused(
        &with("conversations.paths = [\"/x/{cwd}/{id}\"]\n"),
        "/c/agents/x.toml: `conversations.paths` holds `{cwd}`; known: home, id, id8, pid, folder:dashes, folder:slashes, folder:percent",
    );
    refused(
        &with("conversations.paths = [\"{home}/{id}\"]\n"),
        "/c/agents/x.toml: `home` is missing, but `conversations.paths` uses {home}",
    );
    refused(
        &with("provenance.how = \"run\"\n"),
        "/c/agents/x.toml: `provenance.versions` is missing: \"run\" must say against which versions",
    );
    refused(
        &with("permission.set.read = [\"--yolo\"]\npermission.flags.--yolo = \"all\"\n"),
        "/c/agents/x.toml: `permission.set` sets `--yolo`, which `permission.flags` and `permission.values` do not put at that level or below",
    );
    refused(
        "title = \"X\"\n",
        "/c/agents/x.toml: `name` is \"\", but must be 1 or more of [a-z0-9-]; `names.programs` is missing: by what the CLI is recognised; `launch.argv` is missing: the command line of a new conversation; `resume` is missing, and so is `cannot_resume`: one of them must be there",
    );
}

#[test]
fn an_unknown_key_is_told_and_the_rest_used() {
    let text = format!("{LEAST}names.program = [\"y\"]\n");
    let (spec, faults) = check(&text, Path::new("x.toml"), |_| None).expect("usable");
    assert_eq!(spec.names.programs, ["x"]);
    let told: Vec<_> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        ["`names.program` is not known and was left out; did you mean `programs`?"]
    );
    for (key, told) in [
        ("resum.argv", "did you mean `resume`?"),
        ("launch.agrv", "did you mean `argv`?"),
        ("lsot", "did you mean `lost`?"),
        ("id.form2", "did you mean `form`?"),
        ("id.colour", "known here: prefix, form"),
    ] {
        let text = format!("{LEAST}{key} = \"y\"\n");
        let (_, faults) = check(&text, Path::new("x.toml"), |_| None).expect("usable");
        assert!(faults[0].to_string().ends_with(told), "{}", faults[0]);
    }
}

#[test]
fn users_files_are_laid_over_the_built_in_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    let write =
        |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    write(
        "claude.toml",
        "name = \"claude\"\n[names]\nprograms = [\"claude\", \"cc\"]\n[resume.continue_env]\nMINE = \"1\"\n",
    );
    write("mine.toml", &LEAST.replace("\"x\"", "\"mine\""));
    write("broken.toml", "name = 3\n");
    write("twice.toml", &LEAST.replace("\"x\"", "\"mine\""));
    write("notes.txt", "no data file");
    let loaded = Catalogue::load(folder.path());
    let claude = loaded.catalogue.get("claude").expect("claude");
    assert_eq!(claude.names.programs, ["claude", "cc"]);
    assert_eq!(claude.names.packages, ["@anthropic-ai/claude-code"]);
    let resume = claude.resume.as_ref().expect("a way to resume");
    assert_eq!((resume.argv.len(), resume.continue_env.len()), (2, 3));
    assert_eq!(
        claude.origin,
        Origin::Changed(folder.path().join("claude.toml"))
    );
    let mine = loaded.catalogue.get("mine").expect("mine");
    assert_eq!(mine.origin, Origin::User(folder.path().join("mine.toml")));
    assert_eq!(loaded.catalogue.specs().count(), NAMES.len() + 1);
    let told: Vec<_> = loaded
        .left_out
        .iter()
        .map(|l| l.replace(&folder.path().display().to_string(), "F"))
        .collect();
    assert_eq!(
        told,
        [
            "F/broken.toml: `name` is 3, but must be text; the file is not used",
            "F/twice.toml: `mine` is stated in another file already; the file is not used",
        ]
    );
    assert!(
        Catalogue::load(Path::new("/nonexistent"))
            .left_out
            .is_empty()
    );
}

/// What is read again tells what is new; a file that cannot be used any more takes nothing away.
#[test]
fn files_are_read_again_over_what_they_said_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.toml");
    let mine = LEAST.replace("\"x\"", "\"mine\"");
    let stamp = || Stamp::of(folder.path());
    let (none, before) = (stamp(), Catalogue::load(folder.path()).catalogue);
    assert_eq!(none, stamp());
    let mut known = before.clone();
    let mut check = |text: Option<&str>, news: &[&str], told: usize| {
        let was = stamp();
        match text {
            Some(text) => std::fs::write(&path, text).expect("written"),
            None => std::fs::remove_file(&path).expect("removed"),
        }
        assert_ne!(was, stamp(), "{text:?}");
        let now = known.load_again(folder.path());
        assert_eq!(now.catalogue.news(&known), news, "{text:?}");
        assert_eq!(now.left_out.len(), told, "{:?}", now.left_out);
        known = now.catalogue;
    };
    check(Some(&mine), &["`mine` is new"], 0);
    check(Some("name = 3"), &[], 1);
    check(Some(&format!("{mine}\n# the same\n")), &[], 0);
    check(
        Some(&mine.replace("\"X\"", "\"Mine\"")),
        &["`mine` changed"],
        0,
    );
    check(None, &["`mine` is gone"], 0);
    assert_eq!(stamp(), none);
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("big.toml"), vec![b'#'; 300 * 1024]).expect("written");
    std::fs::write(folder.path().join("odd.toml"), [0xff, 0xfe]).expect("written");
    std::fs::create_dir(folder.path().join("sub.toml")).expect("made");
    let loaded = Catalogue::load(folder.path());
    assert_eq!(loaded.left_out.len(), 3, "{:?}", loaded.left_out);
    assert_eq!(loaded.catalogue.specs().count(), NAMES.len());
    let error: ReadError = check("\0", Path::new("x"), |_| None).expect_err("no TOML");
    assert!(matches!(error, ReadError::Syntax { .. }));
}

const UUID: &str = "0198c2d4-1111-4222-8333-444455556666";

#[test]
fn conversations_lie_where_their_clis_put_them() {
    let paths = |name: &str, id: &str, vars: &[(&str, &str)]| -> Vec<String> {
        let env = |name: &str| {
            let found = vars.iter().find(|(known, _)| *known == name);
            found
                .map(|(_, value)| OsString::from(value))
                .or_else(|| (name == "HOME").then(|| "/home/u".into()))
        };
        let found = conversation_paths(&spec(name), id, Path::new("/srv/my.app"), &env);
        found.iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        paths("claude", UUID, &[]),
        [
            format!("/home/u/.claude/projects/-srv-my-app/{UUID}.jsonl"),
            format!("/home/u/.claude/projects/*/{UUID}.jsonl"),
        ]
    );
    assert_eq!(
        paths("claude", UUID, &[("CLAUDE_CONFIG_DIR", "/acc/work")])[0],
        format!("/acc/work/projects/-srv-my-app/{UUID}.jsonl")
    );
    assert_eq!(
        paths("claude", UUID, &[("CLAUDE_CONFIG_DIR", "")])[0],
        format!("/home/u/.claude/projects/-srv-my-app/{UUID}.jsonl")
    );
    assert_eq!(
        paths("codex", UUID, &[("CODEX_HOME", "/c")]),
        [format!("/c/sessions/*/*/*/rollout-*-{UUID}.jsonl")]
    );
    assert_eq!(
        paths("gemini", UUID, &[]),
        ["/home/u/.gemini/tmp/*/chats/session-*-0198c2d4.jsonl"]
    );
    assert_eq!(
        paths("gemini", UUID, &[("GEMINI_CLI_HOME", "/g")]),
        ["/g/.gemini/tmp/*/chats/session-*-0198c2d4.jsonl"]
    );
    assert_eq!(
        paths("qwen", UUID, &[])[0],
        format!("/home/u/.qwen/projects/-srv-my.app/chats/{UUID}.jsonl")
    );
    assert_eq!(
        paths("kimi", &format!("session_{UUID}"), &[]),
        [format!("/home/u/.kimi-code/sessions/*/session_{UUID}")]
    );
    assert_eq!(
        paths("copilot", UUID, &[]),
        [format!("/home/u/.copilot/session-state/{UUID}")]
    );
    assert_eq!(
        paths("droid", UUID, &[])[0],
        format!("/home/u/.factory/sessions/-srv-my.app/{UUID}.jsonl")
    );
    assert_eq!(
        paths("grok", UUID, &[])[0],
        format!("/home/u/.grok/sessions/%2Fsrv%2Fmy.app/{UUID}")
    );
    for name in ["opencode", "hermes", "goose", "amp", "cursor"] {
        assert!(paths(name, UUID, &[]).is_empty(), "{name}");
    }
    for id in [
        "../../etc/passwd",
        "",
        "x/y",
        "-x",
        UUID.trim_end_matches('6'),
    ] {
        assert!(paths("claude", id, &[]).is_empty(), "{id}");
    }
    let oc = home(&spec("opencode"), &|name| {
        (name == "XDG_DATA_HOME").then(|| "/d".into())
    });
    assert_eq!(oc, Some(PathBuf::from("/d/opencode")));
    assert_eq!(home(&spec("opencode"), &|_| None), None, "no home is known");
    assert_eq!(spec("opencode").conversations.store, Store::Database);
}

#[test]
fn a_look_up_finds_what_is_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let day = folder.path().join("sessions/2026/11/30");
    std::fs::create_dir_all(&day).expect("made");
    let mine = day.join(format!("rollout-2026-11-30T10-00-00-{UUID}.jsonl"));
    std::fs::write(&mine, "{}").expect("written");
    std::fs::write(day.join("rollout-2026-11-30T10-00-00-other.jsonl"), "{}").expect("written");
    let root = folder.path().as_os_str().to_owned();
    let env = move |name: &str| (name == "CODEX_HOME").then(|| root.clone());
    let patterns = conversation_paths(&spec("codex"), UUID, Path::new("/x"), &env);
    assert_eq!(look_up(&patterns[0]), [mine]);
    let gone = conversation_paths(
        &spec("codex"),
        &UUID.replace('6', "7"),
        Path::new("/x"),
        &env,
    );
    assert!(look_up(&gone[0]).is_empty());
}

/// Gemini CLI 0.61.0 deletes a resumed chat; kimi-cli 1.52.0 is a stub that runs an installer.
#[test]
fn versions_have_their_rules() {
    let why = |name: &str, version: Option<&str>| {
        let version = version.and_then(Version::find);
        spec(name)
            .rule(version.as_ref())
            .map(|rule| rule.why.clone())
    };
    assert!(why("gemini", Some("0.61.0")).is_some_and(|why| why.contains("deletes")));
    assert!(why("gemini", None).is_some());
    assert!(why("gemini", Some("0.64.0")).is_none());
    assert!(why("kimi", Some("1.52.0")).is_some_and(|why| why.contains("installer")));
    assert!(why("kimi", None).is_some());
    assert!(why("kimi", Some("2.1.0")).is_none());
    assert!(why("claude", None).is_none());
}
