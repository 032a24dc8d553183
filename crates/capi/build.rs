//! Compiles the functions with variable arguments, and gives the shared library the name that programs look for.

fn main() {
    println!("cargo:rerun-if-changed=csrc/variadic.c");
    cc::Build::new().file("csrc/variadic.c").warnings(true).compile("lithe_variadic");
    let os = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if os == "linux" || os.ends_with("bsd") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libsqlite3.so.0");
        // The handler of SIGBUS and the threads of the library outlast a dlclose() by a program that loads it as a plugin.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
