//! Which of the offered tools runs a command or writes a file, and with which arguments. Pure.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Names of shell tools, most particular first.
const SHELL: &[&str] = &[
    "exec_command",
    "shell_command",
    "run_shell_command",
    "Bash",
    "bash",
    "Shell",
    "shell",
    "local_shell",
    "terminal",
    "exec",
    "execute",
];
const WRITE: &[&str] = &[
    "Write",
    "write_file",
    "write",
    "WriteFile",
    "create_file",
    "create",
    "apply_patch",
];
const ASK: &[&str] = &["AskUserQuestion", "ask_user_question", "ask_user"];
const AGENT: &[&str] = &[
    "Agent",
    "Task",
    "multi_agent_v1/spawn_agent",
    "task",
    "agent",
];

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) arguments: Value,
}

/// What is to be done.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wish<'a> {
    /// A command, perhaps with more permissions than the sandbox gives.
    Shell(&'a str, bool),
    /// A file.
    Write(&'a str),
    /// A question to the user.
    Ask,
    /// A sub-agent with this prompt.
    Agent(&'a str),
}

/// The call that does it, if a tool is offered for it.
pub(crate) fn call(tools: &BTreeMap<String, Value>, wish: Wish<'_>) -> Option<Call> {
    let names = match wish {
        Wish::Shell(..) => SHELL,
        Wish::Write(_) => WRITE,
        Wish::Ask => ASK,
        Wish::Agent(_) => AGENT,
    };
    let name = names.iter().find(|name| tools.contains_key(**name))?;
    let schema = tools.get(*name)?;
    let arguments = match wish {
        Wish::Write(path) if *name == "apply_patch" => Value::String(format!(
            "*** Begin Patch\n*** Add File: {path}\n+written by the scripted model\n*** End Patch\n"
        )),
        Wish::Ask => question(),
        _ => arguments(schema, wish),
    };
    Some(Call {
        name: (*name).to_owned(),
        arguments,
    })
}

fn arguments(schema: &Value, wish: Wish<'_>) -> Value {
    let mut made = Map::new();
    let required = |key: &str| {
        schema["required"]
            .as_array()
            .is_some_and(|r| r.iter().any(|k| k == key))
    };
    for (key, of) in schema["properties"].as_object().into_iter().flatten() {
        let value = match (key.as_str(), wish) {
            ("command" | "cmd", Wish::Shell(command, _)) if of["type"] == "array" => {
                json!(["bash", "-c", command])
            }
            ("command" | "cmd", Wish::Shell(command, _)) => json!(command),
            ("sandbox_permissions", Wish::Shell(_, true)) => json!("require_escalated"),
            ("justification", Wish::Shell(_, true)) => json!("the test wants it"),
            ("file_path" | "filePath" | "path", Wish::Write(path)) => json!(path),
            ("content" | "contents" | "file_text", Wish::Write(_)) => {
                json!("written by the scripted model\n")
            }
            ("prompt" | "message", Wish::Agent(prompt)) => json!(prompt),
            ("subagent_type", Wish::Agent(_)) => json!("general-purpose"),
            ("description", _) => json!("what a test wants"),
            (key, _) if required(key) => fill(of, schema),
            _ => continue,
        };
        made.insert(key.clone(), value);
    }
    Value::Object(made)
}

fn question() -> Value {
    json!({ "questions": [{
        "question": "Which colour?", "header": "Colour", "multiSelect": false,
        "options": [{ "label": "Red", "description": "red" }, { "label": "Blue", "description": "blue" }],
    }] })
}

/// A small value that a schema allows.
pub(crate) fn fill(schema: &Value, root: &Value) -> Value {
    if let Some(path) = schema["$ref"].as_str() {
        let name = path.rsplit('/').next().unwrap_or_default();
        let found = [&root["$defs"][name], &root["definitions"][name]];
        let found = found.into_iter().find(|v| v.is_object());
        return found.map_or(Value::Null, |found| fill(found, root));
    }
    if let Some(first) = schema["enum"].as_array().and_then(|e| e.first()) {
        return first.clone();
    }
    if let Some(first) = schema["anyOf"].as_array().and_then(|e| e.first()) {
        return fill(first, root);
    }
    let kind = schema["type"]
        .as_array()
        .and_then(|t| t.first())
        .unwrap_or(&schema["type"]);
    match kind.as_str().unwrap_or("object").to_lowercase().as_str() {
        "object" => {
            let properties = schema["properties"]
                .as_object()
                .cloned()
                .unwrap_or_default();
            properties
                .iter()
                .map(|(key, of)| (key.clone(), fill(of, root)))
                .collect::<Map<_, _>>()
                .into()
        }
        "array" => json!([]),
        "number" | "integer" => schema.get("minimum").cloned().unwrap_or(json!(1)),
        "boolean" => json!(false),
        "null" => Value::Null,
        _ => json!("scripted"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools(list: &[(&str, Value)]) -> BTreeMap<String, Value> {
        list.iter()
            .map(|(name, schema)| ((*name).to_owned(), schema.clone()))
            .collect()
    }

    #[test]
    fn each_tool_gets_the_arguments_it_asks_for() {
        let check = |name: &str, schema: Value, wish: Wish<'_>, right: Value| {
            let found = call(&tools(&[(name, schema), ("other", json!({}))]), wish);
            assert_eq!(
                found,
                Some(Call {
                    name: name.to_owned(),
                    arguments: right
                })
            );
        };
        let text = json!({ "type": "string" });
        check(
            "Bash",
            json!({ "properties": { "command": text, "description": text, "timeout": { "type": "number" } }, "required": ["command"] }),
            Wish::Shell("ls", false),
            json!({ "command": "ls", "description": "what a test wants" }),
        );
        check(
            "exec_command",
            json!({ "properties": { "cmd": text, "sandbox_permissions": text, "justification": text } }),
            Wish::Shell("ls", true),
            json!({ "cmd": "ls", "sandbox_permissions": "require_escalated", "justification": "the test wants it" }),
        );
        check(
            "shell",
            json!({ "properties": { "command": { "type": "array" } } }),
            Wish::Shell("ls", false),
            json!({ "command": ["bash", "-c", "ls"] }),
        );
        check(
            "write_file",
            json!({ "properties": { "file_path": text, "content": text, "mode": { "enum": ["a", "b"] } }, "required": ["mode"] }),
            Wish::Write("x"),
            json!({ "file_path": "x", "content": "written by the scripted model\n", "mode": "a" }),
        );
        check(
            "Task",
            json!({ "properties": { "prompt": text, "subagent_type": text, "model": text }, "required": ["prompt"] }),
            Wish::Agent("look"),
            json!({ "prompt": "look", "subagent_type": "general-purpose" }),
        );
        assert_eq!(call(&tools(&[("other", json!({}))]), Wish::Ask), None);
    }

    #[test]
    fn a_schema_is_filled() {
        let schema = json!({ "type": "object", "properties": {
            "a": { "type": "STRING" }, "b": { "$ref": "#/$defs/n" }, "c": { "type": ["integer", "null"], "minimum": 3 },
            "d": { "anyOf": [{ "type": "boolean" }] }, "e": { "type": "array" },
        }, "$defs": { "n": { "enum": ["x"] } } });
        let right = json!({ "a": "scripted", "b": "x", "c": 3, "d": false, "e": [] });
        assert_eq!(fill(&schema, &schema), right);
    }
}
