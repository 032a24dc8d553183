//! The names of a statement's parameters.
//!
//! Most statements are prepared and run once, and nobody asks for these names. So they are read from the statement's text when they are
//! asked for the first time, into one block:
//!
//! ```text
//!   | number | length | name | NUL |  ...        number and length have four bytes
//! ```

use std::sync::OnceLock;

use bumpalo::Bump;

use super::sql_text::{SqlText, text_of};

/// The bytes before a name.
const HEADER_LEN: usize = 2 * size_of::<u32>();

/// The named parameters of a statement, once somebody has asked for them.
#[derive(Debug, Default)]
pub struct ParameterNames(OnceLock<Box<[u8]>>);

/// A named parameter.
#[derive(Clone, Copy, Debug)]
pub struct ParameterName<'n> {
    number: u32,
    /// The name with a NUL behind it, so that the C interface can return it without a copy.
    name: &'n [u8],
}

impl ParameterNames {
    /// The parameters in the order of their first appearance, with invalid UTF-8 replaced. `sql` is always the same text.
    pub fn of(&self, sql: &SqlText) -> impl Iterator<Item = ParameterName<'_>> {
        let mut rest = &**self.0.get_or_init(|| read(sql.as_bytes()));
        std::iter::from_fn(move || {
            let (&number, behind) = rest.split_first_chunk()?;
            let (&len, behind) = behind.split_first_chunk()?;
            let (name, behind) = behind.split_at_checked(u32::from_ne_bytes(len) as usize + 1)?;
            rest = behind;
            Some(ParameterName { number: u32::from_ne_bytes(number), name })
        })
    }
}

fn read(sql: &[u8]) -> Box<[u8]> {
    let arena = Bump::new();
    let names = lithe_sql::parameter_names(sql, &arena);
    let mut block = Vec::with_capacity(names.iter().map(|parameter| HEADER_LEN + parameter.name.len() + 1).sum());
    for parameter in names {
        let name = text_of(parameter.name);
        debug_assert!(!name.contains('\0'), "a NUL ends the statement's text");
        block.extend_from_slice(&parameter.number.to_ne_bytes());
        block.extend_from_slice(&(name.len() as u32).to_ne_bytes()); // shorter than the text
        block.extend_from_slice(name.as_bytes());
        block.push(0);
    }
    block.into()
}

impl<'n> ParameterName<'n> {
    /// The name, prefix included.
    pub fn name(self) -> &'n str {
        self.name_with_nul().strip_suffix('\0').unwrap_or_default()
    }

    /// The name with a NUL behind it.
    pub fn name_with_nul(self) -> &'n str {
        std::str::from_utf8(self.name).unwrap_or_default()
    }

    /// The number, from 1.
    pub fn number(self) -> usize {
        self.number as usize
    }
}
