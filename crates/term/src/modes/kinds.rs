//! The modes that have more than two values.

/// Which mouse events a program asked for. Setting one replaces another; resetting any of them
/// turns all off (as xterm and tmux do).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MouseMode {
    /// None.
    #[default]
    Off,
    /// 9: button presses only.
    X10,
    /// 1000: presses and releases.
    Normal,
    /// 1002: also motion while a button is down.
    Drag,
    /// 1003: also motion without a button.
    Motion,
}

impl MouseMode {
    /// The number of its private mode, 0 for off.
    pub fn number(self) -> u16 {
        match self {
            Self::Off => 0,
            Self::X10 => 9,
            Self::Normal => 1000,
            Self::Drag => 1002,
            Self::Motion => 1003,
        }
    }

    /// The mode of a number; `None` for a number that is none.
    pub fn from_number(number: u16) -> Option<Self> {
        Some(match number {
            0 => Self::Off,
            9 => Self::X10,
            1000 => Self::Normal,
            1002 => Self::Drag,
            1003 => Self::Motion,
            _ => return None,
        })
    }
}

/// How mouse events are spelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MouseEncoding {
    /// Three bytes; columns and rows up to 223.
    #[default]
    Default,
    /// 1005: the same in UTF-8; up to 2015.
    Utf8,
    /// 1006: decimal, releases told apart.
    Sgr,
    /// 1015: decimal after urxvt.
    Urxvt,
    /// 1016: as 1006, in pixels.
    SgrPixels,
}

impl MouseEncoding {
    /// The number of its private mode, 0 for the default.
    pub fn number(self) -> u16 {
        match self {
            Self::Default => 0,
            Self::Utf8 => 1005,
            Self::Sgr => 1006,
            Self::Urxvt => 1015,
            Self::SgrPixels => 1016,
        }
    }

    /// The encoding of a number; `None` for a number that is none.
    pub fn from_number(number: u16) -> Option<Self> {
        Some(match number {
            0 => Self::Default,
            1005 => Self::Utf8,
            1006 => Self::Sgr,
            1015 => Self::Urxvt,
            1016 => Self::SgrPixels,
            _ => return None,
        })
    }
}

/// Shape of the cursor (DECSCUSR).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CursorShape {
    /// What the viewer's terminal has.
    #[default]
    Default,
    /// A block.
    Block,
    /// A line below.
    Underline,
    /// A line before.
    Bar,
}
