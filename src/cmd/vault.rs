//! `abide vault`: abide's own copies of conversations.

mod files;

use crate::bring;
use crate::cmd::{Ctx, config};
use crate::failure::{Exit, Failure};
use crate::out::say;
use crate::words;
use restore::Vault;
use restore::vault::{Copy, KEEP_SECONDS};
use serde_json::json;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  abide vault ls
  abide vault export 6f0a3f0e > chat.jsonl    the beginning of an id is enough
  abide vault export 6f0a3f0e --to FOLDER     every file of it, where a conversation has several
  abide vault rm 6f0a3f0e
  abide vault rm --all
  abide vault off                             copies no more; what is there stays until `rm`

Copied are conversations that are files of their own (Claude Code, Codex, Gemini CLI, Qwen Code, Droid) or
folders of files (Copilot, Kimi Code, Grok Build); databases and servers are not. A copy goes 30 days after its pane closed; all take 2 GB at most.";

/// The words of `abide vault`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// List the copies.
    #[command(after_help = EXAMPLES)]
    Ls,
    /// Print a copy as it is; of several files the largest.
    #[command(after_help = EXAMPLES)]
    Export {
        /// A conversation's id, or the beginning of one.
        #[arg(value_name = "ID")]
        id: String,
        /// Write every file of the conversation below this folder, which must not have them yet.
        #[arg(long, value_name = "FOLDER")]
        to: Option<PathBuf>,
    },
    /// Delete copies; the agents' own files are not touched.
    #[command(after_help = EXAMPLES)]
    Rm {
        /// Ids of conversations, or beginnings of them.
        #[arg(value_name = "ID", required_unless_present = "all")]
        ids: Vec<String>,
        /// Delete all of them.
        #[arg(long, conflicts_with = "ids")]
        all: bool,
    },
    /// Copy again.
    #[command(after_help = EXAMPLES)]
    On,
    /// Copy no more.
    #[command(after_help = EXAMPLES)]
    Off,
}

/// Does it.
///
/// # Errors
/// There is no such copy, or it cannot be read or deleted.
pub fn run(ctx: &Ctx, args: Args) -> Result<(), Failure> {
    let vault = Vault::at(&ctx.places.state);
    match args.what {
        What::Ls => ls(ctx, &vault),
        What::Export { id, to } => {
            let copies = vault.copies();
            let conversation = named(&ids(&copies), &id)?;
            match to {
                Some(folder) => files::export(ctx, &vault, &copies, &conversation, &folder),
                None => print(ctx, &vault, &copies, &conversation),
            }
        }
        What::Rm { ids, all } => {
            let copies = vault.copies();
            let known = self::ids(&copies);
            let ids = ids.iter().map(|id| named(&known, id));
            let ids = ids.collect::<Result<Vec<_>, _>>()?;
            let gone = vault.remove(|it| all || ids.contains(&it.conversation))?;
            ctx.out.either(
                || json!({ "removed": gone }),
                || format!("{} deleted", words::count_as(gone, "copy", "copies")),
            )
        }
        What::On => switch(ctx, true),
        What::Off => switch(ctx, false),
    }
}

/// Changes the setting, and tells a keeper that runs.
fn switch(ctx: &Ctx, on: bool) -> Result<(), Failure> {
    config::change(ctx, "vault.enabled", &on.to_string())?;
    bring::poke_any(ctx);
    let kept = Vault::at(&ctx.places.state).copies().len();
    if !on && kept > 0 {
        say(&format!(
            "{}; `abide vault rm --all` deletes what is there",
            words::count_as(kept, "copy stays", "copies stay")
        ));
    }
    ctx.out.either(
        || json!({ "vault": on, "copies": kept }),
        || format!("conversations are {}copied", if on { "" } else { "not " }),
    )
}

fn ls(ctx: &Ctx, vault: &Vault) -> Result<(), Failure> {
    let copies = vault.copies();
    if ctx.out.json {
        let rows: Vec<_> = copies.iter().map(|it| row(vault, it)).collect();
        return ctx.out.json(&json!({ "copies": rows }));
    }
    if copies.is_empty() {
        say("the vault is empty");
        return Ok(());
    }
    let heads = ["AGENT", "CONVERSATION", "PANE", "FILES", "SIZE", "STATE"];
    let mut rows = vec![heads.map(str::to_owned)];
    rows.extend(files::conversations(&copies).iter().map(|own| {
        let entry = &own[0].entry;
        [
            words::text(entry.cli.as_bytes()),
            words::text(entry.conversation.as_bytes()),
            format!("p{}", entry.pane),
            own.len().to_string(),
            size(own.iter().map(|it| it.entry.length).sum()),
            states(own),
        ]
    }));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..heads.len())
        .map(|n| width(n).unwrap_or_default())
        .collect();
    rows.iter().try_for_each(|row| {
        let cells = row.iter().zip(&widths);
        let line: String = cells.map(|(it, width)| format!("{it:width$}  ")).collect();
        ctx.out.line(line.trim_end())
    })
}

/// The state of a conversation's copies: each word once.
fn states(own: &[&Copy]) -> String {
    let mut words: Vec<String> = Vec::new();
    for word in own.iter().flat_map(|copy| state(copy)) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    match words.is_empty() {
        true => "kept".to_owned(),
        false => words.join("; "),
    }
}

fn state(copy: &Copy) -> Vec<String> {
    let entry = &copy.entry;
    let mut words = Vec::new();
    if entry.former {
        words.push("before it was replaced".to_owned());
    } else if !entry.whole {
        words.push("not to its end".to_owned());
    }
    if let Some(closed) = entry.closed {
        let now = sys::boot::unix_now();
        let left = closed.saturating_add(KEEP_SECONDS).saturating_sub(now);
        let days = usize::try_from(left.div_ceil(86_400)).unwrap_or(usize::MAX);
        let days = crate::words::count(days, "day");
        words.push(format!("closed, goes in {days}"));
    }
    if !entry.path.as_path().exists() {
        words.push("its own file is gone".to_owned());
    }
    words
}

fn row(vault: &Vault, copy: &Copy) -> serde_json::Value {
    let entry = &copy.entry;
    json!({
        "agent": entry.cli,
        "conversation": entry.conversation,
        "pane": format!("p{}", entry.pane),
        "workspace": entry.workspace,
        "path": entry.path.shown(),
        "bytes": entry.length,
        "whole": entry.whole,
        "former": entry.former,
        "intact": vault.read(copy).is_ok(),
        "copied": entry.at,
        "closed": entry.closed,
    })
}

fn ids(copies: &[Copy]) -> Vec<&str> {
    let ids = copies.iter().map(|it| it.entry.conversation.as_str());
    ids.collect()
}

/// The conversation that a word names: the beginning of one id.
fn named(ids: &[&str], word: &str) -> Result<String, Failure> {
    let begins = |id: &&str| !word.is_empty() && id.starts_with(word);
    let mut ids: Vec<&str> = ids.iter().copied().filter(begins).collect();
    ids.sort_unstable();
    ids.dedup();
    match ids.as_slice() {
        [] => Err(missing(word)),
        [only] => Ok((*only).to_owned()),
        _ if ids.contains(&word) => Ok(word.to_owned()),
        several => Err(Failure::with(
            Exit::Usage,
            format!(
                "`{word}` begins {} conversations; say more of it",
                several.len()
            ),
        )),
    }
}

/// Prints the copy that holds most; says how many others there are.
fn print(ctx: &Ctx, vault: &Vault, copies: &[Copy], conversation: &str) -> Result<(), Failure> {
    let chosen = largest(copies, conversation).ok_or_else(|| missing(conversation))?;
    let all = files::current(copies, conversation).count();
    if all > 1 {
        let path = chosen.entry.path.shown();
        say(&format!(
            "this is {path}, the largest of {all} files; `--to FOLDER` writes all"
        ));
    }
    ctx.out.bytes(&vault.read(chosen)?)
}

/// Of the copies of a conversation the one that holds most: beside a real transcript there may be a
/// stub.
fn largest<'a>(copies: &'a [Copy], conversation: &str) -> Option<&'a Copy> {
    let own = copies
        .iter()
        .filter(|it| it.entry.conversation == conversation);
    own.max_by_key(|it| it.entry.length)
}

fn missing(word: &str) -> Failure {
    let word = words::text(word.as_bytes());
    Failure::new(format!(
        "the vault has no copy of `{word}`; `abide vault ls` lists them"
    ))
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{} KiB", bytes / 1024),
        _ => format!("{} MiB", bytes / 1_048_576),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_name_conversations() {
        let ids = ["abc-1", "abc-1", "abd-2", "abd-22"];
        let check = |word: &str, want: Result<&str, &str>| {
            let found = named(&ids, word).map_err(|it| it.text);
            assert_eq!(found.as_deref().map_err(String::as_str), want);
        };
        check("abc", Ok("abc-1"));
        check("abd-2", Ok("abd-2"));
        check("ab", Err("`ab` begins 3 conversations; say more of it"));
        check(
            "x",
            Err("the vault has no copy of `x`; `abide vault ls` lists them"),
        );
        check(
            "",
            Err("the vault has no copy of ``; `abide vault ls` lists them"),
        );
        assert_eq!(
            [size(5), size(2048), size(3 << 20)],
            ["5 B", "2 KiB", "3 MiB"]
        );
    }
}
