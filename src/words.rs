//! Facts in words: exit states, ages, tables. Pure.

use protocol::msg::{EXITED, PaneFacts, RUNNING, STOPPED};
use term::width::text_width;

/// How a program ended, from its raw wait status: "exited 3", "killed by SIGKILL".
#[must_use]
pub fn ending(raw: i32) -> String {
    match raw & 0x7f {
        0 => format!("exited {}", (raw >> 8) & 0xff),
        signal => format!("killed by {}", signal_name(signal)),
    }
}

/// The shell's number for an ending: the status, or 128 + the signal.
#[must_use]
pub const fn exit_code(raw: i32) -> i32 {
    match raw & 0x7f {
        0 => (raw >> 8) & 0xff,
        signal => 128 + signal,
    }
}

fn signal_name(signal: i32) -> String {
    let name = match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        other => return format!("signal {other}"),
    };
    name.to_owned()
}

/// The state of a pane as a word of the contract: `exited`, `stopped`, or `unknown` for a running
/// program, since a running program says nothing about what its agent does.
#[must_use]
pub const fn state(facts: &PaneFacts) -> &'static str {
    match facts.state {
        EXITED => "exited",
        STOPPED => "stopped",
        _ => "unknown",
    }
}

/// What the pane's program does as a process: `running`, `stopped` or `exited`.
#[must_use]
pub const fn process(facts: &PaneFacts) -> &'static str {
    match facts.state {
        EXITED => "exited",
        STOPPED => "stopped",
        _ => "running",
    }
}

/// The state of a pane for people.
#[must_use]
pub fn state_for_people(facts: &PaneFacts) -> String {
    match facts.state {
        RUNNING => "running".to_owned(),
        STOPPED => "stopped".to_owned(),
        EXITED => ending(facts.raw_status),
        other => format!("state {other}"),
    }
}

/// Milliseconds as "5s", "12m", "3h", "2d".
#[must_use]
pub fn age(ms: u64) -> String {
    let seconds = ms / 1000;
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// An argv as one readable line, at most `max` characters, control characters shown as `?`.
#[must_use]
pub fn argv(argv: &[Vec<u8>], max: usize) -> String {
    let joined = argv
        .iter()
        .map(|word| text(word))
        .collect::<Vec<_>>()
        .join(" ");
    shorten(&joined, max)
}

/// Bytes as text that cannot steer a terminal.
#[must_use]
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes)
        .chars()
        .map(|c| if c.is_control() { '?' } else { c })
        .collect()
}

/// At most `max` characters, the cut shown.
#[must_use]
pub fn shorten(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    text.chars()
        .take(max.saturating_sub(1))
        .chain(['…'])
        .collect()
}

/// The end of it in at most `max` characters, the cut shown.
#[must_use]
pub fn end_of(text: &str, max: usize) -> String {
    let over = text.chars().count().saturating_sub(max);
    match over {
        0 => text.to_owned(),
        over => std::iter::once('…')
            .chain(text.chars().skip(over + 1))
            .collect(),
    }
}

/// A number of things: "1 pane", "2 panes".
#[must_use]
pub fn count(number: usize, thing: &str) -> String {
    count_as(number, thing, &format!("{thing}s"))
}

/// The same of things whose name takes another form: "1 copy", "2 copies".
#[must_use]
pub fn count_as(number: usize, one: &str, many: &str) -> String {
    let word = if number == 1 { one } else { many };
    format!("{number} {word}")
}

/// Rows as aligned columns by the width a terminal gives them; the last column is not padded.
#[must_use]
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| text_width(cell))
            .max()
    };
    let widths: Vec<usize> = (0..columns)
        .map(|column| width(column).unwrap_or_default())
        .collect();
    let lines = rows.iter().map(|row| {
        let cells = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell}{}", " ".repeat(width - text_width(cell))));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_told_apart() {
        let check = |raw: i32, words: &str, code: i32| {
            assert_eq!((ending(raw).as_str(), exit_code(raw)), (words, code));
        };
        check(0, "exited 0", 0);
        check(3 << 8, "exited 3", 3);
        check(9, "killed by SIGKILL", 137);
        check(11 | 0x80, "killed by SIGSEGV", 139);
        check(34, "killed by signal 34", 162);
    }

    #[test]
    fn ages_and_tables() {
        assert_eq!(
            [0, 59_999, 60_000, 7_200_000, 172_800_000].map(age),
            ["0s", "59s", "1m", "2h", "2d"]
        );
        let rows = [
            vec!["ID".to_owned(), "X".to_owned()],
            vec!["p1".to_owned(), "é b".to_owned()],
        ];
        assert_eq!(table(&rows), "ID  X\np1  é b");
        let wide = [["日本", "x"], ["ab", "y"], ["e\u{301}", "z"]];
        let wide = wide.map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(table(&wide), "日本  x\nab    y\ne\u{301}     z");
        assert_eq!(end_of("abcdef", 4), "…def");
        assert_eq!(
            [0, 1, 2].map(|n| count(n, "pane")),
            ["0 panes", "1 pane", "2 panes"]
        );
        assert_eq!(argv(&[b"sh".to_vec(), b"-c\n".to_vec()], 9), "sh -c?");
        assert_eq!(shorten("abcdef", 4), "abc…");
        let copies = |number| count_as(number, "copy", "copies");
        assert_eq!([copies(1), copies(2)], ["1 copy", "2 copies"]);
        assert_eq!([count(0, "pane"), count(1, "pane")], ["0 panes", "1 pane"]);
    }
}
