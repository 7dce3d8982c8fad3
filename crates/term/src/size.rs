//! The size of a screen in cells. In: any two numbers; out: a size every
//! engine can hold. Promises that no engine ever sees a zero (reported as
//! `doy/vt100-rust#37`: a pty of 0x0 panicked) or a size that would eat memory.

/// Smallest and largest number of columns and rows.
pub const LIMIT: u16 = 1000;

/// Columns and rows of a screen, each within `1..=1000`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    /// Cells in one row.
    pub cols: u16,
    /// Rows of the screen.
    pub rows: u16,
}

impl Size {
    /// A size with both numbers clamped to `1..=1000`.
    #[must_use]
    pub fn new(cols: u16, rows: u16) -> Self {
        Self {
            cols: cols.clamp(1, LIMIT),
            rows: rows.clamp(1, LIMIT),
        }
    }

    /// The same size with its fields clamped, for sizes built by hand.
    #[must_use]
    pub fn clamped(self) -> Self {
        Self::new(self.cols, self.rows)
    }

    /// Cells of the whole screen, at most a million.
    #[must_use]
    pub fn cells(self) -> usize {
        usize::from(self.cols) * usize::from(self.rows)
    }
}

impl Default for Size {
    /// 80 columns, 24 rows.
    fn default() -> Self {
        Self { cols: 80, rows: 24 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_and_huge_are_clamped() {
        for (cols, rows, want) in [
            (0, 0, (1, 1)),
            (1, 1000, (1, 1000)),
            (65535, 65535, (1000, 1000)),
            (120, 40, (120, 40)),
        ] {
            let size = Size::new(cols, rows);
            assert_eq!((size.cols, size.rows), want);
        }
    }
}
