//! Numbers in decimal and paths, without allocating.

/// Reads an unsigned number that is all of `text`.
pub fn number(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0_u64, |sum, byte| {
        let digit = byte.checked_sub(b'0').filter(|it| *it < 10)?;
        sum.checked_mul(10)?.checked_add(digit.into())
    })
}

/// Reads a number that may have a sign.
pub fn signed(text: &[u8]) -> Option<i32> {
    match text {
        [b'-', rest @ ..] => i32::try_from(number(rest)?).ok().map(|it| -it),
        _ => i32::try_from(number(text)?).ok(),
    }
}

/// A text of bounded length that is written piece by piece.
pub struct Text<const N: usize> {
    bytes: [u8; N],
    length: usize,
    /// Something did not fit.
    cut: bool,
}

impl<const N: usize> Text<N> {
    pub const fn new() -> Self {
        Self {
            bytes: [0; N],
            length: 0,
            cut: false,
        }
    }

    pub fn add(mut self, more: &[u8]) -> Self {
        let end = self.length + more.len();
        match self.bytes.get_mut(self.length..end) {
            Some(room) => {
                room.copy_from_slice(more);
                self.length = end;
            }
            None => self.cut = true,
        }
        self
    }

    pub fn number(self, mut number: u64) -> Self {
        let mut digits = [0_u8; 20];
        let mut from = digits.len();
        for digit in digits.iter_mut().rev() {
            *digit = b'0' + (number % 10) as u8;
            from -= 1;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        self.add(digits.get(from..).unwrap_or_default())
    }

    /// What was written; `None` if it did not fit.
    pub fn get(&self) -> Option<&[u8]> {
        self.bytes.get(..self.length).filter(|_| !self.cut)
    }
}

/// The bytes of a text of the kernel's, without its zero.
///
/// # Safety
/// `text` is null or an argument or environment entry that the kernel made, which is never changed.
pub unsafe fn bytes<'a>(text: *const u8) -> &'a [u8] {
    if text.is_null() {
        return &[];
    }
    let mut length = 0;
    // SAFETY: the text has a zero, and nothing behind it is read.
    while unsafe { *text.add(length) } != 0 {
        length += 1;
    }
    // SAFETY: these bytes were just read.
    unsafe { core::slice::from_raw_parts(text, length) }
}

pub fn words(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes
        .split(|b| *b == b' ' || *b == b'\n')
        .filter(|it| !it.is_empty())
}
