//! Makes the panes that come back, and reads what they show.
//!
//! Promises: panes are asked for without waiting for the ones before, so that the user's login shell
//! is asked for its variables once for many; no environment but what was written down lies over it.

use super::revive::START;
use super::{ANSWER, Session, Step, vanished};
use link::LinkError;
use protocol::msg::{CONFLICT, Create, Failed, GetSnapshot, Remove, split_offset};
use protocol::{FromHost, PaneId, ToHost};
use restore::execute::{Event, SETTLE};
use restore::plan::Spawn;
use std::time::Instant;

impl Session<'_> {
    pub(super) fn make(&mut self, spawn: &Spawn, go_on: bool) -> Step<()> {
        let pane = spawn.pane;
        if self.panes.contains_key(&pane) && !self.is_live(pane) {
            drop(self.manage.request(PaneId(pane), Remove {}, ANSWER));
        }
        if spawn.put_back
            && let Err(why) = self.transcript_back(pane)
        {
            let outcome = Err(why);
            return self.revive_step(&Event::Spawned { pane, outcome });
        }
        let mut create = create(spawn, go_on, &self.config.starter.exe);
        if !spawn.agent {
            create.seed = crate::seed::of(&self.config.places.state, pane);
        }
        let Some(revival) = &mut self.revival else {
            return Ok(());
        };
        revival.next += 1;
        let request = revival.next;
        revival
            .asked
            .insert(request, (pane, Instant::now() + START));
        let message = ToHost::from(create);
        revival
            .maker
            .put(PaneId::NONE, request, &message)
            .map_err(vanished)
    }

    /// What the host answered about panes to make.
    pub(super) fn made(&mut self, readable: bool) -> Step<()> {
        let Some(revival) = &mut self.revival else {
            return Ok(());
        };
        if readable {
            revival.maker.fill().map_err(vanished)?;
        }
        revival.maker.flush().map_err(vanished)?;
        let mut answers = Vec::new();
        while let Some(received) = revival.maker.take().map_err(vanished)? {
            if let Some((pane, _)) = revival.asked.remove(&received.request) {
                answers.push((pane, received.message));
            }
        }
        for (pane, message) in answers {
            let outcome = match message {
                FromHost::Created(_) => Ok(()),
                // Somebody else was faster: it is there, which is what was wanted.
                FromHost::Failed(Failed { code: CONFLICT, .. }) if self.is_live(pane) => Ok(()),
                FromHost::Failed(Failed { text, .. }) => Err(text),
                _ => Err("the host gave another answer".to_owned()),
            };
            if outcome.is_ok() {
                self.came(pane)?;
            }
            self.revive_step(&Event::Spawned { pane, outcome })?;
        }
        Ok(())
    }

    fn came(&mut self, pane: u32) -> Step<()> {
        let Some(revival) = &mut self.revival else {
            return Ok(());
        };
        revival.pending.remove(&pane);
        let pending = revival.pending.clone();
        revival.settled = pending.is_empty().then(|| Instant::now() + SETTLE);
        self.note_restore(false, &pending, "")
    }

    /// What a pane's screen says.
    pub(super) fn text(&mut self, pane: u32) -> Step<String> {
        let payload = match self.manage.request(PaneId(pane), GetSnapshot {}, ANSWER) {
            Ok(FromHost::Snapshot(payload)) => payload,
            Ok(_) | Err(LinkError::Refused { .. }) => return Ok(String::new()),
            Err(error) => return Err(vanished(error)),
        };
        let body = split_offset(&payload)
            .map(|(_, body)| body)
            .unwrap_or_default();
        let snapshot = term::codec::decode_snapshot(body).ok();
        let terminal =
            snapshot.map(|it| term::Terminal::from_snapshot(&it, &term::Options::default()));
        Ok(terminal.map(|it| it.text()).unwrap_or_default())
    }
}

fn create(spawn: &Spawn, go_on: bool, own: &std::path::Path) -> Create {
    let argv = spawn.command(own).into_iter();
    let set_env = spawn.variables(go_on).into_iter();
    Create {
        id: Some(spawn.pane),
        argv: argv.map(|word| word.into_encoded_bytes()).collect(),
        cwd: spawn.cwd.as_bytes().to_vec(),
        env: None,
        set_env: set_env
            .map(|(name, value)| (name.as_bytes().to_vec(), value.as_bytes().to_vec()))
            .collect(),
        cols: spawn.size.0,
        rows: spawn.size.1,
        notes: spawn.notes.clone(),
        seed: None,
    }
}
