//! Which CLI a command line is, whatever stands in front of it. Pure.
//!
//! In: argv as the kernel has it, the executable, the environment. Out: the CLI with its own words
//! and the wrapper in front of them, or that it runs inside something abide cannot look into.
//! Promises: a name counts only where a program stands, so `vim claude.md` and `grep codex` are
//! nothing; wrapper and words together are the whole command line, word for word, so that it can be
//! run again; a shell's `-c` line is taken apart only when it is one simple command.

mod inside;
mod names;
mod shell;
mod wrappers;

use crate::catalogue::Catalogue;
use crate::spec::Spec;
use crate::words;
use std::ffi::{OsStr, OsString};
use std::path::Path;

pub use crate::words::Use;

/// Programs that stand in front of each other at most.
const MAX_DEPTH: usize = 8;

/// A CLI's command line and what stands in front of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandLine {
    /// Words in front, such as `npx -y` or `env A=1`.
    pub wrapper: Vec<OsString>,
    /// The program and its arguments.
    pub argv: Vec<OsString>,
    /// What the first of those is.
    pub first: First,
}

/// What the first of a CLI's own words is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum First {
    /// A program.
    #[default]
    Program,
    /// A file that the program in front reads: `node cli.js`, and `bash tool` for what has a `#!` line.
    Script,
    /// A package or module that the program in front finds by this name.
    Name,
}

/// What a command line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recognised {
    /// A CLI.
    Agent {
        /// Its name in the catalogue.
        agent: String,
        /// Its words and what stands in front.
        line: CommandLine,
        /// What kind of run it is.
        used: Use,
    },
    /// A CLI inside a container, another machine or another user's session.
    Inside {
        /// Its name in the catalogue.
        agent: String,
        /// The program around it.
        what: String,
    },
}

/// What the search knows.
struct Search<'a> {
    catalogue: &'a Catalogue,
    env: &'a dyn Fn(&str) -> Option<OsString>,
}

/// Recognises a command line. `exe` is the process's executable where it is known; `env` is its
/// environment (`PWD` makes `node cli.js` a path).
#[must_use]
pub fn recognise(
    catalogue: &Catalogue,
    argv: &[OsString],
    exe: Option<&Path>,
    env: &dyn Fn(&str) -> Option<OsString>,
) -> Option<Recognised> {
    let search = Search { catalogue, env };
    let found = search.resolve(argv, Vec::new(), 0);
    found.or_else(|| search.by_executable(argv, exe?))
}

impl Search<'_> {
    /// `words` begin with a program; `wrapper` stands in front.
    fn resolve(
        &self,
        words: &[OsString],
        wrapper: Vec<OsString>,
        depth: usize,
    ) -> Option<Recognised> {
        let program = words.first().filter(|_| depth < MAX_DEPTH)?;
        if let Some(spec) = names::of_program(self.catalogue, program) {
            return agent(spec, words, wrapper, First::Program);
        }
        let name = names::base(program);
        if inside::is_border(&name) {
            return self.inside(&name, words, depth);
        }
        if let Some(found) = self.interpreted(&name, words, &wrapper, depth) {
            return Some(found);
        }
        let start = wrappers::command_starts(&name, words)?;
        if start.package {
            let spec = names::of_package(self.catalogue, words.get(start.at)?)?;
            return agent(
                spec,
                words.get(start.at..)?,
                joined(wrapper, &words[..start.at]),
                First::Name,
            );
        }
        let rest = words.get(start.at..)?;
        self.resolve(rest, joined(wrapper, &words[..start.at]), depth + 1)
    }

    /// A script run by node, python or a shell.
    fn interpreted(
        &self,
        name: &str,
        words: &[OsString],
        wrapper: &[OsString],
        depth: usize,
    ) -> Option<Recognised> {
        if let Some(line) = shell::command_line(name, words) {
            let words: Vec<OsString> = line.words.into_iter().map(Into::into).collect();
            return self.resolve(&words, joined(wrapper.to_vec(), &line.wrapper), depth + 1);
        }
        let script = wrappers::script(name, words)?;
        let word = words.get(script.at)?;
        let (found, first) = if script.module {
            (names::of_module(self.catalogue, word), First::Name)
        } else {
            let found = names::of_script(self.catalogue, word, self.env);
            (found, First::Script)
        };
        agent(
            found?,
            words.get(script.at..)?,
            joined(wrapper.to_vec(), &words[..script.at]),
            first,
        )
    }

    /// The program is a border: an agent may be named behind it.
    fn inside(&self, what: &str, words: &[OsString], depth: usize) -> Option<Recognised> {
        let named = |found: Recognised| match found {
            Recognised::Agent { agent, .. } | Recognised::Inside { agent, .. } => agent,
        };
        let inner = inside::commands(what, words);
        let found = inner
            .iter()
            .find_map(|words| self.resolve(words, Vec::new(), depth + 1));
        found.map(|found| Recognised::Inside {
            agent: named(found),
            what: what.to_owned(),
        })
    }

    /// The program's own words say nothing, as after a changed process title. Where there are no words
    /// at all the process is about to be that program, with words the kernel does not show yet.
    fn by_executable(&self, argv: &[OsString], exe: &Path) -> Option<Recognised> {
        argv.first()?;
        let spec = names::of_program(self.catalogue, exe.as_os_str())?;
        let mut words = vec![exe.as_os_str().to_owned()];
        words.extend(argv.iter().skip(1).cloned());
        agent(spec, &words, Vec::new(), First::Program)
    }
}

fn agent(
    spec: &Spec,
    words: &[OsString],
    wrapper: Vec<OsString>,
    first: First,
) -> Option<Recognised> {
    let read = words::read(spec, words.get(1..)?);
    if spec.names.strict && !read.plain.is_empty() && words::command(spec, &read).is_none() {
        return None;
    }
    Some(Recognised::Agent {
        agent: spec.name.clone(),
        used: words::used(spec, &read),
        line: CommandLine {
            wrapper,
            argv: words.to_vec(),
            first,
        },
    })
}

fn joined(mut wrapper: Vec<OsString>, words: &[OsString]) -> Vec<OsString> {
    wrapper.extend(words.iter().cloned());
    wrapper
}

/// A word as text.
fn text(word: &OsStr) -> std::borrow::Cow<'_, str> {
    word.to_string_lossy()
}
