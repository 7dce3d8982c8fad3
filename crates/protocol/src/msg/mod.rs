//! Every message, by direction. A number is never reused; a released message never changes shape
//! (bincode has no defaults): a change is a new kind beside the old one.

mod event;
mod host;
mod note;
mod pane;
mod view;

pub use event::*;
pub use host::*;
pub use note::*;
pub use pane::*;
pub use view::*;

use crate::frame::MAX_PAYLOAD;
use crate::macros::messages;

/// Byte strings that are text to people but need not be UTF-8: paths, arguments, variables.
pub type Bytes = Vec<u8>;

/// Code of [`Failed`]: the kind is unknown to the other side.
pub const UNSUPPORTED: u16 = 1;
/// Code of [`Failed`]: the connection's role does not allow it.
pub const FORBIDDEN: u16 = 2;
/// Code of [`Failed`]: there is no such pane.
pub const NO_PANE: u16 = 3;
/// Code of [`Failed`]: the program could not be started; the text names argv and path.
pub const SPAWN: u16 = 4;
/// Code of [`Failed`]: the pane's input queue is full; nothing of the message was taken.
pub const INPUT_FULL: u16 = 5;
/// Code of [`Failed`]: the note has another revision.
pub const CONFLICT: u16 = 6;
/// Code of [`Failed`]: a stated bound would be passed (note sizes, number of panes).
pub const LIMIT: u16 = 7;
/// Code of [`Failed`]: the payload is not what its kind says.
pub const MALFORMED: u16 = 8;
/// Code of [`Failed`]: the pane's program has ended.
pub const NOT_ALIVE: u16 = 9;
/// Code of [`Failed`]: the host is ending or not ready; try again.
pub const BUSY: u16 = 10;

messages! {
    /// What a client, command, keeper or hook sends.
    ToHost {
        control {
            /// Start a program in a new pane; answered by [`Created`].
            16 Create,
            /// End the pane's family; `Done` once it is under way.
            17 Kill,
            /// Continue a stopped pane (SIGCONT to its groups).
            18 Continue,
            /// Give the pane a size.
            19 Resize,
            /// Drop an exited pane's screen and forget it.
            20 Remove,
            /// List every pane; answered by [`Panes`].
            21 List,
            /// Facts about the host; answered by [`HostFacts`].
            22 Status,
            /// End every family, then the host.
            23 Stop,
            /// A process of a pane's family serves the frame's pane too; role manage only.
            24 Share,
            /// When the user last sent the pane's program something to act on; answered by
            /// [`Submitted`].
            25 LastSubmit,
            /// How many pictures each pane's program has drawn; answered by [`PictureCounts`].
            26 CountPictures,
            /// What the client's terminal is: colours, refreshed links.
            32 Viewer,
            /// Take panes for this attachment, or change what is shown of those it has.
            33 Claim,
            /// Give panes back.
            34 Release,
            /// View panes without taking them.
            35 Watch,
            /// Output up to this stream offset has been used.
            36 Ack,
            /// A pane's screen once; answered by `Snapshot`.
            37 GetSnapshot,
            /// Scrollback lines; answered by `Page`.
            38 GetPage,
            /// Send events from now on.
            39 Subscribe,
            /// The panes that the user of this connection looks at now; replaces what it said before.
            40 Look,
            /// Write a note if its revision is the one named.
            48 NoteSet,
            /// All notes of a pane, or the global ones; answered by [`Notes`].
            49 NoteList,
            /// A hook's word about its own pane; the host passes it to observers unread.
            56 Report,
        }
        data {
            /// Bytes for the pane's input: one message, never interleaved.
            64 Input,
        }
    }
}

messages! {
    /// What the host sends.
    FromHost {
        control {
            /// The first frame after the proof.
            128 Welcome,
            /// A request was carried out.
            129 Done,
            /// A request was not carried out.
            130 Failed,
            /// The pane that was asked for.
            131 Created,
            /// The panes there are.
            132 Panes,
            /// Facts about the host.
            133 HostFacts,
            /// Notes that were asked for.
            134 Notes,
            /// When the user last sent the pane's program something to act on.
            135 Submitted,
            /// How many pictures came, of each pane that drew any.
            136 PictureCounts,
            /// A pane began.
            160 PaneCreated,
            /// A pane's program ended; its last output has been sent.
            161 PaneExited,
            /// A pane was stopped or goes on.
            162 PaneStopped,
            /// A pane is gone from the list.
            163 PaneRemoved,
            /// Another client took a pane of this one.
            164 PaneTaken,
            /// A pane's size changed.
            165 PaneResized,
            /// A pane is shown by a client, or no longer.
            166 PaneShown,
            /// Input was typed into a pane.
            167 PaneInput,
            /// The pane's foreground process group changed.
            168 PaneForeground,
            /// How a pane's program ended, for subscribers; just before [`PaneExited`].
            169 PaneEnded,
            /// Somebody looks at a pane, or nobody any longer; for subscribers.
            170 PaneLooked,
            /// Window title (OSC 0, 2).
            176 Title,
            /// Current folder (OSC 7).
            177 Folder,
            /// The bell rang.
            178 Bell,
            /// A notification (OSC 9, 99, 777).
            179 Notice,
            /// Progress (OSC 9;4).
            180 Progress,
            /// Prompt mark (OSC 133).
            181 Mark,
            /// Program status (OSC 7501).
            182 ProgramStatus,
            /// The program wrote the clipboard (OSC 52).
            183 Clipboard,
            /// A hook's report.
            184 Reported,
            /// A note changed.
            192 NoteChanged,
            /// Input without a request id was refused.
            200 InputRefused,
            /// The host ends on purpose; the connection closes next.
            208 Goodbye,
        }
        data {
            /// Stream offset (`u64`, little endian), then an encoded snapshot.
            224 Snapshot,
            /// Stream offset of the first byte (`u64`, little endian), then raw output.
            225 Output,
            /// An encoded scrollback page.
            226 Page,
        }
    }
}

/// A payload that is not what its kind says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the payload of message kind {kind} is malformed")]
pub struct BadMessage {
    /// The frame's kind.
    pub kind: u16,
}

/// bincode's settings on this wire: little endian, fixed-width integers, and no claimed length may
/// pass the payload limit, since bincode 2.0.1 aborts on a hostile length without one.
fn config() -> impl bincode::config::Config {
    bincode::config::standard()
        .with_little_endian()
        .with_fixed_int_encoding()
        .with_limit::<MAX_PAYLOAD>()
}

pub(crate) fn encode<M: bincode::Encode>(message: &M) -> Result<Vec<u8>, crate::FrameError> {
    bincode::encode_to_vec(message, config())
        .map_err(|_| crate::FrameError::TooLong { len: u32::MAX })
}

pub(crate) fn decode<M: bincode::Decode<()>>(kind: u16, payload: &[u8]) -> Result<M, BadMessage> {
    match bincode::decode_from_slice(payload, config()) {
        Ok((message, used)) if used == payload.len() => Ok(message),
        _ => Err(BadMessage { kind }),
    }
}

/// Splits the payload of `Snapshot` or `Output` into its stream offset and the rest.
#[must_use]
pub fn split_offset(payload: &[u8]) -> Option<(u64, &[u8])> {
    let (head, rest) = payload.split_first_chunk::<8>()?;
    Some((u64::from_le_bytes(*head), rest))
}
