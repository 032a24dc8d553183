//! What `sqlite3_open_v2` makes of names, URIs, flags and VFSes, on this library and on SQLite's: `opening_record.c` opens all of
//! them, beside links, folders and files that are no databases.
//!
//! Left out: a shared database in memory that is opened for reading only, which can be written here.

mod common;

/// Read only, read and write, and that with creation.
const ACCESS: [u32; 3] = [0x1, 0x2, 0x6];
const URI: u32 = 0x40;
/// Other flags, each alone: MEMORY, NOMUTEX, FULLMUTEX, SHAREDCACHE, PRIVATECACHE, NOFOLLOW, EXRESCODE, EXCLUSIVE, AUTOPROXY, DELETEONCLOSE, WAL,
/// MAIN_JOURNAL, and some that have no meaning.
const OTHERS: [u32; 15] = [
    0,
    0x80,
    0x8000,
    0x1_0000,
    0x2_0000,
    0x4_0000,
    0x100_0000,
    0x200_0000,
    0x10,
    0x20,
    0x8,
    0x8_0000,
    0x800,
    0x1000_0000,
    0x4000_0000,
];
const FILES: [&str; 32] = [
    "a.db",
    "new.db",
    "./a.db",
    "d/x.db",
    "d//x.db",
    "d/./x.db",
    "d/../a.db",
    "ld/x.db",
    "ld/../a.db",
    "link.db",
    "d/../link.db",
    "lost.db",
    "link.db/",
    "a.db/x",
    "d",
    "d/",
    "ld",
    "nowhere/a.db",
    "ld/nowhere/a.db",
    "nowhere/../a.db",
    "junk.db/../d/x.db",
    "d/nowhere/../x.db",
    "nowhere/..",
    "junk.db",
    "short.db",
    "header.db",
    "",
    ":memory:",
    "(null)",
    "file:a.db",
    "file::memory:",
    " a.db",
];
const PATHS: [&str; 18] = [
    "a.db",
    "a%2edb",
    "%61.db",
    "a%00.db",
    "a.db#x",
    "./a.db",
    "../a.db/",
    "d/x.db",
    "link.db",
    "new.db",
    ":memory:",
    "",
    "//localhost/nowhere/a.db",
    "//host/a.db",
    "///nowhere/a.db",
    "//",
    "junk.db",
    "d",
];
const QUERIES: [&str; 48] = [
    "?a=1&b=two",
    "?a",
    "?a=&b",
    "?a=1&a=2",
    "?=5",
    "?%61=7",
    "?a=%31",
    "?a=1%00&b=3",
    "?a=1#b=2",
    "?a=1;b=2",
    "?&&a=3",
    "?b=%",
    "?b=%2",
    "?b=%zz&a=1",
    "?a=on",
    "?a=OFF",
    "?a=Yes",
    "?a=full",
    "?a=extra",
    "?a=0x10",
    "?a=0x",
    "?a=9223372036854775807",
    "?a=9223372036854775808",
    "?a=4294967296",
    "?a=256",
    "?a=-3",
    "?a=+3",
    "?a= 3",
    "?a=1.5",
    "?a=1x",
    "?mode=ro",
    "?mode=rw",
    "?mode=rwc",
    "?mode=memory",
    "?mode=bad",
    "?mode=",
    "?mode=RO",
    "?MODE=ro",
    "?mode=ro&mode=rw",
    "?mode=rw&mode=ro",
    "?cache=private",
    "?cache=x",
    "?vfs=unix",
    "?vfs=nope",
    "?psow=0&nolock=1",
    "?immutable=1",
    "?immutable=0&mode=ro",
    "?cache=shared",
];

#[test]
fn names_and_flags_open_the_same() {
    let mut lines = Vec::new();
    for access in ACCESS {
        for file in FILES {
            lines.extend(OTHERS.map(|other| format!("{:x} - {file}", access | other)));
            lines.extend(
                ["unix", "unix-none", "unix-dotfile", "unix-excl", "UNIX", "nope"]
                    .map(|vfs| format!("{access:x} {vfs} {file}")),
            );
        }
        for path in PATHS {
            let uris = QUERIES.iter().map(|query| format!("file:{path}{query}"));
            let is_left_out = |uri: &str| access == 0x1 && uri.contains("cache=shared");
            lines.extend(uris.filter(|uri| !is_left_out(uri)).map(|uri| format!("{:x} - {uri}", access | URI)));
        }
    }
    lines.extend(["0 - a.db", "4 - a.db", "3 - a.db", "7 - a.db", "5 - a.db", "8 - a.db"].map(str::to_owned));
    common::recording::compare("opening", "opening_record.c", &[], [("names".to_owned(), lines)].into_iter());
}

#[test]
fn files_that_others_left_read_the_same() {
    common::recording::compare("files", "files_record.c", &[], [("files".to_owned(), Vec::new())].into_iter());
}
