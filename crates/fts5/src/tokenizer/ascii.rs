//! The tokenizer `ascii`: tokens are runs of ASCII letters, digits and all bytes beyond ASCII.
//!
//! `tokenchars 'x'` adds characters, `separators 'x'` takes some away; of both, only ASCII characters count.

use super::{Flow, Purpose, Sink, Token, Tokenizer};
use crate::Result;
use lithe_value::Grow;
use lithe_vtab::FunctionError;

/// The tokenizer.
#[derive(Clone, Debug)]
pub struct Ascii {
    /// Which ASCII characters belong to tokens: a bit each.
    token_chars: u128,
}

impl Ascii {
    /// With options, as pairs of a name and a value.
    ///
    /// # Errors
    /// SQLITE_ERROR: a name that is none, or one without a value.
    pub fn new<S: AsRef<[u8]>>(options: &[S]) -> Result<Ascii> {
        let letters = (0u8..128).filter(u8::is_ascii_alphanumeric);
        let mut token_chars = letters.fold(0, |bits, byte| bits | 1u128 << byte);
        let (pairs, odd) = options.as_chunks::<2>();
        if !odd.is_empty() {
            return Err(FunctionError::new(""));
        }
        for [name, value] in pairs {
            let chars = value.as_ref().iter().filter(|byte| byte.is_ascii());
            let bits = chars.fold(0, |bits, byte| bits | 1u128 << byte);
            match name.as_ref().to_ascii_lowercase().as_slice() {
                b"tokenchars" => token_chars |= bits,
                b"separators" => token_chars &= !bits,
                _ => return Err(FunctionError::new("")),
            }
        }
        Ok(Ascii { token_chars })
    }

    fn is_token(&self, byte: u8) -> bool {
        !byte.is_ascii() || self.token_chars >> byte & 1 != 0
    }
}

impl Tokenizer for Ascii {
    fn tokenize(&self, text: &[u8], _: Purpose, _: Option<&[u8]>, sink: &mut Sink<'_>) -> Result {
        let mut folded = Vec::new();
        let mut start = 0;
        while let Some(rest) = text.get(start..) {
            let Some(skipped) = rest.iter().position(|byte| self.is_token(*byte)) else { break };
            start += skipped;
            folded.clear();
            let letters = rest.iter().skip(skipped).take_while(|byte| self.is_token(**byte));
            folded.try_extend(letters.map(u8::to_ascii_lowercase))?;
            let range = start..start + folded.len();
            start = range.end;
            if sink(Token { text: &folded, range, is_colocated: false })? == Flow::Enough {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(options: &[&str], text: &str, expected: &[(&str, usize)]) {
        let mut found = Vec::new();
        let mut sink = |token: Token<'_>| {
            found.push((String::from_utf8_lossy(token.text).into_owned(), token.range.start));
            Ok(Flow::More)
        };
        Ascii::new(options).unwrap().tokenize(text.as_bytes(), Purpose::Document, None, &mut sink).unwrap();
        let found: Vec<_> = found.iter().map(|(text, start)| (text.as_str(), *start)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn tokens() {
        check(&[], "One, TWO-3é", &[("one", 0), ("two", 5), ("3é", 9)]);
        check(&["tokenchars", "-", "separators", "o"], "one two-3", &[("ne", 1), ("tw", 4), ("-3", 7)]);
        check(&[], "", &[]);
    }

    #[test]
    fn options_that_are_none() {
        assert!(Ascii::new(&["tokenchars"]).is_err());
        assert!(Ascii::new(&["x", "y"]).is_err());
    }

    #[test]
    fn the_sink_can_stop() {
        let mut count = 0;
        let mut sink = |_: Token<'_>| {
            count += 1;
            Ok(Flow::Enough)
        };
        Ascii::new::<&str>(&[]).unwrap().tokenize(b"a b", Purpose::Query, None, &mut sink).unwrap();
        assert_eq!(count, 1);
    }
}
