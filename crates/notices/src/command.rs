//! The user's command: the notice in its environment, and as JSON on its standard input.
//!
//! Promises: it runs below a reaper, [`LIMIT`] at most, and nothing that it started is left afterwards.

use crate::setup::Setup;
use crate::{Notice, Trouble};
use reaper::Use;
use std::fs::File;
use std::io::Write;
use std::time::Duration;
use sys::process::Status;

/// Longest time a command may take.
pub(crate) const LIMIT: Duration = Duration::from_secs(10);

/// Runs it to its end.
pub(crate) fn run(
    setup: &Setup,
    argv: &[String],
    notice: &Notice,
    limit: Duration,
) -> Result<(), Trouble> {
    let program = argv.first().map_or("", String::as_str);
    let words = argv.iter().map(Into::into).collect();
    let using = [Use::Pipe, Use::Null, Use::Null];
    let mut child = setup
        .start(words, notice.variables(), using)
        .map_err(|e| Trouble::new(e.to_string()))?;
    child.started().map_err(Trouble::new)?;
    if let Some(stdin) = child.stdin.take() {
        // A notice fits into the pipe, so this waits for nobody; a command need not read it.
        let _unread = File::from(stdin).write_all(format!("{}\n", notice.json()).as_bytes());
    }
    match child.wait(Some(limit)) {
        Some(Status::Exited(0)) => Ok(()),
        Some(Status::Exited(code)) => Err(Trouble::new(format!("`{program}` exits {code}"))),
        Some(Status::Killed(signal)) => Err(Trouble::new(format!(
            "`{program}` was ended by signal {signal}"
        ))),
        Some(_) | None => {
            child.end();
            let seconds = limit.as_secs();
            Err(Trouble::new(format!(
                "`{program}` had not ended after {seconds} s and was ended"
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sys::process::Identity;

    /// What comes of a shell script, and the folder it ran in.
    fn script(text: &str, limit: Duration) -> (Result<(), Trouble>, tempfile::TempDir) {
        let home = tempfile::tempdir().unwrap();
        let env = [
            ("PATH", std::env::var_os("PATH").unwrap_or_default()),
            ("HOME", home.path().into()),
            ("ABIDE_PANE", "p9".into()),
        ];
        let env = env.map(|(name, value)| (name.into(), value));
        let setup = Setup::new(home.path(), env);
        let argv = ["sh", "-c", text].map(str::to_owned);
        let notice = Notice {
            pane: "p3".to_owned(),
            name: "it's \"me\" $HOME".to_owned(),
            state: "needs_input".to_owned(),
            ..Notice::default()
        };
        (run(&setup, &argv, &notice, limit), home)
    }

    #[test]
    fn it_gets_the_notice_twice_and_is_in_no_pane() {
        let text = "cat > json; printf '%s|%s|%s' \"$ABIDE_NOTICE_NAME\" \"$ABIDE_NOTICE_STATE\" \"$ABIDE_PANE\" > env";
        let (result, home) = script(text, LIMIT);
        assert_eq!(result, Ok(()));
        let read = |name: &str| std::fs::read_to_string(home.path().join(name)).unwrap();
        assert_eq!(read("env"), "it's \"me\" $HOME|needs_input|");
        let json: serde_json::Value = serde_json::from_str(&read("json")).unwrap();
        assert_eq!(json["name"], "it's \"me\" $HOME");
        assert_eq!(json["pane"], "p3");
    }

    #[test]
    fn how_it_ends_is_told() {
        let why = |text: &str| script(text, LIMIT).0.unwrap_err().why;
        assert_eq!(why("exit 3"), "`sh` exits 3");
        assert_eq!(why("kill -9 $$"), "`sh` was ended by signal 9");
        let home = tempfile::tempdir().unwrap();
        let setup = Setup::new(home.path(), []);
        let argv = ["/nowhere/hook".to_owned()];
        let missing = run(&setup, &argv, &Notice::default(), LIMIT).unwrap_err();
        assert!(missing.why.contains("/nowhere/hook"), "{missing}");
    }

    /// Whatever it started ends with it, in whatever session.
    #[test]
    fn one_that_hangs_is_ended_with_all_it_started() {
        let text =
            "setsid sleep 1000 & echo $! > child; echo $$ > parent; trap '' TERM; wait; sleep 1000";
        let (result, home) = script(text, Duration::from_secs(3));
        let why = result.unwrap_err().why;
        assert_eq!(why, "`sh` had not ended after 3 s and was ended");
        for name in ["child", "parent"] {
            // On a machine that is busy enough it had not come so far.
            let pid = std::fs::read_to_string(home.path().join(name)).unwrap_or_default();
            let process = pid.trim().parse().ok().and_then(Identity::of);
            let gone = process.is_none_or(|it| it.wait_gone(Duration::from_secs(60)));
            assert!(gone, "{name} {pid}");
        }
    }
}
