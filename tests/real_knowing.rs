//! Real CLIs, typed into bash: which conversation each has is known by proof, follows the command that
//! begins another, and what their hooks say is the same. Needs npm; left out visibly without. All but
//! Claude Code and Codex only with `ABIDE_TEST_ALL_CLIS=1`: they take minutes and a gigabyte.

#![cfg(test)]

use agents::hook::{Report, accepted};
use agents::live::{self, Found, How, Learnt, Running, Table};
use agents::{Catalogue, helpers};
use protocol::msg::Subscribe;
use protocol::{FromHost, PaneId, Role};
use std::time::{Duration, Instant};
use sys::process::Identity;
use testkit::cli::{CLAUDE, CODEX, COPILOT, Cli, Installed, OPENCODE, QWEN, skipped};
use testkit::{Home, Model, Wire, until_within};

/// A CLI's first start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(90);

/// A pane whose shell runs a CLI.
struct Typed {
    home: Home,
    cli: Installed,
    model: Model,
    wire: Wire,
    pane: PaneId,
}

impl Typed {
    fn new(cli: &'static Cli) -> Option<Self> {
        Self::with(cli, "")
    }

    fn with(cli: &'static Cli, config: &str) -> Option<Self> {
        Self::in_home(cli, config, Home::new)
    }

    fn in_home(
        cli: &'static Cli,
        config: &str,
        home: impl Fn(&'static str) -> Home,
    ) -> Option<Self> {
        let always = ["claude", "codex"].contains(&cli.name) && config.is_empty();
        if !always && std::env::var_os("ABIDE_TEST_ALL_CLIS").is_none() {
            skipped(&format!("{}: ABIDE_TEST_ALL_CLIS is not set", cli.name));
            return None;
        }
        let mut home = home(env!("CARGO_BIN_EXE_abide"));
        let model = Model::start();
        let cli = cli.set_up(&mut home, &model)?;
        home.write_config(config);
        home.start();
        let mut wire = Wire::connect(&home, Role::Observe);
        wire.must(PaneId::NONE, Subscribe {});
        let pane = home.pane(["bash"]);
        let id = pane.to_string();
        home.abide(["send", &id, "--enter", cli.cli.program]).ok();
        cli.wait_ready(&home, pane);
        Some(Self {
            home,
            cli,
            model,
            wire,
            pane,
        })
    }

    fn ask(&self, text: &str) {
        let _request = self.cli.ask(&self.home, &self.model, self.pane, text);
    }

    /// The agent and what is proved of it now.
    fn look(&mut self, before: Option<&Learnt>) -> Option<(Running, Result<Learnt, String>)> {
        let catalogue = Catalogue::built_in();
        let facts = self.wire.facts(self.pane);
        let root = Identity {
            pid: facts.pid.cast_signed(),
            start: facts.pid_start,
        };
        let table = Table::read();
        let found = live::agent_of(&catalogue, &table, root, facts.foreground.cast_signed());
        let Found::Agent(running) = found else {
            return None;
        };
        let spec = catalogue.get(&running.cli).expect("a spec");
        let shared = helpers::find(spec, &table, &|name| running.env.get(name));
        let learnt = live::conversation(spec, &running, before, shared.first());
        Some((*running, learnt.map_err(|why| why.to_string())))
    }

    /// What is proved, once it is another id than `before`'s.
    #[track_caller]
    fn learns(&mut self, how: How, before: Option<&Learnt>) -> (Running, Learnt) {
        let name = self.cli.cli.name;
        until_within(PATIENCE, &format!("{name}'s conversation"), || {
            let (running, learnt) = self.look(before)?;
            let learnt = learnt.ok()?;
            let new = before.is_none_or(|before| before.id != learnt.id);
            (new && learnt.how == how && running.typed && running.cli == name)
                .then_some((running, learnt))
        })
    }

    /// The next report of one of these events.
    #[track_caller]
    fn hears(&mut self, events: &[&str]) -> Report {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            if let Some(said) = self.wire.next(Duration::from_secs(1))
                && let FromHost::Reported(reported) = said.message
                && let Some(report) = Report::from_json(&reported.body)
                && events.contains(&report.event.as_str())
            {
                assert_eq!(said.pane, self.pane);
                return report;
            }
        }
        panic!(
            "{} never reported {events:?}:\n{}",
            self.cli.cli.name,
            self.home.capture(self.pane)
        );
    }
}

/// By a file or a lock: at once, through a turn, and after the command that begins another.
fn followed(cli: &'static Cli, how: How, at_once: bool) -> Option<(Typed, Running, Learnt)> {
    let mut typed = Typed::new(cli)?;
    let (_, first) = typed.learns(how, None);
    typed.ask("say one");
    let (_, same) = typed.learns(how, None);
    assert_eq!(same.id, first.id);
    let renew = typed.cli.cli.renew;
    let pane = typed.pane.to_string();
    typed.home.abide(["send", &pane, renew]).ok();
    typed.home.wait_capture(typed.pane, renew);
    typed.home.abide(["send", &pane, "--keys", "Enter"]).ok();
    if !at_once {
        typed.cli.wait_ready(&typed.home, typed.pane);
        typed.ask("say two");
    }
    let (running, second) = typed.learns(how, Some(&same));
    Some((typed, running, second))
}

#[test]
fn claude_code() {
    let Some((mut typed, running, second)) = followed(&CLAUDE, How::Live, true) else {
        return;
    };
    // What its hooks said on the way: the first conversation's start, its turn, the second's start.
    let first = typed.hears(&["SessionStart"]);
    assert_eq!(first.source.as_deref(), Some("startup"));
    assert!(
        accepted(&Catalogue::built_in(), &first, &running),
        "{first:?}"
    );
    assert_eq!(typed.hears(&["UserPromptSubmit"]).id, first.id);
    assert_eq!(typed.hears(&["Stop"]).id, first.id);
    let again = typed.hears(&["SessionStart"]);
    assert_eq!(
        (again.source.as_deref(), again.id.as_deref()),
        (Some("clear"), Some(second.id.as_str()))
    );
}

#[test]
fn codex() {
    drop(followed(&CODEX, How::Lock, false));
}

/// Without the variable that panes get, Codex begins a daemon that holds every conversation.
#[test]
fn codex_beside_its_daemon() {
    let Some(mut typed) = Typed::with(&CODEX, "[agents]\npane_environment = false\n") else {
        return;
    };
    let (running, why) = until_within(PATIENCE, "the daemon", || {
        let (running, learnt) = typed.look(None)?;
        let why = learnt.err()?;
        why.contains("shared app-server daemon")
            .then_some((running, why))
    });
    assert!(why.starts_with("unknown conversation"), "{why}");
    let spec = Catalogue::built_in().get("codex").cloned().expect("a spec");
    let found = helpers::find(&spec, &Table::read(), &|name| running.env.get(name));
    let [daemon] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert!(daemon.tag.is_some(), "begun in a pane: {daemon:?}");
    assert!(!running.own.contains(&daemon.process));
    // Its conversation is held, though nobody says by which pane.
    typed.ask("say one");
    let env = |name: &str| running.env.get(name);
    let held = until_within(PATIENCE, "a lock", || {
        let home = agents::home(&spec, &env)?;
        let locks = std::fs::read_dir(home.join("thread-writer-locks")).ok()?;
        // Beside those of conversations lies one for all of them.
        locks.flatten().find_map(|lock| {
            let name = lock.file_name().into_string().ok()?;
            let id = name.strip_suffix(".lock")?;
            live::holder(&Catalogue::built_in(), &Table::read(), &spec, id, &env)
        })
    });
    assert_eq!(held.process, daemon.process);
}

/// The daemon that one pane's Codex began serves another's: it lives as long as one of them does
/// (codex's own daemon outlives every terminal it was begun in).
#[test]
fn codexs_daemon_ends_with_the_last_pane_that_uses_it() {
    let Some(typed) = Typed::in_home(
        &CODEX,
        "[agents]\npane_environment = false\n",
        Home::with_keeper,
    ) else {
        return;
    };
    let home = &typed.home;
    let second = home.pane(["bash"]);
    home.abide(["send", &second.to_string(), "--enter", "codex"])
        .ok();
    typed.cli.wait_ready(home, second);
    let used = |pane: PaneId| home.host_log().contains(&format!("{pane} uses process"));
    until_within(PATIENCE, "both panes' use of it", || {
        (used(typed.pane) && used(second)).then_some(())
    });
    let log = home.host_log();
    let (_, rest) = log.split_once(" uses process ").expect("told");
    let pid = rest
        .split(',')
        .next()
        .and_then(|pid| pid.parse().ok())
        .expect("a pid");
    let daemon = testkit::Process::of(pid).expect("it runs");
    home.abide(["kill", &typed.pane.to_string()]).ok();
    home.abide(["wait", &typed.pane.to_string(), "--exit"]).ok();
    assert!(daemon.alive(), "the second still uses it");
    home.abide(["kill", &second.to_string()]).ok();
    daemon.wait_gone();
}

#[test]
fn qwen_code() {
    let Some((mut typed, running, second)) = followed(&QWEN, How::Live, true) else {
        return;
    };
    let first = typed.hears(&["SessionStart"]);
    assert!(
        accepted(&Catalogue::built_in(), &first, &running),
        "{first:?}"
    );
    assert_eq!(typed.hears(&["Stop"]).id, first.id);
    assert_eq!(
        typed.hears(&["SessionStart"]).id.as_deref(),
        Some(second.id.as_str())
    );
}

#[test]
fn copilot() {
    drop(followed(&COPILOT, How::Lock, true));
}

#[test]
fn opencode_tells_with_its_first_message() {
    let Some(mut typed) = Typed::new(&OPENCODE) else {
        return;
    };
    let (running, unknown) = typed.look(None).expect("it runs");
    assert!(
        unknown
            .expect_err("no proof")
            .starts_with("unknown conversation")
    );
    typed.ask("say one");
    let report = typed.hears(&["session.created"]);
    assert!(
        accepted(&Catalogue::built_in(), &report, &running),
        "{report:?}"
    );
    let spec = Catalogue::built_in()
        .get("opencode")
        .cloned()
        .expect("a spec");
    let learnt = agents::hook::learnt(&spec, &report, &running).expect("an id");
    assert!(learnt.id.starts_with("ses_"), "{learnt:?}");
    assert_eq!(
        typed.hears(&["session.status"]).id.as_ref(),
        Some(&learnt.id)
    );
    assert_eq!(typed.hears(&["session.idle"]).id.as_ref(), Some(&learnt.id));
    // Reported once, it is what is known until something says otherwise.
    let (_, still) = typed.look(Some(&learnt)).expect("it runs");
    assert_eq!(still.expect("known").id, learnt.id);
}
