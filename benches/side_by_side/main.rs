//! abide and tmux on the same work, in one run: interleaved pairs, medians, ratios.
//!
//! In: `--pairs N` (default 9), `--only ROW`. Out: one line a row on stdout, with what is wanted.
//! Promises: both peers get the same script, the same pty size and the same generated input; values
//! are medians over interleaved pairs and a ratio is the median of the pairs' ratios, so that a busy
//! moment hits both. A flood is also compared with a pty that is only drained. Nothing is asserted: a row
//! informs, it does not fail. Where tmux is missing the rows say so.

#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a bench talks, and stops where it cannot go on"
)]

mod peers;
mod rows;
mod screen;

use peers::{Abide, Peer, Tmux};
use rows::{Beside, Goal, Kind};

/// One measured row: the value for each peer in each pair.
struct Row {
    kind: &'static Kind,
    abide: Vec<f64>,
    tmux: Vec<f64>,
    beside: Vec<f64>,
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The middle one of the ratios within each pair: a busy moment hits both of a pair.
fn ratio(ours: &[f64], theirs: &[f64]) -> f64 {
    let ratios: Vec<f64> = ours.iter().zip(theirs).map(|(a, b)| a / b).collect();
    median(&ratios)
}

impl Row {
    fn measure(kind: &'static Kind, pairs: usize, has_tmux: bool) -> Self {
        let mut row = Self {
            kind,
            abide: Vec::new(),
            tmux: Vec::new(),
            beside: Vec::new(),
        };
        let none = || f64::NAN;
        for _ in 0..pairs {
            let ours = (kind.measure)(&mut Abide::start());
            row.abide.push(ours.unwrap_or_else(none));
            if has_tmux {
                let theirs = (kind.measure)(&mut Tmux::start());
                row.tmux.push(theirs.unwrap_or_else(none));
            }
            let beside = match kind.beside {
                Beside::Nobody => continue,
                Beside::Drain => rows::drain(),
                Beside::Abide(_, measure) => measure(&mut Abide::start()),
            };
            row.beside.push(beside.unwrap_or_else(none));
        }
        row
    }

    fn print(&self) {
        let Kind { name, unit, .. } = self.kind;
        let ours = median(&self.abide);
        print!("{name:<42} abide {ours:>9.3} {unit}");
        if let Goal::ValueAtMost(most) = self.kind.goal {
            print!(" (goal <= {most})");
        }
        self.against("tmux", &self.tmux, self.kind.goal);
        let other = match self.kind.beside {
            Beside::Nobody => "",
            Beside::Drain => "drain",
            Beside::Abide(what, _) => what,
        };
        self.against(other, &self.beside, self.kind.beside_goal);
        println!("; {} pairs", self.abide.len());
    }

    fn against(&self, other: &str, values: &[f64], goal: Goal) {
        if values.is_empty() {
            return;
        }
        let ratio = ratio(&self.abide, values);
        print!("; {other} {:.3}, ratio {ratio:.2}", median(values));
        match goal {
            Goal::AtLeast(least) => print!(" (goal >= {least})"),
            Goal::AtMost(most) => print!(" (goal <= {most})"),
            Goal::Open | Goal::ValueAtMost(_) => {}
        }
    }
}

fn option(name: &str) -> Option<String> {
    let mut args = std::env::args().skip_while(|a| a != name);
    args.next()?;
    args.next()
}

fn main() {
    // `cargo test` also starts bench binaries; they have nothing to check there.
    if std::env::args().any(|a| a == "--test" || a == "--list") {
        return;
    }
    let pairs = option("--pairs").and_then(|n| n.parse().ok()).unwrap_or(9);
    let only = option("--only");
    let wanted = |name: &str| only.as_deref().is_none_or(|o| name.contains(o));
    let has_tmux = std::process::Command::new("tmux")
        .arg("-V")
        .output()
        .is_ok();
    if !has_tmux {
        println!("skipped: tmux is not installed, the rows show abide alone");
    }
    for kind in rows::ALL.iter().filter(|kind| wanted(kind.name)) {
        Row::measure(kind, pairs, has_tmux).print();
    }
    rows::clean();
    println!(
        "input: generated, seed {}; size 120x40; history 10,000 lines",
        rows::SEED
    );
}

/// Stops a peer whatever happens between.
impl Drop for Abide {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.stop();
    }
}
