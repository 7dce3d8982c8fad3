//! Nothing a pane's program started outlives it: whatever ends first, and whoever is killed.

#![cfg(test)]

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use testkit::{Home, Process, Signal, until};

/// How often the long ones go round; `.ci/long` asks for more.
fn rounds(usual: usize) -> usize {
    let asked = std::env::var("ABIDE_TEST_ROUNDS");
    asked.ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// A server that forks twice into a session of its own, below a program that waits.
const SERVER: &str = r#"
perl -MIO::Socket::INET -MPOSIX -e '
  fork and exit; POSIX::setsid(); fork and exit;
  $s = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1", LocalPort => 0) or die;
  open(F, ">port.new"); print F $$, " ", $s->sockport, "\n"; close F; rename "port.new", "port";
  sleep 1000'
echo $$ >main.new; mv main.new main
sleep 1000; exit"#;

struct Served {
    home: Home,
    pane: String,
    main: Process,
    server: Process,
    port: u16,
}

impl Served {
    fn start() -> Self {
        let home = Home::new(env!("CARGO_BIN_EXE_abide"));
        let dir = home.work();
        let script = format!("cd '{}'; {SERVER}", dir.display());
        let pane = home.script(&script).to_string();
        let numbers = |file: PathBuf| -> Vec<i32> {
            let text = until("the family", || std::fs::read_to_string(&file).ok());
            text.split_whitespace()
                .map(|it| it.parse().expect("a number"))
                .collect()
        };
        let main = numbers(dir.join("main"))[0];
        let server = numbers(dir.join("port"));
        let port = u16::try_from(server[1]).expect("a port");
        TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("the server serves");
        Self {
            main: Process::of(main).expect("the main program lives"),
            server: Process::of(server[0]).expect("the server lives"),
            home,
            pane,
            port,
        }
    }

    fn reaper(&self) -> Process {
        let parent = self.main.stat().expect("it lives").parent;
        Process::of(parent).expect("its parent lives")
    }

    /// The server is gone and its port free for the next one.
    fn gone(&self) {
        self.server.wait_gone();
        until("the port is free", || {
            TcpListener::bind((Ipv4Addr::LOCALHOST, self.port)).ok()
        });
    }
}

/// claude-code#47872, #33947, org2#418: dev servers stay behind and hold their ports.
#[test]
fn a_dev_server_goes_with_the_program_that_started_it() {
    let served = Served::start();
    served.main.signal(Signal::TERM);
    served.gone();
}

#[test]
fn a_dev_server_goes_with_its_pane() {
    let served = Served::start();
    let _said = served.home.abide(["kill", &served.pane]).ok();
    served.gone();
}

#[test]
fn a_dev_server_goes_with_a_killed_host() {
    let served = Served::start();
    served.home.host().signal(Signal::KILL);
    served.gone();
}

#[test]
fn a_dev_server_goes_with_a_killed_reaper() {
    let served = Served::start();
    served.reaper().signal(Signal::KILL);
    served.gone();
    assert!(served.home.host().alive());
}

/// All three who would end it are killed at once: the doctor names it, and ends it when asked to.
#[test]
fn the_doctor_ends_what_outlived_everybody() {
    let served = Served::start();
    let home = &served.home;
    let clean = home.abide(["doctor", "--reap"]).ok();
    assert_eq!(clean.trim(), "no program is without its reaper");
    kill_all(&served);
    let pid = served.server.pid.to_string();
    let doctor = home.abide(["doctor"]).run().stdout;
    // As a word: a pid of a few digits is part of other numbers too.
    let names = |it: &&str| {
        it.split(|c: char| !c.is_alphanumeric())
            .any(|word| word == pid)
    };
    let line = doctor
        .lines()
        .find(|it| it.contains("is gone") && names(it))
        .expect(&doctor);
    assert!(line.starts_with("warn"), "{line}");
    let dry = home.abide(["doctor", "--reap", "--dry-run"]).ok();
    assert!(dry.contains(&format!("would end {pid} ")), "{dry}");
    assert!(served.server.alive(), "a dry run ends nobody");
    let reaped = home.abide(["doctor", "--reap", "--json"]).json();
    let ended = reaped["ended"].as_array().expect("a list");
    assert!(
        ended.iter().any(|it| it["pid"] == served.server.pid),
        "{reaped}"
    );
    served.gone();
}

#[test]
fn the_next_host_ends_what_outlived_the_last() {
    let served = Served::start();
    kill_all(&served);
    assert!(served.server.alive());
    let _seen = served.home.start();
    served.gone();
    let log = served.home.host_log();
    assert!(
        log.contains(&format!("ended {}", served.server.pid)),
        "{log}"
    );
}

/// Stopped first, so that none of them does its work.
fn kill_all(served: &Served) {
    let root = served.home.root_reaper().expect("a root reaper");
    let all = [root, served.home.host(), served.reaper()];
    for process in &all {
        process.signal(Signal::STOP);
        process.wait_state('T');
    }
    for process in all.iter().rev() {
        process.signal(Signal::KILL);
    }
    all.iter().for_each(Process::wait_gone);
}

/// claude-code#17391, #47872, claude-tap#455: TERM and HUP ignored, a grandchild in a session of its own.
#[test]
fn stubborn_agents_go_with_a_killed_host_or_a_closed_pane() {
    for killed in [true, false] {
        let home = Home::new(env!("CARGO_BIN_EXE_abide"));
        let dir = home.work();
        let script = format!(
            "cd '{}'; trap '' TERM HUP
             (trap '' TERM HUP; setsid sh -c 'echo $$ >server.new; mv server.new server
                while :; do sleep 1000; done' &)
             echo $$ >main.new; mv main.new main; while :; do sleep 1000; done",
            dir.display()
        );
        let pane = home.script(&script).to_string();
        let family = ["main", "server"].map(|name| {
            let text = until(name, || std::fs::read_to_string(dir.join(name)).ok());
            Process::of(text.trim().parse().expect("a number")).expect("it lives")
        });
        if killed {
            home.host().signal(Signal::KILL);
        } else {
            let _said = home.abide(["kill", &pane]).ok();
        }
        family.iter().for_each(Process::wait_gone);
    }
}

/// superset#5305, daintree#9539: ptys and descriptors leak when a grandchild keeps the pty open.
#[test]
fn many_panes_leave_nothing_behind() {
    let home = Home::new(env!("CARGO_BIN_EXE_abide"));
    let _seen = home.start();
    let host = home.host();
    let round = || {
        let pane = home.script("setsid sleep 9999 & exit");
        let _said = home
            .abide(["wait", &pane.to_string(), "--exit", "--timeout", "80"])
            .run();
    };
    // Its descriptors, with the masters of ptys among them; its children, zombies too.
    let held = || {
        // Root alone may see the descriptors; the others count the children.
        let links = testkit::processes::descriptors(host.pid).unwrap_or_default();
        let (ptys, others): (Vec<_>, Vec<_>) =
            links.into_iter().partition(|to| to.ends_with("ptmx"));
        let all = testkit::processes::all().into_iter();
        let children = all.filter(|it| it.stat().is_some_and(|it| it.parent == host.pid));
        (others.len(), ptys.len(), children.count())
    };
    for _ in 0..5 {
        round();
    }
    let quiet = |want: Option<usize>| {
        until("no family is left", || {
            let (fds, ptys, children) = held();
            let none = children == 0 && ptys == 0;
            (none && want.is_none_or(|it| fds <= it)).then_some(fds)
        })
    };
    let before = quiet(None);
    for _ in 0..rounds(20) {
        round();
    }
    let _after = quiet(Some(before));
}

/// A program that the kernel kills because memory ran out says so, not "killed by signal 9" alone.
/// In a control group of its own that is too small for it, which takes root and a place for it.
#[test]
fn a_program_that_ran_out_of_memory_says_so() {
    let home = Home::new(env!("CARGO_BIN_EXE_abide"));
    // Named as the home, whose name is nobody else's.
    let name = home.path().file_name().expect("a name").to_owned();
    let group = ["/sys/fs/cgroup/memory", "/sys/fs/cgroup"].map(|it| PathBuf::from(it).join(&name));
    let made = group.iter().find(|it| {
        let made = std::fs::create_dir(it).is_ok();
        // Elsewhere than in a hierarchy it is a folder like any other.
        let real = it.join("cgroup.procs").exists();
        if made && !real {
            std::fs::remove_dir(it).expect("the empty folder goes");
        }
        made && real
    });
    let Some(made) = made else {
        return skipped("no control group can be made here");
    };
    let set = |name: &str| std::fs::write(made.join(name), "20000000").is_ok();
    if !set("memory.limit_in_bytes") && !set("memory.max") {
        std::fs::remove_dir(made).expect("the empty group goes");
        return skipped("this control group has no limit for memory");
    }
    // Else a machine with swap lets the program have all it wants there.
    let swap = |name: &str, most: &str| std::fs::write(made.join(name), most).is_ok();
    let _none_to_limit =
        swap("memory.memsw.limit_in_bytes", "20000000") || swap("memory.swap.max", "0");
    let script = format!(
        "echo $$ >'{}/cgroup.procs'; exec perl -e '$x = \"a\" x 200_000_000'",
        made.display()
    );
    let pane = home.script(&script).to_string();
    let _said = home
        .abide(["wait", &pane, "--exit", "--timeout", "80"])
        .run();
    let list = home.abide(["ls", "--json"]).json();
    until("the group to be empty again", || {
        std::fs::remove_dir(made).ok()
    });
    let text = list.to_string();
    assert!(text.contains("the system had run out of memory"), "{text}");
}

fn skipped(why: &str) {
    eprintln!("skipped: {why}");
}
