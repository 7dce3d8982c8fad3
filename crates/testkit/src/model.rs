//! A scripted model behind four APIs, on loopback, for real agent CLIs.
//!
//! In: requests of CLIs; directives in the newest text of the user's. Out: answers in each API's own
//! stream; every request, for tests to ask about. Promises: the same text always gets the same
//! answer; nothing but a directive makes a turn wait, and [`Model::release`] or dropping the model ends
//! every wait; side requests (titles, classifiers, token counts) are told apart and never counted.
//!
//! | API | path |
//! | --- | --- |
//! | Anthropic Messages (Claude Code) | `/v1/messages`, `/v1/messages/count_tokens` |
//! | OpenAI Responses (Codex) | `/v1/responses` |
//! | OpenAI chat completions (OpenCode, Qwen, Kimi, Copilot) | `/v1/chat/completions` |
//! | Gemini | `/v1beta/models/M:generateContent`, `:streamGenerateContent`, `:countTokens` |
//!
//! # Directives
//! The last one in the newest text's last paragraph counts (some CLIs join a cut prompt and the next
//! one to a single text). Where the newest text is a note to go on ([`Model::goes_on_at`]), the text
//! before it counts.
//!
//! | directive | the answer |
//! | --- | --- |
//! | `[say:TEXT]` | TEXT |
//! | `[slow:N]` | N words, one every 100 ms |
//! | `[hold]` | begins, then nothing until [`Model::release`]; then `released` |
//! | `[dead]` | the request is read, nothing is ever sent |
//! | `[sh:A;;B]` | shell tool calls, one after the other's result, then text |
//! | `[shx:A]` | the same, asking for more permissions (Codex) |
//! | `[files:N]` | N shell calls in a row, each writes one small file `file-01.txt` .., held at the [`Model::gate`] |
//! | `[write:PATH]` | the tool that writes a file |
//! | `[ask]` | a question to the user (Claude Code) |
//! | `[agent:PROMPT]` | a sub-agent with this prompt |
//! | `[err:CODE]` | HTTP error 400, 401, 429, 500, 529 .. in the API's form |
//! | `[toolong]` | the API's refusal of a prompt that is too long |
//! | none | `ANSWER to: ` and the text's first 60 characters |
//!
//! `[err:429*2]`, `[toolong*1]`, `[hold*1]`: only the first times that this text is asked.

mod answer;
mod anthropic;
mod asked;
mod chat;
mod directive;
mod gemini;
mod http;
mod log;
mod piece;
mod responses;
mod serve;
mod tools;

pub use asked::{Api, Asked, Message};
pub use log::Request;

use log::Log;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long a real CLI may take for a request on a machine that does much else; a hang limit.
const PATIENCE: Duration = Duration::from_secs(300);

/// A scripted model.
#[derive(Debug)]
pub struct Model {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepts: Option<JoinHandle<()>>,
}

/// What its threads and the test share.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

/// Everything that changes.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) log: Log,
    /// How often held turns were released so far.
    pub(crate) released: u64,
    /// Files of `[files:N]` that are let through.
    pub(crate) gate: Option<usize>,
    /// How texts begin that only tell the model to go on.
    pub(crate) notes: Vec<String>,
    pub(crate) stopped: bool,
    /// Connections, to be closed at the end.
    open: Vec<TcpStream>,
}

impl Shared {
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread of the model panics")
    }

    /// Changes something and tells everybody who waits.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let changed = change(&mut self.lock());
        self.changed.notify_all();
        changed
    }

    /// Waits until `done` or the end of the model.
    pub(crate) fn wait(&self, mut done: impl FnMut(&State) -> bool) {
        let mut state = self.lock();
        while !state.stopped && !done(&state) {
            state = self
                .changed
                .wait(state)
                .expect("no thread of the model panics");
        }
    }
}

impl Model {
    /// Starts one on a free port.
    ///
    /// # Panics
    /// When there is no port.
    #[must_use]
    pub fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("a port");
        let shared = Arc::new(Shared::default());
        shared.change(|state| {
            // What Claude Code appends to a turn that it takes up again.
            state
                .notes
                .push("Continue from where you left off.".to_owned());
        });
        let serving = Arc::clone(&shared);
        let accepts = std::thread::spawn(move || accept(&listener, &serving));
        Self {
            address,
            shared,
            accepts: Some(accepts),
        }
    }

    /// `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every turn that is held now goes on.
    pub fn release(&self) {
        self.shared.change(|state| state.released += 1);
    }

    /// Lets `[files:N]` write this many files; `None`: all.
    pub fn gate(&self, files: Option<usize>) {
        self.shared.change(|state| state.gate = files);
    }

    /// Texts that begin so are notes: they do not replace the request before them.
    pub fn goes_on_at(&self, note: &str) {
        self.shared
            .change(|state| state.notes.push(note.to_owned()));
    }

    /// Every request so far that is no side request, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        let mut all = self.everything();
        all.retain(|request| !request.asked.side);
        all
    }

    /// Every request so far, side requests too.
    #[must_use]
    pub fn everything(&self) -> Vec<Request> {
        self.shared.lock().log.requests.clone()
    }

    /// What came and was understood by no API: method and path.
    #[must_use]
    pub fn strangers(&self) -> Vec<String> {
        self.shared.lock().log.strangers.clone()
    }

    /// How often a text was sent as the newest of the user's, tool results not counted as sending.
    #[must_use]
    pub fn sent(&self, text: &str) -> usize {
        let sent = |request: &&Request| request.asked.results == 0 && request.asked.is_about(text);
        self.requests().iter().filter(sent).count()
    }

    /// The last request, if any.
    #[must_use]
    pub fn last(&self) -> Option<Request> {
        self.requests().pop()
    }

    /// Waits until a text was sent this many times, gives the last request that did.
    ///
    /// # Panics
    /// When it is not in time, with the texts that were.
    #[must_use]
    #[track_caller]
    pub fn wait_sent(&self, text: &str, times: usize) -> Request {
        let found = crate::wait::poll(PATIENCE, || {
            if self.sent(text) < times {
                return None;
            }
            let about = |request: &Request| request.asked.is_about(text);
            self.requests().into_iter().rfind(about)
        });
        let texts = || {
            self.requests()
                .into_iter()
                .map(|r| r.asked.texts)
                .collect::<Vec<_>>()
        };
        found.unwrap_or_else(|| panic!("{text:?} was not sent {times} times; sent: {:#?}", texts()))
    }

    /// Waits until a request satisfies `right`, gives it.
    ///
    /// # Panics
    /// When none does in time.
    #[track_caller]
    pub fn wait_request(&self, what: &str, mut right: impl FnMut(&Request) -> bool) -> Request {
        let found = crate::wait::poll(PATIENCE, || self.requests().into_iter().rfind(&mut right));
        found.unwrap_or_else(|| panic!("no request {what}; the last is {:#?}", self.last()))
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.shared.change(|state| {
            state.stopped = true;
            for stream in state.open.drain(..) {
                let _closed_already = stream.shutdown(std::net::Shutdown::Both);
            }
        });
        // Wakes the thread that accepts.
        drop(TcpStream::connect_timeout(
            &self.address,
            Duration::from_secs(5),
        ));
        if let Some(thread) = self.accepts.take() {
            drop(thread.join());
        }
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.lock().stopped {
            return;
        }
        let Ok(stream) = stream else { continue };
        if let Ok(copy) = stream.try_clone() {
            shared.change(|state| state.open.push(copy));
        }
        let shared = Arc::clone(shared);
        std::thread::spawn(move || serve::connection(stream, &shared));
    }
}
