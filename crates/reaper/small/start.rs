//! The first instruction, the last resort, and the memory functions that the compiler calls.

use crate::call;

core::arch::global_asm!(
    ".globl _start",
    "_start:",
    "xor ebp, ebp",
    "mov rdi, rsp",
    "and rsp, -16",
    "call {entry}",
    "ud2",
    entry = sym entry,
);

/// What the kernel put on the stack: the number of arguments, their addresses, a null, the
/// addresses of the environment's entries, a null.
extern "C" fn entry(stack: *mut usize) -> ! {
    // SAFETY: the kernel's layout for every program on x86_64; the memory is ours for good, and
    // nobody else knows of it.
    let (count, words) = unsafe { (*stack, stack.add(1).cast::<*const u8>()) };
    // SAFETY: as above: `count` arguments and a null stand before the environment.
    let environment = unsafe { words.add(count + 1) };
    call::exit(crate::pane::run(crate::pane::Start {
        count,
        words,
        environment,
    }))
}

/// There is no way to get here but a fault in this program: it ends, and the family comes to the
/// host, which ends it.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    call::exit(134)
}

/// # Safety
/// As the C function.
#[unsafe(no_mangle)]
unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    // SAFETY: the caller gives `count` bytes at both addresses, which do not overlap.
    unsafe {
        core::arch::asm!("rep movsb", inout("rcx") count => _, inout("rdi") to => _,
            inout("rsi") from => _, options(nostack, preserves_flags));
    }
    to
}

/// # Safety
/// As the C function.
#[unsafe(no_mangle)]
unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    if (to as usize).wrapping_sub(from as usize) >= count {
        // SAFETY: copying upwards never reads what it wrote.
        return unsafe { memcpy(to, from, count) };
    }
    let mut at = count;
    while at > 0 {
        at -= 1;
        // SAFETY: within the `count` bytes that the caller gives; downwards, as they overlap.
        // Volatile, or the compiler makes a call of this very function of it.
        unsafe { to.add(at).write_volatile(from.add(at).read_volatile()) };
    }
    to
}

/// # Safety
/// As the C function.
#[unsafe(no_mangle)]
unsafe extern "C" fn memset(to: *mut u8, byte: i32, count: usize) -> *mut u8 {
    // SAFETY: the caller gives `count` writable bytes.
    unsafe {
        core::arch::asm!("rep stosb", inout("rcx") count => _, inout("rdi") to => _,
            in("al") byte as u8, options(nostack, preserves_flags));
    }
    to
}

/// # Safety
/// As the C function.
#[unsafe(no_mangle)]
unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, count: usize) -> i32 {
    let mut at = 0;
    while at < count {
        // SAFETY: within the `count` bytes that the caller gives at both addresses.
        let (x, y) = unsafe { (a.add(at).read_volatile(), b.add(at).read_volatile()) };
        if x != y {
            return i32::from(x) - i32::from(y);
        }
        at += 1;
    }
    0
}

/// # Safety
/// As the C function.
#[unsafe(no_mangle)]
unsafe extern "C" fn bcmp(a: *const u8, b: *const u8, count: usize) -> i32 {
    // SAFETY: the same contract.
    unsafe { memcmp(a, b, count) }
}

/// # Safety
/// As the C function.
#[unsafe(no_mangle)]
unsafe extern "C" fn strlen(text: *const u8) -> usize {
    let mut at = 0;
    // SAFETY: the caller's text has a zero, and nothing behind it is read.
    while unsafe { text.add(at).read_volatile() } != 0 {
        at += 1;
    }
    at
}
