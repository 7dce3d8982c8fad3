//! How the outer terminal is told that a pane waits.
//!
//! In: the setting, the environment, a notice. Out: bytes. Promises: the sequence is one the terminal is
//! known to show, else the bell; what stands in it is one short line that can act on nothing; inside tmux or
//! screen it is wrapped so that the terminal around gets it, where tmux lets that through.

use link::notes::NoticeNote;
use protocol::msg::Bytes;

/// Most characters of a notice.
const MAX: usize = 300;
const BELL: &str = "\x07";

/// How a client tells its terminal that a pane waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tell {
    /// As the terminal can, as far as its environment says.
    #[default]
    Auto,
    /// OSC 9, as iTerm2 has it.
    Osc9,
    /// OSC 777, as rxvt-unicode has it.
    Osc777,
    /// OSC 99, as kitty has it.
    Osc99,
    /// The bell.
    Bell,
    /// Not at all.
    Off,
}

/// What stands between this client and the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Around {
    Nothing,
    Tmux,
    Screen,
}

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Teller {
    setting: Tell,
    /// What [`Tell::Auto`] comes to.
    auto: Tell,
    around: Around,
    /// The terminal is on this machine, as its desktop is.
    local: bool,
}

/// Terminals by their names in `TERM`, and what they show.
const BY_TERM: [(&str, Tell); 6] = [
    ("xterm-kitty", Tell::Osc99),
    ("xterm-ghostty", Tell::Osc777),
    ("ghostty", Tell::Osc777),
    ("foot", Tell::Osc777),
    ("wezterm", Tell::Osc777),
    ("rxvt-unicode", Tell::Osc777),
];
/// The same by what they call themselves in `TERM_PROGRAM`.
const BY_PROGRAM: [(&str, Tell); 5] = [
    ("iTerm.app", Tell::Osc9),
    ("WezTerm", Tell::Osc777),
    ("ghostty", Tell::Osc777),
    ("WarpTerminal", Tell::Osc777),
    ("abide", Tell::Osc777),
];
/// The same by variables they set, which tmux passes on from the terminal it was started in.
const BY_VARIABLE: [(&str, Tell); 3] = [
    ("KITTY_WINDOW_ID", Tell::Osc99),
    ("GHOSTTY_RESOURCES_DIR", Tell::Osc777),
    ("WEZTERM_PANE", Tell::Osc777),
];

impl Teller {
    /// By the setting, for the terminal whose environment this is.
    pub(crate) fn of(setting: Tell, env: &[(Bytes, Bytes)]) -> Self {
        let get = |name: &str| {
            let found = env.iter().rfind(|(key, _)| key == name.as_bytes());
            found.map_or("", |(_, value)| std::str::from_utf8(value).unwrap_or(""))
        };
        let term = get("TERM");
        let around = match () {
            () if !get("TMUX").is_empty() || term.starts_with("tmux") => Around::Tmux,
            () if !get("STY").is_empty() || term.starts_with("screen") => Around::Screen,
            () => Around::Nothing,
        };
        let ssh = ["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"];
        Self {
            setting,
            auto: auto(around, &get),
            around,
            local: ssh.iter().all(|name| get(name).is_empty()),
        }
    }

    /// Bytes that tell it; none: it is not told here.
    pub(crate) fn bytes(self, pane: u32, note: &NoticeNote) -> String {
        let desktop = note.passed == NoticeNote::DESKTOP;
        if !desktop && note.passed != NoticeNote::TERMINAL {
            return String::new();
        }
        let how = match self.setting {
            // The same screen would show it twice.
            Tell::Auto if desktop && self.local => Tell::Bell,
            Tell::Auto => self.auto,
            setting => setting,
        };
        let text = words(note);
        let told = match how {
            Tell::Off => return String::new(),
            Tell::Auto | Tell::Bell => return BELL.to_owned(),
            // A number at its beginning would make it another command.
            Tell::Osc9 => format!("\x1b]9;abide: {text}\x07"),
            Tell::Osc777 => format!("\x1b]777;notify;abide;{text}\x07"),
            Tell::Osc99 => {
                let id = format!("i=abide-p{pane}");
                format!("\x1b]99;{id}:d=0;abide\x07\x1b]99;{id}:p=body;{text}\x07")
            }
        };
        match self.around {
            Around::Nothing => told,
            // The bell too: whether tmux lets it through is the user's choice there.
            Around::Tmux => format!("\x1bPtmux;{}\x1b\\{BELL}", told.replace('\x1b', "\x1b\x1b")),
            Around::Screen => format!("\x1bP{told}\x1b\\"),
        }
    }
}

fn auto<'a>(around: Around, get: &dyn Fn(&str) -> &'a str) -> Tell {
    let set = BY_VARIABLE.iter().find(|(name, _)| !get(name).is_empty());
    let known = match (get("LC_TERMINAL"), set) {
        ("iTerm2", _) => Some(Tell::Osc9),
        (_, set) => set.map(|(_, tell)| *tell),
    };
    match around {
        Around::Screen => Tell::Bell,
        // Its own names hide those of the terminal.
        Around::Tmux => known.unwrap_or(Tell::Bell),
        Around::Nothing => {
            let term = get("TERM");
            let begins = |name: &&str| {
                let rest = term.strip_prefix(name);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.']))
            };
            let program = get("TERM_PROGRAM");
            let by_term = BY_TERM.iter().find(|(name, _)| begins(name));
            let by_program = || BY_PROGRAM.iter().find(|(name, _)| *name == program);
            let named = by_term.or_else(by_program).map(|(_, tell)| *tell);
            named.or(known).unwrap_or(Tell::Bell)
        }
    }
}

/// The notice in one line.
fn words(note: &NoticeNote) -> String {
    let says = match note.state.as_str() {
        "done" => "is done",
        _ => "needs input",
    };
    let lines: Vec<&str> = note.screen.lines().collect();
    let mut text = format!("{} {says}", note.name);
    if !lines.is_empty() {
        text = format!("{text}: {}", lines.join(" | "));
    }
    let acts = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().filter(|c| !acts(*c)).take(MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn teller(setting: Tell, vars: &[(&str, &str)]) -> Teller {
        let vars = vars.iter().map(|(k, v)| ((*k).into(), (*v).into()));
        Teller::of(setting, &vars.collect::<Vec<_>>())
    }

    fn note(passed: &str) -> NoticeNote {
        NoticeNote {
            state: "needs_input".to_owned(),
            at: 1,
            passed: passed.to_owned(),
            name: "web/claude".to_owned(),
            screen: String::new(),
        }
    }

    const OSC9: &str = "\x1b]9;abide: web/claude needs input\x07";
    const OSC777: &str = "\x1b]777;notify;abide;web/claude needs input\x07";
    const OSC99: &str =
        "\x1b]99;i=abide-p3:d=0;abide\x07\x1b]99;i=abide-p3:p=body;web/claude needs input\x07";

    #[test]
    fn the_sequence_is_one_the_terminal_shows() {
        for (vars, want) in [
            (&[("TERM", "xterm-kitty")][..], OSC99),
            (
                &[("TERM", "xterm-256color"), ("KITTY_WINDOW_ID", "1")],
                OSC99,
            ),
            (&[("TERM", "xterm-ghostty")], OSC777),
            (&[("TERM", "foot-extra")], OSC777),
            (&[("TERM", "rxvt-unicode-256color")], OSC777),
            (
                &[("TERM", "xterm-256color"), ("TERM_PROGRAM", "iTerm.app")],
                OSC9,
            ),
            (
                &[("TERM", "xterm-256color"), ("LC_TERMINAL", "iTerm2")],
                OSC9,
            ),
            (
                &[("TERM", "xterm-256color"), ("TERM_PROGRAM", "WezTerm")],
                OSC777,
            ),
            (
                &[("TERM", "xterm-256color"), ("TERM_PROGRAM", "abide")],
                OSC777,
            ),
            (
                &[("TERM", "xterm-256color"), ("TERM_PROGRAM", "vscode")],
                BELL,
            ),
            (&[("TERM", "xterm-256color")], BELL),
            (&[("TERM", "footwear")], BELL),
            (&[("TERM", "linux")], BELL),
            (&[], BELL),
            (
                &[
                    ("TERM", "screen"),
                    ("STY", "1.pts"),
                    ("LC_TERMINAL", "iTerm2"),
                ],
                BELL,
            ),
            (&[("TERM", "tmux-256color"), ("TERM_PROGRAM", "tmux")], BELL),
        ] {
            let told = teller(Tell::Auto, vars).bytes(3, &note("terminal"));
            assert_eq!(told, want, "{vars:?}");
        }
    }

    #[test]
    fn multiplexers_pass_it_through() {
        let vars = [
            ("TERM", "screen-256color"),
            ("TMUX", "/tmp/tmux-0/default,1,0"),
            ("KITTY_WINDOW_ID", "1"),
        ];
        let told = teller(Tell::Auto, &vars).bytes(3, &note("terminal"));
        let inside = OSC99.replace('\x1b', "\x1b\x1b");
        assert_eq!(told, format!("\x1bPtmux;{inside}\x1b\\\x07"));
        let told = teller(Tell::Osc9, &[("TERM", "screen")]).bytes(3, &note("terminal"));
        assert_eq!(told, format!("\x1bP{OSC9}\x1b\\"));
    }

    #[test]
    fn one_screen_shows_it_once() {
        let kitty = ("TERM", "xterm-kitty");
        let far = [kitty, ("SSH_CONNECTION", "a 1 b 22")];
        for (setting, vars, passed, want) in [
            (Tell::Auto, &[kitty][..], "terminal", OSC99),
            (Tell::Auto, &[kitty], "desktop", BELL),
            (Tell::Auto, &far, "desktop", OSC99),
            (Tell::Auto, &[kitty], "trying", ""),
            (Tell::Auto, &[kitty], "seen", ""),
            (Tell::Auto, &[kitty], "", ""),
            (Tell::Osc777, &[kitty], "desktop", OSC777),
            (Tell::Bell, &far, "terminal", BELL),
            (Tell::Off, &far, "terminal", ""),
            (Tell::Osc9, &far, "seen", ""),
        ] {
            let told = teller(setting, vars).bytes(3, &note(passed));
            assert_eq!(told, want, "{setting:?} {vars:?} {passed}");
        }
    }

    #[test]
    fn the_text_acts_on_nothing_and_is_short() {
        let hostile = NoticeNote {
            name: format!("a\x07\x1b]0;x\x1b\\\u{9c}\u{202e}{}", "n".repeat(2_000)),
            screen: "one\ntwo".to_owned(),
            ..note("terminal")
        };
        let told = teller(Tell::Osc9, &[("TERM", "xterm")]).bytes(3, &hostile);
        let text = told.strip_prefix("\x1b]9;abide: ").unwrap();
        let text = text.strip_suffix('\x07').unwrap();
        assert!(text.starts_with("a]0;x\\nnn") && !text.chars().any(char::is_control));
        assert_eq!(text.chars().count(), MAX);
        let asked = NoticeNote {
            screen: "Run it?\n1. yes".to_owned(),
            state: "done".to_owned(),
            ..note("terminal")
        };
        assert_eq!(words(&asked), "web/claude is done: Run it? | 1. yes");
    }
}
