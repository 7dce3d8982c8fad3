//! Which variables of a process are worth writing down. Pure.
//!
//! In: an environment. Out: what of it goes into a record. Promises: of what a program inherited an
//! allow-list, so that nothing unknown is written, of what the user set for the pane everything; a variable
//! whose name or value looks like a secret never is, only its name is kept for those a login needs or
//! the user set, so that a restore can say what is missing.

use crate::text::Text;
use agents::Catalogue;
use std::ffi::{OsStr, OsString};

/// Variables of any program; a name that ends in `*` is a beginning.
const KEPT: &[&str] = &[
    "HOME",
    "PATH",
    "LANG",
    "LC_*",
    "TZ",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "CONDA_DEFAULT_ENV",
    "NVM_DIR",
    "NVM_BIN",
    "FNM_DIR",
    "VOLTA_HOME",
    "PYENV_ROOT",
    "JAVA_HOME",
    "GOPATH",
    "GOROOT",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "BUN_INSTALL",
    "PNPM_HOME",
    "NODE_EXTRA_CA_CERTS",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];

/// Parts of names whose values are secrets.
const SECRET: &[&str] = &[
    "KEY",
    "TOKEN",
    "SECRET",
    "PASSW",
    "CREDENTIAL",
    "COOKIE",
    "AUTH",
];

/// Longest value that is kept.
const MAX_VALUE: usize = 16 * 1024;
/// Most variables kept.
const MAX_KEPT: usize = 200;
/// Most bytes of what the user set; a record has a bound of its own.
const MAX_GIVEN: usize = 64 * 1024;

/// What of variables is written down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Name and value, by name.
    pub values: Vec<(Text, Text)>,
    /// Names of those whose values are not kept: secrets that a login uses or the user set, by name.
    pub needs: Vec<String>,
}

/// What of `environment` is written down.
#[must_use]
pub fn kept(catalogue: &Catalogue, environment: &[(OsString, OsString)]) -> Kept {
    let mut kept = Kept::default();
    for (name, value) in environment {
        let Some(text) = name.to_str() else { continue };
        let login = is_login(catalogue, text);
        if agents::hook::is_pane_variable(catalogue, text, value) && value.len() <= MAX_VALUE {
            kept.values
                .push((name.clone().into(), value.clone().into()));
        } else if login && is_secret(text, value) {
            kept.needs.push(text.to_owned());
        } else if (login || is_kept(catalogue, text)) && may_be_kept(text, value) {
            kept.values
                .push((name.clone().into(), value.clone().into()));
        }
    }
    kept.values.sort();
    kept.values.truncate(MAX_KEPT);
    kept.needs.sort();
    kept.needs.truncate(MAX_KEPT);
    kept
}

/// What of the variables that the user set for a pane is written down: all but secrets, of which the name
/// is, as of what is too long.
#[must_use]
pub fn given(set: &[(OsString, OsString)]) -> Kept {
    let mut kept = Kept::default();
    let mut bytes = 0;
    for (name, value) in set {
        let text = name.to_string_lossy();
        bytes += name.len() + value.len();
        let room = bytes <= MAX_GIVEN && value.len() <= MAX_VALUE && kept.values.len() < MAX_KEPT;
        if room && !is_secret(&text, value) {
            kept.values
                .push((name.clone().into(), value.clone().into()));
        } else if kept.needs.len() < MAX_KEPT {
            kept.needs.push(text.into_owned());
        }
    }
    kept.values.sort();
    kept.needs.sort();
    kept
}

fn is_kept(catalogue: &Catalogue, name: &str) -> bool {
    let home = |spec: &agents::Spec| {
        let home = spec.home.as_ref();
        home.and_then(|home| home.variable.as_deref()) == Some(name)
    };
    KEPT.iter().any(|known| fits(known, name)) || catalogue.specs().any(home)
}

/// A variable that the login of one of the CLIs needs.
fn is_login(catalogue: &Catalogue, name: &str) -> bool {
    let mut all = catalogue.specs().flat_map(|spec| &spec.login.variables);
    all.any(|known| fits(known, name))
}

fn fits(known: &str, name: &str) -> bool {
    match known.strip_suffix('*') {
        Some(head) => name.starts_with(head),
        None => name == known,
    }
}

fn may_be_kept(name: &str, value: &OsString) -> bool {
    !value.is_empty() && value.len() <= MAX_VALUE && !is_secret(name, value)
}

/// By its name, or because an address in it names a user.
#[must_use]
pub fn is_secret(name: &str, value: &OsStr) -> bool {
    let name = name.to_ascii_uppercase();
    let value = value.to_string_lossy();
    let user = |rest: &str| {
        rest.split(['/', ' '])
            .next()
            .is_some_and(|host| host.contains('@'))
    };
    SECRET.iter().any(|part| name.contains(part)) || value.split("://").skip(1).any(user)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, value: &str, want: &str) {
        let environment = [(OsString::from(name), OsString::from(value))];
        let found = kept(&Catalogue::built_in(), &environment);
        let word = match (found.values.len(), found.needs.len()) {
            (1, 0) => "value",
            (0, 1) => "name",
            (0, 0) => "nothing",
            _ => "both",
        };
        assert_eq!(word, want, "{name}={value}");
    }

    #[test]
    fn secrets_are_never_written_down() {
        check("PATH", "/usr/bin", "value");
        check("CLAUDE_CODE_PLUGIN_DIRS", "/s/hooks/claude", "value");
        check("CODEX_EXEC_SERVER_URL", "", "value");
        check("OPENCODE_CONFIG_CONTENT", "{\"apiKey\":\"x\"}", "nothing");
        check("LC_TIME", "de_DE.UTF-8", "value");
        check("CLAUDE_CONFIG_DIR", "/home/u/.claude-work", "value");
        check("CODEX_HOME", "/home/u/.codex-work", "value");
        check("ANTHROPIC_MODEL", "opus", "value");
        check("ANTHROPIC_BASE_URL", "http://127.0.0.1:8080", "value");
        check("ANTHROPIC_BASE_URL", "https://user:word@proxy/x", "name");
        check("ANTHROPIC_API_KEY", "sk-1", "name");
        check("CLAUDE_CODE_OAUTH_TOKEN", "t", "name");
        check("OPENAI_API_KEY", "sk-2", "name");
        check("AWS_SECRET_ACCESS_KEY", "s", "nothing");
        check("DATABASE_URL", "postgres://u:p@db/x", "nothing");
        check("EDITOR", "", "nothing");
        check("SOMETHING_ELSE", "x", "nothing");
    }

    #[test]
    fn what_the_user_set_is_kept_but_for_secrets() {
        let check = |name: &str, value: &str, want: (usize, usize)| {
            let found = given(&[(name.into(), value.into())]);
            assert_eq!((found.values.len(), found.needs.len()), want, "{name}");
        };
        check("SOMETHING_ELSE", "x", (1, 0));
        check("EMPTY", "", (1, 0));
        check("DEPLOY_TOKEN", "x", (0, 1));
        check("DATABASE_URL", "postgres://u:p@db/x", (0, 1));
        check("DATABASE_URL", "postgres://db/x", (1, 0));
        check("LONG", &"x".repeat(MAX_VALUE + 1), (0, 1));
        let many: Vec<(OsString, OsString)> = (0..20)
            .map(|n| (format!("N{n:02}").into(), "x".repeat(8_000).into()))
            .collect();
        let found = given(&many);
        assert_eq!((found.values.len(), found.needs.len()), (8, 12));
    }
}
