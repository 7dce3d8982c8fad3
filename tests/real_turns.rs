//! `abide ask` with the real agents, against the scripted model: an answer with a tool call and a
//! permission, and turns that are cut at seven points together with their host.
//!
//! What is sent is counted at the model. Claude Code and Codex run for every change; the others take
//! minutes and more than a gigabyte, so only with `ABIDE_TEST_ALL_CLIS=1`, as `.ci/long` sets it; left
//! out with a line that says so.

#![cfg(test)]

#[path = "real_turns/answer.rs"]
mod answer;
#[path = "real_turns/cut.rs"]
mod cut;
#[path = "real_turns/points.rs"]
mod points;
#[path = "real_turns/rig.rs"]
mod rig;
