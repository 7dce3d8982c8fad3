//! `abide bench reaper` where reapers are not measured.

use crate::cmd::Ctx;
use crate::failure::Failure;

pub(super) fn run(_ctx: &Ctx, _rounds: u32) -> Result<(), Failure> {
    Err(Failure::new(
        "reapers are measured on Linux and macOS alone",
    ))
}
