//! Whatever is on the screen, its rendering shows it on another terminal, with the promises of its
//! bounded twin.

#![no_main]

#[expect(dead_code, reason = "each target uses one of the checks")]
#[path = "../../crates/term/tests/checks/promises.rs"]
mod promises;

libfuzzer_sys::fuzz_target!(|data: &[u8]| promises::check_render(data));
