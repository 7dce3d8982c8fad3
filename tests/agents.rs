//! `abide agents`: what is installed, whether it can be resumed and from where that is known; a data
//! file is checked with words that help. Fake programs on a PATH of their own stand for the CLIs.

#![cfg(test)]

use insta::assert_snapshot;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use testkit::Home;

struct World {
    home: Home,
    bin: PathBuf,
}

impl World {
    /// A sealed home whose PATH holds only these programs.
    fn new(programs: &[(&str, &str)]) -> Self {
        let mut home = Home::new(env!("CARGO_BIN_EXE_abide"));
        let bin = home.path().join("bin");
        fs::create_dir_all(&bin).expect("made");
        for (name, script) in programs {
            let file = bin.join(name);
            fs::write(&file, format!("#!/bin/sh\n{script}\n")).expect("written");
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("executable");
        }
        home.set_env("PATH", &bin);
        Self { home, bin }
    }

    fn data(&self, name: &str, text: &str) -> PathBuf {
        let folder = self.home.abide_home().join("config/agents");
        fs::create_dir_all(&folder).expect("made");
        fs::write(folder.join(name), text).expect("written");
        folder.join(name)
    }

    fn told(&self, words: &[&str]) -> String {
        let output = self.home.abide(words).run();
        let mut text = format!("[{}]\n{}", output.code, output.stdout);
        for line in output.stderr.lines() {
            text.push_str(&format!("! {line}\n"));
        }
        text.replace(&self.home.path().display().to_string(), "HOME")
    }
}

#[test]
fn what_is_installed_is_told_with_the_reasons() {
    let world = World::new(&[
        ("claude", "echo '2.1.332 (Claude Code)'"),
        ("codex", "echo 'codex-cli 0.171.0'; echo talk >&2"),
        ("gemini", "echo 0.61.0"),
        ("kimi", "echo 'kimi-cli is no longer maintained'"),
        ("openclaw", "echo 2026.9.6"),
        ("droid", "echo 0.215.0"),
        ("goose", "exit 1"),
    ]);
    // A name that others have too counts only where its path proves it.
    fs::write(world.bin.join("agent"), "").expect("written");
    assert_snapshot!(world.told(&["agents"]), @r###"
    [0]
    CLI          VERSION                   RESUME      KNOWN                         PROGRAM
    Claude Code  2.1.332                   yes         run against 2.1.332, 2.1.197  HOME/bin/claude
    Codex        0.171.0                   yes         run against 0.171.0, 0.130.0  HOME/bin/codex
    Gemini CLI   0.61.0                    copy first  run against 0.61.0            HOME/bin/gemini
    Kimi Code    unknown (it prints none)  no          run against 2.1.0             HOME/bin/kimi
    OpenClaw     2026.9.6                  no          from documentation            HOME/bin/openclaw
    Goose        unknown (it prints none)  yes         from documentation            HOME/bin/goose
    Droid        0.215.0                   yes         from documentation            HOME/bin/droid
    Gemini CLI: below 0.64 it deletes a resumed chat at its next start
    Kimi Code: kimi-cli 1.x opens an empty conversation when it does not find the id, and 1.52.0 is a stub that runs an installer
    OpenClaw: its conversations belong to a Gateway that a terminal joins by key, and what a key opens has not been checked
    ! abide: not installed: OpenCode, Qwen Code, Hermes Agent, GitHub Copilot CLI, Cursor CLI, CodeBuddy Code, Amp, Kiro CLI, Grok Build
    "###);
    assert!(world.home.hosts().is_empty(), "it starts no host");
}

#[test]
fn each_program_is_run_with_version_alone_and_not_longer_than_it_may() {
    let world = World::new(&[
        (
            "claude",
            "echo \"$#:$1\" > \"${0%/*}/asked\"; echo 2.1.332; read line && echo input > \"${0%/*}/asked\"",
        ),
        ("codex", "/bin/sleep 600 & /bin/sleep 600"),
        ("qwen", "exec /bin/sleep 600"),
    ]);
    let told = world.home.abide(["--json", "agents"]).json();
    assert_eq!(
        fs::read_to_string(world.bin.join("asked")).expect("it ran"),
        "1:--version\n"
    );
    let of = |name: &str| {
        told["agents"]
            .as_array()
            .expect("a list")
            .iter()
            .find(|a| a["name"] == name)
            .expect("there")
            .clone()
    };
    assert_eq!(of("claude")["version"], "2.1.332");
    assert_eq!(of("claude")["resume"]["can"], "yes");
    assert_eq!(of("claude")["id"][0], "chosen");
    for name in ["codex", "qwen"] {
        assert_eq!(of(name)["version_error"], "no answer within 5 s");
        assert_eq!(of(name)["installed"], true);
    }
    assert_eq!(of("amp")["installed"], false);
    assert!(of("amp")["version"].is_null());
    world.home.wait_empty();
}

/// Nothing else is slower right after a reboot than thirteen agents that start at once.
#[test]
fn a_program_too_busy_to_answer_is_known_by_its_package() {
    let world = World::new(&[]);
    let package = world
        .home
        .path()
        .join("lib/node_modules/@moonshot-ai/kimi-code");
    fs::create_dir_all(package.join("dist")).expect("made");
    let stated = "{\"name\": \"@moonshot-ai/kimi-code\", \"version\": \"2.1.0\"}";
    fs::write(package.join("package.json"), stated).expect("written");
    let program = package.join("dist/main.mjs");
    fs::write(&program, "#!/bin/sh\nexit 1\n").expect("written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("executable");
    symlink(&program, world.bin.join("kimi")).expect("linked");
    let told = world.told(&["agents"]);
    assert!(told.contains("\nKimi Code  2.1.0    yes"), "{told}");
}

#[test]
fn cursors_agent_is_told_from_other_agents() {
    let world = World::new(&[]);
    let real = world
        .home
        .path()
        .join("share/cursor-agent/versions/2026.09.01");
    fs::create_dir_all(&real).expect("made");
    fs::write(real.join("agent"), "#!/bin/sh\necho 2026.09.01-abc\n").expect("written");
    fs::set_permissions(real.join("agent"), fs::Permissions::from_mode(0o755)).expect("executable");
    symlink(real.join("agent"), world.bin.join("agent")).expect("linked");
    let told = world.told(&["agents"]);
    assert!(told.contains("\nCursor CLI  2026.9.1  yes"), "{told}");
}

#[test]
fn users_files_are_used_and_their_faults_told() {
    let world = World::new(&[("mine", "echo mine 1.2"), ("claude", "echo 2.1.332")]);
    world.data("mine.toml", "name = \"mine\"\ntitle = \"Mine\"\ncannot_resume = \"it keeps nothing\"\nnames.programs = [\"mine\"]\nlaunch.argv = [\"mine\"]\ncolour = 1\n");
    world.data("claude.toml", "name = \"claude\"\nlost = [\"weg\"]\n");
    let bad = world.data(
        "bad.toml",
        "name = \"bad\"\ntitle = 3\nresum.argv = [\"{id}\"]\n[flags.keep]\nboolean = \"-x\"\n",
    );
    let told = world.told(&["agents"]);
    let told: Vec<_> = told
        .lines()
        .filter(|line| !line.contains("not installed"))
        .collect();
    assert_snapshot!(told.join("\n"), @r###"
    [0]
    CLI          VERSION  RESUME  KNOWN                                             PROGRAM
    Claude Code  2.1.332  yes     run against 2.1.332, 2.1.197 (with your changes)  HOME/bin/claude
    Mine         1.2      no      from documentation (your file)                    HOME/bin/mine
    Mine: it keeps nothing
    ! abide: HOME/abide/config/agents/bad.toml: `flags.keep.boolean` is "-x", but must be a list of texts, such as ["a", "b"]; `resum` is not known and was left out; did you mean `resume`?; `title` is 3, but must be text; the file is not used
    ! abide: HOME/abide/config/agents/mine.toml: `colour` is not known and was left out; known here: name, title, cannot_resume, lost, held, provenance, names, launch, id, choose, resume, home, conversations, learn, signals, flags, permission, login, turn, helpers, stop
    "###);
    assert_snapshot!(world.told(&["agents", "check", bad.to_str().expect("text")]), @r###"
    [1]
    ! abide: HOME/abide/config/agents/bad.toml cannot be used:
    !   `flags.keep.boolean` is "-x", but must be a list of texts, such as ["a", "b"]
    !   `resum` is not known and was left out; did you mean `resume`?
    !   `title` is 3, but must be text
    "###);
    let good = world.data(
        "good.toml",
        "name = \"claude\"\n[names]\nprograms = [\"claude\", \"cc\"]\nprogram = \"x\"\n",
    );
    assert_snapshot!(world.told(&["agents", "check", good.to_str().expect("text")]), @r###"
    [0]
    HOME/abide/config/agents/good.toml: good, changes the built-in `claude`; resume: yes
    ! abide: HOME/abide/config/agents/good.toml: `names.program` is not known and was left out; did you mean `programs`?
    "###);
    assert_snapshot!(world.told(&["agents", "check", "/nonexistent/x.toml"]), @r###"
    [1]
    ! abide: cannot read /nonexistent/x.toml: No such file or directory
    "###);
    assert_snapshot!(world.told(&["agents", "show", "nobody"]), @r###"
    [1]
    ! abide: no data file for `nobody` comes with abide; there are claude, codex, gemini, opencode, qwen, kimi, hermes, copilot, cursor, codebuddy, openclaw, amp, goose, droid, kiro, grok
    "###);
}

#[test]
fn a_built_in_file_is_a_place_to_begin() {
    let world = World::new(&[]);
    let text = world.home.abide(["agents", "show", "claude"]).ok();
    let mine = text.replace("name = \"claude\"", "name = \"my-claude\"");
    let file = world.data("my.toml", &mine);
    let told = world.told(&["agents", "check", file.to_str().expect("text")]);
    assert_eq!(
        told,
        "[0]\nHOME/abide/config/agents/my.toml: good, adds `my-claude`; resume: yes\n"
    );
}

#[test]
fn it_explains_itself() {
    let world = World::new(&[]);
    assert_snapshot!(world.home.abide(["agents", "--help"]).ok(), @r###"
    Tell which agents are installed and which of them can be resumed

    Usage: abide agents [OPTIONS] [COMMAND]

    Commands:
      show   Print the built-in data file of a CLI
      check  Read a data file and tell what is wrong with it

    Options:
          --json  Print data as JSON
      -h, --help  Print help

    Examples:
      abide agents                       what is installed here
      abide agents --json | jq -r '.agents[] | select(.installed) | .name'
      abide agents show claude           the data file of a CLI, to begin one's own from
      abide agents check my-agent.toml   tell what is wrong with a data file

    Files in the folder `agents` beside config.toml add CLIs or change built-in
    ones; docs/agents.md has their format.
    "###);
}
