//! Puts layouts back before their panes come.
//!
//! In: layouts as they were written down, which panes come back. Out: notes of workspaces. Promises: a
//! note is replaced only at the revision that was read, so nothing that a client or command wrote
//! meanwhile is lost; who was faster knows better, and gets only the panes its layout lacks; a note
//! that cannot be read is left alone.

use super::{ANSWER, Session, Step, vanished};
use link::LinkError;
use link::layout::{MAX_PANES, Workspace};
use protocol::msg::{CONFLICT, Note, NoteList, NoteSet};
use protocol::{FromHost, PaneId};

/// How often others may be faster.
const TRIES: usize = 20;

impl Session<'_> {
    /// Layouts whose panes come back, `started` with their workspaces, are there before them.
    pub(super) fn put_back(
        &mut self,
        layouts: &[Workspace],
        started: &[(u32, Option<&str>)],
    ) -> Step<()> {
        for layout in layouts {
            let own = started.iter().filter(|(_, it)| *it == Some(&layout.id));
            let coming: Vec<u32> = own.map(|(pane, _)| *pane).collect();
            if !coming.is_empty() {
                self.put_layout(layout, &coming)?;
            }
        }
        Ok(())
    }

    fn put_layout(&mut self, layout: &Workspace, coming: &[u32]) -> Step<()> {
        let key = layout.note_key();
        for _ in 0..TRIES {
            let note = self.workspace_note(&key)?;
            let revision = note.as_ref().map_or(0, |note| note.revision);
            let there = match note.map(|note| Workspace::from_json(&note.value)) {
                Some(Err(error)) => {
                    tracing::warn!("workspace {}: {error}", layout.id);
                    return Ok(());
                }
                there => there.and_then(Result::ok),
            };
            let Some(Ok(value)) = merged(there, layout, coming).map(|it| it.to_json()) else {
                return Ok(());
            };
            let set = NoteSet {
                key: key.clone(),
                revision: Some(revision),
                value: Some(value),
            };
            match self.manage.request(PaneId::NONE, set, ANSWER) {
                Err(LinkError::Refused { code: CONFLICT, .. }) => {}
                Ok(_) => return Ok(()),
                Err(LinkError::Refused { text, .. }) => {
                    tracing::warn!("workspace {}: {text}", layout.id);
                    return Ok(());
                }
                Err(error) => return Err(vanished(error)),
            }
        }
        tracing::warn!(
            "others change the layout of workspace {} all the time; its panes get tabs when it is opened",
            layout.id
        );
        Ok(())
    }

    fn workspace_note(&mut self, key: &str) -> Step<Option<Note>> {
        match self.ask(PaneId::NONE, NoteList {})? {
            FromHost::Notes(notes) => Ok(notes.notes.into_iter().find(|note| note.key == key)),
            _ => Ok(None),
        }
    }
}

/// What is to stand in the note; `None`: it is well as it is.
fn merged(there: Option<Workspace>, written: &Workspace, coming: &[u32]) -> Option<Workspace> {
    let Some(mut there) = there else {
        return Some(written.clone());
    };
    let (has, had) = (there.panes(), written.panes());
    let room = MAX_PANES.saturating_sub(has.len());
    let missing = coming
        .iter()
        .filter(|pane| !has.contains(pane) && had.contains(pane));
    let missing: Vec<u32> = missing.take(room).copied().collect();
    missing.iter().for_each(|pane| there.put(*pane, None));
    (!missing.is_empty()).then_some(there)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace(panes: &[u32]) -> Workspace {
        let mut workspace = Workspace::new("w", "w", "/w");
        panes.iter().for_each(|pane| workspace.add_tab(*pane));
        workspace.active = 0;
        workspace
    }

    #[test]
    fn who_was_faster_keeps_everything_and_gets_what_is_missing() {
        // (what stands in the note, what was written down, what comes; what is to stand there)
        for (there, written, coming, want) in [
            (None, &[1, 2][..], &[1, 2][..], Some(vec![1, 2])),
            (Some(&[1, 2][..]), &[1, 2], &[1, 2], None),
            (Some(&[9]), &[1, 2], &[1, 2], Some(vec![9, 1, 2])),
            (Some(&[2, 9]), &[1, 2], &[1, 2], Some(vec![2, 9, 1])),
            // Held back, or of no layout.
            (Some(&[9]), &[1, 2], &[2], Some(vec![9, 2])),
            (Some(&[9]), &[1], &[1, 5], Some(vec![9, 1])),
            (Some(&[9]), &[1], &[], None),
        ] {
            let got = merged(there.map(workspace), &workspace(written), coming);
            assert_eq!(
                got.as_ref().map(Workspace::panes),
                want,
                "{there:?} {coming:?}"
            );
            assert!(got.is_none_or(|it| it.active == 0));
        }
        let full: Vec<u32> = (100..100 + MAX_PANES as u32).collect();
        assert_eq!(merged(Some(workspace(&full)), &workspace(&[1]), &[1]), None);
    }
}
