//! The result of compiling a statement's text.

use std::sync::Arc;

use lithe_sql::ast::Explain;
use lithe_vm::program::{Program, QuotedStrings};

use super::command::Command;
use super::parameter_names::{ParameterName, ParameterNames};
use super::sql_text::SqlText;
use crate::generation::Stamp;

/// The result of compiling a text. Immutable, shared between statements.
#[derive(Debug)]
pub struct Compiled {
    /// The statement's text.
    pub(crate) sql: SqlText,
    /// The hash under which the program cache has the text or its template; 0 if it is not kept.
    pub(crate) hash: u64,
    pub(crate) body: Body,
    /// How many parameters the application may bind, without those that stand for literals.
    pub(crate) parameter_count: usize,
    /// The text is a template: the literals of each statement are bound to its parameters.
    pub(crate) is_template: bool,
    /// Compiled as if the connection had no virtual tables.
    pub(crate) no_virtual_tables: bool,
    pub(crate) parameters: ParameterNames,
    /// Words in double quotes that were taken for strings.
    pub(crate) quoted_strings: QuotedStrings,
    /// The parameters on whose values the plan depends (`Program::planned_parameters`).
    pub(crate) planned_parameters: u32,
    /// Whether the statement explains another one.
    pub(crate) explain: Explain,
    /// The state of the connection at which the text was compiled.
    pub(crate) stamp: Stamp,
}

/// How a statement is run.
#[derive(Debug)]
pub(crate) enum Body {
    /// By the machine.
    Program(Arc<Program>),
    /// By the engine itself.
    Command(Arc<dyn Command>),
}

impl Compiled {
    /// The parameters with a name.
    pub(crate) fn parameter_names(&self) -> impl Iterator<Item = ParameterName<'_>> {
        let names = (self.parameter_count > 0).then(|| self.parameters.of(&self.sql));
        names.into_iter().flatten()
    }

    /// Whether the program is worth keeping for the next statement of the same text.
    pub(crate) fn is_cacheable(&self) -> bool {
        matches!(&self.body, Body::Program(program) if program.is_reusable())
    }

    /// Whether the plan depends on sizes of tables that were measured.
    pub(crate) fn uses_sizes(&self) -> bool {
        matches!(&self.body, Body::Program(program) if program.uses_sizes)
    }

    /// Whether the plan may be another one with literals in the place of the parameters: it depends on the parameters' values, on what they are
    /// compared with, or on a virtual table, which may ask for values of literals.
    pub(crate) fn depends_on_literals(&self) -> bool {
        let Body::Program(program) = &self.body else { return true };
        program.planned_parameters != 0 || program.has_compared_parameters || !program.scans.is_empty()
    }

    /// What was just compiled, to be completed.
    pub(crate) fn new_one(compiled: &mut Arc<Compiled>) -> &mut Compiled {
        Arc::get_mut(compiled).expect("nobody else has what was just compiled")
    }

    /// The program, if nobody else has what was compiled; `nothing` takes its place.
    pub(crate) fn into_program(mut compiled: Arc<Compiled>, nothing: Arc<Program>) -> Option<Arc<Program>> {
        match &mut Arc::get_mut(&mut compiled)?.body {
            Body::Program(program) => Some(std::mem::replace(program, nothing)),
            Body::Command(_) => None,
        }
    }
}
