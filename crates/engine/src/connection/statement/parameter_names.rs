//! The names of a statement's parameters.
//!
//! Most statements are prepared and run once, and nobody asks for these names. So they are one block, from which they are
//! read when they are asked for:
//!
//! ```text
//!   | number | length | name | NUL |  ...        number and length have four bytes
//! ```

use std::sync::Arc;

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;
use lithe_sql::ast;

use super::sql_text::text_of;

/// The bytes before a name.
const HEADER_LEN: usize = 2 * size_of::<u32>();

/// The named parameters of a statement.
#[derive(Clone, Debug, Default)]
pub struct ParameterNames(Option<Arc<[u8]>>);

/// A named parameter.
#[derive(Clone, Copy, Debug)]
pub struct ParameterName<'n> {
    number: u32,
    /// The name with a NUL behind it, so that the C interface can return it without a copy.
    name: &'n [u8],
}

impl ParameterNames {
    /// The names of the parameters of a text, with invalid UTF-8 replaced.
    pub(crate) fn new(names: &[ast::ParameterName<'_>], arena: &Bump) -> ParameterNames {
        if names.is_empty() {
            return ParameterNames::default();
        }
        let len: usize = names.iter().map(|parameter| HEADER_LEN + parameter.name.len() + 1).sum();
        let mut block = ArenaVec::with_capacity_in(len, arena);
        for parameter in names {
            match parameter.name.is_ascii() {
                true => push(&mut block, parameter.number, parameter.name),
                false => push(&mut block, parameter.number, text_of(parameter.name).as_bytes()),
            }
        }
        ParameterNames(Some(block.as_slice().into()))
    }

    /// The parameters, in the order of their first appearance.
    pub fn iter(&self) -> impl Iterator<Item = ParameterName<'_>> {
        let mut rest = self.0.as_deref().unwrap_or_default();
        std::iter::from_fn(move || {
            let (&number, behind) = rest.split_first_chunk()?;
            let (&len, behind) = behind.split_first_chunk()?;
            let (name, behind) = behind.split_at_checked(u32::from_ne_bytes(len) as usize + 1)?;
            rest = behind;
            Some(ParameterName { number: u32::from_ne_bytes(number), name })
        })
    }
}

fn push(block: &mut ArenaVec<'_, u8>, number: u32, name: &[u8]) {
    debug_assert!(!name.contains(&0), "a NUL ends the statement's text");
    block.extend_from_slice_copy(&number.to_ne_bytes());
    block.extend_from_slice_copy(&(name.len() as u32).to_ne_bytes()); // shorter than the text
    block.extend_from_slice_copy(name);
    block.push(0);
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
