//! Starting the program: a session of its own, the terminal at descriptor 0, every signal as new.

use crate::call::{self, Errno, Open};
use crate::report::Stage;
use crate::text::{self, Text};

/// How likely the kernel is to choose the program when memory runs out; see `child.rs` of `sys`.
const OOM_SCORE: i32 = 300;

/// What to start. `words` is the program's argv with one free place before it.
#[derive(Clone, Copy)]
pub struct Program {
    pub folder: *const u8,
    pub words: *mut *const u8,
    pub environment: *const *const u8,
    pub path: &'static [u8],
    /// Its standard descriptors are a terminal.
    pub terminal: bool,
}

/// What the child is given, and where it leaves why it could not become the program.
struct Start {
    program: Program,
    parent: i32,
    failed: Option<(Stage, Errno)>,
}

/// Starts it: its pid, or the step that failed.
pub fn start(program: Program) -> Result<i32, (Stage, Errno)> {
    let mut start = Start {
        program,
        parent: call::pid(),
        failed: None,
    };
    let child = call::spawn(in_child, &mut start).map_err(|errno| (Stage::Exec, errno))?;
    let Some(failed) = start.failed else {
        return Ok(child);
    };
    while let call::Waited::Nothing = call::wait(child, false) {
        call::nap(1);
    }
    Err(failed)
}

extern "C" fn in_child(start: &mut Start) -> ! {
    start.failed = Some(become_program(start.program, start.parent));
    call::exit(127)
}

/// Comes back only with what failed.
fn become_program(program: Program, parent: i32) -> (Stage, Errno) {
    // The kernel is asked first, then looked whether it was too late to ask.
    if let Err(errno) = call::die_with_parent() {
        return (Stage::Exec, errno);
    }
    if call::parent() != parent {
        call::exit(127);
    }
    let terminal = || match program.terminal {
        true => call::take_terminal(0),
        false => Ok(()),
    };
    if let Err(errno) = call::setsid().and_then(|()| terminal()) {
        return (Stage::Terminal, errno);
    }
    call::reset_signals();
    raise_oom_score();
    if let Err(errno) = call::chdir(program.folder) {
        return (Stage::Folder, errno);
    }
    (Stage::Exec, search(program))
}

/// Never lower than what this process has.
fn raise_oom_score() {
    // A refusal leaves the program as likely as the others.
    let Ok(fd) = call::open(b"/proc/self/oom_score_adj\0", Open::Both) else {
        return;
    };
    let mut old = [0; 16];
    let length = call::read(fd, &mut old).unwrap_or(0);
    let old = text::words(old.get(..length).unwrap_or_default()).next();
    let score = old.and_then(text::signed).unwrap_or(0).max(OOM_SCORE);
    let text: Text<16> = Text::new().number(score.unsigned_abs().into());
    if let Some(text) = text.get() {
        let _refused = call::write(fd, text);
    }
    call::close(fd);
}

/// As `execvp` does it.
fn search(program: Program) -> Errno {
    // SAFETY: by its contract the place after the free one holds the program's name, made by the
    // kernel.
    let name_at = unsafe { *program.words.add(1) };
    // SAFETY: as above.
    let name = unsafe { text::bytes(name_at) };
    if name.is_empty() {
        return call::ENOENT;
    }
    if name.contains(&b'/') {
        return run(program, name_at);
    }
    if name.len() > 255 {
        return call::ENAMETOOLONG;
    }
    let mut refused = false;
    for folder in program.path.split(|b| *b == b':') {
        let slash: &[u8] = if folder.is_empty() { b"" } else { b"/" };
        let path: Text<4400> = Text::new().add(folder).add(slash).add(name).add(b"\0");
        let Some(path) = path.get() else { continue };
        match run(program, path.as_ptr()) {
            call::EACCES => refused = true,
            call::ENOENT | call::ENOTDIR | call::ENODEV | call::ESTALE | call::ETIMEDOUT => {}
            other => return other,
        }
    }
    if refused { call::EACCES } else { call::ENOENT }
}

/// Runs the file; one without a header that the kernel knows is a shell script.
fn run(program: Program, path: *const u8) -> Errno {
    // SAFETY: by its contract the free place is followed by the argv.
    let argv = unsafe { program.words.add(1) };
    let errno = call::execute(path, argv, program.environment);
    if errno != call::ENOEXEC {
        return errno;
    }
    let shell = b"/bin/sh\0".as_ptr();
    // SAFETY: the free place and the first of the argv are ours to write.
    unsafe {
        *program.words = shell;
        *argv = path;
    }
    call::execute(shell, program.words, program.environment)
}
