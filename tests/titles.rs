//! Panes are called by the user's name, the program's title, the command, the conversation; also with
//! nobody attached, and a title goes with the program that set it.

#![cfg(test)]

use protocol::PaneId;
use testkit::{FakeAgent, Home, until};

fn world() -> (Home, FakeAgent) {
    let mut home = Home::with_keeper(env!("CARGO_BIN_EXE_abide"));
    let agent = FakeAgent::install(&mut home);
    (home, agent)
}

fn send(home: &Home, pane: PaneId, line: &str) {
    home.abide(["send", &pane.to_string(), "--enter", line])
        .ok();
}

/// Waits until the pane is called so.
#[track_caller]
fn wait_title(home: &Home, pane: PaneId, want: &str) {
    until(&format!("the title {want:?} of {pane}"), || {
        let list = home.abide(["ls", "--json"]).json();
        let panes = list["panes"].as_array()?;
        let ours = panes.iter().find(|it| it["id"] == pane.to_string())?;
        (ours["title"] == want).then_some(())
    });
}

/// An agent's title stayed at the shell it had run in.
#[test]
fn a_title_goes_with_the_program_that_set_it() {
    let (home, _agent) = world();
    let pane = home.pane(["bash"]);
    home.wait_capture(pane, "ready");
    wait_title(&home, pane, "bash");
    send(&home, pane, "fake-agent");
    home.wait_capture(pane, "^fake>");
    send(&home, pane, "/title mending the cart");
    wait_title(&home, pane, "mending the cart");
    // It lives a while, as agents do: three seconds of words.
    send(&home, pane, "slow 150");
    home.abide([
        "wait",
        &pane.to_string(),
        "--state",
        "done",
        "--timeout",
        "60",
    ])
    .ok();
    wait_title(&home, pane, "mending the cart");
    send(&home, pane, "/exit");
    wait_title(&home, pane, "bash");
    // What the shell itself sets stays.
    send(&home, pane, r"printf '\e]2;my shell\a'");
    wait_title(&home, pane, "my shell");
    send(&home, pane, "true");
    home.abide(["rename", &pane.to_string(), "mine"]).ok();
    wait_title(&home, pane, "mine");
}

/// A conversation names its pane when neither the program nor the command says anything.
#[test]
fn a_conversation_names_its_pane() {
    let (home, agent) = world();
    let (pane, _) = agent.pane(&home, &[]);
    send(&home, pane, "please mend the cart");
    home.wait_capture(pane, "you said: please");
    wait_title(&home, pane, "please mend the cart");
    send(&home, pane, "/title cart");
    wait_title(&home, pane, "cart");
}
