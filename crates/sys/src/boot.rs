//! Which start of the machine this is. A restarted machine has another id and another time.

use std::time::{SystemTime, UNIX_EPOCH};

/// One start of the machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Boot {
    /// The kernel's id of this start; empty where the system has none.
    pub id: String,
    /// When it started, in Unix seconds by the wall clock (it moves when that clock is set, so
    /// compare with a tolerance); 0 when the system does not tell.
    pub time: u64,
}

/// Asks the system. Never fails: what is not known stays empty or 0.
#[must_use]
pub fn boot() -> Boot {
    Boot {
        id: id(),
        time: sysinfo::System::boot_time().unwrap_or(0),
    }
}

#[cfg(target_os = "linux")]
fn id() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id")
        .map(|text| text.trim().to_owned())
        .unwrap_or_default()
}

#[cfg(target_os = "macos")]
fn id() -> String {
    let mut text = [0_u8; 64];
    let mut length = text.len();
    // SAFETY: the name ends in 0, the buffer is ours and as long as is told, and nothing is set.
    let done = unsafe {
        libc::sysctlbyname(
            c"kern.bootsessionuuid".as_ptr(),
            text.as_mut_ptr().cast(),
            &raw mut length,
            std::ptr::null_mut(),
            0,
        )
    };
    let text = text.get(..length).filter(|_| done == 0).unwrap_or(&[]);
    let text = String::from_utf8_lossy(text);
    text.trim_end_matches('\0').to_ascii_lowercase()
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn id() -> String {
    String::new()
}

/// The wall clock in Unix seconds, for records; never for deadlines.
#[must_use]
pub fn unix_now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_boot_is_before_now_and_stays_the_same() {
        let first = boot();
        assert!(first.time > 0 && first.time <= unix_now());
        assert_eq!(first.id, boot().id);
        #[cfg(target_os = "linux")]
        assert_eq!(first.id.len(), 36, "a uuid: {}", first.id);
    }
}
