//! A panic is a defect of ours; the user gets one line that names the place.

use crate::out::say;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

/// Runs `body`; a panic in it becomes one line and exit code 1.
///
/// The host replaces the hook by one that writes to its log.
pub fn against_panics(body: impl FnOnce() -> ExitCode) -> ExitCode {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        let what = info.payload_as_str().unwrap_or("no message");
        say(&format!(
            "a defect in abide was met at {place}: {what}. Your panes are not affected; please report this line."
        ));
    }));
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(ExitCode::FAILURE)
}
