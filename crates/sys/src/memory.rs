//! A program without a file: a memory file that can be executed and never be changed.

use crate::fd::OwnedFd;
use std::io;
use std::path::PathBuf;

/// Where this process, and the child it starts from there, finds the file behind `fd`.
#[must_use]
pub fn path(fd: &OwnedFd) -> PathBuf {
    #[cfg(unix)]
    return format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(fd)).into();
    #[cfg(not(unix))]
    {
        let _none = fd;
        PathBuf::new()
    }
}

/// A sealed memory file with these bytes. It is executed by `/proc/self/fd/N`, where its name
/// shows in `/proc/PID/exe` only.
///
/// # Errors
/// What making, filling or sealing it reports; `Unsupported` where there is no such thing.
#[cfg(target_os = "linux")]
pub fn sealed_program(name: &str, bytes: &[u8]) -> io::Result<OwnedFd> {
    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    // Asking for the right to execute is needed where it is not given by default (Linux 6.3 and
    // a setting), and refused where it is not known.
    let made = memfd_create(name, flags | MemfdFlags::EXEC).or_else(|_| memfd_create(name, flags));
    let mut file = std::fs::File::from(made?);
    io::Write::write_all(&mut file, bytes)?;
    let seals = SealFlags::SEAL | SealFlags::SHRINK | SealFlags::GROW | SealFlags::WRITE;
    fcntl_add_seals(&file, seals)?;
    Ok(file.into())
}

/// There is no such thing here.
///
/// # Errors
/// Always `Unsupported`.
#[cfg(not(target_os = "linux"))]
pub fn sealed_program(_name: &str, _bytes: &[u8]) -> io::Result<OwnedFd> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::io::{Seek, Write};
    use std::os::fd::AsRawFd;

    #[test]
    fn it_runs_and_nobody_can_change_it() {
        let program = std::fs::read("/bin/true").unwrap();
        let fd = sealed_program("test", &program).unwrap();
        let path = format!("/proc/self/fd/{}", fd.as_raw_fd());
        let code = std::process::Command::new(path).status().unwrap().code();
        assert_eq!(code, Some(0));
        let mut file = std::fs::File::from(fd);
        file.rewind().unwrap();
        assert!(file.write_all(b"x").is_err());
        assert!(file.set_len(1).is_err());
    }
}
