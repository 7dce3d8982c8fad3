//! `abide new --agent`: the command line of an agent, from its data file.
//!
//! In: a name, perhaps a conversation's id, the user's flags. Out: program, arguments, environment.
//! Promises: where a CLI takes an id for a new conversation it gets one, the best proof there is of
//! which conversation a pane has; flags that name a conversation themselves are the user's word; a
//! conversation that another process has open is refused with that process's pid.

use crate::cmd::Ctx;
use crate::cmd::agents::installed;
use crate::failure::{Exit, Failure};
use crate::out::say;
use crate::uuid::uuid;
use agents::live::{self, Holder, Table};
use agents::spec::Need;
use agents::{Catalogue, CommandLine, Spec, Version};
use link::notes::AgentNote;
use protocol::msg::Bytes;
use std::ffi::OsString;

/// What starts an agent.
#[derive(Debug, Default)]
pub(crate) struct Start {
    /// Program and arguments.
    pub(crate) argv: Vec<OsString>,
    /// Variables its launch needs.
    pub(crate) env: Vec<(Bytes, Bytes)>,
    /// What the pane is known to be from its first moment.
    pub(crate) note: Option<AgentNote>,
}

/// The command line of the agent `name`, in a new conversation or, with `resume`, in that one.
///
/// # Errors
/// No such agent, its program is not installed, an id that is none of its ids, it opens no conversation
/// by id, or another process has that one open.
pub(crate) fn start(
    ctx: &Ctx,
    name: &str,
    resume: Option<&str>,
    flags: &[OsString],
) -> Result<Start, Failure> {
    let catalogue = crate::panes::catalogue(&ctx.places);
    let spec = catalogue
        .get(name)
        .ok_or_else(|| unknown(&catalogue, name))?;
    let version = installed_version(spec)?;
    let mut start = match resume {
        Some(id) => {
            free(&catalogue, spec, id)?;
            again(spec, version.as_ref(), id, flags)?
        }
        None => {
            let mut bytes = [0; 16];
            rand::fill(&mut bytes);
            fresh(spec, version.as_ref(), &uuid(bytes), flags)?
        }
    };
    start.note = Some(note(spec, &start.argv));
    Ok(start)
}

/// A runner that hands `turn` to the agent `name`, in a conversation whose id is ours.
///
/// # Errors
/// No such agent, or none that can be asked.
pub(crate) fn runner(
    ctx: &Ctx,
    name: &str,
    turn: &str,
    flags: &[OsString],
) -> Result<Start, Failure> {
    let catalogue = crate::panes::catalogue(&ctx.places);
    let spec = catalogue
        .get(name)
        .ok_or_else(|| unknown(&catalogue, name))?;
    turns::framework::Framework::of(spec).map_err(|error| Failure::new(error.to_string()))?;
    let ours = catalogue
        .get("ask")
        .ok_or_else(|| unknown(&catalogue, "ask"))?;
    let id: String = uuid(rand::random()).chars().take(13).collect();
    let words = ["ask", "--conversation", &id, "--agent", name];
    let mut argv = vec![crate::daemons::own_program().into_os_string()];
    argv.extend(words.map(OsString::from));
    argv.extend(flags.iter().cloned());
    argv.extend(["--".into(), turn.into()]);
    Ok(Start {
        env: Vec::new(),
        note: Some(note(ours, &argv)),
        argv,
    })
}

/// What is known of the pane before its program runs: the id the command line names.
fn note(spec: &Spec, argv: &[OsString]) -> AgentNote {
    let known = live::launched_with(spec, argv);
    let (conversation, how) = known.unzip();
    AgentNote {
        cli: spec.name.clone(),
        conversation,
        how: how.map(|how| how.word().to_owned()).unwrap_or_default(),
        opened: None,
    }
}

/// Who has a conversation of this user's account open.
pub(crate) fn holder(catalogue: &Catalogue, spec: &Spec, id: &str) -> Option<Holder> {
    let env = |name: &str| std::env::var_os(name);
    live::holder(catalogue, &Table::read(), spec, id, &env)
}

/// Nobody has the conversation open.
///
/// # Errors
/// Somebody has.
pub(crate) fn free(catalogue: &Catalogue, spec: &Spec, id: &str) -> Result<(), Failure> {
    let Some(holder) = holder(catalogue, spec, id) else {
        return Ok(());
    };
    let pane = holder.pane.as_deref();
    Err(held(spec, id, pane, holder.process.pid))
}

/// Another process has it open.
pub(crate) fn held(spec: &Spec, id: &str, pane: Option<&str>, pid: i32) -> Failure {
    let place = match pane {
        Some(pane) => format!("in pane {pane} (pid {pid})"),
        None => format!("in pid {pid}"),
    };
    Failure::new(format!(
        "the {} conversation {id} is open {place}; end that first",
        spec.title
    ))
}

fn unknown(catalogue: &Catalogue, name: &str) -> Failure {
    let names: Vec<&str> = catalogue.others().map(|spec| spec.name.as_str()).collect();
    let names = names.join(", ");
    let text = format!(
        "no agent is called `{name}`; there are {names}. Any program runs with `abide new -- CMD`"
    );
    Failure::with(Exit::Usage, text)
}

/// A new conversation, with an id of our choice where that is possible.
fn fresh(
    spec: &Spec,
    version: Option<&Version>,
    id: &str,
    flags: &[OsString],
) -> Result<Start, Failure> {
    let mut argv: Vec<OsString> = spec.launch.argv.iter().map(Into::into).collect();
    argv.extend(flags.iter().cloned());
    if names_one(spec, flags) || !takes_an_id(spec, version) {
        return Ok(Start {
            argv,
            env: launch_env(spec),
            note: None,
        });
    }
    let id = format!("{}{id}", spec.id.prefix);
    let chosen = agents::choose_id(spec, &id).map_err(|error| Failure::new(error.to_string()))?;
    // Before the flags: one that takes any number of words would take it too.
    let at = spec.launch.argv.len();
    argv.splice(at..at, chosen.unwrap_or_default());
    Ok(Start {
        argv,
        env: launch_env(spec),
        note: None,
    })
}

/// A conversation that is there.
fn again(
    spec: &Spec,
    version: Option<&Version>,
    id: &str,
    flags: &[OsString],
) -> Result<Start, Failure> {
    if let Some(rule) = spec.rule(version) {
        let (title, why) = (&spec.title, &rule.why);
        let but = match rule.need {
            Need::Never => "",
            Need::Copy => "; only `abide restore` opens it, after keeping a copy",
        };
        return Err(Failure::new(format!(
            "{title} cannot open `{id}`: {why}{but}"
        )));
    }
    let mut argv: Vec<OsString> = spec.launch.argv.iter().map(Into::into).collect();
    argv.extend(flags.iter().cloned());
    let recorded = CommandLine {
        argv,
        ..CommandLine::default()
    };
    let resumption = agents::resume_argv(spec, &recorded, id, None);
    let resumption = resumption.map_err(|error| Failure::with(Exit::Usage, error.to_string()))?;
    for word in &resumption.left_out {
        say(&format!("left out: {word}"));
    }
    Ok(Start {
        argv: resumption.argv,
        env: resumption
            .env
            .iter()
            .map(|(name, value)| bytes((name, value)))
            .collect(),
        note: None,
    })
}

/// Whether the flags name a conversation themselves, or are a run without a person.
fn names_one(spec: &Spec, flags: &[OsString]) -> bool {
    let groups = [&spec.flags.conversation, &spec.flags.headless];
    let names = groups
        .iter()
        .flat_map(|g| [&g.boolean, &g.value, &g.optional, &g.many]);
    let names: Vec<&String> = names.flatten().collect();
    let commands = [
        &spec.launch.conversation,
        &spec.launch.headless,
        &spec.launch.other,
    ];
    let command = |word: &str| {
        let first = |line: &String| line.split(' ').next() == Some(word);
        commands.iter().any(|list| list.iter().any(first))
    };
    let word = flags.first().and_then(|word| word.to_str());
    word.is_some_and(command)
        || flags.iter().filter_map(|flag| flag.to_str()).any(|flag| {
            let name = flag.split('=').next().unwrap_or(flag);
            names.iter().any(|known| *known == name)
        })
}

fn takes_an_id(spec: &Spec, version: Option<&Version>) -> bool {
    let since = spec
        .choose
        .as_ref()
        .and_then(|choose| choose.since.as_deref());
    since.is_none_or(|since| version.is_some_and(|version| !version.is_below(since)))
}

fn launch_env(spec: &Spec) -> Vec<(Bytes, Bytes)> {
    let pairs = spec.launch.env.iter();
    pairs.map(bytes).collect()
}

fn bytes((name, value): (&String, &String)) -> (Bytes, Bytes) {
    (name.clone().into_bytes(), value.clone().into_bytes())
}

/// What the program on the `PATH` was installed as; nothing is run.
///
/// # Errors
/// It is not there.
fn installed_version(spec: &Spec) -> Result<Option<Version>, Failure> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    match installed::program(spec, &path) {
        Some(program) => Ok(agents::packaged_version(spec, &program)),
        None => {
            let names = spec.names.programs.iter().chain(spec.names.weak.keys());
            let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
            let (title, names) = (&spec.title, names.join(" or "));
            Err(Failure::new(format!(
                "{title} is not installed: no {names} on the PATH"
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "6f0a3f0e-94c5-4c5e-9d0e-0a1b2c3d4e5f";

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(Into::into).collect()
    }

    fn told(start: &Start) -> String {
        let argv: Vec<_> = start
            .argv
            .iter()
            .map(|word| word.to_string_lossy())
            .collect();
        argv.join(" ")
    }

    #[test]
    fn a_new_conversation_gets_an_id_where_it_can() {
        let catalogue = Catalogue::built_in();
        let check = |name: &str, flags: &str, right: &str| {
            let spec = catalogue.get(name).expect("a spec");
            let start = fresh(spec, None, ID, &words(flags)).expect("a command line");
            assert_eq!(told(&start), right.replace("$ID", ID), "{name} {flags}");
        };
        check("claude", "", "claude --session-id $ID");
        check(
            "claude",
            "--model opus --add-dir a b",
            "claude --session-id $ID --model opus --add-dir a b",
        );
        check("claude", "--resume x", "claude --resume x");
        check("claude", "-p hello", "claude -p hello");
        check("claude", "mcp list", "claude mcp list");
        check("codex", "--yolo", "codex --yolo");
        check("codex", "resume x", "codex resume x");
        // Its version is not known, and older ones do not take an id.
        check("copilot", "", "copilot");
        let copilot = catalogue.get("copilot").expect("a spec");
        let new = Version::find("1.0.102").expect("a version");
        let start = fresh(copilot, Some(&new), ID, &[]).expect("a command line");
        assert!(told(&start).contains(ID), "{}", told(&start));
        let codex = fresh(catalogue.get("codex").expect("a spec"), None, ID, &[]).expect("one");
        assert!(
            codex
                .env
                .contains(&(b"CODEX_EXEC_SERVER_URL".to_vec(), Vec::new()))
        );
    }

    #[test]
    fn a_conversation_that_is_there_is_opened_by_its_id() {
        let catalogue = Catalogue::built_in();
        let claude = catalogue.get("claude").expect("a spec");
        let start = again(claude, None, ID, &words("--model opus")).expect("a command line");
        assert_eq!(told(&start), format!("claude --resume {ID} --model opus"));
        assert!(again(claude, None, "--yes", &[]).is_err());
        let openclaw = catalogue.get("openclaw").expect("a spec");
        assert!(again(openclaw, None, "x", &[]).is_err());
    }
}
