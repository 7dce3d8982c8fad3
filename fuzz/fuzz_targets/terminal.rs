//! Any bytes, cut anywhere, at any size, on both engines, with the promises of its bounded twin.

#![no_main]

#[expect(dead_code, reason = "each target uses one of the checks")]
#[path = "../../crates/term/tests/checks/promises.rs"]
mod promises;

use term::EngineKind;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    promises::check_advance(EngineKind::Grid, data);
    promises::check_advance(EngineKind::Vt100, data);
});
