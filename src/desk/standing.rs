//! What stands in a pane: what is written down of it, or something in its place. Pure.

use super::Pane;

impl Pane {
    /// A shell stands in the place of what did not come back.
    #[must_use]
    pub fn stands_in(&self) -> bool {
        restore::plan::stands_in(&self.facts.argv)
    }

    /// That shell is at its prompt: nothing the user began runs in it.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        [0, self.facts.pid].contains(&self.facts.foreground)
    }

    /// What is written down of it runs: nothing stands in its place, nor another conversation.
    #[must_use]
    pub fn is_itself(&self) -> bool {
        let other = self.agent_note().is_some_and(|it| it.opened.is_some());
        self.alive() && !self.stands_in() && !other
    }
}
