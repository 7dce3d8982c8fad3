//! The user's webhook: a POST with the notice as JSON.
//!
//! Promises: each try ends after [`LIMIT`]; there are as many more as [`AGAIN`] has pauses, and only after
//! what may pass (no connection, no answer, 408, 429, 5xx); a redirect is told and not followed.

use crate::setup::Setup;
use crate::{Notice, Trouble, Url, curl, http};
use std::time::{Duration, Instant};

/// Longest time of a try.
pub(crate) const LIMIT: Duration = Duration::from_secs(10);
/// Pauses before further tries.
const AGAIN: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];

/// What an answer means.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    /// It was taken.
    Taken,
    /// It may be taken a little later.
    Later(String),
    /// It never will.
    Never(String),
}

/// Sends it.
pub(crate) fn send(setup: &Setup, address: &str, notice: &Notice) -> Result<(), Trouble> {
    let Some(url) = Url::parse(address) else {
        return Err(Trouble::new("`notify.webhook` is no http or https address"));
    };
    let body = notice.json().to_string();
    let mut pauses = AGAIN.into_iter();
    loop {
        let why = match once(setup, &url, &body) {
            Verdict::Taken => return Ok(()),
            Verdict::Never(why) => return Err(Trouble::new(why)),
            Verdict::Later(why) => why,
        };
        let Some(pause) = pauses.next() else {
            let tries = AGAIN.len() + 1;
            return Err(Trouble::new(format!("{why}; given up after {tries} tries")));
        };
        std::thread::sleep(pause);
    }
}

fn once(setup: &Setup, url: &Url, body: &str) -> Verdict {
    let until = Instant::now() + LIMIT;
    let answer = match url.secure {
        true => curl::post(setup, url, body, until).map_err(|e| e.why),
        false => {
            http::post(url, body, until).map_err(|e| format!("{url}: {}", sys::files::plain(&e)))
        }
    };
    match answer {
        Ok(status) => judge(url, status),
        Err(why) => Verdict::Later(why),
    }
}

fn judge(url: &Url, status: u16) -> Verdict {
    match status {
        200..=299 => Verdict::Taken,
        300..=399 => Verdict::Never(format!(
            "{url} answers {status}: it is somewhere else, where no notice is sent; name that place"
        )),
        408 | 429 | 500..=599 => Verdict::Later(format!("{url} answers {status}")),
        _ => Verdict::Never(format!("{url} answers {status}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_answer_means() {
        let url = Url::parse("http://a/secret").unwrap();
        let kind = |status| match judge(&url, status) {
            Verdict::Taken => "taken",
            Verdict::Later(_) => "later",
            Verdict::Never(why) => {
                assert!(!why.contains("secret"), "{why}");
                "never"
            }
        };
        for (status, want) in [
            (200, "taken"),
            (204, "taken"),
            (301, "never"),
            (307, "never"),
            (400, "never"),
            (404, "never"),
            (408, "later"),
            (429, "later"),
            (500, "later"),
            (503, "later"),
        ] {
            assert_eq!(kind(status), want, "{status}");
        }
    }
}
