//! Values as people read them.

use std::borrow::Cow;

use lithe::{Value, ValueRef};

/// A value as text; a blob's bytes are taken for text, up to the first NUL.
pub fn shown(value: &Value, null: &str) -> String {
    match value.as_ref() {
        ValueRef::Null => null.to_owned(),
        ValueRef::Integer(integer) => integer.to_string(),
        ValueRef::Real(real) => lithe::real_to_text(real),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
            String::from_utf8_lossy(&bytes[..end]).into_owned()
        }
    }
}

/// With control characters as `^X`, so that data cannot steer the terminal. Line ends and tabs stay.
pub fn harmless(text: &str) -> Cow<'_, str> {
    let is_harmful = |c: char| c.is_ascii_control() && !matches!(c, '\n' | '\r' | '\t');
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_harmful(c) {
            out.push('^');
            out.push(char::from(c as u8 ^ 0x40));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    #[test]
    fn control_characters_are_shown() {
        assert_eq!(super::harmless("a\x1b[0m\tb\x7f"), "a^[[0m\tb^?");
    }
}
