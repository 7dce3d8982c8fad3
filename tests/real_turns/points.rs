//! Seven conversations in seven panes, each brought to its point and held there.

use crate::rig::Turns;
use protocol::PaneId;
use std::fs;
use std::path::PathBuf;
use testkit::{Process, Signal, processes};

/// Where a turn is when everything dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Point {
    /// Written down; the agent's process is not there yet.
    BeforeSpawn,
    /// The process is there and has said nothing.
    Spawned,
    /// It answers.
    Accepted,
    /// It asks for permission.
    Card,
    /// One tool call has ended, another runs.
    Tool,
    /// The result is in the record, the mark is still there.
    Stored,
    /// The mark is gone.
    Marked,
}

pub(crate) const POINTS: [Point; 7] = [
    Point::BeforeSpawn,
    Point::Spawned,
    Point::Accepted,
    Point::Card,
    Point::Tool,
    Point::Stored,
    Point::Marked,
];

/// A conversation at its point.
pub(crate) struct Held {
    pub point: Point,
    pub conversation: String,
    /// Said in it before, and nowhere else.
    pub word: String,
    /// In the request that is cut, and nowhere else.
    pub request: String,
    pub pane: PaneId,
    /// The mark as it was during the turn.
    mark: Vec<u8>,
}

/// Tries to see a runner between its mark and its agent's process.
const TRIES: usize = 12;

impl Point {
    pub(crate) fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    fn text(self, turns: &Turns) -> String {
        let fifo = turns.home().work().join("fifo");
        let (name, risky) = (self.name(), turns.agent.risky);
        match self {
            Self::BeforeSpawn | Self::Spawned | Self::Marked => format!("please {name}"),
            Self::Accepted => format!("please {name} [slow:3000*1]"),
            Self::Card => format!("please {name} [sh:{risky}echo ran >> {name}]"),
            Self::Tool => format!(
                "please {name} [sh:{risky}echo one >> {name};;{risky}echo two >> {name} && cat {}]",
                fifo.display()
            ),
            Self::Stored => format!("please {name} [hold*1]"),
        }
    }
}

/// Where the wrapper around the agent's program waits.
fn gate(turns: &Turns) -> PathBuf {
    turns.home().path().join("gate")
}

/// Puts a script before the agent's program that waits, where it is told to, before it becomes it.
pub(crate) fn wrap(turns: &Turns) {
    let program = &turns.rig.cli.program;
    let real = fs::read_link(program).expect("a link");
    fs::remove_file(program).expect("it is there");
    let script = format!(
        "#!/bin/sh\nif [ -n \"$TURNS_GATE\" ] && [ -p \"$TURNS_GATE\" ]; then\n\
         : > \"$TURNS_GATE.there\"; read -r word < \"$TURNS_GATE\"; fi\nexec '{}' \"$@\"\n",
        real.display()
    );
    fs::write(program, script).expect("a script");
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).expect("its mode");
}

fn make_fifo(path: &std::path::Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.expect("mkfifo").success());
}

/// Brings every conversation to its point.
pub(crate) fn hold(turns: &Turns, points: &[Point]) -> Vec<Held> {
    wrap(turns);
    make_fifo(&gate(turns));
    make_fifo(&turns.home().work().join("fifo"));
    let home = turns.home();
    home.start();
    std::thread::scope(|scope| {
        for point in points.iter().filter(|it| **it != Point::BeforeSpawn) {
            scope.spawn(move || {
                let mut words = turns.begin(&point.name());
                words.push(format!("the word is plum-{}", point.name()));
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                turns.ask(&words)
            });
        }
    });
    let mut held: Vec<Held> = Vec::new();
    for point in points {
        held.push(match point {
            Point::BeforeSpawn => before_spawn(turns),
            _ => open(turns, *point),
        });
    }
    for it in &mut held {
        reach(turns, it);
    }
    held
}

/// A pane in which the runner was asked.
pub(crate) fn pane(turns: &Turns, ask: &[String], env: Option<String>) -> PaneId {
    let exe = turns.home().exe().display().to_string();
    let mut words = vec!["new".to_owned(), "--no-attach".to_owned()];
    words.extend(env.into_iter().flat_map(|it| ["--env".to_owned(), it]));
    words.extend(["--".to_owned(), exe]);
    words.extend(ask.iter().cloned());
    let said = turns.home().abide(words).limit(testkit::cli::LONG).ok();
    said.lines()
        .last()
        .expect("an id")
        .parse()
        .expect("a pane's id")
}

fn open(turns: &Turns, point: Point) -> Held {
    let conversation = point.name();
    let text = point.text(turns);
    let ask = ["ask", "--resume", &conversation, &text].map(str::to_owned);
    let gate = gate(turns);
    let env = (point == Point::Spawned).then(|| format!("TURNS_GATE={}", gate.display()));
    Held {
        point,
        word: format!("plum-{conversation}"),
        request: format!("please {conversation}"),
        pane: pane(turns, &ask, env),
        conversation,
        mark: Vec::new(),
    }
}

/// Stops a runner when its mark is there, and its reaper, which would let it go on; looked at then, it
/// has no process below it, or it was too late and another one is tried.
fn before_spawn(turns: &Turns) -> Held {
    for number in 0..TRIES {
        let conversation = format!("before-spawn-{number}");
        let request = format!("please {conversation}");
        let mut ask = turns.begin(&conversation);
        ask.push(request.clone());
        let (pane, (reaper, runner)) = std::thread::scope(|scope| {
            let stopped = scope.spawn(|| stop_at_the_mark(turns, &conversation));
            let pane = pane(turns, &ask, None);
            (pane, stopped.join().expect("it comes"))
        });
        if processes::children_of(runner.pid).is_empty() {
            return Held {
                point: Point::BeforeSpawn,
                word: request.clone(),
                request,
                pane,
                conversation,
                mark: Vec::new(),
            };
        }
        [reaper, runner]
            .iter()
            .for_each(|it| it.signal(Signal::CONT));
        let _ended = turns.home().abide(["kill", &pane.to_string()]).ok();
        turns.wait("its end", || !runner.alive());
        drop(fs::remove_file(turns.mark(&conversation)));
    }
    panic!("no runner was seen before its agent's process in {TRIES} tries");
}

/// The reaper and the runner of a conversation, stopped as soon as its turn is marked.
fn stop_at_the_mark(turns: &Turns, conversation: &str) -> (Process, Process) {
    // The windows are short: not a moment is waited between two looks.
    let runner = testkit::until_within(testkit::cli::LONG, "a runner", || {
        (0..10_000).find_map(|_| runner(turns, conversation))
    });
    let parent = runner.stat().expect("it runs").parent;
    let reaper = Process::of(parent).expect("it runs");
    reaper.signal(Signal::STOP);
    let mark = turns.mark(conversation);
    testkit::until_within(testkit::cli::LONG, "a mark", || {
        (0..100_000).any(|_| mark.exists()).then_some(())
    });
    runner.signal(Signal::STOP);
    (reaper, runner)
}

/// The runner of a conversation, by the file it keeps.
fn runner(turns: &Turns, conversation: &str) -> Option<Process> {
    let folder = fs::read_dir(turns.home().abide_home().join("ask")).ok()?;
    folder.flatten().find_map(|file| {
        let text = fs::read_to_string(file.path()).ok()?;
        let value: serde_json::Value = serde_json::from_str(&text).ok()?;
        let pid = i32::try_from(value["pid"].as_i64()?).ok()?;
        (value["sessionId"] == conversation).then(|| Process::of(pid))?
    })
}

/// Waits until it is at its point.
fn reach(turns: &Turns, held: &mut Held) {
    let home = turns.home();
    let (name, pane) = (&held.conversation, held.pane);
    let has = |text: &str| {
        let file = fs::read_to_string(home.work().join(name));
        file.is_ok_and(|it| it.contains(text))
    };
    let wait = |what: &str, so: &mut dyn FnMut() -> bool| turns.wait_in(pane, what, so);
    match held.point {
        Point::BeforeSpawn => {}
        Point::Spawned => {
            let there = gate(turns).with_extension("there");
            wait("its process", &mut || there.exists());
        }
        Point::Accepted => wait("its words", &mut || home.capture(pane).contains("word2")),
        Point::Card => wait("a card", &mut || {
            turns.rows(name).iter().any(|it| it["row"] == "question")
        }),
        Point::Tool => {
            // Each card is answered once: a digit more would be typed as the next request.
            let mut answered = 0;
            for word in ["one", "two"] {
                wait(word, &mut || {
                    let asked = turns.rows(name).into_iter();
                    let asked = asked.filter(|it| it["row"] == "question").count();
                    if asked > answered && allow(turns, pane) {
                        answered = asked;
                    }
                    has(word)
                });
            }
        }
        Point::Stored => {
            let request = &held.request;
            wait("the request", &mut || turns.rig.model.sent(request) > 0);
            held.mark = fs::read(turns.mark(name)).expect("a mark");
            turns.rig.model.release();
            wait("its end", &mut || !turns.mark(name).exists());
        }
        Point::Marked => wait("its end", &mut || {
            turns.rig.model.sent(&held.request) > 0 && !turns.mark(name).exists()
        }),
    }
}

/// Answers the card that is shown by the option that allows it once, wherever that stands.
fn allow(turns: &Turns, pane: PaneId) -> bool {
    let screen = turns.home().capture(pane);
    let once = regex::Regex::new(r"([1-9]) (?:Allow once|Allow|Approve once) *(?:[^ \w]|\n)")
        .expect("a pattern");
    let Some(found) = once.captures(&screen) else {
        return false;
    };
    let digit = [&pane.to_string(), &found[1]].map(str::to_owned);
    let words = std::iter::once("send".to_owned()).chain(digit);
    let _sent = turns.home().abide(words).ok();
    true
}

/// What the moment of the cut left is as it was: the mark of the turn whose result is stored.
pub(crate) fn put_back(turns: &Turns, held: &[Held]) {
    for it in held.iter().filter(|it| it.point == Point::Stored) {
        fs::write(turns.mark(&it.conversation), &it.mark).expect("a mark");
    }
    for fifo in [gate(turns), turns.home().work().join("fifo")] {
        fs::remove_file(fifo).expect("it is there");
    }
}
