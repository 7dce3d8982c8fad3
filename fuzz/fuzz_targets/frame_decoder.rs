//! Any bytes through the frame decoder, with the promises of its bounded twin.

#![no_main]

#[expect(dead_code, reason = "each target uses one of the checks")]
#[path = "../../crates/protocol/tests/checks/mod.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::check_frame_decoder(data));
