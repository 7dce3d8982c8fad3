//! The form on disk, and what a newer build adds to it.

use super::*;

/// The form on disk: a build reads what any build before it wrote.
#[test]
fn the_form_of_a_pane_is_pinned() {
    let pane = PaneRecord {
        id: 7,
        workspace: Some("shop".into()),
        title: "fix the cart".into(),
        argv: vec!["/bin/bash".into()],
        cwd: "/src/shop".into(),
        set_env: vec![("A".into(), "1".into())],
        size: (120, 40),
        created: 5,
        shell: true,
        agent: Some(AgentRecord {
            cli: "claude".into(),
            argv: vec!["claude".into(), Text::from_bytes(vec![0xff])],
            cwd: "/src/shop".into(),
            typed: true,
            ..AgentRecord::default()
        }),
        conversation: Some(Conversation {
            id: "u".into(),
            how: How::Live,
            at: 6,
            transcript: None,
            permission: Some("plan".into()),
            asked: None,
            rest: Map::new(),
        }),
        state: Some(Seen {
            state: "working".into(),
            evidence: "live file".into(),
            at: 7,
        }),
        intent: Intent::Provisional {
            at: 8,
            raw_status: Some(256),
        },
        restore: Some(PaneSetting {
            start: Some(Start::OnOpen),
            go_on: Some(GoOn::Never),
        }),
        ..PaneRecord::default()
    };
    let text = concat!(
        r#"{"id":7,"workspace":"shop","name":null,"title":"fix the cart","argv":["/bin/bash"],"#,
        r#""cwd":"/src/shop","set_env":[["A","1"]],"set_needs":[],"env":[],"size":[120,40],"created":5,"#,
        r#""private":false,"keep":[],"shell":true,"agent":{"cli":"claude","#,
        r#""argv":["claude",{"b64":"/w=="}],"cwd":"/src/shop","env":[],"needs":[],"typed":true,"#,
        r#""inside":null,"version":null,"intent":{"kind":"open"}},"conversation":{"id":"u","#,
        r#""how":"live","at":6,"transcript":null,"permission":"plan"},"state":{"#,
        r#""state":"working","evidence":"live file","at":7},"intent":{"kind":"provisional","#,
        r#""at":8,"raw_status":256},"tries":0,"continues":0,"continue_boot":"","#,
        r#""failure":null,"opened":null,"restore":{"start":"on-open","continue":"never"}}"#,
    );
    assert_eq!(serde_json::to_string(&pane).unwrap(), text);
    assert_eq!(serde_json::from_str::<PaneRecord>(text).unwrap(), pane);
}

#[test]
fn every_intent_comes_back() {
    for intent in [
        Intent::Open,
        Intent::Provisional {
            at: 1,
            raw_status: None,
        },
        Intent::Exited {
            at: 1,
            raw_status: Some(9),
        },
        Intent::EndedByUser { at: 2 },
        Intent::ClosedWorkspace { at: 3 },
        Intent::Discarded { at: 4 },
    ] {
        let text = serde_json::to_string(&intent).unwrap();
        assert_eq!(serde_json::from_str::<Intent>(&text).unwrap(), intent);
    }
    // A word of a newer build is no reason to take the pane for an open one.
    assert!(serde_json::from_str::<Intent>(r#"{"kind":"asleep"}"#).is_err());
}

#[test]
fn what_a_newer_build_adds_is_kept_at_every_level() {
    let text = r#"{"id":1,"colour":"red","agent":{"cli":"claude","depth":2},
        "conversation":{"id":"u","how":"live","at":1,"branch":"b"}}"#;
    let pane: PaneRecord = serde_json::from_str(text).unwrap();
    let again = serde_json::to_value(&pane).unwrap();
    assert_eq!(again["colour"], "red");
    assert_eq!(again["agent"]["depth"], 2);
    assert_eq!(again["conversation"]["branch"], "b");
}
