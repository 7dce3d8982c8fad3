//! Which panes come back at all, and what becomes of those without an agent.

use super::*;

/// The action for a pane with this intent, by cause.
fn by_intent(intent: Intent, cause: Cause, start: Start, hold: bool) -> (Action, String) {
    let catalogue = Catalogue::built_in();
    let mut pane = claude(1, &["claude"]);
    pane.intent = intent;
    let mut document = document(&[pane]);
    document.set_hold(hold);
    let settings = Settings {
        cause,
        start,
        ..settings(&catalogue)
    };
    let item = plan(&document, &settings, &Fake::default()).items.remove(0);
    assert!(!item.reason.is_empty());
    assert_eq!(item.spawn.is_none(), item.action == Action::Skip);
    (item.action, item.reason)
}

fn causes() -> [Cause; 4] {
    [
        Cause::Gone(Reason::Machine),
        Cause::Opened("shop".into()),
        Cause::Asked,
        Cause::Reopened(vec![1]),
    ]
}

/// What the user closed does not come back by itself (cmux#4149, claude-code#79789), what was cut does.
#[test]
fn intents_decide() {
    let check = |intent: Intent, want: [bool; 4]| {
        for (cause, comes) in causes().into_iter().zip(want) {
            let (action, why) = by_intent(intent.clone(), cause.clone(), Start::Auto, false);
            let action_wanted = if comes { Action::Resume } else { Action::Skip };
            assert_eq!(action, action_wanted, "{intent:?} {cause:?}: {why}");
        }
    };
    let cut = Intent::Provisional {
        at: 1,
        raw_status: None,
    };
    let exited = Intent::Exited {
        at: 1,
        raw_status: None,
    };
    //                          gone, opened, asked, reopened
    check(Intent::Open, [true, true, true, true]);
    check(cut, [true, true, true, true]);
    check(exited, [false, false, false, true]);
    check(Intent::EndedByUser { at: 1 }, [false, false, false, true]);
    check(
        Intent::ClosedWorkspace { at: 1 },
        [false, true, false, true],
    );
    check(Intent::Discarded { at: 1 }, [false, false, false, true]);
}

#[test]
fn settings_decide() {
    let check = |start, hold, want: [bool; 4]| {
        for (cause, comes) in causes().into_iter().zip(want) {
            let (action, why) = by_intent(Intent::Open, cause.clone(), start, hold);
            assert_eq!(
                action == Action::Resume,
                comes,
                "{start:?} {cause:?}: {why}"
            );
        }
    };
    check(Start::Auto, false, [true, true, true, true]);
    check(Start::Auto, true, [false, false, true, true]);
    check(Start::OnOpen, true, [false, false, true, true]);
    check(Start::OnOpen, false, [false, true, true, true]);
    check(Start::Never, false, [false, false, true, true]);
}

#[test]
fn a_panes_own_setting_wins() {
    let catalogue = Catalogue::built_in();
    let mut pane = claude(1, &["claude"]);
    pane.restore = Some(PaneSetting {
        start: Some(Start::Never),
        go_on: None,
    });
    let made = plan(&document(&[pane]), &settings(&catalogue), &Fake::default());
    assert_eq!(made.items[0].action, Action::Skip);
}

#[test]
fn opening_a_folder_brings_back_its_own_panes_only() {
    let catalogue = Catalogue::built_in();
    let mut opened = settings(&catalogue);
    opened.cause = Cause::Opened("blog".into());
    let (action, why) = {
        let made = plan(
            &document(&[claude(1, &["claude"])]),
            &opened,
            &Fake::default(),
        );
        (made.items[0].action, made.items[0].reason.clone())
    };
    assert_eq!(
        (action, why.as_str()),
        (Action::Skip, "its folder was not opened")
    );
}

#[test]
fn a_shell_starts_over_in_its_folder() {
    let item = check(&shell(1), &Fake::default(), Action::Shell, "starts over");
    assert_eq!(argv(&item), "/bin/bash");
    let spawn = item.spawn.unwrap();
    assert_eq!((spawn.cwd, spawn.agent), ("/src/shop".into(), false));
    let world = Fake {
        folders: vec![("/src/shop", Folder::Gone)],
        ..Fake::default()
    };
    let item = check(&shell(1), &world, Action::Shell, "starts in /src");
    assert_eq!(item.spawn.unwrap().cwd, "/src".into());
    let world = Fake {
        missing_programs: vec!["/bin/bash"],
        ..Fake::default()
    };
    assert_eq!(argv(&item_of(&shell(1), &world)), "/bin/zsh");
}

/// A program abide knows nothing of is not run again unasked; its pane comes back.
#[test]
fn another_program_gives_way_to_a_shell_that_says_so() {
    let mut pane = shell(1);
    (pane.shell, pane.argv) = (false, vec!["/usr/bin/make".into(), "deploy".into()]);
    let item = check(&pane, &Fake::default(), Action::Shell, "`make` is no agent");
    let spawn = item.spawn.unwrap();
    assert!(spawn.argv.is_empty());
    assert_eq!(spawn.wrapped.then, Some("/bin/zsh".into()));
    assert!(spawn.wrapped.say.unwrap().contains("make"));
}

/// The user's own shell is one whatever it is called: `$SHELL` may name a script that starts another.
#[test]
fn the_user_s_own_shell_needs_no_name() {
    let mut pane = shell(1);
    (pane.shell, pane.argv) = (false, vec!["/bin/zsh".into()]);
    let item = check(&pane, &Fake::default(), Action::Shell, "starts over");
    assert_eq!(argv(&item), "/bin/zsh");
    assert_eq!(item.spawn.unwrap().wrapped.say, None);
    // With words behind it it is asked to do something.
    pane.argv.push("deploy".into());
    check(&pane, &Fake::default(), Action::Shell, "is no agent");
}

#[test]
fn what_runs_is_left_alone_and_what_is_shown_comes_first() {
    let catalogue = Catalogue::built_in();
    let mut some = settings(&catalogue);
    (some.live, some.shown) = ([1].into(), [3].into());
    let panes = document(&[shell(1), shell(2), shell(3)]);
    let made = plan(&panes, &some, &Fake::default());
    let order: Vec<u32> = made.items.iter().map(|item| item.pane).collect();
    assert_eq!(order, [3, 2]);
}

#[test]
fn a_pane_keeps_its_name_place_size_and_variables() {
    let mut pane = shell(9);
    pane.workspace = Some("shop".into());
    pane.name = Some("api".into());
    pane.size = (100, 30);
    (pane.private, pane.title) = (true, "secret plans".into());
    pane.env = vec![("LANG".into(), "C".into()), ("A".into(), "old".into())];
    pane.set_env = vec![("A".into(), "1".into())];
    let item = item_of(&pane, &Fake::default());
    assert_eq!(item.label, "api");
    let spawn = item.spawn.unwrap();
    assert_eq!(spawn.size, (100, 30));
    assert_eq!(variable(&spawn.env, "A").as_deref(), Some("1"));
    let notes: Vec<&str> = spawn.notes.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(notes, ["name", "workspace", "private", "env"]);
    let note = &spawn.notes[3].1;
    assert_eq!(note, br#"{"set":[["A","1"]],"named":[]}"#);
    pane.name = None;
    assert_eq!(
        label(&pane),
        "bash",
        "the title of a private pane is nobody's"
    );
}

/// What was set for the pane with `--env` comes back; a secret of it is told, since it is not written down.
#[test]
fn what_the_user_set_comes_back_but_for_secrets() {
    let mut pane = shell(1);
    pane.set_env = vec![("STAGE".into(), "two".into())];
    pane.set_needs = vec!["DEPLOY_TOKEN".into()];
    let without = Fake {
        variables: Some(vec!["PATH"]),
        ..Fake::default()
    };
    let item = check(&pane, &without, Action::Shell, "without DEPLOY_TOKEN");
    let spawn = item.spawn.unwrap();
    assert_eq!(variable(&spawn.env, "STAGE").as_deref(), Some("two"));
    let note = &spawn.notes.last().unwrap().1;
    assert_eq!(
        note,
        br#"{"set":[["STAGE","two"]],"named":["DEPLOY_TOKEN"]}"#
    );
    let item = item_of(&pane, &Fake::default());
    assert_eq!(item.reason, "its shell starts over");
    // In the shell the user may have set it anew before an agent was typed.
    let mut agent = claude(2, &["claude"]);
    agent.set_env = vec![("ANTHROPIC_MODEL".into(), "opus".into())];
    let own = &mut agent.agent.as_mut().unwrap().env;
    own.push(("ANTHROPIC_MODEL".into(), "sonnet".into()));
    let spawn = item_of(&agent, &Fake::default()).spawn.unwrap();
    let model = variable(&spawn.env, "ANTHROPIC_MODEL");
    assert_eq!(model.as_deref(), Some("sonnet"));
}

#[test]
fn the_line_counts_agents() {
    let catalogue = Catalogue::built_in();
    let mut two = claude(2, &["claude"]);
    two.conversation = Some(conversation(OTHER));
    let panes = document(&[claude(1, &["claude"]), two, shell(3)]);
    let made = plan(&panes, &settings(&catalogue), &Fake::default());
    assert_eq!(
        made.beginning(Reason::Machine.words()).as_deref(),
        Some("resuming 2 agent(s) on their own conversations: the machine restarted")
    );
}
