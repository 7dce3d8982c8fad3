//! A word of a command line, a path or a variable, as it is: bytes that need not be UTF-8.
//!
//! In JSON it is a string, or `{"b64": "..."}` where the bytes are no UTF-8 (a file may have such a
//! name), so that what is written down starts the same program again, byte for byte.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// See the module.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(OsString);

/// Its forms in JSON.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Form {
    Plain(String),
    Bytes { b64: String },
}

impl Text {
    /// From bytes as the system gives them.
    #[must_use]
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(sys::text::word(bytes))
    }

    /// As the system takes it.
    #[must_use]
    pub fn as_os(&self) -> &OsStr {
        &self.0
    }

    /// As bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        sys::text::bytes(&self.0)
    }

    /// As a path.
    #[must_use]
    pub fn as_path(&self) -> &Path {
        Path::new(&self.0)
    }

    /// For people: what is no UTF-8 or a control character is shown as a mark.
    #[must_use]
    pub fn shown(&self) -> String {
        let text = self.0.to_string_lossy();
        text.chars()
            .map(|c| if c.is_control() { '?' } else { c })
            .collect()
    }

    /// There is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl std::fmt::Debug for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl From<OsString> for Text {
    fn from(text: OsString) -> Self {
        Self(text)
    }
}

impl From<PathBuf> for Text {
    fn from(path: PathBuf) -> Self {
        Self(path.into_os_string())
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<Text> for OsString {
    fn from(text: Text) -> Self {
        text.0
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.to_str() {
            Some(text) => serializer.serialize_str(text),
            None => Form::Bytes {
                b64: STANDARD.encode(self.as_bytes()),
            }
            .serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Form::deserialize(deserializer)? {
            Form::Plain(text) => Ok(text.into()),
            Form::Bytes { b64 } => match STANDARD.decode(b64) {
                Ok(bytes) => Ok(Self::from_bytes(bytes)),
                Err(error) => Err(serde::de::Error::custom(error)),
            },
        }
    }
}

/// Words as the system takes them.
#[must_use]
pub fn os(words: &[Text]) -> Vec<OsString> {
    words.iter().map(|word| word.0.clone()).collect()
}

/// Words as they are written down.
#[must_use]
pub fn texts(words: &[OsString]) -> Vec<Text> {
    words.iter().cloned().map(Text::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        let check = |bytes: &[u8], json: &str| {
            let text = Text::from_bytes(bytes.to_vec());
            assert_eq!(serde_json::to_string(&text).unwrap(), json);
            assert_eq!(serde_json::from_str::<Text>(json).unwrap(), text);
        };
        check(b"claude", r#""claude""#);
        check("é\n".as_bytes(), r#""é\n""#);
        check(b"", r#""""#);
        check(b"a\xffb", r#"{"b64":"Yf9i"}"#);
        assert!(serde_json::from_str::<Text>(r#"{"b64":"*"}"#).is_err());
        assert_eq!(Text::from_bytes(b"a\x1bb".to_vec()).shown(), "a?b");
    }
}
