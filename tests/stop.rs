//! The host ends in good order (`abide host stop`): that is no end of anything a user wanted, nobody starts
//! another host, and the next start brings everything back.

#![cfg(test)]

use protocol::PaneId;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::{Arc, Condvar, Mutex};
use testkit::{FakeAgent, Home, Signal, until};

fn world() -> (Home, FakeAgent) {
    let mut home = Home::with_keeper(env!("CARGO_BIN_EXE_abide"));
    let agent = FakeAgent::install(&mut home);
    (home, agent)
}

/// An id that no other test has: one process of the user may have a conversation open.
fn id(test: u32) -> String {
    let own = std::process::id() * 16 + test;
    format!("4d0a3f0e-94c5-4c5e-9d0e-{own:012x}")
}

#[track_caller]
fn type_line(home: &Home, pane: PaneId, line: &str) {
    home.abide(["send", &pane.to_string(), "--enter", line])
        .ok();
}

#[track_caller]
fn wait_known(home: &Home, pane: PaneId, id: &str) {
    until("its conversation", || {
        let record = home.record(pane)?;
        (record["conversation"]["id"] == id).then_some(())
    });
}

/// An agent at its prompt, one in a turn, one typed into a shell, a shell, and one that the user ended just
/// before: all but the last come back, each agent in its conversation.
#[test]
fn everything_comes_back_after_host_stop() {
    let (home, agents) = world();
    let ids = [1, 2, 3].map(id);
    let [idle, works] = [0, 1].map(|at: usize| agents.pane(&home, &["--session-id", &ids[at]]).0);
    let [typed, shell] = [(); 2].map(|()| home.pane(["bash"]));
    for pane in [typed, shell] {
        home.wait_capture(pane, r"ready\$");
    }
    type_line(&home, typed, &format!("fake-agent --session-id {}", ids[2]));
    home.wait_capture(typed, "^fake>");
    for (pane, id) in [idle, works, typed].into_iter().zip(&ids) {
        type_line(&home, pane, "hello");
        home.wait_capture(pane, "you said: hello");
        wait_known(&home, pane, id);
    }
    type_line(&home, works, "hold");
    until("a turn", || {
        let record = home.record(works)?;
        (record["state"]["state"] == "working").then_some(())
    });
    let (ended, _) = agents.pane(&home, &[]);
    type_line(&home, ended, "/exit");
    for (pane, kind) in [(ended, "ended_by_user"), (shell, "open")] {
        until("its record", || {
            let record = home.record(pane)?;
            (record["intent"]["kind"] == kind).then_some(())
        });
    }
    let (host, keeper) = (home.host(), home.wait_keeper());
    let said = home.abide(["host", "stop", "--json"]).json();
    assert_eq!(said["stopped"], host.pid, "{said}");
    keeper.wait_gone();
    home.wait_empty();
    let log = home.keeper_log();
    assert!(
        log.contains("the keeper has ended: the host ended"),
        "{log}"
    );
    assert!(
        !log.contains("lost the host") && !log.contains("started a new host"),
        "{log}"
    );
    for pane in [idle, works, typed, shell] {
        let record = home.record(pane).expect("it stays written down");
        assert_eq!(record["intent"]["kind"], "open", "{record:#}");
        let agent = &record["agent"]["intent"]["kind"];
        assert!(agent.is_null() || agent == "open", "{record:#}");
    }
    let dry = home.abide(["restore", "--dry-run", "--json"]).json();
    assert_eq!(dry["reason"], "the host was stopped", "{dry}");
    let before = agents.starts().len();
    home.start();
    until("all of them", || {
        let log = home.keeper_log();
        log.contains("4 terminal(s); 1 skipped").then_some(())
    });
    for id in &ids {
        agents.assert_untouched(agents.wait_live(id));
    }
    assert_eq!(agents.starts().len(), before + 3, "each once");
    home.wait_capture(shell, r"ready\$");
}

/// Between a keeper and its host. Passes everything on. Once it is told to, what the host says to its observer
/// waits until the host is gone and the keeper has used its other connection, which breaks over that.
#[derive(Clone, Default)]
struct Between(Arc<(Mutex<Stage>, Condvar)>);

#[derive(Clone, Copy, Default, PartialEq)]
enum Stage {
    #[default]
    Passes,
    Holds,
    /// The host has said its last.
    Gone,
    /// The other connection is broken.
    Broken,
}

impl Between {
    /// Listens; gives the port.
    fn start(&self, host: u16) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let between = self.clone();
        std::thread::spawn(move || {
            // A session's two connections, the observer's first; others are none of this test.
            for at in 0.. {
                let Ok((keeper, _)) = listener.accept() else {
                    return;
                };
                let Ok(host) = TcpStream::connect(("127.0.0.1", host)) else {
                    return;
                };
                let twins = (twin(&keeper), twin(&host));
                let between = between.clone();
                if at == 1 {
                    std::thread::spawn(move || between.manager(twins.0, &twins.1));
                    std::thread::spawn(move || pass(host, &keeper));
                } else {
                    std::thread::spawn(move || between.observer(twins.1, &twins.0));
                    std::thread::spawn(move || pass(keeper, &host));
                }
            }
        });
        port
    }

    fn set(&self, stage: Stage) {
        *self.0.0.lock().expect("nobody panics") = stage;
        self.0.1.notify_all();
    }

    fn stage(&self) -> Stage {
        *self.0.0.lock().expect("nobody panics")
    }

    fn wait(&self, stage: Stage) {
        let now = self.0.0.lock().expect("nobody panics");
        drop(self.0.1.wait_while(now, |it| *it != stage));
    }

    /// From the host to the observer.
    fn observer(&self, mut host: TcpStream, mut keeper: &TcpStream) {
        let mut held = Vec::new();
        let mut piece = [0; 4096];
        while let Ok(count @ 1..) = host.read(&mut piece) {
            held.extend_from_slice(&piece[..count]);
            if self.stage() == Stage::Passes
                && keeper.write_all(&std::mem::take(&mut held)).is_err()
            {
                return;
            }
        }
        if self.stage() == Stage::Holds {
            self.set(Stage::Gone);
            self.wait(Stage::Broken);
        }
        let _closed_already = keeper
            .write_all(&held)
            .and_then(|()| keeper.shutdown(Shutdown::Both));
    }

    /// From the keeper to the host, over the connection that manages.
    fn manager(&self, mut keeper: TcpStream, mut host: &TcpStream) {
        let mut piece = [0; 4096];
        while let Ok(count @ 1..) = keeper.read(&mut piece) {
            if self.stage() != Stage::Passes {
                self.wait(Stage::Gone);
                let _closed_already = keeper.shutdown(Shutdown::Both);
                self.set(Stage::Broken);
                return;
            }
            if host.write_all(&piece[..count]).is_err() {
                return;
            }
        }
    }
}

fn pass(mut from: TcpStream, to: &TcpStream) {
    let mut into = to;
    let _either_closed = std::io::copy(&mut from, &mut into);
}

fn twin(stream: &TcpStream) -> TcpStream {
    stream.try_clone().expect("a descriptor")
}

/// The connection that manages breaks before the goodbye on the other one is read: a host that said it ends is
/// not taken for a lost one, so nobody starts another, and what ended with it was not ended by anybody.
#[test]
fn a_goodbye_that_is_read_last_is_one() {
    let mut home = Home::new(env!("CARGO_BIN_EXE_abide"));
    let agents = FakeAgent::install(&mut home);
    home.start();
    let mut file = home.host_file().expect("host.json");
    let host = u16::try_from(file["port"].as_u64().expect("a port")).expect("a port");
    let between = Between::default();
    file["port"] = between.start(host).into();
    std::fs::write(home.state_file("host.json"), file.to_string()).expect("written");
    let mut keeper = home.abide(["keeper", "run"]).command();
    keeper
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut keeper = keeper.spawn().expect("the keeper starts");
    let _observes = home.wait_keeper();
    until("the keeper's session", || {
        home.keeper_log()
            .contains("observing the host")
            .then_some(())
    });
    let id = id(4);
    let (pane, _) = agents.pane(&home, &["--session-id", &id]);
    type_line(&home, pane, "hello");
    home.wait_capture(pane, "you said: hello");
    wait_known(&home, pane, &id);
    between.set(Stage::Holds);
    home.host().signal(Signal::TERM);
    keeper.wait().expect("it ends");
    home.wait_empty();
    assert!(
        between.stage() == Stage::Broken,
        "the test has shown what it is for"
    );
    let log = home.keeper_log();
    assert!(
        log.contains("the keeper has ended: the host ended"),
        "{log}"
    );
    assert!(!log.contains("lost the host"), "{log}");
    let record = home.record(pane).expect("it is written down");
    assert_eq!(record["intent"]["kind"], "open", "{record:#}");
    assert_eq!(record["conversation"]["id"], id.as_str(), "{record:#}");
}
