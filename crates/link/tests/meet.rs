//! Meeting a host and everything that only looks like one: each is told apart, in one line,
//! within bounds, and nothing is started or signalled by looking.
#![expect(
    clippy::unwrap_used,
    reason = "a test stops at the first thing that is not as it says"
)]

use link::{Connection, LinkError, Mode, Places, connect, connect_patiently, probe};
use protocol::auth::Key;
use protocol::hello::{Hello, HostHello, common_version};
use protocol::msg::{Done, Failed, List, NO_PANE, PaneRemoved, Welcome};
use protocol::{Decoder, FromHost, PaneId, Role, ToHost};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};
use sys::process::Identity;

const KEY: [u8; 32] = [7; 32];
/// Far above what any step takes, far below a test run's patience.
const HANG: Duration = Duration::from_secs(120);

/// A state folder whose endpoint file names `port` and `identity`.
struct Stage {
    _dir: tempfile::TempDir,
    places: Places,
}

fn stage(port: u16, identity: Identity) -> Stage {
    let dir = tempfile::tempdir().unwrap();
    let places = Places::sealed(dir.path()).unwrap();
    std::fs::create_dir_all(&places.state).unwrap();
    sys::files::write_atomic(&places.token(), Key::from(KEY).to_hex().as_bytes()).unwrap();
    let boot = sys::boot::boot();
    let text = format!(
        r#"{{"version":1,"instance":"00","pid":{},"start":{},"boot":{{"id":"{}","time":{}}},
            "root_reaper":null,"address":"127.0.0.1","port":{port},"protocol":[1,1],"build":"old 9"}}"#,
        identity.pid, identity.start, boot.id, boot.time
    );
    std::fs::write(places.host_file(), text).unwrap();
    Stage { _dir: dir, places }
}

/// A listener that gives each connection to `serve`, and a stage that names it and this process.
fn peer(serve: impl Fn(TcpStream) + Send + 'static) -> Stage {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || listener.incoming().flatten().for_each(serve));
    stage(port, Identity::me())
}

/// A process identity that is nobody's: this pid, started at another time.
fn nobody() -> Identity {
    Identity {
        start: Identity::me().start + 1,
        ..Identity::me()
    }
}

fn read_hello(stream: &mut TcpStream) -> (Hello, Vec<u8>) {
    let mut seen = Vec::new();
    loop {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        seen.push(byte[0]);
        if let Some((hello, _)) = Hello::decode(&seen).unwrap() {
            return (hello, seen);
        }
    }
}

/// An honest host that knows `key` and speaks `versions`; then `talk` has the connection.
fn host(
    key: [u8; 32],
    versions: (u16, u16),
    talk: impl Fn(TcpStream) + Send + 'static,
) -> impl Fn(TcpStream) + Send + 'static {
    move |mut stream| {
        let key = Key::from(key);
        let (hello, bytes) = read_hello(&mut stream);
        let version = common_version(hello.versions, versions);
        let answer = HostHello::answer(&bytes, version, versions, &[3; 32], &key);
        stream.write_all(&answer).unwrap();
        let mut proof = [0; 32];
        if stream.read_exact(&mut proof).is_err() {
            return;
        }
        assert_eq!(&proof, key.prove_client(&bytes, &answer).as_bytes());
        say(
            &mut stream,
            0,
            Welcome {
                instance: [1; 16],
                pid: 77,
                build: "b".into(),
                connection: 5,
            },
        );
        talk(stream);
    }
}

fn say(stream: &mut TcpStream, request: u32, message: impl Into<FromHost>) {
    let mut out = Vec::new();
    message.into().put(PaneId(4), request, &mut out).unwrap();
    stream.write_all(&out).unwrap();
}

/// Reads frames until one carries a request; gives its id.
fn next_request(stream: &mut TcpStream, decoder: &mut Decoder) -> Option<(u32, ToHost)> {
    loop {
        if let Some(frame) = decoder.next_frame().unwrap() {
            return Some((frame.request, ToHost::decode(frame).unwrap().unwrap()));
        }
        let mut buffer = [0; 1024];
        match stream.read(&mut buffer) {
            Ok(n) if n > 0 => decoder.feed(&buffer[..n]),
            _ => return None,
        }
    }
}

/// What one attempt says. Where the peer's thread had no turn within the attempt's 1.5 s, the next
/// one says it; who is silent for ever is so in each.
fn refused(stage: &Stage) -> LinkError {
    let mut last = None;
    for _ in 0..3 {
        let begun = Instant::now();
        let error = connect(&stage.places, Role::Control).unwrap_err();
        // A peer that says nothing is an error within 2 s; this limit is for loaded machines.
        assert!(
            begun.elapsed() < HANG / 3,
            "{error} took {:?}",
            begun.elapsed()
        );
        let silent = matches!(error, LinkError::Silent { .. });
        last = Some(error);
        if !silent {
            break;
        }
    }
    last.unwrap()
}

/// An honest host, however late its thread has its turn.
fn met(stage: &Stage) -> Connection {
    connect_patiently(&stage.places, Role::Control, HANG, &mut |_| {}).unwrap()
}

#[test]
fn an_honest_host_is_met() {
    let stage = peer(host(KEY, (1, 1), drop));
    let connection = met(&stage);
    assert_eq!(
        (connection.welcome().pid, connection.welcome().connection),
        (77, 5)
    );
    let mut seen = Mode::None {
        reason: String::new(),
    };
    for _ in 0..3 {
        seen = probe(&stage.places);
        if !matches!(seen, Mode::Silent { .. }) {
            break;
        }
    }
    assert_eq!(seen, Mode::Host { pid: 77 });
}

#[test]
fn answers_find_their_requests_and_events_wait_in_order() {
    let stage = peer(host(KEY, (1, 1), |mut stream| {
        let mut decoder = Decoder::new();
        let (first, _) = next_request(&mut stream, &mut decoder).unwrap();
        say(&mut stream, 0, PaneRemoved {});
        say(&mut stream, 9999, Done {});
        say(&mut stream, first, Done {});
        let (second, message) = next_request(&mut stream, &mut decoder).unwrap();
        assert_eq!(message, ToHost::Input(b"x".to_vec()));
        say(
            &mut stream,
            second,
            Failed {
                code: NO_PANE,
                text: "no pane p4".into(),
            },
        );
        // Cut in the middle of a frame's header.
        let mut out = Vec::new();
        FromHost::from(PaneRemoved {})
            .put(PaneId(8), 0, &mut out)
            .unwrap();
        stream.write_all(&out[..5]).unwrap();
        drop(next_request(&mut stream, &mut decoder));
        stream.write_all(&out[5..]).unwrap();
    }));
    let mut connection = met(&stage);
    assert_eq!(
        connection.request(PaneId(4), List {}, HANG).unwrap(),
        FromHost::Done(Done {})
    );
    let error = connection
        .request(PaneId(4), ToHost::Input(b"x".to_vec()), HANG)
        .unwrap_err();
    assert!(matches!(&error, LinkError::Refused { code: NO_PANE, text } if text == "no pane p4"));
    assert!(!error.is_unreachable());
    let removed = Some((PaneId(4), FromHost::PaneRemoved(PaneRemoved {})));
    assert_eq!(connection.next(HANG).unwrap(), removed);
    assert!(matches!(
        connection.next(HANG).unwrap(),
        Some((_, FromHost::Done(_)))
    ));
    // Half a frame is no message, and no end either.
    assert_eq!(connection.next(Duration::from_millis(1)).unwrap(), None);
    connection.send(PaneId(4), List {}).unwrap();
    assert_eq!(connection.next(HANG).unwrap().unwrap().0, PaneId(8));
    assert!(matches!(connection.next(HANG), Err(LinkError::Closed)));
}

#[test]
fn an_unknown_answer_is_unsupported_and_an_unknown_event_is_skipped() {
    let stage = peer(host(KEY, (1, 1), |mut stream| {
        let (request, _) = next_request(&mut stream, &mut Decoder::new()).unwrap();
        for id in [0, request] {
            let mut out = Vec::new();
            protocol::frame::put(&mut out, 9000, PaneId::NONE, id, &[b"later"]).unwrap();
            stream.write_all(&out).unwrap();
        }
    }));
    let mut connection = met(&stage);
    let error = connection.request(PaneId::NONE, List {}, HANG).unwrap_err();
    assert!(matches!(
        error,
        LinkError::Refused {
            code: protocol::msg::UNSUPPORTED,
            ..
        }
    ));
}

#[test]
fn what_only_looks_like_a_host_is_told_apart() {
    let silent = peer(|stream| drop(std::thread::spawn(move || (std::thread::park(), stream))));
    let error = refused(&silent);
    assert!(matches!(error, LinkError::Silent { .. }), "{error}");
    assert!(error.to_string().contains("alive but silent"));
    assert!(matches!(probe(&silent.places), Mode::Silent { .. }));

    let http = peer(|mut stream| {
        drop(stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n"));
        drop(stream.read_to_end(&mut Vec::new()));
    });
    let error = refused(&http);
    assert!(matches!(error, LinkError::AnotherProgram { .. }), "{error}");
    assert!(
        error
            .to_string()
            .starts_with("another program answers on the host's port")
    );

    let stranger = peer(host([8; 32], (1, 1), drop));
    let error = refused(&stranger);
    assert!(matches!(error, LinkError::WrongToken { .. }), "{error}");

    let closing = peer(drop);
    assert!(matches!(refused(&closing), LinkError::Closed));
}

/// zmx#211, zellij#3420: other versions are named, with the safe step.
#[test]
fn no_common_version_names_both_and_the_safe_step() {
    let newer = peer(host(KEY, (2, 3), drop));
    let words = refused(&newer).to_string();
    for part in [
        "protocol 1-1",
        "2-3",
        "old 9",
        "finish",
        "`abide host stop`",
        "old program",
    ] {
        assert!(words.contains(part), "{part} in {words}");
    }
}

#[test]
fn a_bad_token_file_is_named() {
    let stage = peer(host(KEY, (1, 1), drop));
    for (text, want) in [
        ("", "is empty"),
        (" \n", "is empty"),
        ("abcd", "64 hexadecimal"),
    ] {
        std::fs::write(stage.places.token(), text).unwrap();
        let words = refused(&stage).to_string();
        assert!(words.contains(want) && words.contains("token"), "{words}");
    }
    std::fs::remove_file(stage.places.token()).unwrap();
    assert!(refused(&stage).to_string().contains("is missing"));
}

#[test]
fn a_token_that_others_may_read_is_refused() {
    let stage = peer(host(KEY, (1, 1), drop));
    let open = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(stage.places.token(), open).unwrap();
    let error = refused(&stage);
    assert!(matches!(error, LinkError::OpenToken { .. }), "{error}");
    let words = error.to_string();
    assert!(
        words.contains("mode 644") && words.contains("chmod 600"),
        "{words}"
    );
}

/// A living host mends a damaged endpoint file; one of a newer form is waited for by nobody.
#[test]
fn a_damaged_endpoint_of_a_living_host_is_waited_for() {
    let stage = peer(host(KEY, (1, 1), |stream| {
        drop((std::thread::park(), stream));
    }));
    let good = std::fs::read(stage.places.host_file()).unwrap();
    let _lock = sys::files::Lock::exclusive(&stage.places.host_lock(), HANG).unwrap();
    std::fs::write(stage.places.host_file(), "{").unwrap();
    let words = refused(&stage).to_string();
    assert!(
        words.contains("damaged") && words.contains("try again"),
        "{words}"
    );
    let file = stage.places.host_file();
    let mut waits = |_: &str| sys::files::write_atomic(&file, &good).unwrap();
    connect_patiently(&stage.places, Role::Control, HANG, &mut waits).unwrap();
    std::fs::write(stage.places.host_file(), "{\"version\":2}").unwrap();
    let begun = Instant::now();
    let error = connect_patiently(&stage.places, Role::Control, HANG, &mut |_| {});
    assert!(error.unwrap_err().to_string().contains("form 2"));
    assert!(begun.elapsed() < HANG / 2);
}

/// The files are gone with their folder; the claim says that their host lives.
#[cfg(target_os = "linux")]
#[test]
fn a_removed_folder_with_a_living_host_is_no_place_for_another() {
    let stage = stage(1, nobody());
    std::fs::remove_dir_all(&stage.places.state).unwrap();
    assert!(matches!(refused(&stage), LinkError::NoHost { .. }));
    let claim = sys::claim::claim(&stage.places.state);
    assert!(matches!(claim, sys::claim::Claimed::Ours(_)), "{claim:?}");
    let me = Identity::me().pid;
    assert!(matches!(refused(&stage), LinkError::Silent { pid, .. } if pid == me));
    drop(claim);
    assert!(matches!(refused(&stage), LinkError::NoHost { .. }));
}

#[test]
fn a_dead_hosts_files_mean_no_host_whoever_has_its_port_now() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let taken = stage(port, nobody());
    std::thread::spawn(move || {
        listener
            .incoming()
            .flatten()
            .for_each(|mut stream| drop(stream.write_all(b"SSH-2.0-x\r\n")));
    });
    assert!(matches!(refused(&taken), LinkError::NoHost { .. }));
    assert!(matches!(probe(&taken.places), Mode::None { .. }));
    std::fs::write(taken.places.host_file(), "{ damaged").unwrap();
    assert!(matches!(refused(&taken), LinkError::NoHost { .. }));
    std::fs::remove_file(taken.places.host_file()).unwrap();
    assert!(matches!(refused(&taken), LinkError::NoHost { .. }));
    assert!(
        !taken.places.host_lock().exists(),
        "looking creates nothing"
    );
}

/// kolu#1287: a recorded pid that is somebody else's by now is neither a host nor signalled.
#[test]
fn a_reused_pid_is_a_stranger() {
    let mut stranger = std::process::Command::new("sleep")
        .arg("1000")
        .spawn()
        .unwrap();
    let pid = i32::try_from(stranger.id()).unwrap();
    let stage = stage(1, Identity { pid, start: 1 });
    assert!(matches!(refused(&stage), LinkError::NoHost { .. }));
    assert!(stranger.try_wait().unwrap().is_none(), "it was left alone");
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}

/// happy#1654: a held lock means a living host, whatever the files say.
#[test]
fn a_held_lock_is_a_living_host() {
    let stage = stage(1, nobody());
    let lock = sys::files::Lock::exclusive(&stage.places.host_lock(), HANG).unwrap();
    assert!(matches!(refused(&stage), LinkError::Silent { .. }));
    std::fs::remove_file(stage.places.host_file()).unwrap();
    assert!(matches!(refused(&stage), LinkError::Starting { .. }));
    assert!(matches!(probe(&stage.places), Mode::Starting { .. }));
    drop(lock);
    assert!(matches!(refused(&stage), LinkError::NoHost { .. }));
}

#[test]
fn a_silent_host_is_waited_for_and_the_user_told() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let honest = host(KEY, (1, 1), drop);
    let count = AtomicUsize::new(0);
    // The first two connections are never answered, as if the host were stopped.
    let stage = peer(move |stream| match count.fetch_add(1, Ordering::Relaxed) {
        0 | 1 => drop(std::thread::spawn(move || (std::thread::park(), stream))),
        _ => honest(stream),
    });
    let mut said = Vec::new();
    let mut say = |text: &str| said.push(text.to_owned());
    connect_patiently(&stage.places, Role::Control, HANG, &mut say).unwrap();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].contains("alive but silent; waiting up to"),
        "{said:?}"
    );
}

#[test]
fn a_start_that_fails_tells_the_last_words() {
    let stage = stage(1, nobody());
    let start = |exe: &str| {
        let starter = link::Starter::new(exe.into());
        link::ensure(&stage.places, Role::Control, &starter)
            .unwrap_err()
            .to_string()
    };
    // Any program that ends with a complaint will do.
    let words = start("/bin/cp");
    assert!(
        words.starts_with("the host did not start: ") && words.contains("cp"),
        "{words}"
    );
    assert!(start("/bin/true").contains("it ended without a word; see "));
    let words = start("/nonexistent/abide");
    assert!(
        words.starts_with("the host did not start: /nonexistent/abide: "),
        "{words}"
    );
    assert!(!words.contains("os error"), "{words}");
}
