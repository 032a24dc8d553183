//! The compiler and the commit of this program, for the report.

use std::process::Command;

fn main() {
    let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    println!("cargo:rustc-env=BENCH_RUSTC={}", first_line(Command::new(compiler).arg("--version")));
    println!(
        "cargo:rustc-env=BENCH_COMMIT={}",
        first_line(Command::new("git").args(["rev-parse", "--short=12", "HEAD"]))
    );
    println!("cargo:rustc-env=BENCH_PROFILE={}", std::env::var("PROFILE").unwrap_or_default());
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=../../.git/logs/HEAD");
}

/// The first line that the command prints, "unknown" if it cannot be run (a source archive without git, for one).
fn first_line(command: &mut Command) -> String {
    let output = command.output().ok().filter(|output| output.status.success());
    let text = output.and_then(|output| String::from_utf8(output.stdout).ok());
    text.and_then(|text| text.lines().next().map(str::to_owned)).unwrap_or_else(|| "unknown".to_owned())
}
