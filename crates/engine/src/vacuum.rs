//! VACUUM.

use bumpalo::Bump;
use lithe_sql::ast;
use lithe_value::Value;

use crate::connection::Connection;
use crate::error::{Error, Result};
use crate::transaction::StatementRun;

/// A compiled VACUUM.
#[derive(Debug)]
pub(crate) struct Vacuum;

pub(crate) fn compile<'a>(
    _connection: &Connection,
    _sql: &[u8],
    _vacuum: &ast::Vacuum<'a>,
    _statement: &ast::Statement<'a>,
    _arena: &'a Bump,
) -> Result<Vacuum> {
    Err(Error::not_supported("VACUUM"))
}

impl Vacuum {
    pub(crate) fn run(&self, _connection: &Connection, _bindings: &[Value], _run: &StatementRun) -> Result<()> {
        Err(Error::not_supported("VACUUM"))
    }
}
