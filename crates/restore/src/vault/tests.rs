//! The vault on real files: transcripts that grow, are cut, replaced, deleted; crashes in between.

use super::*;
use crate::record::{AgentRecord, Conversation, How, PaneRecord};
use agents::Catalogue;
use std::ffi::OsString;
use std::fs;

const ID: &str = "11111111-2222-4333-8444-555555555555";
const USER: &[u8] = b"{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"hello\"}}\n";

struct World {
    home: tempfile::TempDir,
    catalogue: Catalogue,
    vault: Vault,
}

impl World {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let vault = Vault::at(&home.path().join("state"));
        fs::create_dir_all(home.path().join("state")).unwrap();
        Self {
            home,
            catalogue: Catalogue::built_in(),
            vault,
        }
    }

    fn transcript(&self) -> PathBuf {
        let folder = self.home.path().join(".claude/projects/-src");
        fs::create_dir_all(&folder).unwrap();
        folder.join(format!("{ID}.jsonl"))
    }

    fn tend(&mut self, panes: &[PaneRecord], now: u64) -> Tended {
        let home = self.home.path().as_os_str().to_owned();
        let env = |name: &str| -> Option<OsString> { (name == "HOME").then(|| home.clone()) };
        self.vault.tend(panes, &self.catalogue, &env, now)
    }

    fn spec(&self, cli: &str) -> agents::Spec {
        self.catalogue.get(cli).unwrap().clone()
    }

    /// What the copies hold: former ones last.
    fn kept(&self) -> Vec<Vec<u8>> {
        let mut copies = self.vault.copies();
        copies.sort_by_key(|it| it.entry.former);
        copies
            .iter()
            .map(|it| self.vault.read(it).unwrap())
            .collect()
    }
}

fn pane(cli: &str, id: &str) -> PaneRecord {
    PaneRecord {
        id: 7,
        agent: Some(AgentRecord {
            cli: cli.to_owned(),
            cwd: "/src".into(),
            ..AgentRecord::default()
        }),
        conversation: Some(Conversation {
            id: id.to_owned(),
            how: How::Live,
            at: 0,
            transcript: None,
            permission: None,
            asked: None,
            rest: serde_json::Map::new(),
        }),
        ..PaneRecord::default()
    }
}

/// Claude Code removes transcripts after 30 days; a resume then says "No conversation found"
/// (claude-code#4172).
#[test]
fn a_deleted_transcript_is_put_back_byte_for_byte() {
    let mut world = World::new();
    let path = world.transcript();
    let mut text = USER.to_vec();
    text.extend((0..200_000).map(|n| (n % 255) as u8)); // no whole line, no UTF-8
    fs::write(&path, &text[..70_000]).unwrap();
    let panes = [pane("claude", ID)];
    assert_eq!(world.tend(&panes, 10).copied, 70_000);
    fs::write(&path, &text).unwrap(); // the same file, longer
    assert_eq!(world.tend(&panes, 20).copied, text.len() as u64 - 70_000);
    assert_eq!(world.tend(&panes, 30), Tended::default());
    let spec = world.spec("claude");
    assert!(world.vault.is_verified(&spec, ID));
    fs::remove_dir_all(path.parent().unwrap()).unwrap();
    assert_eq!(world.tend(&panes, 40), Tended::default());
    assert!(world.vault.is_verified(&spec, ID));
    let back = world.vault.put_back(&spec, ID).unwrap();
    assert_eq!((back.put, back.there), (vec![path.clone()], vec![]));
    assert_eq!(fs::read(&path).unwrap(), text);
    let mode = sys::files::mode(&fs::metadata(&path).unwrap());
    assert_eq!(mode, 0o600);
    // One that is there is never written, whatever it holds.
    fs::write(&path, b"mine").unwrap();
    let back = world.vault.put_back(&spec, ID).unwrap();
    assert_eq!((back.put, back.there), (vec![], vec![path.clone()]));
    assert_eq!(fs::read(&path).unwrap(), b"mine");
    assert!(world.vault.put_back(&spec, "another").is_err());
}

#[test]
fn cut_and_replaced_transcripts_leave_the_former_copy() {
    let mut world = World::new();
    let path = world.transcript();
    let panes = [pane("claude", ID)];
    let long = [USER, b"one two three\n"].concat();
    fs::write(&path, &long).unwrap();
    world.tend(&panes, 1);
    // Cut, then other bytes of the same length in the same file, then a file put in its place.
    fs::write(&path, USER).unwrap();
    world.tend(&panes, 2);
    assert_eq!(world.kept(), [USER.to_vec(), long.clone()]);
    let other = vec![b'x'; USER.len()];
    fs::write(&path, &other).unwrap();
    let later = std::time::SystemTime::now() + Duration::from_secs(60);
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(later)
        .unwrap();
    world.tend(&panes, 3);
    // The former one holds more than what was put aside now, so it stays.
    assert_eq!(world.kept(), [other.clone(), long.clone()]);
    let new = path.with_extension("new");
    fs::write(&new, [other.as_slice(), b"more\n"].concat()).unwrap();
    fs::rename(&new, &path).unwrap();
    let tended = world.tend(&panes, 4);
    assert_eq!(tended.copied, 5); // its beginning is what was copied
    assert_eq!(world.kept()[1], long);
    // Nothing worth having lies there any more: the former one comes back.
    fs::remove_file(&path).unwrap();
    let spec = world.spec("claude");
    world.vault.put_back(&spec, ID).unwrap();
    assert_eq!(fs::read(&path).unwrap(), long);
}

#[test]
fn what_is_private_unknown_or_no_file_of_its_own_has_no_copy() {
    let mut world = World::new();
    fs::write(world.transcript(), USER).unwrap();
    let mut private = pane("claude", ID);
    private.private = true;
    let mut unproved = pane("claude", ID);
    unproved.conversation = None;
    let panes = [
        private,
        unproved,
        pane("opencode", "ses_1"),
        pane("nobody", ID),
        pane("claude", "../../../etc/passwd"),
    ];
    assert_eq!(world.tend(&panes, 1), Tended::default());
    assert!(!world.vault.root.exists());
}

/// Gemini CLI leaves a stub beside the real chat, and deletes both because of it (gemini-cli 0.61.0).
#[test]
fn of_a_chat_and_its_stub_both_are_copied_and_the_chat_alone_counts() {
    let mut world = World::new();
    let folder = world.home.path().join(".gemini/tmp/src/chats");
    fs::create_dir_all(&folder).unwrap();
    let id8 = &ID[..8];
    let head = format!("{{\"sessionId\":\"{ID}\"}}\n");
    let chat = folder.join(format!("session-2026-01-01T10-00-{id8}.jsonl"));
    let stub = folder.join(format!("session-2026-01-01T10-05-{id8}.jsonl"));
    let other = folder.join(format!("session-2026-01-01T10-09-{id8}.jsonl"));
    let said =
        format!("{head}{{\"id\":\"1\",\"type\":\"user\",\"content\":[{{\"text\":\"hi\"}}]}}\n");
    fs::write(&chat, &said).unwrap();
    fs::write(
        &stub,
        format!("{head}{{\"$set\":{{\"messages\":[{{\"type\":\"user\"}}]}}}}\n"),
    )
    .unwrap();
    fs::write(&other, "{\"sessionId\":\"11111111-another\"}\n").unwrap();
    world.tend(&[pane("gemini", ID)], 1);
    let mut paths: Vec<_> = world.vault.copies();
    paths.sort_by(|a, b| a.entry.path.cmp(&b.entry.path));
    let paths: Vec<_> = paths.iter().map(|it| it.entry.path.as_path()).collect();
    assert_eq!(paths, [chat.as_path(), stub.as_path()]);
    let spec = world.spec("gemini");
    assert!(world.vault.is_verified(&spec, ID));
    fs::remove_file(&chat).unwrap();
    fs::remove_file(&stub).unwrap();
    let back = world.vault.put_back(&spec, ID).unwrap();
    assert_eq!(back.put, std::slice::from_ref(&chat));
    assert_eq!(fs::read(&chat).unwrap(), said.as_bytes());
    // What grew since is not in the copy yet.
    fs::write(&chat, format!("{said}more\n")).unwrap();
    assert!(!world.vault.is_verified(&spec, ID));
}

#[test]
fn a_crash_between_bytes_and_entry_costs_nothing() {
    let mut world = World::new();
    let path = world.transcript();
    let panes = [pane("claude", ID)];
    fs::write(&path, USER).unwrap();
    world.tend(&panes, 1);
    let copy = world.vault.copies().remove(0);
    // Bytes were added, the entry was not written.
    let mut more = USER.to_vec();
    more.extend_from_slice(b"half a li");
    fs::write(&copy.bytes, &more).unwrap();
    assert_eq!(world.vault.read(&copy).unwrap(), USER);
    let whole = [USER, USER].concat();
    fs::write(&path, &whole).unwrap();
    world.tend(&panes, 2);
    assert_eq!(world.kept(), std::slice::from_ref(&whole));
    // A copy whose bytes are wrong is never given out, and is begun over.
    fs::write(&copy.bytes, vec![0; whole.len()]).unwrap();
    let spec = world.spec("claude");
    assert!(!world.vault.is_verified(&spec, ID));
    fs::write(&path, [whole.as_slice(), b"x\n"].concat()).unwrap();
    world.tend(&panes, 3);
    assert_eq!(world.kept(), [[whole.as_slice(), b"x\n"].concat()]);
    // Bytes without an entry are swept, a newer build's entry is left alone.
    fs::write(world.vault.root.join("stray.copy"), "x").unwrap();
    fs::write(&copy.record, r#"{"version":2}"#).unwrap();
    world.vault.prune(&panes, 4).unwrap();
    assert!(!world.vault.root.join("stray.copy").exists());
    world.vault.hints.clear();
    assert_eq!(world.tend(&panes, 5), Tended::default());
    assert_eq!(fs::read(&copy.record).unwrap(), br#"{"version":2}"#);
}

#[test]
fn copies_go_after_their_time_and_for_room() {
    let mut world = World::new();
    let path = world.transcript();
    fs::write(&path, USER).unwrap();
    let panes = [pane("claude", ID)];
    world.tend(&panes, 1);
    world.vault.prune(&panes, 2).unwrap();
    assert_eq!(world.vault.copies()[0].entry.closed, None);
    world.vault.prune(&[], 3).unwrap();
    assert_eq!(world.vault.copies()[0].entry.closed, Some(3));
    world.vault.prune(&[], 2 + KEEP_SECONDS).unwrap();
    assert_eq!(world.vault.copies().len(), 1);
    let gone = world.vault.prune(&[], 3 + KEEP_SECONDS).unwrap();
    assert_eq!((gone.removed, world.vault.copies().len()), (1, 0));
    // Room: open conversations stay, and that there is none is said once.
    world.vault.max_total = USER.len() as u64;
    world.vault.hints.clear();
    world.tend(&panes, 4);
    fs::write(&path, [USER, USER].concat()).unwrap();
    let full = world.tend(&panes, 5);
    assert_eq!((full.copied, full.lines.len()), (0, 1));
    assert_eq!(world.kept(), [USER.to_vec()]);
    fs::write(&path, [USER, USER, USER].concat()).unwrap();
    assert_eq!(world.tend(&panes, 6).lines.len(), 0);
    assert_eq!(world.vault.remove(|it| it.pane == 7).unwrap(), 1);
    assert_eq!(world.vault.copies(), []);
}

#[test]
fn a_long_transcript_is_copied_in_steps() {
    let mut world = World::new();
    world.vault.max_step = 10;
    let path = world.transcript();
    fs::write(&path, USER).unwrap();
    let panes = [pane("claude", ID)];
    assert!(world.tend(&panes, 1).more);
    let mut rounds = 1;
    while world.tend(&panes, 1 + rounds).more {
        rounds += 1;
    }
    assert_eq!(rounds as usize, USER.len().div_ceil(10) - 1);
    assert_eq!(world.kept(), [USER.to_vec()]);
}

/// Copilot, Kimi and Grok keep a folder for each conversation.
#[test]
fn a_deleted_folder_is_put_back_byte_for_byte() {
    let mut world = World::new();
    let folder = world.home.path().join(".copilot/session-state").join(ID);
    let put = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    };
    put("events.jsonl", b"one\n");
    put("workspace.yaml", b"id: 1\n");
    put("checkpoints/index.md", b"# none\n");
    put("inuse.23.lock", b"23\n");
    let panes = [pane("copilot", ID)];
    assert_eq!(world.tend(&panes, 1).copied, 4 + 6 + 7);
    // The transcript grows, a small file is written anew, another appears: seen at the next look.
    put("events.jsonl", b"one\ntwo\n");
    put("workspace.yaml", b"id: 2\n");
    put("checkpoints/001.md", b"first\n");
    world.tend(&panes, 2);
    assert_eq!(world.tend(&panes, 3), Tended::default());
    let spec = world.spec("copilot");
    assert!(world.vault.is_verified(&spec, ID));
    fs::remove_dir_all(&folder).unwrap();
    world.tend(&panes, 4);
    assert!(world.vault.is_verified(&spec, ID));
    let back = world.vault.put_back(&spec, ID).unwrap();
    assert_eq!((back.put.len(), back.there.len()), (4, 0));
    let check = |name: &str, want: &[u8]| assert_eq!(fs::read(folder.join(name)).unwrap(), want);
    check("events.jsonl", b"one\ntwo\n");
    check("workspace.yaml", b"id: 2\n");
    check("checkpoints/index.md", b"# none\n");
    check("checkpoints/001.md", b"first\n");
    assert!(
        !folder.join("inuse.23.lock").exists(),
        "a lock is nobody's transcript"
    );
    let mode = |path: &Path| sys::files::mode(&fs::metadata(path).unwrap()) & 0o777;
    assert_eq!(
        (mode(&folder), mode(&folder.join("events.jsonl"))),
        (0o700, 0o600)
    );
    // What is there is never written.
    put("events.jsonl", b"mine\n");
    let back = world.vault.put_back(&spec, ID).unwrap();
    assert_eq!((back.put.len(), back.there.len()), (0, 4));
    check("events.jsonl", b"mine\n");
}

#[test]
fn a_folder_with_too_much_in_it_is_not_copied_in_part() {
    let mut world = World::new();
    let id = format!("session_{ID}");
    let folder = world
        .home
        .path()
        .join(".kimi-code/sessions/wd_src")
        .join(&id);
    fs::create_dir_all(&folder).unwrap();
    for n in 0..=agents::transcript::MAX_PARTS {
        fs::write(folder.join(n.to_string()), "x").unwrap();
    }
    let said = world.tend(&[pane("kimi", &id)], 1);
    assert_eq!((said.copied, said.lines.len()), (0, 1));
    assert!(said.lines[0].contains("more than 256 files"), "{said:?}");
    assert_eq!(world.tend(&[pane("kimi", &id)], 2), Tended::default());
    fs::remove_file(folder.join("0")).unwrap();
    let tended = world.tend(&[pane("kimi", &id)], 3);
    assert_eq!(tended.copied, agents::transcript::MAX_PARTS as u64);
}

/// A copy that did not reach the end of its transcript is no conversation to go on with.
#[test]
fn half_a_copy_does_not_count_as_whole() {
    let mut world = World::new();
    world.vault.max_step = 10;
    let path = world.transcript();
    fs::write(&path, USER).unwrap();
    assert!(world.tend(&[pane("claude", ID)], 1).more);
    fs::remove_file(&path).unwrap();
    let spec = world.spec("claude");
    assert!(!world.vault.is_verified(&spec, ID));
}
