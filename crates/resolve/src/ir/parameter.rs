//! Parameters, and how far the plan depends on them.

use std::cell::Cell;

/// A parameter, with the place where it is noted that the plan depends on it.
#[derive(Clone, Copy, Debug)]
pub struct Parameter<'a> {
    /// Its number, from 1.
    pub number: u32,
    /// The statement's parameters.
    pub planned: &'a PlannedParameters,
}

/// The parameters on whose values the plan depends, or would depend if they were bound.
#[derive(Clone, Debug, Default)]
pub struct PlannedParameters {
    /// A bit for each.
    asked: Cell<u32>,
    /// A parameter was compared with a literal or another parameter. With literals in the place of parameters, both might have been found
    /// to be the same.
    has_compared: Cell<bool>,
}

impl PlannedParameters {
    /// The bit of a parameter, by its number from 1. As in SQLite, all parameters from the 32nd on share the last bit.
    pub fn bit(number: usize) -> u32 {
        const LAST: usize = 31;
        1 << number.saturating_sub(1).min(LAST)
    }

    /// Notes that the plan depends on the value of the parameter.
    pub fn note_asked(&self, number: usize) {
        self.asked.set(self.asked.get() | PlannedParameters::bit(number));
    }

    /// The bits of the parameters.
    pub fn bits(&self) -> u32 {
        self.asked.get()
    }

    /// Notes that literals in the place of the parameters might give another plan.
    pub fn note_compared(&self) {
        self.has_compared.set(true);
    }

    /// Whether literals in the place of the parameters might give another plan, whatever the parameters' values are.
    pub fn has_compared(&self) -> bool {
        self.has_compared.get()
    }
}
