use super::*;

#[track_caller]
fn check(dialect: Dialect, pattern: &str, matching: &[&str], others: &[&str]) {
    let compiled = Pattern::new(pattern.as_bytes(), dialect, None);
    for (texts, expected) in [(matching, true), (others, false)] {
        for text in texts {
            assert_eq!(compiled.matches(text.as_bytes()), expected, "{text:?} {dialect:?} {pattern:?}");
        }
    }
}

#[test]
fn like() {
    check(Dialect::Like, "", &[""], &["a"]);
    check(Dialect::Like, "%", &["", "a", "äöü"], &[]);
    check(Dialect::Like, "%%", &["", "a"], &[]);
    check(Dialect::Like, "abc", &["abc", "ABC"], &["ab", "abcd", ""]);
    check(Dialect::Like, "ab%", &["ab", "ABc"], &["a", "xab"]);
    check(Dialect::Like, "%ab", &["ab", "xAB", "abab"], &["abx", "b"]);
    check(Dialect::Like, "%ab%", &["ab", "xABx", "aab"], &["a", "axb"]);
    check(Dialect::Like, "a%b%c", &["abc", "aXbXc", "abbcc", "abcbc"], &["ab", "acb", "abcd"]);
    check(Dialect::Like, "a%a", &["aa", "aba", "aaa"], &["a", "ab"]);
    check(Dialect::Like, "_", &["a", "ä", "😀"], &["", "ab"]);
    check(Dialect::Like, "%_b", &["ab", "äb", "xxb"], &["b", "ba"]);
    check(Dialect::Like, "_%_", &["ab", "abc"], &["a"]);
    check(Dialect::Like, "%ä%", &["ä", "xäx"], &["Ä", "a"]);
    check(Dialect::Like, "ab\0cd", &["ab", "ab\0x"], &["abcd"]);
    check(Dialect::LikeWithCase, "aB%", &["aBc"], &["abc", "ABC"]);
    check(Dialect::LikeWithCase, "%aB%c", &["xaBxc", "aBaBc"], &["abc"]);
}

#[test]
fn escape() {
    let like = |pattern: &str, escape: char, text: &str| {
        Pattern::new(pattern.as_bytes(), Dialect::Like, Some(u32::from(escape))).matches(text.as_bytes())
    };
    assert!(like("a\\%", '\\', "a%"));
    assert!(!like("a\\%", '\\', "ab"));
    assert!(like("%\\__", '\\', "x_y"));
    assert!(!like("a\\", '\\', "a\\"));
    assert!(like("a%%", '%', "a%"));
    assert!(!like("a%", '%', "a"));
    assert!(like("aä_", 'ä', "a_"));
}

#[test]
fn glob() {
    check(Dialect::Glob, "a*c", &["ac", "abc"], &["AC", "abcd"]);
    check(Dialect::Glob, "a?c", &["abc", "aäc"], &["ac"]);
    check(Dialect::Glob, "[abc]", &["a", "c"], &["d", "", "ab"]);
    check(Dialect::Glob, "[a-c]x", &["ax", "bx"], &["dx", "-x"]);
    check(Dialect::Glob, "[^a-c]", &["d", "ä"], &["a", ""]);
    check(Dialect::Glob, "[]]", &["]"], &["[", ""]);
    check(Dialect::Glob, "[^]]", &["a"], &["]"]);
    check(Dialect::Glob, "[a-]", &["a", "-"], &["b"]);
    check(Dialect::Glob, "[a-c-e]", &["b", "-", "e"], &["d"]);
    check(Dialect::Glob, "*[0-9]*x", &["1x", "a5bx"], &["x", "ax"]);
    check(Dialect::Glob, "[a", &[], &["a", "[a", ""]);
    check(Dialect::Glob, "[c-a]", &["c"], &["a", "b"]);
}

#[test]
fn long_patterns_and_texts_end() {
    // A matcher that backtracks would never end.
    let pattern = "%a".repeat(200) + "b";
    let text = "a".repeat(20_000);
    check(Dialect::Like, &pattern, &[&(text.clone() + "b")], &[&text]);
}

#[test]
fn literals_are_found_in_texts_of_every_length() {
    for len in 0..80 {
        for at in 0..len {
            let mut text = vec![b'.'; len];
            text[at] = b'Q';
            for (pattern, is_there) in [("%q%", true), ("%q.%", at + 1 < len), ("%.q%", at > 0), ("%qq%", false)] {
                let found = Pattern::new(pattern.as_bytes(), Dialect::Like, None).matches(&text);
                assert_eq!(found, is_there, "{pattern} in {:?}", String::from_utf8_lossy(&text));
            }
        }
    }
    // Literals of every length, at every place, and one whose last byte differs.
    for wanted in (1..12).map(|len| &b"Qu#cKeStLy~!"[..len]) {
        let pattern = [b"%", &*wanted.to_ascii_lowercase(), b"%"].concat();
        let pattern = Pattern::new(&pattern, Dialect::Like, None);
        for (before, behind) in (0..40).flat_map(|before| [0, 1, 7, 8, 20].map(|behind| (before, behind))) {
            let mut text = [&vec![b'Q'; before], wanted, &vec![b'u'; behind]].concat();
            assert!(pattern.matches(&text), "{:?}", String::from_utf8_lossy(&text));
            text[before + wanted.len() - 1] = b'.';
            let found = text.windows(wanted.len()).any(|part| part.eq_ignore_ascii_case(wanted));
            assert_eq!(pattern.matches(&text), found, "{:?}", String::from_utf8_lossy(&text));
        }
    }
    // Bytes that differ from the one sought only in the bit of case, and NULs, which end the text.
    check(Dialect::Like, "%@%", &["@"], &["`", "a`"]);
    check(Dialect::Like, "%q%", &["q\0"], &["a\0q", "\0q", ""]);
    check(Dialect::Like, "%", &["", "\0", "\0q"], &[]);
    check(Dialect::Like, "a%", &["a\0", "ab\0"], &["\0a", ""]);
}
