//! Scripts: what the host and a look say, and what is to be done then.

use super::*;

mod asked;

use agents::live::How as Learned;
use protocol::msg::{
    EXITED, NoteChanged, Notice, PaneCreated, PaneEnded, PaneForeground, PaneInput, ProgramStatus,
    RUNNING, Title,
};
use restore::Intent;
use restore::record::How;

/// A core with a clock of its own.
struct Rig {
    core: Core,
    start: Instant,
    now: Now,
}

pub(super) fn facts(id: u32, argv: &[&str]) -> PaneFacts {
    PaneFacts {
        pane: id,
        pid: 100 + id,
        pid_start: 7,
        reaper: 0,
        argv: argv.iter().map(|word| word.as_bytes().to_vec()).collect(),
        cwd: b"/work".to_vec(),
        cols: 80,
        rows: 24,
        title: String::new(),
        state: RUNNING,
        raw_status: 0,
        end_note: String::new(),
        age_ms: 5_000,
        since_input_ms: None,
        since_output_ms: None,
        claimed_by: None,
        shown: false,
        foreground: 0,
        offset: 0,
        notes: Vec::new(),
    }
}

pub(super) fn agent(pid: i32, argv: &[&str], id: Option<&str>) -> Agent {
    let process = Identity { pid, start: 9 };
    Agent {
        process,
        cli: "claude".to_owned(),
        argv: argv.iter().map(OsString::from).collect(),
        reader: 0,
        folder: Some("/work".into()),
        env: Vec::new(),
        needs: Vec::new(),
        typed: true,
        inside: None,
        version: None,
        learnt: id.map(|id| Learnt {
            id: id.to_owned(),
            how: Learned::Live,
            process,
            transcript: None,
            status: None,
            why: None,
            permission: None,
            sure: None,
        }),
        unproved: "no proof".to_owned(),
        refuted: false,
        none_yet: false,
        first_line: None,
    }
}

impl Rig {
    fn new(known: Vec<PaneRecord>) -> Self {
        let start = Instant::now();
        let now = Now {
            at: start,
            unix: 1_000,
        };
        Self {
            core: Core::new(Catalogue::built_in(), known),
            start,
            now,
        }
    }

    /// A pane with a shell, listed and looked at.
    fn shell() -> Self {
        let mut rig = Self::new(Vec::new());
        rig.list(facts(1, &["bash"]));
        rig.look(None);
        rig.pass(10_000);
        rig
    }

    fn on(&mut self, event: Event) -> Vec<Action> {
        self.core.step(event, self.now)
    }

    fn list(&mut self, facts: PaneFacts) -> Vec<Action> {
        self.on(Event::Listed { panes: vec![facts] })
    }

    fn host(&mut self, message: impl Into<FromHost>) -> Vec<Action> {
        self.on(Event::Host {
            pane: 1,
            message: message.into(),
        })
    }

    fn look(&mut self, agent: Option<Agent>) -> Vec<Action> {
        let looked = Box::new(Looked {
            agent,
            ..Looked::default()
        });
        self.on(Event::Looked { pane: 1, looked })
    }

    /// Lets time pass as a driver would: tick at each deadline.
    fn pass(&mut self, ms: u64) -> Vec<Action> {
        let end = self.now.at + Duration::from_millis(ms);
        let mut all = Vec::new();
        while let Some(due) = self.core.due().filter(|due| *due <= end) {
            self.at(due.max(self.now.at));
            all.extend(self.on(Event::Tick));
        }
        self.at(end);
        all.extend(self.on(Event::Tick));
        all
    }

    fn at(&mut self, at: Instant) {
        let since = at.saturating_duration_since(self.start).as_secs();
        self.now = Now {
            at,
            unix: 1_000 + since,
        };
    }

    fn record(&self) -> &PaneRecord {
        &self.core.pane(1).expect("the pane").record
    }

    fn submit(&mut self) {
        let _asked = self.host(PaneInput {});
        let since = Some(Duration::ZERO);
        let _none = self.on(Event::Submitted { pane: 1, since });
    }

    fn status(&mut self, body: &str) -> Vec<Action> {
        let body = body.as_bytes().to_vec();
        self.host(ProgramStatus { body })
    }

    fn state(&self) -> &str {
        let state = self.record().state.as_ref();
        state.map_or("-", |it| it.state.as_str())
    }
}

/// Records among the actions.
fn written(actions: &[Action]) -> Vec<PaneRecord> {
    let edits = actions.iter().filter_map(|it| match it {
        Action::Write(edits) => Some(edits),
        _ => None,
    });
    let panes = edits.flatten().filter_map(|it| match it {
        Edit::Pane { record, .. } => Some((**record).clone()),
        Edit::Aside { .. } | Edit::Layout(_) => None,
    });
    panes.collect()
}

fn ended(raw_status: i32, since_submit_ms: Option<u64>) -> PaneEnded {
    PaneEnded {
        raw_status,
        since_submit_ms,
        killed: false,
    }
}

#[test]
fn a_new_pane_is_listed_looked_at_and_written_down() {
    let mut rig = Rig::new(Vec::new());
    assert_eq!(rig.host(PaneCreated { pid: 101 }), [Action::List]);
    let mut new = facts(1, &["bash", "-l"]);
    new.notes = vec![("workspace".to_owned(), b"w1".to_vec())];
    let actions = rig.list(new);
    assert!(actions.contains(&Action::Look(1)), "{actions:?}");
    let records = written(&actions);
    assert_eq!(records.len(), 1, "a pane that begins does not wait");
    let record = &records[0];
    assert!(record.shell && record.intent == Intent::Open);
    assert_eq!((record.created, record.size), (995, (80, 24)));
    assert_eq!(record.workspace.as_deref(), Some("w1"));
    assert_eq!(record.title, "bash -l");
}

#[test]
fn a_proven_id_is_written_at_once_and_the_rest_at_most_once_a_second() {
    let mut rig = Rig::shell();
    let actions = rig.look(Some(agent(200, &["claude"], None)));
    assert!(actions.contains(&Action::Watch {
        pane: 1,
        process: Identity { pid: 200, start: 9 }
    }));
    let actions = rig.look(Some(agent(200, &["claude"], Some("id-1"))));
    assert_eq!(
        written(&actions)[0].conversation.as_ref().map(|it| it.how),
        Some(How::Live)
    );
    let actions = rig.look(Some(agent(200, &["claude"], Some("id-2"))));
    assert_eq!(written(&actions).len(), 1, "as /clear makes it");
    let mut writes = 0;
    for n in 0..100 {
        let title = format!("spinner {n}");
        writes += written(&rig.host(Title { title })).len();
        writes += written(&rig.pass(100)).len();
    }
    assert!((8..=11).contains(&writes), "{writes} writes in ten seconds");
}

#[test]
fn a_look_that_finds_no_proof_takes_no_conversation_away() {
    let mut rig = Rig::shell();
    let _first = rig.look(Some(agent(200, &["claude"], Some("id-1"))));
    let _again = rig.look(Some(agent(200, &["claude"], None)));
    let _none = rig.look(None);
    assert_eq!(
        rig.record().conversation.as_ref().map(|it| it.id.as_str()),
        Some("id-1")
    );
    let _other = rig.look(Some(agent(300, &["claude"], None)));
    assert_eq!(
        rig.record().conversation,
        None,
        "another process, without proof"
    );
}

#[test]
fn what_is_resumed_keeps_its_record_until_it_proves_another() {
    let mut rig = Rig::shell();
    let _seen = rig.look(Some(agent(200, &["claude", "-v"], Some("id-1"))));
    let known = rig.record().clone();
    for (argv, keeps) in [
        (&["claude", "--resume", "id-1"][..], true),
        (&["claude", "-v"], true),
        (&["claude", "--resume", "id-2"], false),
    ] {
        let mut rig = Rig::new(vec![known.clone()]);
        let mut again = facts(1, argv);
        again.cwd = b"/elsewhere".to_vec();
        let _new = rig.list(again);
        assert_eq!(rig.record().argv, known.argv, "as it was made");
        let _seen = rig.look(Some(agent(300, argv, None)));
        assert_eq!(rig.record().conversation.is_some(), keeps, "{argv:?}");
    }
}

#[test]
fn ends_and_what_they_mean() {
    use Intent::{EndedByUser, Exited, Open, Provisional};
    // Status, ms since Enter, what is said before; the intent at once, and after 30 s.
    let at = 1_010;
    let by_user = EndedByUser { at };
    let provisional = |raw| Provisional {
        at,
        raw_status: Some(raw),
    };
    let exited = |raw| Exited {
        at,
        raw_status: Some(raw),
    };
    for (raw, since, before, want, later) in [
        (0, Some(500), "", by_user.clone(), by_user.clone()),
        (0x100, Some(10_000), "", by_user.clone(), by_user.clone()),
        (0, Some(10_001), "", provisional(0), exited(0)),
        (0, None, "", provisional(0), exited(0)),
        (15, Some(500), "", provisional(15), exited(15)),
        (0, Some(500), "state=working", provisional(0), exited(0)),
        (0, Some(500), "shutdown", Open, Open),
    ] {
        let mut rig = Rig::shell();
        match before {
            "" => {}
            "shutdown" => drop(rig.on(Event::Shutdown)),
            status => drop(rig.status(status)),
        }
        let actions = rig.host(ended(raw, since));
        let what = format!("{raw} {since:?} {before}");
        assert_eq!(written(&actions).len(), 1, "{what}: at once");
        assert_eq!(rig.record().intent, want, "{what}");
        let _time = rig.pass(29_999);
        assert_eq!(rig.record().intent, want, "{what}");
        let _time = rig.pass(1);
        assert_eq!(rig.record().intent, later, "{what}");
    }
}

#[test]
fn an_enter_that_began_a_turn_ends_nothing() {
    let mut rig = Rig::shell();
    rig.submit();
    let _working = rig.status("state=working:app=x");
    let _time = rig.pass(2_000);
    let _idle = rig.status("state=idle:app=x");
    let _ended = rig.host(ended(0, Some(2_500)));
    assert!(
        matches!(rig.record().intent, Intent::Provisional { .. }),
        "{:?}",
        rig.record().intent
    );
}

/// By who has the terminal of a shell that pid 101 is; `look` finds no agent.
#[test]
fn a_shell_is_idle_or_runs_a_program_and_needs_no_input() {
    for (argv, groups, want) in [
        (&["bash"][..], &[101][..], "idle"),
        (&["bash"], &[101, 300], "working"),
        (&["bash"], &[101, 300, 101], "idle"),
        (&["bash"], &[0], "-"),
        (&["vim", "x"], &[101], "-"),
        (&["bash", "-c", "make"], &[101], "-"),
        (&["bash", "-c", "make"], &[300], "-"),
    ] {
        let mut rig = Rig::new(Vec::new());
        rig.list(facts(1, argv));
        let mut last = None;
        let mut hear = |actions: &[Action]| {
            let of_state = |it: &&Action| matches!(it, Action::Note { key: "state", .. });
            if let Some(Action::Note { value, .. }) = actions.iter().rfind(of_state) {
                let note: link::notes::StateNote = link::notes::from_json(value).expect("a state");
                last = Some(note.state);
            }
        };
        for group in groups {
            hear(&rig.host(PaneForeground { group: *group }));
            rig.submit();
            let mut printed = facts(1, argv);
            (printed.offset, printed.foreground) = (u64::from(*group) + 1, *group);
            hear(&rig.list(printed));
            hear(&rig.look(None));
            hear(&rig.pass(60_000));
        }
        assert_eq!(last.as_deref().unwrap_or("-"), want, "{argv:?} {groups:?}");
        assert_eq!(rig.state(), "-", "nothing to come back to");
        // A program that has the terminal when the shell is left is no turn of it.
        let _ended = rig.host(ended(0, Some(100)));
        assert!(matches!(rig.record().intent, Intent::EndedByUser { .. }));
    }
}

/// What its shell did before is nothing of the agent's: it has ended no turn.
#[test]
fn an_agent_begins_anew() {
    let mut rig = Rig::shell();
    let _front = rig.host(PaneForeground { group: 300 });
    let _none = rig.look(None);
    let mut begun = agent(300, &["claude"], Some("id-1"));
    let learnt = begun.learnt.as_mut().expect("it is proved");
    learnt.status = Some("idle".to_owned());
    let _seen = rig.look(Some(begun));
    assert_eq!(rig.state(), "idle");
}

#[test]
fn a_typed_agent_has_an_end_of_its_own() {
    for (since, ends) in [(Some(300), true), (Some(11_000), false), (None, false)] {
        let mut rig = Rig::shell();
        let _seen = rig.look(Some(agent(200, &["claude"], Some("id-1"))));
        let gone = Event::AgentGone {
            pane: 1,
            process: Identity { pid: 200, start: 9 },
            since_submit: since.map(Duration::from_millis),
        };
        let actions = rig.on(gone);
        assert_eq!(written(&actions).len(), 1);
        let intent = |rig: &Rig| {
            rig.record()
                .agent
                .as_ref()
                .expect("it stays")
                .intent
                .clone()
        };
        assert_eq!(matches!(intent(&rig), Intent::EndedByUser { .. }), ends);
        assert_eq!(rig.record().intent, Intent::Open, "the shell's own");
        let _time = rig.pass(30_000);
        assert_eq!(matches!(intent(&rig), Intent::Exited { .. }), !ends);
        let _again = rig.look(Some(agent(300, &["claude"], Some("id-2"))));
        assert_eq!(intent(&rig), Intent::Open);
    }
}

#[test]
fn who_closes_a_pane_says_so_before() {
    for (note, want) in [
        (r#"{"ended_by_user":true}"#, "ended by user"),
        (r#"{"closed_workspace":true}"#, "workspace closed"),
        (r#"{}"#, "provisional"),
    ] {
        let mut rig = Rig::shell();
        let _noted = rig.host(NoteChanged {
            key: "intent".to_owned(),
            revision: 1,
            value: Some(note.as_bytes().to_vec()),
        });
        let _ended = rig.host(ended(1, None));
        assert_eq!(rig.record().intent.word(), want);
    }
}

#[test]
fn a_pane_that_had_ended_is_not_asked_back() {
    let mut known = PaneRecord {
        id: 1,
        ..PaneRecord::default()
    };
    known.intent = Intent::EndedByUser { at: 5 };
    let mut rig = Rig::new(vec![known]);
    let mut old = facts(1, &["bash"]);
    old.state = EXITED;
    let _listed = rig.list(old);
    let _time = rig.pass(60_000);
    assert_eq!(rig.record().intent, Intent::EndedByUser { at: 5 });
}

#[test]
fn states_and_titles_become_notes() {
    let mut rig = Rig::shell();
    let note = |actions: &[Action], key: &str| {
        let found = actions.iter().find_map(|it| match it {
            Action::Note { key: k, value, .. } if *k == key => Some(value.clone()),
            _ => None,
        });
        found.map(|it| String::from_utf8(it).expect("text"))
    };
    let actions = rig.look(Some(agent(200, &["claude"], Some("id-1"))));
    let told = note(&actions, "agent").expect("the agent's note");
    assert_eq!(
        told,
        r#"{"cli":"claude","conversation":"id-1","how":"live"}"#
    );
    let actions = rig.status("state=blocked:app=claude:kind=permission");
    assert!(
        note(&actions, "state")
            .expect("a state")
            .contains("needs_input"),
        "{actions:?}"
    );
    assert_eq!(rig.state(), "needs_input");
    let actions = rig.status("state=blocked:app=claude:kind=permission");
    assert_eq!(note(&actions, "state"), None, "nothing new");
    let title = "fix the cart".to_owned();
    let actions = rig.host(Title { title });
    assert!(
        note(&actions, "title")
            .expect("a title")
            .contains(r#""by":"program""#)
    );
    let name = NoteChanged {
        key: "name".to_owned(),
        revision: 2,
        value: Some(b"api".to_vec()),
    };
    let actions = rig.host(name);
    assert_eq!(
        note(&actions, "title").expect("a title"),
        r#"{"title":"api","by":"user","command":"claude"}"#
    );
}

#[test]
fn a_private_pane_is_written_down_without_what_it_shows() {
    let mut rig = Rig::new(Vec::new());
    let mut new = facts(1, &["bash"]);
    new.notes = vec![("private".to_owned(), b"true".to_vec())];
    new.title = "secret plans".to_owned();
    let mut actions = rig.list(new);
    actions.extend(rig.look(Some(agent(200, &["claude"], Some("id-1")))));
    actions.extend(rig.status("state=blocked:app=claude:kind=permission"));
    actions.extend(rig.pass(60_000));
    let last = written(&actions).pop().expect("a record");
    assert!(last.private && last.title.is_empty(), "{last:?}");
    assert_eq!(last.conversation.expect("the id").id, "id-1");
    let seen = last.state.expect("a state");
    assert_eq!(
        (seen.state.as_str(), seen.evidence.as_str()),
        ("needs_input", "")
    );
    assert_eq!(rig.core.screens(), []);
    assert!(!rig.core.has_conversations() && !rig.core.has_screens());
}

#[test]
fn a_forgotten_pane_is_not_written_down() {
    let mut rig = Rig::new(Vec::new());
    let mut new = facts(1, &["bash"]);
    new.notes = vec![("forgotten".to_owned(), b"true".to_vec())];
    let mut actions = rig.list(new);
    actions.extend(rig.host(ended(0, Some(1))));
    actions.extend(rig.pass(60_000));
    assert_eq!(written(&actions), []);
}

#[test]
fn looks_are_few_and_an_idle_keeper_sleeps() {
    let mut rig = Rig::shell();
    assert_eq!(rig.core.due(), None, "nothing runs, nothing is due");
    let looks = |actions: &[Action]| {
        let looks = actions.iter().filter(|it| matches!(it, Action::Look(_)));
        looks.count()
    };
    let mut seen = 0;
    for group in 0..200 {
        seen += looks(&rig.host(PaneForeground { group }));
        seen += looks(&rig.pass(10));
    }
    assert!((5..=11).contains(&seen), "{seen} looks in two seconds");
    let _agent = rig.look(Some(agent(200, &["claude"], None)));
    let polled = looks(&rig.pass(60_000));
    assert!((28..=31).contains(&polled), "{polled} looks in a minute");
}

#[test]
fn a_notice_asks_for_the_user() {
    let mut rig = Rig::shell();
    let _seen = rig.look(Some(agent(200, &["claude"], None)));
    let _told = rig.host(Notice {
        title: String::new(),
        body: "Claude needs your permission to use Bash".to_owned(),
    });
    assert_eq!(rig.state(), "needs_input");
}

#[test]
fn an_end_that_no_keeper_saw_is_asked_about() {
    let known = PaneRecord {
        id: 1,
        ..PaneRecord::default()
    };
    let mut rig = Rig::new(vec![known]);
    let mut old = facts(1, &["claude"]);
    old.state = EXITED;
    let actions = rig.list(old);
    assert!(
        actions.contains(&Action::AskEnd { pane: 1, raw: 0 }),
        "{actions:?}"
    );
    let answer = Event::Ended {
        pane: 1,
        raw: 0,
        since_submit: Some(Duration::from_secs(1)),
    };
    let _written = rig.on(answer);
    assert!(matches!(rig.record().intent, Intent::EndedByUser { .. }));
}

#[test]
fn a_typed_agent_that_ended_unseen_is_offered() {
    let mut rig = Rig::shell();
    let _seen = rig.look(Some(agent(200, &["claude"], Some("id-1"))));
    let known = rig.record().clone();
    let mut rig = Rig::new(vec![known]);
    let _new = rig.list(facts(1, &["bash"]));
    for _ in 0..2 {
        let _none = rig.look(None);
        let agent = rig.record().agent.as_ref().expect("it stays");
        assert_eq!(agent.intent, Intent::Open, "it may be on its way up");
    }
    let _none = rig.look(None);
    let intent = |rig: &Rig| {
        rig.record()
            .agent
            .as_ref()
            .expect("it stays")
            .intent
            .clone()
    };
    assert!(matches!(intent(&rig), Intent::Provisional { .. }));
    let _time = rig.pass(30_000);
    assert!(matches!(intent(&rig), Intent::Exited { .. }));
}

/// Programs are told first at a shutdown; the user had pressed Enter some seconds before.
#[test]
fn a_shutdown_right_after_an_end_takes_it_back() {
    for (since, wait, by_user) in [
        (5_000, 1_000, false),
        (500, 1_000, true),
        (5_000, 6_000, true),
    ] {
        let mut rig = Rig::shell();
        let _ended = rig.host(ended(0, Some(since)));
        let _time = rig.pass(wait);
        let _announced = rig.on(Event::Shutdown);
        let is = matches!(rig.record().intent, Intent::EndedByUser { .. });
        assert_eq!(is, by_user, "{since} {wait}");
    }
}

/// The same of an agent that was typed into a shell, also where no key was near: it is to come back.
#[test]
fn a_shutdown_right_after_a_typed_agents_end_takes_it_back() {
    for (since, wait, open) in [
        (Some(5_000), 1_000, true),
        (Some(500), 1_000, false),
        (Some(5_000), 6_000, false),
        (None, 1_000, true),
        (None, 6_000, false),
    ] {
        let mut rig = Rig::shell();
        let _seen = rig.look(Some(agent(200, &["claude"], Some("id-1"))));
        let _gone = rig.on(Event::AgentGone {
            pane: 1,
            process: Identity { pid: 200, start: 9 },
            since_submit: since.map(Duration::from_millis),
        });
        let _time = rig.pass(wait);
        let _announced = rig.on(Event::Shutdown);
        let agent = rig.record().agent.as_ref().expect("it stays");
        assert_eq!(
            agent.intent == Intent::Open,
            open,
            "{since:?} {wait}: {:?}",
            agent.intent
        );
    }
}
