//! What is written down so that a later start can bring it back, and what a start does with it.
//!
//! [`store`] keeps `restore.json`, [`record`] is what stands in it. Pure: [`intent`] says what the end
//! of a program means, [`verdict`] whether the host is gone, [`plan()`] what becomes of each pane,
//! [`execute`] when what is started; [`world`] is the outside as a plan asks it. [`vault`] has copies of
//! transcripts. In: facts about
//! processes, files and the user's wishes, as values. Out: records, and what is to be done. Promises:
//! no socket, no screen, no process started; a record is an offer that only the user or a proven new
//! id replaces, so no failure erases one.

#![forbid(unsafe_code)]

pub mod environ;
pub mod execute;
pub mod intent;
pub mod plan;
pub mod record;
pub mod store;
mod text;
pub mod vault;
pub mod verdict;
pub mod world;

pub use plan::{Action, Cause, Item, Plan, Settings, Spawn, plan};
pub use record::{AgentRecord, Conversation, How, Intent, PaneRecord};
pub use store::{Document, Merged, Records, Store, StoreError};
pub use text::{Text, os, texts};
pub use vault::Vault;
pub use verdict::{Reason, Verdict, judge};
pub use world::World;
