//! What starts the keeper at login: the files, as text. Pure.
//!
//! In: the program, the variables that say where this instance lies. Out: a systemd user unit, or an XDG
//! autostart entry, and their names. Promises: every path survives the form's own quoting; the first
//! line says who wrote the file, so that nobody else's is overwritten.

use std::path::{Path, PathBuf};

/// The first line of every file.
pub const MARK: &str =
    "# Written by `abide service install`; `abide service uninstall` removes it.";

/// What the files are made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Service {
    /// The program.
    pub program: String,
    /// Variables that say where this instance lies: ABIDE_HOME, XDG folders.
    pub env: Vec<(String, String)>,
    /// The sealed home of this instance; none: the user's own.
    pub home: Option<String>,
}

/// What starts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The systemd user manager.
    Systemd,
    /// The desktop, at login.
    Autostart,
}

impl Kind {
    /// For people and JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Systemd => "systemd",
            Self::Autostart => "autostart",
        }
    }
}

impl Service {
    /// The name of the unit or entry, without its ending: sealed instances have one each.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.home {
            None => "abide".to_owned(),
            Some(home) => format!("abide-{:08x}", short(home.as_bytes())),
        }
    }

    /// Where the file lies below the configuration folder.
    #[must_use]
    pub fn file(&self, kind: Kind, config: &Path) -> PathBuf {
        match kind {
            Kind::Systemd => config.join(format!("systemd/user/{}.service", self.name())),
            Kind::Autostart => config.join(format!("autostart/{}.desktop", self.name())),
        }
    }

    /// What the file says.
    #[must_use]
    pub fn text(&self, kind: Kind) -> String {
        match kind {
            Kind::Systemd => self.unit(),
            Kind::Autostart => self.entry(),
        }
    }

    /// The keeper is restarted when it fails, not when it ends by itself. It starts the host through
    /// `systemd-run --user --scope`, so neither host nor panes are this unit's; `KillMode=process`
    /// spares them also where that was not possible.
    fn unit(&self) -> String {
        let env: String = self
            .env
            .iter()
            .map(|(name, value)| format!("Environment={}\n", systemd(&format!("{name}={value}"))))
            .collect();
        format!(
            "{MARK}
[Unit]
Description=abide: brings terminals and agents back
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
Type=exec
{env}ExecStart={} keeper run --service
Restart=on-failure
RestartSec=5
KillMode=process
TimeoutStopSec=20

[Install]
WantedBy=default.target
",
            systemd(&self.program).replace('$', "$$")
        )
    }

    fn entry(&self) -> String {
        let mut words: Vec<String> = Vec::new();
        if !self.env.is_empty() {
            words.push("env".to_owned());
            let set = self.env.iter();
            words.extend(set.map(|(name, value)| desktop(&format!("{name}={value}"))));
        }
        words.push(desktop(&self.program));
        let exec = words.join(" ");
        format!(
            "{MARK}
[Desktop Entry]
Type=Application
Name=abide
Comment=Brings terminals and agents back
Exec={exec} keeper start
Terminal=false
NoDisplay=true
"
        )
    }
}

/// A word as systemd reads it: quoted, `%` doubled (`$` means something in commands alone).
fn systemd(word: &str) -> String {
    let inner = word.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", inner.replace('%', "%%").replace('\n', "\\n"))
}

/// A word as a desktop entry reads it: quoted for the command line, and once more as a value.
fn desktop(word: &str) -> String {
    let mut quoted = String::new();
    for c in word.chars() {
        if matches!(c, '"' | '`' | '$' | '\\') {
            quoted.push('\\');
        }
        quoted.push(c);
        if c == '%' {
            quoted.push('%');
        }
    }
    format!("\"{}\"", quoted.replace('\\', "\\\\").replace('\n', "\\n"))
}

/// A short number for a path (FNV-1a), the same for ever: it stands in file names.
fn short(bytes: &[u8]) -> u32 {
    let step = |sum: u32, byte: &u8| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    bytes.iter().fold(0x811c_9dc5, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain() -> Service {
        Service {
            program: "/usr/bin/abide".to_owned(),
            ..Service::default()
        }
    }

    fn odd() -> Service {
        Service {
            program: "/opt/my \"tools\"/100%/$a/abide".to_owned(),
            env: vec![("ABIDE_HOME".to_owned(), "/srv/a b\\c%".to_owned())],
            home: Some("/srv/a b\\c%".to_owned()),
        }
    }

    #[test]
    fn the_unit() {
        let want = r#"# Written by `abide service install`; `abide service uninstall` removes it.
[Unit]
Description=abide: brings terminals and agents back
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
Type=exec
ExecStart="/usr/bin/abide" keeper run --service
Restart=on-failure
RestartSec=5
KillMode=process
TimeoutStopSec=20

[Install]
WantedBy=default.target
"#;
        assert_eq!(plain().text(Kind::Systemd), want);
        let odd = odd().text(Kind::Systemd);
        let line = |name: &str| odd.lines().find(|it| it.starts_with(name)).unwrap();
        assert_eq!(
            line("ExecStart"),
            r#"ExecStart="/opt/my \"tools\"/100%%/$$a/abide" keeper run --service"#
        );
        assert_eq!(
            line("Environment"),
            r#"Environment="ABIDE_HOME=/srv/a b\\c%%""#
        );
    }

    #[test]
    fn the_autostart_entry() {
        let want = r#"# Written by `abide service install`; `abide service uninstall` removes it.
[Desktop Entry]
Type=Application
Name=abide
Comment=Brings terminals and agents back
Exec="/usr/bin/abide" keeper start
Terminal=false
NoDisplay=true
"#;
        assert_eq!(plain().text(Kind::Autostart), want);
        let odd = odd().text(Kind::Autostart);
        let exec = odd.lines().find(|it| it.starts_with("Exec=")).unwrap();
        assert_eq!(
            exec,
            r#"Exec=env "ABIDE_HOME=/srv/a b\\\\c%%" "/opt/my \\"tools\\"/100%%/\\$a/abide" keeper start"#
        );
    }

    #[test]
    fn files_have_names_of_their_own() {
        let check = |service: &Service, kind: Kind, want: &str| {
            let file = service.file(kind, Path::new("/c"));
            assert_eq!(file, Path::new(want));
        };
        check(&plain(), Kind::Systemd, "/c/systemd/user/abide.service");
        check(&plain(), Kind::Autostart, "/c/autostart/abide.desktop");
        let sealed = odd();
        assert_eq!(sealed.name().len(), "abide-".len() + 8);
        assert_ne!(sealed.name(), plain().name());
    }
}
