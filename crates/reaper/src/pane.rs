//! The body of a pane's reaper: start the program, wait without a timer, end the family.

use crate::hunt::{Hunt, Spare};
use crate::keep::{KEEP, Keep, Kept};
use crate::kin::Tracker;
use crate::launch::PIPES_COMMAND;
use crate::order::Spared;
use crate::report::{Report, Stage};
use crate::tag;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use sys::child::{StartError, Step};
use sys::pidfd::PidFd;
use sys::process::{self, Identity, Signal, Stat, Status, Waited};
use sys::signals::Signals;

/// How long the family has to end by itself after TERM.
const GRACE: Duration = Duration::from_secs(3);
/// The exit code when the orders on the command line cannot be read.
const USAGE: u8 = 2;
/// The exit code when the program could not be started, as a shell has it.
const NOT_STARTED: u8 = 127;

/// The command line that [`crate::Launcher`] makes.
struct Orders {
    host: Identity,
    /// The numbers of report pipe and lifeline, when the program gets the standard three.
    pipes: Option<(i32, i32)>,
    folder: PathBuf,
    /// Where those who were kept are written down; `-`: nowhere.
    kept: PathBuf,
    argv: Vec<OsString>,
}

impl Orders {
    /// After the program's name, the subcommand: host pid, host start, pane, folder, file of those
    /// who were kept, `--`, argv.
    fn read(mut words: impl Iterator<Item = OsString>) -> Option<Self> {
        let piped = words.next()? == PIPES_COMMAND;
        let mut number = || words.next()?.to_str()?.parse::<u64>().ok();
        let pid = i32::try_from(number()?).ok()?;
        let host = Identity {
            pid,
            start: number()?,
        };
        let name = words.next()?;
        let pipes = match piped {
            true => Some(numbers(&name)?),
            false => None,
        };
        let folder = words.next()?.into();
        let kept = words.next()?.into();
        if words.next()? != "--" {
            return None;
        }
        let argv: Vec<OsString> = words.collect();
        (!argv.is_empty()).then_some(Self {
            host,
            pipes,
            folder,
            kept,
            argv,
        })
    }
}

/// Two descriptors of ours, above the standard three and those they will have.
fn numbers(text: &OsStr) -> Option<(i32, i32)> {
    let (report, lifeline) = text.to_str()?.split_once(',')?;
    let number = |it: &str| it.parse::<i32>().ok().filter(|fd| *fd > 4);
    Some((number(report)?, number(lifeline)?))
}

/// The body of the hidden subcommands [`crate::PANE_COMMAND`] and [`PIPES_COMMAND`]. Call it from `main` before anything
/// is opened or started: it takes over the standard descriptors and closes all others. Returns
/// when the family has ended; the code is the main program's, 128 and the signal if it was killed.
#[must_use]
pub fn pane_main() -> ExitCode {
    let Some(orders) = Orders::read(std::env::args_os().skip(1)) else {
        let help = b"this is started by the host, not by hand\n";
        // Nobody to tell where even this cannot be written.
        let _lost = std::io::stderr().write_all(help);
        return ExitCode::from(USAGE);
    };
    process::set_name("abide-reaper");
    match Reaper::prepare(&orders) {
        Ok(reaper) => reaper.run(&orders),
        Err(_) => ExitCode::from(NOT_STARTED),
    }
}

struct Reaper {
    report: File,
    lifeline: File,
    signals: Signals,
    /// `None` on a system without such handles: the lifeline tells then.
    host: Option<PidFd>,
    host_pid: i32,
    /// The family, where orphans do not come back.
    kin: Tracker,
    /// Whom the host asked to leave to it.
    spared: Spared,
    /// The tools that are not ended at all.
    keep: Keep,
}

impl Reaper {
    fn prepare(orders: &Orders) -> std::io::Result<Self> {
        let (report, lifeline) = match orders.pipes {
            Some(numbers) => sys::fd::take_passed(numbers)?,
            None => {
                sys::daemon::close_inherited();
                sys::fd::spread_stdin()?
            }
        };
        sys::fd::set_nonblocking(&report)?;
        sys::fd::set_nonblocking(&lifeline)?;
        let wanted = [
            Signal::CHILD,
            Signal::TERM,
            Signal::HUP,
            Signal::INT,
            Signal::QUIT,
        ];
        let signals = Signals::take(&wanted)?;
        // Where there is no such thing the tree loses its orphans; nothing else changes.
        let _unsupported = process::become_subreaper();
        let host = PidFd::open(orders.host.pid).ok();
        let file = |fd: OwnedFd| File::from(fd);
        let (report, lifeline) = (file(report), file(lifeline));
        Ok(Self {
            report,
            lifeline,
            signals,
            host,
            host_pid: orders.host.pid,
            kin: Tracker::start(),
            spared: Spared::default(),
            keep: std::env::var_os(KEEP).map_or_else(Keep::default, |it| Keep::read(it.as_bytes())),
        })
    }

    fn run(mut self, orders: &Orders) -> ExitCode {
        // Looked at after the handle was opened, so the handle means the host or the host is gone.
        if process::parent() != self.host_pid {
            return ExitCode::from(NOT_STARTED);
        }
        let tag = std::env::var_os(tag::VARIABLE);
        let tag = tag.and_then(|head| tag::within(&head, Identity::me()));
        let variable = tag.as_deref().map(|value| (tag::VARIABLE, value));
        let start = match orders.pipes {
            Some(_) => sys::child::start_in_session,
            None => sys::child::start_in_terminal,
        };
        let started = start(&orders.argv, &orders.folder, variable);
        // From here on the program alone holds its terminal, so that its end is seen. Without
        // that the host only waits a moment longer for the last output.
        let _kept = sys::fd::null_stdio().and_then(|()| process::leave_folder());
        let main = match started {
            Ok(main) => main,
            Err(error) => {
                self.tell(failed(error));
                return ExitCode::from(NOT_STARTED);
            }
        };
        self.tell(Report::Started {
            pid: main,
            start: Identity::of(main).map_or(0, |it| it.start),
        });
        // The first of those who are followed.
        drop(self.kin.members());
        let raw = self.watch(main);
        self.end(main, raw, &Kept::at(&orders.kept))
    }

    /// A full pipe drops news and a closed one has no reader: neither may stop the reaper.
    fn tell(&self, report: Report) {
        let _dropped = (&self.report).write(&report.encode());
    }

    /// Waits for a reason to end, telling on the way what the main program does. Gives its raw
    /// status if that was the reason.
    fn watch(&mut self, main: i32) -> Option<i32> {
        let mut stopped = false;
        loop {
            // News first, wait second: what came before the wait is not slept over.
            while let Ok(Waited::Changed { pid, raw: status }) = process::wait_change() {
                if pid == main && self.main_changed(main, status, &mut stopped) {
                    return Some(status);
                }
            }
            if self.wait_and_see() {
                return None;
            }
        }
    }

    /// True: it ended. A program that was stopped as a whole has no shell that could continue it,
    /// so that is done here; but one that stopped for its terminal would only stop again.
    fn main_changed(&self, main: i32, status: i32, stopped: &mut bool) -> bool {
        match Status::from_raw(status) {
            Status::Exited(_) | Status::Killed(_) => {
                self.tell(Report::Exited { raw: status });
                return true;
            }
            Status::Stopped(signal)
                if [Signal::TTIN.as_raw(), Signal::TTOU.as_raw()].contains(&signal) =>
            {
                *stopped = true;
                self.tell(Report::Stopped { signal });
            }
            Status::Stopped(_) => {
                // Gone meanwhile: then its end is the next news.
                let _gone = process::signal_group(main, Signal::CONT);
            }
            Status::Continued => {
                if std::mem::take(stopped) {
                    self.tell(Report::Continued);
                }
            }
        }
        false
    }

    /// Sleeps until something comes; true: the family is to end.
    fn wait_and_see(&mut self) -> bool {
        let mut fds = vec![self.signals.as_fd(), self.lifeline.as_fd()];
        fds.extend(self.host.as_ref().map(AsFd::as_fd));
        fds.extend(self.kin.news());
        let Ok(ready) = sys::fd::wait_readable(&fds, None) else {
            // Out of kernel memory for a moment; do not spin on it.
            std::thread::sleep(Duration::from_millis(10));
            return false;
        };
        let host = self.host.is_some() && ready.get(2).copied().unwrap_or(false);
        self.kin.look();
        let host_gone = host || self.host_is_gone();
        let lifeline = ready.get(1).copied().unwrap_or(false) && self.lifeline_ended();
        host_gone || lifeline || self.told_to_end()
    }

    fn host_is_gone(&self) -> bool {
        process::parent() != self.host_pid
    }

    /// Takes in what the host said; true: it said that the family is to end.
    fn lifeline_ended(&mut self) -> bool {
        loop {
            let mut bytes = [0; 256];
            match self.lifeline.read(&mut bytes) {
                Ok(0) => {
                    self.spared.stream_ended();
                    return true;
                }
                Ok(n) => self.spared.feed(&bytes[..n]),
                Err(error) => return error.kind() != std::io::ErrorKind::WouldBlock,
            }
        }
    }

    fn told_to_end(&self) -> bool {
        let mut asked = false;
        while let Ok(Some(signal)) = self.signals.next() {
            asked |= signal != Signal::CHILD;
        }
        asked
    }

    /// TERM, a grace, then the hunt. Tells the main program's end if it comes only now.
    fn end(mut self, main: i32, mut raw: Option<i32>, kept: &Kept) -> ExitCode {
        let kin = std::mem::take(&mut self.kin);
        // Its last words may have come with the program's end.
        self.lifeline_ended();
        if self.host_is_gone() {
            self.spared.clear();
        }
        let spares =
            |it: &Stat| it.pid != main && (self.spared.has(it.identity()) || self.keep.has(it.pid));
        let spare = Spare {
            children: &[],
            others: (!self.spared.is_empty() || !self.keep.is_empty()).then_some(&spares),
        };
        let mut taken = |pid: i32, status: i32| {
            if pid == main {
                raw = Some(status);
                self.tell(Report::Exited { raw: status });
            }
        };
        let mut hunt = Hunt::new(spare, &mut taken).following(kin);
        hunt.ask(|_| true);
        let refused = if hunt.wait(&self.signals, GRACE) {
            Vec::new()
        } else {
            hunt.finish(&self.signals)
        };
        for pid in refused {
            self.tell(Report::Refused { pid });
        }
        self.write_down(kept);
        let code = raw.and_then(|it| Status::from_raw(it).code());
        ExitCode::from(code.unwrap_or(NOT_STARTED))
    }
}

impl Reaper {
    /// Says who was kept, for those who would end him once this process is gone.
    fn write_down(&self, kept: &Kept) {
        if self.keep.is_empty() || kept.path() == std::path::Path::new("-") {
            return;
        }
        let children = process::children_of(Identity::me().pid);
        for child in children.iter().filter(|it| self.keep.has(it.pid)) {
            // Without a line it is found by its environment.
            let _unwritten = kept.add(child.identity());
        }
    }
}

fn failed(error: StartError) -> Report {
    let stage = match error.step {
        Step::Exec => Stage::Exec,
        Step::Folder => Stage::Folder,
        Step::Terminal => Stage::Pty,
    };
    Report::Failed {
        stage,
        errno: error.errno,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<Orders> {
        let words = std::iter::once("__reaper").chain(line.split(' '));
        Orders::read(words.map(OsString::from))
    }

    #[test]
    fn orders_are_read_or_refused_whole() {
        let orders = read("7 99 p1 /x /k -- sh -c true").unwrap();
        assert_eq!(orders.host, Identity { pid: 7, start: 99 });
        assert_eq!(orders.folder, PathBuf::from("/x"));
        assert_eq!(orders.kept, PathBuf::from("/k"));
        assert_eq!(orders.argv, ["sh", "-c", "true"]);
        for bad in [
            "",
            "7",
            "7 99",
            "7 99 p1",
            "7 99 p1 /x",
            "7 99 p1 /x -",
            "7 99 p1 /x - --",
            "7 99 p1 /x -- sh y",
            "7 99 p1 /x - sh y",
        ] {
            assert!(read(bad).is_none(), "{bad}");
        }
        let piped = |name: &str| {
            let words = [PIPES_COMMAND, "7", "99", name, "/x", "-", "--", "sh"];
            Orders::read(words.map(OsString::from).into_iter())
        };
        assert_eq!(piped("12,13").unwrap().pipes, Some((12, 13)));
        for bad in ["p1", "12", "12,", "2,13", "12,3", "-1,9", "12,13,14"] {
            assert!(piped(bad).is_none(), "{bad}");
        }
        assert_eq!(orders.pipes, None);
        for bad in [
            "x 99 p1 /x - -- sh",
            "-7 99 p1 /x - -- sh",
            "99999999999 9 p1 /x - -- sh",
        ] {
            assert!(read(bad).is_none(), "{bad}");
        }
    }
}
