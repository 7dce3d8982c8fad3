//! `abide ask`: a request handed to an agent through its structured protocol, in a conversation that
//! survives a restart.
//!
//! In: an agent, a request (or a person who types them), a conversation to go on with. Out: the answer
//! as it comes; an exit code by how the last turn ended. It is a program like any other and needs no
//! host: in a pane it comes back with the pane.

mod setup;

use crate::cmd::Ctx;
use crate::failure::{Exit, Failure};
use std::io::{IsTerminal, Read};
use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::time::Instant;
use turns::event::Ending;
use turns::front::{Form, Pipe, Rule};
use turns::program::{Front, Input, Outcome, Parts, Program};
use turns::record::Reader;
use turns::runner::Core;
use turns::screen::{About, Screen, View};

const EXAMPLES: &str = "\
Examples:
  abide ask --agent claude                     a conversation on this terminal
  abide ask --agent codex 'why is main red?'   begin it with a request
  git diff | abide ask --agent claude -        the request from stdin, the answer to stdout
  abide ask --json --agent gemini 'list files' everything that happens, a JSON object a line
  abide ask --resume ID                        go on with a conversation, and with what was cut
  abide record show ID                         read it

Without a terminal, what the agent asks permission for is refused, or with
--allow allowed each time. Exit codes: 0 answered, 1 failed or refused,
130 stopped. `[turn]` in docs/agents.md says which agents can be asked.";

/// Largest request that is read from stdin.
const MAX_REQUEST: u64 = 1024 * 1024;

/// The words of `abide ask`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The agent, by its short name (`abide agents`); else the setting `ask.agent`.
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Go on with this conversation.
    #[arg(long, value_name = "ID", conflicts_with = "agent")]
    resume: Option<String>,
    /// Name the new conversation.
    #[arg(long, value_name = "ID", conflicts_with = "resume", hide = true)]
    conversation: Option<String>,
    /// The model, as the agent names it.
    #[arg(long)]
    model: Option<String>,
    /// The permission mode, as the agent names it.
    #[arg(long)]
    mode: Option<String>,
    /// The effort, as the agent names it.
    #[arg(long)]
    effort: Option<String>,
    /// The folder it works in; this one when left out.
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// Without a terminal: allow what it asks for, each time and for that time only.
    #[arg(long)]
    allow: bool,
    /// The request; `-`, or nothing without a terminal: read from stdin.
    text: Vec<String>,
}

/// Does it.
///
/// # Errors
/// The agent cannot be asked, the conversation is open elsewhere, or the last turn did not end well.
pub fn run(ctx: &Ctx, args: Args) -> Result<(), Failure> {
    let person = !ctx.out.json && std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let request = request(&args, person)?;
    let asked = setup::setup(ctx, &args)?;
    if request.is_none() && !person && !asked.has_cut(&ctx.places.state) {
        let text = "there is nothing to ask; give the request as words or on stdin";
        return Err(Failure::with(Exit::Usage, text));
    }
    let (inputs, coming) = channel();
    let about = asked.about();
    let (core, parts) = asked.open(ctx, inputs.clone(), coming);
    let outcome = if person {
        let screen = Screen::open(View::new(about), inputs.clone());
        let mut screen = screen.map_err(|e| {
            let why = sys::files::plain(&e);
            Failure::new(format!("this terminal cannot be used: {why}"))
        })?;
        screen.past(&Reader::new(&parts.state).rows(&parts.conversation));
        go(core, parts, &mut screen, inputs, request, person)?
    } else {
        let form = if ctx.out.json {
            Form::Json
        } else {
            Form::Plain
        };
        let rule = if args.allow {
            Rule::AllowOnce
        } else {
            Rule::Reject
        };
        let (out, talk) = (std::io::stdout(), std::io::stderr());
        let mut pipe = Pipe::new(form, rule, out, talk, inputs.clone());
        go(core, parts, &mut pipe, inputs, request, person)?
    };
    match outcome {
        Outcome::Ended(Ending::Done) | Outcome::Left => Ok(()),
        // What happened was said as it happened.
        Outcome::Ended(Ending::Stopped) => Err(Failure::said(Exit::Stopped)),
        Outcome::Ended(_) => Err(Failure::said(Exit::Failed)),
    }
}

fn go(
    core: Core,
    parts: Parts,
    front: &mut dyn Front,
    inputs: Sender<Input>,
    request: Option<String>,
    person: bool,
) -> Result<Outcome, Failure> {
    let opened = Program::open(core, parts, front);
    let mut program = opened
        .map_err(|e| Failure::new(format!("{e}; is the conversation open in another window?")))?;
    turns::wake::watch(&inputs);
    turns::signals::watch(inputs).map_err(|e| Failure::new(sys::files::plain(&e)))?;
    if let Some(turn) = program.cut() {
        program.go_on(turn);
    }
    if let Some(request) = request {
        program.ask(request);
    }
    if !person && !program.busy() {
        return Ok(Outcome::Left); // what was cut had its answer already
    }
    Ok(program.run())
}

/// What to ask first.
fn request(args: &Args, person: bool) -> Result<Option<String>, Failure> {
    let words = args.text.join(" ");
    let from_stdin = words == "-" || (words.is_empty() && !person && args.resume.is_none());
    if !from_stdin {
        return Ok(Some(words).filter(|it| !it.trim().is_empty()));
    }
    let mut text = String::new();
    let read = std::io::stdin()
        .take(MAX_REQUEST + 1)
        .read_to_string(&mut text);
    read.map_err(|e| {
        Failure::new(format!(
            "cannot read the request: {}",
            sys::files::plain(&e)
        ))
    })?;
    if text.len() as u64 > MAX_REQUEST {
        let text = "the request is longer than 1 MiB; put it into a file and name that";
        return Err(Failure::with(Exit::Usage, text));
    }
    Ok(Some(text).filter(|it| !it.trim().is_empty()))
}

/// A core that has just been made.
fn core(setup: turns::runner::Setup) -> Core {
    Core::new(setup, Instant::now())
}

/// What the screen says of itself.
fn about(framework: &str, settings: [Option<&String>; 3]) -> About {
    About {
        framework: framework.to_owned(),
        settings: settings.into_iter().flatten().cloned().collect(),
    }
}
