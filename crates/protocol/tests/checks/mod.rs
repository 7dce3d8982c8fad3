//! What must hold for any bytes whatever: the bodies of the fuzz targets and of their bounded tests.

use protocol::hello::{Hello, HostHello};
use protocol::{Decoder, Frame, FromHost, PaneId, ToHost};

/// Everything a stream of these pieces holds; `None` when it cannot be a stream of frames.
pub(crate) fn decode_all(pieces: &[&[u8]]) -> Option<Vec<Frame>> {
    let mut decoder = Decoder::new();
    let mut frames = Vec::new();
    for piece in pieces {
        decoder.feed(piece);
        while let Some(frame) = decoder.next_frame().ok()? {
            frames.push(frame);
        }
    }
    Some(frames)
}

/// Frames: no panic, cuts make no difference, what decodes encodes to the same bytes.
pub(crate) fn check_frame_decoder(data: &[u8]) {
    let whole = decode_all(&[data]);
    let single: Vec<&[u8]> = data.chunks(1).collect();
    assert_eq!(
        whole,
        decode_all(&single),
        "cutting must make no difference"
    );
    for frame in whole.into_iter().flatten() {
        let mut again = Vec::new();
        frame.encode(&mut again).expect("it was within the limit");
        assert_eq!(decode_all(&[&again]), Some(vec![frame]));
    }
}

/// Hellos and payloads: no panic, and one form on the wire each.
///
/// The first two bytes choose the kind, the rest is the payload.
pub(crate) fn check_messages(data: &[u8]) {
    let _client = Hello::decode(data);
    let _host = HostHello::decode(data);
    let Some((head, payload)) = data.split_first_chunk::<2>() else {
        return;
    };
    let kind = u16::from_le_bytes(*head);
    let frame = Frame {
        kind,
        pane: PaneId(1),
        request: 1,
        payload: payload.to_vec(),
    };
    let mut again = Vec::new();
    if let Ok(Some(message)) = ToHost::decode(frame.clone()) {
        message
            .put(frame.pane, frame.request, &mut again)
            .expect("it was within the limit");
    } else if let Ok(Some(message)) = FromHost::decode(frame.clone()) {
        message
            .put(frame.pane, frame.request, &mut again)
            .expect("it was within the limit");
    } else {
        return;
    }
    // One form on the wire each: what decodes is exactly what encoding it gives.
    assert_eq!(decode_all(&[&again]), Some(vec![frame]));
}
