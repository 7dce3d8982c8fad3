//! Folders a program tells: OSC 7 (a URL), OSC 9;9 and OSC 1337 CurrentDir (plain paths).

/// Longest path that is believed, bytes (PATH_MAX of Linux).
const PATH_LIMIT: usize = 4096;

/// The path of `file://host/path`, percent-decoded, or of `kitty-shell-cwd://host/path`, which
/// is not encoded. The host is dropped. `None` if it is no absolute path.
pub(super) fn from_url(url: &[u8]) -> Option<Vec<u8>> {
    if let Some(rest) = url.strip_prefix(b"file://") {
        return accept(decode(after_host(rest)?)?);
    }
    if let Some(rest) = url.strip_prefix(b"kitty-shell-cwd://") {
        return plain(after_host(rest)?);
    }
    // Some shells leave the scheme out.
    accept(decode(url)?)
}

/// A path that is not encoded.
pub(super) fn plain(path: &[u8]) -> Option<Vec<u8>> {
    accept(path.to_vec())
}

fn after_host(rest: &[u8]) -> Option<&[u8]> {
    rest.iter().position(|&b| b == b'/').map(|at| &rest[at..])
}

/// Absolute, of bearable length, without controls (a path with ESC or a line end would act on
/// whoever prints it).
fn accept(path: Vec<u8>) -> Option<Vec<u8>> {
    let good = path.first() == Some(&b'/')
        && path.len() <= PATH_LIMIT
        && !path.iter().any(u8::is_ascii_control);
    good.then_some(path)
}

/// Percent-decoding; a `%` without two hex digits is itself.
fn decode(text: &[u8]) -> Option<Vec<u8>> {
    if text.len() > 3 * PATH_LIMIT {
        return None;
    }
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, behind)) = rest.split_first() {
        let pair = behind.split_at_checked(2).filter(|_| first == b'%');
        match pair.and_then(|(digits, after)| Some((hex(digits)?, after))) {
            Some((byte, after)) => {
                out.push(byte);
                rest = after;
            }
            None => {
                out.push(first);
                rest = behind;
            }
        }
    }
    Some(out)
}

fn hex(digits: &[u8]) -> Option<u8> {
    let digit = |b: u8| char::from(b).to_digit(16);
    let value = digits
        .iter()
        .try_fold(0, |value, &b| Some(value * 16 + digit(b)?))?;
    u8::try_from(value).ok()
}
