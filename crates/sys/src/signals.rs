//! Signals as something to wait for: a descriptor that becomes readable, read one at a time.
//! For the small single-threaded processes; the host uses its runtime's.

#[cfg_attr(target_os = "linux", path = "signals/linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "signals/other.rs")]
mod platform;

pub use platform::Signals;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Signal;
    use std::os::fd::AsFd;

    /// In a thread of its own: the mask is the thread's, and so is a signal sent to it.
    #[test]
    fn a_signal_wakes_the_descriptor_and_is_read_once() {
        std::thread::spawn(|| {
            let signals = Signals::take(&[Signal::USR1]).unwrap();
            assert_eq!(signals.next().unwrap(), None);
            // SAFETY: raises a signal that this thread has taken as a descriptor.
            unsafe { libc::raise(libc::SIGUSR1) };
            crate::fd::wait_readable(&[signals.as_fd()], None).unwrap();
            assert_eq!(signals.next().unwrap(), Some(Signal::USR1));
            assert_eq!(signals.next().unwrap(), None);
        })
        .join()
        .unwrap();
    }
}
