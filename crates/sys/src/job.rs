//! Job objects of Windows: a family by the kernel's own account. Whatever a member starts is a
//! member, whoever its parent is by then, and none can leave.

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation,
    SetInformationJobObject, TerminateJobObject,
};
use windows_sys::Win32::System::Threading::GetCurrentProcess;

/// A job whose members all end when its last handle is closed, so also when its holder is killed.
/// The handle is not inherited: there is one, and its holder has it.
#[derive(Debug)]
pub struct Job(OwnedHandle);

impl Job {
    /// A job without members.
    ///
    /// # Errors
    /// What the system reports.
    pub fn new() -> io::Result<Self> {
        // SAFETY: no security attributes and no name; gives a new handle or null.
        let handle = unsafe { CreateJobObjectW(std::ptr::null(), std::ptr::null()) };
        if handle.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the handle is new and nobody else's.
        let job = Self(unsafe { OwnedHandle::from_raw_handle(handle) });
        // SAFETY: all-zero means "no limit" in this structure of numbers.
        let mut limits: JOBOBJECT_EXTENDED_LIMIT_INFORMATION = unsafe { std::mem::zeroed() };
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        let size = u32::try_from(size_of_val(&limits)).map_err(io::Error::other)?;
        // SAFETY: the handle is open; the structure is of the named kind and as long as is told.
        let set = unsafe {
            SetInformationJobObject(
                job.0.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                (&raw const limits).cast(),
                size,
            )
        };
        job.check(set)
    }

    /// Makes this process a member, and with it all that it starts from here on.
    ///
    /// # Errors
    /// It is in a job already that allows none within (before Windows 8).
    pub fn join(self) -> io::Result<Self> {
        // SAFETY: both handles are open; the second means this process and needs no closing.
        let joined =
            unsafe { AssignProcessToJobObject(self.0.as_raw_handle(), GetCurrentProcess()) };
        self.check(joined)
    }

    /// Ends every member with this exit code, this process too if it is one.
    ///
    /// # Errors
    /// What the system reports.
    pub fn end(&self, code: u32) -> io::Result<()> {
        // SAFETY: the handle is open.
        if unsafe { TerminateJobObject(self.0.as_raw_handle(), code) } == 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }

    fn check(self, done: i32) -> io::Result<Self> {
        if done == 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(self)
    }
}
