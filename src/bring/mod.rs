//! Bringing panes back from a command: by asking the keeper, or, where none lives, right here.
//!
//! In: why (`restore::Cause`). Out: what it came to. Promises: the keeper is asked through
//! `restore.json` and a poke, and has `TAKE` to take the wish; what is done here goes through a
//! connection that cannot type into a pane; two that bring back at once wait for each other, and
//! the host refuses an id that is taken, so nothing is started twice.

mod compare;
mod drive;

pub use drive::drive;

use crate::cmd::Ctx;
use crate::config::Config;
use crate::daemons;
use crate::desk::Desk;
use crate::failure::Failure;
use crate::out::say;
use agents::Catalogue;
use link::Places;
use protocol::{PaneId, Role};
use restore::execute::Report;
use restore::verdict::Reason;
use restore::world::{Machine, Restarted};
use restore::{Cause, Document, Plan, Settings, Store, Vault, plan};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};
use sys::files::Lock;

/// How long the keeper has to take a wish.
const TAKE: Duration = Duration::from_secs(3);
/// How long another one that brings panes back is waited for.
const OTHERS: Duration = Duration::from_secs(120);
/// Pause between two looks whether the wish was taken.
const PAUSE: Duration = Duration::from_millis(20);

/// What became of a wish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Brought {
    /// The keeper does it.
    ByKeeper,
    /// It was done here.
    Here(Report),
}

/// Everything a plan is made of.
#[derive(Debug)]
pub struct Bringer {
    /// The settings.
    pub config: Config,
    /// The records.
    pub store: Store,
    /// Where the instance lies.
    pub places: Places,
    catalogue: Catalogue,
}

impl Bringer {
    /// Reads settings and data files.
    ///
    /// # Errors
    /// The settings cannot be used, or the state folder not.
    pub fn new(ctx: &Ctx) -> Result<Self, Failure> {
        let agents = Catalogue::load(&ctx.places.config.join("agents"));
        agents.left_out.iter().for_each(|line| say(line));
        Ok(Self {
            config: ctx.config()?,
            store: Store::open(&ctx.places.state)?.telling(say),
            places: ctx.places.clone(),
            catalogue: agents.catalogue,
        })
    }

    /// What becomes of each pane. `live`: those whose program runs.
    #[must_use]
    pub fn plan(&self, document: &Document, cause: Cause, live: BTreeSet<u32>) -> Plan {
        let settings = self.settings(document, cause, live);
        plan(document, &settings, &self.machine())
    }

    /// What would become of each pane if the machine restarted now, whatever runs.
    #[must_use]
    pub fn plan_restart(&self, document: &Document) -> Plan {
        let cause = Cause::Gone(Reason::Machine);
        let settings = self.settings(document, cause, BTreeSet::new());
        plan(document, &settings, &Restarted(self.machine()))
    }

    fn settings(&self, document: &Document, cause: Cause, live: BTreeSet<u32>) -> Settings<'_> {
        Settings {
            cause,
            start: self.config.restore_start(),
            go_on: self.config.restore_continue(),
            attended: crate::cmd::attach::on_terminal(),
            live,
            shown: shown(document),
            catalogue: &self.catalogue,
        }
    }

    /// This machine, its panes getting this command's environment.
    fn machine(&self) -> Machine {
        let shell = daemons::shell(&self.config);
        let vault = self.vault().answers(self.catalogue.clone());
        Machine::new(shell.into(), self.catalogue.clone())
            .with_environment(std::env::vars_os().collect())
            .with_vault(vault)
    }

    fn vault(&self) -> Vault {
        Vault::at(self.store.path().parent().unwrap_or(Path::new(".")))
    }

    /// Puts the transcript of a pane back before it is started.
    fn transcript_back(&self, pane: u32) -> Result<(), String> {
        let document = self.store.document().map_err(|error| error.to_string())?;
        let record = document.pane(pane).ok_or("its record is gone")?;
        let back = self.vault().put_back_for(&self.catalogue, &record)?;
        for path in &back.put {
            say(&format!(
                "p{pane}: its transcript {} is put back",
                path.display()
            ));
        }
        Ok(())
    }
}

/// The panes in front of each workspace.
fn shown(document: &Document) -> BTreeSet<u32> {
    let fronts = document.workspaces().into_iter().filter_map(|workspace| {
        let tab = workspace.tabs.get(workspace.active)?;
        Some(tab.root.panes())
    });
    fronts.flatten().collect()
}

/// The panes whose program runs.
#[must_use]
pub fn live(desk: &Desk) -> BTreeSet<u32> {
    let alive = desk.panes.iter().filter(|pane| pane.alive());
    alive.map(|pane| pane.facts.pane).collect()
}

/// Brings back what `cause` asks for; starts the host when there is none.
///
/// # Errors
/// No host, or the records cannot be written.
pub fn bring(ctx: &Ctx, bringer: &Bringer, cause: Cause) -> Result<Brought, Failure> {
    let mut desk = Desk::open_or_start(ctx, Role::Manage)?;
    if ask_keeper(ctx, bringer, &mut desk, &cause)? {
        return Ok(Brought::ByKeeper);
    }
    let lock = ctx.places.state.join("restore.run.lock");
    let _lock = Lock::exclusive(&lock, OTHERS)?;
    desk.look()?;
    let document = bringer.store.document()?;
    let plan = bringer.plan(&document, cause.clone(), live(&desk));
    let beginning = plan.beginning(&cause.words());
    beginning.iter().for_each(|line| say(line));
    drive(bringer, desk.connection, plan, &cause).map(Brought::Here)
}

/// Has the keeper do it. False: there is none, or it did not take the wish in time.
///
/// # Errors
/// The records cannot be written.
pub fn ask_keeper(
    ctx: &Ctx,
    bringer: &Bringer,
    desk: &mut Desk,
    cause: &Cause,
) -> Result<bool, Failure> {
    if !link::keeper::lives(&ctx.places) {
        return Ok(false);
    }
    let now = sys::boot::unix_now();
    bringer.store.change(|document| document.ask(cause, now))?;
    poke(desk)?;
    let begun = Instant::now();
    while begun.elapsed() < TAKE {
        if !bringer.store.document()?.asked().contains(cause) {
            return Ok(true);
        }
        std::thread::sleep(PAUSE);
    }
    let mut waited_for_nobody = false;
    bringer.store.change(|document| {
        waited_for_nobody = document.unask(cause);
        Ok(())
    })?;
    if waited_for_nobody {
        say("the keeper does not answer; it is done without it");
    }
    Ok(!waited_for_nobody)
}

/// Tells the keeper that `restore.json` was changed.
///
/// # Errors
/// The host refuses.
pub fn poke(desk: &mut Desk) -> Result<(), Failure> {
    let value = format!("{}-{:016x}", std::process::id(), nonce());
    desk.note(PaneId::NONE, link::notes::POKE, Some(value.as_bytes()))?;
    Ok(())
}

/// As [`poke`], where there is a host. One that does not answer is told and hinders nothing: the keeper
/// reads what was changed at its next start, too.
pub fn poke_any(ctx: &Ctx) {
    let desk = Desk::open_if_any(ctx, Role::Control);
    let poked = desk.and_then(|desk| desk.map_or(Ok(()), |mut desk| poke(&mut desk)));
    if let Err(failure) = poked {
        say(&failure.text);
    }
}

/// Another number at each call.
fn nonce() -> u128 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |it| it.as_nanos())
}
