//! Agents: when they are resumed, with what, and why not.

use super::*;

#[test]
fn an_agent_opens_its_own_conversation_as_it_was_launched() {
    let pane = claude(1, &["claude", "--model", "opus", "fix the cart"]);
    let item = check(&pane, &Fake::default(), Action::Resume, ID);
    // The first prompt is never sent again (herdr#2021, cmux#8066).
    assert_eq!(argv(&item), format!("claude --resume {ID} --model opus"));
    let spawn = item.spawn.unwrap();
    assert_eq!(spawn.cwd, "/src/shop".into());
    assert!(spawn.working && spawn.agent);
    let on = spawn.variables(true);
    assert_eq!(
        variable(&on, "CLAUDE_CODE_RESUME_INTERRUPTED_TURN").as_deref(),
        Some("1")
    );
    assert_eq!(
        variable(&on, "CLAUDE_CODE_RESUME_INTERRUPTED_TURN_MAX_AGE_MS").as_deref(),
        Some("0")
    );
    let off = spawn.variables(false);
    assert_eq!(variable(&off, "CLAUDE_CODE_RESUME_INTERRUPTED_TURN"), None);
}

/// Two panes in one folder keep their own conversation, whichever file is newest
/// (claude-code#39151, daintree#11052).
#[test]
fn two_panes_of_a_folder_are_not_mixed_up() {
    let (one, mut two) = (claude(1, &["claude"]), claude(2, &["claude"]));
    two.conversation = Some(conversation(OTHER));
    let catalogue = Catalogue::built_in();
    let plan = plan(
        &document(&[one, two]),
        &settings(&catalogue),
        &Fake::default(),
    );
    let lines: Vec<String> = plan.items.iter().map(argv).collect();
    assert_eq!(
        lines,
        [
            format!("claude --resume {ID}"),
            format!("claude --resume {OTHER}")
        ]
    );
}

/// No proof of an id, no resume (claude-code#69364, agent-of-empires#2344).
#[test]
fn an_unknown_conversation_is_never_guessed() {
    let mut pane = claude(1, &["claude", "--continue"]);
    pane.conversation = None;
    let item = check(
        &pane,
        &Fake::default(),
        Action::Blocked,
        "unknown conversation",
    );
    let spawn = item.spawn.unwrap();
    assert!(spawn.argv.is_empty(), "{:?}", spawn.argv);
    assert!(spawn.wrapped.say.unwrap().contains("abide reopen p1"));
}

/// Between /clear and the first prompt the new conversation has no file: it starts afresh, and the
/// old one is not brought back (herdr#619, claude-code#79830).
#[test]
fn a_conversation_without_a_message_starts_afresh() {
    let world = Fake {
        transcript: Transcript::Missing,
        ..Fake::default()
    };
    let mut pane = claude(
        1,
        &["claude", "--resume", OTHER, "--model", "opus", "hello"],
    );
    pane.conversation.as_mut().unwrap().transcript = None;
    let item = check(&pane, &world, Action::Fresh, "no message yet");
    assert_eq!(
        argv(&item),
        format!("claude --session-id {ID} --model opus")
    );
    let mut pane = agent("codex", &["codex", "resume", OTHER, "-m", "gpt"]);
    pane.conversation.as_mut().unwrap().transcript = None;
    assert_eq!(
        argv(&check(&pane, &world, Action::Fresh, "no message")),
        "codex -m gpt"
    );
}

/// One that says itself that it shows no conversation has none to lose: it begins anew, and what it was
/// opened on is not opened again.
#[test]
fn an_agent_without_a_conversation_begins_anew() {
    let mut pane = agent(
        "opencode",
        &[
            "opencode",
            "--session",
            "ses_1",
            "-m",
            "x/y",
            "--prompt",
            "hi",
        ],
    );
    pane.conversation = None;
    check(
        &pane,
        &Fake::default(),
        Action::Blocked,
        "unknown conversation",
    );
    pane.agent.as_mut().unwrap().none_yet = true;
    let item = check(
        &pane,
        &Fake::default(),
        Action::Fresh,
        "it had begun no conversation yet",
    );
    assert_eq!(argv(&item), "opencode -m x/y");
    assert!(!item.spawn.unwrap().chosen);
}

/// A file that is gone or a stub: the pane is kept with the reason, nothing starts over a good
/// conversation (claude-code#18881, overdeck#3555, agentwire-dev#901).
#[test]
fn a_lost_transcript_blocks() {
    let gone = Fake {
        transcript: Transcript::Missing,
        ..Fake::default()
    };
    check(
        &claude(1, &["claude"]),
        &gone,
        Action::Blocked,
        "its transcript is gone",
    );
    let mut resumed = claude(1, &["claude"]);
    let known = resumed.conversation.as_mut().unwrap();
    (known.transcript, known.how) = (None, How::Resumed);
    check(&resumed, &gone, Action::Blocked, "its transcript is gone");
    let stub = Fake {
        transcript: there(Some(false), None),
        ..Fake::default()
    };
    check(
        &claude(1, &["claude"]),
        &stub,
        Action::Blocked,
        "no message of yours",
    );
    let kept = Fake {
        kept: Kept::Verified,
        ..gone
    };
    let item = check(
        &claude(1, &["claude"]),
        &kept,
        Action::Resume,
        "from the vault",
    );
    assert!(item.spawn.unwrap().put_back);
    let unknown = Fake {
        transcript: Transcript::Unknown,
        ..Fake::default()
    };
    check(&claude(1, &["claude"]), &unknown, Action::Resume, ID);
}

/// Permission never rises above the last known (claude-code#79789, cmux#8070).
#[test]
fn permission_is_the_last_known_at_most() {
    let line = [
        "claude",
        "--model",
        "x",
        "--dangerously-skip-permissions",
        "do it",
    ];
    let check = |recorded: Option<&str>, written: Option<&str>, want: &str| {
        let mut pane = claude(1, &line);
        pane.conversation.as_mut().unwrap().permission = recorded.map(str::to_owned);
        let world = Fake {
            transcript: there(Some(true), written),
            ..Fake::default()
        };
        let line = argv(&item_of(&pane, &world));
        assert!(line.ends_with(want), "{line}");
        assert!(
            line.contains("--model x") && !line.contains("do it"),
            "{line}"
        );
    };
    check(None, None, "--dangerously-skip-permissions");
    check(
        Some("bypassPermissions"),
        None,
        "--dangerously-skip-permissions",
    );
    check(Some("default"), None, "--model x");
    check(None, Some("plan"), "--model x");
    // The transcript is newer than the record.
    check(Some("bypassPermissions"), Some("default"), "--model x");
}

/// Its folder, never another one (claude-code#28745, #68525).
#[test]
fn the_folder_must_be_there() {
    for (folder, words) in [
        (Folder::Gone, "/src/shop is gone"),
        (Folder::NoFolder, "no folder any more"),
        (Folder::Closed, "cannot be entered"),
    ] {
        let world = Fake {
            folders: vec![("/src/shop", folder)],
            ..Fake::default()
        };
        check(&claude(1, &["claude"]), &world, Action::Blocked, words);
    }
    let mut odd = claude(1, &["claude"]);
    odd.agent.as_mut().unwrap().cwd = Text::from_bytes(b"/src/-n\n\xff".to_vec());
    let spawn = item_of(&odd, &Fake::default()).spawn.unwrap();
    assert_eq!(spawn.cwd.as_bytes(), b"/src/-n\n\xff");
}

#[test]
fn what_is_missing_is_named() {
    let world = Fake {
        missing_programs: vec!["claude"],
        ..Fake::default()
    };
    check(
        &claude(1, &["claude"]),
        &world,
        Action::Blocked,
        "`claude` is missing",
    );
    // The program in front is there; the script it reads, from the agent's folder, is not.
    let folders = |gone| Fake {
        folders: vec![(gone, Folder::Gone)],
        ..Fake::default()
    };
    for (argv, gone) in [
        (["/bin/bash", "/opt/claude"], "/opt/claude"),
        (["node", "bin/claude"], "/src/shop/bin/claude"),
        (["python3", "/opt/claude"], "/opt/claude"),
    ] {
        let words = format!("its program `{}` is missing", argv[1]);
        check(&claude(1, &argv), &folders(gone), Action::Blocked, &words);
        check(
            &claude(1, &argv),
            &folders("/elsewhere"),
            Action::Resume,
            "",
        );
    }
    let package = claude(1, &["npx", "@anthropic-ai/claude-code"]);
    let gone = "/src/shop/@anthropic-ai/claude-code";
    check(&package, &folders(gone), Action::Resume, "");
    let held = Fake {
        holder: Some(42),
        ..Fake::default()
    };
    check(
        &claude(1, &["claude"]),
        &held,
        Action::Blocked,
        "held by pid 42",
    );
    let mut needy = claude(1, &["claude"]);
    needy.agent.as_mut().unwrap().needs = vec!["ANTHROPIC_API_KEY".into()];
    let without = Fake {
        variables: Some(vec!["PATH"]),
        ..Fake::default()
    };
    check(
        &needy,
        &without,
        Action::Blocked,
        "needs variable ANTHROPIC_API_KEY",
    );
    // What only the user's login shell knows does not stand in the way.
    check(&needy, &Fake::default(), Action::Resume, ID);
    needy.set_env = vec![("ANTHROPIC_API_KEY".into(), "given".into())];
    check(&needy, &without, Action::Resume, ID);
    let mut given = claude(1, &["claude"]);
    given.set_needs = vec!["DEPLOY_TOKEN".into()];
    let words = "needs variable DEPLOY_TOKEN, which `--env` gave: no secret is written down";
    check(&given, &without, Action::Blocked, words);
    check(&given, &Fake::default(), Action::Resume, ID);
    let mut inside = claude(1, &["claude"]);
    inside.agent.as_mut().unwrap().inside = Some("docker".into());
    check(
        &inside,
        &Fake::default(),
        Action::Blocked,
        "runs inside docker",
    );
    let mut bad = claude(1, &["claude"]);
    bad.conversation = Some(conversation("--dangerously-skip-permissions"));
    check(
        &bad,
        &Fake::default(),
        Action::Blocked,
        "no conversation id",
    );
    check(
        &agent("nobody", &["nobody"]),
        &Fake::default(),
        Action::Blocked,
        "nothing is known",
    );
    let server = agent("amp", &["amp"]);
    let spec = Catalogue::built_in();
    if spec.get("amp").is_some_and(|spec| spec.resume.is_none()) {
        check(&server, &Fake::default(), Action::Blocked, "cannot resume");
    }
}

/// Gemini CLI below 0.64 deletes a resumed chat; kimi-cli 1.52 is a stub that runs an installer.
#[test]
fn versions_that_lose_conversations_are_not_resumed() {
    let check = |cli: &str, version, kept, action, words| {
        let world = Fake {
            version,
            kept,
            ..Fake::default()
        };
        let mut pane = agent(cli, &[cli]);
        if cli == "kimi" {
            pane.conversation = Some(conversation(&format!("session_{ID}")));
        }
        check(&pane, &world, action, words);
    };
    let resume = Action::Resume;
    check(
        "gemini",
        Some("0.61.0"),
        Kept::None,
        Action::Blocked,
        "no whole copy",
    );
    check(
        "gemini",
        None,
        Kept::None,
        Action::Blocked,
        "cannot be read",
    );
    check("gemini", Some("0.61.0"), Kept::Verified, resume, ID);
    check("gemini", Some("0.64.0"), Kept::None, resume, ID);
    check(
        "kimi",
        Some("1.52.0"),
        Kept::Verified,
        Action::Blocked,
        "version 1.52.0",
    );
    check("kimi", None, Kept::None, Action::Blocked, "cannot be read");
    check("kimi", Some("2.1.0"), Kept::None, resume, ID);
}

/// One process a pane, and no menu of folders.
#[test]
fn codex_keeps_its_thread_in_its_own_process() {
    let item = item_of(&agent("codex", &["codex", "-m", "gpt"]), &Fake::default());
    assert_eq!(
        argv(&item),
        format!("codex resume {ID} -c tui.resume_cwd=\"current\" -m gpt")
    );
    let spawn = item.spawn.unwrap();
    let env = spawn.variables(true);
    assert_eq!(variable(&env, "CODEX_EXEC_SERVER_URL").as_deref(), Some(""));
    assert!(spawn.continue_env.is_empty());
}

/// A turn that goes on by itself: not for ever, not against the settings.
#[test]
fn a_cut_turn_goes_on_unless_something_speaks_against_it() {
    let check = |edit: &dyn Fn(&mut PaneRecord, &mut Settings<'_>), want: &str| {
        let catalogue = Catalogue::built_in();
        let (mut pane, mut settings) = (claude(1, &["claude"]), settings(&catalogue));
        edit(&mut pane, &mut settings);
        let plan = plan(&document(&[pane]), &settings, &Fake::default());
        let item = plan.items.first().unwrap();
        assert_eq!(item.action, Action::Resume);
        let goes_on = !item.spawn.as_ref().unwrap().continue_env.is_empty();
        assert_eq!(goes_on, want.is_empty(), "{}", item.reason);
        assert!(item.reason.contains(want), "{}", item.reason);
    };
    check(&|_, _| {}, "");
    check(&|pane, _| pane.continues = 2, "");
    check(&|pane, _| pane.continues = 3, "cut three times");
    check(&|_, settings| settings.go_on = GoOn::Never, "never");
    check(&|_, settings| settings.go_on = GoOn::Attended, "nobody is");
    check(
        &|_, settings| (settings.go_on, settings.attended) = (GoOn::Attended, true),
        "",
    );
    let own = |go_on| {
        Some(PaneSetting {
            start: None,
            go_on: Some(go_on),
        })
    };
    check(&|pane, _| pane.restore = own(GoOn::Never), "never");
    check(
        &|pane, settings| (pane.restore, settings.go_on) = (own(GoOn::Auto), GoOn::Never),
        "",
    );
    // What the user closed does not go on by itself.
    check(
        &|pane, settings| {
            pane.intent = Intent::ClosedWorkspace { at: 1 };
            settings.cause = Cause::Opened("shop".into());
        },
        "waits at its prompt",
    );
}

/// A full disk ended a CLI's recording while the conversation went on (gemini-cli#27277): it is opened, and that
/// something may be missing is said.
#[test]
fn a_transcript_older_than_the_last_turn_is_told() {
    let check = |state: &str, age: u64, told: bool| {
        let mut pane = claude(1, &["claude"]);
        let seen = pane.state.as_mut().unwrap();
        (seen.state, seen.at) = (state.into(), 10_000);
        let Transcript::There { path, .. } = there(None, None) else {
            return;
        };
        let transcript = Transcript::There {
            path,
            user_turn: Some(true),
            mode: None,
            stopped: None,
            written: Some(10_000 - age),
        };
        let world = Fake {
            transcript,
            ..Fake::default()
        };
        let item = item_of(&pane, &world);
        assert_eq!(item.action, Action::Resume);
        let said = item.reason.contains("may be shorter than what was shown");
        assert_eq!(said, told, "{state} {age}: {}", item.reason);
    };
    check("done", 31, true);
    check("working", 31, true);
    check("done", 30, false);
    // When it became idle says nothing of when it spoke last.
    check("idle", 5_000, false);
}

/// Esc ended the turn before the power went: it is the user's to go on with it.
#[test]
fn a_turn_the_user_stopped_does_not_go_on() {
    let Transcript::There {
        path,
        user_turn,
        mode,
        ..
    } = there(Some(true), None)
    else {
        return;
    };
    let world = Fake {
        transcript: Transcript::There {
            path,
            user_turn,
            mode,
            stopped: Some(true),
            written: None,
        },
        ..Fake::default()
    };
    let item = check(
        &claude(1, &["claude"]),
        &world,
        Action::Resume,
        "you stopped",
    );
    assert!(item.spawn.unwrap().continue_env.is_empty());
}

/// An agent that was typed into a shell is the pane's program, and the shell follows it.
#[test]
fn a_typed_agent_comes_back_with_its_shell_behind_it() {
    let mut pane = shell(4);
    let mut agent = claude(4, &["claude"]).agent.unwrap();
    (agent.typed, agent.cwd) = (true, "/src/shop/api".into());
    agent.env = vec![("CLAUDE_CONFIG_DIR".into(), "/home/u/.claude-work".into())];
    pane.agent = Some(agent);
    pane.conversation = Some(conversation(ID));
    let item = check(&pane, &Fake::default(), Action::Resume, ID);
    let spawn = item.spawn.unwrap();
    assert_eq!(spawn.cwd, "/src/shop/api".into());
    assert_eq!(
        variable(&spawn.env, "CLAUDE_CONFIG_DIR").as_deref(),
        Some("/home/u/.claude-work")
    );
    let words = spawn.command(Path::new("/bin/abide"));
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let want = format!("/bin/abide __pane --then /bin/bash --watch 10 -- claude --resume {ID}");
    assert_eq!(words.join(" "), want);
    // The user left it before: the shell alone comes back.
    pane.agent.as_mut().unwrap().intent = Intent::EndedByUser { at: 3 };
    let item = check(&pane, &Fake::default(), Action::Shell, "starts over");
    assert_eq!(argv(&item), "/bin/bash");
}

#[test]
fn a_pane_that_failed_three_times_waits_for_the_user() {
    let mut pane = claude(1, &["claude"]);
    (pane.tries, pane.failure) = (3, Some("No conversation found".into()));
    check(
        &pane,
        &Fake::default(),
        Action::Blocked,
        "3 times: No conversation found",
    );
    pane.tries = 2;
    check(&pane, &Fake::default(), Action::Resume, ID);
    let catalogue = Catalogue::built_in();
    let mut asked = settings(&catalogue);
    (asked.cause, pane.tries) = (Cause::Reopened(vec![1]), 3);
    let plan = plan(&document(&[pane]), &asked, &Fake::default());
    assert_eq!(plan.items[0].action, Action::Resume);
}

/// One live process for a conversation (agent-deck#224, claude-code#83719).
#[test]
fn the_second_pane_of_a_conversation_is_blocked() {
    let catalogue = Catalogue::built_in();
    let panes = document(&[claude(1, &["claude"]), claude(2, &["claude"])]);
    let made = plan(&panes, &settings(&catalogue), &Fake::default());
    assert_eq!(made.items[0].action, Action::Resume);
    assert_eq!(made.items[1].action, Action::Blocked);
    assert!(made.items[1].reason.contains("already open in pane p1"));
    let mut live = settings(&catalogue);
    live.live = [2].into();
    let made = plan(&panes, &live, &Fake::default());
    assert_eq!(made.items.len(), 1);
    assert!(made.items[0].reason.contains("already open in pane p2"));
}

#[test]
fn wrappers_in_front_are_kept() {
    let pane = claude(
        1,
        &["npx", "-y", "@anthropic-ai/claude-code", "--model", "opus"],
    );
    let line = argv(&item_of(&pane, &Fake::default()));
    assert_eq!(
        line,
        format!("npx -y @anthropic-ai/claude-code --resume {ID} --model opus")
    );
}

/// Behind `node` the version is the CLI's, not node's.
#[test]
fn the_version_is_asked_of_the_clis_own_program() {
    let world = Fake {
        version: Some("2.1.0"),
        ..Fake::default()
    };
    let id = format!("session_{ID}");
    let argv = ["node", "/opt/bin/kimi", "--session", &id];
    let mut pane = agent("kimi", &argv);
    pane.conversation = Some(conversation(&id));
    check(&pane, &world, Action::Resume, &id);
    let stub = Fake {
        version: Some("1.52.0"),
        ..Fake::default()
    };
    check(&pane, &stub, Action::Blocked, "version 1.52.0");
}
