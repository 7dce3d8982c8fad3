//! The head of a control sequence or DCS: prefix, parameters with sub-parameters, intermediates.
//! Plain data of fixed size; equal heads compare equal.

/// Most parameter values of one sequence, sub-parameters counted; later ones are ignored.
pub const MAX_VALUES: usize = 32;
/// Most intermediates of one sequence; with more it has no effect.
const MAX_INTERMEDIATES: usize = 2;

/// Parameters: groups of values. `38:2::1:2:3;4` is two groups, `[38, 2, 0, 1, 2, 3]` and `[4]`.
/// A missing value is 0; numbers above 65535 are 65535.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Params {
    values: [u16; MAX_VALUES],
    len: u8,
    /// Bit n: value n continues the group of the value before.
    continues: u32,
}

impl Params {
    /// Number of groups; at least 1 in a finished sequence.
    pub fn len(&self) -> usize {
        usize::from(self.len) - self.continues.count_ones() as usize
    }

    /// Number of values, sub-parameters counted.
    pub fn values(&self) -> usize {
        usize::from(self.len)
    }

    /// True only in an unfinished sequence.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The groups in order, none of them empty.
    pub fn iter(&self) -> ParamsIter<'_> {
        ParamsIter {
            params: self,
            at: 0,
        }
    }

    /// All values, if none is a sub-parameter.
    #[inline]
    pub fn flat(&self) -> Option<&[u16]> {
        if self.continues != 0 {
            return None;
        }
        self.values.get(..usize::from(self.len))
    }

    /// The first value of group `index`; 0 if there is none.
    #[inline]
    pub fn get(&self, index: usize) -> u16 {
        if self.continues == 0 {
            // Behind the last one all are 0.
            return self.values.get(index).copied().unwrap_or(0);
        }
        self.iter().nth(index).map_or(0, |group| group[0])
    }

    /// The first value of group `index`; `default` if it is missing or 0.
    #[inline]
    pub fn or(&self, index: usize, default: u16) -> u16 {
        match self.get(index) {
            0 => default,
            value => value,
        }
    }

    #[inline]
    fn push(&mut self, value: u16, continues: bool) -> bool {
        let at = usize::from(self.len);
        let Some(slot) = self.values.get_mut(at) else {
            return false;
        };
        *slot = value;
        self.continues |= u32::from(continues) << at;
        self.len += 1;
        true
    }

    #[inline]
    fn last(&self) -> u16 {
        let last = usize::from(self.len).checked_sub(1);
        last.and_then(|last| self.values.get(last))
            .map_or(0, |&value| value)
    }

    #[inline]
    fn set_last(&mut self, value: u16) {
        if let Some(last) = usize::from(self.len).checked_sub(1)
            && let Some(place) = self.values.get_mut(last)
        {
            *place = value;
        }
    }

    #[inline]
    fn clear(&mut self) {
        if self.len <= 2 {
            // Nearly always, and without a call.
            self.values[0] = 0;
            self.values[1] = 0;
        } else {
            self.values[..usize::from(self.len)].fill(0);
        }
        self.len = 0;
        self.continues = 0;
    }
}

impl<'a> IntoIterator for &'a Params {
    type Item = &'a [u16];
    type IntoIter = ParamsIter<'a>;

    fn into_iter(self) -> ParamsIter<'a> {
        self.iter()
    }
}

/// Iterator over the groups of [`Params`].
#[derive(Clone, Debug)]
pub struct ParamsIter<'a> {
    params: &'a Params,
    at: usize,
}

impl<'a> Iterator for ParamsIter<'a> {
    type Item = &'a [u16];

    fn next(&mut self) -> Option<&'a [u16]> {
        let len = usize::from(self.params.len);
        if self.at >= len {
            return None;
        }
        let start = self.at;
        self.at += 1;
        while self.at < len && self.params.continues >> self.at & 1 == 1 {
            self.at += 1;
        }
        Some(&self.params.values[start..self.at])
    }
}

/// Everything of a sequence but its final byte.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sequence {
    params: Params,
    prefix: u8,
    intermediates: [u8; MAX_INTERMEDIATES],
    intermediate_len: u8,
    /// More values came than are kept.
    full: bool,
}

/// What a byte of a head was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Taken {
    Param,
    Intermediate,
    Final,
    Wrong,
}

impl Sequence {
    /// The private marker `<`, `=`, `>` or `?` before the parameters; 0 if there is none.
    pub fn prefix(&self) -> u8 {
        self.prefix
    }

    /// Intermediates (0x20..=0x2f), at most two.
    pub fn intermediates(&self) -> &[u8] {
        &self.intermediates[..usize::from(self.intermediate_len)]
    }

    /// The parameters; at least one group.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// True without prefix and intermediates.
    pub fn is_plain(&self) -> bool {
        self.prefix == 0 && self.intermediate_len == 0
    }

    /// Takes one byte 0x20..=0x7e; `entry`: it is the first, `late`: an intermediate came before.
    pub(super) fn take(&mut self, entry: bool, late: bool, byte: u8) -> Taken {
        match byte {
            b'<'..=b'?' if entry => {
                self.prefix = byte;
                Taken::Param
            }
            b'0'..=b';' if !late => {
                self.param_byte(byte);
                Taken::Param
            }
            0x20..=0x2f if self.push_intermediate(byte) => Taken::Intermediate,
            0x40..=0x7e => Taken::Final,
            _ => Taken::Wrong,
        }
    }

    fn param_byte(&mut self, byte: u8) {
        self.take_params(&[byte]);
    }

    /// Takes the digits and separators at the start of `bytes`; gives how many.
    #[inline]
    pub(super) fn take_params(&mut self, bytes: &[u8]) -> usize {
        if !matches!(bytes.first(), Some(b'0'..=b';')) {
            return 0;
        }
        if self.params.is_empty() {
            self.params.push(0, false);
        }
        let mut value = u32::from(self.params.last());
        let mut at = 0;
        loop {
            match bytes.get(at) {
                Some(&digit @ b'0'..=b'9') => {
                    value = (value * 10 + u32::from(digit - b'0')).min(u32::from(u16::MAX));
                }
                Some(&separator @ (b';' | b':')) => {
                    self.set_value(value);
                    self.full |= !self.params.push(0, separator == b':');
                    value = 0;
                }
                _ => break,
            }
            at += 1;
        }
        self.set_value(value);
        at
    }

    /// The value being read; one that came after all room was taken is dropped.
    #[inline]
    fn set_value(&mut self, value: u32) {
        if !self.full {
            self.params
                .set_last(u16::try_from(value).unwrap_or(u16::MAX));
        }
    }

    /// Adds an intermediate; false if there is no room.
    pub(super) fn push_intermediate(&mut self, byte: u8) -> bool {
        let at = usize::from(self.intermediate_len);
        let Some(slot) = self.intermediates.get_mut(at) else {
            return false;
        };
        *slot = byte;
        self.intermediate_len += 1;
        true
    }

    /// Makes the parameters those of a finished sequence: none written is one that is missing.
    pub(super) fn close(&mut self) {
        if self.params.is_empty() {
            self.params.push(0, false);
        }
    }

    pub(super) fn clear(&mut self) {
        self.params.clear();
        self.prefix = 0;
        self.intermediates = [0; MAX_INTERMEDIATES];
        self.intermediate_len = 0;
        self.full = false;
    }

    /// Writes `ESC`, `introducer` and this head as it would have been sent.
    pub(super) fn write(&self, introducer: u8, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&[0x1b, introducer]);
        if self.prefix != 0 {
            bytes.push(self.prefix);
        }
        for at in 0..usize::from(self.params.len) {
            if at > 0 {
                bytes.push(if self.params.continues >> at & 1 == 1 {
                    b':'
                } else {
                    b';'
                });
            }
            bytes.extend_from_slice(self.params.values[at].to_string().as_bytes());
        }
        if self.full {
            bytes.push(b';');
        }
        bytes.extend_from_slice(self.intermediates());
    }
}
