//! Sizes: the claiming client decides, once; absurd and hidden ones have no vote.

#![cfg(test)]

use protocol::msg::{Claim, ClaimPane};
use protocol::{PaneId, Role};
use std::time::Duration;
use testkit::{Home, View, Wire, wait};

fn home() -> Home {
    let home = Home::new(env!("CARGO_BIN_EXE_abide"));
    home.start();
    home
}

/// A program that writes each size it is told into a file, one a line. Not bash: it forgets a signal
/// that comes while its trap for the one before still runs.
const RECORDER: &str = r#"
    $| = 1;
    sub told {
        my $size = "\0" x 8;
        ioctl STDIN, 0x5413, $size or die "TIOCGWINSZ: $!";
        open my $file, ">>", $ARGV[0] or die;
        printf $file "%d %d\n", unpack "S2", $size;
    }
    $SIG{WINCH} = \&told;
    told;
    print "up\n";
    select undef, undef, undef, 0.05 while 1"#;

fn recorder(home: &Home) -> PaneId {
    let file = home.work().join("sizes");
    let pane = home.pane(["perl", "-e", RECORDER, &file.display().to_string()]);
    let _screen = home.wait_capture(pane, "up");
    pane
}

fn sizes(home: &Home) -> Vec<String> {
    let text = std::fs::read_to_string(home.work().join("sizes")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[track_caller]
fn wait_sizes(home: &Home, expected: &[&str]) {
    testkit::until(&format!("the sizes {expected:?}"), || {
        (sizes(home) == expected).then_some(())
    });
}

/// termio#602, mngr#2516, overdeck#2023, herdr#2828: a stray 2x1 client collapsed every pane, a pane
/// created without a client had no size worth the name. Without a client it is 120x40; below 20x5
/// the client crops; what is hidden has no vote.
#[test]
fn absurd_and_hidden_viewports_have_no_vote() {
    let home = home();
    let pane = recorder(&home);
    wait_sizes(&home, &["40 120"]);
    let entry = |cols, rows, shown| Claim {
        panes: vec![ClaimPane {
            pane: pane.0,
            cols,
            rows,
            shown,
        }],
    };
    let mut client = Wire::connect(&home, Role::Attach);
    client.must(PaneId::NONE, entry(100, 30, false));
    client.must(PaneId::NONE, entry(2, 1, true));
    wait_sizes(&home, &["40 120", "5 20"]);
    client.must(PaneId::NONE, entry(100, 30, true));
    wait_sizes(&home, &["40 120", "5 20", "30 100"]);
    client.must(PaneId::NONE, entry(60, 20, false));
    drop(client);
    // Detached and hidden panes keep theirs.
    wait::holds_for(Duration::from_millis(500), "the size", || {
        sizes(&home).len() == 3
    });
}

/// termio#580: two clients derived thousands of size changes from each other within half a minute.
/// At most one SIGWINCH an attach, none for the same size, none while idle.
#[test]
fn an_attach_is_one_change_of_size_at_most() {
    let home = home();
    let pane = recorder(&home);
    let mut first = View::attach(&home, pane, (47, 42));
    first.wait_for("up");
    wait_sizes(&home, &["40 120", "42 47"]);
    let mut second = View::attach(&home, pane, (39, 38));
    second.wait_for("up");
    wait_sizes(&home, &["40 120", "42 47", "38 39"]);
    // The first has lost the pane: its size is no longer asked.
    let answer = first.wire.ask(PaneId::NONE, protocol::msg::List {});
    drop(answer);
    drop(first);
    let mut same = View::attach(&home, pane, (39, 38));
    same.wait_for("up");
    let mut watcher = View::watch(&home, pane);
    watcher.wait_for("up");
    wait::holds_for(Duration::from_secs(1), "the size", || {
        sizes(&home).len() == 3
    });
}
