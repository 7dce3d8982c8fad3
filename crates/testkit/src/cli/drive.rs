//! A person at a real CLI: types a text, sees it, presses Enter.

use crate::cli::Installed;
use crate::home::Home;
use crate::model::{Model, Request};
use crate::wait::{holds_for, poll};
use protocol::PaneId;
use std::time::Duration;

/// Some CLIs take an Enter that comes right behind text for part of a paste.
const BEFORE_ENTER: Duration = Duration::from_millis(400);
/// How long an Enter may go unnoticed before it is pressed again.
const UNNOTICED: Duration = Duration::from_secs(8);
/// Starting takes long on a machine that does much else.
const START: Duration = Duration::from_secs(120);

impl Installed {
    /// Waits until it listens.
    ///
    /// # Panics
    /// When it does not in time, with its screen.
    #[track_caller]
    pub fn wait_ready(&self, home: &Home, pane: PaneId) {
        let regex = crate::wait::pattern(self.cli.ready);
        let ready = || regex.is_match(&home.capture(pane)).then_some(());
        if poll(START, ready).is_none() {
            panic!("{} is not ready:\n{}", self.cli.name, home.capture(pane));
        }
    }

    /// Types a text and Enter, and sees that the CLI took it: the text leaves the last lines, where
    /// it is typed, or `taken` says so.
    ///
    /// # Panics
    /// When the CLI does not show the text, or keeps it.
    #[track_caller]
    pub fn submit(&self, home: &Home, pane: PaneId, text: &str, mut taken: impl FnMut() -> bool) {
        let id = pane.to_string();
        let _said = home.abide(["send", &id, text]).ok();
        let start: String = text.chars().take(20).collect();
        home.wait_capture(pane, &regex::escape(&start));
        for _ in 0..4 {
            holds_for(BEFORE_ENTER, "time passes", || true);
            let _said = home.abide(["send", &id, "--keys", "Enter"]).ok();
            if poll(UNNOTICED, || taken().then_some(())).is_some() {
                return;
            }
        }
        panic!(
            "{} does not take {text:?}:\n{}",
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
