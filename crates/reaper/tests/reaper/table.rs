//! The escape table: 18 ways in which a program can try to get away, and 10 things that can happen
//! to those who watch it. Nobody is left but in the cells that are listed with the reason.
//!
//! Those that cost the grace of three seconds are left out of most columns, unless
//! `ABIDE_TEST_ESCAPES` is set: then all cells are filled. `ABIDE_TEST_ROUNDS` repeats the quick
//! families that often. `ABIDE_TEST_FAMILY` picks those whose name has that in it, and repeats all of
//! them.

use crate::support::{HANG, Host, REAPER, Witness, kill, until, words};
use std::path::Path;
use sys::process::{Identity, Signal, stat};

/// What a cell of the table has to show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Expect {
    Nobody,
    /// The kernel leaves no means: this is why.
    Somebody(&'static str),
    /// Depends on what the kernel does with a terminal's groups: left out.
    Any,
}

use Expect::{Any, Nobody, Somebody};

pub(crate) struct Family {
    pub(crate) name: &'static str,
    /// Descriptor 9 is the witness, `LAST` is how the main program goes on.
    pub(crate) script: &'static str,
    /// Lines it says when it is complete enough.
    lines: usize,
    /// TERM does not end it, so it costs the grace.
    stubborn: bool,
    /// When its reaper is killed and nobody does anything about it.
    alone: Expect,
    /// When nobody but the sweep does.
    swept: Expect,
}

const fn family(name: &'static str, script: &'static str) -> Family {
    Family {
        name,
        script,
        lines: 1,
        stubborn: false,
        alone: Any,
        swept: Nobody,
    }
}

const GETS_AWAY: Expect = Somebody("nobody is left who knows of it");

#[rustfmt::skip]
pub(crate) const FAMILIES: [Family; 18] = [
    family("plain child", "sleep 1000 & echo up >&9; LAST"),
    family("background job with a job of its own", "sh -c 'sleep 1000 & echo up >&9; wait' & LAST"),
    Family { alone: GETS_AWAY, ..family("session of its own", "setsid sh -c 'echo up >&9; exec sleep 1000' & LAST") },
    Family { alone: GETS_AWAY, ..family("double-fork daemon", "(setsid sh -c 'echo up >&9; sleep 1000 & exec sleep 1000' &); LAST") },
    Family { alone: GETS_AWAY, ..family("nohup", "nohup sh -c 'echo up >&9; exec sleep 1000' >/dev/null 2>&1 & LAST") },
    Family {
        alone: GETS_AWAY,
        swept: Somebody("it was started without environment, so without the tag"),
        ..family("double fork without environment", "(setsid env -i PATH=\"$PATH\" sh -c 'echo up >&9; exec sleep 1000' &); LAST")
    },
    family("100 children", "i=0; while [ $i -lt 100 ]; do sleep 1000 & i=$((i+1)); done; echo up >&9; LAST"),
    Family {
        stubborn: true, alone: GETS_AWAY,
        ..family("ignores TERM, HUP, INT", "(trap '' TERM HUP INT; setsid sh -c 'echo up >&9; sleep 1000; sleep 1000' & exec sleep 1000) & LAST")
    },
    family("stopped child", "sleep 1000 & kill -STOP $!; echo up >&9; LAST"),
    family("pid namespace of its own", "unshare -p -f true && N='unshare -p -f --mount-proc' || N=setsid
        $N sh -c 'echo up >&9; sleep 1000 & sleep 1000; exit' & LAST"),
    family("session and pty of its own", "script -qfc 'echo up >&9; sleep 1000 & sleep 1000; exit' /dev/null >/dev/null & LAST"),
    family("executes itself anew", "exec sh -c \"exec sh -c 'echo up >&9; LAST'\""),
    family("subreaper and host of its own", "setsid \"$HOST\" \"$REAPER\" --subreaper --stay -- \
         sh -c 'exec 9>\"$W\"; setsid sh -c \"echo up >&9; exec sleep 1000\"' >/dev/null & LAST"),
    Family { lines: 3, stubborn: true, ..family("chain of forks every 2 ms", "cd \"$D\"; (setsid sh ./comet &); LAST") },
    Family { lines: 3, stubborn: true, ..family("tight chain of forks", "cd \"$D\"; (trap '' TERM HUP; sh ./tight-comet &); LAST") },
    Family { stubborn: true, ..family("growing fork bomb", "cd \"$D\"; (trap '' TERM HUP; sh ./bomb 7) & LAST") },
    Family {
        alone: GETS_AWAY,
        swept: Somebody("it wrote its title over its environment, so over the tag"),
        ..family("writes over its environment", "(setsid perl -e '$0 = \"x\" x 8000; open(O, \">&=9\"); syswrite(O, \"up\\n\"); sleep 1000' &); LAST")
    },
    Family {
        alone: GETS_AWAY,
        // Root may look all the same; see `expected`.
        swept: Somebody("the kernel shows nobody the environment of a process that hides it"),
        ..family("hides its memory", "(setsid perl -e 'syscall(157, 4, 0); open(O, \">&=9\"); syswrite(O, \"up\\n\"); sleep 1000' &); LAST")
    },
];

/// Each link of a chain starts the next and ends, and the first few say so; a bomb doubles.
pub(crate) fn scripts(folder: &Path) {
    let link = |nap: &str| {
        format!("n=${{1:-0}}; [ $n -gt 3 ] || echo up >&9; {nap} sh \"$0\" $((n+1)) & exit\n")
    };
    crate::support::script(folder, "comet", &link("sleep 0.002;"));
    crate::support::script(folder, "tight-comet", &link(""));
    let bomb = "echo up >&9; [ $1 = 0 ] || { sh \"$0\" $(($1-1)) & sh \"$0\" $(($1-1)) & }
        exec sleep 1000\n";
    crate::support::script(folder, "bomb", bomb);
}

/// How a main program goes on that lives until it is ended, and one that ends.
pub(crate) const STAYS: &str = "sleep 1000; exit";
const ENDS: &str = "exit 5";

/// One cell while it is being filled.
struct Cell<'a> {
    family: &'a Family,
    folder: &'a Path,
    witness: Witness,
}

impl Cell<'_> {
    fn script(&self, last: &str) -> String {
        let script = self.family.script.replace("LAST", last);
        let folder = self.folder.display();
        format!("exec 9>\"$W\"; D='{folder}'; export D; {script}")
    }

    /// A host with the family in its pane, complete.
    fn host(&mut self, options: &[&str]) -> Host {
        let script = self.script(STAYS);
        let host = Host::start(options, &["sh", "-c", &script], &self.witness);
        self.witness.lines_of(self.family.name, self.family.lines);
        host
    }

    /// The same below a root reaper: root reaper, host, pane's reaper.
    fn below_root(&mut self) -> (i32, i32, i32) {
        let script = self.script(STAYS);
        let line = [
            REAPER,
            reaper::ROOT_COMMAND,
            "--",
            crate::support::HOST,
            crate::BUILD,
        ];
        let mut argv = words(&line);
        argv.extend(words(&["--subreaper", "--stay", "--", "sh", "-c", &script]));
        let mut env: Vec<_> = std::env::vars_os().collect();
        env.extend(crate::support::names(&self.witness));
        let log = self.folder.join(format!("log of {}", self.family.name));
        let root = sys::daemon::spawn_detached(&argv, &env, &log).unwrap();
        self.witness.lines_of(self.family.name, self.family.lines);
        let mut reaper = 0;
        until("the host says its reaper", || {
            let text = std::fs::read_to_string(&log).unwrap_or_default();
            let said = text.lines().find_map(|it| it.strip_prefix("reaper "));
            reaper = said.map_or(0, |it| it.parse().unwrap());
            reaper > 0
        });
        (root, stat(reaper).unwrap().ppid, reaper)
    }

    /// What is to be seen when everybody did what he could.
    fn check(mut self, column: &str, expect: Expect) {
        let name = format!("{column}: {}", self.family.name);
        match expect {
            Nobody => self.witness.ended(&name),
            Any => {}
            Somebody(why) => {
                assert!(
                    !self.witness.holders().is_empty(),
                    "{name}: not even though {why}"
                );
                self.witness.clear();
            }
        }
    }
}

/// Which cells of a column are always filled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cells {
    All,
    Quick,
}

/// Fills a column: every family in a thread of its own.
fn column(
    cells: Cells,
    name: &str,
    expect: impl Fn(&Family) -> Expect + Sync,
    fill: impl Fn(&mut Cell<'_>) + Sync,
) {
    let whole = cells == Cells::All || std::env::var_os("ABIDE_TEST_ESCAPES").is_some();
    let only = std::env::var("ABIDE_TEST_FAMILY").ok();
    let picked = |it: &Family| {
        only.as_ref()
            .is_none_or(|name| it.name.contains(name.as_str()))
    };
    for round in 0..crate::support::rounds() {
        let dir = tempfile::tempdir().unwrap();
        scripts(dir.path());
        let again = round == 0 || only.is_some();
        let due = |it: &Family| whole && again || !it.stubborn;
        let now = |it: &&Family| due(it) && picked(it) && expect(it) != Any;
        std::thread::scope(|scope| {
            for family in FAMILIES.iter().filter(now) {
                let (expect, fill, folder) = (&expect, &fill, dir.path());
                scope.spawn(move || {
                    let witness = Witness::new();
                    let mut cell = Cell {
                        family,
                        folder,
                        witness,
                    };
                    fill(&mut cell);
                    cell.check(name, expect(family));
                });
            }
        });
    }
}

fn nobody(_: &Family) -> Expect {
    Nobody
}

/// Root looks into processes that hide.
fn swept(family: &Family) -> Expect {
    let root = sys::peer::my_uid() == 0;
    if root && family.name == "hides its memory" {
        Nobody
    } else {
        family.swept
    }
}

/// Stops a reaper, so that it does nothing more, and waits until it has.
fn stop(reaper: i32) {
    kill(reaper, Signal::STOP);
    until("the reaper is stopped", || {
        stat(reaper).is_none_or(|it| it.state == 'T')
    });
}

fn kill_and_wait(pid: i32) {
    let whom = Identity::of(pid).unwrap();
    kill(pid, Signal::KILL);
    assert!(whom.wait_gone(HANG));
}

#[test]
fn terminating_the_reaper() {
    column(Cells::Quick, "TERM to the reaper", nobody, |cell| {
        let mut host = cell.host(&[]);
        kill(host.reaper(), Signal::TERM);
        host.line("Exited");
    });
}

/// Not what happens with a real host, which is a subreaper; it shows that the table can fail.
#[test]
fn killing_the_reaper_of_a_host_that_does_nothing() {
    column(
        Cells::Quick,
        "KILL to the reaper",
        |it| it.alone,
        |cell| {
            let mut host = cell.host(&[]);
            kill(host.reaper(), Signal::KILL);
            host.line("reaper-ended 9");
        },
    );
}

#[test]
fn killing_the_reaper_then_a_sweep() {
    column(Cells::Quick, "KILL to the reaper, sweep", swept, |cell| {
        let state = tempfile::tempdir().unwrap();
        let mut host = cell.host(&["--tag", state.path().to_str().unwrap()]);
        kill(host.reaper(), Signal::KILL);
        host.line("reaper-ended 9");
        let report = reaper::sweep(state.path());
        assert!(report.left.is_empty(), "{}: {report:?}", cell.family.name);
    });
}

#[test]
fn killing_the_reaper_of_a_host() {
    column(
        Cells::All,
        "KILL to the reaper, the host is a subreaper",
        nobody,
        |cell| {
            let mut host = cell.host(&["--subreaper"]);
            kill(host.reaper(), Signal::KILL);
            host.line("reaper-ended 9");
            cell.witness.ended(cell.family.name);
        },
    );
}

#[test]
fn killing_the_host() {
    column(Cells::Quick, "KILL to the host", nobody, |cell| {
        cell.host(&[]).kill();
    });
}

#[test]
fn stopping_the_reaper_and_killing_the_host() {
    column(
        Cells::All,
        "STOP to the reaper, KILL to the host",
        nobody,
        |cell| {
            let mut host = cell.host(&[]);
            stop(host.reaper());
            host.kill();
        },
    );
}

#[test]
fn killing_both_then_a_sweep() {
    column(Cells::All, "KILL to both, sweep", swept, |cell| {
        let state = tempfile::tempdir().unwrap();
        let mut host = cell.host(&["--tag", state.path().to_str().unwrap()]);
        let reaper = host.reaper();
        stop(reaper);
        kill_and_wait(reaper);
        host.kill();
        let report = reaper::sweep(state.path());
        assert!(report.left.is_empty(), "{}: {report:?}", cell.family.name);
    });
}

#[test]
fn the_main_programs_end() {
    column(Cells::Quick, "the main program ends", nobody, |cell| {
        let script = cell.script(ENDS);
        let mut host = Host::start(&[], &["sh", "-c", &script], &cell.witness);
        assert_eq!(host.line("Exited"), "{ raw: 1280 }", "{}", cell.family.name);
    });
}

#[test]
fn killing_both_below_a_root_reaper() {
    column(
        Cells::Quick,
        "KILL to both, a root reaper is there",
        nobody,
        |cell| {
            let (_root, host, reaper) = cell.below_root();
            stop(reaper);
            kill_and_wait(reaper);
            kill_and_wait(host);
        },
    );
}

/// The host goes on, and its death still ends everybody.
#[test]
fn killing_the_root_reaper_then_the_host() {
    column(
        Cells::Quick,
        "KILL to the root reaper, later to the host",
        nobody,
        |cell| {
            let (root, host, reaper) = cell.below_root();
            kill_and_wait(root);
            let lives = |pid: i32| stat(pid).is_some_and(|it| it.alive());
            assert!(lives(host) && lives(reaper), "{}", cell.family.name);
            assert!(!cell.witness.holders().is_empty());
            kill_and_wait(host);
        },
    );
}
