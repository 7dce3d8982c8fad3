//! What a pane is called, also with no client: the user's name, else the title the program set, else
//! the command, else what the conversation begins with. Pure.

use super::pane::{Title, Watched};
use agents::Catalogue;
use std::path::Path;

/// Longest title, in characters.
const MAX: usize = 80;

pub(super) fn of(pane: &Watched, catalogue: &Catalogue) -> Title {
    let command = command(pane);
    let title = |title: &str, by: &str| Title {
        title: cut(title),
        by: by.to_owned(),
        command: cut(&command),
    };
    if let Some(name) = &pane.name {
        return title(name, "user");
    }
    if !pane.program_title.trim().is_empty() {
        return title(pane.program_title.trim(), "program");
    }
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

/// The agent's command line, else that of the shell in its place, else the pane's; the program without its
/// folder.
fn command(pane: &Watched) -> String {
    let words: Vec<String> = match &pane.agent {
        Some(agent) => agent
            .argv
            .iter()
            .skip(agent.reader)
            .map(|it| it.to_string_lossy().into_owned())
            .collect(),
        None if !pane.there.is_empty() => pane.there.iter().map(restore::Text::shown).collect(),
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
    named || agent.argv.len() <= agent.reader + 1
}

fn cut(text: &str) -> String {
    let clean = text.chars().filter(|c| !c.is_control());
    clean.take(MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Now;
    use super::super::tests::{agent, facts};
    use super::*;
    use std::time::Instant;

    /// The user's name, the program's title, the command, the conversation: the first that says
    /// something.
    #[test]
    fn what_a_pane_is_called() {
        let line = Some("fix the cart");
        let bare: &[&str] = &["/usr/bin/claude"];
        let asked: &[&str] = &["/usr/bin/claude", "--model", "opus"];
        for (name, program, argv, first_line, want) in [
            (Some("api"), "t", Some(bare), line, ("api", "user")),
            (None, " t ", Some(bare), line, ("t", "program")),
            (
                None,
                " ",
                Some(bare),
                line,
                ("fix the cart", "conversation"),
            ),
            (None, "", Some(bare), None, ("claude", "command")),
            (
                None,
                "",
                Some(asked),
                line,
                ("claude --model opus", "command"),
            ),
            (None, "", None, None, ("bash -l", "command")),
            (None, "a\x07b\u{9b}c", None, None, ("abc", "program")),
        ] {
            let now = Now {
                at: Instant::now(),
                unix: 1,
            };
            let mut pane = Watched::new(facts(1, &["/bin/bash", "-l"]), None, now);
            pane.name = name.map(str::to_owned);
            program.clone_into(&mut pane.program_title);
            pane.agent = argv.map(|argv| {
                let mut agent = agent(200, argv, None);
                agent.first_line = first_line.map(str::to_owned);
                agent
            });
            let title = of(&pane, &Catalogue::built_in());
            assert_eq!((title.title.as_str(), title.by.as_str()), want);
            let line = argv.map_or("bash -l".to_owned(), |argv| argv.join(" "));
            assert_eq!(title.command, line.trim_start_matches("/usr/bin/"));
        }
    }
    /// A script is called by its own name, what stands in for an agent by the shell's.
    #[test]
    fn what_abide_or_the_kernel_put_in_front_is_not_shown() {
        let now = Now {
            at: Instant::now(),
            unix: 1,
        };
        let line = [
            "abide",
            "__pane",
            "--say",
            "why",
            "--then",
            "/bin/bash",
            "--",
        ];
        let mut pane = Watched::new(facts(1, &line), None, now);
        let called = |pane: &Watched| of(pane, &Catalogue::built_in()).title;
        assert_eq!(
            (called(&pane), program(&pane)),
            ("bash".into(), "bash".into())
        );
        let mut script = agent(200, &["/bin/bash", "/opt/tuck", "--resume", "7"], None);
        script.reader = 1;
        pane.agent = Some(script);
        let want = ("tuck --resume 7".into(), "tuck".into());
        assert_eq!((called(&pane), program(&pane)), want);
    }
}
