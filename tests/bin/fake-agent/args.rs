//! The command line, and the file of switches that is read as if it stood in front of it.

use std::time::Duration;
use sys::process::Signal;

/// What it does when it is to open a conversation again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum OnResume {
    /// Opens it.
    #[default]
    Open,
    /// First a notice that wants Enter.
    Notice,
    /// Opens another one, a new one, in its place.
    Other,
    /// Says that it is not there.
    Lost,
    /// Ends with status 3 and these words; the number is how often, 0 for ever.
    Crash(u32, String),
}

/// What it does at SIGTERM and SIGHUP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum OnTerm {
    /// Removes its live file, ends with status 0.
    #[default]
    Exit,
    /// The same with status 143 or 129, as Claude Code.
    Status,
    /// Dies by the signal; its live file stays.
    Die,
    /// Nothing.
    Ignore,
}

/// What it was told.
#[derive(Clone, Debug)]
pub(crate) struct Args {
    pub(crate) session: Option<String>,
    pub(crate) resume: Option<String>,
    pub(crate) mode: String,
    /// The first prompt.
    pub(crate) prompt: Option<String>,
    pub(crate) headless: bool,
    pub(crate) print_version: bool,
    pub(crate) version: String,
    pub(crate) live: bool,
    pub(crate) lock: bool,
    pub(crate) silent: bool,
    pub(crate) launcher: bool,
    pub(crate) slow_start: Duration,
    pub(crate) on_resume: OnResume,
    pub(crate) on_term: OnTerm,
    /// Each turn's answer, in place of the usual one.
    pub(crate) answer: Option<String>,
}

impl Args {
    /// Reads the words, those of the settings file first. What it does not know is no error: real
    /// CLIs have more flags than a test needs.
    pub(crate) fn read(words: impl Iterator<Item = String>, settings: &str) -> Self {
        let mut args = Self {
            session: None,
            resume: None,
            mode: "default".to_owned(),
            prompt: None,
            headless: false,
            print_version: false,
            version: "1.0.0".to_owned(),
            live: true,
            lock: false,
            silent: false,
            launcher: false,
            slow_start: Duration::ZERO,
            on_resume: OnResume::Open,
            on_term: OnTerm::Exit,
            answer: None,
        };
        for line in settings.lines().map(str::trim).filter(|l| !l.is_empty()) {
            let (name, value) = line.split_once(' ').unwrap_or((line, ""));
            args.take(&format!("--{name}"), || Some(value.to_owned()));
        }
        let mut words = words;
        while let Some(word) = words.next() {
            if !args.take(&word, || words.next()) && !word.starts_with('-') {
                args.prompt = Some(word);
            }
        }
        args
    }

    fn take(&mut self, word: &str, mut value: impl FnMut() -> Option<String>) -> bool {
        match word {
            "--session-id" => self.session = value(),
            "--resume" => self.resume = value(),
            "--permission-mode" => self.mode = value().unwrap_or_default(),
            "--yolo" => self.mode = "bypassPermissions".to_owned(),
            "-p" => self.headless = true,
            "--version" => self.print_version = true,
            "--version-number" => self.version = value().unwrap_or_default(),
            "--no-live" => self.live = false,
            "--lock" => self.lock = true,
            "--silent" => self.silent = true,
            "--launcher" => self.launcher = true,
            "--answer" => self.answer = value(),
            "--slow-start" => {
                let millis = value().and_then(|v| v.parse().ok());
                self.slow_start = Duration::from_millis(millis.unwrap_or_default());
            }
            "--on-resume" => self.on_resume = on_resume(&value().unwrap_or_default()),
            "--on-term" => self.on_term = on_term(&value().unwrap_or_default()),
            _ => return false,
        }
        true
    }

    /// The signals it wants to hear of.
    pub(crate) fn signals(&self) -> Vec<Signal> {
        match self.on_term {
            OnTerm::Ignore => vec![Signal::INT],
            _ => vec![Signal::INT, Signal::TERM, Signal::HUP],
        }
    }
}

/// `notice`, `other`, `lost`, `crash[:TIMES[:WORDS]]`, anything else: opens.
fn on_resume(text: &str) -> OnResume {
    let mut parts = text.splitn(3, ':');
    match parts.next() {
        Some("notice") => OnResume::Notice,
        Some("other") => OnResume::Other,
        Some("lost") => OnResume::Lost,
        Some("crash") => {
            let times = parts.next().and_then(|n| n.parse().ok()).unwrap_or(0);
            let words = parts.next().unwrap_or("fake-agent: the store is upset");
            OnResume::Crash(times, words.to_owned())
        }
        _ => OnResume::Open,
    }
}

fn on_term(text: &str) -> OnTerm {
    match text {
        "status" => OnTerm::Status,
        "die" => OnTerm::Die,
        "ignore" => OnTerm::Ignore,
        _ => OnTerm::Exit,
    }
}
