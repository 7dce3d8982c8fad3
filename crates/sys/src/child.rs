//! Starting the one program of a pane, from a small single-threaded process: a session of its
//! own, the terminal at descriptor 0 as its controlling terminal, every signal as a fresh program
//! expects it. What goes wrong on the way comes back with the step it happened at.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// The step that failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Step {
    /// The program could not be executed.
    Exec = 0,
    /// The folder could not be entered.
    Folder = 1,
    /// The session or its controlling terminal could not be set up.
    Terminal = 2,
}

/// Why a program did not start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StartError {
    /// Where it stopped.
    pub step: Step,
    /// The system's error number.
    pub errno: i32,
}

/// How likely the kernel is to choose a pane's program when memory runs out: well before the
/// daemon that holds every terminal. Inherited by all it starts.
const OOM_SCORE: i32 = 300;

/// Starts `argv` in `folder` with this process's environment, in which `variable` is set, and its standard descriptors, which
/// are a terminal. The program dies with this process (where the kernel can do that), so call it
/// from the main thread: the kernel watches the thread, not the process.
///
/// # Errors
/// The step and the system's error number.
pub fn start_in_terminal(
    argv: &[OsString],
    folder: &Path,
    variable: Option<(&str, &OsStr)>,
) -> Result<i32, StartError> {
    start(argv, folder, variable, true)
}

/// The same with standard descriptors that are no terminal: a session of its own without any.
///
/// # Errors
/// The step and the system's error number.
pub fn start_in_session(
    argv: &[OsString],
    folder: &Path,
    variable: Option<(&str, &OsStr)>,
) -> Result<i32, StartError> {
    start(argv, folder, variable, false)
}

fn start(
    argv: &[OsString],
    folder: &Path,
    variable: Option<(&str, &OsStr)>,
    terminal: bool,
) -> Result<i32, StartError> {
    let exec = |errno| StartError {
        step: Step::Exec,
        errno,
    };
    let (program, arguments) = argv.split_first().ok_or_else(|| exec(libc::ENOENT))?;
    let folder =
        std::ffi::CString::new(folder.as_os_str().as_encoded_bytes()).map_err(|_| StartError {
            step: Step::Folder,
            errno: libc::EINVAL,
        })?;
    let mut command = Command::new(program);
    command.args(arguments).envs(variable);
    let parent = rustix::process::getpid();
    let oom = oom_score();
    let prepare = move || {
        die_with(parent)?;
        at(Step::Terminal, rustix::process::setsid().map(drop))?;
        if terminal {
            let taken = rustix::process::ioctl_tiocsctty(rustix::stdio::stdin());
            at(Step::Terminal, taken)?;
        }
        reset_signals();
        raise_oom_score(&oom);
        at(Step::Folder, rustix::process::chdir(&folder))
    };
    // SAFETY: between fork and exec the closure only makes system calls on data prepared before;
    // it neither allocates nor takes a lock.
    unsafe { command.pre_exec(prepare) };
    match command.spawn() {
        Ok(child) => i32::try_from(child.id()).map_err(|_| exec(libc::ESRCH)),
        Err(error) => Err(decode(error.raw_os_error().unwrap_or(libc::EINVAL))),
    }
}

/// std brings an error of the prepared steps back as its number alone, so the step travels in the
/// upper half of that number.
fn at(step: Step, result: rustix::io::Result<()>) -> io::Result<()> {
    result.map_err(|errno| {
        io::Error::from_raw_os_error(errno.raw_os_error() | (i32::from(step as u8) << 16))
    })
}

const fn decode(number: i32) -> StartError {
    let step = match number >> 16 {
        1 => Step::Folder,
        2 => Step::Terminal,
        _ => Step::Exec,
    };
    StartError {
        step,
        errno: number & 0xffff,
    }
}

/// Asks the kernel to end this child with its parent, then looks whether it was too late to ask.
#[cfg(target_os = "linux")]
fn die_with(parent: rustix::process::Pid) -> io::Result<()> {
    use rustix::process::Signal;
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    if rustix::process::getppid() == Some(parent) {
        return Ok(());
    }
    rustix::process::kill_process(rustix::process::getpid(), Signal::KILL)?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn die_with(_parent: rustix::process::Pid) -> io::Result<()> {
    Ok(())
}

/// Has the command's program keep `passed` open, under the same numbers. It is started by a fork, so
/// only from a small process.
pub fn passing(command: &mut Command, passed: [OwnedFd; 2]) -> &mut Command {
    let prepare = move || {
        for fd in &passed {
            rustix::io::fcntl_setfd(fd, rustix::io::FdFlags::empty())?;
        }
        Ok(())
    };
    // SAFETY: the closure makes one system call for each descriptor and nothing else.
    unsafe { command.pre_exec(prepare) }
}

/// A command whose program starts with every signal as new, whatever this process blocks or
/// ignores (std hands its mask on). It is started by a fork, so only from a small process.
pub fn with_fresh_signals(command: &mut Command) -> &mut Command {
    let prepare = || {
        reset_signals();
        Ok(())
    };
    // SAFETY: the closure makes system calls on constant data only.
    unsafe { command.pre_exec(prepare) }
}

/// Every signal does what it does by default, and none is blocked. Those that an ancestor ignored
/// would stay ignored through exec (Rust's own start-up ignores SIGPIPE), and so would the mask.
fn reset_signals() {
    reset_actions();
    // SAFETY: all-zero is a valid sigset_t; it is emptied as the system wants it before use.
    let mut none: libc::sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: the set is ours. Actions are reset first, so nothing runs a handler now.
    unsafe {
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
    }
}

#[cfg(target_os = "linux")]
fn reset_actions() {
    // The kernel's own call, since libc refuses the two signals it keeps for itself. An action of
    // all zeroes is "default" in every layout the kernel has.
    let default = [0_u64; 8];
    for signal in 1..=64_i64 {
        // SAFETY: the kernel reads at most 32 bytes of `default` and writes nothing; KILL and
        // STOP are refused, which changes nothing.
        unsafe {
            libc::syscall(
                libc::SYS_rt_sigaction,
                signal,
                default.as_ptr(),
                0_i64,
                8_i64,
            )
        };
    }
}

#[cfg(not(target_os = "linux"))]
fn reset_actions() {
    for signal in 1..32 {
        // SAFETY: setting a default action touches no memory of ours; KILL and STOP are refused.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// The text to write, made before the fork: never lower than what this process has.
#[cfg(target_os = "linux")]
fn oom_score() -> Vec<u8> {
    let mine = std::fs::read_to_string("/proc/self/oom_score_adj");
    let mine = mine
        .ok()
        .and_then(|text| text.trim().parse::<i32>().ok())
        .unwrap_or(0);
    mine.max(OOM_SCORE).to_string().into_bytes()
}

#[cfg(target_os = "linux")]
fn raise_oom_score(text: &[u8]) {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::WRONLY | OFlags::CLOEXEC;
    if let Ok(file) = rustix::fs::open(c"/proc/self/oom_score_adj", flags, Mode::empty()) {
        // A refusal leaves the program as likely as the others.
        let _refused = rustix::io::write(&file, text);
    }
}

#[cfg(not(target_os = "linux"))]
const fn oom_score() -> [u8; 0] {
    const { assert!(OOM_SCORE >= 0) };
    []
}

#[cfg(not(target_os = "linux"))]
const fn raise_oom_score(_text: &[u8]) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_survives_the_way_back() {
        for step in [Step::Folder, Step::Terminal] {
            let error = at(step, Err(rustix::io::Errno::ACCESS)).unwrap_err();
            let number = error.raw_os_error().unwrap();
            assert_eq!(
                decode(number),
                StartError {
                    step,
                    errno: libc::EACCES
                }
            );
        }
        assert_eq!(
            decode(libc::ENOENT),
            StartError {
                step: Step::Exec,
                errno: libc::ENOENT
            }
        );
    }
}
