//! The files and variables that let each CLI start without a person and talk to the scripted model.
//! A folder counts as trusted when it is the home's `work` or below it is named here.

use crate::home::Home;
use crate::model::Model;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::Path;

/// No key of anybody's; Claude Code is told that its end was approved.
const KEY: &str = "sk-test-0123456789abcdefghijklmnopqrstuv";

/// Folders that are trusted from the beginning, below the home.
pub(crate) const TRUSTED: &[&str] = &["work", "work/one", "work/two"];

type Variables = Vec<(&'static str, String)>;

/// Writes the files of a CLI, gives its variables.
pub(crate) fn write(name: &str, home: &Home, model: &Model) -> Variables {
    let user = home.path().join("user");
    for folder in TRUSTED {
        fs::create_dir_all(home.path().join(folder)).expect("a folder");
    }
    match name {
        "claude" => claude(&user, home, model),
        "codex" => codex(&user, home, model),
        "gemini" => gemini(&user, model),
        "opencode" => opencode(&user, model),
        "qwen" => qwen(&user, model),
        "kimi" => kimi(&user, home, model),
        "copilot" => copilot(&user, home, model),
        "hermes" => hermes(&user, model),
        _ => panic!("no home for {name}"),
    }
}

fn trusted(home: &Home) -> Vec<String> {
    let path = |folder: &&str| home.path().join(folder).display().to_string();
    TRUSTED.iter().map(path).collect()
}

fn file(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

fn json_file(path: &Path, value: &Value) {
    file(path, &value.to_string());
}

fn v1(model: &Model) -> String {
    format!("{}/v1", model.url())
}

fn claude(user: &Path, home: &Home, model: &Model) -> Variables {
    let trust = |folder: String| (folder, json!({ "hasTrustDialogAccepted": true }));
    let projects: serde_json::Map<String, Value> = trusted(home).into_iter().map(trust).collect();
    let approved = &KEY[KEY.len() - 20..];
    json_file(
        &user.join(".claude.json"),
        &json!({
            "hasCompletedOnboarding": true, "theme": "dark", "projects": projects,
            "hasResetAutoModeOptInForDefaultOffer": true, "hasSeenAutoDefaultNudge": true,
            "customApiKeyResponses": { "approved": [approved], "rejected": [] },
        }),
    );
    // Its default mode of today asks a model about each tool call; with another one a later start
    // stops at "Make auto mode your default permission mode?" unless that was answered.
    let permissions = json!({ "allow": ["Bash", "Write"], "defaultMode": "default" });
    let settings = json!({ "permissions": permissions, "skipAutoPermissionPrompt": true });
    json_file(&user.join(".claude/settings.json"), &settings);
    vec![
        ("ANTHROPIC_BASE_URL", model.url()),
        ("ANTHROPIC_API_KEY", KEY.to_owned()),
        ("DISABLE_AUTOUPDATER", "1".to_owned()),
        ("DISABLE_TELEMETRY", "1".to_owned()),
        ("DISABLE_ERROR_REPORTING", "1".to_owned()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
    ]
}

fn codex(user: &Path, home: &Home, model: &Model) -> Variables {
    let mut text = format!(
        "model = \"scripted-1\"\nmodel_provider = \"scripted\"\ncheck_for_update_on_startup = false\n\
         approval_policy = \"never\"\nsandbox_mode = \"danger-full-access\"\n\
         [analytics]\nenabled = false\n\
         [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{}\"\nwire_api = \"responses\"\n\
         env_key = \"CODEX_TEST_KEY\"\n",
        v1(model)
    );
    for folder in trusted(home) {
        text.push_str(&format!(
            "[projects.\"{folder}\"]\ntrust_level = \"trusted\"\n"
        ));
    }
    file(&user.join(".codex/config.toml"), &text);
    vec![("CODEX_TEST_KEY", KEY.to_owned())]
}

fn gemini(user: &Path, model: &Model) -> Variables {
    json_file(
        &user.join(".gemini/settings.json"),
        &json!({
            "security": { "auth": { "selectedType": "gemini-api-key" }, "folderTrust": { "enabled": false } },
            "privacy": { "usageStatisticsEnabled": false }, "telemetry": { "enabled": false },
            "general": { "disableAutoUpdate": true, "enableAutoUpdate": false, "disableUpdateNag": true },
            "ui": { "hideTips": true }, "ide": { "hasSeenNudge": true },
        }),
    );
    vec![
        ("GEMINI_API_KEY", KEY.to_owned()),
        ("GOOGLE_GEMINI_BASE_URL", model.url()),
    ]
}

fn opencode(user: &Path, model: &Model) -> Variables {
    json_file(
        &user.join(".config/opencode/opencode.json"),
        &json!({
            "$schema": "https://opencode.ai/config.json", "autoupdate": false, "share": "disabled",
            "model": "scripted/scripted-1", "small_model": "scripted/scripted-1",
            "provider": { "scripted": {
                "npm": "@ai-sdk/openai-compatible", "name": "Scripted",
                "options": { "baseURL": v1(model), "apiKey": KEY },
                "models": { "scripted-1": {
                    "name": "scripted-1", "tool_call": true, "limit": { "context": 200_000, "output": 8000 },
                } },
            } },
        }),
    );
    let off = |name| (name, "1".to_owned());
    vec![
        off("OPENCODE_DISABLE_AUTOUPDATE"),
        off("OPENCODE_DISABLE_MODELS_FETCH"),
        off("OPENCODE_DISABLE_LSP_DOWNLOAD"),
    ]
}

fn qwen(user: &Path, model: &Model) -> Variables {
    json_file(
        &user.join(".qwen/settings.json"),
        &json!({
            "security": { "auth": { "selectedType": "openai" }, "folderTrust": { "enabled": false } },
            "privacy": { "usageStatisticsEnabled": false }, "telemetry": { "enabled": false },
            "general": { "disableAutoUpdate": true, "enableAutoUpdate": false },
            "model": { "name": "scripted-1" }, "tools": { "approvalMode": "yolo" },
        }),
    );
    vec![
        ("OPENAI_API_KEY", KEY.to_owned()),
        ("OPENAI_BASE_URL", v1(model)),
        ("OPENAI_MODEL", "scripted-1".to_owned()),
    ]
}

fn kimi(user: &Path, home: &Home, model: &Model) -> Variables {
    let text = format!(
        "default_model = \"scripted\"\ntelemetry = false\n\
         [providers.scripted]\ntype = \"openai\"\nbase_url = \"{}\"\napi_key = \"{KEY}\"\n\
         [models.scripted]\nprovider = \"scripted\"\nmodel = \"scripted-1\"\nmax_context_size = 200000\n",
        v1(model)
    );
    file(&user.join(".kimi-code/config.toml"), &text);
    // What its own "Trust this folder" leaves behind.
    for folder in trusted(home) {
        let sum = Sha256::digest(folder.as_bytes());
        let sum: String = sum.iter().take(6).map(|it| format!("{it:02x}")).collect();
        let name = folder.rsplit('/').next().unwrap_or_default();
        json_file(
            &user.join(format!(".kimi-code/workspace-trust/wd_{name}_{sum}")),
            &json!({ "root": folder, "trustedAt": 1_796_000_000_000_u64 }),
        );
    }
    Vec::new()
}

fn copilot(user: &Path, home: &Home, model: &Model) -> Variables {
    json_file(
        &user.join(".copilot/config.json"),
        &json!({ "trusted_folders": trusted(home) }),
    );
    vec![
        ("COPILOT_AUTO_UPDATE", "false".to_owned()),
        ("COPILOT_PROVIDER_BASE_URL", v1(model)),
        ("COPILOT_PROVIDER_API_KEY", KEY.to_owned()),
        ("COPILOT_MODEL", "scripted-1".to_owned()),
        ("COPILOT_OFFLINE", "true".to_owned()),
    ]
}

fn hermes(user: &Path, model: &Model) -> Variables {
    let text = format!(
        "model:\n  default: scripted-1\n  provider: custom\n  base_url: {}\n  api_key: {KEY}\n  \
         context_length: 200000\n",
        v1(model)
    );
    file(&user.join(".hermes/config.yaml"), &text);
    vec![
        ("OPENAI_API_KEY", KEY.to_owned()),
        ("OPENAI_BASE_URL", v1(model)),
    ]
}
