//! Everything dies at once, at seven points; what goes on is counted at the model.

use crate::points::{Held, POINTS, Point, hold, pane, put_back};
use crate::rig::{NOTE, Turns, of};
use protocol::PaneId;
use std::fs;
use testkit::cli::CODEX;
use testkit::model::Api;

fn survives(name: &str) {
    let Some(turns) = Turns::new(name) else {
        return;
    };
    let held = hold(&turns, &POINTS);
    for it in &held {
        known(&turns, it.pane, &it.conversation);
    }
    turns.rig.cut_power();
    put_back(&turns, &held);
    let cut = turns
        .rig
        .model
        .everything()
        .last()
        .map_or(0, |it| it.number);
    turns.rig.start();
    for it in &held {
        let over = || !turns.mark(&it.conversation).exists();
        turns.wait(&format!("the end of {:?}", it.point), over);
    }
    for it in &held {
        counted(&turns, it, cut);
    }
    let ran = |point: Point| fs::read_to_string(turns.home().work().join(point.name()));
    assert!(ran(Point::Card).is_err(), "nobody allowed it");
    assert_eq!(ran(Point::Tool).expect("it ran"), "one\ntwo\n", "each once");
    for it in &held {
        goes_on(&turns, it);
    }
}

/// Waits until the keeper has written down which conversation a pane has.
fn known(turns: &Turns, pane: PaneId, conversation: &str) {
    let record = || turns.home().record(pane);
    let has = || record().is_some_and(|it| it["conversation"]["id"] == conversation);
    turns.wait_in(pane, "its record", has);
}

/// Once with the note, or not at all.
fn counted(turns: &Turns, held: &Held, cut: u64) {
    let again = turns.requests(&held.request, cut);
    let texts: Vec<_> = again.iter().map(|it| &it.asked.messages).collect();
    let point = held.point;
    let rows = turns.rows(&held.conversation);
    if matches!(point, Point::Stored | Point::Marked) {
        assert!(again.is_empty(), "{point:?} was over: {texts:#?}");
        return;
    }
    assert_eq!(again.len(), 1, "{point:?}: once: {texts:#?} {rows:#?}");
    let asked = &again[0].asked;
    assert!(
        asked.newest().contains(NOTE),
        "{point:?}: with the note: {texts:#?}"
    );
    assert!(
        asked.holds(&held.word),
        "{point:?}: the same conversation: {texts:#?}"
    );
    let times: usize = asked
        .texts
        .iter()
        .map(|it| it.matches(&held.request).count())
        .sum();
    if turns.agent.kept {
        assert_eq!(times, 1, "{point:?}: it is read once: {texts:#?}");
    }
}

/// The next message is in the same conversation and follows what was said.
fn goes_on(turns: &Turns, held: &Held) {
    let text = format!("and after {}", held.conversation);
    let pane = held.pane.to_string();
    let _sent = turns.home().abide(["send", &pane, "--enter", &text]).ok();
    let before = |it: &testkit::model::Request| it.asked.is_about(&text);
    turns.wait(&text, || turns.rig.model.requests().iter().any(before));
    let next = turns
        .rig
        .model
        .requests()
        .into_iter()
        .rfind(before)
        .expect("it is there");
    for word in [&held.word, &held.request] {
        assert!(
            next.asked.holds(word),
            "{:?}: {:#?}",
            held.point,
            next.asked.messages
        );
    }
}

#[test]
fn claude_goes_on() {
    survives("claude");
}

#[test]
fn codex_goes_on() {
    survives("codex");
}

#[test]
fn gemini_goes_on() {
    survives("gemini");
}

#[test]
fn opencode_goes_on() {
    survives("opencode");
}

#[test]
fn qwen_goes_on() {
    survives("qwen");
}

#[test]
fn kimi_goes_on() {
    survives("kimi");
}

#[test]
fn copilot_goes_on() {
    survives("copilot");
}

#[test]
fn hermes_goes_on() {
    survives("hermes");
}

/// Two conversations on two agents are cut together, and another agent is the default by then.
#[test]
fn two_agents_go_on_each_on_its_own() {
    let Some(mut turns) = Turns::new("claude") else {
        return;
    };
    let rig = &mut turns.rig;
    let Some(_codex) = CODEX.set_up(&mut rig.home, &rig.model) else {
        return;
    };
    let both = [
        (of("claude"), Api::Anthropic),
        (of("codex"), Api::Responses),
    ];
    turns.home().start();
    for (agent, _) in both {
        let mut words = agent.begin(agent.cli.name);
        words.push(format!("the word is plum-{}", agent.cli.name));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        turns.ask(&words);
    }
    let panes = both.map(|(agent, _)| {
        let name = agent.cli.name;
        let text = format!("please {name} [slow:3000*1]");
        let pane = pane(
            &turns,
            &["ask", "--resume", name, &text].map(str::to_owned),
            None,
        );
        turns.wait_in(pane, "its words", || {
            turns.home().capture(pane).contains("word2")
        });
        known(&turns, pane, name);
        pane
    });
    let config = ["config", "set", "ask.agent", "gemini"];
    turns.home().abide(config).ok();
    turns.rig.cut_power();
    let cut = turns
        .rig
        .model
        .everything()
        .last()
        .map_or(0, |it| it.number);
    turns.rig.start();
    for ((agent, api), pane) in both.into_iter().zip(panes) {
        let name = agent.cli.name;
        turns.wait_in(pane, "its end", || !turns.mark(name).exists());
        let again = turns.requests(&format!("please {name}"), cut);
        assert_eq!(again.len(), 1, "{name}: {again:#?}");
        assert_eq!(again[0].api, api, "{name}");
        let asked = &again[0].asked;
        assert!(asked.newest().contains(NOTE), "{:#?}", asked.messages);
        assert!(
            asked.holds(&format!("plum-{name}")),
            "{:#?}",
            asked.messages
        );
        let other = if name == "claude" { "codex" } else { "claude" };
        assert!(
            !asked.holds(&format!("plum-{other}")),
            "{:#?}",
            asked.messages
        );
    }
}
