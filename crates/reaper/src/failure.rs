//! Words for a program that could not be started: what, where, why, and never a bare number.

use crate::Stage;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

/// Most characters of a command line that are shown.
const SHOWN: usize = 200;

/// One line that names the command, the folder and the reason.
#[must_use]
pub fn describe_failure(argv: &[OsString], cwd: &Path, stage: Stage, errno: i32) -> String {
    let command = command_line(argv);
    let error = io::Error::from_raw_os_error(errno);
    let words = sys::files::plain(&error);
    let folder = cwd.display();
    match stage {
        Stage::Folder => match error.kind() {
            io::ErrorKind::NotFound => format!("cannot start `{command}`: no such folder {folder}"),
            io::ErrorKind::NotADirectory => {
                format!("cannot start `{command}`: {folder} is no folder")
            }
            _ => format!("cannot start `{command}`: cannot enter the folder {folder}: {words}"),
        },
        Stage::Pty => {
            format!("cannot start `{command}`: its terminal could not be set up: {words}")
        }
        Stage::Exec => {
            let program = argv.first().map(OsString::as_os_str).unwrap_or_default();
            let why = exec_reason(program, cwd, &error, &words);
            format!("cannot start `{command}`: {why} (folder {folder})")
        }
    }
}

/// Looks at the file again, since the system has one answer for a missing program and for a
/// script whose interpreter is missing.
fn exec_reason(program: &OsStr, cwd: &Path, error: &io::Error, words: &str) -> String {
    let name = program.display();
    let has_slash = program.as_encoded_bytes().contains(&b'/');
    let file = cwd.join(program);
    match error.kind() {
        io::ErrorKind::NotFound if program.is_empty() => "the program's name is empty".to_owned(),
        io::ErrorKind::NotFound if !has_slash => format!("no program {name} in PATH"),
        io::ErrorKind::NotFound if file.exists() => {
            format!(
                "{} is there, but the interpreter it names is not",
                file.display()
            )
        }
        io::ErrorKind::NotFound => format!("no such program {}", file.display()),
        io::ErrorKind::PermissionDenied if has_slash && file.is_dir() => {
            format!("{} is a folder", file.display())
        }
        // Also the answer when it is nowhere and some folder of PATH may not be searched.
        io::ErrorKind::PermissionDenied if !has_slash => {
            format!("no executable program {name} in PATH")
        }
        io::ErrorKind::PermissionDenied => format!("{name} is not executable"),
        _ => words.to_owned(),
    }
}

/// The command as somebody might type it, without control characters, cut to [`SHOWN`].
fn command_line(argv: &[OsString]) -> String {
    let mut line = String::new();
    for word in argv {
        if !line.is_empty() {
            line.push(' ');
        }
        let word: String = word
            .to_string_lossy()
            .chars()
            .map(|c| if c.is_control() { '?' } else { c })
            .collect();
        let plain = |c: char| !c.is_whitespace() && !"'\"`$\\|&;<>()*?[]#~".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            line.push_str(&word);
        } else {
            line.push_str(&format!("'{}'", word.replace('\'', r"'\''")));
        }
        if line.chars().count() > SHOWN {
            return line.chars().take(SHOWN).chain("...".chars()).collect();
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &[&str], stage: Stage, errno: rustix_errno::Number, expected: &str) {
        let argv: Vec<OsString> = words.iter().map(OsString::from).collect();
        let text = describe_failure(&argv, Path::new("/x"), stage, errno as i32);
        assert_eq!(text, expected);
    }

    /// The numbers of Linux and of every Unix.
    mod rustix_errno {
        #[derive(Clone, Copy)]
        pub(super) enum Number {
            NoEntry = 2,
            TooBig = 7,
            Access = 13,
            NotFolder = 20,
            NoTerminal = 25,
        }
    }

    #[test]
    fn each_failure_names_the_command_and_the_place() {
        use rustix_errno::Number::{Access, NoEntry, NoTerminal, NotFolder, TooBig};
        let say = "cannot start `claude --x`: ";
        for (stage, number, rest) in [
            (
                Stage::Exec,
                NoEntry,
                "no program claude in PATH (folder /x)",
            ),
            (
                Stage::Exec,
                Access,
                "no executable program claude in PATH (folder /x)",
            ),
            (Stage::Exec, TooBig, "Argument list too long (folder /x)"),
            (Stage::Folder, NoEntry, "no such folder /x"),
            (Stage::Folder, NotFolder, "/x is no folder"),
            (
                Stage::Folder,
                Access,
                "cannot enter the folder /x: Permission denied",
            ),
            (
                Stage::Pty,
                NoTerminal,
                "its terminal could not be set up: Inappropriate ioctl for device",
            ),
        ] {
            check(&["claude", "--x"], stage, number, &format!("{say}{rest}"));
        }
        let missing = "cannot start `./a`: no such program /x/./a (folder /x)";
        check(&["./a"], Stage::Exec, NoEntry, missing);
        let empty = "cannot start `''`: the program's name is empty (folder /x)";
        check(&[""], Stage::Exec, NoEntry, empty);
    }

    #[test]
    fn a_script_without_its_interpreter_is_told_from_a_missing_program() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("script"), "#!/no/such/interpreter\n").unwrap();
        let text = describe_failure(&["./script".into()], dir.path(), Stage::Exec, 2);
        assert!(
            text.contains("script is there, but the interpreter it names is not"),
            "{text}"
        );
    }

    #[test]
    fn a_command_line_is_quoted_cleaned_and_cut() {
        let line =
            |words: &[&str]| command_line(&words.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(line(&["sh", "-c", "echo it's"]), r"sh -c 'echo it'\''s'");
        assert_eq!(line(&["a\x1b[2Jb"]), "'a?[2Jb'");
        assert_eq!(line(&[&"x".repeat(5000)]).len(), SHOWN + 3);
    }
}
