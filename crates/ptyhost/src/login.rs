//! The environment the user's own terminal would have: asked from a login-interactive shell.
//!
//! In: the user's shell. Out: variables, or why there are none. Promises: the shell sees no
//! terminal and no input, has [`PATIENCE`], and what it or its start files print is not mistaken for
//! the answer (random marks stand around it); at most [`MAX`] bytes are kept; values are never
//! logged or stored.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;

/// Names and values.
pub(crate) type Variables = Vec<(Vec<u8>, Vec<u8>)>;

/// Time the shell has.
const PATIENCE: Duration = Duration::from_secs(10);
/// Most bytes of the shell's output that are looked at.
const MAX: usize = 1024 * 1024;
/// Set while the shell runs, so that start files can tell; not part of the answer.
const RESOLVING: &str = "ABIDE_RESOLVING_ENVIRONMENT";

/// A shell that was asked.
pub(crate) struct Asked {
    /// Its process id and process group; whoever owns the waits waits for it.
    pub(crate) pid: i32,
    /// Its standard output.
    output: pipe::Receiver,
    mark: String,
}

/// Starts the shell.
pub(crate) fn ask(shell: &std::ffi::OsStr) -> io::Result<Asked> {
    let mark = crate::state::hex(&rand::random::<[u8; 16]>());
    let script = format!("printf '%s\\0' {mark}; /usr/bin/env -0; printf '%s\\0' {mark}");
    let mut child = Command::new(shell)
        .args(["-lic", &script])
        .env(RESOLVING, "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()?;
    let pid = i32::try_from(child.id()).map_err(io::Error::other)?;
    let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    Ok(Asked {
        pid,
        output: pipe::Receiver::from_owned_fd(OwnedFd::from(output))?,
        mark,
    })
}

/// Reads the answer; on a failure says why there is none.
pub(crate) async fn answer(asked: Asked) -> Result<Variables, String> {
    let Asked {
        mut output, mark, ..
    } = asked;
    let mark = format!("{mark}\0").into_bytes();
    let mut said = Vec::new();
    let until_mark = async {
        let mut chunk = [0; 4096];
        loop {
            match output.read(&mut chunk).await {
                Ok(0) => return Err("it said nothing that can be used".to_owned()),
                Ok(n) => said.extend_from_slice(&chunk[..n]),
                Err(error) => return Err(error.to_string()),
            }
            if let Some(between) = between(&said, &mark) {
                return Ok(parse(between));
            }
            if said.len() > MAX {
                return Err(format!("it said more than {MAX} bytes"));
            }
        }
    };
    tokio::time::timeout(PATIENCE, until_mark)
        .await
        .unwrap_or_else(|_| Err("it did not answer within 10 s".to_owned()))
}

/// What stands between the first two marks.
fn between<'a>(said: &'a [u8], mark: &[u8]) -> Option<&'a [u8]> {
    let find = |bytes: &[u8]| bytes.windows(mark.len()).position(|window| window == mark);
    let rest = &said[find(said)? + mark.len()..];
    Some(&rest[..find(rest)?])
}

fn parse(text: &[u8]) -> Variables {
    let variable = |entry: &[u8]| {
        let at = entry.iter().position(|&b| b == b'=')?;
        Some((entry[..at].to_vec(), entry[at + 1..].to_vec()))
    };
    let all = text.split(|&b| b == 0).filter_map(variable);
    all.filter(|(name, _)| !name.is_empty() && name != RESOLVING.as_bytes())
        .collect()
}

/// This process's own environment.
pub(crate) fn own() -> Variables {
    use std::os::unix::ffi::OsStringExt;
    std::env::vars_os()
        .map(|(name, value)| (name.into_vec(), value.into_vec()))
        .collect()
}

/// The user's shell: `$SHELL`, else the one of the user data base, else `/bin/sh`.
pub(crate) fn shell() -> std::ffi::OsString {
    let absolute = |path: &std::ffi::OsString| std::path::Path::new(path).is_absolute();
    std::env::var_os("SHELL")
        .filter(absolute)
        .unwrap_or_else(|| {
            let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
            shell_of(&users, sys::peer::my_uid())
                .unwrap_or("/bin/sh")
                .into()
        })
}

fn shell_of(users: &str, uid: u32) -> Option<&str> {
    let uid = uid.to_string();
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        (fields.nth(2) == Some(uid.as_str())).then(|| fields.nth(3))?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(said: &[u8], expected: Option<&[(&str, &str)]>) {
        let parsed = between(said, b"MARK\0").map(parse);
        let expected = expected.map(|all| {
            all.iter()
                .map(|(n, v)| (n.as_bytes().to_vec(), v.as_bytes().to_vec()))
                .collect()
        });
        assert_eq!(parsed, expected, "{:?}", said.escape_ascii());
    }

    #[test]
    fn only_what_stands_between_the_marks_counts() {
        check(
            b"motd A=1\nMARK\0B=2\0C=a=b\nc\0MARK\0D=4\0",
            Some(&[("B", "2"), ("C", "a=b\nc")]),
        );
        check(b"MARK\0MARK\0", Some(&[]));
        check(
            b"MARK\0=x\0junk\0ABIDE_RESOLVING_ENVIRONMENT=1\0A=\0MARK\0",
            Some(&[("A", "")]),
        );
        check(b"MARK\0B=2\0", None);
        check(b"", None);
    }

    #[test]
    fn the_data_base_knows_the_shell() {
        let users = "root:x:0:0:root:/root:/bin/bash\nme:x:1000:1000:Me,,:/home/me:/usr/bin/zsh\n";
        assert_eq!(shell_of(users, 1000), Some("/usr/bin/zsh"));
        assert_eq!(shell_of(users, 7), None);
    }

    #[test]
    fn a_real_shell_answers_and_a_silent_one_is_an_error() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let variables = answer(ask("/bin/bash".as_ref()).unwrap()).await.unwrap();
            assert!(variables.iter().any(|(name, _)| name == b"PATH"));
            assert!(answer(ask("/bin/true".as_ref()).unwrap()).await.is_err());
            assert!(ask("/no/such/shell".as_ref()).is_err());
        });
    }
}
