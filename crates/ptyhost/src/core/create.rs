//! From a `Create` request to a running program, or to a plain reason why not.
//!
//! In: the request, the login shell's environment, the driver's word on the start. Out: `Spawn`,
//! then `Created` and `PaneCreated`, or `Failed` and nothing left behind. Promises: an id is kept
//! on disk before it is used and never given twice; nobody sees a pane that has not started.

use super::action::{Action, SpawnSpec};
use super::environment::{self, Ingredients};
use super::event::ConnId;
use super::notes::{MAX_PANE_NOTE, NoteMap, Write};
use super::pane::{Asker, DEFAULT_SIZE, Pane, Phase};
use super::queue::InputQueue;
use super::screen::Screen;
use super::state::LoginWait;
use super::step::Step;
use super::titles::Titled;
use protocol::msg::{self, Bytes, Create, Created, NoteChanged, PaneCreated};
use protocol::{PaneId, Role};
use std::time::Instant;
use term::Size;

/// Most panes whose program lives or is being started.
pub(crate) const MAX_PANES: usize = 1_000;
/// Highest id a creator may name; above it ids would run out.
const MAX_ID: u32 = 1_000_000_000;

/// Why there is no pane: code and text of the answer.
type Refusal = (u16, String);

impl Step<'_> {
    /// A `Create` request.
    pub(crate) fn create(&mut self, from: Asker, create: Create) {
        let id = match self.admit(&create) {
            Ok(id) => id,
            Err((code, text)) => {
                return self.fail(from.conn, PaneId::NONE, from.request, code, text);
            }
        };
        if id.0 > self.s.highest {
            self.s.highest = id.0;
            self.out.push(Action::PersistHighest(id.0));
        }
        if create.env.is_some() {
            self.refresh_from(from.conn, &create);
            self.start(id, from, create, None);
        } else {
            self.ask_login(id, from, create);
        }
    }

    /// Checks what can be checked before anything happens, and picks the id.
    fn admit(&self, create: &Create) -> Result<PaneId, Refusal> {
        if let Some(stopping) = &self.s.stopping {
            return Err((
                msg::BUSY,
                format!("the host is ending ({})", stopping.reason),
            ));
        }
        if create.argv.first().is_none_or(Vec::is_empty) {
            return Err((msg::MALFORMED, "a pane needs a program to start".to_owned()));
        }
        if !create.cwd.starts_with(b"/") {
            let folder = String::from_utf8_lossy(&create.cwd);
            return Err((
                msg::SPAWN,
                format!("a pane's folder must be absolute, not `{folder}`"),
            ));
        }
        if create.cols > term::size::LIMIT || create.rows > term::size::LIMIT {
            let text = format!("{}x{} is over 1000x1000", create.cols, create.rows);
            return Err((msg::LIMIT, text));
        }
        let waiting = self.s.login.as_ref().map_or(0, |wait| wait.panes.len());
        if self.s.panes.values().filter(|p| p.holds_host()).count() + waiting >= MAX_PANES {
            return Err((
                msg::LIMIT,
                format!("there are {MAX_PANES} panes already; close some"),
            ));
        }
        self.pick(create.id)
    }

    fn pick(&self, wanted: Option<u32>) -> Result<PaneId, Refusal> {
        match wanted {
            None if self.s.highest < u32::MAX => Ok(PaneId(self.s.highest + 1)),
            None => Err((msg::LIMIT, "every pane id was given".to_owned())),
            Some(id) if id == 0 || id > MAX_ID => Err((
                msg::LIMIT,
                format!("a pane id lies in 1..={MAX_ID}, {id} does not"),
            )),
            Some(id) if self.s.is_taken(PaneId(id)) => {
                Err((msg::CONFLICT, format!("there is a pane p{id} already")))
            }
            Some(id) => Ok(PaneId(id)),
        }
    }

    /// A user's client brings sockets that old panes are to reach too.
    fn refresh_from(&mut self, conn: ConnId, create: &Create) {
        let role = self.s.conns.get(&conn).map(|conn| conn.role);
        if !matches!(role, Some(Role::Attach | Role::Control)) {
            return;
        }
        let name = b"SSH_AUTH_SOCK".as_slice();
        let socket = create.env.iter().flatten().find(|(n, _)| n == name);
        if let Some((name, path)) = socket {
            self.refresh_links(&[(name.clone(), path.clone())]);
        }
    }

    fn ask_login(&mut self, id: PaneId, from: Asker, create: Create) {
        if let Some(wait) = &mut self.s.login {
            return wait.panes.push((id, from, create));
        }
        self.s.login_token = self.s.login_token.wrapping_add(1);
        let token = self.s.login_token;
        self.s.login = Some(LoginWait {
            token,
            panes: vec![(id, from, create)],
        });
        self.out.push(Action::AskLoginEnv { token });
    }

    /// The login shell has answered.
    pub(crate) fn login_env(
        &mut self,
        token: u32,
        env: &[(Bytes, Bytes)],
        warning: Option<String>,
    ) {
        let Some(wait) = self.s.login.take_if(|wait| wait.token == token) else {
            return;
        };
        if let Some(warning) = warning {
            self.log(warning);
        }
        for (id, from, create) in wait.panes {
            self.start(id, from, create, Some(env));
        }
    }

    fn start(&mut self, id: PaneId, from: Asker, create: Create, login: Option<&[(Bytes, Bytes)]>) {
        let refuse = |step: &mut Self, (code, text): Refusal| {
            step.fail(from.conn, PaneId::NONE, from.request, code, text);
        };
        let screen = match self.first_screen(&create) {
            Ok(screen) => screen,
            Err(refusal) => return refuse(self, refusal),
        };
        let notes = match self.first_notes(&create) {
            Ok(notes) => notes,
            Err(refusal) => return refuse(self, refusal),
        };
        let size = screen.size();
        let spec = SpawnSpec {
            env: self.environment(id, &create, login),
            argv: create.argv.clone(),
            cwd: create.cwd.clone(),
            size: (size.cols, size.rows),
        };
        let pane = new_pane(id, from, create, screen, notes, self.now);
        self.s.panes.insert(id, pane);
        self.out.push(Action::Spawn { pane: id, spec });
    }

    fn first_screen(&self, create: &Create) -> Result<Screen, Refusal> {
        let or = |given, default| if given == 0 { default } else { given };
        let size = Size::new(
            or(create.cols, DEFAULT_SIZE.0),
            or(create.rows, DEFAULT_SIZE.1),
        );
        let (options, colours) = (&self.s.config.terminal, &self.s.colours);
        match &create.seed {
            None => Ok(Screen::new(size, options, colours)),
            Some(seed) => Screen::seeded(seed, size, options, colours)
                .ok_or_else(|| (msg::MALFORMED, "the seed screen cannot be read".to_owned())),
        }
    }

    fn first_notes(&mut self, create: &Create) -> Result<NoteMap, Refusal> {
        let mut notes = NoteMap::new();
        for (key, value) in &create.notes {
            let write = Write {
                key,
                revision: None,
                value: Some(value),
                limit: MAX_PANE_NOTE,
            };
            if let Err(error) = self.s.ledger.set(&mut notes, write) {
                self.s.ledger.forget(&mut notes);
                return Err((error.code(), error.to_string()));
            }
        }
        Ok(notes)
    }

    fn environment(
        &self,
        id: PaneId,
        create: &Create,
        login: Option<&[(Bytes, Bytes)]>,
    ) -> Vec<(Bytes, Bytes)> {
        let config = &self.s.config;
        environment::build(Ingredients {
            inherited: login.or(create.env.as_deref()).unwrap_or_default(),
            from_login: login.is_some(),
            set: &create.set_env,
            pane: id,
            pane_key: &config.token.for_pane(&config.instance, id).to_hex(),
            cwd: &create.cwd,
            sealed_home: config.sealed_home.as_deref(),
            links_folder: &config.links,
            links: &self.s.links,
        })
    }

    /// The pane's reaper runs.
    pub(crate) fn spawned(&mut self, id: PaneId, reaper: u32) {
        let stopping = self.s.stopping.is_some();
        let Some(pane) = self.s.panes.get_mut(&id) else {
            return;
        };
        pane.reaper = reaper;
        pane.reaper_lives = true;
        if stopping {
            self.out.push(Action::HangUp { pane: id });
        }
    }

    /// The program runs: the creator and everyone else learn of the pane.
    pub(crate) fn started(&mut self, id: PaneId, pid: u32, start: u64) {
        let Some(pane) = self.s.panes.get_mut(&id) else {
            return;
        };
        let Phase::Starting(asker) = pane.phase else {
            return;
        };
        pane.phase = Phase::Running;
        pane.pid = pid;
        pane.pid_start = start;
        let notes = pane.notes.clone();
        self.log(format!("{id} started: process {pid}"));
        self.answer(asker, id, Created { pane: id.0, pid });
        self.publish(id, PaneCreated { pid });
        for (key, (revision, value)) in notes {
            self.publish_note(
                id,
                NoteChanged {
                    key,
                    revision,
                    value: Some(value),
                },
            );
        }
    }

    /// The program does not run, and nothing of the pane is left.
    pub(crate) fn spawn_failed(&mut self, id: PaneId, text: String) {
        let starting = |pane: &Pane| matches!(pane.phase, Phase::Starting(_));
        if !self.s.panes.get(&id).is_some_and(starting) {
            return;
        }
        let Some(mut pane) = self.s.panes.remove(&id) else {
            return;
        };
        self.s.ledger.forget(&mut pane.notes);
        self.out.push(Action::ClosePty { pane: id });
        self.log(format!("{id} did not start"));
        if let Phase::Starting(asker) = pane.phase {
            self.fail(asker.conn, PaneId::NONE, asker.request, msg::SPAWN, text);
        }
    }
}

fn new_pane(
    id: PaneId,
    from: Asker,
    create: Create,
    screen: Screen,
    notes: NoteMap,
    now: Instant,
) -> Pane {
    Pane {
        id,
        argv: create.argv,
        cwd: create.cwd,
        pid: 0,
        pid_start: 0,
        reaper: 0,
        reaper_lives: false,
        phase: Phase::Starting(from),
        stopped: false,
        foreground: 0,
        end_note: String::new(),
        screen,
        queue: InputQueue::default(),
        offset: 0,
        output_ended: false,
        deaf: false,
        notes,
        holder: None,
        titled: Titled::Nobody,
        looked: false,
        created: now,
        last_input: None,
        last_submit: None,
        killed: false,
        last_output: None,
        input_told: None,
    }
}
