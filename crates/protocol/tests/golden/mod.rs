//! Reads the golden files: entries of a heading line and indented hexadecimal.

/// One entry: its heading and its bytes.
pub(crate) struct Entry {
    /// The line above the bytes.
    pub(crate) heading: String,
    /// The bytes.
    pub(crate) bytes: Vec<u8>,
}

/// Every entry of a golden file, in order.
pub(crate) fn read(text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for line in text
        .lines()
        .filter(|l| !l.starts_with('#') && !l.trim().is_empty())
    {
        if line.starts_with(' ') {
            let entry = entries.last_mut().expect("bytes follow a heading");
            entry
                .bytes
                .extend(line.split_whitespace().flat_map(from_hex));
        } else {
            entries.push(Entry {
                heading: line.to_owned(),
                bytes: Vec::new(),
            });
        }
    }
    entries
}

fn from_hex(text: &str) -> Vec<u8> {
    assert!(text.len().is_multiple_of(2), "{text} is not whole bytes");
    let byte = |i: usize| u8::from_str_radix(&text[i..i + 2], 16).expect("hexadecimal");
    (0..text.len()).step_by(2).map(byte).collect()
}
