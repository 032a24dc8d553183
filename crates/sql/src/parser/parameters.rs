//! The numbers of parameters.
//!
//! `?` has the next number after the largest so far, `?NNN` has the number NNN, a name has the number of its earlier occurrence,
//! or the next number.

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::ast::{ParameterName, Parameters};

/// The parameters seen so far.
pub(crate) struct ParameterList<'a> {
    count: u32,
    names: ArenaVec<'a, ParameterName<'a>>,
}

impl<'a> ParameterList<'a> {
    pub(crate) fn new(arena: &'a Bump) -> ParameterList<'a> {
        ParameterList { count: 0, names: ArenaVec::new_in(arena) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The parameters found so far.
    pub(crate) fn finish(&mut self, arena: &'a Bump) -> Parameters<'a> {
        let names = std::mem::replace(&mut self.names, ArenaVec::new_in(arena));
        Parameters { count: self.count, names: names.into_bump_slice() }
    }

    /// The number of a parameter that is written so; `None` for `?NNN` whose number is above `limit`.
    pub(crate) fn number(&mut self, name: &'a [u8], limit: u32) -> Option<u32> {
        match name {
            [b'?'] => Some(self.next_number()),
            [b'?', digits @ ..] => self.explicit_number(name, digits, limit),
            _ => Some(self.number_of_name(name)),
        }
    }

    fn next_number(&self) -> u32 {
        self.count.saturating_add(1)
    }

    /// The number of `?NNN`, unless it is above `limit`. Its name is its text, so that `?1` and `?01` are two names of the same
    /// number.
    fn explicit_number(&mut self, name: &'a [u8], digits: &[u8], limit: u32) -> Option<u32> {
        let number =
            digits.iter().try_fold(0_u32, |number, digit| number.checked_mul(10)?.checked_add(u32::from(digit - b'0')));
        let number = number.filter(|number| (1..=limit).contains(number))?;
        // Only the first name of a number is kept.
        if number > self.count || !self.names.iter().any(|known| known.number == number) {
            self.add_name(name, number);
        }
        Some(number)
    }

    /// The number of a name: that of its earlier occurrence, or the next number.
    fn number_of_name(&mut self, name: &'a [u8]) -> u32 {
        if let Some(known) = self.names.iter().find(|known| known.name == name) {
            return known.number;
        }
        let number = self.next_number();
        self.add_name(name, number);
        number
    }

    fn add_name(&mut self, name: &'a [u8], number: u32) {
        /// Most statements have no more.
        const LEN: usize = 4;
        if self.names.capacity() == 0 {
            self.names.reserve_exact(LEN);
        }
        self.names.push(ParameterName { name, number });
    }

    /// Records that a parameter with this number occurs in the statement.
    pub(crate) fn note(&mut self, number: u32) {
        self.count = self.count.max(number);
    }
}
