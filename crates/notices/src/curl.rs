//! One POST over HTTPS, by the `curl` that is installed.
//!
//! TLS with its certificates is the system's to keep up to date, not this program's. Promises: address and
//! notice stand on curl's standard input, never in its arguments, which every user may read; no redirect is
//! followed, no file of the user's is read for settings.

use crate::setup::Setup;
use crate::{Trouble, Url};
use reaper::Use;
use std::fs::File;
use std::io::{Read, Write};
use std::time::{Duration, Instant};
use sys::process::Status;

/// Longest answer of ours that is read: a number.
const MAX_ANSWER: u64 = 64;
/// What curl is given beyond its own limit to end.
const GRACE: Duration = Duration::from_secs(2);

/// The status it was answered with.
pub(crate) fn post(setup: &Setup, url: &Url, body: &str, until: Instant) -> Result<u16, Trouble> {
    let left = until.saturating_duration_since(Instant::now());
    let using = [Use::Pipe, Use::Pipe, Use::Null];
    let argv = ["curl", "--disable", "--config", "-"].map(Into::into);
    let mut child = setup
        .start(argv.into(), Vec::new(), using)
        .map_err(|e| Trouble::new(e.to_string()))?;
    child
        .started()
        .map_err(|why| Trouble::new(format!("https needs the program `curl`: {why}")))?;
    let seconds = left.as_secs().max(1);
    if let Some(stdin) = child.stdin.take() {
        let _gone = File::from(stdin).write_all(config(url, body, seconds).as_bytes());
    }
    let status = child.wait(Some(left + GRACE));
    let mut answer = String::new();
    match (status, child.stdout.take()) {
        (Some(Status::Exited(0)), Some(stdout)) => {
            let _cut = File::from(stdout)
                .take(MAX_ANSWER)
                .read_to_string(&mut answer);
            let code = answer.trim().parse().ok();
            code.ok_or_else(|| Trouble::new(format!("{url}: curl told no status")))
        }
        (Some(Status::Exited(28)) | None, _) => {
            child.end();
            Err(Trouble::new(format!("{url}: it did not answer in time")))
        }
        (Some(Status::Exited(code)), _) => Err(Trouble::new(format!(
            "{url}: curl exits {code} ({})",
            meaning(code)
        ))),
        _ => Err(Trouble::new(format!("{url}: curl was ended"))),
    }
}

/// What curl reads.
fn config(url: &Url, body: &str, seconds: u64) -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "url = {}\ndata-raw = {}\nheader = \"Content-Type: application/json\"\n\
         user-agent = \"abide/{version}\"\nmax-time = {seconds}\nproto = \"=https\"\n\
         max-redirs = 0\ngloboff\nsilent\noutput = \"/dev/null\"\nwrite-out = \"%{{http_code}}\"\n",
        quoted(&url.whole()),
        quoted(body)
    )
}

/// A value in curl's own quotes.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The statuses of curl that users meet.
const fn meaning(code: i32) -> &'static str {
    match code {
        5 | 6 => "the name has no address",
        7 => "nothing takes the connection",
        35 => "no TLS with it",
        52 => "an empty answer",
        56 => "the connection broke",
        60 => "its certificate is not trusted",
        _ => "see curl's manual",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_curl_reads() {
        let url = Url::parse("https://hooks.example/T0?x=[1]").unwrap();
        let text = config(&url, "{\"a\":\"b\\n\"}", 7);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], r#"url = "https://hooks.example/T0?x=[1]""#);
        assert_eq!(lines[1], r#"data-raw = "{\"a\":\"b\\n\"}""#);
        for line in [
            "max-time = 7",
            "proto = \"=https\"",
            "max-redirs = 0",
            "globoff",
            "silent",
            "write-out = \"%{http_code}\"",
        ] {
            assert!(lines.contains(&line), "{line} in {text}");
        }
    }

    #[test]
    fn nothing_ends_a_value_early() {
        assert_eq!(quoted("a\"b\\c\nd\te\r"), r#""a\"b\\c\nd\te\r""#);
    }
}
