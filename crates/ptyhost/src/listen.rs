//! The door: accepts loopback connections and lets those in that prove themselves.
//!
//! In: a listener. Out: proven streams to the driver. Promises: on Linux no byte is read from another user's
//! process; at most [`UNPROVEN`] connections wait to prove themselves, [`DEADLINE`] each, and the
//! oldest of them goes when one more comes; running out of descriptors pauses the door, nothing
//! else; a stranger costs at most one log line a second.

use crate::handshake::{Admitted, Gate, Refused, admit};
use crate::wake::{Wake, Waker};
use std::collections::VecDeque;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use sys::peer::{PeerUid, my_uid, uid_of_peer};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout};

/// Connections that may be unproven at a time.
const UNPROVEN: usize = 16;
/// Time a connection has to prove itself.
const DEADLINE: Duration = Duration::from_secs(2);
/// Pause after the process or the system ran out of descriptors.
const PAUSE: Duration = Duration::from_secs(1);
/// The kernel's queue of connections that wait to be accepted.
const BACKLOG: u32 = 128;
/// Without it the kernel takes megabytes for a viewer that never reads; accepted sockets inherit it.
const SEND_BUFFER: u32 = 128 * 1024;

/// Listens on 127.0.0.1, on a port the system chooses.
pub(crate) fn listen() -> io::Result<(TcpListener, u16)> {
    let socket = TcpSocket::new_v4()?;
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
    let listener = socket.listen(BACKLOG)?;
    let port = listener.local_addr()?.port();
    Ok((listener, port))
}

/// Accepts until the driver's channel is gone.
pub(crate) async fn accept_all(listener: TcpListener, gate: Gate, driver: Waker) {
    let gate = Arc::new(gate);
    let log = Arc::new(Mutex::new(Quiet::default()));
    let mut waiting: VecDeque<AbortHandle> = VecDeque::new();
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    rest_after(&error).await;
                    continue;
                }
            },
            () = driver.closed() => return,
        };
        waiting.retain(|task| !task.is_finished());
        if waiting.len() >= UNPROVEN
            && let Some(oldest) = waiting.pop_front()
        {
            oldest.abort();
            Quiet::note(
                &log,
                "the oldest of 16 unproven connections made room for another",
            );
        }
        let (gate, driver, log) = (Arc::clone(&gate), driver.clone(), Arc::clone(&log));
        let task = tokio::spawn(async move {
            match prove(stream, &gate).await {
                // A closed receiver means that the host is ending.
                Ok((stream, admitted)) => {
                    driver.send(Wake::Proven(stream, admitted)).await.ok();
                }
                Err(why) => Quiet::note(&log, &why),
            }
        });
        waiting.push_back(task.abort_handle());
    }
}

/// A connection that was gone before it was accepted is nothing; out of descriptors, buffers or
/// memory is worth a pause, since the next attempt would fail at once.
async fn rest_after(error: &io::Error) {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
    if matches!(
        error.kind(),
        ConnectionAborted | ConnectionReset | Interrupted
    ) {
        return;
    }
    tracing::warn!("cannot accept connections for a second: {error}");
    tokio::time::sleep(PAUSE).await;
}

async fn prove(mut stream: TcpStream, gate: &Gate) -> Result<(TcpStream, Admitted), String> {
    if !is_ours(&stream) {
        return Err("it is not known to be this user's".to_owned());
    }
    stream.set_nodelay(true).map_err(|e| e.to_string())?;
    match timeout(DEADLINE, admit(&mut stream, gate)).await {
        Ok(Ok(admitted)) => Ok((stream, admitted)),
        Ok(Err(refused @ Refused::Version(..))) => {
            drain(stream).await;
            Err(refused.to_string())
        }
        Ok(Err(refused)) => Err(refused.to_string()),
        Err(_) => Err("it did not prove itself within 2 s".to_owned()),
    }
}

/// Waits for the peer to close, so that what was said is not lost to a reset.
async fn drain(stream: TcpStream) {
    let peer_closes = async {
        let mut scrap = [0; 256];
        while stream.readable().await.is_ok() {
            match stream.try_read(&mut scrap) {
                Ok(0) => break,
                Err(e) if e.kind() != io::ErrorKind::WouldBlock => break,
                _ => {}
            }
        }
    };
    // Late or not, the connection is dropped next.
    timeout(Duration::from_millis(500), peer_closes).await.ok();
}

/// Whether the peer's end belongs to this user. Where the system cannot say (not Linux), the proof
/// alone decides.
fn is_ours(stream: &TcpStream) -> bool {
    let (Ok(SocketAddr::V4(local)), Ok(SocketAddr::V4(peer))) =
        (stream.local_addr(), stream.peer_addr())
    else {
        return false;
    };
    !cfg!(target_os = "linux") || uid_is_mine(local, peer)
}

fn uid_is_mine(local: SocketAddrV4, peer: SocketAddrV4) -> bool {
    matches!(uid_of_peer(local, peer), PeerUid::Known(uid) if uid == my_uid())
}

/// At most one line a second; what was left out is counted in the next one.
#[derive(Default)]
struct Quiet {
    last: Option<Instant>,
    left_out: u64,
}

impl Quiet {
    fn note(shared: &Mutex<Self>, why: &str) {
        let mut quiet = shared.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if quiet
            .last
            .is_some_and(|last| now - last < Duration::from_secs(1))
        {
            quiet.left_out += 1;
            return;
        }
        let left_out = std::mem::take(&mut quiet.left_out);
        quiet.last = Some(now);
        tracing::warn!(left_out, "closed a connection: {why}");
    }
}
