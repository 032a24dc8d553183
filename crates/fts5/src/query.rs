//! The text of a MATCH.
//!
//! ```text
//!   expr     := expr OR expr | expr AND expr | expr NOT expr        loosest first, left to right
//!             | colset ':' '(' expr ')' | '(' expr ')' | cnear cnear …      side by side: AND, tightest
//!   cnear    := [colset ':'] near
//!   near     := phrase | '^' phrase | NEAR '(' phrase … [',' N] ')'
//!   phrase   := string ['*'] ('+' string ['*']) …
//!   colset   := ['-'] name | ['-'] '{' name … '}'
//! ```
//!
//! [`lexer`] cuts the text, [`parser`] makes the tree, [`pattern`] makes one of a LIKE or GLOB. Strings become tokens while the text is
//! parsed, since the grammar asks which of them have none.

pub mod lexer;
pub mod parser;
pub mod pattern;
#[cfg(test)]
mod tests;

/// The distance of the first and the last phrase of a NEAR without a number.
pub const NEAR_DEFAULT: u32 = 10;

/// A query as a tree. Chains of AND and of OR are one node each, so that only NOT and parentheses make it high.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// All of them.
    And(Vec<Expr>),
    /// One of them.
    Or(Vec<Expr>),
    /// The first, but not the second.
    Not(Box<Expr>, Box<Expr>),
    /// Phrases.
    Near(Near),
}

/// Phrases near each other, or a single one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// The columns in which the phrases may occur, in order; `None`: all.
    pub columns: Option<Vec<usize>>,
    /// The phrases.
    pub phrases: Vec<Phrase>,
    /// The largest number of tokens between the end of the first phrase and the beginning of the last.
    pub distance: u32,
}

/// A sequence of tokens. A phrase whose strings have no tokens matches nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phrase {
    /// The tokens.
    pub terms: Vec<Term>,
    /// `^`: the phrase begins its column.
    pub is_first: bool,
}

/// A token of a phrase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Term {
    /// Its text; behind it those of tokens at the same place, any of which matches.
    pub tokens: Vec<Vec<u8>>,
    /// `*`: all tokens with this prefix match.
    pub is_prefix: bool,
}

impl Near {
    /// A node with one phrase.
    pub fn single(phrase: Phrase) -> Near {
        Near { columns: None, phrases: vec![phrase], distance: NEAR_DEFAULT }
    }

    /// Whether the phrase matches nothing, because it has no tokens.
    fn is_empty(&self) -> bool {
        matches!(self.phrases.as_slice(), [phrase] if phrase.terms.is_empty())
    }
}

impl Expr {
    /// Restricts all phrases to these columns, in addition to earlier restrictions.
    pub(crate) fn restrict(&mut self, columns: &[usize]) {
        match self {
            Expr::And(all) | Expr::Or(all) => all.iter_mut().for_each(|one| one.restrict(columns)),
            Expr::Not(wanted, unwanted) => {
                wanted.restrict(columns);
                unwanted.restrict(columns);
            }
            Expr::Near(near) => match &mut near.columns {
                Some(already) => already.retain(|column| columns.contains(column)),
                none => *none = Some(columns.to_vec()),
            },
        }
    }
}
