//! Functions that the planner knows: LIKE and GLOB with a prefix; the probability of likelihood(), as a logarithm.
//!
//! `x LIKE 'abc%'` can only be true between `x >= 'ABC'` and `x < 'abd'`, compared without regard to case; GLOB, and LIKE under
//! PRAGMA case_sensitive_like, between the same bounds compared as bytes.

use lithe_resolve::ir::{
    Call, Coll, Expr, How, affinity_of, any, comparison_affinity, indexed_column, is_builtin, skip_collate,
};
use lithe_value::Affinity;

use super::Op;
use super::analysis::Analysis;

/// The special characters of a pattern.
struct Wildcards {
    any: u8,
    others: &'static [u8],
    escape: Option<u8>,
}

/// The common beginning of all texts that match.
struct Prefix {
    bytes: Vec<u8>,
    /// Every text that begins with it matches.
    is_complete: bool,
}

/// Adds the bounds that LIKE or GLOB with a prefix set.
pub(super) fn prefix<'a>(analysis: &mut Analysis<'_, 'a>, call: &'a Call<'a>) {
    let is_glob = is_builtin(call, "glob");
    if !is_glob && !is_builtin(call, "like") {
        return;
    }
    let ([pattern, value] | [pattern, value, _]) = call.args else { return };
    let Some(escape) = escape_of(call.args.get(2)) else { return };
    let Some(text) = analysis.text_of(&skip_collate(*pattern)) else { return };
    let wildcards = if is_glob {
        Wildcards { any: b'*', others: b"?[", escape: None }
    } else {
        Wildcards { any: b'%', others: b"_", escape }
    };
    let Some(prefix) = prefix_of(&text, &wildcards) else { return };
    let ignores_case = !is_glob && !analysis.scope.context.env.flags.case_sensitive_like;
    let (low, high) = bounds(&prefix.bytes, ignores_case);
    // A number can match a pattern, too, but is not among the texts of an index.
    let is_stored =
        indexed_column(value).is_some_and(|column| column.table.is_none_or(|of| of.virtual_table().is_none()));
    let is_text = affinity_of(value) == Some(Affinity::Text) && is_stored;
    if !is_text && (looks_like_number(&low) || looks_like_number(&high)) {
        return;
    }
    let collation = if ignores_case { Coll::NoCase } else { Coll::Binary };
    let how = How { affinity: comparison_affinity(affinity_of(value), None), collation };
    let arena = analysis.scope.context.arena;
    for (op, bound) in [(Op::Ge, &low), (Op::Lt, &high)] {
        let bound = Expr::Text(arena.alloc_slice_copy(bound));
        analysis.like_bound(value, (op, bound), how, prefix.is_complete);
    }
    // Compared without case, blobs between the bounds need not match.
    if !prefix.is_complete || ignores_case {
        analysis.always_check();
    }
}

/// Whether the call is one of LIKE, GLOB or the like, which are NULL when an operand is.
pub fn is_pattern_match(call: &Call<'_>) -> bool {
    is_builtin(call, "like") || is_builtin(call, "glob")
}

/// How many more rows than another condition a pattern drops, without sizes: the longer the pattern, the more. As in SQLite, the longest
/// text in the pattern counts, its special characters left out; those of MATCH and REGEXP are taken for those of GLOB.
pub(super) fn dropped_by_pattern(expr: &Expr<'_>) -> i16 {
    /// What longer patterns drop is no more, so that the logarithms stay within their range.
    const DROPPED_MAX: i16 = 4_000;
    let Expr::Function(Call { is_operator: true, function, args: [pattern, ..], .. }) = expr else { return 0 };
    let plain_len = if function.name().eq_ignore_ascii_case("like") { plain_len_of_like } else { plain_len_of_glob };
    let mut longest = 0;
    any(pattern, &mut |part| {
        if let Expr::Text(text) = part {
            longest = longest.max(plain_len(text));
        }
        false
    });
    i16::try_from(2 * longest).map_or(DROPPED_MAX, |dropped| dropped.min(DROPPED_MAX))
}

fn plain_len_of_like(pattern: &[u8]) -> usize {
    pattern.iter().filter(|byte| !matches!(byte, b'%' | b'_')).count()
}

/// A set counts as one character; one without an end, as none.
fn plain_len_of_glob(pattern: &[u8]) -> usize {
    let (mut len, mut rest) = (0, pattern.iter());
    while let Some(byte) = rest.next() {
        match byte {
            b'*' | b'?' => {}
            // The first character of a set does not end it.
            b'[' => {
                rest.next();
                len += usize::from(rest.any(|byte| *byte == b']'));
            }
            _ => len += 1,
        }
    }
    len
}

/// The logarithm of a probability, at most 0.
pub(super) fn logarithm(probability: f64) -> i16 {
    /// Probabilities are counted in so many parts: 2^27.
    const PARTS: f64 = 134_217_728.0;
    let parts = (probability.clamp(0.0, 1.0) * PARTS) as u64;
    crate::access::LogEst::of(parts).0 - 270
}

/// The character of ESCAPE; `None` for an escape that cannot be used here.
fn escape_of(arg: Option<&Expr<'_>>) -> Option<Option<u8>> {
    match arg {
        None => Some(None),
        Some(Expr::Text([escape])) if escape.is_ascii() && !matches!(escape, b'%' | b'_') => Some(Some(*escape)),
        Some(_) => None,
    }
}

fn prefix_of(pattern: &[u8], wildcards: &Wildcards) -> Option<Prefix> {
    let mut bytes = Vec::new();
    let mut rest = pattern;
    while let [first, tail @ ..] = rest {
        if *first == wildcards.any || wildcards.others.contains(first) || *first == 0 {
            break;
        }
        rest = tail;
        match (wildcards.escape == Some(*first), tail) {
            (true, [escaped, tail @ ..]) if escaped.is_ascii() => {
                bytes.push(*escaped);
                rest = tail;
            }
            (true, _) => return None,
            (false, _) => bytes.push(*first),
        }
    }
    let is_usable = bytes.last().is_some_and(|&last| last != u8::MAX);
    is_usable.then(|| Prefix { bytes, is_complete: rest == [wildcards.any] })
}

/// The bounds between which the texts with the prefix are: the prefix, and the prefix with its last byte one higher. Without
/// regard to case they are in capitals and in small letters, so that they hold for the bytes of blobs, too.
fn bounds(prefix: &[u8], ignores_case: bool) -> (Vec<u8>, Vec<u8>) {
    let mut low = prefix.to_vec();
    let mut high = prefix.to_vec();
    if ignores_case {
        low.make_ascii_uppercase();
        high.make_ascii_lowercase();
    }
    if let Some(last) = high.last_mut() {
        *last += 1;
    }
    (low, high)
}

/// Whether a column with numeric affinity would store the text as a number; also true for a single `-`.
fn looks_like_number(text: &[u8]) -> bool {
    text == b"-"
        || !matches!(Affinity::Numeric.apply_numeric(lithe_value::ValueRef::Text(text)), lithe_value::ValueRef::Text(_))
}

impl<'a> Analysis<'_, 'a> {
    /// The text of a pattern: a literal, or a parameter's value if the planner may use it.
    fn text_of(&self, pattern: &Expr<'a>) -> Option<Vec<u8>> {
        match pattern {
            Expr::Text(text) => Some(text.to_vec()),
            Expr::Parameter(parameter) => match self.scope.context.env.bound_value(parameter.number)?.as_ref() {
                lithe_value::ValueRef::Text(text) => Some(text.to_vec()),
                _ => None,
            },
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIKE: Wildcards = Wildcards { any: b'%', others: b"_", escape: Some(b'\\') };

    #[track_caller]
    fn check(pattern: &str, expected: Option<(&str, bool)>) {
        let found = prefix_of(pattern.as_bytes(), &LIKE);
        let found = found.as_ref().map(|prefix| (std::str::from_utf8(&prefix.bytes).unwrap(), prefix.is_complete));
        assert_eq!(found, expected);
    }

    #[test]
    fn prefixes() {
        check("abc%", Some(("abc", true)));
        check("abc", Some(("abc", false)));
        check("abc%d", Some(("abc", false)));
        check("a_c%", Some(("a", false)));
        check("a\\_c%", Some(("a_c", true)));
        check("\\%%", Some(("%", true)));
        check("%abc", None);
        check("", None);
        check("a\\", None);
    }

    #[test]
    fn bounds_of_prefixes() {
        assert_eq!(bounds(b"aBz", true), (b"ABZ".to_vec(), b"ab{".to_vec()));
        assert_eq!(bounds(b"aBz", false), (b"aBz".to_vec(), b"aB{".to_vec()));
    }

    #[test]
    fn numbers() {
        for (text, expected) in [("12", true), ("-", true), ("1e", false), ("x1", false), (" 5 ", true), ("/", false)] {
            assert_eq!(looks_like_number(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn likelihoods() {
        for (probability, expected) in [(1.0, 0), (0.5, -10), (0.9375, -1), (0.0625, -40), (0.0, -270)] {
            assert_eq!(logarithm(probability), expected, "{probability}");
        }
    }
}
