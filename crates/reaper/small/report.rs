//! The records on the report pipe; `report.rs` of the library describes them.

use crate::call;

#[derive(Clone, Copy)]
#[repr(u8)]
pub enum Kind {
    Started = 1,
    Failed = 2,
    Stopped = 3,
    Continued = 4,
    Exited = 5,
    Refused = 6,
}

/// The step at which a start failed.
#[derive(Clone, Copy)]
#[repr(u8)]
pub enum Stage {
    Exec = 0,
    Folder = 1,
    Terminal = 2,
}

/// A full pipe drops news and a closed one has no reader: neither may stop the reaper.
pub fn tell(fd: i32, kind: Kind, stage: Stage, value: i32, start: u64) {
    let mut record = [0_u8; 16];
    let [k, s, _, _, v0, v1, v2, v3, rest @ ..] = &mut record;
    *k = kind as u8;
    *s = stage as u8;
    [*v0, *v1, *v2, *v3] = value.to_le_bytes();
    *rest = start.to_le_bytes();
    let _dropped = call::write(fd, &record);
}
