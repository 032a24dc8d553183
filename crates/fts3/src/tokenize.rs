//! The module `fts3tokenize`: the tokens of a text as a table.
//!
//! `SELECT token, start, end, position FROM x WHERE input = 'a text'`

use std::sync::Arc;

use lithe_value::grow::copied;
use lithe_value::{Grow, cast};
use lithe_vtab::{
    ColumnContext, ConnectRequest, Connected, FunctionError, IndexInfo, Module, Risk, Scan, ScanPlan, SqlConnection,
    Usage, ValueRef, Values, VirtualCursor, VirtualTable, constraint,
};

use crate::registry;
use crate::tokenizer::{Flow, Tokenizer};
use crate::{Result, words};

/// The number of the plan with a text.
const HAS_INPUT: i32 = 1;

/// The module.
pub struct TokenizeModule;

struct TokenizeTable(Arc<dyn Tokenizer>);

impl Module for TokenizeModule {
    fn connect(&self, connection: &dyn SqlConnection, request: &ConnectRequest<'_>) -> Result<Connected> {
        let words = request.arguments.iter().map(|word| String::from_utf8_lossy(&words::dequoted(word)).into_owned());
        let mut words: Vec<String> = words.collect();
        if words.is_empty() {
            words.push("simple".to_owned());
        }
        let tokenizer = registry::make_silently(connection, &words)?;
        let declaration = "CREATE TABLE x(input, token, start, end, position)".to_owned();
        Ok(Connected { table: Box::new(TokenizeTable(tokenizer.into())), declaration, risk: Risk::Innocuous })
    }
}

impl VirtualTable for TokenizeTable {
    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        let is_input =
            |asked: &lithe_vtab::IndexConstraint| asked.usable && asked.column == 0 && asked.op == constraint::EQ;
        let found = info.constraints.iter().position(is_input);
        if let Some(usage) = found.and_then(|at| info.usage.get_mut(at)) {
            *usage = Usage { argument: 1, omit: true, all_at_once: false };
            info.plan.number = HAS_INPUT;
            info.estimated_cost = 1.0;
        }
        Ok(true)
    }

    fn open(&self) -> Result<Box<dyn VirtualCursor>> {
        Ok(Box::new(TokenizeCursor::default()))
    }
}

/// A token of the text.
struct Found {
    text: Vec<u8>,
    start: i64,
    end: i64,
    position: i64,
}

#[derive(Default)]
struct TokenizeCursor {
    input: Vec<u8>,
    tokens: Vec<Found>,
    at: usize,
}

impl VirtualCursor for TokenizeCursor {
    fn filter(&mut self, scan: &Scan<'_>, plan: &ScanPlan, arguments: &Values<'_>) -> Result {
        if plan.number != HAS_INPUT {
            return Err(FunctionError::new(""));
        }
        *self = TokenizeCursor::default();
        let Some(value) = arguments.values.first().filter(|value| !value.is_null()) else { return Ok(()) };
        self.input = copied(&cast::to_text(*value))?;
        let tokens = &mut self.tokens;
        scan.table::<TokenizeTable>()?.0.tokenize(&self.input, 0, &mut |token| {
            let (start, end) = (token.range.start as i64, token.range.end as i64);
            tokens.try_push(Found { text: copied(token.text)?, start, end, position: token.position })?;
            Ok(Flow::More)
        })
    }

    fn next(&mut self, _: &Scan<'_>) -> Result {
        self.at += 1;
        Ok(())
    }

    fn eof(&self) -> bool {
        self.at >= self.tokens.len()
    }

    fn column(&mut self, _: &Scan<'_>, context: &mut ColumnContext<'_, '_>, column: usize) -> Result {
        let value = match (self.tokens.get(self.at), column) {
            (_, 0) => ValueRef::Text(&self.input),
            (Some(token), 1) => ValueRef::Text(&token.text),
            (Some(token), 2) => ValueRef::Integer(token.start),
            (Some(token), 3) => ValueRef::Integer(token.end),
            (Some(token), _) => ValueRef::Integer(token.position),
            (None, _) => ValueRef::Null,
        };
        context.context.answer(value)
    }

    fn rowid(&mut self) -> Result<i64> {
        Ok(self.at as i64 + 1)
    }
}
