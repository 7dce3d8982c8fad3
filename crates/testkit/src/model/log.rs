//! What was asked so far.

use crate::model::asked::{Api, Asked};
use serde_json::Value;

/// Requests kept at most; the oldest go first.
const MAX: usize = 5000;

/// One request.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its number, from 1.
    pub number: u64,
    /// The API it came through.
    pub api: Api,
    /// What it asks.
    pub asked: Asked,
    /// Its headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Its whole body.
    pub body: Value,
}

impl Request {
    /// The conversation the CLI says it is in, where it says so at all: the judge of what abide knows.
    #[must_use]
    pub fn conversation(&self) -> Option<&str> {
        let names = ["x-claude-code-session-id", "thread-id", "session_id"];
        names.iter().find_map(|name| self.header(name))
    }

    /// A header's value, by its lower-case name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(n, _)| n == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// What came in.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(crate) requests: Vec<Request>,
    pub(crate) strangers: Vec<String>,
    count: u64,
}

impl Log {
    /// Notes a request; gives its number and how often its text was sent before.
    pub(crate) fn add(
        &mut self,
        api: Api,
        asked: Asked,
        headers: Vec<(String, String)>,
        body: Value,
    ) -> (u64, usize) {
        let same = |r: &&Request| {
            r.asked.side == asked.side && r.asked.results == 0 && r.asked.newest() == asked.newest()
        };
        let before = self.requests.iter().filter(same).count();
        // A request after a tool's result belongs to the sending that was counted already.
        let before = if asked.results == 0 {
            before
        } else {
            before.saturating_sub(1)
        };
        self.count += 1;
        if self.requests.len() >= MAX {
            self.requests.remove(0);
        }
        self.requests.push(Request {
            number: self.count,
            api,
            asked,
            headers,
            body,
        });
        (self.count, before)
    }

    pub(crate) fn stranger(&mut self, what: String) {
        if self.strangers.len() < MAX {
            self.strangers.push(what);
        }
    }
}
