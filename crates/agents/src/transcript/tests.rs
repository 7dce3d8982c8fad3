//! Transcripts as the CLIs write them, and damaged ones.

use super::*;
use crate::Catalogue;

fn spec(name: &str) -> Spec {
    Catalogue::built_in().get(name).cloned().expect("a spec")
}

/// A file with these lines.
struct File(tempfile::TempDir);

impl File {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("t.jsonl"), text).expect("written");
        Self(folder)
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("t.jsonl")
    }
}

const META: &str =
    r#"{"type":"user","isMeta":true,"message":{"role":"user","content":"Caveat: .."}}"#;
const COMMAND: &str =
    r#"{"type":"user","message":{"role":"user","content":"<command-name>/clear</command-name>"}}"#;
const FIRST: &str = r#"{"type":"user","permissionMode":"default","message":{"role":"user","content":"\n  Fix the parser  \nplease"}}"#;
const ANSWER: &str = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"\"permissionMode\":\"bypassPermissions\" and [Request interrupted by user]"}]}}"#;
const RESULT: &str =
    r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"x"}]}}"#;
const PLAN: &str = r#"{"type":"user","permissionMode":"plan","message":{"role":"user","content":[{"type":"text","text":"and then"}]}}"#;
const STOP: &str = r#"{"type":"user","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user]"}]}}"#;
const QUOTES: &str = r#"{"type":"user","message":{"role":"user","content":"what does [Request interrupted by user] mean"}}"#;

#[track_caller]
fn claude(lines: &[&str], turn: bool, first: Option<&str>, mode: Option<&str>, stopped: bool) {
    let file = File::new(
        &lines
            .iter()
            .map(|line| format!("{line}\n"))
            .collect::<String>(),
    );
    let (spec, path) = (spec("claude"), file.path());
    assert_eq!(has_user_turn(&spec, &path), Some(turn));
    assert_eq!(first_line(&spec, &path).as_deref(), first);
    assert_eq!(last_mode(&spec, &path).as_deref(), mode);
    assert_eq!(was_stopped(&spec, &path), Some(stopped));
}

#[test]
fn claudes() {
    let first = Some("Fix the parser");
    claude(&[], false, None, None, false);
    claude(&[META, RESULT], false, None, None, false);
    claude(&[META, COMMAND, FIRST], true, first, Some("default"), false);
    claude(
        &[FIRST, ANSWER, RESULT, PLAN, ANSWER],
        true,
        first,
        Some("plan"),
        false,
    );
    claude(&[FIRST, ANSWER, STOP], true, first, Some("default"), true);
    claude(&[FIRST, STOP, PLAN], true, first, Some("plan"), false);
    claude(&[FIRST, QUOTES], true, first, Some("default"), false);
    claude(&[STOP], false, None, None, true);
    claude(
        &["not json", "{\"type\":\"user\"", FIRST],
        true,
        first,
        Some("default"),
        false,
    );
}

#[test]
fn codexs() {
    let spec = spec("codex");
    let meta = r#"{"type":"session_meta","payload":{"id":"x","cwd":"/w","source":"cli"}}"#;
    let inner = r#"{"type":"session_meta","payload":{"id":"x","source":{"subagent":"review"}}}"#;
    let said = r#"{"type":"event_msg","payload":{"type":"user_message","message":"Hello"}}"#;
    let file = File::new(&format!("{meta}\n{said}\n"));
    assert_eq!(has_user_turn(&spec, &file.path()), Some(true));
    assert_eq!(first_line(&spec, &file.path()).as_deref(), Some("Hello"));
    assert!(!is_inner(&spec, &file.path()));
    assert_eq!(was_stopped(&spec, &file.path()), None);
    // 0.171.0 wraps each item.
    let wrapped = r#"{"type":"event_msg","payload":{"type":"item_completed","thread_id":"x","item":{"type":"UserMessage","id":"y","content":[{"type":"text","text":"Hi there","text_elements":[]}]}}}"#;
    let answer = r#"{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"AgentMessage","content":[{"type":"Text","text":"x"}]}}}"#;
    let file = File::new(&format!("{meta}\n{wrapped}\n"));
    assert_eq!(has_user_turn(&spec, &file.path()), Some(true));
    assert_eq!(first_line(&spec, &file.path()).as_deref(), Some("Hi there"));
    let file = File::new(&format!("{meta}\n{answer}\n"));
    assert_eq!(has_user_turn(&spec, &file.path()), Some(false));
    let file = File::new(&format!("{inner}\n{said}\n"));
    assert!(is_inner(&spec, &file.path()));
    let file = File::new(&format!("{meta}\n"));
    assert_eq!(has_user_turn(&spec, &file.path()), Some(false));
}

#[test]
fn what_is_cut_or_huge_is_read_as_far_as_it_goes() {
    let spec = spec("claude");
    // The last line is being written.
    let file = File::new(&format!("{META}\n{}", &FIRST[..40]));
    assert_eq!(has_user_turn(&spec, &file.path()), Some(false));
    // A line of many megabytes in front.
    let huge = format!("{{\"x\":\"{}\"}}", "y".repeat(3 * 1024 * 1024));
    let file = File::new(&format!("{huge}\n{FIRST}\n{huge}\n"));
    assert_eq!(has_user_turn(&spec, &file.path()), Some(true));
    assert_eq!(
        last_mode(&spec, &file.path()),
        None,
        "beyond the end that is read"
    );
    let long = format!(
        "{{\"type\":\"user\",\"message\":{{\"content\":\"{}\"}}}}\n",
        "z".repeat(500)
    );
    let title = first_line(&spec, &File::new(&long).path()).expect("a title");
    assert_eq!((title.chars().count(), title.ends_with('…')), (TITLE, true));
    let gone = Path::new("/nonexistent/t.jsonl");
    assert_eq!(
        (has_user_turn(&spec, gone), was_stopped(&spec, gone)),
        (None, None)
    );
    assert!(!exists(gone) && !exists(&File::new("").path()) && exists(&File::new("x").path()));
}

#[test]
fn conversations_of_a_folder_are_listed_newest_first() {
    let home = tempfile::tempdir().expect("a folder");
    let env = |name: &str| (name == "HOME").then(|| home.path().as_os_str().to_owned());
    let put = |path: &str, text: &str, age: u64| {
        let path = home.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(&path, text).expect("written");
        let then = std::time::SystemTime::now() - std::time::Duration::from_secs(age);
        let file = std::fs::File::options()
            .append(true)
            .open(&path)
            .expect("open");
        file.set_modified(then).expect("set");
    };
    let id = |n: u32| format!("0000000{n}-81c0-7800-8aa1-bbab2a035a53");
    let folder = Path::new("/w/my.app");
    let first = format!("{FIRST}\n");
    put(
        &format!(".claude/projects/-w-my-app/{}.jsonl", id(1)),
        &first,
        300,
    );
    put(
        &format!(".claude/projects/-w-my-app/{}.jsonl", id(2)),
        &first,
        100,
    );
    put(
        &format!(".claude/projects/-w-my-app/{}.jsonl", id(3)),
        META,
        50,
    );
    put(".claude/projects/-w-my-app/notes.jsonl", &first, 10);
    put(
        &format!(".claude/projects/-w-other/{}.jsonl", id(4)),
        &first,
        10,
    );
    let list = |name: &str, most| -> Vec<String> {
        let found = recent(&spec(name), folder, &env, most);
        found
            .into_iter()
            .map(|it| format!("{} {}", &it.id[..8], it.first_line.unwrap_or_default()))
            .collect()
    };
    assert_eq!(
        list("claude", 9),
        ["00000002 Fix the parser", "00000001 Fix the parser"]
    );
    assert_eq!(list("claude", 1), ["00000002 Fix the parser"]);
    for (n, cwd) in [(5, "/w/my.app"), (6, "/w/other"), (7, "/w/my.app")] {
        let text = format!(
            "{{\"payload\":{{\"cwd\":\"{cwd}\"}}}}\n{{\"type\":\"user_message\",\"payload\":{{\"message\":\"Hi {n}\"}}}}\n"
        );
        let path = format!(
            ".codex/sessions/2026/10/0{n}/rollout-2026-10-0{n}T10-00-00-{}.jsonl",
            id(n)
        );
        put(&path, &text, 1000 - u64::from(n));
    }
    assert_eq!(list("codex", 9), ["00000007 Hi 7", "00000005 Hi 5"]);
    assert_eq!(list("opencode", 9), [""; 0]);
    let found = find(&spec("claude"), &id(4), folder, &env).expect("in the other folder");
    assert!(found.to_string_lossy().contains("-w-other"));
    assert_eq!(find(&spec("claude"), &id(9), folder, &env), None);
}
