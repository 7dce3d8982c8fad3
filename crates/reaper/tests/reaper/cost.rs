//! What a reaper costs while its pane does nothing: memory, and no wake-up ever.

use crate::support::{Pane, until};
use std::fs;

/// kB of `field` in a process's memory.
fn memory(pid: i32, field: &str) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap();
    let line = text.lines().find_map(|it| it.strip_prefix(field)).unwrap();
    line.trim_start_matches(':')
        .split_whitespace()
        .next()
        .unwrap()
        .parse()
        .unwrap()
}

#[test]
fn a_reaper_is_small_and_shows_its_name() {
    let mut pane = Pane::start(&["sleep", "1000"]);
    pane.started();
    let resident = memory(pane.reaper, "Rss");
    let limit = if crate::BUILD == "small" { 60 } else { 6_000 };
    assert!(resident <= limit, "{resident} kB resident");
    let name = fs::read_to_string(format!("/proc/{}/comm", pane.reaper)).unwrap();
    assert_eq!(name, "abide-reaper\n");
    let command = fs::read(format!("/proc/{}/cmdline", pane.reaper)).unwrap();
    assert!(command.starts_with(b"abide-reaper\0"));
    pane.end();
}

/// One system call that ends only when something happens: its time limit is a null.
#[test]
#[cfg(target_arch = "x86_64")]
fn an_idle_reaper_waits_without_a_timer() {
    let mut pane = Pane::start(&["sleep", "1000"]);
    pane.started();
    let mut last = String::new();
    until("a wait without a limit", || {
        last = fs::read_to_string(format!("/proc/{}/syscall", pane.reaper)).unwrap();
        let words: Vec<&str> = last.split(' ').collect();
        // ppoll(descriptors, 3, no limit, ..)
        words.len() > 4 && words[0] == "271" && words[2] == "0x3" && words[3] == "0x0"
    });
    pane.end();
}
