//! Bad input: whoever says whatever to whichever end gets a reason in one line or a closed
//! connection; no pane is lost over it, nothing hangs.

#![cfg(test)]

use protocol::auth::Key;
use protocol::hello::{Hello, HostHello};
use protocol::msg::{FORBIDDEN, MALFORMED, Report, UNSUPPORTED};
use protocol::{FromHost, PaneId, Role, ToHost, VERSIONS, frame};
use std::io::Write;
use testkit::wire::{Caller, address, hello, read_to_close, socket, token};
use testkit::{FakeHost, Home, LIMIT, Output, Process, Wire, fake};

fn home() -> Home {
    let home = Home::new(env!("CARGO_BIN_EXE_abide"));
    home.start();
    home
}

fn caller(home: &Home, role: Role) -> Caller {
    Caller {
        role,
        versions: VERSIONS,
        key_id: 0,
        key: token(home),
    }
}

/// The host is the same, and the pane that ran before still runs.
struct Unharmed {
    host: Process,
    pane: PaneId,
}

impl Unharmed {
    fn note(home: &Home) -> Self {
        Self {
            pane: home.pane(["sleep", "600"]),
            host: home.host(),
        }
    }

    #[track_caller]
    fn check(&self, home: &Home, after: &str) {
        assert_eq!(home.host(), self.host, "after {after}");
        let mut wire = Wire::connect(home, Role::Control);
        let facts = wire.facts(self.pane);
        assert!(
            Process::of(facts.pid.cast_signed()).is_some_and(|p| p.alive()),
            "after {after}"
        );
    }
}

/// One line for people, no raw errno, no panic.
#[track_caller]
fn check_words(output: &Output) {
    let said = output.stderr.trim();
    assert_eq!(said.lines().count(), 1, "{output:?}");
    assert!(
        !said.contains("os error") && !said.contains("panicked"),
        "{said}"
    );
}

/// quadwork#980, genie#2621, devframe#319, t3code#388: a browser reaches loopback too. There is no
/// HTTP here to talk to: not a byte comes back, and the connection is closed.
#[test]
fn strangers_get_no_word() {
    let home = home();
    let unharmed = Unharmed::note(&home);
    let strangers: [&[u8]; 8] = [
        b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        b"POST /api/new HTTP/1.1\r\nOrigin: http://127.0.0.1\r\nContent-Length: 2\r\n\r\n{}",
        b"OPTIONS * HTTP/1.1\r\n\r\n",
        b"GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        &[0; 300],
        b"abide\0h1\xff\xff",
    ];
    for stranger in strangers {
        let mut stream = socket(&home);
        stream
            .write_all(stranger)
            .expect("the host reads or closes");
        let answer = read_to_close(&mut stream);
        assert_eq!(answer, b"", "{:?}", String::from_utf8_lossy(stranger));
    }
    unharmed.check(&home, "strangers");
}

/// Silence, or a hello that never ends, is closed after 2 s; 200 of them keep nobody out.
#[test]
fn silent_connections_keep_nobody_out() {
    let home = home();
    let unharmed = Unharmed::note(&home);
    let held: Vec<_> = (0..200).map(|_| socket(&home)).collect();
    let mut slow = socket(&home);
    slow.write_all(b"abide\0h1").expect("the host reads");
    for _ in 0..5 {
        let _listed = home.abide(["ls"]).ok();
    }
    assert_eq!(read_to_close(&mut slow), b"");
    for mut stream in held {
        assert_eq!(read_to_close(&mut stream), b"");
    }
    unharmed.check(&home, "a flood of silent connections");
}

#[test]
fn a_wrong_proof_is_closed_without_a_word() {
    let home = home();
    let unharmed = Unharmed::note(&home);
    let right = token(&home);
    let mut almost = *right.as_bytes();
    almost[31] ^= 1;
    for key in [Key::from([0; 32]), Key::from(almost)] {
        let mut stream = socket(&home);
        let asked = Caller {
            key: key.clone(),
            ..caller(&home, Role::Control)
        };
        let (said, answer) = hello(&mut stream, &asked);
        let (host, _) = HostHello::decode(&answer)
            .expect("an answer")
            .expect("whole");
        assert!(
            !host.is_proven(&said, &answer, &key),
            "a wrong key proves no host"
        );
        assert!(host.is_proven(&said, &answer, &right));
        stream
            .write_all(key.prove_client(&said, &answer).as_bytes())
            .expect("the host reads");
        assert_eq!(read_to_close(&mut stream), b"");
    }
    // A proof that was right for another connection is none for this one.
    let mut first = socket(&home);
    let (said, answer) = hello(&mut first, &caller(&home, Role::Control));
    let replayed = right.prove_client(&said, &answer);
    let mut second = socket(&home);
    let _said = hello(&mut second, &caller(&home, Role::Control));
    second
        .write_all(replayed.as_bytes())
        .expect("the host reads");
    assert_eq!(read_to_close(&mut second), b"");
    // The host's own proof, sent back to it.
    let mut third = socket(&home);
    let (_, answer) = hello(&mut third, &caller(&home, Role::Control));
    third
        .write_all(&answer[answer.len() - 32..])
        .expect("the host reads");
    assert_eq!(read_to_close(&mut third), b"");
    unharmed.check(&home, "wrong proofs");
}

/// A token file that is wrong, empty, short or no text is named, and the host is left alone.
#[test]
fn a_spoilt_token_file_is_named() {
    let home = home();
    let unharmed = Unharmed::note(&home);
    let path = home.state_file("token");
    let right = std::fs::read(&path).expect("the token");
    let table: [&[u8]; 5] = [&[b'0'; 64], b"", b"0123", &[0xff; 64], &[b'a'; 100_000]];
    for spoilt in table {
        std::fs::write(&path, spoilt).expect("the token file");
        let output = home.abide(["ls"]).run();
        // The host may have put the right one back in time.
        if output.code != 0 {
            assert_eq!(output.code, 4, "{output:?}");
            check_words(&output);
            assert!(output.stderr.contains("token"), "{output:?}");
        }
        assert_eq!(home.hosts(), [unharmed.host]);
    }
    std::fs::write(&path, right).expect("the token file");
    unharmed.check(&home, "spoilt tokens");
}

#[test]
fn bad_frames_end_their_connection_alone() {
    let home = home();
    let unharmed = Unharmed::note(&home);
    let mut bystander = Wire::connect(&home, Role::Control);
    let oversized = [&(frame::MAX_PAYLOAD as u32 + 1).to_le_bytes()[..], &[0; 10]].concat();
    let huge = [&u32::MAX.to_le_bytes()[..], &[0; 10]].concat();
    for bytes in [oversized, huge, vec![0xff; 1024]] {
        let mut wire = Wire::connect(&home, Role::Control);
        wire.send_raw(&bytes);
        assert!(wire.closed(LIMIT), "{bytes:?}");
    }
    // Half a frame, then the end.
    let mut wire = Wire::connect(&home, Role::Attach);
    wire.send_raw(&[9, 0, 0, 0, 16, 0, 1]);
    drop(wire);
    let _panes = bystander.list();
    unharmed.check(&home, "bad frames");
}

#[test]
fn unknown_and_malformed_requests_are_answered() {
    let home = home();
    let mut wire = Wire::connect(&home, Role::Control);
    let failed = |said: FromHost| match said {
        FromHost::Failed(failed) => failed.code,
        other => panic!("not refused: {other:?}"),
    };
    for (kind, request, payload, code) in [
        (40_000, 901, &b"whatever"[..], UNSUPPORTED),
        (15, 902, b"", UNSUPPORTED),
        (128, 903, b"", UNSUPPORTED),
        (19, 904, b"\x01", MALFORMED),
        (21, 905, b"not empty", MALFORMED),
        (16, 906, &[0xff; 64], MALFORMED),
    ] {
        let mut bytes = Vec::new();
        frame::put(&mut bytes, kind, PaneId(1), request, &[payload]).expect("small");
        wire.send_raw(&bytes);
        assert_eq!(failed(wire.answer_to(request)), code, "kind {kind}");
    }
    // Without a request id they are skipped, and the connection goes on.
    let mut bytes = Vec::new();
    frame::put(&mut bytes, 40_000, PaneId(1), 0, &[b"whatever"]).expect("small");
    wire.send_raw(&bytes);
    assert_eq!(wire.list(), []);
}

/// Nothing that restores, observes or reports can type: the host refuses, whatever the client is.
#[test]
fn only_attach_and_control_may_type() {
    let home = home();
    let file = home.work().join("typed");
    let pane = home.script(&format!(
        "stty raw -echo; echo ready; exec cat > '{}'",
        file.display()
    ));
    let _screen = home.wait_capture(pane, "ready");
    for role in [Role::Observe, Role::Manage, Role::Watch] {
        let mut wire = Wire::connect(&home, role);
        assert_eq!(
            wire.refused(pane, ToHost::Input(b"evil".to_vec())).code,
            FORBIDDEN,
            "{role:?}"
        );
        wire.send(pane, ToHost::Input(b"evil".to_vec()));
        let _still_there = wire.list();
    }
    // An attachment types into what it has claimed, nothing else.
    let mut attach = Wire::connect(&home, Role::Attach);
    let refused = attach.ask(pane, ToHost::Input(b"evil".to_vec()));
    assert!(matches!(refused, FromHost::Failed(_)), "{refused:?}");
    let mut control = Wire::connect(&home, Role::Control);
    control.input(pane, *b"good");
    testkit::until("the input", || {
        std::fs::read(&file).ok().filter(|b| !b.is_empty())
    });
    assert_eq!(std::fs::read(&file).expect("the file"), b"good");
}

/// A pane's key opens the role `report` for that pane; nothing else, and no other pane.
#[test]
fn a_panes_key_only_reports() {
    let home = home();
    let (pane, other) = (home.pane(["sleep", "600"]), home.pane(["sleep", "600"]));
    let mut control = Wire::connect(&home, Role::Control);
    let pid = control.facts(pane).pid.cast_signed();
    let hex = testkit::processes::variable(pid, "ABIDE_PANE_KEY").expect("the pane has a key");
    let key = Key::from_hex(&String::from_utf8(hex).expect("text")).expect("64 digits");
    assert_ne!(key.as_bytes(), token(&home).as_bytes(), "never the token");
    let as_role = |role| Caller {
        role,
        versions: VERSIONS,
        key_id: pane.0,
        key: key.clone(),
    };

    let mut report = Wire::connect_as(&home, &as_role(Role::Report));
    report.must(
        pane,
        Report {
            body: b"done".to_vec(),
        },
    );
    for asked in [
        report.ask(
            other,
            Report {
                body: b"done".to_vec(),
            },
        ),
        report.ask(pane, ToHost::Input(b"x".to_vec())),
        report.ask(PaneId::NONE, protocol::msg::List {}),
        report.ask(PaneId::NONE, protocol::msg::Stop {}),
        report.ask(pane, protocol::msg::Kill {}),
        report.ask(pane, protocol::msg::GetSnapshot {}),
    ] {
        let FromHost::Failed(failed) = asked else {
            panic!("not refused: {asked:?}")
        };
        assert_eq!(failed.code, FORBIDDEN, "{failed:?}");
    }
    // The same key for another role, or for another pane, opens nothing.
    let wrong = Caller {
        key_id: other.0,
        ..as_role(Role::Report)
    };
    for caller in [
        as_role(Role::Control),
        as_role(Role::Attach),
        as_role(Role::Observe),
        wrong,
    ] {
        let mut stream = socket(&home);
        stream
            .write_all(&hello_bytes(&caller))
            .expect("the host reads");
        // Either closed at the hello, or after a proof that cannot be right.
        let mut answer = fake::read_some(&mut stream, |all| {
            matches!(HostHello::decode(all), Ok(Some(_)) | Err(_))
        });
        if !answer.is_empty() {
            let proof = key.prove_client(&hello_bytes(&caller), &answer);
            stream.write_all(proof.as_bytes()).expect("the host reads");
            answer = read_to_close(&mut stream);
        }
        assert_eq!(answer, b"", "{caller:?}");
    }
}

/// The hello of a caller with a nonce that is the same every time.
fn hello_bytes(caller: &Caller) -> Vec<u8> {
    let (versions, role, key_id) = (caller.versions, caller.role, caller.key_id);
    Hello {
        versions,
        role,
        key_id,
        nonce: [9; 32],
    }
    .encode()
}

/// zmx#211: an older or newer daemon made the client hang. No common version is said by both ends
/// in their own way, and the connection ends.
#[test]
fn a_client_of_another_age_is_told() {
    let home = home();
    let unharmed = Unharmed::note(&home);
    for versions in [(7, 9), (0, 0)] {
        let mut stream = socket(&home);
        let (said, answer) = hello(
            &mut stream,
            &Caller {
                versions,
                ..caller(&home, Role::Control)
            },
        );
        let (host, _) = HostHello::decode(&answer)
            .expect("an answer")
            .expect("whole");
        assert_eq!(
            (host.version, host.versions),
            (None, VERSIONS),
            "{versions:?}"
        );
        assert!(host.is_proven(&said, &answer, &token(&home)));
        assert_eq!(read_to_close(&mut stream), b"");
    }
    // A newer client that still speaks our version is served.
    let _wire = Wire::connect_as(
        &home,
        &Caller {
            versions: (1, 9),
            ..caller(&home, Role::Control)
        },
    );
    unharmed.check(&home, "clients of another age");
}

/// zellij#1255, #2943, #3371: after an upgrade the sessions seemed gone. With no common version both
/// are named, and the safe step; nothing is started beside the old host.
#[test]
fn a_host_of_another_age_is_named() {
    let home = Home::new(env!("CARGO_BIN_EXE_abide"));
    let key = Key::from([7; 32]);
    let fake = FakeHost::start(&home, (7, 9), *key.as_bytes());
    let client = home.abide(["ls"]).spawn();
    let mut stream = fake.accept();
    let said = fake::read_some(&mut stream, |all| matches!(Hello::decode(all), Ok(Some(_))));
    let answer = HostHello::answer(&said, None, (7, 9), &[3; 32], &key);
    stream.write_all(&answer).expect("the client reads");
    let output = client.finish();
    assert_eq!(output.code, 4, "{output:?}");
    check_words(&output);
    for word in ["1-1", "7-9", "another build"] {
        assert!(output.stderr.contains(word), "{word}: {output:?}");
    }
    assert_eq!(home.hosts(), []);
}

/// A squatter that took the port of a dead host learns nothing: the host proves itself first, and
/// what the client has said by then is of no use for anything.
#[test]
fn a_squatter_learns_nothing() {
    let home = Home::new(env!("CARGO_BIN_EXE_abide"));
    let key = Key::from([7; 32]);
    let fake = FakeHost::start(&home, VERSIONS, *key.as_bytes());
    let client = home.abide(["ls"]).spawn();
    let mut stream = fake.accept();
    let said = fake::read_some(&mut stream, |all| matches!(Hello::decode(all), Ok(Some(_))));
    let answer = HostHello::answer(&said, Some(1), VERSIONS, &[3; 32], &Key::from([8; 32]));
    stream.write_all(&answer).expect("the client reads");
    let more = fake::read_some(&mut stream, |_| false);
    assert_eq!(more, b"", "the client went on without a proof");
    let whole = Hello::decode(&said).expect("a hello").expect("whole").1;
    assert_eq!(said.len(), whole, "nothing but the hello");
    drop(stream);
    let output = client.finish();
    assert_eq!(output.code, 4, "{output:?}");
    check_words(&output);
}

#[test]
fn another_program_on_the_port_is_named() {
    let home = Home::new(env!("CARGO_BIN_EXE_abide"));
    let fake = FakeHost::start(&home, VERSIONS, [7; 32]);
    let client = home.abide(["ls"]).spawn();
    let mut stream = fake.accept();
    stream
        .write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        .expect("the client reads");
    let output = client.finish();
    assert_eq!(output.code, 4, "{output:?}");
    check_words(&output);
    assert!(output.stderr.contains("another program"), "{output:?}");
}

/// A peer that accepts and says nothing is waited for a bounded time, then said.
#[test]
fn a_peer_that_says_nothing_is_no_hang() {
    let home = Home::new(env!("CARGO_BIN_EXE_abide"));
    let fake = FakeHost::start(&home, VERSIONS, [7; 32]);
    let client = home.abide(["status", "--json"]).spawn();
    let stream = fake.accept();
    let output = client.finish();
    drop(stream);
    assert_eq!(output.code, 0, "{output:?}");
    let status: serde_json::Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!(status["mode"], "silent");
    assert_eq!(status["host_pid"], fake.named().pid);
    // An address that is not ours to call.
    drop(fake);
    let named = Process::of(std::process::id().cast_signed()).expect("this process");
    let mut file = fake::host_json(Process { start: 1, ..named }, address_of_nobody(), (1, 1));
    file["address"] = "192.0.2.1".into();
    std::fs::write(home.state_file("host.json"), file.to_string()).expect("host.json");
    let output = home.abide(["ls"]).run();
    assert_eq!(output.code, 4, "{output:?}");
    std::fs::remove_file(home.state_file("host.json")).expect("host.json");
}

/// A port that nothing listens on.
fn address_of_nobody() -> u16 {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    listener.local_addr().expect("a port").port()
}

/// Unreadable or newer files are set aside under another name and said; never overwritten.
#[test]
fn damaged_state_files_are_kept_aside() {
    for (name, text) in [
        ("host.json", "{ not json"),
        ("host.json", "{\"version\": 99}"),
        ("host.json", ""),
        ("ids", "garbage"),
        ("token", "too short"),
    ] {
        let home = Home::new(env!("CARGO_BIN_EXE_abide"));
        home.start();
        home.stop();
        std::fs::write(home.state_file(name), text).expect("a state file");
        let pane = home.pane(["sleep", "600"]);
        assert!(pane.0 > 0);
        if !text.is_empty() && name != "token" {
            let kept = std::fs::read_dir(home.state()).expect("the state folder");
            let kept = kept.filter_map(|e| Some(e.ok()?.path())).filter(|p| {
                p.file_name()
                    .is_some_and(|n| n.to_string_lossy().starts_with(name))
                    && std::fs::read(p).is_ok_and(|bytes| bytes == text.as_bytes())
            });
            assert_eq!(kept.count(), 1, "{name} {text:?} was kept");
        }
        let _port = address(&home);
    }
}
