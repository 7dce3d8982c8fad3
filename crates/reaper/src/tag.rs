//! The mark that a family carries in its environment, so that what outlived its reaper is found.
//!
//! In: where the host lives and the reapers a program is below. Out: the text of the variable
//! [`VARIABLE`], and back. Format, at most [`LONGEST`] bytes of ASCII:
//!
//! ```text
//! 1/<state folder>/<boot>/<pid namespace>/<pid>:<start>[,<pid>:<start>]..
//! ```
//!
//! | part | |
//! | --- | --- |
//! | `1` | the format |
//! | state folder | 16 hexadecimal digits: FNV-1a of its real path |
//! | boot | 32 hexadecimal digits of the kernel's boot id; zeroes where there is none |
//! | pid namespace | its inode, decimal; 0 where there is none |
//! | pid:start | a reaper, innermost first, at most [`LINKS`]; the outermost are dropped |
//!
//! Without a reaper (the part after the last slash is empty) it is a *head*, which a host gives to
//! a reaper that puts itself in; a process with a head alone counts as one without a tag. Anything
//! else is no tag: reading is strict, so that nobody is ended by a guess.

use std::ffi::OsStr;
use std::path::Path;
use sys::process::Identity;

/// The variable's name.
pub const VARIABLE: &str = "ABIDE_REAPER";
/// Most reapers that a tag names.
pub const LINKS: usize = 8;
/// Most bytes of a tag.
pub const LONGEST: usize = 384;

/// What the numbers of a tag refer to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The state folder, as a number.
    pub state: u64,
    /// The kernel's id of this start of the machine, as a number.
    pub boot: u128,
    /// The inode of the pid namespace.
    pub namespace: u64,
}

impl Place {
    /// This process's place, for a host with this state folder.
    #[must_use]
    pub fn of(state: &Path) -> Self {
        let real = state.canonicalize();
        let path = real.as_deref().unwrap_or(state);
        let boot = sys::boot::boot().id.replace('-', "");
        Self {
            state: fnv1a(sys::text::path_bytes(path)),
            boot: u128::from_str_radix(&boot, 16).unwrap_or(0),
            namespace: sys::process::pid_namespace(),
        }
    }
}

/// A number for a path that stays the same from build to build.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Where a program belongs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tag {
    /// What the numbers refer to.
    pub place: Place,
    /// The reapers it is below, innermost first; never empty in a tag that was read.
    pub links: Vec<Identity>,
}

impl Tag {
    /// Reads the variable's value. `None`: it is no tag, or names no reaper.
    #[must_use]
    pub fn read(value: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(value).ok()?;
        if text.len() > LONGEST {
            return None;
        }
        let mut parts = text.split('/');
        if parts.next()? != "1" {
            return None;
        }
        let place = Place {
            state: hex(parts.next()?, 16)?.try_into().ok()?,
            boot: hex(parts.next()?, 32)?,
            namespace: decimal(parts.next()?)?,
        };
        let links: Option<Vec<Identity>> = parts.next()?.split(',').map(link).collect();
        let links = links.filter(|it| it.len() <= LINKS && parts.next().is_none())?;
        Some(Self { place, links })
    }

    /// The variable's value.
    #[must_use]
    pub fn text(&self) -> String {
        let links = self.links.iter().take(LINKS);
        let links: Vec<String> = links.map(|it| format!("{}:{}", it.pid, it.start)).collect();
        let Place {
            state,
            boot,
            namespace,
        } = self.place;
        format!("1/{state:016x}/{boot:032x}/{namespace}/{}", links.join(","))
    }

    /// What a reaper is given, of what it was inherited: itself still fits in.
    pub(crate) fn head(place: Place, inherited: Option<&OsStr>) -> String {
        let outer = inherited.and_then(|it| Self::read(sys::text::bytes(it)));
        let links = outer.filter(|it| it.place == place).map(|it| it.links);
        let mut links = links.unwrap_or_default();
        links.truncate(LINKS - 1);
        Self { place, links }.text()
    }
}

/// The innermost reaper that a process's mark names; `None`: it shows none.
#[must_use]
pub fn reaper_of(pid: i32) -> Option<Identity> {
    let environment = sys::process::environment(pid).ok()?;
    let tag = Tag::read(sys::process::variable(&environment, VARIABLE)?)?;
    tag.links.first().copied()
}

/// Whether this is a head that names no reaper at all: what a pane's reaper has.
pub(crate) fn is_head(value: &[u8]) -> bool {
    // With any reaper in front of it, it is a tag.
    value.ends_with(b"/") && Tag::read(&[value, b"1:1".as_slice()].concat()).is_some()
}

/// Puts a reaper in front of the others of a head. `None`: it is no head.
#[cfg(any(unix, test))]
pub(crate) fn within(head: &OsStr, reaper: Identity) -> Option<std::ffi::OsString> {
    let bytes = sys::text::bytes(head);
    let mut slashes = bytes.iter().enumerate().filter(|(_, b)| **b == b'/');
    let (end, _) = slashes.nth(3)?;
    let (front, outer) = bytes.split_at(end + 1);
    let mut value = front.to_vec();
    value.extend_from_slice(format!("{}:{}", reaper.pid, reaper.start).as_bytes());
    if !outer.is_empty() {
        value.push(b',');
        value.extend_from_slice(outer);
    }
    Tag::read(&value)?;
    Some(sys::text::word(value))
}

fn hex(text: &str, digits: usize) -> Option<u128> {
    let plain = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    let right = text.len() == digits && text.bytes().all(plain);
    u128::from_str_radix(text, 16).ok().filter(|_| right)
}

/// Without a sign and without zeroes in front, so that there is one text for each tag.
fn decimal(text: &str) -> Option<u64> {
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    let plain = digits && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|_| plain)
}

fn link(text: &str) -> Option<Identity> {
    let (pid, start) = text.split_once(':')?;
    let pid = i32::try_from(decimal(pid)?).ok().filter(|pid| *pid > 0)?;
    let start = decimal(start)?;
    Some(Identity { pid, start })
}

#[cfg(test)]
mod tests;
