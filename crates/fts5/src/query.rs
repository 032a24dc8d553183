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
//! [`lexer`] cuts the text, [`parser`] makes the tree. Strings are not tokenized yet: that is the table's to do.

pub mod lexer;
pub mod parser;
#[cfg(test)]
mod tests;

/// How far the first and last phrase of a NEAR may lie apart if nothing is said.
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

/// Phrases near each other, or just one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// The columns in which they may stand, in order; all if None.
    pub columns: Option<Vec<usize>>,
    /// The phrases.
    pub phrases: Vec<Phrase>,
    /// How many tokens may lie between the end of the first and the beginning of the last.
    pub distance: u32,
    /// `^`: the phrase begins its column.
    pub is_first: bool,
    /// It stands beside others without an operator: without a token it is left out, where elsewhere it matches nothing.
    pub is_beside: bool,
}

/// Strings joined by `+`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phrase {
    /// The strings.
    pub parts: Vec<Part>,
}

/// A string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its text, without quotes.
    pub text: Vec<u8>,
    /// `*`: its last token is a prefix.
    pub is_prefix: bool,
}

impl Expr {
    /// Restricts all phrases to these columns, beside what restricts them already.
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
