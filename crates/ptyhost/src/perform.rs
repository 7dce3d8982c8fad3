//! The core's actions, carried out.
//!
//! In: one action. Out: effects on sockets, ptys, files, processes, and the events that answer
//! them, queued behind what the core is at. Promise: none of these waits, but for the fsync of the
//! id file and a reaper's posix_spawn.

use crate::children::Child;
use crate::core::action::{Action, SpawnSpec};
use crate::core::event::{ConnId, Event};
use crate::driver::Driver;
use crate::pane;
use crate::wake::Wake;
use crate::{links, login};
use protocol::PaneId;
use sys::process::{Identity, Signal};

impl Driver {
    /// Carries `action` out.
    pub(crate) fn perform(&mut self, action: Action) {
        match action {
            Action::Send { conn, bytes } => self.send(conn, &bytes),
            Action::Close { conn, why } => self.close(conn, &why),
            Action::Spawn { pane, spec } => self.spawn(pane, spec),
            Action::Write { pane, bytes } => self.write(pane, bytes),
            Action::Resize { pane, size } => self.resize(pane, size),
            Action::HangUp { pane } => self.hang_up(pane),
            Action::ContinuePane { pane } => {
                if let Some(pane) = self.panes.get(&pane) {
                    pane.signal_groups(&[Signal::CONT], |_| false);
                }
            }
            Action::ClosePty { pane } => self.close_pty(pane),
            Action::WatchGroup { pane: id } => {
                if let Some(pane) = self.panes.get_mut(&id) {
                    let group = pane.watch_foreground();
                    self.events.push_back(Event::Foreground { pane: id, group });
                }
            }
            Action::PersistHighest(highest) => self.tended.keep_highest(highest),
            Action::RefreshLinks(all) => self.refresh_links(&all),
            Action::AskLoginEnv { token } => self.ask_login_env(token),
            Action::MeasureHost => self.measure(),
            Action::LookAtShared {
                asker,
                pane,
                process,
            } => {
                let looked = self.look_at_shared(asker, pane, process);
                self.events.push_back(Event::Shared(looked));
            }
            Action::Spare { process } => self.spare(process),
            Action::EndShared { process } => self.end_shared(process),
            Action::Log(line) => tracing::info!("{line}"),
            Action::Exit { reason } => self.exit = Some(reason),
        }
    }

    fn send(&mut self, conn: ConnId, bytes: &[u8]) {
        let Some(outbox) = self.conns.get(&conn.0) else {
            return;
        };
        if let Err(error) = outbox.push(bytes) {
            tracing::warn!("connection {} is ended: {error}", conn.0);
            outbox.end();
        }
    }

    fn close(&mut self, conn: ConnId, why: &str) {
        tracing::debug!("connection {} is closed: {why}", conn.0);
        if let Some(outbox) = self.conns.get(&conn.0) {
            outbox.close();
        }
    }

    fn spawn(&mut self, id: PaneId, spec: SpawnSpec) {
        match pane::start(id, spec, &self.config.reaper, &self.channels) {
            Ok(pane) => {
                self.children.add(pane.reaper, Child::Reaper(id));
                let reaper = u32::try_from(pane.reaper).unwrap_or(0);
                self.panes.insert(id, pane);
                self.events.push_back(Event::Spawned { pane: id, reaper });
            }
            Err(text) => self.events.push_back(Event::SpawnFailed { pane: id, text }),
        }
    }

    fn write(&mut self, id: PaneId, bytes: Vec<u8>) {
        let Some(pane) = self.panes.get_mut(&id).filter(|pane| !pane.closed) else {
            return;
        };
        pane.io.write(bytes);
        pane.touch();
        self.favoured = Some(id);
        self.sample_soon();
    }

    fn resize(&mut self, id: PaneId, (cols, rows): (u16, u16)) {
        let Some(master) = self.panes.get(&id).and_then(|pane| pane.io.master()) else {
            return;
        };
        if let Err(error) = master.resize(cols, rows) {
            tracing::warn!(pane = %id, "cannot be resized: {error}");
        }
    }

    fn hang_up(&mut self, id: PaneId) {
        let Some(pane) = self.panes.get_mut(&id) else {
            return;
        };
        let helpers = &self.children.helpers;
        pane.signal_groups(&[Signal::HUP, Signal::CONT], |it| helpers.spare(it));
        pane.io.end_family();
    }

    fn close_pty(&mut self, id: PaneId) {
        if let Some(pane) = self.panes.get_mut(&id) {
            pane.io.close_pty();
            pane.closed = true;
        }
        self.forget_if_over(id);
    }

    fn refresh_links(&mut self, all: &[(String, Vec<u8>)]) {
        for (name, target) in all {
            if let Err(error) = links::point(&self.links, name, target) {
                tracing::warn!("cannot refresh the link {name}: {error}");
            }
        }
    }

    fn ask_login_env(&mut self, token: u32) {
        let shell = login::shell();
        match login::ask(&shell) {
            Ok(asked) => {
                self.children.add(asked.pid, Child::Login(token));
                let driver = self.channels.driver.clone();
                tokio::spawn(async move {
                    let answer = login::answer(asked).await;
                    // Without a receiver the host is ending.
                    driver.send(Wake::Login(token, answer)).await.ok();
                });
            }
            Err(error) => self.login_answered(token, Err(error.to_string())),
        }
    }

    /// The login shell has answered, or has not.
    pub(crate) fn login_answered(&mut self, token: u32, answer: Result<login::Variables, String>) {
        if let Some(pid) = self.children.login_shell(token) {
            // Not waited for yet, so the group is its own.
            sys::process::signal_group(pid, Signal::KILL).ok();
        }
        if answer.is_ok() {
            self.children.spare_daemons();
        } else {
            self.children.expect_adopted();
        }
        self.end_adopted();
        let (env, warning) = match answer {
            Ok(env) => (env, None),
            Err(why) => {
                let shell = login::shell();
                let shell = shell.display();
                let text =
                    format!("{shell} -lic gave no environment ({why}); the host's own is used");
                (login::own(), Some(text))
            }
        };
        self.events.push_back(Event::LoginEnv {
            token,
            env,
            warning,
        });
    }

    fn measure(&mut self) {
        let root = self.config.root_reaper.filter(Identity::alive);
        let mut warnings = self.tended.warnings();
        if root.is_none() {
            warnings.push(match self.config.root_reaper {
                Some(_) => {
                    "the root reaper is gone: if the host dies too, programs may stay".to_owned()
                }
                None => "this host was started without a root reaper".to_owned(),
            });
        }
        let root_reaper = root
            .and_then(|root| u32::try_from(root.pid).ok())
            .unwrap_or(0);
        let memory = resident_memory();
        self.events.push_back(Event::Measured {
            memory,
            root_reaper,
            warnings,
        });
    }
}

/// Resident memory of this process in bytes; 0 where `/proc` is not there.
fn resident_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}
