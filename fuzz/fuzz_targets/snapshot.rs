//! Any bytes as a snapshot or a page, with the promises of its bounded twin.

#![no_main]

#[expect(dead_code, reason = "each target uses one of the checks")]
#[path = "../../crates/term/tests/checks/promises.rs"]
mod promises;

libfuzzer_sys::fuzz_target!(|data: &[u8]| promises::check_decode(data));
