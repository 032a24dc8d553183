//! The words of module arguments: identifiers, and texts in any of SQL's quotes.

/// Whether a byte belongs to an identifier.
pub fn is_identifier(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..)
}

/// The next word at or after `at`, as written; advances `at` past it. None at the end.
pub fn next<'t>(text: &'t [u8], at: &mut usize) -> Option<&'t [u8]> {
    loop {
        let start = *at;
        let rest = text.get(start..).unwrap_or_default();
        let len = match *rest.first()? {
            quote @ (b'\'' | b'"' | b'`') => quoted_len(rest, quote),
            b'[' => rest.iter().position(|byte| *byte == b']').map_or(rest.len(), |end| end + 1),
            first if is_identifier(first) => rest.iter().take_while(|byte| is_identifier(**byte)).count(),
            _ => {
                *at += 1;
                continue;
            }
        };
        *at = start + len;
        return rest.get(..len);
    }
}

/// The length of a text in quotes, which ends with the first quote that is not doubled.
fn quoted_len(text: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while let Some(byte) = text.get(at) {
        at += 1;
        if *byte == quote {
            if text.get(at) != Some(&quote) {
                return at;
            }
            at += 1;
        }
    }
    at
}

/// A word without its quotes.
pub fn dequoted(word: &[u8]) -> Vec<u8> {
    let Some((first, rest)) = word.split_first() else { return Vec::new() };
    let close = match first {
        b'[' => b']',
        b'\'' | b'"' | b'`' => *first,
        _ => return word.to_vec(),
    };
    let mut out = Vec::with_capacity(rest.len());
    let mut bytes = rest.iter().peekable();
    while let Some(byte) = bytes.next() {
        if *byte == close && bytes.next_if(|next| **next == close).is_none() {
            break;
        }
        out.push(*byte);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_and_without_quotes() {
        let text = b"simple 'it''s' [a b] \"x\" ,, `y` z$1";
        let mut at = 0;
        let found: Vec<_> = std::iter::from_fn(|| next(text, &mut at)).map(dequoted).collect();
        assert_eq!(found, ["simple", "it's", "a b", "x", "y", "z$1"].map(|word| word.as_bytes().to_vec()));
        assert_eq!(next(b" ", &mut 0), None);
        assert_eq!(next(b"'abc", &mut 0), Some(b"'abc".as_slice()));
    }
}
