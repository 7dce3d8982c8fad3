//! The text of `/proc/PID/stat`, whose second field is a name chosen by the program and may hold
//! spaces, parentheses and newlines, and the users in `/proc/PID/status`, where the kernel writes
//! such a name with its control characters escaped.

use super::Stat;

/// Reads one `stat` line. `None`: it is not one.
pub(super) fn parse(bytes: &[u8]) -> Option<Stat> {
    // The name is everything between the first `(` and the *last* `)`: no later field has one.
    let open = bytes.iter().position(|b| *b == b'(')?;
    let close = bytes.iter().rposition(|b| *b == b')')?;
    let comm = bytes.get(open + 1..close)?;
    let pid = number(std::str::from_utf8(&bytes[..open]).ok()?)?;
    let rest = std::str::from_utf8(bytes.get(close + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?.chars().next()?;
    let ppid = number(fields.next()?)?;
    let pgrp = number(fields.next()?)?;
    let session = number(fields.next()?)?;
    // Fields 7 to 19 are not needed, 20 is the number of threads, 21 is not needed, 22 the start.
    let threads = number(fields.nth(13)?)?;
    let start = number(fields.nth(1)?)?;
    let comm = String::from_utf8_lossy(comm).into_owned();
    Some(Stat {
        pid,
        ppid,
        pgrp,
        session,
        state,
        start,
        threads,
        comm,
    })
}

/// Whether a `stat` line says that the place of the environment is known, and that it is empty.
pub(super) fn has_no_environment(bytes: &[u8]) -> bool {
    let end = bytes
        .iter()
        .rposition(|b| *b == b')')
        .unwrap_or(bytes.len());
    let rest = std::str::from_utf8(bytes.get(end + 1..).unwrap_or_default());
    // The state is field 3; 50 and 51 are where the environment begins and ends, 0 when hidden.
    let mut fields = rest.unwrap_or_default().split_ascii_whitespace().skip(47);
    let (from, to) = (fields.next(), fields.next());
    from.is_some_and(|it| it != "0") && from == to
}

/// The one user in the four fields of the `Uid:` line.
pub(super) fn user(status: &[u8]) -> Option<u32> {
    let lines = status.split(|b| *b == b'\n');
    let line = lines.filter_map(|it| it.strip_prefix(b"Uid:")).next()?;
    let fields = std::str::from_utf8(line).ok()?.split_ascii_whitespace();
    let users: Vec<u32> = fields.map(number).collect::<Option<_>>()?;
    let [first, rest @ ..] = users.as_slice() else {
        return None;
    };
    (users.len() == 4 && rest.iter().all(|it| it == first)).then_some(*first)
}

/// The pids that hold a lock (not those that wait for one) on a file with this inode, in
/// `/proc/locks`. A file of the same inode on another disk cannot be told apart: on layered file
/// systems the device stated there is not the one a program sees.
pub(super) fn lock_holders(text: &str, inode: u64) -> Vec<i32> {
    let holder = |line: &str| {
        let mut fields = line.split_ascii_whitespace();
        // "1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF"; a waiter has "->" in the second place.
        fields.next()?.strip_suffix(':')?;
        if fields.next()? == "->" {
            return None;
        }
        let pid: i32 = number(fields.nth(2)?)?;
        let (_, of) = fields.next()?.rsplit_once(':')?;
        (number::<u64>(of)? == inode && pid > 0).then_some(pid)
    };
    text.lines().filter_map(holder).collect()
}

fn number<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str) {
        let line = format!(
            "42 ({name}) S 7 41 40 34816 41 4194304 1 2 3 4 5 6 7 8 20 0 9 0 777 1000 200 18446744073709551615\n"
        );
        let stat = parse(line.as_bytes()).expect(name);
        let found = (stat.pid, stat.ppid, stat.pgrp, stat.session, stat.state);
        assert_eq!(found, (42, 7, 41, 40, 'S'), "{name}");
        assert_eq!((stat.threads, stat.start), (9, 777), "{name}");
        assert_eq!(stat.comm, name);
    }

    #[test]
    fn any_name_is_read() {
        for name in [
            "cat",
            "",
            "a b",
            ") (",
            ")",
            "(",
            "1 (x) S 1 1 1",
            "new\nline",
            "é",
        ] {
            check(name);
        }
    }

    #[test]
    fn an_environment_that_is_known_to_be_empty() {
        for (from, to, want) in [("70", "70", true), ("70", "90", false), ("0", "0", false)] {
            let fields = vec!["1"; 46].join(" ");
            let line = format!("42 (a) b) S {fields} {from} {to} 0\n");
            assert_eq!(has_no_environment(line.as_bytes()), want, "{line}");
        }
        for bad in ["", "42 (a) S 1 2 3", "42 (a"] {
            assert!(!has_no_environment(bad.as_bytes()), "{bad}");
        }
    }

    #[test]
    fn a_process_between_two_users_has_no_user() {
        let status = |uid: &str| user(format!("Name:\tx\nUmask:\t0\n{uid}\nGid:\t1\n").as_bytes());
        assert_eq!(status("Uid:\t1000\t1000\t1000\t1000"), Some(1000));
        for bad in [
            "Uid:\t1000\t0\t0\t0",
            "Uid:\t0\t0\t1000\t0",
            "Uid:\t1 1 1",
            "Uid:",
            "Uid:\tx\tx\tx\tx",
            "",
        ] {
            assert_eq!(status(bad), None, "{bad}");
        }
    }

    #[test]
    fn locks_name_their_holders() {
        let text = "\
1: FLOCK  ADVISORY  WRITE 708 00:1a:5678 0 EOF
2: POSIX  ADVISORY  READ 709 08:01:5678 128 128
2: -> FLOCK  ADVISORY  WRITE 710 00:1a:5678 0 EOF
3: FLOCK  ADVISORY  WRITE 0 00:1a:5678 0 EOF
4: FLOCK  ADVISORY  WRITE 711 00:1a:56789 0 EOF
nonsense
5: OFDLCK ADVISORY  READ -1 00:06:5678 0 EOF
";
        assert_eq!(lock_holders(text, 5678), [708, 709]);
        assert_eq!(lock_holders(text, 56789), [711]);
        assert_eq!(lock_holders("", 1), [0; 0]);
    }

    #[test]
    fn what_is_no_stat_line_is_none() {
        for bytes in [
            &b""[..],
            b"(",
            b")",
            b")(",
            b"1 (a)",
            b"1 (a) S",
            b"x (a) S 1 2 3",
            b"\xff",
        ] {
            assert_eq!(parse(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn a_line_cut_anywhere_is_none_or_right() {
        let line = b"42 (a b) S 7 41 40 34816 41 4194304 1 2 3 4 5 6 7 8 20 0 9 0 777 1000";
        for end in 0..line.len() {
            if let Some(stat) = parse(&line[..end]) {
                assert!("777".starts_with(&stat.start.to_string()), "cut at {end}");
            }
        }
    }

    #[test]
    fn a_name_that_is_no_text_is_kept_readable() {
        let line = b"42 (\xff\xfe) S 7 41 40 34816 41 4194304 1 2 3 4 5 6 7 8 20 0 9 0 777 1000";
        assert_eq!(parse(line).map(|it| it.start), Some(777));
    }
}
