//! A sealed home with a CLI, a model and a keeper; a person at it; the day the power fails.
//!
//! Promises: the judge of a conversation's id is the model, where the CLI tells it there, never abide;
//! nothing here types into a pane but what its name says.

use crate::cli::{Cli, Installed};
use crate::model::Request;
use crate::{Home, Model, Process, Signal, Watch, processes, until_within};
use protocol::PaneId;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

/// Starting, resuming: long on a machine that does much else.
pub const LONG: Duration = Duration::from_secs(300);

/// How long a CLI may draw its new conversation without listening.
const DRAWN: Duration = Duration::from_secs(2);

/// A home with a CLI.
#[derive(Debug)]
pub struct Rig {
    /// The model it talks to.
    pub model: Model,
    /// The CLI.
    pub cli: Installed,
    /// What the host of the last [`Rig::start_watched`] writes into its terminals.
    watch: Mutex<Option<Watch>>,
    /// Where everything lies.
    pub home: Home,
}

impl Rig {
    /// `None`, and a line that says why, where the CLI cannot be had.
    ///
    /// # Panics
    /// When the home cannot be made.
    #[must_use]
    pub fn new(exe: &str, cli: &'static Cli) -> Option<Self> {
        let mut home = Home::with_keeper(exe);
        let model = Model::start();
        let cli = cli.set_up(&mut home, &model)?;
        let watch = Mutex::new(None);
        let rig = Self {
            model,
            cli,
            watch,
            home,
        };
        rig.start();
        Some(rig)
    }

    /// A folder that the CLI trusts.
    pub fn folder(&self) -> PathBuf {
        self.home.work()
    }

    /// Starts the CLI by `abide new --agent`, waits until it listens.
    pub fn launched(&self, flags: &[&str]) -> PaneId {
        let mut words = vec!["new", "--no-attach", "--agent", self.cli.cli.name, "--"];
        words.extend(flags);
        let said = self.home.abide(words).ok();
        let pane = said
            .lines()
            .last()
            .and_then(|line| line.parse().ok())
            .expect("a pane's id");
        self.cli.wait_ready(&self.home, pane);
        pane
    }

    /// Starts bash in a pane and types the CLI's name into it, waits until it listens.
    pub fn typed(&self) -> PaneId {
        self.typed_as(self.cli.cli.program)
    }

    /// As [`Rig::typed`], with a line of one's own.
    pub fn typed_as(&self, line: &str) -> PaneId {
        let pane = self.home.pane(["bash"]);
        self.home.wait_capture(pane, r"ready\$");
        let id = pane.to_string();
        let _said = self.home.abide(["send", &id, "--enter", line]).ok();
        self.cli.wait_ready(&self.home, pane);
        pane
    }

    /// One turn; gives the model's request.
    pub fn ask(&self, pane: PaneId, text: &str) -> Request {
        self.cli.ask(&self.home, &self.model, pane, text)
    }

    /// What `abide status` says of a pane; null without it.
    pub fn status(&self, pane: PaneId) -> Value {
        let told = self.home.abide(["status", "--json"]).json();
        let id = pane.to_string();
        let panes = told["panes"].as_array().cloned().unwrap_or_default();
        panes
            .into_iter()
            .find(|it| it["id"] == id.as_str())
            .unwrap_or_default()
    }

    /// Waits until abide says that the pane has this conversation.
    #[track_caller]
    pub fn wait_known(&self, pane: PaneId, id: &str) {
        let mut last = Value::Null;
        let known = crate::wait::poll(LONG, || {
            last = self.status(pane);
            (last["conversation"] == id).then_some(())
        });
        let copies = || self.home.abide(["vault", "ls", "--json"]).json();
        assert!(
            known.is_some(),
            "{pane} has {id}, abide says {last:#}\n{:#}",
            copies()
        );
    }

    /// The conversation that abide says the pane has.
    #[track_caller]
    pub fn known(&self, pane: PaneId) -> String {
        let what = format!("a conversation of {pane}");
        until_within(LONG, &what, || {
            self.status(pane)["conversation"]
                .as_str()
                .map(str::to_owned)
        })
    }

    /// Begins another conversation in the same process; what was answered is off the screen then.
    ///
    /// # Panics
    /// When the CLI does not take its command.
    #[track_caller]
    pub fn renew(&self, pane: PaneId) {
        let command = self.cli.cli.renew;
        let changed = || !self.home.capture(pane).contains("ANSWER");
        self.cli.submit(&self.home, pane, command, changed);
        // Some draw anew first and lose what is typed meanwhile.
        self.cli.wait_ready(&self.home, pane);
        crate::wait::holds_for(DRAWN, "time passes", || true);
    }

    /// As [`Rig::renew`], and waits until abide knows the new conversation; gives its id.
    ///
    /// # Panics
    /// When it does not in time.
    #[track_caller]
    pub fn renew_known(&self, pane: PaneId, before: &str) -> String {
        self.renew(pane);
        self.known_but(pane, before)
    }

    /// Waits until abide says that the pane has another conversation than `before`; gives its id.
    ///
    /// # Panics
    /// When it does not in time.
    #[track_caller]
    pub fn known_but(&self, pane: PaneId, before: &str) -> String {
        until_within(LONG, "another conversation", || {
            let id = self.status(pane)["conversation"].as_str()?.to_owned();
            (id != before).then_some(id)
        })
    }

    /// The CLI's command that opens another conversation in the same process; gives the id that abide
    /// knows then.
    ///
    /// # Panics
    /// When it does not in time.
    #[track_caller]
    pub fn goes_to_another(&self, pane: PaneId, command: &str, before: &str) -> String {
        let another = || {
            let now = self.status(pane);
            now["conversation"].as_str().is_some_and(|id| id != before)
        };
        self.cli.submit(&self.home, pane, command, another);
        self.known_but(pane, before)
    }

    /// Waits until the vault has all that is on disk of a conversation.
    ///
    /// # Panics
    /// When it has not in time.
    pub fn copied(&self, id: &str) {
        until_within(LONG, &format!("a whole copy of {id}"), || {
            let said = self.home.abide(["vault", "ls", "--json"]).json();
            let copies = said["copies"].as_array()?.clone();
            let mut own = copies.iter().filter(|it| it["conversation"] == id);
            let whole = |it: &Value| {
                let length = std::fs::metadata(it["path"].as_str()?).ok()?.len();
                (it["intact"] == true && it["bytes"] == length).then_some(())
            };
            let any = own.clone().any(|it| it["former"] == false);
            (any && own.all(|it| it["former"] == true || whole(it).is_some())).then_some(())
        });
    }

    /// Nobody and nothing typed into the pane since it was made: by the host's word and, where it was
    /// started watched, by the kernel's, which no pane of this host is exempt from.
    ///
    /// # Panics
    /// When something was typed.
    #[track_caller]
    pub fn assert_untouched(&self, pane: PaneId) {
        let status = self.status(pane);
        assert!(
            status["alive"] == true && status["since_input_ms"].is_null(),
            "{status:#}"
        );
        if let Some(watch) = &*self.watch.lock().expect("nobody panics holding it") {
            watch.assert_untouched();
        }
    }

    /// What the test itself typed is seen where the host was started watched, so that seeing nothing
    /// before means something.
    ///
    /// # Panics
    /// When it is not seen.
    #[track_caller]
    pub fn assert_watched(&self, text: &str) {
        if let Some(watch) = &*self.watch.lock().expect("nobody panics holding it") {
            watch.assert_typed(text);
        }
    }

    /// Everything of this home dies at once, as when the power fails: agents, shells, reapers, host,
    /// keeper.
    pub fn cut_power(&self) {
        let ours = || {
            let mut found = self.home.processes();
            found.extend(self.family());
            found
        };
        // Stopped first, so that nobody sees the others go.
        for signal in [Signal::STOP, Signal::KILL] {
            ours().iter().for_each(|process| process.signal(signal));
        }
        until_within(LONG, "nothing is left", || {
            let left = ours();
            left.iter().for_each(|process| process.signal(Signal::KILL));
            left.is_empty().then_some(())
        });
    }

    /// A shutdown in good order: the signal to every agent and shell, the host and the keeper at once.
    ///
    /// # Panics
    /// When one of them stays.
    pub fn shut_down(&self, signal: Signal) {
        self.family()
            .iter()
            .for_each(|process| process.signal(signal));
        self.home
            .processes()
            .iter()
            .for_each(|process| process.signal(signal));
        until_within(LONG, "nothing is left", || {
            (self.family().is_empty() && self.home.processes().is_empty()).then_some(())
        });
    }

    /// Waits until what a start does is done.
    ///
    /// # Panics
    /// When it is not in time.
    pub fn wait_restored(&self) {
        until_within(LONG, "the end of a restore", || {
            let told = self.home.abide(["status", "--json"]).json();
            told["restore"]["line"].as_str().map(|_| ())
        });
    }

    /// Every living process of the panes: they carry the home in their environment.
    fn family(&self) -> Vec<Process> {
        let user = self.home.path().join("user");
        let user = user.as_os_str().as_encoded_bytes();
        let ours =
            |p: &Process| p.alive() && processes::variable(p.pid, "HOME").as_deref() == Some(user);
        processes::all().into_iter().filter(ours).collect()
    }

    /// As [`Rig::start`], under a watch that sees every byte the host writes into a terminal; without it,
    /// and with a line that says so, where nothing can be traced.
    pub fn start_watched(&self) {
        let mut watch = self.watch.lock().expect("nobody panics holding it");
        *watch = None;
        *watch = Watch::start(&self.home);
        if watch.is_none() {
            super::skipped(
                "strace cannot trace here: what is typed is known by the host's word alone",
            );
            self.start();
        }
    }

    /// Starts what is missing, as the next command of a user or the service does.
    pub fn start(&self) {
        // A host that is slow to start is said to be starting, and waited for.
        until_within(LONG, "a host", || {
            let said = self.home.abide(["host", "start"]).limit(LONG).run();
            (said.code == 0).then_some(())
        });
    }
}
