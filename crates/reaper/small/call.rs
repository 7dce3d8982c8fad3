//! The system calls that are needed, each safe to call: Linux on x86_64, numbers from
//! `asm/unistd_64.h`.

use core::arch::asm;

/// The system's error number.
pub type Errno = i32;
pub const ENOENT: Errno = 2;
pub const ESRCH: Errno = 3;
pub const EAGAIN: Errno = 11;
pub const ENOEXEC: Errno = 8;
pub const EPERM: Errno = 1;
pub const EACCES: Errno = 13;
pub const ENODEV: Errno = 19;
pub const ENOTDIR: Errno = 20;
pub const ENAMETOOLONG: Errno = 36;
pub const ENOSYS: Errno = 38;
pub const ETIMEDOUT: Errno = 110;
pub const ESTALE: Errno = 116;

pub const HUP: i32 = 1;
pub const INT: i32 = 2;
pub const QUIT: i32 = 3;
pub const KILL: i32 = 9;
pub const TERM: i32 = 15;
pub const CHLD: i32 = 17;
pub const CONT: i32 = 18;
pub const TTIN: i32 = 21;
pub const TTOU: i32 = 22;

const O_RDWR: usize = 2;
const O_APPEND_CREATE: usize = 0o1 | 0o100 | 0o2000;
const O_NONBLOCK: usize = 0o4000;
const O_DIRECTORY: usize = 0o200_000;
const O_CLOEXEC: usize = 0o2_000_000;
const AT_FDCWD: usize = -100_isize as usize;

/// How a file is opened.
#[derive(Clone, Copy)]
pub enum Open {
    Read,
    Both,
    Folder,
    /// Writes go to its end; made when it is not there.
    Append,
}

/// Calls the kernel.
///
/// # Safety
/// The arguments are what call `number` wants; addresses are valid for what it does to them.
unsafe fn raw(number: usize, a: [usize; 6]) -> Result<usize, Errno> {
    let result: isize;
    // SAFETY: the kernel keeps every register but rax, rcx and r11; memory is the caller's duty.
    unsafe {
        asm!("syscall", inlateout("rax") number => result,
            in("rdi") a[0], in("rsi") a[1], in("rdx") a[2],
            in("r10") a[3], in("r8") a[4], in("r9") a[5],
            lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    if (-4095..0).contains(&result) {
        return Err((-result) as Errno);
    }
    Ok(result as usize)
}

/// A call whose arguments are numbers only, and which changes no memory of ours.
fn plain(number: usize, a: [usize; 6]) -> Result<usize, Errno> {
    // SAFETY: every use in this file passes numbers to a call that takes numbers.
    unsafe { raw(number, a) }
}

fn at<T: ?Sized>(value: &T) -> usize {
    core::ptr::from_ref(value).cast::<u8>() as usize
}

fn at_mut<T: ?Sized>(value: &mut T) -> usize {
    core::ptr::from_mut(value).cast::<u8>() as usize
}

pub fn exit(code: u8) -> ! {
    loop {
        // exit_group; it does not come back.
        let _never = plain(231, [code.into(), 0, 0, 0, 0, 0]);
    }
}

pub fn read(fd: i32, into: &mut [u8]) -> Result<usize, Errno> {
    // SAFETY: the kernel writes at most the length of `into`.
    unsafe { raw(0, [fd as usize, at_mut(into), into.len(), 0, 0, 0]) }
}

pub fn write(fd: i32, bytes: &[u8]) -> Result<usize, Errno> {
    // SAFETY: the kernel reads at most the length of `bytes`.
    unsafe { raw(1, [fd as usize, at(bytes), bytes.len(), 0, 0, 0]) }
}

/// Opens a file by a path that ends in a zero; without the zero there is no such file.
pub fn open(path: &[u8], how: Open) -> Result<i32, Errno> {
    if path.last() != Some(&0) {
        return Err(ENOENT);
    }
    open_at(path.as_ptr(), how)
}

/// The same for a text of the kernel's.
pub fn open_at(path: *const u8, how: Open) -> Result<i32, Errno> {
    let flags = match how {
        Open::Read => 0,
        Open::Both => O_RDWR,
        Open::Folder => O_DIRECTORY,
        Open::Append => O_APPEND_CREATE,
    };
    let mode = 0o600;
    // SAFETY: the kernel checks the address and reads up to a zero.
    let fd = unsafe { raw(257, [AT_FDCWD, path as usize, flags | O_CLOEXEC, mode, 0, 0]) }?;
    Ok(fd as i32)
}

/// Where a link leads to, by a path that ends in a zero; cut to the length of `into`.
pub fn read_link<'a>(path: &[u8], into: &'a mut [u8]) -> Option<&'a [u8]> {
    if path.last() != Some(&0) {
        return None;
    }
    // SAFETY: the path has an end, and the kernel writes at most the length of `into`.
    let length = unsafe { raw(89, [at(path), at_mut(into), into.len(), 0, 0, 0]) };
    into.get(..length.ok()?)
}

pub fn close(fd: i32) {
    let _closed = plain(3, [fd as usize, 0, 0, 0, 0, 0]);
}

/// Closes every descriptor from this one on.
pub fn close_from(first: i32) {
    if plain(436, [first as usize, u32::MAX as usize, 0, 0, 0, 0]).is_err() {
        // Before Linux 5.9: those that a process can have as a rule.
        (first..1024).for_each(close);
    }
}

/// A second handle, above the standard three and closed at exec.
pub fn duplicate(fd: i32) -> Result<i32, Errno> {
    Ok(plain(72, [fd as usize, 1030, 3, 0, 0, 0])? as i32)
}

/// Makes `to` mean what `from` means, kept at exec.
pub fn replace(from: i32, to: i32) -> Result<(), Errno> {
    plain(33, [from as usize, to as usize, 0, 0, 0, 0]).map(drop)
}

/// Makes `to` mean what `from` means, closed at exec.
pub fn take(from: i32, to: i32) -> Result<i32, Errno> {
    Ok(plain(292, [from as usize, to as usize, O_CLOEXEC, 0, 0, 0])? as i32)
}

pub fn set_nonblocking(fd: i32) -> Result<(), Errno> {
    let flags = plain(72, [fd as usize, 3, 0, 0, 0, 0])?;
    plain(72, [fd as usize, 4, flags | O_NONBLOCK, 0, 0, 0]).map(drop)
}

/// Waits until one of `fds` can be read, has ended or is broken; `limit` in milliseconds.
pub fn wait_readable<const N: usize>(fds: [i32; N], limit: Option<u64>) -> Result<[bool; N], Errno> {
    // struct pollfd: descriptor, then wanted (POLLIN) and found events; negative ones are skipped.
    let mut polled = fds.map(|fd| (u64::from(fd as u32)) | (1 << 32));
    let time = limit.map(|ms| [ms / 1000, ms % 1000 * 1_000_000]);
    let time = time.as_ref().map_or(0, at);
    // SAFETY: the kernel reads and writes N records of 8 bytes, and may write the time left.
    unsafe { raw(271, [at_mut(&mut polled), N, time, 0, 8, 0]) }?;
    Ok(polled.map(|it| it >> 48 != 0))
}

/// Sleeps.
pub fn nap(ms: u64) {
    let _interrupted = wait_readable([], Some(ms));
}

/// Milliseconds of a clock that only goes forward.
pub fn now() -> u64 {
    let mut time = [0_u64; 2];
    // SAFETY: the kernel writes two numbers. CLOCK_MONOTONIC is always there.
    let _always = unsafe { raw(228, [1, at_mut(&mut time), 0, 0, 0, 0]) };
    time[0] * 1000 + time[1] / 1_000_000
}

/// Bit `signal - 1` for each.
const fn bits<const N: usize>(signals: [i32; N]) -> u64 {
    let (mut set, mut i) = (0, 0);
    while i < N {
        set |= 1 << (signals[i] - 1);
        i += 1;
    }
    set
}

fn set_mask(mask: u64) {
    // SAFETY: SIG_SETMASK reads the 8 bytes of `mask`. It cannot fail with these arguments.
    let _always = unsafe { raw(14, [2, at(&mask), 0, 8, 0, 0]) };
}

/// SIG_DFL. KILL and STOP are refused, which changes nothing.
fn reset_action(signal: i32) {
    let default = [0_u64; 4];
    // SAFETY: the kernel reads one `struct sigaction`, all zero.
    let _refused = unsafe { raw(13, [signal as usize, at(&default), 0, 8, 0, 0]) };
}

/// From now on CHLD, TERM, HUP, INT and QUIT come through the descriptor, and no other signal but
/// those of own faults acts on this process.
pub fn take_signals() -> Result<i32, Errno> {
    let wanted = [CHLD, TERM, HUP, INT, QUIT];
    for signal in wanted {
        reset_action(signal);
    }
    const FAULTS: u64 = bits([4, 6, 7, 8, 11]);
    set_mask(!FAULTS);
    let set = bits(wanted);
    // SAFETY: the kernel reads the 8 bytes of `set`.
    let fd = unsafe { raw(289, [-1_isize as usize, at(&set), 8, O_CLOEXEC | O_NONBLOCK, 0, 0]) }?;
    Ok(fd as i32)
}

/// Every signal as a fresh program expects it.
pub fn reset_signals() {
    (1..=64).for_each(reset_action);
    set_mask(0);
}

/// The next signal that has come.
pub fn next_signal(fd: i32) -> Option<i32> {
    let mut record = [0_u32; 32];
    // SAFETY: the kernel writes one record of 128 bytes.
    let read = unsafe { raw(0, [fd as usize, at_mut(&mut record), 128, 0, 0, 0]) };
    (read == Ok(128)).then_some(record[0] as i32)
}

pub fn set_name(name: &[u8; 16]) {
    // SAFETY: PR_SET_NAME reads at most 16 bytes.
    let _always = unsafe { raw(157, [15, at(name), 0, 0, 0, 0]) };
}

pub fn become_subreaper() {
    let _since_3_4 = plain(157, [36, 1, 0, 0, 0, 0]);
}

/// PR_SET_PDEATHSIG.
pub fn die_with_parent() -> Result<(), Errno> {
    plain(157, [1, KILL as usize, 0, 0, 0, 0]).map(drop)
}

pub fn pid() -> i32 {
    plain(39, [0; 6]).map_or(0, |it| it as i32)
}

pub fn parent() -> i32 {
    plain(110, [0; 6]).map_or(0, |it| it as i32)
}

/// Runs `body(argument)` in a child that shares this process's memory, while this process stands
/// still until the child has executed another program or ended. Nothing is copied, so it takes a
/// third of a fork's time. Descriptors, folder and signal actions are the child's own.
pub fn spawn<T>(body: extern "C" fn(&mut T) -> !, argument: &mut T) -> Result<i32, Errno> {
    // CLONE_VM, CLONE_VFORK, SIGCHLD.
    let flags = 0x100 | 0x4000 | CHLD as usize;
    let result: isize;
    // SAFETY: the child gets all registers and this very stack, on which it calls `body` and never
    // comes back: it writes below the frames of this process only, which goes on, with its own
    // registers, when the child uses this memory no longer. So `argument` has one user at a time.
    // Without `nostack` the compiler keeps nothing below the stack pointer here.
    unsafe {
        asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "xor ebp, ebp",
            "and rsp, -16",
            "mov rdi, r13",
            "call r12",
            "ud2",
            "2:",
            inlateout("rax") 56_usize => result,
            in("rdi") flags, in("rsi") 0, in("rdx") 0, in("r10") 0, in("r8") 0,
            in("r12") body as usize, in("r13") at_mut(argument),
            lateout("rcx") _, lateout("r11") _,
        );
    }
    give_back_stack();
    if result < 0 {
        return Err((-result) as Errno);
    }
    Ok(result as i32)
}

/// Gives back what was used of the stack below this call: all of it is dead, and a reaper waits for
/// days.
fn give_back_stack() {
    const PAGE: usize = 4096;
    const MOST: usize = 64 * PAGE;
    let here = 0_u8;
    let page = at(&here) & !(PAGE - 1);
    // SAFETY: MADV_DONTNEED on memory that lies a whole page and more below the frame of this call,
    // where no frame is. What of it is not mapped gives an error and changes nothing.
    let _partly = unsafe { raw(28, [page - MOST, MOST - PAGE, 4, 0, 0, 0]) };
}

pub fn setsid() -> Result<(), Errno> {
    plain(112, [0; 6]).map(drop)
}

/// Makes the terminal at `fd` the controlling one.
pub fn take_terminal(fd: i32) -> Result<(), Errno> {
    plain(16, [fd as usize, 0x540e, 0, 0, 0, 0]).map(drop)
}

pub fn chdir(path: *const u8) -> Result<(), Errno> {
    // SAFETY: the kernel checks the address and reads up to a zero.
    unsafe { raw(80, [path as usize, 0, 0, 0, 0, 0]) }.map(drop)
}

/// Comes back only with an error.
pub fn execute(path: *const u8, argv: *const *const u8, environment: *const *const u8) -> Errno {
    // SAFETY: the kernel checks the addresses; on success this program is gone.
    let failed = unsafe { raw(59, [path as usize, argv as usize, environment as usize, 0, 0, 0]) };
    failed.err().unwrap_or(ENOEXEC)
}

/// What a look at the children found.
pub enum Waited {
    Nothing,
    Changed(i32, i32),
}

/// Takes news of child `pid` (-1: any); with `all` also stops and continues. Never blocks.
pub fn wait(pid: i32, all: bool) -> Waited {
    let options = if all { 1 | 2 | 8 } else { 1 };
    let mut raw_status = 0_i32;
    // SAFETY: the kernel writes one status.
    let found = unsafe { raw(61, [pid as usize, at_mut(&mut raw_status), options, 0, 0, 0]) };
    match found {
        Ok(pid) if pid > 0 => Waited::Changed(pid as i32, raw_status),
        _ => Waited::Nothing,
    }
}

/// The pid of a child that has ended, which is left as it is; 0: none has ended. `None`: there are
/// no children.
pub fn look() -> Option<i32> {
    let mut info = [0_i32; 32];
    // P_ALL; WEXITED, WNOHANG and WNOWAIT.
    let options = 4 | 1 | 0x0100_0000;
    // SAFETY: the kernel writes one siginfo of 128 bytes.
    unsafe { raw(247, [0, 0, at_mut(&mut info), options, 0, 0]) }.ok()?;
    // Signal, errno, code, room; then the pid.
    Some(info[4])
}

pub fn kill(pid: i32, signal: i32) -> Result<(), Errno> {
    plain(62, [pid as usize, signal as usize, 0, 0, 0, 0]).map(drop)
}

pub fn pidfd(pid: i32) -> Result<i32, Errno> {
    Ok(plain(434, [pid as usize, 0, 0, 0, 0, 0])? as i32)
}

pub fn pidfd_signal(fd: i32, signal: i32) -> Result<(), Errno> {
    plain(424, [fd as usize, signal as usize, 0, 0, 0, 0]).map(drop)
}

/// Reads entries of a folder; see `getdents64(2)` for their form.
pub fn entries(fd: i32, into: &mut [u8]) -> Result<usize, Errno> {
    // SAFETY: the kernel writes at most the length of `into`.
    unsafe { raw(217, [fd as usize, at_mut(into), into.len(), 0, 0, 0]) }
}

/// Fresh memory, all zero, that takes no room until it is written to. `None`: there is none.
///
/// # Safety
/// All zero is a value of `T`.
pub unsafe fn memory<T>() -> Option<&'static mut T> {
    // Readable and writable; private, anonymous, nothing reserved.
    let how = [0, size_of::<T>(), 3, 0x4022, -1_isize as usize, 0];
    // SAFETY: a new mapping, which nobody else knows.
    let address = unsafe { raw(9, how) }.ok()?;
    // SAFETY: page-aligned, long enough, zero, never unmapped.
    unsafe { (address as *mut T).as_mut() }
}
