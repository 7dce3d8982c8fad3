//! Compiles the small reaper (`small/`) with the compiler alone and leaves it where the library
//! embeds it, with the cfg `small_reaper`.
//!
//! Only for x86_64 Linux, and only when that works: with anything else in its way (another target,
//! a compiler that refuses, no linker) it warns and the hidden subcommand does the same work. So it
//! does when the variable `ABIDE_SMALL_REAPER` is `no`.
//! Nothing is fetched: the program needs `core` alone, which every toolchain has for its target.

use std::env;
use std::path::PathBuf;
use std::process::Command;

/// What makes a program of some kilobytes: no libc, no start files, no unwinding, one segment of
/// code. Link-time optimisation also drops what `core` has for unwinding.
const FLAGS: [&str; 10] = [
    "-Cpanic=abort",
    "-Copt-level=s",
    "-Ccodegen-units=1",
    "-Clto=fat",
    "-Cstrip=symbols",
    "-Crelocation-model=static",
    "-Ctarget-feature=+crt-static",
    "-Clink-args=-nostartfiles -nostdlib -static -no-pie",
    "-Clink-args=-Wl,--build-id=none -Wl,-z,noseparate-code",
    "--crate-type=bin",
];

fn main() {
    println!("cargo::rustc-check-cfg=cfg(small_reaper)");
    println!("cargo::rerun-if-changed=small");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=ABIDE_SMALL_REAPER");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|it| it == value);
    // The other ABI of this machine, x32, has other system calls.
    let fits = is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ARCH", "x86_64")
        && is("CARGO_CFG_TARGET_POINTER_WIDTH", "64");
    if !fits || is("ABIDE_SMALL_REAPER", "no") {
        return;
    }
    match compile() {
        Ok(()) => println!("cargo::rustc-cfg=small_reaper"),
        Err(why) => {
            println!("cargo::warning=the small reaper was not built, the portable one is used");
            for line in why.lines().take(10) {
                println!("cargo::warning={line}");
            }
        }
    }
}

fn compile() -> Result<(), String> {
    let need = |name: &str| env::var_os(name).ok_or(format!("cargo does not say {name}"));
    let source = PathBuf::from(need("CARGO_MANIFEST_DIR")?).join("small/main.rs");
    let output = PathBuf::from(need("OUT_DIR")?).join("abide-reaper");
    let target = need("TARGET")?;
    let musl = target.to_string_lossy().contains("musl");
    let mut command = Command::new(need("RUSTC")?);
    command
        .args(["--edition=2024", "--crate-name=abide_reaper_small"])
        .arg("--target")
        .arg(&target)
        .args(FLAGS)
        // That target brings start files of its own, which are in the way.
        .args(musl.then_some("-Clink-self-contained=no"))
        .arg("-o")
        .arg(&output)
        .arg(source);
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        let mut option = std::ffi::OsString::from("-Clinker=");
        option.push(linker);
        command.arg(option);
    }
    let done = command.output().map_err(|e| e.to_string())?;
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).into_owned());
    }
    Ok(())
}
