//! `abide agents`: which agents are installed, which of them can be resumed, and from where that is
//! known.

pub(crate) mod installed;

use crate::cmd::Ctx;
use crate::failure::{Exit, Failure};
use crate::out::say;
use crate::words;
use agents::spec::Need;
use agents::{Catalogue, Origin, ReadError, Spec};
use installed::Installed;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  abide agents                       what is installed here
  abide agents --json | jq -r '.agents[] | select(.installed) | .name'
  abide agents show claude           the data file of a CLI, to begin one's own from
  abide agents check my-agent.toml   tell what is wrong with a data file

Files in the folder `agents` beside config.toml add CLIs or change built-in
ones; docs/agents.md has their format.";

/// The words of `abide agents`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Print the built-in data file of a CLI.
    #[command(after_help = EXAMPLES)]
    Show {
        /// Its short name.
        name: String,
    },
    /// Read a data file and tell what is wrong with it.
    #[command(after_help = EXAMPLES)]
    Check {
        /// The file.
        file: PathBuf,
    },
}

/// Does it. Only programs that were found are run, each with its own `--version`.
///
/// # Errors
/// The file cannot be used, or there is no such CLI.
pub fn run(ctx: &Ctx, args: Args) -> Result<(), Failure> {
    match args.what {
        None => list(ctx),
        Some(What::Show { name }) => show(ctx, &name),
        Some(What::Check { file }) => check(ctx, &file),
    }
}

fn list(ctx: &Ctx) -> Result<(), Failure> {
    let loaded = Catalogue::load(&ctx.places.config.join("agents"));
    loaded.left_out.iter().for_each(|line| say(line));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = installed::find(&loaded.catalogue, &path);
    if ctx.out.json {
        let agents: Vec<Value> = found
            .iter()
            .map(|(spec, at)| as_json(spec, at.as_ref()))
            .collect();
        return ctx
            .out
            .json(&json!({ "agents": agents, "left_out": loaded.left_out }));
    }
    text(ctx, &found)
}

fn text(ctx: &Ctx, found: &[(&Spec, Option<Installed>)]) -> Result<(), Failure> {
    let here = || {
        found
            .iter()
            .filter_map(|(spec, at)| Some((*spec, at.as_ref()?)))
    };
    let head = ["CLI", "VERSION", "RESUME", "KNOWN", "PROGRAM"];
    let mut table = vec![head.map(str::to_owned).to_vec()];
    table.extend(here().map(|(spec, at)| row(spec, at)));
    if table.len() > 1 {
        ctx.out.line(&words::table(&table))?;
    }
    for (spec, at) in here() {
        if let (_, Some(why)) = resume(spec, Some(at)) {
            ctx.out.line(&format!("{}: {why}", spec.title))?;
        }
    }
    let missing = found.iter().filter(|(_, at)| at.is_none());
    let missing: Vec<&str> = missing.map(|(spec, _)| spec.title.as_str()).collect();
    if !missing.is_empty() {
        say(&format!("not installed: {}", missing.join(", ")));
    }
    Ok(())
}

fn row(spec: &Spec, at: &Installed) -> Vec<String> {
    let mut known = spec.facts();
    known.push_str(match spec.origin {
        Origin::BuiltIn => "",
        Origin::User(_) => " (your file)",
        Origin::Changed(_) => " (with your changes)",
    });
    vec![
        spec.title.clone(),
        at.shown_version(),
        resume(spec, Some(at)).0.to_owned(),
        known,
        at.program.display().to_string(),
    ]
}

/// Whether it can be resumed (`yes`, `copy first`, `no`), and why not simply.
fn resume<'a>(spec: &'a Spec, at: Option<&Installed>) -> (&'static str, Option<&'a str>) {
    if spec.resume.is_none() {
        let why = spec.cannot_resume.as_deref();
        return ("no", Some(why.unwrap_or("no way is known")));
    }
    let rule = at.and_then(|at| spec.rule(at.version.as_ref().ok()));
    match rule.map(|rule| (rule.need, rule.why.as_str())) {
        Some((Need::Never, why)) => ("no", Some(why)),
        Some((Need::Copy, why)) => ("copy first", Some(why)),
        None => ("yes", None),
    }
}

fn as_json(spec: &Spec, at: Option<&Installed>) -> Value {
    let (can, why) = resume(spec, at);
    let file = match &spec.origin {
        Origin::BuiltIn => None,
        Origin::User(path) | Origin::Changed(path) => Some(path.display().to_string()),
    };
    let version = at.map(|at| at.version.as_ref());
    json!({
        "name": spec.name,
        "title": spec.title,
        "installed": at.is_some(),
        "program": at.map(|at| at.program.display().to_string()),
        "version": version.and_then(Result::ok).map(ToString::to_string),
        "version_error": version.and_then(Result::err),
        "resume": { "can": can, "why": why },
        "id": spec.proofs().into_iter().map(agents::Proof::word).collect::<Vec<_>>(),
        "known": spec.facts(),
        "versions": spec.provenance.versions,
        "sources": spec.provenance.sources,
        "notes": spec.provenance.notes,
        "file": file,
    })
}

fn show(ctx: &Ctx, name: &str) -> Result<(), Failure> {
    let text = agents::built_in(name).ok_or_else(|| {
        let catalogue = Catalogue::built_in();
        let names: Vec<&str> = catalogue.others().map(|spec| spec.name.as_str()).collect();
        Failure::new(format!(
            "no data file for `{name}` comes with abide; there are {}",
            names.join(", ")
        ))
    })?;
    if ctx.out.json {
        return ctx.out.json(&json!({ "name": name, "text": text }));
    }
    ctx.out.bytes(text.as_bytes())
}

fn check(ctx: &Ctx, file: &Path) -> Result<(), Failure> {
    let (spec, warnings) = agents::check_file(file).map_err(|error| refused(&error))?;
    for warning in &warnings {
        say(&format!("{}: {warning}", file.display()));
    }
    let is = match &spec.origin {
        Origin::User(_) | Origin::BuiltIn => format!("adds `{}`", spec.name),
        Origin::Changed(_) => format!("changes the built-in `{}`", spec.name),
    };
    let can = resume(&spec, None).0;
    let text = || format!("{}: good, {is}; resume: {can}", file.display());
    let told: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    ctx.out
        .either(|| json!({ "name": spec.name, "warnings": told }), text)
}

fn refused(error: &ReadError) -> Failure {
    let ReadError::Faults { path, faults } = error else {
        return Failure::with(Exit::Failed, error.to_string());
    };
    let lines: Vec<String> = faults.iter().map(|fault| format!("\n  {fault}")).collect();
    Failure::new(format!(
        "{} cannot be used:{}",
        path.display(),
        lines.concat()
    ))
}
