//! The numbers of parameters.
//!
//! `?` takes the next number after the largest so far, `?NNN` takes NNN, a name takes the number it
//! had before or the next one.

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::Parser;
use crate::ast::{ExprKind, ParameterName, Parameters};
use crate::token::Token;

/// The parameters seen so far.
pub(super) struct ParameterList<'a> {
    count: u32,
    names: ArenaVec<'a, ParameterName<'a>>,
}

impl<'a> ParameterList<'a> {
    pub(super) fn new(arena: &'a Bump) -> ParameterList<'a> {
        ParameterList { count: 0, names: ArenaVec::new_in(arena) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Hands over what was gathered.
    pub(super) fn finish(&mut self, arena: &'a Bump) -> Parameters<'a> {
        let names = std::mem::replace(&mut self.names, ArenaVec::new_in(arena));
        Parameters { count: self.count, names: names.into_bump_slice() }
    }

    fn number_of(&self, name: &[u8]) -> Option<u32> {
        self.names.iter().find(|known| known.name == name).map(|known| known.number)
    }
}

impl<'a> Parser<'a, '_> {
    /// The parameter that was just taken.
    pub(super) fn parameter(&mut self, token: Token) -> ExprKind<'a> {
        let name = token.span.text(self.sql);
        let number = match name {
            [b'?'] => self.parameters.count + 1,
            [b'?', digits @ ..] => match self.explicit_number(name, digits) {
                Some(number) => number,
                None => return self.out_of_range(token),
            },
            [b'#', b'0'..=b'9', ..] => return self.register(token),
            _ => self.number_of_name(name),
        };
        if number > self.limits.variable_number {
            self.defer(Some(token.span.start), "too many SQL variables");
            return ExprKind::Parameter(1);
        }
        self.parameters.count = self.parameters.count.max(number);
        ExprKind::Parameter(number)
    }

    /// `?NNN`: its name is its text, so that `?1` and `?01` are two names of one number.
    fn explicit_number(&mut self, name: &'a [u8], digits: &[u8]) -> Option<u32> {
        let number =
            digits.iter().try_fold(0_u32, |number, digit| number.checked_mul(10)?.checked_add(u32::from(digit - b'0')));
        let number = number.filter(|number| (1..=self.limits.variable_number).contains(number))?;
        // Only the first name of a number counts.
        if number > self.parameters.count || !self.parameters.names.iter().any(|known| known.number == number) {
            self.parameters.names.push(ParameterName { name, number });
        }
        Some(number)
    }

    #[cold]
    fn out_of_range(&mut self, token: Token) -> ExprKind<'a> {
        let limit = self.limits.variable_number;
        self.defer(Some(token.span.start), format!("variable number must be between ?1 and ?{limit}"));
        ExprKind::Parameter(1)
    }

    /// `#1` names a register of the program in SQLite's own nested statements. In others it is an error, and no
    /// expression.
    #[cold]
    fn register(&mut self, token: Token) -> ExprKind<'a> {
        let message = format!("near \"{}\": syntax error", self.lossy(token.span));
        self.defer(Some(token.span.start), message);
        ExprKind::Null
    }

    fn number_of_name(&mut self, name: &'a [u8]) -> u32 {
        if let Some(number) = self.parameters.number_of(name) {
            return number;
        }
        let number = self.parameters.count + 1;
        self.parameters.names.push(ParameterName { name, number });
        number
    }
}
