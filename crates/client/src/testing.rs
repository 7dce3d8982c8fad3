//! A client without a terminal or a host, for the tests: events in, messages and frames out.

use crate::canvas::Canvas;
use crate::model::Model;
use crate::paint::CursorPlace;
use crate::update::{Effect, Event, update};
use crate::{ClientConfig, View};
use link::Received;
use link::layout::Workspace;
use protocol::msg::{self, Bytes, Created, Done, Failed, Note, Notes, PaneFacts, Panes};
use protocol::{FromHost, PaneId, ToHost};
use std::time::{Duration, Instant};
use term::input::parse_key_name;
use term::{Options, Size, Terminal};

/// Settings every test has.
pub(crate) fn config() -> ClientConfig {
    ClientConfig {
        prefix: 'b',
        mouse: true,
        wheel_rows: 3,
        tell: crate::Tell::Auto,
        argv: vec![b"/bin/sh".to_vec()],
        env: vec![(b"HOME".to_vec(), b"/home/u".to_vec())],
        keep: None,
        links: Vec::new(),
        label: "test".to_owned(),
        comeback: crate::Comeback::default(),
    }
}

/// What the host would say of a running pane.
pub(crate) fn facts(pane: u32) -> PaneFacts {
    PaneFacts {
        pane,
        pid: 1000 + pane,
        pid_start: 1,
        reaper: 1,
        argv: vec![b"/bin/sh".to_vec()],
        cwd: b"/work".to_vec(),
        cols: 80,
        rows: 23,
        title: String::new(),
        state: msg::RUNNING,
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
    }
}

/// The client under test and its clock.
pub(crate) struct Bench {
    pub(crate) model: Model,
    pub(crate) now: Instant,
    /// Everything it wanted done and no test has looked at yet.
    pub(crate) effects: Vec<Effect>,
    /// Every request so far.
    asked: Vec<(u32, u32, ToHost)>,
    next_pane: u32,
    revision: u64,
}

impl Bench {
    /// A client at its very start.
    pub(crate) fn raw(view: View, size: (u16, u16)) -> Self {
        let model = Model::new(config(), view, size);
        Self {
            model,
            now: Instant::now(),
            effects: Vec::new(),
            asked: Vec::new(),
            next_pane: 100,
            revision: 0,
        }
    }

    /// A client on a workspace of panes 1, 2.. in a tab each, started, attached, everything
    /// answered and looked at.
    pub(crate) fn tabs(panes: &[u32]) -> Self {
        let mut workspace = Workspace::new("w1", "work", "/work");
        for pane in panes {
            workspace.add_tab(*pane);
        }
        workspace.active = 0;
        let mut bench = Self::raw(View::Workspace(workspace), (80, 24));
        bench.start(panes);
        bench
    }

    /// One pane with the whole terminal.
    pub(crate) fn bare(view: View) -> Self {
        let mut bench = Self::raw(view, (80, 24));
        bench.start(&[1]);
        bench
    }

    /// Start-up with a host that has `panes`.
    pub(crate) fn start(&mut self, panes: &[u32]) {
        self.event(Event::Start);
        let listed = panes.iter().map(|pane| facts(*pane)).collect();
        self.answer_panes(listed);
        self.bytes("\x1b[?62c");
        self.settle();
        for pane in panes {
            self.show(*pane, "");
        }
        // The layout is written for the first time.
        self.wait(Duration::from_secs(1));
        self.settle();
        self.effects.clear();
    }

    pub(crate) fn event(&mut self, event: Event) {
        let effects = update(&mut self.model, event, self.now);
        // What is due was done, or the loop would spin.
        let due = crate::update::deadline(&self.model).filter(|_| !self.model.left);
        assert!(
            due.is_none_or(|at| at > self.now),
            "{:?} is still due",
            self.model.mode
        );
        for effect in effects {
            if let Effect::Send {
                pane,
                request,
                message,
            } = &effect
                && *request != 0
            {
                self.asked.push((pane.0, *request, message.clone()));
            }
            self.effects.push(effect);
        }
    }

    /// Time passes; then whatever was due happens.
    pub(crate) fn wait(&mut self, time: Duration) {
        self.now += time;
        self.event(Event::Tick);
    }

    /// Bytes from the keyboard.
    pub(crate) fn bytes(&mut self, bytes: &str) {
        let mut decoder = crate::input::Decoder::default();
        let mut inputs = Vec::new();
        decoder.feed(bytes.as_bytes(), &mut inputs);
        decoder.flush(&mut inputs);
        for input in inputs {
            self.event(Event::Input(input));
        }
    }

    /// Keys by tmux's names.
    pub(crate) fn keys(&mut self, names: &str) {
        for name in names.split(' ') {
            let key = parse_key_name(name).expect(name);
            self.event(Event::Input(crate::input::Input::Key(key)));
        }
    }

    /// The outer terminal's size changes, and stays.
    pub(crate) fn resize(&mut self, cols: u16, rows: u16) {
        self.event(Event::Resize(cols, rows));
        self.wait(crate::model::RESIZE_PAUSE);
        self.settle();
    }

    /// A message of the host.
    pub(crate) fn host(&mut self, pane: u32, request: u32, message: impl Into<FromHost>) {
        let message = message.into();
        self.event(Event::Host(Received {
            pane: PaneId(pane),
            request,
            message,
        }));
    }

    /// A pane's screen becomes what `output` draws on a blank one of its claimed size.
    pub(crate) fn show(&mut self, pane: u32, output: &str) {
        let claimed = self.model.panes[&pane].claimed.unwrap_or_default();
        let size = Size::new(claimed.cols.max(20), claimed.rows.max(5));
        let mut terminal = Terminal::new(size, &Options::default());
        terminal.advance(output.as_bytes(), &mut term::Silent);
        let mut bytes = (output.len() as u64).to_le_bytes().to_vec();
        bytes.extend(term::codec::encode_snapshot(&terminal.snapshot()));
        self.host(pane, 0, FromHost::Snapshot(bytes));
    }

    /// Output that begins at `offset`.
    pub(crate) fn output(&mut self, pane: u32, offset: u64, output: &str) {
        let mut bytes = offset.to_le_bytes().to_vec();
        bytes.extend_from_slice(output.as_bytes());
        self.host(pane, 0, FromHost::Output(bytes));
    }

    /// Requests that wait for an answer, as the host would see them.
    pub(crate) fn requests(&self) -> Vec<(u32, u32, ToHost)> {
        let waiting = self
            .asked
            .iter()
            .filter(|(_, id, _)| self.model.asked.contains_key(id));
        waiting.cloned().collect()
    }

    /// The id of the waiting request that `which` picks.
    pub(crate) fn request(&self, which: fn(&ToHost) -> bool) -> (u32, u32) {
        let requests = self.requests();
        let found = requests.iter().find(|(.., message)| which(message));
        found
            .map(|(pane, request, _)| (*pane, *request))
            .expect("such a request")
    }

    pub(crate) fn answer_panes(&mut self, panes: Vec<PaneFacts>) {
        for (pane, request, message) in self.requests() {
            if matches!(message, ToHost::List(_)) {
                self.host(
                    pane,
                    request,
                    Panes {
                        panes: panes.clone(),
                    },
                );
            }
        }
    }

    /// Answers everything the way a willing host does; new panes are 101, 102, ..
    pub(crate) fn settle(&mut self) {
        for _ in 0..100 {
            let requests = self.requests();
            self.asked.clear();
            if requests.is_empty() {
                return;
            }
            for (pane, request, message) in requests {
                self.answer(pane, request, &message);
            }
        }
        panic!(
            "answers lead to new requests for ever: {:?}",
            self.requests()
        );
    }

    fn answer(&mut self, pane: u32, request: u32, message: &ToHost) {
        match message {
            ToHost::Create(_) => {
                self.next_pane += 1;
                let created = Created {
                    pane: self.next_pane,
                    pid: 1,
                };
                self.host(0, request, created);
            }
            ToHost::List(_) => {
                let panes = self.model.panes.keys().map(|id| facts(*id)).collect();
                self.host(0, request, Panes { panes });
            }
            ToHost::NoteList(_) => self.host(0, request, Notes { notes: Vec::new() }),
            ToHost::NoteSet(set) => {
                self.revision += 1;
                let value = set.value.clone().unwrap_or_default();
                let note = Note {
                    key: set.key.clone(),
                    revision: self.revision,
                    value,
                };
                self.host(0, request, Notes { notes: vec![note] });
            }
            ToHost::GetPage(page) => {
                let lines = (page.from..page.from + u64::from(page.count)).map(|n| term::Line {
                    spans: vec![term::Span {
                        text: format!("line {n}"),
                        style: term::Style::default(),
                    }],
                    continued: false,
                });
                let page = term::Page {
                    first: page.from,
                    lines: lines.collect(),
                    held: 0..u64::MAX / 2,
                    ..term::Page::default()
                };
                self.host(
                    pane,
                    request,
                    FromHost::Page(term::codec::encode_page(&page)),
                );
            }
            _ => self.host(pane, request, Done {}),
        }
    }

    /// Refuses the first waiting request that `which` picks.
    pub(crate) fn refuse(&mut self, which: fn(&ToHost) -> bool, code: u16, text: &str) {
        let (pane, request) = self.request(which);
        let failed = Failed {
            code,
            text: text.to_owned(),
        };
        self.host(pane, request, failed);
    }

    /// What was sent since the last look, one line a message, acknowledgements left out.
    pub(crate) fn sent(&mut self) -> String {
        let effects = std::mem::take(&mut self.effects);
        let lines: Vec<String> = effects.iter().filter_map(line).collect();
        lines.join("\n")
    }

    /// What was typed into panes since the last look.
    pub(crate) fn typed(&mut self) -> Vec<(u32, String)> {
        let effects = std::mem::take(&mut self.effects);
        let typed = effects.into_iter().filter_map(|effect| match effect {
            Effect::Send {
                pane,
                message: ToHost::Input(bytes),
                ..
            } => Some((pane.0, String::from_utf8_lossy(&bytes).replace('\x1b', "^"))),
            _ => None,
        });
        typed.collect()
    }

    /// The frame, as text, and the cursor.
    pub(crate) fn frame(&mut self) -> (Canvas, Option<CursorPlace>) {
        crate::draw::prepare(&mut self.model);
        let mut canvas = Canvas::new(self.model.size.0, self.model.size.1);
        let cursor = crate::draw::draw(&self.model, &mut canvas);
        (canvas, cursor)
    }

    /// The frame's rows without blanks at their ends.
    pub(crate) fn text(&mut self) -> String {
        let (canvas, _) = self.frame();
        let width = usize::from(canvas.area().width).max(1);
        let rows = canvas.buffer().content.chunks(width).map(|row| {
            let row: String = row.iter().map(ratatui::buffer::Cell::symbol).collect();
            row.trim_end().to_owned()
        });
        rows.collect::<Vec<_>>().join("\n")
    }
}

/// An effect in words.
fn line(effect: &Effect) -> Option<String> {
    let text = |bytes: &Bytes| String::from_utf8_lossy(bytes).replace('\x1b', "^");
    Some(match effect {
        Effect::Send {
            message: ToHost::Ack(_),
            ..
        } => return None,
        Effect::Send { pane, message, .. } => match message {
            ToHost::Input(bytes) if bytes.len() > 60 => format!("{pane} input {}", bytes.len()),
            ToHost::Input(bytes) => format!("{pane} input {:?}", text(bytes)),
            ToHost::Claim(claim) => {
                let panes = claim.panes.iter().map(|entry| {
                    let shown = if entry.shown { "" } else { " hidden" };
                    format!("p{} {}x{}{shown}", entry.pane, entry.cols, entry.rows)
                });
                format!("claim {}", panes.collect::<Vec<_>>().join(", "))
            }
            ToHost::Create(create) => {
                let argv: Vec<String> = create.argv.iter().map(text).collect();
                let (cols, rows) = (create.cols, create.rows);
                format!(
                    "create {} in {} {cols}x{rows}",
                    argv.join(" "),
                    text(&create.cwd)
                )
            }
            ToHost::NoteSet(set) => {
                let what = set.value.as_ref().map_or("removed".to_owned(), text);
                format!("note {} at {:?}: {what}", set.key, set.revision)
            }
            ToHost::Viewer(viewer) => {
                format!(
                    "viewer fg {:x?} bg {:x?}",
                    viewer.foreground, viewer.background
                )
            }
            other => format!("{pane} {other:?}"),
        },
        Effect::Act(act) => format!("act {act:?}"),
        Effect::Save(workspace) => format!("save {:?}", workspace.panes()),
        Effect::Write(text) => format!("write {}", text.replace('\x1b', "^")),
        Effect::Kitty => "kitty".to_owned(),
        Effect::Leave(outcome) => format!("leave {outcome:?}"),
    })
}
