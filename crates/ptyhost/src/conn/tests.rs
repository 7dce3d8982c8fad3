//! A connection against a peer that behaves badly, without a core.

use super::*;
use crate::wake;
use protocol::PaneId;
use std::io::Write;
use std::net::TcpStream as Plain;

/// A connection and the peer's end of it.
async fn pair(driver: Waker) -> (Outbox, Plain) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let peer = Plain::connect(listener.local_addr().unwrap()).unwrap();
    let (stream, _) = listener.accept().await.unwrap();
    (start(stream, 1, driver), peer)
}

fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(test);
}

fn frames(count: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    for request in 1..=count {
        protocol::frame::put(&mut bytes, 21, PaneId::NONE, request, &[]).unwrap();
    }
    bytes
}

#[test]
fn a_peer_that_does_not_read_is_still_read_from() {
    run(async {
        let (driver, mut wakes) = wake::channel();
        let (outbox, mut peer) = pair(driver).await;
        let sender = std::thread::spawn(move || {
            peer.write_all(&frames(100_000)).unwrap();
            peer
        });
        let mut seen = 0;
        while seen < 100_000 {
            match wakes.recv().await.unwrap() {
                Wake::Frame(..) => {
                    seen += 1;
                    outbox.push(&[0; 368]).unwrap();
                }
                Wake::Sent(..) => {}
                other => panic!("{other:?}"),
            }
        }
        outbox.end();
        assert!(matches!(
            wakes.recv().await,
            Some(Wake::Sent(..) | Wake::Closed(..))
        ));
        drop(sender.join());
    });
}

#[test]
fn too_much_unread_is_told_and_nothing_is_queued() {
    let outbox = Outbox::new();
    assert_eq!(outbox.push(&vec![0; OUTBOX]), Ok(()));
    assert_eq!(outbox.push(&[0]), Err(TooSlow));
}

#[test]
fn what_waits_is_written_before_a_close() {
    run(async {
        let (driver, mut wakes) = wake::channel();
        let (outbox, mut peer) = pair(driver).await;
        outbox.push(&[7; 100_000]).unwrap();
        outbox.close();
        let reader = std::thread::spawn(move || {
            let mut all = Vec::new();
            std::io::Read::read_to_end(&mut peer, &mut all).unwrap();
            all.len()
        });
        while !matches!(wakes.recv().await, Some(Wake::Closed(1, _))) {}
        assert_eq!(reader.join().unwrap(), 100_000);
    });
}
