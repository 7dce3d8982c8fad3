//! What a pane is called, also with no client: the user's name, else the title the program set, else
//! the command, else what the conversation begins with. Pure.

use super::pane::{Title, Watched};
use agents::Catalogue;
use std::path::Path;

/// Longest title, in characters.
const MAX: usize = 80;

pub(super) fn of(pane: &Watched, catalogue: &Catalogue) -> Title {
    let title = |title: &str, by: &str| Title {
        title: cut(title),
        by: by.to_owned(),
    };
    if let Some(name) = &pane.name {
        return title(name, "user");
    }
    if !pane.program_title.trim().is_empty() {
        return title(pane.program_title.trim(), "program");
    }
    let command = command(pane);
    let line = pane.agent.as_ref().and_then(|it| it.first_line.as_deref());
    match line.filter(|_| says_nothing(pane, catalogue, &command)) {
        Some(line) => title(line, "conversation"),
        None => title(&command, "command"),
    }
}

/// The program alone.
pub(super) fn program(pane: &Watched) -> String {
    let command = command(pane);
    cut(command.split(' ').next().unwrap_or_default())
}

/// The agent's command line, else the pane's; the program without its folder.
fn command(pane: &Watched) -> String {
    let words: Vec<String> = match &pane.agent {
        Some(agent) => agent
            .argv
            .iter()
            .map(|it| it.to_string_lossy().into_owned())
            .collect(),
        None => pane.record.argv.iter().map(restore::Text::shown).collect(),
    };
    let mut words = words.into_iter();
    let program = words.next().unwrap_or_default();
    let program = Path::new(&program).file_name();
    let program = program.map(|name| name.to_string_lossy().into_owned());
    program
        .into_iter()
        .chain(words)
        .collect::<Vec<_>>()
        .join(" ")
}

/// The command is no more than the agent's own name.
fn says_nothing(pane: &Watched, catalogue: &Catalogue, command: &str) -> bool {
    let Some(agent) = &pane.agent else {
        return false;
    };
    let named = catalogue
        .get(&agent.cli)
        .is_some_and(|spec| spec.name == command);
    named || agent.argv.len() <= 1
}

fn cut(text: &str) -> String {
    let clean = text.chars().filter(|c| !c.is_control());
    clean.take(MAX).collect()
}
