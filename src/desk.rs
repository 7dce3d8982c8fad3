//! A command's view of the host: its panes with their names, the workspaces, and the asking.
//!
//! In: a connection. Out: plain values. Promises: one `List` and one `NoteList` for each look;
//! a workspace that cannot be read is left out and told.

mod coming;
mod standing;

use crate::cmd::Ctx;
use crate::failure::{Exit, Failure};
use crate::find::{self, Named};
use crate::front::Front;
use crate::out::say;
use link::layout::Workspace;
use link::notes::{self, AgentNote, StateNote, TitleNote};
use link::{Connection, LinkError};
use protocol::msg::{CountPictures, EXITED, Failed, List, NoteList, NoteSet, PaneFacts};
use protocol::{FromHost, PaneId, Role, ToHost};
use std::collections::BTreeMap;
use std::time::Duration;

/// Longest wait for an answer of a host that is connected and working.
pub const ANSWER: Duration = Duration::from_secs(10);

/// One pane with what its notes say.
#[derive(Clone, Debug)]
pub struct Pane {
    /// What the host knows.
    pub facts: PaneFacts,
    /// The name somebody gave it.
    pub name: Option<String>,
    /// The id of its workspace.
    pub workspace: Option<String>,
}

/// A connection and the last look.
#[derive(Debug)]
pub struct Desk {
    /// The connection.
    pub connection: Connection,
    /// The panes there were, oldest first.
    pub panes: Vec<Pane>,
    /// The workspaces there were.
    pub workspaces: Vec<Workspace>,
    /// Panes that are on their way back, and not started yet.
    pub coming: Vec<PaneId>,
}

impl Pane {
    fn new(facts: PaneFacts) -> Self {
        let note = |key: &str| {
            let found = facts.notes.iter().find(|(name, _)| name == key);
            found
                .map(|(_, value)| crate::words::text(value))
                .filter(|text| !text.is_empty())
        };
        Self {
            name: note("name"),
            workspace: note("workspace"),
            facts,
        }
    }

    /// A running pane for tests of what is decided about panes.
    #[cfg(test)]
    pub(crate) fn sample(id: u32) -> Self {
        Self::new(PaneFacts {
            pane: id,
            pid: 0,
            pid_start: 0,
            reaper: 0,
            argv: Vec::new(),
            cwd: Vec::new(),
            cols: 80,
            rows: 24,
            title: String::new(),
            state: protocol::msg::RUNNING,
            raw_status: 0,
            end_note: String::new(),
            age_ms: 0,
            since_input_ms: None,
            since_output_ms: None,
            claimed_by: None,
            shown: false,
            foreground: 0,
            offset: 0,
            notes: Vec::new(),
        })
    }

    /// Its id.
    #[must_use]
    pub const fn id(&self) -> PaneId {
        PaneId(self.facts.pane)
    }

    fn note(&self, key: &str) -> Option<&[u8]> {
        let found = self.facts.notes.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value.as_slice())
    }

    /// What its program does, as the keeper says.
    #[must_use]
    pub fn state_note(&self) -> Option<StateNote> {
        notes::from_json(self.note(notes::STATE)?)
    }

    /// Its agent and conversation, as the keeper says.
    #[must_use]
    pub fn agent_note(&self) -> Option<AgentNote> {
        notes::from_json(self.note(notes::AGENT)?)
    }

    /// Nothing of what it shows goes anywhere else.
    #[must_use]
    pub fn private(&self) -> bool {
        self.note(notes::PRIVATE).is_some()
    }

    /// What it does, in one word: the keeper's, else what the host alone can tell.
    #[must_use]
    pub fn state(&self) -> String {
        let told = self.state_note().filter(|_| self.alive());
        let told = told.filter(|_| self.facts.state != protocol::msg::STOPPED);
        told.map_or_else(
            || crate::words::state(&self.facts).to_owned(),
            |it| it.state,
        )
    }

    /// The same for people.
    #[must_use]
    pub fn state_for_people(&self) -> String {
        let plain = crate::words::state_for_people(&self.facts);
        match self.state().as_str() {
            "needs_input" => "needs input".to_owned(),
            word @ ("working" | "done" | "idle") => word.to_owned(),
            _ => plain,
        }
    }

    /// What it is called: the keeper's word, else the title its program set.
    #[must_use]
    pub fn title(&self) -> String {
        let told = self.title_note();
        told.map_or_else(|| self.facts.title.clone(), |it| it.title)
    }

    fn title_note(&self) -> Option<TitleNote> {
        notes::from_json(self.note(notes::TITLE)?)
    }

    /// Its own words, without what abide puts around a program that comes back.
    #[must_use]
    pub fn argv(&self) -> Vec<Vec<u8>> {
        link::around::inner(&self.facts.argv)
    }

    /// Of an agent that runs there its own command line, for people; else the one that has its terminal.
    #[must_use]
    pub fn command(&self, front: Option<&Front>, most: usize) -> String {
        let agent = self.agent_note().filter(|_| self.alive());
        let told = self.title_note().map(|it| it.command);
        let own = |line: &String| agent.as_ref().is_some_and(|it| line.contains(&it.cli));
        let argv = || {
            let front = front.map(|it| it.argv.clone()).filter(|it| !it.is_empty());
            front.map_or_else(|| self.argv(), |it| link::around::inner(&it))
        };
        let command = match told.filter(own) {
            Some(told) => crate::words::shorten(&told, most),
            None => crate::words::argv(&argv(), most),
        };
        match agent {
            Some(agent) if !command.contains(&agent.cli) => format!("{command} ({})", agent.cli),
            _ => command,
        }
    }

    /// Its program has not ended.
    #[must_use]
    pub const fn alive(&self) -> bool {
        self.facts.state != EXITED
    }
}

impl Desk {
    /// Connects to the host there is (waiting for one that is silent) and looks.
    ///
    /// # Errors
    /// No host, or none that answers.
    pub fn open(ctx: &Ctx, role: Role) -> Result<Self, Failure> {
        let patience = crate::daemons::PATIENCE;
        let connection = link::connect_patiently(&ctx.places, role, patience, &mut say)?;
        Self::on(connection)
    }

    /// Connects to the host there is (waiting for one that is silent) and looks; `None`: there is none.
    ///
    /// # Errors
    /// A host lives and does not answer: nothing may be done as if it were not there.
    pub fn open_if_any(ctx: &Ctx, role: Role) -> Result<Option<Self>, Failure> {
        match Self::open(ctx, role) {
            Ok(desk) => Ok(Some(desk)),
            Err(failure) if failure.exit == Exit::Unreachable => match link::probe(&ctx.places) {
                link::Mode::None { .. } => Ok(None),
                _ => Err(failure),
            },
            Err(failure) => Err(failure),
        }
    }

    /// Connects, starting the host when there is none, and looks.
    ///
    /// # Errors
    /// No host could be reached or started.
    pub fn open_or_start(ctx: &Ctx, role: Role) -> Result<Self, Failure> {
        let connection = link::ensure(&ctx.places, role, &crate::daemons::starter())?;
        // What is wrong with the settings is told where they are used.
        if let Ok(config) = crate::config::Config::load(&ctx.places.config_file()) {
            crate::daemons::keep(&config, &ctx.places);
        }
        Self::on(connection)
    }

    /// Looks through a connection.
    ///
    /// # Errors
    /// The host does not answer.
    pub fn on(connection: Connection) -> Result<Self, Failure> {
        let mut desk = Self {
            connection,
            panes: Vec::new(),
            workspaces: Vec::new(),
            coming: Vec::new(),
        };
        desk.look()?;
        Ok(desk)
    }

    /// How many pictures each pane drew; those without any are left out.
    ///
    /// # Errors
    /// The host does not answer, or is older and does not count.
    pub fn pictures(&mut self) -> Result<BTreeMap<u32, u64>, Failure> {
        match self.ask(PaneId::NONE, CountPictures {})? {
            FromHost::PictureCounts(told) => Ok(told.counts.into_iter().collect()),
            other => Err(unexpected(&other)),
        }
    }

    /// Looks again.
    ///
    /// # Errors
    /// The host does not answer.
    pub fn look(&mut self) -> Result<(), Failure> {
        self.panes = match self.ask(PaneId::NONE, List {})? {
            FromHost::Panes(list) => list.panes.into_iter().map(Pane::new).collect(),
            other => return Err(unexpected(&other)),
        };
        let notes = match self.ask(PaneId::NONE, NoteList {})? {
            FromHost::Notes(notes) => notes.notes,
            other => return Err(unexpected(&other)),
        };
        self.coming = coming::coming(&notes, &self.panes);
        self.workspaces.clear();
        for note in notes
            .iter()
            .filter(|note| note.key.starts_with("workspace/"))
        {
            match Workspace::from_json(&note.value) {
                Ok(workspace) => self.workspaces.push(workspace),
                Err(e) => say(&format!("{}: {e}", crate::words::text(note.key.as_bytes()))),
            }
        }
        Ok(())
    }

    /// Asks the host.
    ///
    /// # Errors
    /// It refuses or does not answer.
    pub fn ask(&mut self, pane: PaneId, message: impl Into<ToHost>) -> Result<FromHost, LinkError> {
        self.connection.request(pane, message, ANSWER)
    }

    /// Asks for something that is answered by "done".
    ///
    /// # Errors
    /// It refuses or does not answer.
    pub fn tell(&mut self, pane: PaneId, message: impl Into<ToHost>) -> Result<(), LinkError> {
        self.ask(pane, message).map(|_| ())
    }

    /// Writes or removes a note, whatever it was before.
    ///
    /// # Errors
    /// It refuses or does not answer.
    pub fn note(&mut self, pane: PaneId, key: &str, value: Option<&[u8]>) -> Result<(), LinkError> {
        let value = value.map(<[u8]>::to_vec);
        self.tell(
            pane,
            NoteSet {
                key: key.to_owned(),
                revision: None,
                value,
            },
        )
    }

    /// The value of a global note.
    ///
    /// # Errors
    /// It refuses or does not answer.
    pub fn global(&mut self, key: &str) -> Result<Option<Vec<u8>>, Failure> {
        match self.ask(PaneId::NONE, NoteList {})? {
            FromHost::Notes(notes) => {
                let found = notes.notes.into_iter().find(|note| note.key == key);
                Ok(found.map(|note| note.value))
            }
            other => Err(unexpected(&other)),
        }
    }

    /// The pane that `word` names.
    ///
    /// # Errors
    /// There is none, or several.
    pub fn find(&self, word: &str) -> Result<&Pane, Failure> {
        let found = find::pane(word, own_pane(), &self.named());
        let coming = word.parse().ok().filter(|id| self.coming.contains(id));
        match (found, coming) {
            (Err(_), Some(id)) => Err(find::FindError::Coming(id).into()),
            (found, _) => self.by_id(found?),
        }
    }

    /// The pane with this id.
    ///
    /// # Errors
    /// There is none.
    pub fn by_id(&self, id: PaneId) -> Result<&Pane, Failure> {
        let found = self.panes.iter().find(|pane| pane.id() == id);
        Ok(found.ok_or_else(|| find::FindError::None(id.to_string()))?)
    }

    /// The panes as words can name them.
    #[must_use]
    pub fn named(&self) -> Vec<Named> {
        let named = self.panes.iter().map(|pane| Named {
            id: pane.id(),
            name: pane.name.clone(),
            workspace: pane
                .workspace
                .as_ref()
                .map(|id| (id.clone(), self.workspace_name(id).unwrap_or(id).to_owned())),
            alive: pane.alive(),
        });
        named.collect()
    }

    /// The name of the workspace with this id.
    #[must_use]
    pub fn workspace_name(&self, id: &str) -> Option<&str> {
        self.workspaces
            .iter()
            .find(|it| it.id == id)
            .map(|it| it.name.as_str())
    }
}

/// The pane this is typed in, by `ABIDE_PANE`.
#[must_use]
pub fn own_pane() -> Option<PaneId> {
    let text = std::env::var("ABIDE_PANE").ok()?;
    text.parse()
        .ok()
        .or_else(|| text.parse().ok().filter(|n| *n > 0).map(PaneId))
}

/// The pane of this very host that this is typed in: a client here would be shown within a client.
#[must_use]
pub fn nested_in(places: &link::Places) -> Option<PaneId> {
    let pane = own_pane()?;
    let key = std::env::var("ABIDE_PANE_KEY").ok()?;
    link::is_pane_of(places, pane, &key).then_some(pane)
}

/// An answer of another kind than the request's.
#[must_use]
pub fn unexpected(message: &FromHost) -> Failure {
    match message {
        FromHost::Failed(Failed { text, .. }) => Failure::new(text.clone()),
        other => Failure::new(format!(
            "the host answered with message kind {}",
            other.kind()
        )),
    }
}
