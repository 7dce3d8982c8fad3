//! One connection: requests in, answers out, until either side has enough.

use crate::model::answer::{Answer, Block, Hold, Refusal, decide};
use crate::model::asked::{Api, Asked};
use crate::model::http::{self, Incoming};
use crate::model::piece::{self, Piece};
use crate::model::{Shared, anthropic, chat, gemini, responses};
use serde_json::{Value, json};
use std::io::{self, BufReader};
use std::net::TcpStream;

/// How an API reads and writes.
pub(crate) struct Dialect {
    pub(crate) api: Api,
    pub(crate) parse: fn(&Value, &str) -> Asked,
    pub(crate) stream: fn(&[Block], &Asked, u64) -> Vec<Piece>,
    pub(crate) whole: fn(&[Block], &Asked, u64) -> Value,
    pub(crate) refusal: fn(Refusal) -> (u16, Value),
}

pub(crate) fn connection(stream: TcpStream, shared: &Shared) {
    let Ok(write) = stream.try_clone() else {
        return;
    };
    let mut connection = Connection { write, shared };
    let mut read = BufReader::new(stream);
    // A CLI that hangs up, or is killed, ends its connection and nothing else.
    while let Ok(Some(incoming)) = http::read(&mut read) {
        match connection.answer(&incoming) {
            Ok(true) => {}
            Ok(false) | Err(_) => break,
        }
    }
    let _closed_already = connection.write.shutdown(std::net::Shutdown::Both);
}

struct Connection<'a> {
    write: TcpStream,
    shared: &'a Shared,
}

impl Connection<'_> {
    /// Answers; false: the connection is used up.
    fn answer(&mut self, incoming: &Incoming) -> io::Result<bool> {
        let path = incoming.path.as_str();
        let dialect = match path {
            _ if incoming.method != "POST" => return self.other(incoming),
            _ if path.ends_with("/count_tokens") => {
                return self.json(200, &json!({ "input_tokens": 10 }));
            }
            _ if path.ends_with(":countTokens") => {
                return self.json(200, &json!({ "totalTokens": 10 }));
            }
            _ if path.ends_with("/messages") => &anthropic::DIALECT,
            _ if path.ends_with("/responses") => &responses::DIALECT,
            _ if path.ends_with("/chat/completions") => &chat::DIALECT,
            _ if path.contains("enerateContent") => &gemini::DIALECT,
            _ => return self.other(incoming),
        };
        let body: Value = serde_json::from_slice(&incoming.body).unwrap_or_default();
        if body.is_null() {
            self.shared
                .change(|state| state.log.stranger(format!("unreadable body at {path}")));
            return self.json(400, &json!({ "error": { "message": "no JSON" } }));
        }
        self.ask(dialect, incoming, body)
    }

    fn ask(&mut self, dialect: &Dialect, incoming: &Incoming, body: Value) -> io::Result<bool> {
        let mut asked = (dialect.parse)(&body, &incoming.path);
        let (number, before) = self.shared.change(|state| {
            asked.settle(&state.notes);
            state
                .log
                .add(dialect.api, asked.clone(), incoming.headers.clone(), body)
        });
        match decide(dialect.api, &asked, before) {
            Answer::Refuse(refusal) => {
                let (status, body) = (dialect.refusal)(refusal);
                self.json(status, &body)
            }
            Answer::Dead => {
                self.shared.wait(|_| false);
                Ok(false)
            }
            Answer::Say(blocks) if asked.stream => {
                http::begin_events(&mut self.write)?;
                let pieces = (dialect.stream)(&blocks, &asked, number);
                piece::send(&mut self.write, &pieces, self.shared)?;
                Ok(false)
            }
            Answer::Say(blocks) => {
                for block in &blocks {
                    if let Block::Hold(hold) = block {
                        piece::wait(*hold, self.shared);
                    }
                }
                self.json(200, &(dialect.whole)(&blocks, &asked, number))
            }
        }
    }

    fn other(&mut self, incoming: &Incoming) -> io::Result<bool> {
        if incoming.method == "GET" && incoming.path.ends_with("/models") {
            let model = json!({
                "id": "scripted-1", "object": "model", "created": 1, "owned_by": "test", "context_length": 200_000,
                "supports_reasoning": false, "supports_image_in": false, "supports_video_in": false,
            });
            return self.json(
                200,
                &json!({ "object": "list", "data": [model], "models": [] }),
            );
        }
        let what = format!("{} {}", incoming.method, incoming.path);
        self.shared.change(|state| state.log.stranger(what));
        let status = if incoming.method == "HEAD" { 200 } else { 404 };
        let body = json!({ "type": "error", "error": { "type": "not_found_error", "message": "not scripted" } });
        if incoming.method == "HEAD" {
            io::Write::write_all(
                &mut self.write,
                b"HTTP/1.1 200 Scripted\r\ncontent-length: 0\r\n\r\n",
            )?;
            return Ok(true);
        }
        self.json(status, &body)
    }

    fn json(&mut self, status: u16, body: &Value) -> io::Result<bool> {
        http::json(&mut self.write, status, body)?;
        Ok(true)
    }
}

/// The waits among blocks come first in every API: a stream begins, then is silent.
pub(crate) fn waits(blocks: &[Block]) -> Vec<Hold> {
    let hold = |block: &Block| match block {
        Block::Hold(hold) => Some(*hold),
        Block::Text(_) | Block::Words(_) | Block::Call(_) => None,
    };
    blocks.iter().filter_map(hold).collect()
}

/// All words of a slow answer.
pub(crate) fn words(count: usize) -> Vec<String> {
    (1..=count).map(|n| format!("word{n} ")).collect()
}

/// The text of an answer that is not streamed.
pub(crate) fn whole_text(blocks: &[Block]) -> String {
    let text = |block: &Block| match block {
        Block::Text(text) => Some(text.clone()),
        Block::Words(count) => Some(words(*count).concat()),
        Block::Hold(_) | Block::Call(_) => None,
    };
    blocks
        .iter()
        .filter_map(text)
        .collect::<Vec<_>>()
        .join("\n")
}
