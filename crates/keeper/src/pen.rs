//! Writes the core's edits into `restore.json`, each a read-merge-write under the store's lock.
//!
//! Promises: only what the keeper knows is laid over a record that is there: intents change by their
//! events, and what commands and restores write (tries, settings, what to keep) stays; the host that
//! has the panes is written beside them.

use crate::core::{Edit, apply};
use restore::record::{BootRecord, HostRecord};
use restore::{Document, Intent, Merged, PaneRecord, Store, StoreError};

/// Field of a pane's record that only the keeper uses: the host it ran in last.
const INSTANCE: &str = "instance";

/// The host whose panes are written down.
#[derive(Clone, Debug, Default)]
pub(crate) struct Whose {
    /// The host.
    pub(crate) host: HostRecord,
    /// The boot it runs in.
    pub(crate) boot: BootRecord,
}

/// Writes edits down; `whose` too, unless panes of a former host are still to come back.
///
/// # Errors
/// [`StoreError`]; nothing was written then.
pub(crate) fn write(
    store: &Store,
    edits: &[Edit],
    whose: Option<&Whose>,
    unix: u64,
) -> Result<Merged, StoreError> {
    store.change(|document| {
        if let Some(whose) = whose {
            if document.host().as_ref() != Some(&whose.host) {
                document.set_host(&whose.host);
            }
            if document.boot().as_ref() != Some(&whose.boot) {
                document.set_boot(&whose.boot);
            }
        }
        let instance = whose.map(|it| it.host.instance.as_str());
        let mut edits = edits.iter();
        edits.try_for_each(|edit| put(document, edit, instance, unix))
    })
}

/// Panes that ran in this very host and are not in it any more ended, and were forgotten, while no
/// keeper lived: they are offered, not started.
///
/// # Errors
/// [`StoreError`].
pub(crate) fn forgotten(
    store: &Store,
    instance: &str,
    there: &dyn Fn(u32) -> bool,
    unix: u64,
) -> Result<Merged, StoreError> {
    store.change(|document| {
        for pane in document.panes() {
            let ran_here = pane.rest.get(INSTANCE).and_then(|it| it.as_str()) == Some(instance);
            let open = matches!(pane.intent, Intent::Open | Intent::Provisional { .. });
            if ran_here && open && !there(pane.id) {
                let ended = Intent::Exited {
                    at: unix,
                    raw_status: None,
                };
                document.edit_pane(pane.id, |pane| pane.intent = ended)?;
            }
        }
        Ok(())
    })
}

fn put(
    document: &mut Document,
    edit: &Edit,
    instance: Option<&str>,
    unix: u64,
) -> Result<(), StoreError> {
    match edit {
        Edit::Layout(layout) => document.merge_workspace(layout),
        Edit::Aside {
            pane,
            conversation,
            id,
        } => {
            let known = |it: &PaneRecord| it.conversation.as_ref().map(|it| it.id.clone());
            let there = document.pane(*pane);
            let Some(mut offer) = there.filter(|it| known(it).as_ref() == Some(conversation))
            else {
                return Ok(());
            };
            (offer.id, offer.name) = (*id, None);
            offer.rest.remove(INSTANCE);
            offer.intent = Intent::Exited {
                at: unix,
                raw_status: None,
            };
            document.put_pane(&offer)
        }
        Edit::Pane {
            record,
            intents,
            agent,
        } => {
            let there = document.pane(record.id);
            // Who let go of it meanwhile let go of what the agent opened instead, too.
            let let_go = |it: &PaneRecord| record.opened.is_some() && it.opened.is_none();
            let mut new = (**record).clone();
            if let Some(there) = there {
                if let_go(&there) {
                    new.conversation = None;
                }
                keep_theirs(&mut new, there);
                apply(&mut new, intents, agent, unix);
            }
            if let Some(instance) = instance {
                new.rest.insert(INSTANCE.to_owned(), instance.into());
            }
            document.put_pane(&new)
        }
    }
}

/// What is not the keeper's to change stays as it is in the file.
fn keep_theirs(new: &mut PaneRecord, there: PaneRecord) {
    let id = |pane: &PaneRecord| pane.conversation.as_ref().map(|it| it.id.clone());
    let (new_id, old_id) = (id(new), id(&there));
    new.intent = there.intent;
    if let (Some(agent), Some(there)) = (&mut new.agent, &there.agent) {
        agent.intent = there.intent.clone();
    }
    // A failure is of the conversation that was to be opened: over once that, or another, is proved.
    let over = there.opened.is_some() && new.opened.is_none()
        || new_id.is_some() && old_id.is_some() && new_id != old_id;
    if over {
        (new.tries, new.failure, new.opened) = (0, None, None);
    } else {
        (new.tries, new.failure, new.opened) = (there.tries, there.failure, there.opened);
    }
    new.continues = there.continues;
    new.continue_boot = there.continue_boot;
    new.restore = there.restore;
    new.keep = there.keep;
    new.rest = there.rest;
}
