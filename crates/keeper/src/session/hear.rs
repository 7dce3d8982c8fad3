//! What the host and the system tell a session, handed to the core and to a restore under way.

use super::{ANSWER, Left, Session, Step, vanished};
use crate::core::Event;
use agents::hook::Report;
use agents::live::Table;
use link::{LinkError, notes};
use protocol::msg::{NoteChanged, Share};
use protocol::{FromHost, PaneId};
use sys::pidfd::PidFd;
use sys::process::Identity;

impl Session<'_> {
    pub(super) fn heard(&mut self, pane: PaneId, message: FromHost) -> Step<()> {
        match message {
            FromHost::Goodbye(goodbye) => {
                self.step(Event::Shutdown)?;
                Err(Left::Goodbye(goodbye.reason))
            }
            FromHost::PaneEnded(ended)
                if self.revival.as_ref().is_some_and(|it| it.watches(pane.0)) =>
            {
                self.step(Event::Lost(pane.0))?;
                self.revived_ended(pane.0, &ended)
            }
            FromHost::NoteChanged(change) if pane == PaneId::NONE => self.noted(change),
            FromHost::Reported(reported) => self.reported(pane.0, &reported.body),
            message => {
                if let (FromHost::PaneForeground(front), Some(place)) =
                    (&message, self.panes.get_mut(&pane.0))
                {
                    place.foreground = front.group;
                }
                if of_life(&message) {
                    self.copies.screens.soon();
                }
                if matches!(&message, FromHost::PaneShown(shown) if shown.shown) {
                    self.revive_step(&restore::execute::Event::Attended(true))?;
                    self.revive_step(&restore::execute::Event::Shown(pane.0))?;
                }
                self.step(Event::Host {
                    pane: pane.0,
                    message,
                })
            }
        }
    }

    /// A hook reported from a pane. Only the pane's own agent's counts, so it is looked at first.
    fn reported(&mut self, pane: u32, body: &[u8]) -> Step<()> {
        let Some(report) = Report::from_json(body) else {
            return Ok(());
        };
        let catalogue = &self.known.catalogue;
        let Some(place) = self.panes.get_mut(&pane) else {
            return Ok(());
        };
        let mut accepted = place.reported(catalogue, &report);
        if !accepted {
            let looked = Box::new(place.look(catalogue, &Table::read()));
            accepted = place.reported(catalogue, &report);
            self.step(Event::Looked { pane, looked })?;
        }
        if !accepted {
            return Ok(());
        }
        self.step(Event::Hooked {
            pane,
            event: report.event,
            detail: report.detail,
        })
    }

    /// A global note changed.
    fn noted(&mut self, change: NoteChanged) -> Step<()> {
        if change.key == notes::POKE {
            return self.poked();
        }
        let message = FromHost::NoteChanged(change);
        self.step(Event::Host { pane: 0, message })
    }

    /// Tells the host of a helper that the pane's agent uses. One it refuses is not its to end.
    pub(super) fn share(&mut self, pane: u32, helper: Identity) -> Step<()> {
        let message = Share {
            pid: helper.pid.cast_unsigned(),
            start: helper.start,
        };
        match self.manage.request(PaneId(pane), message, ANSWER) {
            Ok(_) => Ok(()),
            Err(LinkError::Refused { text, .. }) => {
                tracing::info!("p{pane}'s helper (process {}): {text}", helper.pid);
                Ok(())
            }
            Err(error) => Err(vanished(error)),
        }
    }

    /// Watched processes that are gone, unless they went with the host.
    pub(super) fn ends(&mut self, gone: &[u32]) -> Step<()> {
        for pane in gone {
            let Some((process, _)) = self.watched.remove(pane) else {
                continue;
            };
            let submit = self.submit(*pane)?;
            if !self.host.alive() {
                return Err(Left::Vanished("its process is gone".to_owned()));
            }
            self.step(Event::AgentGone {
                pane: *pane,
                process,
                since_submit: submit,
            })?;
        }
        Ok(())
    }

    /// Tells when the process of a pane's agent is gone.
    pub(super) fn watch(&mut self, pane: u32, process: Identity) -> Step<()> {
        match PidFd::open(process.pid) {
            // Opened first, looked at second: now it is known to mean this process.
            Ok(fd) if process.alive() => {
                self.watched.insert(pane, (process, fd));
                Ok(())
            }
            _ => {
                let since_submit = self.submit(pane)?;
                self.step(Event::AgentGone {
                    pane,
                    process,
                    since_submit,
                })
            }
        }
    }
}

/// Something happens in a pane, so it has printed or is about to.
const fn of_life(message: &FromHost) -> bool {
    matches!(
        message,
        FromHost::PaneInput(_)
            | FromHost::PaneForeground(_)
            | FromHost::Mark(_)
            | FromHost::Title(_)
    )
}
