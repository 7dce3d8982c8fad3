//! One table per direction: kind number, name, payload. From it come the enum and its codec.

/// Declares a direction's message enum. `data` kinds carry raw bytes, the others bincode structs.
macro_rules! messages {
    ($(#[$doc:meta])* $name:ident {
        control { $( $(#[$cdoc:meta])* $cnum:literal $control:ident, )* }
        data { $( $(#[$ddoc:meta])* $dnum:literal $data:ident, )* }
    }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $name {
            $( $(#[$cdoc])* $control($control), )*
            $( $(#[$ddoc])* $data(Vec<u8>), )*
        }

        impl $name {
            /// Every kind of this direction with its name, in the order of the numbers' groups.
            pub const KINDS: &'static [(u16, &'static str)] =
                &[ $( ($cnum, stringify!($control)), )* $( ($dnum, stringify!($data)), )* ];

            /// The number on the wire.
            #[must_use]
            pub const fn kind(&self) -> u16 {
                match self { $( Self::$control(_) => $cnum, )* $( Self::$data(_) => $dnum, )* }
            }

            /// Appends the message as one frame.
            ///
            /// # Errors
            /// [`crate::FrameError::TooLong`] when it passes the payload limit; nothing is appended.
            pub fn put(
                &self,
                pane: $crate::PaneId,
                request: u32,
                out: &mut Vec<u8>,
            ) -> Result<(), $crate::FrameError> {
                match self {
                    $( Self::$control(m) => {
                        let body = $crate::msg::encode(m)?;
                        $crate::frame::put(out, $cnum, pane, request, &[&body])
                    } )*
                    $( Self::$data(bytes) => $crate::frame::put(out, $dnum, pane, request, &[bytes]), )*
                }
            }

            /// Reads a frame's payload. `Ok(None)`: the kind is unknown to this build.
            ///
            /// # Errors
            /// [`crate::msg::BadMessage`] when the payload is not what its kind says.
            pub fn decode(frame: $crate::Frame) -> Result<Option<Self>, $crate::msg::BadMessage> {
                Ok(Some(match frame.kind {
                    $( $cnum => Self::$control($crate::msg::decode($cnum, &frame.payload)?), )*
                    $( $dnum => Self::$data(frame.payload), )*
                    _ => return Ok(None),
                }))
            }
        }

        $( impl From<$control> for $name {
            fn from(message: $control) -> Self { Self::$control(message) }
        } )*
    };
}

pub(crate) use messages;
