//! The programs, what they look at, and the keys they get. In: a folder; out: files, and scripts that run
//! a program with the same environment on both sides. Promises: nothing on a screen depends on the time,
//! the machine or the user, so that two runs have the same to show.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program.
pub(crate) struct Program {
    /// What it is called in messages.
    pub(crate) name: &'static str,
    /// The file that must be installed.
    pub(crate) needs: &'static str,
    /// Only its last screen is the same in every run.
    pub(crate) moves: bool,
    command: &'static str,
    /// Keys, and what has to be on the screen then (a regular expression).
    pub(crate) steps: &'static [(&'static str, &'static str)],
}

/// Those that show the same in every run.
pub(crate) const PROGRAMS: &[Program] = &[
    Program {
        name: "vim",
        needs: "vim",
        moves: false,
        command: "vim -u NONE -i NONE -N -n --cmd 'set laststatus=2 ruler nomodeline background=dark t_RV= t_u7= t_RB= t_RF=' \
            -c 'syntax on' -c 'set number hlsearch list' code.c",
        steps: &[
            ("", "code.c.*1,1"),
            ("/return\r", "return"),
            ("G", "Bot|All"),
            ("ggVjj", "VISUAL LINE"),
            ("\u{1b}:vsplit text\r", "text "),
            (":set wrap\rG", "text "),
            ("onew line\u{1b}", "new line"),
            ("u:help\r", "help.txt|E433|E149"),
        ],
    },
    Program {
        name: "less",
        needs: "less",
        moves: false,
        command: "less -R text",
        steps: &[
            ("", "text"),
            (" ", ":|END"),
            ("/wide\r", "wide"),
            ("G", "END"),
            ("g-S\r", "first line"),
            ("h", "SUMMARY OF LESS COMMANDS"),
        ],
    },
    Program {
        name: "man",
        needs: "man",
        moves: false,
        command: "MANPAGER='less -R' MANWIDTH=$COLS_HERE man -l page.1",
        steps: &[
            ("", "NAME"),
            (" ", "option"),
            ("G", "END"),
            ("g/value\r", "value"),
        ],
    },
    Program {
        name: "mc",
        needs: "mc",
        moves: false,
        command: "mc -u -c files files/sub",
        steps: &[
            ("", "alpha"),
            ("\u{e}\u{e}\u{e}\u{e}", "alpha"),
            // Escape and a digit is a function key.
            ("\u{1b}9\r", "Quick view"),
            ("\u{1b}\u{1b}", "alpha"),
            ("\t\u{e}\u{e}\u{1b}3", "sub/deep"),
            ("\u{1b}0", "deeper"),
            ("\u{1b}0", "really want to quit"),
        ],
    },
    Program {
        name: "nano",
        needs: "nano",
        moves: false,
        command: "nano -I text",
        steps: &[
            ("", "GNU nano"),
            ("\u{16}", "first line|line"),
            ("new words ", "new words"),
            ("\u{17}wide\r", "wide"),
            ("\u{7}", "help text|Help"),
            ("\u{18}", "Help|text"),
            ("\u{18}", "Save modified"),
        ],
    },
    Program {
        name: "git log",
        needs: "git",
        moves: false,
        command: "GIT_PAGER='less -R' git -C repo log --graph --stat --color=always --all",
        steps: &[
            ("", "commit"),
            (" ", ":|END"),
            ("/third\r", "third"),
            ("G", "END"),
        ],
    },
    Program {
        name: "ls",
        needs: "ls",
        moves: false,
        command: "ls -lA --color=always --time-style=long-iso --group-directories-first files; \
            ls --color=always -C files/many; echo listed; exec cat",
        steps: &[("", "listed")],
    },
    Program {
        name: "top's help",
        needs: "top",
        moves: true,
        command: "top -d 900 -n 9",
        steps: &[("", "PID +USER"), ("h", "Help for Interactive Commands")],
    },
    Program {
        name: "htop's help",
        needs: "htop",
        moves: true,
        command: "htop -d 900",
        steps: &[("", "PID.*USER"), ("h", "CPU usage bar|Press any key")],
    },
];

/// Those whose screens no two runs have in common.
pub(crate) const RECORDED: &[Program] = &[
    Program {
        name: "top",
        needs: "top",
        moves: true,
        command: "top -d 900",
        steps: &[
            ("", "PID +USER"),
            ("c", "PID +USER"),
            ("x", "PID +USER"),
            ("1", "Cpu0|Cpu"),
        ],
    },
    Program {
        name: "htop",
        needs: "htop",
        moves: true,
        command: "htop -d 900",
        steps: &[
            ("", "PID.*USER"),
            ("t", "PID.*USER"),
            ("\u{1b}[B\u{1b}[B", "PID.*USER"),
            ("H", "PID.*USER"),
        ],
    },
];

/// Everything the programs look at.
pub(crate) fn prepare(work: &Path) {
    let write = |name: &str, text: &str| {
        let file = work.join(name);
        let folder = file.parent().unwrap_or(work);
        std::fs::create_dir_all(folder).expect("a folder");
        std::fs::write(file, text).expect("a file");
    };
    let mut code = String::from("/* A comment. */\n#include <stdio.h>\n\nint main(void)\n{\n");
    for n in 0..60 {
        let _ = writeln!(
            code,
            "\tprintf(\"%d of \\\"%s\\\"\\n\", {n}, \"text\"); /* {n} */"
        );
    }
    code.push_str("\treturn 0;\n}\n");
    write("code.c", &code);
    let mut text = String::from("first line\n\ttab\n");
    for n in 0..80 {
        let _ = match n % 5 {
            0 => writeln!(text, "line {n} {}", "and on ".repeat(30)),
            1 => writeln!(text, "\u{1b}[1;3{}mcoloured {n}\u{1b}[m plain", n % 8),
            2 => writeln!(text, "wide 漢字 and éa\u{301} and ｱ {n}"),
            3 => writeln!(text, "a\u{8}a_\u{8}b control \u{1} {n}"),
            _ => writeln!(text),
        };
    }
    write("text", &text);
    let mut page =
        String::from(".TH PAGE 1 2026-01-01 abide tests\n.SH NAME\npage \\- a page\n.SH OPTIONS\n");
    for n in 0..40 {
        let _ = writeln!(
            page,
            ".TP\n.BI \\-\\-option{n} \" value\"\nWhat \\fIoption\\fR {n} does, in words."
        );
    }
    write("page.1", &page);
    for name in [
        "alpha",
        "beta.txt",
        "gamma.tar.gz",
        "naïve 漢字",
        ".hidden",
        "sub/deep",
        "sub/deeper/x",
    ] {
        write(&format!("files/{name}"), name);
    }
    for n in 0..40 {
        write(
            &format!("files/many/file{n:02}.{}", ["c", "tar", "jpg"][n % 3]),
            "",
        );
    }
    // mc: nothing that differs from run to run.
    write(
        ".config/mc/ini",
        "[Midnight-Commander]\nconfirm_exit=true\nuse_internal_view=true\nsafe_delete=false\n\
         [Layout]\nmessage_visible=false\nfree_space=false\nxterm_title=false\ncommand_prompt=false\n",
    );
    shell(
        work,
        "touch -h -d 2026-01-02T03:04:05 files/* files/.hidden files/sub/* files/sub/deeper/*; \
        chmod 755 files/alpha; ln -sf alpha files/link; ln -sf gone files/broken; \
        touch -h -d 2026-01-02T03:04:05 files/link files/broken files files/sub files/many",
    );
    shell(
        work,
        "export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_DATE='2026-01-02T03:04:05Z' GIT_COMMITTER_DATE='2026-01-02T03:04:05Z'; \
         git init -q -b main repo && cd repo && git config user.name T && git config user.email t@example.com && \
         for n in first second third fourth; do for f in a b c; do echo $n >> $f.txt; done; git add .; \
         git commit -qm \"$n change\" -m 'Why it was made, in a line that is longer than some screens are wide, so that it goes on.'; \
         git branch b-$n; done && git checkout -q -b side b-second && echo side > s.txt && git add . && git commit -qm side && \
         git checkout -q main && git merge -q --no-edit side",
    );
}

fn shell(work: &Path, script: &str) {
    let done = Command::new("sh")
        .args(["-c", script])
        .current_dir(work)
        .output();
    let done = done.expect("sh runs");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{script}: {said}");
}

/// A script that runs a program, the same on both sides.
pub(crate) fn script(work: &Path, program: &Program) -> PathBuf {
    write_script(work, program.command)
}

/// One that records what it writes.
pub(crate) fn recorder(work: &Path, program: &Program, record: &Path) -> PathBuf {
    let command = format!(
        "script -qefc '{}' {} ; echo recording is over; exec cat",
        program.command,
        record.display()
    );
    write_script(work, &command)
}

fn write_script(work: &Path, command: &str) -> PathBuf {
    let file = work.join("run.sh");
    let path = std::env::var("PATH").unwrap_or_default();
    let work = work.display();
    // What both set differently is set here: the terminal's name, the environment, the folder.
    let text = format!(
        "cd {work}\nCOLS_HERE=$(stty size | cut -d' ' -f2)\nexec env -i HOME={work} PATH='{path}' \
         LANG=C.UTF-8 LC_ALL=C.UTF-8 TERM=xterm-256color TZ=UTC COLS_HERE=$COLS_HERE \
         sh -c \"$(cat <<'END'\n{command}\nEND\n)\"\n"
    );
    std::fs::write(&file, text).expect("a script");
    file
}

/// What a program wrote, without what `script` adds.
pub(crate) fn recorded(record: &Path) -> Vec<u8> {
    let bytes = std::fs::read(record).expect("the record");
    let start = bytes
        .iter()
        .position(|b| *b == b'\n')
        .map_or(0, |at| at + 1);
    let end = bytes
        .windows(15)
        .rposition(|part| part == b"\nScript done on");
    bytes[start..end.unwrap_or(bytes.len())].to_vec()
}
