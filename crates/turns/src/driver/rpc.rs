//! JSON-RPC 2.0 in lines: numbering our requests, telling answers, requests and notifications apart.
//!
//! Pure. An answer without an id, or to a request that was never made, is a fault of the other side
//! and told as one.

use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A message of the other side. `M` is what we remember of a request of ours.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Message<M> {
    /// The answer to a request of ours.
    Answer {
        mark: M,
        result: Result<Value, RpcError>,
    },
    /// It wants an answer.
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    /// It wants none.
    Notification { method: String, params: Value },
}

/// An error answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RpcError {
    pub(super) code: i64,
    pub(super) message: String,
    pub(super) data: Value,
}

impl RpcError {
    /// All its words: the message and what its data says beside.
    pub(super) fn words(&self) -> String {
        let detail = ["/details", "/message", "/error", "/detail"]
            .iter()
            .find_map(|it| self.data.pointer(it)?.as_str())
            .or(self.data.as_str());
        match detail {
            Some(detail) if !self.message.contains(detail) => {
                format!("{}: {detail}", self.message)
            }
            _ => self.message.clone(),
        }
    }
}

/// Our side of the numbering.
#[derive(Debug)]
pub(super) struct Rpc<M> {
    next: u64,
    waiting: BTreeMap<u64, M>,
    /// Whether messages carry `"jsonrpc":"2.0"`.
    marked: bool,
}

impl<M: Clone> Rpc<M> {
    pub(super) const fn new(marked: bool) -> Self {
        Self {
            next: 0,
            waiting: BTreeMap::new(),
            marked,
        }
    }

    fn line(&self, mut value: Value) -> String {
        if self.marked {
            value["jsonrpc"] = "2.0".into();
        }
        value.to_string()
    }

    /// A request; its answer comes with `mark`.
    pub(super) fn request(&mut self, method: &str, params: &Value, mark: M) -> String {
        self.next += 1;
        self.waiting.insert(self.next, mark);
        self.line(json!({ "id": self.next, "method": method, "params": params }))
    }

    pub(super) fn notify(&self, method: &str, params: &Value) -> String {
        self.line(json!({ "method": method, "params": params }))
    }

    pub(super) fn answer(&self, id: &Value, result: &Value) -> String {
        self.line(json!({ "id": id, "result": result }))
    }

    /// "Method not found", so that nobody waits for an answer we do not have.
    pub(super) fn refuse(&self, id: &Value, method: &str) -> String {
        let message = format!("this client has no method {method}");
        self.line(json!({ "id": id, "error": { "code": -32601, "message": message } }))
    }

    /// Reads one line.
    ///
    /// # Errors
    /// Why it is no message, in words.
    pub(super) fn read(&mut self, line: &str) -> Result<Message<M>, String> {
        let value: Value =
            serde_json::from_str(line).map_err(|e| format!("a line that is not JSON ({e})"))?;
        let Value::Object(mut fields) = value else {
            return Err("a message that is no object".to_owned());
        };
        let method = fields.get("method").and_then(Value::as_str);
        let params = |fields: &serde_json::Map<String, Value>| {
            fields.get("params").cloned().unwrap_or(Value::Null)
        };
        match (method.map(str::to_owned), fields.get("id").cloned()) {
            (Some(method), Some(id)) if !id.is_null() => Ok(Message::Request {
                id,
                method,
                params: params(&fields),
            }),
            (Some(method), _) => Ok(Message::Notification {
                method,
                params: params(&fields),
            }),
            (None, Some(id)) => {
                let number = id.as_u64().ok_or("an answer to no request of ours")?;
                let mark = self.waiting.remove(&number);
                let mark = mark.ok_or_else(|| format!("an answer to no request of ours ({id})"))?;
                let result = match fields.remove("error") {
                    Some(error) => Err(rpc_error(&error)),
                    None => Ok(fields.remove("result").unwrap_or(Value::Null)),
                };
                Ok(Message::Answer { mark, result })
            }
            (None, None) => Err("an answer without an id".to_owned()),
        }
    }
}

fn rpc_error(error: &Value) -> RpcError {
    RpcError {
        code: error.get("code").and_then(Value::as_i64).unwrap_or(0),
        message: super::text(error, "/message").to_owned(),
        data: error.get("data").cloned().unwrap_or(Value::Null),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_find_their_request_and_others_are_faults() {
        let mut rpc: Rpc<&str> = Rpc::new(true);
        let line = rpc.request("initialize", &json!({ "a": 1 }), "first");
        let sent: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(
            sent,
            json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "a": 1 } })
        );
        let answer = rpc.read(r#"{"id":1,"result":{}}"#).unwrap();
        assert_eq!(
            answer,
            Message::Answer {
                mark: "first",
                result: Ok(json!({}))
            }
        );
        for bad in [
            r#"{"id":1,"result":{}}"#,
            r#"{"id":"x","result":{}}"#,
            r#"{"result":{}}"#,
            "[]",
            "{",
        ] {
            assert!(rpc.read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_errors_words_hold_its_data_once() {
        let check = |message: &str, data: Value, want: &str| {
            let error = RpcError {
                code: -1,
                message: message.to_owned(),
                data,
            };
            assert_eq!(error.words(), want);
        };
        check(
            "Internal error",
            json!({ "details": "gone" }),
            "Internal error: gone",
        );
        check("it is gone", json!({ "details": "gone" }), "it is gone");
        check("plain", Value::Null, "plain");
    }
}
