//! What happens to a conversation, and what is to be done about it.

use crate::again::Known;
use crate::carry::Carried;
use crate::driver::{Answer, Setting};
use crate::event::{Ending, Event};
use crate::inflight::InFlight;
use crate::record::Asked;

/// What happened.
#[derive(Debug)]
pub enum Happening {
    /// The person typed a request. `uuid` is fresh.
    Typed {
        /// What is asked.
        text: String,
        /// A fresh name for the message.
        uuid: String,
        /// Unix seconds, for the record.
        at: u64,
    },
    /// A turn was under way when the program was restarted.
    Cut {
        /// Its record.
        turn: Box<InFlight>,
        /// What is known of its conversation.
        known: Box<Known>,
    },
    /// The process that was asked for runs.
    Started,
    /// It wrote this line.
    Line(String),
    /// It has ended; its last words on stderr.
    Gone {
        /// In words: "exit status 1".
        how: String,
        /// Its last words, perhaps empty.
        words: String,
    },
    /// What to carry into a fresh conversation, asked for by [`Act::Carry`].
    Carried(Option<Carried>),
    /// The person answered a card.
    Answered {
        /// Which.
        card: String,
        /// How.
        answer: Answer,
    },
    /// The person stops the turn.
    Stop,
    /// The person pauses, or goes on.
    Pause(bool),
    /// The person changes a setting.
    Set(Setting),
    /// The person takes the last request that waits back.
    TakeBack,
    /// A mark or a request could not be written down: it must not be sent.
    Unwritten {
        /// In words.
        why: String,
    },
    /// The machine woke, or its network changed.
    Woke,
    /// The moment of `Core::due` has come.
    Time,
}

/// What to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// Start the framework's process; [`Happening::Started`] answers. `session`: the one it is to
    /// open, for frameworks that take it as an argument.
    Spawn {
        /// The conversation to open.
        session: Option<String>,
        /// The id of a new one, where it takes one.
        chosen: Option<String>,
    },
    /// End its family. [`Happening::Gone`] need not follow.
    End,
    /// Stop (or continue) its family by signal.
    Freeze(bool),
    /// Write a line to it.
    Send(String),
    /// Write the in-flight record; on disk before what follows is done.
    Mark(Box<InFlight>),
    /// Remove the in-flight record.
    Unmark,
    /// Write down what is asked; on disk before what follows is done.
    Ask(Box<Asked>),
    /// Write down and show what the framework said.
    Say(Event),
    /// Write down and show that a turn was cut.
    Interrupted {
        /// Why.
        why: String,
    },
    /// Read the records and answer by [`Happening::Carried`].
    Carry {
        /// The framework's id of the conversation that is gone.
        session: Option<String>,
    },
    /// Show this line, not part of the conversation.
    Tell(String),
    /// This request was taken back: it is typed on.
    GiveBack(String),
    /// The queue was empty and the turn is over: a run without a person ends here.
    Rest(Ending),
}
