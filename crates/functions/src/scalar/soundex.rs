//! `soundex(X)`: how an English name sounds, as a letter and three digits.

use lithe_value::{NumberText, ValueRef};

use super::{arg, pure, text_of};
use crate::context::Context;
use crate::error::Result;
use crate::signature::Scalar;

pub(super) const FUNCTIONS: [Scalar; 1] = [pure("soundex", 1, soundex)];

/// The result for NULL and for texts without a letter.
const UNKNOWN: &[u8; 4] = b"?000";

fn soundex(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let mut scratch = NumberText::default();
    let code = text_of(arg(args, 0), &mut scratch).map_or(*UNKNOWN, code_of);
    context.out.set_text(&code);
    Ok(())
}

fn code_of(text: &[u8]) -> [u8; 4] {
    let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
    let mut letters = text.iter().skip_while(|byte| !byte.is_ascii_alphabetic());
    let mut code = *b"?000";
    let mut places = code.iter_mut();
    let mut last = 0;
    if let (Some(place), Some(letter)) = (places.next(), letters.next()) {
        *place = letter.to_ascii_uppercase();
        last = digit_of(*letter);
    }
    for letter in letters {
        let digit = digit_of(*letter);
        // A vowel, or another character without a code, separates two letters of the same code.
        if digit != 0 && digit != last {
            match places.next() {
                Some(place) => *place = b'0' + digit,
                None => break,
            }
        }
        last = digit;
    }
    code
}

/// The code of a letter, 0 for none. As in SQLite, only the low seven bits of other bytes count.
fn digit_of(byte: u8) -> u8 {
    match (byte & 0x7f).to_ascii_lowercase() {
        b'b' | b'f' | b'p' | b'v' => 1,
        b'c' | b'g' | b'j' | b'k' | b'q' | b's' | b'x' | b'z' => 2,
        b'd' | b't' => 3,
        b'l' => 4,
        b'm' | b'n' => 5,
        b'r' => 6,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn as_sqlite_says_it() {
        let check = |text: &str, code: &str| {
            assert_eq!(super::code_of(text.as_bytes()), code.as_bytes(), "{text}");
        };
        check("Ashcraft", "A226");
        check("Tymczak", "T522");
        check("Pfister", "P236");
        check("a1b1b", "A110");
        check("bb", "B000");
        check("bhb", "B100");
        check("éb", "B000");
        check("bébé", "B212");
        check("bĀb", "B310");
        check("123abc", "A120");
        check("Washington", "W252");
        check("bcdlmr", "B234");
        check("ab\0cd", "A100");
        check("", "?000");
        check("12345", "?000");
    }
}
