//! The `lithe` shell.
fn main() {}
