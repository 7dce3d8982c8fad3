//! The body: start the program, wait without a timer, end the family.

use crate::call::{self, CHLD, CONT, Open, TTIN, TTOU, Waited};
use crate::child::{self, Program};
use crate::hunt::Hunt;
use crate::report::{Kind, Stage, tell};
use crate::spare::Spare;
use crate::stat::Stat;
use crate::text::{self, Text};

/// The exit code when the orders on the command line cannot be read.
const USAGE: u8 = 2;
/// The exit code when the program could not be started, as a shell has it.
const NOT_STARTED: u8 = 127;
/// The longest tag; the library's `tag.rs` describes it.
const TAG: usize = 384;
const VARIABLE: &[u8] = b"ABIDE_REAPER=";
const KEEP: &[u8] = b"ABIDE_KEEP=";

/// What the kernel gave this program.
#[derive(Clone, Copy)]
pub struct Start {
    pub count: usize,
    pub words: *mut *const u8,
    pub environment: *mut *const u8,
}

impl Start {
    fn word(&self, at: usize) -> &'static [u8] {
        if at >= self.count {
            return &[];
        }
        // SAFETY: one of the kernel's arguments, never changed.
        unsafe { text::bytes(*self.words.add(at)) }
    }

    /// The place and the text of the environment's entry that begins with `name`.
    fn variable(&self, name: &[u8]) -> Option<(*mut *const u8, &'static [u8])> {
        let mut place = self.environment;
        // SAFETY: the kernel's list ends with a null.
        while !unsafe { *place }.is_null() {
            // SAFETY: as above; the entry is a text of the kernel's.
            let entry = unsafe { text::bytes(*place) };
            if let Some(value) = entry.strip_prefix(name) {
                return Some((place, value));
            }
            // SAFETY: not yet the null.
            place = unsafe { place.add(1) };
        }
        None
    }
}

/// The subcommand for a program on pipes.
const PIPES: &[u8] = b"__reaper-pipes";

/// Program, subcommand, host pid, host start, pane, folder, file of those who were kept, `--`, argv:
/// the host's pid.
fn orders(start: &Start) -> Option<i32> {
    let host = text::number(start.word(2))?;
    text::number(start.word(3))?;
    let host = i32::try_from(host).ok()?;
    (start.count > 8 && start.word(7) == b"--").then_some(host)
}

/// The numbers of report pipe and lifeline, both above 4, when the program gets the standard three.
fn pipes(start: &Start) -> Option<(i32, i32)> {
    let mut numbers = start.word(4).split(|b| *b == b',').map(text::signed);
    let mut next = || numbers.next()?.filter(|it| *it > 4);
    let found = (next()?, next()?);
    numbers.next().is_none().then_some(found)
}

/// Report pipe and lifeline, and nothing else that is not the program's.
fn descriptors(start: &Start) -> Option<(i32, i32)> {
    if start.word(1) == PIPES {
        let (report, lifeline) = pipes(start)?;
        let taken = (call::take(report, 3).ok()?, call::take(lifeline, 4).ok()?);
        call::close_from(5);
        return Some(taken);
    }
    call::close_from(3);
    let taken = (call::duplicate(1).ok()?, call::duplicate(2).ok()?);
    call::replace(0, 1).ok()?;
    call::replace(0, 2).ok()?;
    Some(taken)
}

pub fn run(start: Start) -> u8 {
    let Some(host) = orders(&start) else {
        // Nobody to tell where even this cannot be written.
        let _lost = call::write(2, b"this is started by the host, not by hand\n");
        return USAGE;
    };
    call::set_name(b"abide-reaper\0\0\0\0");
    prepare(host, &start).map_or(NOT_STARTED, |reaper| reaper.run(start))
}

struct Reaper {
    hunt: Hunt,
    lifeline: i32,
    /// -1 on a system without such handles: the lifeline tells then.
    host: i32,
    host_pid: i32,
}

fn prepare(host_pid: i32, start: &Start) -> Option<Reaper> {
    let (report, lifeline) = descriptors(start)?;
    call::set_nonblocking(report).ok()?;
    call::set_nonblocking(lifeline).ok()?;
    let signals = call::take_signals().ok()?;
    call::become_subreaper();
    let host = call::pidfd(host_pid).unwrap_or(-1);
    let me = Stat::of(call::pid())?;
    // SAFETY: a table of zeroes is an empty one.
    let table = unsafe { call::memory() }?;
    let keep = start.variable(KEEP).map_or(&[][..], |(_, value)| value);
    // SAFETY: there are more than eight arguments.
    let spare = Spare::new(keep, unsafe { *start.words.add(6) })?;
    let hunt = Hunt::new(me, table, signals, report, spare);
    Some(Reaper {
        hunt,
        lifeline,
        host,
        host_pid,
    })
}

impl Reaper {
    fn run(mut self, start: Start) -> u8 {
        // Looked at after the handle was opened, so the handle means the host or it is gone.
        if call::parent() != self.host_pid {
            return NOT_STARTED;
        }
        let tag = tag(&start, &self.hunt.me);
        put_tag(&start, &tag);
        let started = child::start(program(&start));
        leave();
        match started {
            Ok(main) => {
                self.hunt.main = main;
                self.hunt.spare.main = main;
            }
            Err((stage, errno)) => {
                tell(self.hunt.report, Kind::Failed, stage, errno, 0);
                return NOT_STARTED;
            }
        }
        let main = self.hunt.main;
        let since = Stat::of(main).map_or(0, |it| it.start);
        tell(self.hunt.report, Kind::Started, Stage::Exec, main, since);
        self.watch();
        // Its last words may have come with the program's end.
        self.lifeline_ended();
        if call::parent() != self.host_pid {
            self.hunt.spare.forget_asked();
        }
        self.hunt.end();
        self.hunt.raw.map_or(NOT_STARTED, exit_code)
    }

    /// Waits for a reason to end, telling on the way what the main program does.
    fn watch(&mut self) {
        let mut stopped = false;
        loop {
            // News first, wait second: what came before the wait is not slept over.
            while let Waited::Changed(pid, raw) = call::wait(-1, true) {
                if pid == self.hunt.main && self.main_changed(raw, &mut stopped) {
                    return;
                }
            }
            if self.wait_and_see() {
                return;
            }
        }
    }

    /// True: it ended. A program that was stopped as a whole is continued, but not one that
    /// stopped for its terminal, which would only stop again.
    fn main_changed(&mut self, raw: i32, stopped: &mut bool) -> bool {
        let report = self.hunt.report;
        if raw == 0xffff {
            if core::mem::take(stopped) {
                tell(report, Kind::Continued, Stage::Exec, 0, 0);
            }
        } else if raw & 0xff == 0x7f {
            let signal = raw >> 8 & 0xff;
            if signal == TTIN || signal == TTOU {
                *stopped = true;
                tell(report, Kind::Stopped, Stage::Exec, signal, 0);
            } else {
                // Gone meanwhile: then its end is the next news.
                let _gone = call::kill(-self.hunt.main, CONT);
            }
        } else {
            self.hunt.raw = Some(raw);
            tell(report, Kind::Exited, Stage::Exec, raw, 0);
            return true;
        }
        false
    }

    /// Sleeps until something comes; true: the family is to end.
    fn wait_and_see(&mut self) -> bool {
        let fds = [self.hunt.signals, self.lifeline, self.host];
        let Ok([_, lifeline, host]) = call::wait_readable(fds, None) else {
            // Out of kernel memory for a moment; do not spin on it.
            call::nap(10);
            return false;
        };
        host || call::parent() != self.host_pid
            || (lifeline && self.lifeline_ended())
            || self.told_to_end()
    }

    /// Takes in what the host said; true: it said that the family is to end.
    fn lifeline_ended(&mut self) -> bool {
        loop {
            let mut bytes = [0; 256];
            match call::read(self.lifeline, &mut bytes) {
                Ok(0) => {
                    self.hunt.spare.stream_ended();
                    return true;
                }
                Ok(length) => self.hunt.spare.feed(bytes.get(..length).unwrap_or_default()),
                Err(errno) => return errno != call::EAGAIN,
            }
        }
    }

    fn told_to_end(&self) -> bool {
        let mut asked = false;
        while let Some(signal) = call::next_signal(self.hunt.signals) {
            asked |= signal != CHLD;
        }
        asked
    }
}

fn program(start: &Start) -> Program {
    // SAFETY: there are more than eight arguments.
    let (folder, words) = unsafe { (*start.words.add(5), start.words.add(7)) };
    let path = start.variable(b"PATH=").map(|(_, value)| value);
    Program {
        folder,
        words,
        environment: start.environment,
        path: path.unwrap_or(b"/bin:/usr/bin"),
        terminal: start.word(1) != PIPES,
    }
}

/// From here on the program alone holds its terminal, so that its end is seen.
fn leave() {
    if let Ok(null) = call::open(b"/dev/null\0", Open::Both) {
        for fd in 0..3 {
            let _kept = call::replace(null, fd);
        }
        call::close(null);
    }
    let _kept = call::chdir(b"/\0".as_ptr());
}

/// The head that the host gave, with this reaper in front of the others; it fits, or there is none.
fn tag(start: &Start, me: &Stat) -> Text<{ TAG + 16 }> {
    let tag = Text::new().add(VARIABLE);
    let head = start.variable(VARIABLE).map_or(&[][..], |(_, value)| value);
    let mut slashes = head.iter().enumerate().filter(|(_, b)| **b == b'/');
    let Some((end, _)) = slashes.nth(3) else {
        return Text::new();
    };
    let (front, outer) = head.split_at(end + 1);
    let comma: &[u8] = if outer.is_empty() { b"" } else { b"," };
    let pid = u64::try_from(me.pid).unwrap_or(0);
    let tag = tag.add(front).number(pid).add(b":").number(me.start);
    tag.add(comma).add(outer).add(b"\0")
}

fn put_tag<const N: usize>(start: &Start, tag: &Text<N>) {
    let text = tag.get().filter(|it| !it.is_empty());
    if let (Some((place, _)), Some(text)) = (start.variable(VARIABLE), text) {
        // SAFETY: the place is one of the kernel's list, which is ours to write; the text lives
        // until the program was started.
        unsafe { *place = text.as_ptr() };
    }
}

/// The main program's code; 128 and the signal if it was killed.
const fn exit_code(raw: i32) -> u8 {
    if raw & 0x7f == 0 {
        (raw >> 8 & 0xff) as u8
    } else {
        (128 + (raw & 0x7f)) as u8
    }
}
