//! Where terminals disagree about a cell's columns. In: cells; out: what might be covered, what is sure. Pure.

use crate::canvas::width;
use ratatui::buffer::Cell;
use unicode_width::UnicodeWidthChar;

/// Columns that some terminal might let a cell cover.
pub(super) fn reach(cell: &Cell) -> u16 {
    let symbol = cell.symbol();
    if steady(symbol) {
        return width(cell).max(1);
    }
    let each: usize = symbol.chars().filter_map(UnicodeWidthChar::width_cjk).sum();
    u16::try_from(each).unwrap_or(2).clamp(2, 16)
}

/// Every terminal gives this symbol the same width.
pub(super) fn steady(symbol: &str) -> bool {
    let mut chars = symbol.chars();
    let (Some(c), None) = (chars.next(), chars.next()) else {
        return symbol.is_empty();
    };
    // Emoji and the symbols that can become emoji: tables differ by Unicode version.
    let emoji = matches!(c, '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' | '\u{1f000}'..);
    c.is_ascii() || (!emoji && c.width() == c.width_cjk())
}

/// A terminal that goes by UAX #29 alone puts the cell at `x` into the one before (Thai SARA AM, Indic
/// vowel signs and conjuncts), another one beside it.
pub(super) fn clings(row: &[Cell], x: u16) -> bool {
    let symbol = |x: usize| row.get(x).map_or("", Cell::symbol);
    let x = usize::from(x);
    let own = symbol(x).chars().next().filter(|c| !c.is_ascii());
    let (Some(own), Some(left)) = (own, x.checked_sub(1)) else {
        return false;
    };
    // The second half of a wide cell is empty.
    let before = match (symbol(left), left.checked_sub(1)) {
        ("", Some(left)) => symbol(left),
        (before, _) => before,
    };
    term::width::clings(before, own)
}
