//! Every way a hello can be right or wrong, without a socket.

use super::*;

fn gate() -> Gate {
    Gate {
        key: Key::from([3; 32]),
        instance: [9; 16],
        versions: (2, 3),
    }
}

fn hello(versions: (u16, u16), role: Role, key_id: u32) -> Vec<u8> {
    Hello {
        versions,
        role,
        key_id,
        nonce: [1; NONCE],
    }
    .encode()
}

/// Plays a client that says `first` in one write, then proves with `key`; gives the host's verdict
/// and every byte the host said.
async fn play(first: &[u8], key: &Key) -> (Result<Admitted, Refused>, Vec<u8>) {
    let (mut host, mut client) = tokio::io::duplex(4096);
    let talk = async {
        client.write_all(first).await.unwrap();
        let mut answer = vec![0; 4096];
        let n = client.read(&mut answer).await.unwrap();
        answer.truncate(n);
        if n > 0 {
            let proof = key.prove_client(first, &answer);
            // A host that refused has closed already; that is the verdict's business.
            client.write_all(proof.as_bytes()).await.ok();
        }
        answer
    };
    let gate = gate();
    let serve = async move {
        let verdict = admit(&mut host, &gate).await;
        drop(host);
        verdict
    };
    tokio::join!(serve, talk)
}

fn check(first: &[u8], key: &Key) -> (Result<Admitted, String>, bool) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let (verdict, said) = runtime.block_on(play(first, key));
    (verdict.map_err(|e| e.to_string()), !said.is_empty())
}

#[test]
fn the_token_admits_every_role_but_report() {
    for role in [
        Role::Attach,
        Role::Watch,
        Role::Control,
        Role::Observe,
        Role::Manage,
    ] {
        let (verdict, spoke) = check(&hello((1, 2), role, 0), &gate().key);
        assert_eq!(verdict, Ok(Admitted { role, pane: None }));
        assert!(spoke);
    }
    let (verdict, spoke) = check(&hello((1, 2), Role::Report, 0), &gate().key);
    assert_eq!(verdict, Err(Refused::WrongRole.to_string()));
    assert!(!spoke);
}

#[test]
fn a_pane_key_admits_report_for_that_pane_only() {
    let key = gate().key.for_pane(&[9; 16], PaneId(7));
    let (verdict, _) = check(&hello((2, 2), Role::Report, 7), &key);
    assert_eq!(
        verdict,
        Ok(Admitted {
            role: Role::Report,
            pane: Some(PaneId(7))
        })
    );
    let (verdict, spoke) = check(&hello((2, 2), Role::Control, 7), &key);
    assert_eq!(
        (verdict, spoke),
        (Err(Refused::WrongRole.to_string()), false)
    );
    let (verdict, _) = check(&hello((2, 2), Role::Report, 8), &key);
    assert_eq!(verdict, Err(Refused::WrongProof.to_string()));
    let other = gate().key.for_pane(&[8; 16], PaneId(7));
    let (verdict, _) = check(&hello((2, 2), Role::Report, 7), &other);
    assert_eq!(verdict, Err(Refused::WrongProof.to_string()));
}

#[test]
fn another_token_is_refused_after_the_hosts_own_proof() {
    let (verdict, spoke) = check(&hello((2, 3), Role::Control, 0), &Key::from([4; 32]));
    assert_eq!(
        (verdict, spoke),
        (Err(Refused::WrongProof.to_string()), true)
    );
}

#[test]
fn strangers_get_no_byte() {
    let http = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".to_vec();
    let tls = [&[0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3][..], &[7; 200]].concat();
    let short = b"abide\0h1\x01\x00x".to_vec();
    let long = b"abide\0h1\xff\xff".to_vec();
    let eager = [hello((2, 3), Role::Control, 0), vec![0; 32]].concat();
    for first in [http, tls, short, long, eager, vec![0; 300]] {
        let (verdict, spoke) = check(&first, &gate().key);
        assert!(
            verdict.is_err() && !spoke,
            "{:?} to {:?}",
            verdict,
            first.escape_ascii()
        );
    }
}

#[test]
fn no_common_version_is_said_with_the_hosts_range() {
    for versions in [(1, 1), (4, 9)] {
        let (verdict, spoke) = check(&hello(versions, Role::Control, 0), &gate().key);
        assert_eq!(verdict, Err(Refused::Version(versions, (2, 3)).to_string()));
        assert!(spoke);
    }
    let (verdict, _) = check(&hello((3, 9), Role::Control, 0), &gate().key);
    assert!(verdict.is_ok());
}
