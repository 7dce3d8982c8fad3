//! The pacing machine, with a clock of its own.

use super::*;
use crate::record::{AgentRecord, Conversation, How, Intent, PaneRecord};
use crate::text::Text;

/// A run, its clock, and what it wants done.
struct Scene {
    run: Run,
    now: Instant,
    done: Vec<Do>,
}

fn item(pane: u32, agent: bool, working: bool) -> Item {
    let continue_env: Vec<(Text, Text)> = vec![("GO_ON".into(), "1".into())];
    Item {
        pane,
        workspace: Some(format!("w{}", pane % 2)),
        label: format!("pane {pane}"),
        action: if agent { Action::Resume } else { Action::Shell },
        reason: "because".into(),
        spawn: Some(Spawn {
            pane,
            agent,
            working,
            continue_env: if agent { continue_env } else { Vec::new() },
            lost: vec!["No conversation found".into()],
            held: vec!["is in use".into()],
            ..Spawn::default()
        }),
        shown: false,
    }
}

fn agents(count: u32, working: bool) -> Vec<Item> {
    (1..=count).map(|pane| item(pane, true, working)).collect()
}

impl Scene {
    fn new(items: Vec<Item>, attended: bool) -> Self {
        let mut scene = Self {
            run: Run::new(Plan { items }, attended),
            now: Instant::now(),
            done: Vec::new(),
        };
        scene.step(&Event::Tick);
        scene
    }

    fn step(&mut self, event: &Event) {
        let done = self.run.step(event, self.now);
        self.done.extend(done);
    }

    /// The panes started since the last look.
    fn started(&mut self) -> Vec<u32> {
        let done = std::mem::take(&mut self.done);
        let started = done.iter().filter_map(|it| match it {
            Do::Spawn { spawn, .. } => Some(spawn.pane),
            _ => None,
        });
        let started = started.collect();
        self.done = done
            .into_iter()
            .filter(|it| !matches!(it, Do::Spawn { .. }))
            .collect();
        started
    }

    fn spawned(&mut self, pane: u32) {
        self.step(&Event::Spawned {
            pane,
            outcome: Ok(()),
        });
    }

    fn ended(&mut self, pane: u32, raw_status: i32, text: &str) {
        self.step(&Event::Ended {
            pane,
            raw_status,
            text: text.into(),
        });
    }

    fn wait(&mut self, time: Duration) {
        self.now += time;
        self.step(&Event::Tick);
    }

    /// What was written down of what came of the starts.
    fn records(&self) -> Vec<(u32, Change)> {
        let records = self.done.iter().filter_map(|it| match it {
            Do::Record {
                change: Change::Asked,
                ..
            } => None,
            Do::Record { pane, change } => Some((*pane, change.clone())),
            _ => None,
        });
        records.collect()
    }

    fn report(&self) -> Option<Report> {
        self.done.iter().find_map(|it| match it {
            Do::Done(report) => Some(report.clone()),
            _ => None,
        })
    }

    fn said(&self, words: &str) -> bool {
        self.done
            .iter()
            .any(|it| matches!(it, Do::Say(line) if line.contains(words)))
    }

    /// Everything started comes up well until nothing more happens.
    fn finish(&mut self) -> Vec<u32> {
        let mut order = Vec::new();
        for _ in 0..10_000 {
            let started = self.started();
            order.extend(&started);
            started.iter().for_each(|pane| self.spawned(*pane));
            if started.is_empty() && self.done.iter().all(|it| !matches!(it, Do::Spawn { .. })) {
                let Some(due) = self.run.next_tick() else {
                    break;
                };
                self.now = self.now.max(due);
                self.step(&Event::Tick);
            }
        }
        order
    }
}

/// Sixty at once are a load no machine bears (herdr#4102, overdeck#1665).
#[test]
fn few_start_at_once_and_the_shown_one_first() {
    let mut items = agents(60, false);
    items[41].shown = true;
    let mut scene = Scene::new(items, false);
    assert_eq!(scene.started(), [42, 1, 2]);
    scene.spawned(42);
    assert!(scene.started().is_empty(), "it has not settled");
    scene.wait(SETTLE);
    assert_eq!(scene.started(), [3]);
    // Somebody looks at another one meanwhile.
    scene.step(&Event::Shown(50));
    scene.spawned(1);
    scene.wait(SETTLE);
    assert_eq!(scene.started(), [50]);
    for pane in [2, 3, 50] {
        scene.spawned(pane);
    }
    let rest = scene.finish();
    assert_eq!(rest.len(), 55);
    let report = scene.report().unwrap();
    assert_eq!(
        report.line(),
        "resumed 2 workspace(s), 60 terminal(s); 0 skipped"
    );
}

#[test]
fn shells_do_not_wait_for_agents() {
    let mut items = agents(5, false);
    items.extend((10..30).map(|pane| item(pane, false, false)));
    let mut scene = Scene::new(items, false);
    let started = scene.started();
    assert_eq!(
        started.iter().filter(|pane| **pane >= 10).count(),
        SHELLS_AT_ONCE
    );
    assert_eq!(started.len(), SHELLS_AT_ONCE + AGENTS_AT_ONCE);
    scene.spawned(10);
    assert_eq!(scene.started().len(), 1, "a shell is there at once");
}

#[test]
fn a_failure_is_tried_again_three_times_at_most_and_keeps_the_clis_words() {
    let mut scene = Scene::new(agents(1, false), true);
    for wait in [2, 8] {
        assert_eq!(scene.started(), [1]);
        scene.spawned(1);
        scene.ended(1, 1 << 8, "boom\nError: no such thing\n\n");
        assert!(scene.run.watches(1));
        scene.wait(Duration::from_secs(wait) - Duration::from_millis(1));
        assert!(scene.started().is_empty());
        scene.wait(Duration::from_millis(1));
    }
    assert_eq!(scene.started(), [1]);
    scene.spawned(1);
    scene.ended(1, 9, "");
    assert_eq!(
        scene.records(),
        [(1, Change::Failed("it was ended by signal 9".into()))]
    );
    let report = scene.report().unwrap();
    assert_eq!((report.resumed, report.blocked), (0, 1));
    assert!(
        report.line().ends_with("0 skipped, 1 blocked"),
        "{}",
        report.line()
    );
    assert!(!scene.run.watches(1));
}

/// The same dead id is not asked for again and again (overdeck#2895).
#[test]
fn a_conversation_that_is_not_there_is_not_asked_for_again() {
    let mut scene = Scene::new(agents(1, false), true);
    scene.spawned(1);
    scene.ended(1, 1 << 8, "  No conversation found with session ID: 7\n");
    let words = "No conversation found with session ID: 7";
    let failed = (1, Change::Failed(words.into()));
    assert_eq!(scene.records(), [failed.clone(), failed.clone(), failed]);
    let mut pane = PaneRecord::default();
    for (_, change) in scene.records() {
        change.apply(&mut pane, "b", 1);
    }
    assert_eq!((pane.tries, pane.failure.as_deref()), (3, Some(words)));
}

/// A shell says why, also where the agent was the pane's own program.
#[test]
fn a_shell_stands_in_the_place_of_what_failed() {
    let mut items = agents(1, false);
    if let Some(spawn) = &mut items[0].spawn {
        spawn.shell = "/bin/sh".into();
    }
    let mut scene = Scene::new(items, true);
    for _ in 0..3 {
        assert_eq!(scene.started(), [1]);
        scene.spawned(1);
        scene.ended(1, 127 << 8, "out of order\n");
        if !scene.run.is_done() {
            scene.wait(Duration::from_secs(8));
        }
    }
    let stands_in = |it: &Do| match it {
        Do::Spawn { spawn, .. } => spawn.wrapped.say.clone(),
        _ => None,
    };
    let said: Vec<String> = scene.done.iter().filter_map(stands_in).collect();
    assert_eq!(said.len(), 1, "{:?}", scene.done);
    assert!(
        said[0].contains("it did not come back: out of order"),
        "{said:?}"
    );
}

/// The process that has it may be on its way out (codex#37552: refused while the old one ends).
#[test]
fn a_held_conversation_is_waited_for() {
    let mut scene = Scene::new(agents(1, false), true);
    scene.started();
    scene.spawned(1);
    scene.ended(1, 1 << 8, "thread 7 is in use");
    scene.wait(Duration::from_secs(2));
    assert_eq!(scene.started(), [1]);
    scene.spawned(1);
    scene.wait(WATCH);
    assert_eq!(scene.records(), [(1, Change::Back(Came::Resumed))]);
}

#[test]
fn what_the_host_refuses_is_a_failure_too() {
    let mut scene = Scene::new(agents(1, false), true);
    for _ in 0..3 {
        scene.started();
        scene.step(&Event::Spawned {
            pane: 1,
            outcome: Err("no such program".into()),
        });
        scene.wait(Duration::from_secs(10));
    }
    assert_eq!(
        scene.records(),
        [(1, Change::Failed("no such program".into()))]
    );
}

#[test]
fn with_nobody_there_three_turns_go_on_at_once() {
    let mut scene = Scene::new(agents(6, true), false);
    let first = scene.started();
    assert_eq!(first, [1, 2, 3]);
    first.iter().for_each(|pane| scene.spawned(*pane));
    scene.wait(WATCH);
    assert!(scene.started().is_empty(), "three turns go on");
    scene.step(&Event::State {
        pane: 2,
        working: false,
    });
    assert_eq!(scene.started(), [4]);
    scene.spawned(4);
    // One that never ends gives its place up in the end.
    scene.wait(TURN);
    assert_eq!(scene.started(), [5, 6]);
}

#[test]
fn with_somebody_there_all_turns_go_on() {
    let mut scene = Scene::new(agents(6, true), false);
    scene.started();
    scene.step(&Event::Attended(true));
    (1..=3).for_each(|pane| scene.spawned(pane));
    scene.wait(SETTLE);
    assert_eq!(scene.started(), [4, 5, 6]);
}

/// Those that wait at their prompt do not wait for the turns of others.
#[test]
fn idle_agents_do_not_wait_for_turns() {
    let mut items = agents(4, true);
    items.extend((10..13).map(|pane| item(pane, true, false)));
    let mut scene = Scene::new(items, false);
    scene.started();
    (1..=3).for_each(|pane| scene.spawned(pane));
    scene.wait(SETTLE);
    assert_eq!(scene.started(), [10, 11, 12]);
}

/// A limit that one turn met would stop the others as well (paperclip#9552).
#[test]
fn a_refused_turn_stops_further_ones() {
    let mut scene = Scene::new(agents(5, true), false);
    scene.started();
    (1..=3).for_each(|pane| scene.spawned(pane));
    scene.wait(SETTLE);
    assert!(scene.done.contains(&Do::Look(1)));
    scene.step(&Event::Screen {
        pane: 1,
        text: "> go\nAPI Error: 429 rate limit reached\n>".into(),
    });
    assert!(scene.said("no further turn goes on by itself: API Error: 429"));
    // The others come back, and wait at their prompt.
    let spawns: Vec<bool> = scene
        .done
        .iter()
        .filter_map(|it| match it {
            Do::Spawn { go_on, .. } => Some(*go_on),
            _ => None,
        })
        .collect();
    assert_eq!(spawns, [false, false]);
}

#[test]
fn the_counter_is_written_before_the_turn_goes_on() {
    let scene = Scene::new(agents(1, true), false);
    assert!(matches!(
        scene.done.as_slice(),
        [
            Do::Record {
                pane: 1,
                change: Change::Asked
            },
            Do::Record {
                pane: 1,
                change: Change::GoesOn
            },
            Do::Spawn { go_on: true, .. }
        ]
    ));
    let mut pane = PaneRecord::default();
    Change::GoesOn.apply(&mut pane, "boot", 1);
    assert_eq!((pane.continues, pane.continue_boot.as_str()), (1, "boot"));
}

#[test]
fn a_hold_stops_what_has_not_started() {
    let mut scene = Scene::new(agents(8, false), false);
    let first = scene.started();
    scene.step(&Event::Hold);
    assert!(scene.said("held: 5 pane(s)"));
    first.iter().for_each(|pane| scene.spawned(*pane));
    scene.wait(WATCH);
    assert!(scene.started().is_empty());
    let report = scene.report().unwrap();
    assert_eq!((report.resumed, report.skipped), (3, 5));
}

#[test]
fn an_agent_sent_away_at_once_is_no_failure() {
    let mut scene = Scene::new(agents(1, false), true);
    scene.spawned(1);
    scene.ended(1, 0, "Resume this session with: claude --resume x");
    assert_eq!(scene.records(), [(1, Change::Back(Came::Resumed))]);
}

#[test]
fn nothing_to_do_is_done_at_once() {
    let mut skipped = item(1, true, false);
    (skipped.spawn, skipped.action) = (None, Action::Skip);
    let scene = Scene::new(vec![skipped], false);
    assert_eq!(
        scene.report().unwrap().line(),
        "resumed 0 workspace(s), 0 terminal(s); 1 skipped"
    );
}

#[test]
fn what_came_back_is_written_down() {
    let check = |came: Came, how: Option<How>| {
        let mut pane = PaneRecord {
            tries: 2,
            failure: Some("x".into()),
            intent: Intent::ClosedWorkspace { at: 1 },
            agent: Some(AgentRecord::default()),
            conversation: Some(Conversation {
                id: "i".into(),
                how: How::Live,
                at: 1,
                transcript: None,
                permission: None,
                asked: Some(4),
                rest: serde_json::Map::new(),
            }),
            ..PaneRecord::default()
        };
        Change::Back(came).apply(&mut pane, "b", 9);
        assert_eq!(
            (pane.tries, pane.failure, pane.intent),
            (0, None, Intent::Open)
        );
        assert_eq!(pane.conversation.map(|it| it.how), how);
    };
    check(Came::Resumed, Some(How::Resumed));
    check(Came::FreshWithId, Some(How::Assigned));
    check(Came::Fresh, None);
    check(Came::Shell, Some(How::Live));
}

/// An agent that opens another conversation did not come back: it is left alone, what was asked for
/// stays, and it counts as a try.
#[test]
fn another_conversation_is_no_comeback() {
    let mut scene = Scene::new(agents(1, true), false);
    scene.spawned(1);
    scene.wait(SETTLE);
    let words = other_words("a", "c");
    assert_eq!(words, "asked for a, it opened c");
    let (a, b) = (
        "0198c2d4-1111-4222-8333-444455556666",
        "0198c2d4-1111-4222-8333-777788889999",
    );
    assert_eq!(
        other_words(a, b),
        "asked for …55556666, it opened …88889999"
    );
    assert_eq!(
        other_words(a, "77777777-1"),
        "asked for 0198c2d4, it opened 77777777"
    );
    scene.step(&Event::Other {
        pane: 1,
        words: words.clone(),
    });
    scene.wait(TURN);
    assert_eq!(scene.started(), [1], "once");
    let report = scene.report().unwrap();
    assert_eq!((report.resumed, report.blocked), (0, 1));
    assert_eq!(report.reasons, [(1, words)]);
    let back = |it: &(u32, Change)| matches!(it.1, Change::Back(_) | Change::Failed(_));
    assert!(!scene.records().iter().any(back), "{:?}", scene.records());
}

#[test]
fn what_it_opened_instead_is_written_beside_what_was_asked_for() {
    let mut pane = PaneRecord {
        conversation: Some(Conversation {
            id: "a".into(),
            how: How::Live,
            at: 1,
            transcript: None,
            permission: None,
            asked: None,
            rest: serde_json::Map::new(),
        }),
        ..PaneRecord::default()
    };
    let known = pane.clone();
    Change::Asked.apply(&mut pane, "b", 9);
    assert_eq!(pane.conversation.as_ref().unwrap().asked, Some(9));
    // (what it opens, tries, words)
    for (opened, tries, words) in [
        ("c", 1, "asked for a, it opened c"),
        ("c", 1, "asked for a, it opened c"),
        ("d", 1, "asked for a, it opened d"),
    ] {
        Change::Other(opened.into()).apply(&mut pane, "b", 9);
        assert_eq!((pane.tries, pane.failure.as_deref()), (tries, Some(words)));
        assert_eq!(pane.opened.as_deref(), Some(opened));
        assert_eq!(pane.conversation.as_ref().unwrap().id, "a");
    }
    // At the next start it is tried again, and counts again.
    Change::Asked.apply(&mut pane, "b", 10);
    Change::Other("e".into()).apply(&mut pane, "b", 11);
    assert_eq!(pane.tries, 2);
    Change::Failed("boom".into()).apply(&mut pane, "b", 12);
    assert_eq!((pane.tries, pane.opened), (3, None));
    assert_eq!(pane.conversation, known.conversation);
}

/// Let go of while it waited, it does not come; what was started already is not the restore's to end.
#[test]
fn what_was_let_go_of_does_not_come() {
    let mut scene = Scene::new(agents(5, false), false);
    let first = scene.started();
    assert_eq!(first, [1, 2, 3]);
    for pane in [1, 4] {
        scene.step(&Event::LetGo(pane));
    }
    first.iter().for_each(|pane| scene.spawned(*pane));
    assert_eq!(scene.finish(), [5]);
    let report = scene.report().unwrap();
    assert_eq!((report.resumed, report.skipped), (4, 1));
    assert_eq!(scene.run.held(), [0; 0]);
}

/// A setting that changes meanwhile counts from the next start on.
#[test]
fn turns_that_are_not_to_go_on_any_more_wait() {
    let mut scene = Scene::new(agents(4, true), true);
    let why = "restore.continue is never".to_owned();
    scene.step(&Event::NoTurns(why));
    (1..=3).for_each(|pane| scene.spawned(pane));
    scene.wait(SETTLE);
    let goes_on = |it: &Do| match it {
        Do::Spawn { spawn, go_on } => Some((spawn.pane, *go_on)),
        _ => None,
    };
    let spawns: Vec<(u32, bool)> = scene.done.iter().filter_map(goes_on).collect();
    assert_eq!(spawns, [(1, true), (2, true), (3, true), (4, false)]);
    assert!(scene.said("no further turn goes on by itself: restore.continue is never"));
}

/// Nothing a private pane says is told or written down.
#[test]
fn the_words_of_a_private_pane_are_not_kept() {
    let mut items = agents(1, false);
    if let Some(spawn) = &mut items[0].spawn {
        spawn.private = true;
    }
    let mut scene = Scene::new(items, false);
    scene.spawned(1);
    scene.ended(1, 256, "No conversation found: the secret plan");
    assert!(!format!("{:?}", scene.done).contains("secret"));
    assert!(scene.said("p1 did not come back"));
    assert_eq!(scene.report().unwrap().blocked, 1);
}

/// A turn that is over before its agent makes room leaves its place once its screen was read.
#[test]
fn a_quick_turn_makes_room_for_the_next() {
    for (screen, go_on) in [("done", true), ("usage limit reached", false)] {
        let mut scene = Scene::new(agents(4, true), false);
        assert_eq!(scene.started(), [1, 2, 3]);
        for pane in 1..=3 {
            scene.spawned(pane);
            for working in [true, false] {
                scene.step(&Event::State { pane, working });
            }
        }
        scene.wait(SETTLE);
        assert!(scene.done.contains(&Do::Look(1)));
        assert_eq!(scene.started(), [0; 0], "not before it was read");
        let text = screen.to_owned();
        scene.step(&Event::Screen { pane: 1, text });
        let fourth = scene.done.iter().find_map(|it| match it {
            Do::Spawn { go_on, .. } => Some(*go_on),
            _ => None,
        });
        assert_eq!(fourth, Some(go_on), "{screen}");
    }
}

/// The host refuses a pane each time, and what is to stand in its place, too: that ends. Where it can be a shell
/// says why; a launched agent that never ran has no last screen to say it.
#[test]
fn what_is_refused_has_something_in_its_place_or_is_let_be() {
    let refuse = |scene: &mut Scene, pane: u32, words: &str| {
        let outcome = Err(words.to_owned());
        scene.step(&Event::Spawned { pane, outcome });
    };
    let spawns = |scene: &mut Scene| -> Vec<Spawn> {
        let done = std::mem::take(&mut scene.done);
        let spawns = done.iter().filter_map(|it| match it {
            Do::Spawn { spawn, .. } => Some((**spawn).clone()),
            _ => None,
        });
        let spawns = spawns.collect();
        scene.done = done;
        scene.done.retain(|it| !matches!(it, Do::Spawn { .. }));
        spawns
    };
    let mut launched = item(1, true, false);
    if let Some(spawn) = &mut launched.spawn {
        (spawn.shell, spawn.cwd) = ("/bin/zsh".into(), "/src/gone".into());
    }
    let mut scene = Scene::new(vec![launched], false);
    for wait in [2, 8, 0] {
        assert_eq!(spawns(&mut scene).len(), 1);
        refuse(&mut scene, 1, "no such folder /src/gone");
        scene.wait(Duration::from_secs(wait));
    }
    let stand = spawns(&mut scene);
    assert_eq!(
        (stand.len(), stand[0].cwd.shown()),
        (1, "/src/gone".to_owned())
    );
    let say = stand[0].wrapped.say.clone().unwrap();
    assert!(
        say.contains("no such folder") && say.contains("`abide reopen p1`"),
        "{say}"
    );
    assert_eq!(stand[0].wrapped.then, Some("/bin/zsh".into()));
    refuse(&mut scene, 1, "no such folder /src/gone");
    let stand = spawns(&mut scene);
    assert_eq!((stand.len(), stand[0].cwd.shown()), (1, "/".to_owned()));
    refuse(&mut scene, 1, "there are 1000 panes already");
    assert!(spawns(&mut scene).is_empty());
    assert!(scene.said("nothing stands in its place: there are 1000 panes"));
    let failed = |it: &(u32, Change)| matches!(it.1, Change::Failed(_));
    assert_eq!(scene.records().iter().filter(|it| failed(it)).count(), 1);
}
