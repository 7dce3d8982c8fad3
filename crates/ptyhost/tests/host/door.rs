//! Who gets in, and what everybody else gets: nothing.

use crate::support::{Conn, HANG, Host, eventually};
use protocol::auth::Key;
use protocol::frame::{Header, MAX_PAYLOAD};
use protocol::hello::Hello;
use protocol::{FromHost, PaneId, Role, msg};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Instant;

/// Everything the host says before it closes.
fn said_to(host: &Host, first: &[u8]) -> Vec<u8> {
    let mut stream = host.dial();
    stream.write_all(first).unwrap();
    let mut said = Vec::new();
    // A reset instead of an end is as silent.
    stream.read_to_end(&mut said).ok();
    said
}

#[test]
fn the_token_lets_in_and_a_wrong_one_does_not() {
    let host = Host::start(&[]);
    assert!(matches!(
        host.connect(Role::Control).list(),
        msg::Panes { .. }
    ));
    for role in [
        Role::Attach,
        Role::Watch,
        Role::Control,
        Role::Observe,
        Role::Manage,
    ] {
        let wrong = Key::from([7; 32]);
        assert!(Conn::prove(host.dial(), role, 0, protocol::VERSIONS, &wrong).is_none());
    }
    let token = host.token();
    assert!(Conn::prove(host.dial(), Role::Report, 0, protocol::VERSIONS, &token).is_none());
    assert!(Conn::prove(host.dial(), Role::Control, 5, protocol::VERSIONS, &token).is_none());
    host.connect(Role::Control).list();
    assert!(!host.log().contains(&token.to_hex()));
}

/// Jupyter and rmcp had to add checks for what a browser can send (GHSA-89vp-x53w-74fx); here
/// nothing parses HTTP, and nothing is said to who does not speak the protocol.
#[test]
fn strangers_hear_nothing() {
    let host = Host::start(&[]);
    let hello = Hello {
        versions: protocol::VERSIONS,
        role: Role::Control,
        key_id: 0,
        nonce: [1; 32],
    };
    let hello = hello.encode();
    let mut unknown_role = hello.clone();
    unknown_role[14] = 99;
    let strangers: [&[u8]; 8] = [
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"OPTIONS / HTTP/1.1\r\nOrigin: https://evil.example\r\n\r\n",
        b"POST /a HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc",
        &[0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, 0, 0, 0],
        &[0xff; 4096],
        b"abide\0h1\xff\xff",
        &unknown_role,
        &[&hello[..], &[0; 32]].concat(),
    ];
    for first in strangers {
        assert_eq!(
            said_to(&host, first),
            b"",
            "to {:?}",
            first.escape_ascii().to_string()
        );
    }
    // A hello that never gets whole ends with its sender.
    let mut stream = host.dial();
    stream.write_all(&hello[..20]).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let mut said = Vec::new();
    stream.read_to_end(&mut said).ok();
    assert_eq!(said, b"");
    host.connect(Role::Control).list();
}

#[test]
fn versions_meet_or_the_range_is_told() {
    let host = Host::start(&["--versions", "2", "3"]);
    let token = host.token();
    for (range, meets) in [
        ((1, 1), false),
        ((1, 2), true),
        ((3, 9), true),
        ((4, 9), false),
    ] {
        let conn = Conn::prove(host.dial(), Role::Control, 0, range, &token);
        assert_eq!(conn.is_some(), meets, "{range:?}");
    }
    let hello = Hello {
        versions: (1, 1),
        role: Role::Control,
        key_id: 0,
        nonce: [1; 32],
    }
    .encode();
    let said = said_to(&host, &hello);
    let (answer, total) = protocol::hello::HostHello::decode(&said).unwrap().unwrap();
    assert_eq!(
        (answer.version, answer.versions, total),
        (None, (2, 3), said.len())
    );
    assert!(answer.is_proven(&hello, &said, &token));
}

/// A thousand silent strangers must not keep the owner out (tmux listens with a backlog of 16).
#[test]
fn silent_connections_make_room() {
    let host = Host::start(&[]);
    let silent: Vec<TcpStream> = (0..40).map(|_| host.dial()).collect();
    let begun = Instant::now();
    host.connect(Role::Control).list();
    assert!(begun.elapsed() < HANG);
    // All of them are closed without a byte: the oldest at once, the others at their deadline.
    for mut stream in silent {
        assert_eq!(stream.read(&mut [0; 8]).unwrap_or(0), 0);
    }
}

#[test]
fn a_frame_over_the_limit_closes_only_its_connection() {
    let host = Host::start(&[]);
    let mut good = host.connect(Role::Control);
    let mut bad = host.connect(Role::Control);
    let len = u32::try_from(MAX_PAYLOAD + 1).unwrap();
    bad.raw(
        &Header {
            len,
            kind: 16,
            pane: PaneId::NONE,
            request: 1,
        }
        .encode(),
    );
    assert!(bad.is_closed());
    good.list();
}

#[test]
fn unknown_and_malformed_requests_are_answered() {
    let host = Host::start(&[]);
    let mut conn = host.connect(Role::Control);
    let mut frame = |kind, request, payload: &[u8]| {
        let mut bytes = Vec::new();
        protocol::frame::put(&mut bytes, kind, PaneId::NONE, request, &[payload]).unwrap();
        conn.raw(&bytes);
    };
    frame(15_000, 0, b"skipped");
    frame(15_000, 71, b"unknown");
    frame(16, 72, b"no such create");
    let mut code_of = |request| match conn.next() {
        Some((_, id, FromHost::Failed(failed))) if id == request => failed.code,
        other => panic!("{other:?}"),
    };
    assert_eq!(code_of(71), msg::UNSUPPORTED);
    assert_eq!(code_of(72), msg::MALFORMED);
    conn.list();
}

#[test]
fn a_pane_key_admits_its_own_reports_only() {
    let host = Host::start(&[]);
    let mut conn = host.connect(Role::Control);
    conn.done(PaneId::NONE, msg::Subscribe {});
    let pane = conn.create(&["sh", "-c", "echo key=$ABIDE_PANE:$ABIDE_PANE_KEY:; read x"]);
    let text = conn.until_text(pane, ":");
    let text: String = text.split_whitespace().collect();
    let mut words = text.split("key=").nth(1).unwrap().split(':');
    assert_eq!(words.next(), Some(pane.to_string().as_str()));
    let key = Key::from_hex(words.next().unwrap()).unwrap();
    let role = Role::Report;
    let mut hook = Conn::prove(host.dial(), role, pane.0, protocol::VERSIONS, &key).unwrap();
    hook.done(
        pane,
        msg::Report {
            body: b"busy".to_vec(),
        },
    );
    let body = conn.event(|id, message| match message {
        FromHost::Reported(reported) if id == pane => Some(reported.body.clone()),
        _ => None,
    });
    assert_eq!(body, b"busy");
    for request in [
        protocol::ToHost::List(msg::List {}),
        protocol::ToHost::Input(b"x".to_vec()),
    ] {
        let answer = hook.ask(pane, request);
        assert!(
            matches!(&answer, FromHost::Failed(f) if f.code == msg::FORBIDDEN),
            "{answer:?}"
        );
    }
    assert!(Conn::prove(host.dial(), Role::Attach, pane.0, protocol::VERSIONS, &key).is_none());
    assert!(Conn::prove(host.dial(), role, pane.0 + 1, protocol::VERSIONS, &key).is_none());
    // The key of a pane that does not exist (any more) admits nobody.
    let never = host.token().for_pane(&[0; 16], PaneId(77));
    assert!(Conn::prove(host.dial(), role, 77, protocol::VERSIONS, &never).is_none());
}

/// A client that asks and asks and reads nothing is ended, and nobody else notices.
#[test]
fn a_connection_that_never_reads_is_ended() {
    let host = Host::start(&[]);
    let mut good = host.connect(Role::Control);
    for n in 0..16 {
        let value = Some(vec![n; 60_000]);
        let note = msg::NoteSet {
            key: format!("big/{n}"),
            revision: None,
            value,
        };
        let answer = good.ask(PaneId::NONE, note);
        assert!(matches!(answer, FromHost::Notes(_)), "{answer:?}");
    }
    // Each answer is a megabyte: a hundred of them pass every bound.
    let mut bytes = Vec::new();
    let ask: protocol::ToHost = msg::NoteList {}.into();
    for request in 1..=100 {
        ask.put(PaneId::NONE, request, &mut bytes).unwrap();
    }
    let mut deaf = host.connect(Role::Control).into_stream();
    deaf.write_all(&bytes).unwrap();
    eventually("the deaf connection's end", || {
        deaf.write_all(&[0; 14]).err()
    });
    good.list();
}
