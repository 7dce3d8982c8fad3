//! Words of the system as bytes and back: arguments, variables, paths.
//!
//! On Unix they are bytes, so nothing is lost either way. On Windows they are UTF-16 that may be
//! broken; as bytes they are UTF-8 (what is broken, as std encodes it), and bytes that are no UTF-8
//! come back with U+FFFD in their place.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// A word's bytes.
#[must_use]
pub fn bytes(word: &OsStr) -> &[u8] {
    word.as_encoded_bytes()
}

/// A word's bytes, taken.
#[must_use]
pub fn into_bytes(word: impl Into<OsString>) -> Vec<u8> {
    word.into().into_encoded_bytes()
}

/// A path's bytes.
#[must_use]
pub fn path_bytes(path: &Path) -> &[u8] {
    bytes(path.as_os_str())
}

/// The word with these bytes.
#[cfg(unix)]
#[must_use]
pub fn word(bytes: Vec<u8>) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

/// The word with these bytes.
#[cfg(not(unix))]
#[must_use]
pub fn word(bytes: Vec<u8>) -> OsString {
    match String::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(broken) => String::from_utf8_lossy(broken.as_bytes())
            .into_owned()
            .into(),
    }
}

/// The path with these bytes.
#[must_use]
pub fn path(bytes: &[u8]) -> PathBuf {
    word(bytes.to_vec()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_from_their_bytes() {
        for text in ["", "plain", "ümläut/日本"] {
            assert_eq!(word(into_bytes(text)), *text);
            assert_eq!(path_bytes(&path(text.as_bytes())), text.as_bytes());
        }
    }

    #[cfg(unix)]
    #[test]
    fn bytes_that_are_no_text_are_kept() {
        let broken = b"a\xff\xfeb".to_vec();
        assert_eq!(into_bytes(word(broken.clone())), broken);
    }
}
