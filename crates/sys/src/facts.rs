//! What a family of processes costs: processor time and memory, for people to look at. Nothing
//! is decided by these numbers.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

/// What one family uses.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Usage {
    /// Percent of one processor since the look before; may exceed 100. 0 at the first look.
    pub cpu_percent: f32,
    /// Resident bytes, summed over the family (shared pages count once for each process).
    pub memory: u64,
    /// How many processes it has.
    pub processes: u32,
}

/// Looks at all processes at most twice a second, however many families are asked for.
#[derive(Debug)]
pub struct Sampler {
    /// None where the system cannot be asked at all.
    system: Option<System>,
    looked: Option<Instant>,
}

/// How old a look may be; processor use needs some time between two looks to mean anything.
const FRESH: Duration = Duration::from_millis(500);

impl Sampler {
    /// A sampler that has not looked yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            system: System::new().ok(),
            looked: None,
        }
    }

    /// What `pid` and all its descendants use; `None`: there is no such process.
    pub fn family(&mut self, pid: i32) -> Option<Usage> {
        self.look();
        let root = Pid::from_u32(u32::try_from(pid).ok()?);
        let system = self.system.as_ref()?;
        system.process(root)?;
        let mut usage = Usage {
            cpu_percent: 0.0,
            memory: 0,
            processes: 0,
        };
        for member in members(system, root) {
            let Some(process) = system.process(member) else {
                continue;
            };
            usage.cpu_percent += process.cpu_usage();
            usage.memory += process.memory();
            usage.processes += 1;
        }
        Some(usage)
    }

    fn look(&mut self) {
        if self.looked.is_some_and(|then| then.elapsed() < FRESH) {
            return;
        }
        let Some(system) = &mut self.system else {
            return;
        };
        let kind = ProcessRefreshKind::nothing()
            .with_cpu()
            .with_memory()
            .without_tasks();
        system.refresh_processes_specifics(ProcessesToUpdate::All, true, kind);
        self.looked = Some(Instant::now());
    }
}

impl Default for Sampler {
    fn default() -> Self {
        Self::new()
    }
}

fn members(system: &System, root: Pid) -> HashSet<Pid> {
    let mut children: HashMap<Pid, Vec<Pid>> = HashMap::new();
    for (pid, process) in system.processes() {
        children
            .entry(process.parent().unwrap_or(Pid::from_u32(0)))
            .or_default()
            .push(*pid);
    }
    let mut found = HashSet::from([root]);
    let mut open = vec![root];
    while let Some(pid) = open.pop() {
        let below = children.get(&pid).into_iter().flatten();
        // A picture taken while pids were recycled may have a ring in it.
        open.extend(below.filter(|child| found.insert(**child)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::process::{Command, Stdio};

    #[test]
    fn a_family_is_the_process_and_what_it_started() {
        let script = "sleep 1000 & echo up; wait";
        let mut shell = Command::new("sh")
            .args(["-c", script])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        shell
            .stdout
            .take()
            .unwrap()
            .read_exact(&mut [0; 3])
            .unwrap();
        let pid = i32::try_from(shell.id()).unwrap();
        let usage = Sampler::new().family(pid).unwrap();
        assert_eq!(usage.processes, 2);
        assert!(usage.memory > 100_000, "{usage:?}");
        for child in crate::process::children_of(pid) {
            child
                .identity()
                .signal(crate::process::Signal::KILL)
                .unwrap();
        }
        shell.wait().unwrap();
        assert_eq!(Sampler::new().family(pid), None);
    }
}
