//! Window functions.

use lithe_sql::ast::Span;

use super::super::Codegen;
use super::sink::Sink;
use crate::error::{CompileError, Result};
use crate::ir::{OrderTerm, Select};

impl<'a> Codegen<'a> {
    pub(super) fn emit_windows(
        &mut self,
        _select: &'a Select<'a>,
        _order_by: &'a [OrderTerm<'a>],
        _span: Span,
        _sink: &Sink,
    ) -> Result<()> {
        Err(CompileError::not_supported("window functions"))
    }
}
