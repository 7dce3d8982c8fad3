//! Which conversation a running process has, with real processes: stand-ins that do on command what
//! the CLIs do by themselves (facts of docs/agents.md).

#![cfg(test)]
#![cfg(target_os = "linux")]

mod stand_in;

use agents::live::{self, Found, How, Learnt, Running, Table, Unproven};
use agents::{Catalogue, Spec, helpers};
use stand_in::{Place, StandIn};
use std::sync::LazyLock;

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(Catalogue::built_in);

/// The pane's agent, where the pane's program is `root` and `front` leads the foreground group.
fn look(root: &StandIn, front: &StandIn) -> Found {
    live::agent_of(
        &CATALOGUE,
        &Table::read(),
        root.identity(),
        front.identity().pid,
    )
}

#[track_caller]
fn running(root: &StandIn, front: &StandIn) -> Running {
    match look(root, front) {
        Found::Agent(running) => *running,
        other => panic!("no agent: {other:?}"),
    }
}

fn spec(running: &Running) -> &'static Spec {
    CATALOGUE.get(&running.cli).expect("a spec")
}

fn learn(running: &Running, before: Option<&Learnt>) -> Result<Learnt, Unproven> {
    let table = Table::read();
    let env = |name: &str| running.env.get(name);
    let shared = helpers::find(spec(running), &table, &env);
    live::conversation(spec(running), running, before, shared.first())
}

#[track_caller]
fn check(running: &Running, before: Option<&Learnt>, id: &str, how: How) -> Learnt {
    let learnt = learn(running, before).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!((learnt.id.as_str(), learnt.how), (id, how));
    learnt
}

#[test]
fn the_live_file_is_followed() {
    let place = Place::new();
    let [a, b, c, _] = place.ids();
    let mut claude = place.start("claude", &["--session-id", &a]);
    let agent = running(&claude, &claude);
    assert_eq!((agent.cli.as_str(), agent.typed), ("claude", false));
    // Before the file is there, the id it was given at launch is the proof.
    let given = check(&agent, None, &a, How::Assigned);
    claude.tell(&format!("live {a} busy"));
    let first = check(&agent, Some(&given), &a, How::Live);
    assert_eq!(first.status.as_deref(), Some("busy"));
    claude.tell(&format!("live {b} waiting 'permission prompt'"));
    let second = check(&agent, Some(&first), &b, How::Live);
    assert_eq!(second.why.as_deref(), Some("permission prompt"));
    // Half written: nothing is known now, and nothing that was known is lost.
    claude.tell("printf '{\"pid\":' > $file");
    let half = learn(&agent, Some(&second)).expect_err("half a file");
    assert!(
        matches!(half, Unproven::Unreadable(_)) && !half.refutes(),
        "{half}"
    );
    // Gone (an update of the CLI that keeps none): what was proved last holds, not the launch's.
    claude.tell("rm $file");
    check(&agent, Some(&second), &b, How::Live);
    claude.tell(&format!("live {c}"));
    check(&agent, Some(&second), &c, How::Live);
}

#[test]
fn a_file_that_is_not_this_processs_proves_nothing() {
    let place = Place::new();
    let [a, _, _, _] = place.ids();
    let mut claude = place.start("claude", &[]);
    let agent = running(&claude, &claude);
    let none = |what: &str| {
        let why = learn(&agent, None).expect_err(what).to_string();
        assert!(
            why.starts_with("unknown conversation: none of its proofs"),
            "{what}: {why}"
        );
    };
    none("no file at all");
    // Left by kill -9, and the pid was given out again.
    claude.tell(&format!("live {a}; sed -i 's/\"procStart\":\"/&9/' $file"));
    none("another start");
    claude.tell(&format!("live {a}; sed -i 's/\"pid\":/&1/' $file"));
    none("another pid");
    claude.tell(&format!(
        "live {a}; sed -i '/procStart/s/\"procStart\":\"[0-9]*\",//' $file"
    ));
    none("no start");
    claude.tell(&format!("live {a}; mv $file $file.x; ln -s $file.x $file"));
    assert!(learn(&agent, None).is_err(), "a link");
    claude.tell("rm $file");
    claude.tell("live ../../x");
    assert!(learn(&agent, None).is_err(), "no id");
    claude.tell(&format!("live {a}"));
    check(&agent, None, &a, How::Live);
    if sys::process::user(sys::process::Identity::me().pid) == Some(0) {
        claude.tell("chown 12345 $file");
        let why = learn(&agent, None).expect_err("another user's").to_string();
        assert!(why.contains("belongs to another user"), "{why}");
    }
}

/// Two of one CLI in one folder stole each other's conversation where the newest file was taken for
/// proof (agent-of-empires#3300, cmux#7934).
#[test]
fn two_in_one_folder_are_not_mixed() {
    let place = Place::new();
    let [a, b, c, _] = place.ids();
    let (mut one, mut two) = (place.start("claude", &[]), place.start("claude", &[]));
    one.tell(&format!("live {a}"));
    two.tell(&format!("live {b}"));
    let (first, second) = (running(&one, &one), running(&two, &two));
    check(&first, None, &a, How::Live);
    check(&second, None, &b, How::Live);
    one.tell(&format!("live {c}"));
    check(&second, None, &b, How::Live);
    check(&first, None, &c, How::Live);
}

#[test]
fn an_agent_typed_into_a_shell_counts_and_its_jobs_do_not() {
    let place = Place::new();
    let [a, b, _, _] = place.ids();
    let mut shell = place.start("shell", &[]);
    assert!(matches!(look(&shell, &shell), Found::Nothing));
    let mut claude = shell.start_job("claude", &["--model", "opus"]);
    let agent = running(&shell, &claude);
    assert_eq!((agent.typed, agent.process), (true, claude.identity()));
    assert!(
        agent
            .line
            .argv
            .ends_with(&["--model".into(), "opus".into()])
    );
    assert_eq!(agent.folder.as_deref(), Some(place.folder()));
    claude.tell(&format!("live {a}"));
    check(&agent, None, &a, How::Live);
    // In the background: the shell is in front.
    assert!(matches!(look(&shell, &shell), Found::Nothing));
    // A second one in front, the first stays a job.
    let mut other = shell.start_job("claude", &[]);
    other.tell(&format!("live {b}"));
    check(&running(&shell, &other), None, &b, How::Live);
    check(&running(&shell, &claude), None, &a, How::Live);
}

/// What stands around a program that came back is no agent, though abide has a runner that is one: the
/// agent below it is the pane's.
#[test]
fn what_stands_around_an_agent_that_came_back_is_skipped() {
    let place = Place::new();
    let [a, ..] = place.ids();
    let words = ["__pane", "--then", "/bin/sh", "--watch", "10", "--"];
    let mut around = place.start("abide", &[&words[..], &["claude", "--resume", &a]].concat());
    // Its agent is not there yet.
    assert!(matches!(look(&around, &around), Found::Nothing));
    let mut claude = around.start_below("claude", &["--resume", &a], "");
    let agent = running(&around, &around);
    assert_eq!(
        (agent.cli.as_str(), agent.process, agent.typed),
        ("claude", claude.identity(), true)
    );
    check(&agent, None, &a, How::Resumed);
    claude.tell(&format!("live {a}"));
    check(&agent, None, &a, How::Live);
    // Any other command of abide's is no conversation.
    let other = place.start("abide", &["restore"]);
    let found = look(&other, &other);
    assert!(
        matches!(found, Found::Headless { .. } | Found::Nothing),
        "{found:?}"
    );
}

/// What an agent starts is not the pane's agent (claude-squad and others record a tool's session).
#[test]
fn nested_agents_never_count() {
    let place = Place::new();
    let [a, b, c, _] = place.ids();
    let mut claude = place.start("claude", &[]);
    // Its own file is not there yet, the nested ones' are.
    let mut nested = [
        claude.start_below("claude", &[], "setsid env CLAUDECODE=1"),
        claude.start_below("claude", &[], "env CLAUDECODE=1"),
        claude.start_below("claude", &["-p", "hello"], ""),
        claude.start_below("codex", &[], ""),
    ];
    for it in &mut nested[..3] {
        it.tell(&format!("live {b}"));
    }
    let agent = running(&claude, &claude);
    assert_eq!(agent.own, [claude.identity()]);
    learn(&agent, None).expect_err("only nested ones have a file");
    claude.tell(&format!("live {a}"));
    check(&agent, None, &a, How::Live);
    // And a launcher's own child is the agent itself.
    let mut launcher = place.start("qwen", &[]);
    let mut middle = launcher.start_below("qwen", &[], "");
    let mut inner = middle.start_below("qwen", &[], "");
    inner.tell(&format!("live {c}"));
    let agent = running(&launcher, &launcher);
    assert_eq!(agent.own.len(), 3);
    let learnt = check(&agent, None, &c, How::Live);
    assert_eq!(learnt.process, inner.identity());
}

#[test]
fn runs_without_a_person_are_told_apart() {
    let place = Place::new();
    let one = place.start("claude", &["-p", "hello"]);
    assert!(matches!(look(&one, &one), Found::Headless { cli, .. } if cli == "claude"));
    let two = place.start("docker", &["exec", "-it", "box", "claude"]);
    assert!(
        matches!(look(&two, &two), Found::Inside { cli, what, .. } if cli == "claude" && what == "docker")
    );
}

#[test]
fn a_lock_is_followed_and_must_be_the_processs_own() {
    let place = Place::new();
    let [a, b, c, d] = place.ids();
    let (mut one, mut two) = (place.start("codex", &[]), place.start("codex", &[]));
    let (first, second) = (running(&one, &one), running(&two, &two));
    learn(&first, None).expect_err("no lock yet");
    one.tell(&format!("lock {a}"));
    check(&first, None, &a, How::Lock);
    // Refused by the lock, the second has the file open all the same ("open in another app").
    two.tell(&format!("open-lock {a}"));
    learn(&second, None).expect_err("an open file is no lock");
    two.tell(&format!("lock {b}"));
    check(&second, None, &b, How::Lock);
    // /new: both stay held, the newest is shown; its transcript comes with the first message.
    one.tell(&format!("transcript {a}"));
    one.tell(&format!("lock {c}"));
    let learnt = check(&first, None, &c, How::Lock);
    assert_eq!(learnt.transcript, None);
    one.tell(&format!("transcript {c}"));
    let learnt = check(&first, None, &c, How::Lock);
    assert!(
        learnt
            .transcript
            .is_some_and(|path| path.to_string_lossy().contains(&c))
    );
    // Gone back to the former with /resume: that one is written again.
    one.tell(&format!("write {a}"));
    check(&first, None, &a, How::Lock);
    // A sub-agent's thread is held and written too.
    one.tell(&format!("lock {d}"));
    one.tell(&format!("inner-transcript {d}"));
    check(&first, None, &a, How::Lock);
}

#[test]
fn an_open_transcript_counts_only_alone() {
    let place = Place::new();
    let [a, b, c, _] = place.ids();
    let mut codex = place.start("codex", &[]);
    let agent = running(&codex, &codex);
    codex.tell(&format!("transcript {a}"));
    let learnt = check(&agent, None, &a, How::Transcript);
    codex.tell(&format!("inner-transcript {b}"));
    check(&agent, None, &a, How::Transcript);
    codex.tell(&format!("transcript {c}"));
    let why = learn(&agent, Some(&learnt)).expect_err("two of them");
    assert!(matches!(&why, Unproven::Several(ids) if ids.len() == 2) && why.refutes());
}

#[test]
fn a_shared_daemon_hides_whose_conversation_it_is() {
    let place = Place::new();
    let [a, b, _, _] = place.ids();
    let mut daemon = place.start("codex", &["app-server", "--managed-daemon"]);
    daemon.tell("daemon");
    daemon.tell(&format!("lock {a}"));
    let mut codex = place.start("codex", &["resume", &a]);
    let agent = running(&codex, &codex);
    let why = learn(&agent, None).expect_err("it lies in the daemon");
    let daemon_pid = daemon.identity().pid;
    assert!(
        matches!(&why, Unproven::Shared { pid, .. } if *pid == daemon_pid),
        "{why}"
    );
    let table = Table::read();
    let spec = spec(&agent);
    let found = helpers::find(spec, &table, &|name| agent.env.get(name));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].process, daemon.identity());
    // The daemon is who has it open.
    let holder = live::holder(&CATALOGUE, &table, spec, &a, &place.env()).expect("held");
    assert_eq!((holder.process, holder.how), (daemon.identity(), How::Lock));
    // A process of its own beside the daemon is provable.
    codex.tell(&format!("lock {b}"));
    check(&agent, None, &b, How::Lock);
    // The daemon ended, its file stayed, and its pid is another's.
    daemon.end();
    codex.tell("daemon");
    assert_eq!(
        helpers::find(spec, &Table::read(), &|name| agent.env.get(name)),
        []
    );
}

#[test]
fn a_conversation_has_one_holder() {
    let place = Place::new();
    let [a, b, c, _] = place.ids();
    let mut claude = place.start("claude", &["--resume", &a]);
    let claude_spec = CATALOGUE.get("claude").expect("a spec");
    let held = |id: &str| live::holder(&CATALOGUE, &Table::read(), claude_spec, id, &place.env());
    let by_launch = held(&a).expect("it was started with it");
    assert_eq!(
        (by_launch.process, by_launch.how),
        (claude.identity(), How::Resumed)
    );
    claude.tell(&format!("live {b}"));
    assert_eq!(held(&a), None, "it went on to another");
    assert_eq!(held(&b).map(|it| it.process), Some(claude.identity()));
    let outside = live::outside(&CATALOGUE, &Table::read());
    let found = outside
        .iter()
        .find(|it| it.running.process == claude.identity());
    let conversation = &found.expect("it runs outside").conversation;
    assert_eq!(
        conversation.as_ref().map(|it| it.id.as_str()),
        Ok(b.as_str())
    );
    // In another account the same id is another conversation.
    let elsewhere = |name: &str| (name == "HOME").then(|| "/nonexistent".into());
    let table = Table::read();
    assert_eq!(
        live::holder(&CATALOGUE, &table, claude_spec, &b, &elsewhere),
        None
    );
    claude.end();
    assert_eq!(held(&b), None, "it ended");
    let mut ours = place.start_in_pane("claude", &[]);
    ours.tell(&format!("live {c}"));
    assert_eq!(held(&c).and_then(|it| it.pane), Some("p7".to_owned()));
    let outside = live::outside(&CATALOGUE, &Table::read());
    assert!(
        outside
            .iter()
            .all(|it| it.running.process != ours.identity())
    );
}

/// Codex's stand-in: it must hold locks itself, which a shell cannot.
#[test]
fn codex_stand_in() {
    stand_in::serve_if_asked();
}
