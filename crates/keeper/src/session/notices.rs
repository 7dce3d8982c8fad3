//! Tells that a pane waits: the desktop, the user's command and webhook, and by a note the clients.
//!
//! In: the core's verdicts. Out: the pane's note, deliveries. Promises: the note is written before anything
//! is sent, so a keeper that is killed meanwhile tells nobody twice; nothing here waits for a delivery;
//! clients learn whether a desktop shows it within [`DESKTOP`], whatever the desktop does.

use super::{ANSWER, Session, Step, now, vanished};
use crate::core::{Rules, Verdict};
use agents::State;
use link::LinkError;
use link::notes::{self, NoticeNote};
use notices::{Courier, Failures, Notice, Outcome, Setup, Way, WayKind};
use protocol::PaneId;
use protocol::msg::{CONFLICT, NO_PANE, NoteSet};
use std::collections::BTreeMap;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::time::{Duration, Instant};

/// So long clients wait for the desktop.
const DESKTOP: Duration = Duration::from_secs(4);
/// Lines of a screen that are told, if any are.
const LINES: usize = 6;

/// What is under way.
pub(super) struct Post {
    courier: Courier,
    failures: Failures,
    /// Notices whose desktop has not answered, by pane, and until when it is waited for.
    trying: BTreeMap<u32, (NoticeNote, Instant)>,
}

impl Post {
    pub(super) fn new(state: &Path) -> Result<Self, LinkError> {
        let courier = Courier::new(Setup::new(state, std::env::vars_os()));
        let doing = "setting up";
        Ok(Self {
            courier: courier.map_err(|source| LinkError::Io { doing, source })?,
            failures: Failures::at(state),
            trying: BTreeMap::new(),
        })
    }

    /// Readable once something came of a notice.
    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.courier.fd()
    }

    /// When to call [`Session::posted`] at the latest.
    pub(super) fn due(&self) -> Option<Instant> {
        self.trying.values().map(|(_, until)| *until).min()
    }
}

impl Session<'_> {
    /// Writes a note over whatever is there: it is the keeper's own. A pane that went is no error.
    pub(super) fn note(&mut self, pane: u32, key: &str, value: Vec<u8>) -> Step<()> {
        self.set_note(pane, key, Some(value))
    }

    pub(super) fn set_note(&mut self, pane: u32, key: &str, value: Option<Vec<u8>>) -> Step<()> {
        let set = NoteSet {
            key: key.to_owned(),
            revision: None,
            value,
        };
        match self.manage.request(PaneId(pane), set, ANSWER) {
            Ok(_) => Ok(()),
            Err(LinkError::Refused { code, text }) => {
                if code != NO_PANE && code != CONFLICT {
                    tracing::warn!("p{pane}: note {key}: {text}");
                }
                Ok(())
            }
            Err(error) => Err(vanished(error)),
        }
    }

    /// The settings say which waits are told.
    pub(super) fn set_rules(&mut self) {
        self.core.set_rules(Rules {
            needs_input: self.live.notify.needs_input,
            done: self.live.notify.done,
        });
    }

    /// A pane's wait was judged, or is over.
    pub(super) fn judged(&mut self, pane: u32, verdict: Verdict) -> Step<()> {
        self.post.trying.remove(&pane);
        match verdict {
            Verdict::Over => self.set_note(pane, notes::NOTICE, None),
            Verdict::Seen(state) => {
                let note = self.notice_note(state, NoticeNote::SEEN);
                self.note(pane, notes::NOTICE, notes::to_json(&note))
            }
            Verdict::Tell(state) => self.tell(pane, state),
        }
    }

    fn notice_note(&self, state: State, passed: &str) -> NoticeNote {
        NoticeNote {
            state: state.word().to_owned(),
            at: now().unix,
            passed: passed.to_owned(),
            ..NoticeNote::default()
        }
    }

    fn tell(&mut self, pane: u32, state: State) -> Step<()> {
        let notify = self.live.notify.clone();
        let facts = self.core.notice_facts(pane, notify.text);
        let screen = match notify.text && !facts.private {
            true => last_lines(&self.text(pane)?),
            false => String::new(),
        };
        let notice = Notice {
            pane: format!("p{pane}"),
            name: facts.name,
            workspace: facts.workspace,
            agent: facts.agent,
            state: state.word().to_owned(),
            at: now().unix,
            screen,
        }
        .bounded();
        let desktop = notify.desktop && self.post.courier.has_desktop();
        let passed = match desktop {
            true => NoticeNote::TRYING,
            false => NoticeNote::TERMINAL,
        };
        let note = NoticeNote {
            name: notice.whole_name(),
            screen: notice.screen.clone(),
            ..self.notice_note(state, passed)
        };
        self.note(pane, notes::NOTICE, notes::to_json(&note))?;
        let mut ways = Vec::new();
        if desktop {
            let until = Instant::now() + DESKTOP;
            self.post.trying.insert(pane, (note, until));
            ways.push(Way::Desktop);
        }
        if !notify.command.is_empty() {
            ways.push(Way::Command(notify.command));
        }
        if !notify.webhook.is_empty() {
            ways.push(Way::Webhook(notify.webhook));
        }
        let gone = self.post.courier.give(notice, ways);
        gone.into_iter().try_for_each(|it| self.came_of_notice(it))
    }

    /// What came of notices, and desktops that take too long.
    pub(super) fn posted(&mut self) -> Step<()> {
        for outcome in self.post.courier.take() {
            self.came_of_notice(outcome)?;
        }
        let at = Instant::now();
        let late =
            |(pane, (_, until)): (&u32, &(NoticeNote, Instant))| (*until <= at).then_some(*pane);
        let late: Vec<u32> = self.post.trying.iter().filter_map(late).collect();
        late.into_iter()
            .try_for_each(|pane| self.desktop_said(pane, NoticeNote::TERMINAL))
    }

    fn came_of_notice(&mut self, outcome: Outcome) -> Step<()> {
        let Outcome { pane, way, result } = outcome;
        let told = self.post.failures.note(way, &result, now().unix);
        match (told, &result) {
            (Ok(Some(told)), Ok(())) => tracing::info!("{told}"),
            (Ok(Some(told)), Err(_)) => tracing::warn!("{told}"),
            (Ok(None), _) => {}
            (Err(error), _) => tracing::error!("{error}"),
        }
        let pane = pane.strip_prefix('p').and_then(|id| id.parse().ok());
        match (way, pane) {
            (WayKind::Desktop, Some(pane)) => {
                let shown = match result.is_ok() {
                    true => NoticeNote::DESKTOP,
                    false => NoticeNote::TERMINAL,
                };
                self.desktop_said(pane, shown)
            }
            _ => Ok(()),
        }
    }

    /// Whether a desktop shows the notice is known: clients may go on.
    fn desktop_said(&mut self, pane: u32, passed: &str) -> Step<()> {
        let Some((note, _)) = self.post.trying.remove(&pane) else {
            return Ok(());
        };
        let note = NoticeNote {
            passed: passed.to_owned(),
            ..note
        };
        self.note(pane, notes::NOTICE, notes::to_json(&note))
    }
}

/// The last lines of a screen with something on them.
fn last_lines(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|it| !it.is_empty());
    let lines: Vec<&str> = lines.collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}
