//! What can be changed in a conversation: the modes, models and other options that an agent lists when
//! it opens one. Pure.
//!
//! Agents list them in three ways, some in two at once: `modes` (`session/set_mode`), `models`
//! (`session/set_model`) and `configOptions` (`session/set_config_option`), the last told apart by their
//! category. Promises: nothing is asked for that is not listed; a value is named by its id, by its
//! name, or by what stands behind the id's last `#` or `/`.

use super::super::{Setting, text};
use serde_json::{Value, json};

/// What an agent lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Settings {
    lists: Vec<List>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct List {
    of: Kind,
    way: Way,
    current: String,
    /// Id and name of each value.
    values: Vec<(String, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Mode,
    Model,
    Effort,
}

/// How it is changed.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Way {
    Mode,
    Model,
    /// The option's id.
    Option(String),
}

/// What a change takes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Change {
    /// It is so already.
    Already,
    /// This request.
    Ask { method: &'static str, params: Value },
    /// The agent lists others; in words.
    Unknown(String),
    /// The agent lists none of the kind.
    None,
}

impl Kind {
    const fn of(setting: &Setting) -> (Self, &'static str) {
        match setting {
            Setting::Mode(_) => (Self::Mode, "mode"),
            Setting::Model(_) => (Self::Model, "model"),
            Setting::Effort(_) => (Self::Effort, "effort"),
        }
    }
}

/// The value that is wanted.
pub(super) fn wanted(setting: &Setting) -> &str {
    match setting {
        Setting::Mode(it) | Setting::Model(it) | Setting::Effort(it) => it,
    }
}

impl Settings {
    /// From the answer to `session/new` or `session/load`.
    pub(super) fn of(result: &Value) -> Self {
        let mut settings = Self::default();
        let list = |path: &str, id: &str| values(result.pointer(path), id);
        settings.add(Kind::Mode, Way::Mode, result, "/modes/currentModeId", {
            list("/modes/availableModes", "/id")
        });
        settings.add(Kind::Model, Way::Model, result, "/models/currentModelId", {
            list("/models/availableModels", "/modelId")
        });
        let options = result.get("configOptions").and_then(Value::as_array);
        for option in options.into_iter().flatten() {
            let of = match text(option, "/category") {
                "mode" => Kind::Mode,
                "model" => Kind::Model,
                "thought_level" | "effort" => Kind::Effort,
                _ => continue,
            };
            let way = Way::Option(text(option, "/id").to_owned());
            let values = values(option.get("options"), "/value");
            settings.add(of, way, option, "/currentValue", values);
        }
        settings
    }

    fn add(
        &mut self,
        of: Kind,
        way: Way,
        from: &Value,
        current: &str,
        values: Vec<(String, String)>,
    ) {
        if !values.is_empty() && self.list(of).is_none() {
            let current = text(from, current).to_owned();
            self.lists.push(List {
                of,
                way,
                current,
                values,
            });
        }
    }

    fn list(&self, of: Kind) -> Option<&List> {
        self.lists.iter().find(|it| it.of == of)
    }

    /// What it takes to change `setting` in `session`.
    pub(super) fn change(&self, session: &str, setting: &Setting) -> Change {
        let ((kind, name), wanted) = (Kind::of(setting), wanted(setting));
        let Some(list) = self.list(kind) else {
            return Change::None;
        };
        let Some(value) = list.find(wanted) else {
            let known: Vec<&str> = list.values.iter().map(|it| it.0.as_str()).collect();
            let known = known.join(", ");
            return Change::Unknown(format!("it has no {name} {wanted}; it has: {known}"));
        };
        if value == list.current {
            return Change::Already;
        }
        let (method, params) = match &list.way {
            Way::Mode => (
                "session/set_mode",
                json!({ "sessionId": session, "modeId": value }),
            ),
            Way::Model => (
                "session/set_model",
                json!({ "sessionId": session, "modelId": value }),
            ),
            Way::Option(id) => (
                "session/set_config_option",
                json!({ "sessionId": session, "configId": id, "value": value }),
            ),
        };
        Change::Ask { method, params }
    }

    /// It was changed.
    pub(super) fn changed(&mut self, setting: &Setting) {
        let (kind, _) = Kind::of(setting);
        let wanted = wanted(setting);
        if let Some(list) = self.lists.iter_mut().find(|it| it.of == kind)
            && let Some(value) = list.find(wanted).map(str::to_owned)
        {
            list.current = value;
        }
    }
}

impl List {
    fn find(&self, wanted: &str) -> Option<&str> {
        let last = |id: &str| id.rsplit(['#', '/']).next().map(str::to_owned);
        let exact = self.values.iter().find(|(id, _)| id == wanted);
        let named = || {
            let same = |(_, name): &&(String, String)| name.eq_ignore_ascii_case(wanted);
            self.values.iter().find(same)
        };
        let behind = || {
            let same = |(id, _): &&(String, String)| last(id).as_deref() == Some(wanted);
            self.values.iter().find(same)
        };
        let found = exact.or_else(named).or_else(behind)?;
        Some(&found.0)
    }
}

fn values(list: Option<&Value>, id: &str) -> Vec<(String, String)> {
    let list = list.and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .map(|it| (text(it, id).to_owned(), text(it, "/name").to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Qwen Code 0.24.4, OpenCode 1.18.33 and GitHub Copilot CLI 1.0.102 answer `session/new`.
    #[test]
    fn each_agents_lists_are_read_and_a_value_is_found_by_its_names() {
        let qwen = json!({
            "modes": { "currentModeId": "default", "availableModes": [
                { "id": "plan", "name": "Plan" }, { "id": "default", "name": "Default" } ] },
            "models": { "currentModelId": "$runtime|openai|m(openai)", "availableModels": [
                { "modelId": "$runtime|openai|m(openai)", "name": "m" } ] },
            "configOptions": [{ "id": "mode", "category": "mode", "type": "select",
                "currentValue": "default", "options": [{ "value": "plan", "name": "Plan" }] }],
        });
        let opencode = json!({ "configOptions": [
            { "id": "model", "category": "model", "currentValue": "p/a", "options": [
                { "value": "p/a", "name": "P/a" }, { "value": "p/b", "name": "P/b" } ] },
            { "id": "level", "category": "thought_level", "currentValue": "low", "options": [
                { "value": "low", "name": "Low" }, { "value": "high", "name": "High" } ] },
        ] });
        let copilot = json!({ "modes": { "currentModeId": "https://x/modes#agent", "availableModes": [
            { "id": "https://x/modes#agent", "name": "Agent" },
            { "id": "https://x/modes#plan", "name": "Plan" } ] } });
        let mode = |it: &str| Setting::Mode(it.to_owned());
        let model = |it: &str| Setting::Model(it.to_owned());
        let check = |result: &Value, setting: Setting, want: Change| {
            assert_eq!(
                Settings::of(result).change("s", &setting),
                want,
                "{setting:?}"
            );
        };
        let ask = |method, params| Change::Ask { method, params };
        check(&qwen, mode("default"), Change::Already);
        check(&qwen, model("m"), Change::Already);
        let plan = json!({ "sessionId": "s", "modeId": "plan" });
        check(&qwen, mode("plan"), ask("session/set_mode", plan));
        let words = "it has no mode yolo; it has: plan, default".to_owned();
        check(&qwen, mode("yolo"), Change::Unknown(words));
        check(&qwen, Setting::Effort("high".to_owned()), Change::None);
        let option = |id, value| json!({ "sessionId": "s", "configId": id, "value": value });
        let way = "session/set_config_option";
        check(&opencode, model("b"), ask(way, option("model", "p/b")));
        let high = Setting::Effort("high".to_owned());
        check(&opencode, high, ask(way, option("level", "high")));
        check(&opencode, mode("plan"), Change::None);
        let plan = json!({ "sessionId": "s", "modeId": "https://x/modes#plan" });
        check(&copilot, mode("plan"), ask("session/set_mode", plan));
    }

    #[test]
    fn what_was_changed_is_so() {
        let result = json!({ "modes": { "currentModeId": "a", "availableModes": [
            { "id": "a", "name": "A" }, { "id": "b", "name": "B" } ] } });
        let mut settings = Settings::of(&result);
        settings.changed(&Setting::Mode("B".to_owned()));
        let change = settings.change("s", &Setting::Mode("b".to_owned()));
        assert_eq!(change, Change::Already);
    }
}
