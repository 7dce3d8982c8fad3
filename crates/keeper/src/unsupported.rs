//! Where there is no host yet, there is nothing to keep.

use crate::{Config, KeeperError};

/// There is no keeper here.
///
/// # Errors
/// Always [`KeeperError::Unsupported`].
pub fn run(_config: Config) -> Result<(), KeeperError> {
    Err(KeeperError::Unsupported)
}

pub mod opened {
    //! Nothing is proved where no host runs.

    use agents::Catalogue;
    use agents::hook::Report;
    use agents::live::Table;
    use protocol::msg::PaneFacts;
    use std::time::Instant;

    /// An agent that was asked for a conversation.
    #[derive(Clone, Debug)]
    pub struct Opened(String);

    /// What a look came to.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum Seen {
        /// Nothing is proved yet.
        Nothing,
        /// It opened what it was asked for.
        Asked,
        /// It opened this one instead, and stayed there.
        Other(String),
    }

    impl Opened {
        /// Of an agent that is started on the conversation `asked`.
        #[must_use]
        pub fn new(asked: &str) -> Self {
            Self(asked.to_owned())
        }

        /// The conversation it was asked for.
        #[must_use]
        pub fn asked(&self) -> &str {
            &self.0
        }

        /// A hook of the pane reported.
        pub fn reported(&mut self, _: &Catalogue, _: &Report) {}

        /// Looks at the processes of the pane.
        pub fn look(&mut self, _: &Catalogue, _: &Table, _: &PaneFacts, _: Instant) -> Seen {
            Seen::Nothing
        }
    }
}
