//! Titles go with the program that set them.

use super::{Rig, wish};
use crate::core::action::Action;
use crate::core::event::Event;
use protocol::Role;
use std::time::Duration;

/// What happens to a pane.
enum Do {
    /// Output.
    Say(&'static str),
    /// The driver says who is in the foreground.
    Front(u32),
    /// That group has no process left.
    Gone(u32),
    /// Time passes.
    Pass(u64),
}
use Do::{Front, Gone, Pass, Say};

/// The title at the end of what happened.
fn title(script: &[Do]) -> String {
    let mut rig = Rig::new();
    let control = rig.connect(Role::Control);
    let pane = rig.pane(control);
    for what in script {
        match what {
            Say(text) => rig.output(pane, text),
            Front(group) => rig.on(Event::Foreground {
                pane,
                group: *group,
            }),
            Gone(group) => rig.on(Event::GroupGone {
                pane,
                group: *group,
            }),
            Pass(ms) => rig.pass(Duration::from_millis(*ms)),
        }
    }
    rig.list(control)[0].title.clone()
}

const SHELL: u32 = 50;
const AGENT: u32 = 77;

#[test]
fn a_title_goes_with_its_program() {
    let set = "\x1b]2;fix the cart\x07";
    let spin = "\x1b]0;* fix the cart\x07";
    for (script, want) in [
        (&[Say(set), Front(AGENT)][..], "fix the cart"),
        (&[Say(set), Front(AGENT), Pass(2_000), Gone(AGENT)], ""),
        // A spinner counts from its first title.
        (
            &[
                Say(set),
                Front(AGENT),
                Pass(5_000),
                Say(spin),
                Front(AGENT),
                Gone(AGENT),
            ],
            "",
        ),
        // A script that sets one for good.
        (
            &[Say(set), Front(AGENT), Pass(1_999), Gone(AGENT)],
            "fix the cart",
        ),
        // The shell's own; another program ends.
        (
            &[Say(set), Front(SHELL), Pass(9_000), Gone(AGENT)],
            "fix the cart",
        ),
        // The shell has set its own since.
        (
            &[
                Say(set),
                Front(AGENT),
                Pass(9_000),
                Say("\x1b]2;~\x07"),
                Front(SHELL),
                Gone(AGENT),
            ],
            "~",
        ),
        // Nobody knows whose it is.
        (&[Say(set), Pass(9_000), Gone(AGENT)], "fix the cart"),
        (&[Say(set), Front(0), Pass(9_000), Gone(0)], "fix the cart"),
    ] {
        assert_eq!(title(script), want);
    }
}

#[test]
fn everybody_is_told() {
    let mut rig = Rig::new();
    let (control, client) = (rig.connect(Role::Control), rig.connect(Role::Attach));
    let pane = rig.pane(control);
    rig.claim(client, &[wish(pane, 120, 40, true)]);
    rig.acts();
    rig.output(pane, "\x1b]2;agent\x07");
    assert_eq!(rig.acts(), [Action::WatchGroup { pane }]);
    rig.on(Event::Foreground { pane, group: AGENT });
    rig.pass(Duration::from_secs(3));
    rig.inbox.clear();
    rig.on(Event::GroupGone { pane, group: AGENT });
    assert_eq!(rig.heard(client), ["p1 title ", "p1 snapshot@10"]);
    assert_eq!(rig.list(control)[0].title, "");
    rig.on(Event::GroupGone { pane, group: AGENT });
    assert_eq!(rig.heard(client), [""; 0], "once");
}
