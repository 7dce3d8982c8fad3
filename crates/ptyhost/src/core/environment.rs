//! The environment of a pane, out of its creator's. Pure.
//!
//! In: the creating client's variables (or the login shell's), what the creator sets on top, the
//! pane's identity. Out: unique names with values. Promises: what names the outer terminal, an
//! agent that runs around us or another pane does not get in; a user's own settings stay; the
//! result is UTF-8; bytes that are no UTF-8 pass unchanged; the token is not known here.

use protocol::PaneId;
use protocol::msg::Bytes;
use std::collections::BTreeMap;

/// Removed when inherited: marks of an agent session around us, of the outer terminal or
/// multiplexer, and of the folder and size somebody else had.
const SCRUBBED: &[&[u8]] = &[
    // A nested Claude Code refuses to start (happy#682, clay#161, claude-agent-acp#413).
    b"CLAUDECODE",
    b"CLAUDE_PID",
    b"CLAUDE_CODE_ENTRYPOINT",
    b"CLAUDE_CODE_SESSION_ID",
    b"CLAUDE_CODE_SSE_PORT",
    b"CODEX_CI",
    b"TMUX",
    b"TMUX_PANE",
    b"STY",
    b"TERM_SESSION_ID",
    b"LC_TERMINAL",
    b"LC_TERMINAL_VERSION",
    b"VTE_VERSION",
    b"WT_SESSION",
    b"WT_PROFILE_ID",
    b"WINDOWID",
    b"INSIDE_EMACS",
    b"COLUMNS",
    b"LINES",
    b"OLDPWD",
    b"_",
];

/// Removed when inherited, whatever follows.
const SCRUBBED_PREFIXES: &[&[u8]] = &[
    b"CLAUDE_CODE_RESUME_",
    b"CODEX_SANDBOX",
    b"CODEX_MANAGED_",
    b"CODEX_INTERNAL_",
    b"ZELLIJ",
    b"KITTY_",
    b"WEZTERM_",
    b"GHOSTTY_",
    b"ITERM_",
    b"KONSOLE_",
    b"ALACRITTY_",
    b"TERM_PROGRAM",
    b"ABIDE_",
];

/// What a pane's environment is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ingredients<'a> {
    /// The creator's variables, or the login shell's.
    pub(crate) inherited: &'a [(Bytes, Bytes)],
    /// They are the login shell's: nobody's session, so every stable link is offered.
    pub(crate) from_login: bool,
    /// Set last, as they stand; only the pane's identity is above them.
    pub(crate) set: &'a [(Bytes, Bytes)],
    /// The pane.
    pub(crate) pane: PaneId,
    /// The pane's own key, hexadecimal.
    pub(crate) pane_key: &'a str,
    /// The folder it starts in.
    pub(crate) cwd: &'a [u8],
    /// `ABIDE_HOME`, when sealed.
    pub(crate) sealed_home: Option<&'a [u8]>,
    /// Folder of the stable links.
    pub(crate) links_folder: &'a [u8],
    /// Variables that have one.
    pub(crate) links: &'a BTreeMap<String, Bytes>,
}

type Vars = BTreeMap<Bytes, Bytes>;

/// The pane's whole environment, sorted by name. Names that no environment can hold (empty, with
/// `=` or NUL) and values with NUL are left out.
pub(crate) fn build(from: Ingredients<'_>) -> Vec<(Bytes, Bytes)> {
    let mut vars = Vars::new();
    add(&mut vars, from.inherited);
    scrub(&mut vars);
    set(&mut vars, "TERM", b"xterm-256color");
    set(&mut vars, "COLORTERM", b"truecolor");
    set(&mut vars, "TERM_PROGRAM", b"abide");
    set(
        &mut vars,
        "TERM_PROGRAM_VERSION",
        env!("CARGO_PKG_VERSION").as_bytes(),
    );
    set(&mut vars, "PWD", from.cwd);
    speak_utf8(&mut vars);
    use_links(&mut vars, &from);
    add(&mut vars, from.set);
    set(&mut vars, "ABIDE_PANE", from.pane.to_string().as_bytes());
    set(&mut vars, "ABIDE_PANE_KEY", from.pane_key.as_bytes());
    if let Some(home) = from.sealed_home {
        set(&mut vars, "ABIDE_HOME", home);
    }
    vars.into_iter().collect()
}

fn set(vars: &mut Vars, name: &str, value: &[u8]) {
    vars.insert(name.as_bytes().to_vec(), value.to_vec());
}

fn add(vars: &mut Vars, more: &[(Bytes, Bytes)]) {
    for (name, value) in more {
        let sound = !name.is_empty() && !name.contains(&b'=') && !name.contains(&0);
        if sound && !value.contains(&0) {
            vars.insert(name.clone(), value.clone());
        }
    }
}

fn scrub(vars: &mut Vars) {
    let in_screen = vars.contains_key(b"STY".as_slice());
    let was_dumb = vars
        .get(b"TERM".as_slice())
        .is_some_and(|term| term == b"dumb");
    vars.retain(|name, _| {
        let name = name.as_slice();
        // Ids of a Codex session around us; CODEX_HOME and CODEX_API_KEY are the user's.
        let codex_id = name.starts_with(b"CODEX_") && name.ends_with(b"_ID");
        // screen's own, also when another program uses the names.
        let of_screen = in_screen && (name == b"WINDOW" || name == b"TERMCAP");
        // A program that starts us without a terminal says so; a user's NO_COLOR stays.
        let of_dumb = was_dumb && name == b"NO_COLOR";
        !(SCRUBBED.contains(&name)
            || SCRUBBED_PREFIXES
                .iter()
                .any(|prefix| name.starts_with(prefix))
            || codex_id
            || of_screen
            || of_dumb)
    });
}

/// Whether a locale's value says UTF-8, however it is spelt.
fn says_utf8(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    [b"utf-8".as_slice(), b"utf8"]
        .iter()
        .any(|word| lower.windows(word.len()).any(|w| w == *word))
}

/// Agents read LANG and LC_ALL themselves, a UTF-8 LC_CTYPE alone leaves them with mojibake
/// (omnigent#2427, tty7#173, agent-deck#1902). A UTF-8 choice of the user stays as it is.
fn speak_utf8(vars: &mut Vars) {
    let chosen =
        |vars: &Vars, name: &str| vars.get(name.as_bytes()).filter(|v| !v.is_empty()).cloned();
    if let Some(all) = chosen(vars, "LC_ALL") {
        if !says_utf8(&all) {
            set(vars, "LC_ALL", b"C.UTF-8");
        }
        return;
    }
    if !chosen(vars, "LANG").is_some_and(|lang| says_utf8(&lang)) {
        set(vars, "LANG", b"C.UTF-8");
    }
    if chosen(vars, "LC_CTYPE").is_some_and(|ctype| !says_utf8(&ctype)) {
        vars.remove(b"LC_CTYPE".as_slice());
    }
}

/// Sockets that move at every login are reached through a link that is refreshed at attach
/// (herdr#1931, tmux#3243).
fn use_links(vars: &mut Vars, from: &Ingredients<'_>) {
    for name in from.links.keys() {
        let has_path = vars
            .get(name.as_bytes())
            .is_some_and(|value| value.starts_with(b"/"));
        if has_path || from.from_login {
            set(
                vars,
                name,
                &[from.links_folder, b"/", name.as_bytes()].concat(),
            );
        }
    }
}

#[cfg(test)]
mod tests;
