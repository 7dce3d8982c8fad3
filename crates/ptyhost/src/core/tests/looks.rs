//! Who looks at which pane.

use super::{Rig, wish};
use crate::core::event::ConnId;
use protocol::msg::{Look, Release, Subscribe, Watch};
use protocol::{PaneId, Role};

struct Looks {
    rig: Rig,
    observer: ConnId,
    client: ConnId,
    panes: [PaneId; 2],
}

impl Looks {
    /// A client that shows two panes, and an observer that was told so.
    fn new() -> Self {
        let mut rig = Rig::new();
        let (client, observer) = (rig.connect(Role::Attach), rig.connect(Role::Observe));
        let panes = [rig.pane(client), rig.pane(client)];
        rig.done(observer, PaneId::NONE, Subscribe {});
        rig.claim(client, &panes.map(|pane| wish(pane, 120, 40, true)));
        let mut it = Self {
            rig,
            observer,
            client,
            panes,
        };
        assert_eq!(it.told(), ["p1 looked true", "p2 looked true"]);
        it
    }

    fn told(&mut self) -> Vec<String> {
        let mut heard = self.rig.heard(self.observer);
        heard.retain(|word| word.contains("looked"));
        heard
    }

    fn look(&mut self, conn: ConnId, panes: &[u32]) -> Vec<String> {
        let panes = panes.to_vec();
        self.rig.done(conn, PaneId::NONE, Look { panes });
        self.told()
    }
}

/// A client that does not know the message looks at whatever it shows.
#[test]
fn what_a_client_says_counts_instead_of_what_it_shows() {
    let mut it = Looks::new();
    let client = it.client;
    for (panes, want) in [
        (&[1][..], &["p2 looked false"][..]),
        (&[1, 99], &[]),
        (&[2], &["p1 looked false", "p2 looked true"]),
        (&[], &["p2 looked false"]),
        (&[1, 2], &["p1 looked true", "p2 looked true"]),
    ] {
        assert_eq!(it.look(client, panes), want, "{panes:?}");
    }
    // What is not shown is not looked at, whatever is said.
    it.rig.claim(client, &[wish(it.panes[0], 120, 40, false)]);
    assert_eq!(it.told(), ["p1 looked false"]);
    it.rig.claim(client, &[wish(it.panes[0], 120, 40, true)]);
    assert_eq!(it.told(), ["p1 looked true"]);
}

#[test]
fn one_of_several_is_enough() {
    let mut it = Looks::new();
    let watcher = it.rig.connect(Role::Watch);
    let panes = vec![1];
    it.rig.done(watcher, PaneId::NONE, Watch { panes });
    assert_eq!(it.told(), [""; 0]);
    let client = it.client;
    assert_eq!(it.look(client, &[]), ["p2 looked false"]);
    assert_eq!(it.look(watcher, &[]), ["p1 looked false"]);
    assert_eq!(it.look(watcher, &[1]), ["p1 looked true"]);
    it.rig
        .on(crate::core::event::Event::Disconnected { conn: watcher });
    assert_eq!(it.told(), ["p1 looked false"]);
}

#[test]
fn who_is_gone_looks_at_nothing() {
    let mut it = Looks::new();
    let client = it.client;
    let panes = vec![2];
    it.rig.done(client, PaneId::NONE, Release { panes });
    assert_eq!(it.told(), ["p2 looked false"]);
    it.rig
        .on(crate::core::event::Event::Disconnected { conn: client });
    assert_eq!(it.told(), ["p1 looked false"]);
}

/// Commands that follow a pane (`abide wait`) have no eyes.
#[test]
fn a_command_that_watches_does_not_look() {
    let mut it = Looks::new();
    let (client, command) = (it.client, it.rig.connect(Role::Control));
    let panes = vec![1, 2];
    it.rig.done(command, PaneId::NONE, Watch { panes });
    assert_eq!(it.look(client, &[]), ["p1 looked false", "p2 looked false"]);
}

#[test]
fn a_late_subscriber_is_told_what_is_looked_at() {
    let mut it = Looks::new();
    let client = it.client;
    assert_eq!(it.look(client, &[2]), ["p1 looked false"]);
    let late = it.rig.connect(Role::Observe);
    it.rig.done(late, PaneId::NONE, Subscribe {});
    assert_eq!(it.rig.heard(late), ["p2 looked true"]);
}
