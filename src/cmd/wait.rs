//! `abide wait`: until a pane ends, shows a text, or is still. Driven by the host's events; nothing
//! is polled.

use crate::cmd::Ctx;
use crate::desk::{Desk, Pane};
use crate::failure::{Exit, Failure};
use crate::out::say;
use crate::screen::Watched;
use crate::words;
use agents::State;
use link::notes::{self, StateNote};
use protocol::msg::Subscribe;
use protocol::{FromHost, PaneId, Role};
use regex::{Regex, RegexBuilder};
use std::time::{Duration, Instant};

const EXAMPLES: &str = "\
Examples:
  abide wait build --exit --timeout 600      prints how it ended
  abide wait web --text 'listening on \\d+'   prints the line that matched
  abide wait claude --idle 5                 5 seconds without output
  abide wait claude --state needs_input      until it asks for you
  abide wait build --exit || echo \"code $?\"  5: time is up";

/// The words of `abide wait`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = EXAMPLES,
    group(clap::ArgGroup::new("goal").required(true).args(["exit", "text", "idle", "state"]))
)]
pub struct Args {
    /// The pane.
    pane: String,
    /// Until its program has ended.
    #[arg(long)]
    exit: bool,
    /// Until a line on its screen matches, now or later.
    #[arg(long, value_name = "RE")]
    text: Option<String>,
    /// Until it has printed nothing for so long.
    #[arg(long, value_name = "SECS", value_parser = seconds)]
    idle: Option<Duration>,
    /// Until it is in this state; the keeper says which it is in.
    #[arg(long, value_name = "S")]
    state: Option<State>,
    /// Give up after so long [default: never].
    #[arg(long, value_name = "SECS", value_parser = seconds)]
    timeout: Option<Duration>,
}

/// What is waited for.
#[derive(Debug)]
enum Goal {
    Exit,
    Text(Regex),
    Idle(Duration),
    State(State),
}

/// Reads seconds, fractions allowed.
fn seconds(word: &str) -> Result<Duration, String> {
    let parsed = word
        .parse()
        .ok()
        .and_then(|n| Duration::try_from_secs_f64(n).ok());
    let limit = Duration::from_secs(366 * 24 * 3600);
    parsed
        .filter(|it| *it <= limit)
        .ok_or_else(|| "must be a number of seconds, such as 2.5".to_owned())
}

/// Waits.
///
/// # Errors
/// No host, no such pane, time is up, or the pane ended without what was waited for.
pub fn run(ctx: &Ctx, args: Args) -> Result<(), Failure> {
    let goal = goal(&args)?;
    if matches!(goal, Goal::State(_)) && !link::keeper::lives(&ctx.places) {
        say("no keeper runs, and nothing else tells states; `abide keeper start` starts one");
    }
    let mut desk = Desk::open(ctx, Role::Control)?;
    let id = desk.find(&args.pane)?.id();
    // First the events, then the look: what happens in between is seen by one of them.
    desk.tell(PaneId::NONE, Subscribe {})?;
    desk.look()?;
    let pane = desk.by_id(id)?.clone();
    let mut waiting = Waiting {
        id,
        until: args.timeout.map(|limit| Instant::now() + limit),
    };
    let found = match goal {
        Goal::Exit => waiting.exit(&mut desk, &pane)?,
        Goal::Text(pattern) => waiting.text(&mut desk, &pane, &pattern)?,
        Goal::State(state) => waiting.state(&mut desk, &pane, state)?,
        Goal::Idle(still) => waiting.idle(&mut desk, &pane, still)?,
    };
    let Some(found) = found else {
        let text = format!(
            "{id}: time is up ({} s)",
            args.timeout.unwrap_or_default().as_secs_f32()
        );
        return Err(Failure::with(Exit::TimedOut, text));
    };
    ctx.out.either(
        || serde_json::json!({ "pane": id.to_string(), "found": found.text, "exit": found.exit }),
        || found.text.clone(),
    )
}

fn goal(args: &Args) -> Result<Goal, Failure> {
    if let Some(pattern) = &args.text {
        let built = RegexBuilder::new(pattern)
            .multi_line(true)
            .size_limit(10 << 20)
            .build();
        return built.map(Goal::Text).map_err(|e| {
            let why = e.to_string();
            let why = why.lines().last().unwrap_or_default().to_owned();
            Failure::with(Exit::Usage, format!("--text {pattern}: {why}"))
        });
    }
    if let Some(state) = args.state {
        return Ok(Goal::State(state));
    }
    Ok(args.idle.map_or(Goal::Exit, Goal::Idle))
}

/// What was waited for, in words, and the exit code if the pane has ended.
struct Found {
    text: String,
    exit: Option<i32>,
}

impl Found {
    fn ended(raw: i32) -> Self {
        Self {
            text: words::ending(raw),
            exit: Some(words::exit_code(raw)),
        }
    }
}

struct Waiting {
    id: PaneId,
    until: Option<Instant>,
}

/// What came of waiting for one message.
enum Step {
    Message(FromHost),
    Ended(i32),
    TimeUp,
}

impl Waiting {
    /// The next message about the pane, at most `limit` from now and never past the time given.
    fn step(&self, desk: &mut Desk, limit: Option<Duration>) -> Result<Step, Failure> {
        let now = Instant::now();
        let left = self.until.map(|until| until.saturating_duration_since(now));
        // The longest single wait the system is asked for; the loops around go on after it.
        let day = Duration::from_secs(24 * 3600);
        let wait = [left, limit].into_iter().flatten().min().unwrap_or(day);
        match desk.connection.next(wait)? {
            Some((pane, message)) if pane == self.id => Ok(match message {
                FromHost::PaneExited(exited) => Step::Ended(exited.raw_status),
                FromHost::PaneRemoved(_) => return Err(self.gone()),
                message => Step::Message(message),
            }),
            // Another pane's word is none about this one.
            Some((_, FromHost::NoteChanged(_))) => Ok(Step::TimeUp),
            Some((_, message)) => Ok(Step::Message(message)),
            None => Ok(Step::TimeUp),
        }
    }

    fn gone(&self) -> Failure {
        Failure::with(
            Exit::NoPane,
            format!("{} was closed and forgotten meanwhile", self.id),
        )
    }

    fn out_of_time(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    fn exit(&mut self, desk: &mut Desk, pane: &Pane) -> Result<Option<Found>, Failure> {
        if !pane.alive() {
            return Ok(Some(Found::ended(pane.facts.raw_status)));
        }
        loop {
            match self.step(desk, None)? {
                Step::Ended(raw) => return Ok(Some(Found::ended(raw))),
                Step::TimeUp if self.out_of_time() => return Ok(None),
                Step::TimeUp | Step::Message(_) => {}
            }
        }
    }

    fn text(
        &mut self,
        desk: &mut Desk,
        pane: &Pane,
        pattern: &Regex,
    ) -> Result<Option<Found>, Failure> {
        let mut watched = Watched::begin(desk, self.id)?;
        let mut ended = (!pane.alive()).then_some(pane.facts.raw_status);
        loop {
            if let Some(line) = watched.matching_line(pattern) {
                let exit = ended.map(words::exit_code);
                return Ok(Some(Found { text: line, exit }));
            }
            // The end comes after the last output, so a screen that is here by then is complete.
            if let Some(raw) = ended.filter(|_| watched.terminal.is_some()) {
                let how = words::ending(raw);
                return Err(Failure::new(format!(
                    "{} {how} without showing that text",
                    self.id
                )));
            }
            match self.step(desk, None)? {
                Step::Ended(raw) => ended = Some(raw),
                Step::TimeUp if self.out_of_time() => return Ok(None),
                Step::TimeUp => {}
                Step::Message(message) => {
                    watched.take(desk, &message)?;
                }
            }
        }
    }

    /// The keeper writes the state as a note; the process itself says stopped and exited.
    fn state(
        &mut self,
        desk: &mut Desk,
        pane: &Pane,
        wanted: State,
    ) -> Result<Option<Found>, Failure> {
        let found = |text: String| Found { text, exit: None };
        let mut now = (pane.state(), pane.state_note().unwrap_or_default().evidence);
        let mut ended = (!pane.alive()).then_some(pane.facts.raw_status);
        loop {
            if let Some(raw) = ended {
                return match wanted {
                    State::Exited => Ok(Some(Found::ended(raw))),
                    _ => Err(Failure::new(format!(
                        "{} {} without being {wanted}",
                        self.id,
                        words::ending(raw)
                    ))),
                };
            }
            if now.0 == wanted.word() {
                return Ok(Some(found(match now.1.is_empty() {
                    true => now.0,
                    false => format!("{} ({})", now.0, now.1),
                })));
            }
            match self.step(desk, None)? {
                Step::Ended(raw) => ended = Some(raw),
                Step::TimeUp if self.out_of_time() => return Ok(None),
                Step::Message(FromHost::PaneStopped(stopped)) if stopped.stopped => {
                    now = (State::Stopped.word().to_owned(), String::new());
                }
                Step::Message(FromHost::NoteChanged(change)) if change.key == notes::STATE => {
                    let note = change
                        .value
                        .as_deref()
                        .and_then(notes::from_json::<StateNote>);
                    let note = note.unwrap_or_default();
                    now = (note.state, note.evidence);
                }
                Step::TimeUp | Step::Message(_) => {}
            }
        }
    }

    fn idle(
        &mut self,
        desk: &mut Desk,
        pane: &Pane,
        still: Duration,
    ) -> Result<Option<Found>, Failure> {
        if !pane.alive() {
            return Ok(Some(Found::ended(pane.facts.raw_status)));
        }
        let mut watched = Watched::begin(desk, self.id)?;
        let already = pane.facts.since_output_ms.unwrap_or(pane.facts.age_ms);
        let mut due = Instant::now() + still.saturating_sub(Duration::from_millis(already));
        loop {
            let left = due.saturating_duration_since(Instant::now());
            match self.step(desk, Some(left))? {
                Step::Ended(raw) => return Ok(Some(Found::ended(raw))),
                Step::TimeUp if Instant::now() >= due => {
                    let text = format!("{} was still for {} s", self.id, still.as_secs_f32());
                    return Ok(Some(Found { text, exit: None }));
                }
                Step::TimeUp if self.out_of_time() => return Ok(None),
                Step::TimeUp => {}
                Step::Message(message) => {
                    let first = watched.terminal.is_none();
                    // The first picture is what was there before.
                    if watched.take(desk, &message)? && !first {
                        due = Instant::now() + still;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_read() {
        assert_eq!(seconds("2.5"), Ok(Duration::from_millis(2500)));
        assert_eq!(seconds("0"), Ok(Duration::ZERO));
        for bad in ["", "-1", "1e300", "NaN", "inf", "5s"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
