//! What the outer terminal can show, as far as its environment tells.
//!
//! In: `TERM`, `COLORTERM` and a few variables terminals set. Out: what the last step may use, and the nearest of 256 colours.
//! Promises: nothing more is asked of the terminal, so the first frame waits for nothing; what it
//! cannot show is left out or made simpler, never shown as garbage.

use protocol::msg::Bytes;
use term::{Colour, PictureKind};

/// Terminals of true colour by their names; others say so in `COLORTERM`.
const TRUE_COLOUR: [&str; 9] = [
    "xterm-kitty",
    "xterm-ghostty",
    "ghostty",
    "alacritty",
    "foot",
    "wezterm",
    "contour",
    "rio",
    "iterm2",
];
/// Terminals that may show a sequence they do not know, or take it for another.
const PLAIN: [&str; 7] = [
    "dumb", "linux", "cons25", "ansi", "sun", "wsvt25", "unknown",
];

/// Terminals that draw kitty's pictures, by their names.
const KITTY_PICTURES: [&str; 3] = ["xterm-kitty", "xterm-ghostty", "ghostty"];
/// Terminals that draw iTerm2's, by what they call themselves in `TERM_PROGRAM`.
const FILES: [&str; 3] = ["iTerm.app", "WezTerm", "mintty"];

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ability {
    /// True colour.
    pub(crate) rgb: bool,
    /// Underlines of other shapes and colours, told with sub-parameters.
    pub(crate) shapes: bool,
    /// Hyperlinks.
    pub(crate) links: bool,
    /// Sixel pictures; no name tells, but the answer to DA1 does.
    pub(crate) sixel: bool,
    /// kitty's pictures.
    pub(crate) kitty: bool,
    /// iTerm2's pictures.
    pub(crate) files: bool,
}

impl Default for Ability {
    fn default() -> Self {
        Self {
            rgb: true,
            shapes: true,
            links: true,
            sixel: false,
            kitty: false,
            files: false,
        }
    }
}

impl Ability {
    /// Of the terminal whose environment this is.
    pub(crate) fn of(env: &[(Bytes, Bytes)]) -> Self {
        let get = |name: &str| {
            let found = env.iter().find(|(key, _)| key == name.as_bytes());
            found.map_or("", |(_, value)| std::str::from_utf8(value).unwrap_or(""))
        };
        let (term, colours) = (get("TERM"), get("COLORTERM"));
        let named = |list: &[&str]| {
            list.iter().any(|name| {
                term.strip_prefix(name)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.']))
            })
        };
        // Their variables are of the terminal around them, which they do not let through to.
        let inner = named(&["tmux", "screen"]);
        let plain = term.is_empty() || named(&PLAIN) || term.starts_with("vt");
        Self {
            rgb: matches!(colours, "truecolor" | "24bit")
                || term.ends_with("-direct")
                || named(&TRUE_COLOUR),
            shapes: !plain,
            links: !plain,
            sixel: false,
            kitty: !inner && (named(&KITTY_PICTURES) || !get("KITTY_WINDOW_ID").is_empty()),
            files: !inner
                && (FILES.contains(&get("TERM_PROGRAM")) || get("LC_TERMINAL") == "iTerm2"),
        }
    }

    /// Whether it shows pictures of this kind.
    pub(crate) fn shows(self, kind: PictureKind) -> bool {
        match kind {
            PictureKind::Sixel => self.sixel,
            PictureKind::Kitty => self.kitty,
            PictureKind::File => self.files,
        }
    }

    /// The colour, or the nearest that can be shown.
    pub(crate) fn colour(self, colour: Colour) -> Colour {
        match colour {
            Colour::Rgb(r, g, b) if !self.rgb => Colour::Indexed(nearest(r, g, b)),
            colour => colour,
        }
    }
}

/// Red, green and blue of the palette's cube (16-231).
const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// The nearest colour of xterm's palette; the first 16 are left out, since users change them.
fn nearest(r: u8, g: u8, b: u8) -> u8 {
    let level = |value: u8| {
        let distance = |index: &u8| LEVELS[usize::from(*index)].abs_diff(value);
        (0..6).min_by_key(distance).unwrap_or(0)
    };
    let distance = |to: (u8, u8, u8)| {
        let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
        square(to.0, r) + square(to.1, g) + square(to.2, b)
    };
    let (x, y, z) = (level(r), level(g), level(b));
    let cube = [x, y, z].map(|index| LEVELS[usize::from(index)]);
    let mean = (u16::from(r) + u16::from(g) + u16::from(b)) / 3;
    let step = u8::try_from(mean.saturating_sub(3) / 10)
        .unwrap_or(23)
        .min(23);
    let grey = 8 + 10 * step;
    if distance((grey, grey, grey)) < distance((cube[0], cube[1], cube[2])) {
        232 + step
    } else {
        16 + 36 * x + 6 * y + z
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_tells_what_can_be_shown() {
        let of = |term: &str, colours: &str| {
            let entry = |key: &str, value: &str| (key.into(), value.into());
            let ability = Ability::of(&[entry("TERM", term), entry("COLORTERM", colours)]);
            (ability.rgb, ability.shapes && ability.links)
        };
        for (term, colours, want) in [
            ("xterm-256color", "", (false, true)),
            ("xterm-256color", "truecolor", (true, true)),
            ("xterm-256color", "24bit", (true, true)),
            ("xterm-256color", "yes", (false, true)),
            ("xterm-kitty", "", (true, true)),
            ("xterm-direct", "", (true, true)),
            ("foot-extra", "", (true, true)),
            ("footwear", "", (false, true)),
            ("tmux-256color", "", (false, true)),
            ("linux", "", (false, false)),
            ("linux-16color", "truecolor", (true, false)),
            ("dumb", "", (false, false)),
            ("vt220", "", (false, false)),
            ("", "", (false, false)),
        ] {
            assert_eq!(of(term, colours), want, "TERM={term} COLORTERM={colours}");
        }
    }

    #[test]
    fn pictures_are_for_those_that_say_so() {
        let of = |vars: &[(&str, &str)]| {
            let vars = vars.iter().map(|(k, v)| ((*k).into(), (*v).into()));
            let ability = Ability::of(&vars.collect::<Vec<_>>());
            (ability.sixel, ability.kitty, ability.files)
        };
        for (vars, want) in [
            (&[("TERM", "xterm-256color")][..], (false, false, false)),
            (&[("TERM", "xterm-kitty")], (false, true, false)),
            (&[("TERM", "xterm-ghostty")], (false, true, false)),
            (
                &[("TERM", "xterm-256color"), ("KITTY_WINDOW_ID", "1")],
                (false, true, false),
            ),
            (
                &[("TERM", "xterm-256color"), ("TERM_PROGRAM", "WezTerm")],
                (false, false, true),
            ),
            (
                &[("TERM", "xterm-256color"), ("LC_TERMINAL", "iTerm2")],
                (false, false, true),
            ),
            (
                &[
                    ("TERM", "tmux-256color"),
                    ("KITTY_WINDOW_ID", "1"),
                    ("LC_TERMINAL", "iTerm2"),
                ],
                (false, false, false),
            ),
            (
                &[("TERM", "screen-256color"), ("TERM_PROGRAM", "iTerm.app")],
                (false, false, false),
            ),
        ] {
            assert_eq!(of(vars), want, "{vars:?}");
        }
        assert!(
            Ability {
                sixel: true,
                ..Ability::default()
            }
            .shows(PictureKind::Sixel)
        );
    }

    /// xterm's 256colres.pl.
    #[test]
    fn the_nearest_of_256_colours() {
        for ((r, g, b), want) in [
            ((0, 0, 0), 16),
            ((255, 255, 255), 231),
            ((255, 0, 0), 196),
            ((95, 135, 175), 67),
            ((250, 130, 10), 208),
            ((8, 8, 8), 232),
            ((127, 127, 127), 244),
            ((238, 238, 238), 255),
            ((200, 60, 200), 170),
        ] {
            assert_eq!(nearest(r, g, b), want, "{r},{g},{b}");
        }
    }
}
