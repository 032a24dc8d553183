//! The stems of English words (M. F. Porter, 1980).
//!
//! The functions work on bytes. `m(stem)` is the number of times that a consonant follows a vowel in the stem. Once a suffix
//! of a step matches, no shorter one is tried, whether its condition holds or not.

/// A suffix and its replacement.
type Rule = (&'static str, &'static str);

/// Steps 2 and 3: replaced if the stem has m > 0. A longer suffix comes before those that it ends with.
#[rustfmt::skip]
const STEP_2: &[Rule] = &[
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("logi", "log"),
    ("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"),
    ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"),
    ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"),
];
#[rustfmt::skip]
const STEP_3: &[Rule] = &[
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
];
/// Step 4: suffixes that are removed if m > 1.
#[rustfmt::skip]
const STEP_4: &[&str] = &[
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti",
    "ous", "ive", "ize",
];

/// Reduces a word of at least three bytes in small letters to its stem, which is never empty.
pub fn stem(word: &mut Vec<u8>) {
    stem_of(word, false);
}

/// As [`stem`]. With `plural_may_be_all`, the suffix of a plural may be the whole word: the `ies` of FTS3 becomes `i`.
pub fn stem_of(word: &mut Vec<u8>, plural_may_be_all: bool) {
    plural(word, plural_may_be_all);
    past(word);
    if let Some(before) = strip(word, "y").filter(|before| has_vowel(before)) {
        replace(word, before.len(), "i");
    }
    for rules in [STEP_2, STEP_3] {
        let found = rules.iter().find_map(|(suffix, new)| strip(word, suffix).map(|before| (before, new)));
        if let Some((before, new)) = found.filter(|(before, _)| measure(before) > 0) {
            replace(word, before.len(), new);
        }
    }
    let found = STEP_4.iter().find_map(|suffix| strip(word, suffix).map(|before| (before, *suffix)));
    let may_go = |before: &[u8], suffix: &str| suffix != "ion" || matches!(before.last(), Some(b's' | b't'));
    if let Some((before, _)) = found.filter(|(before, suffix)| measure(before) > 1 && may_go(before, suffix)) {
        replace(word, before.len(), "");
    }
    final_letters(word);
}

/// Step 1a.
fn plural(word: &mut Vec<u8>, may_be_all: bool) {
    let ends = |suffix: &str| strip(word, suffix).is_some() || may_be_all && *word == suffix.as_bytes();
    let cut = if ends("sses") || ends("ies") {
        2
    } else if ends("ss") {
        0
    } else {
        usize::from(ends("s"))
    };
    word.truncate(word.len() - cut);
}

/// Step 1b.
fn past(word: &mut Vec<u8>) {
    if let Some(before) = strip(word, "eed") {
        if measure(before) > 0 {
            replace(word, before.len(), "ee");
        }
        return;
    }
    let Some(before) = strip(word, "ed").or_else(|| strip(word, "ing")).filter(|before| has_vowel(before)) else {
        return;
    };
    replace(word, before.len(), "");
    if ["at", "bl", "iz"].iter().any(|end| strip(word, end).is_some()) {
        word.push(b'e');
    } else if ends_doubled(word) && !matches!(word.last(), Some(b'l' | b's' | b'z')) {
        word.pop();
    } else if measure(word) == 1 && ends_short(word) {
        word.push(b'e');
    }
}

/// Step 5.
fn final_letters(word: &mut Vec<u8>) {
    if let Some(before) = strip(word, "e") {
        let m = measure(before);
        if m > 1 || m == 1 && !ends_short(before) {
            replace(word, before.len(), "");
        }
    }
    if word.ends_with(b"ll") && measure(word) > 1 {
        word.pop();
    }
}

/// The part before a suffix; `None` if there is no such suffix, or nothing before it.
fn strip<'w>(word: &'w [u8], suffix: &str) -> Option<&'w [u8]> {
    word.strip_suffix(suffix.as_bytes()).filter(|before| !before.is_empty())
}

fn replace(word: &mut Vec<u8>, len: usize, suffix: &str) {
    word.truncate(len);
    word.extend_from_slice(suffix.as_bytes());
}

/// For each byte, whether it is a vowel: aeiou, and y after a consonant.
fn vowels(word: &[u8]) -> impl Iterator<Item = bool> + '_ {
    let mut after_consonant = false;
    word.iter().map(move |byte| {
        let is_vowel = matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u') || *byte == b'y' && after_consonant;
        after_consonant = !is_vowel;
        is_vowel
    })
}

fn has_vowel(word: &[u8]) -> bool {
    vowels(word).any(|is_vowel| is_vowel)
}

/// m: how often a consonant follows a vowel.
fn measure(word: &[u8]) -> usize {
    let mut after_vowel = false;
    let ends = vowels(word).filter(|is_vowel| std::mem::replace(&mut after_vowel, *is_vowel) && !is_vowel);
    ends.count()
}

fn ends_doubled(word: &[u8]) -> bool {
    let is_consonant = vowels(word).last() == Some(false);
    is_consonant && word.last_chunk::<2>().is_some_and(|[one, other]| one == other)
}

/// *o: ends with consonant, vowel, consonant, the last not w, x or y.
fn ends_short(word: &[u8]) -> bool {
    let mut last = [true; 3];
    for is_vowel in vowels(word) {
        last = [last[1], last[2], is_vowel];
    }
    last == [false, true, false] && !matches!(word.last(), Some(b'w' | b'x' | b'y'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SQLite's tokenizer gives the same stems.
    #[track_caller]
    fn assert_stems(cases: &[(&str, &str)]) {
        for (word, expected) in cases {
            let mut found = word.as_bytes().to_vec();
            stem(&mut found);
            assert_eq!(String::from_utf8_lossy(&found), *expected, "{word}");
        }
    }

    /// Step 1a.
    #[test]
    fn a_plural_loses_its_ending() {
        assert_stems(&[
            ("flies", "fli"),
            ("ponies", "poni"),
            ("ies", "ie"),
            ("dies", "di"),
            ("caresses", "caress"),
            ("sses", "sse"),
            ("cats", "cat"),
            ("yes", "ye"),
            ("abilities", "abil"),
        ]);
    }

    /// Step 1b.
    #[test]
    fn participles_lose_their_ending() {
        assert_stems(&[
            ("running", "run"),
            ("hopping", "hop"),
            ("falling", "fall"),
            ("failing", "fail"),
            ("filing", "file"),
            ("motoring", "motor"),
            ("matting", "mat"),
            ("controlling", "control"),
            ("saying", "sai"),
            ("sing", "sing"),
            ("ing", "ing"),
            ("thing", "thing"),
            ("string", "string"),
            ("agreed", "agre"),
            ("sized", "size"),
            ("plastered", "plaster"),
            ("conflated", "conflat"),
            ("troubled", "troubl"),
            ("fizzed", "fizz"),
            ("toyed", "toi"),
            ("needed", "need"),
            ("feed", "feed"),
            ("seed", "seed"),
            ("eed", "e"),
            ("bed", "bed"),
            ("oed", "o"),
            ("ied", "i"),
            ("xed", "xed"),
            ("vexed", "vex"),
            ("snowed", "snow"),
        ]);
    }

    /// Step 1c.
    #[test]
    fn a_final_y_becomes_i() {
        assert_stems(&[("happy", "happi"), ("happily", "happili"), ("sky", "sky")]);
    }

    /// Step 2.
    #[test]
    fn a_double_suffix_becomes_a_single_one() {
        assert_stems(&[
            ("relational", "relat"),
            ("conditional", "condit"),
            ("generalization", "gener"),
            ("valenci", "valenc"),
            ("digitizer", "digit"),
            ("conformabli", "conform"),
            ("radicalli", "radic"),
            ("analogousli", "analog"),
            ("operator", "oper"),
            ("feudalism", "feudal"),
            ("decisiveness", "decis"),
            ("hopefulness", "hope"),
            ("sensibiliti", "sensibl"),
            ("apologi", "apolog"),
            ("analogi", "analog"),
        ]);
    }

    /// Steps 3 and 4.
    #[test]
    fn suffixes_that_form_other_words_go() {
        assert_stems(&[
            ("triplicate", "triplic"),
            ("formative", "form"),
            ("electriciti", "electr"),
            ("goodness", "good"),
            ("revival", "reviv"),
            ("allowance", "allow"),
            ("adjustable", "adjust"),
            ("replacement", "replac"),
            ("adoption", "adopt"),
            ("homologous", "homolog"),
            ("ion", "ion"),
            ("station", "station"),
            ("section", "section"),
            ("opinion", "opinion"),
            ("ement", "ement"),
            ("element", "element"),
            ("oaten", "oaten"),
            ("the", "the"),
        ]);
    }

    /// Step 5.
    #[test]
    fn a_final_e_and_a_double_l_go() {
        assert_stems(&[
            ("probate", "probat"),
            ("rate", "rate"),
            ("cease", "ceas"),
            ("controll", "control"),
            ("roll", "roll"),
        ]);
    }
}
