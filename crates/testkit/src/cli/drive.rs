//! A person at a real CLI: types a text, sees it, presses Enter.

use crate::cli::{Installed, LONG};
use crate::home::Home;
use crate::model::{Model, Request};
use crate::wait::{holds_for, poll};
use protocol::PaneId;
use std::time::Duration;

/// Some CLIs take an Enter that comes right behind text for part of a paste.
const BEFORE_ENTER: Duration = Duration::from_millis(400);
/// How long an Enter may go unnoticed before it is pressed again; longer each time.
const UNNOTICED: Duration = Duration::from_secs(8);
/// How long a text may stay unseen before it is typed again: some CLIs drop keys while they draw anew.
const UNSEEN: Duration = Duration::from_secs(20);
/// How often a person tries.
const TRIES: u32 = 5;

impl Installed {
    /// Waits until it listens.
    ///
    /// # Panics
    /// When it does not in time, with its screen.
    #[track_caller]
    pub fn wait_ready(&self, home: &Home, pane: PaneId) {
        let regex = crate::wait::pattern(self.cli.ready);
        let ready = || regex.is_match(&home.capture(pane)).then_some(());
        if poll(LONG, ready).is_none() {
            panic!("{} is not ready:\n{}", self.cli.name, home.capture(pane));
        }
    }

    /// Types a text and Enter, and sees that the CLI took it: `taken` says so.
    ///
    /// # Panics
    /// When the CLI does not show the text, or keeps it.
    #[track_caller]
    pub fn submit(&self, home: &Home, pane: PaneId, text: &str, mut taken: impl FnMut() -> bool) {
        self.type_in(home, pane, text);
        for tried in 0..TRIES {
            holds_for(BEFORE_ENTER, "time passes", || true);
            keys(home, pane, "Enter");
            let patience = UNNOTICED * 2_u32.pow(tried);
            if poll(patience, || taken().then_some(())).is_some() {
                return;
            }
        }
        panic!(
            "{} does not take {text:?}:\n{}",
            self.cli.name,
            home.capture(pane)
        );
    }

    /// Types a text and sees it on the screen.
    #[track_caller]
    fn type_in(&self, home: &Home, pane: PaneId, text: &str) {
        let start: String = text.chars().take(20).collect();
        for _ in 0..TRIES {
            let shown = home.capture(pane).matches(&start).count();
            let _said = home.abide(["send", &pane.to_string(), text]).ok();
            let seen = || (home.capture(pane).matches(&start).count() > shown).then_some(());
            if poll(UNSEEN, seen).is_some() {
                return;
            }
            keys(home, pane, "C-u");
        }
        panic!(
            "{} does not show {text:?}:\n{}",
            self.cli.name,
            home.capture(pane)
        );
    }

    /// Sends a text that begins a turn; gives the model's first request of it.
    ///
    /// # Panics
    /// When none comes.
    #[track_caller]
    pub fn ask(&self, home: &Home, model: &Model, pane: PaneId, text: &str) -> Request {
        let before = model.sent(text);
        self.submit(home, pane, text, || model.sent(text) > before);
        model.wait_sent(text, before + 1)
    }
}

fn keys(home: &Home, pane: PaneId, key: &str) {
    let _said = home.abide(["send", &pane.to_string(), "--keys", key]).ok();
}
