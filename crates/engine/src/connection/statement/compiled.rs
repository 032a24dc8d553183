//! The result of compiling a statement's text.

use std::sync::Arc;

use lithe_sql::ast::Explain;
use lithe_vm::program::{Program, QuotedStrings};

use super::command::Command;
use crate::generation::Stamp;

/// The result of compiling a text. Immutable, shared between statements.
#[derive(Debug)]
pub struct Compiled {
    /// The statement's text.
    pub(crate) sql: String,
    /// The hash under which the program cache has the text or its template; 0 if it is not kept.
    pub(crate) hash: u64,
    pub(crate) body: Body,
    /// How many parameters the application may bind, without those that stand for literals.
    pub(crate) parameter_count: usize,
    /// The text is a template: the literals of each statement are bound to its parameters.
    pub(crate) is_template: bool,
    /// Compiled as if the connection had no virtual tables.
    pub(crate) no_virtual_tables: bool,
    pub(crate) parameters: Arc<[ParameterName]>,
    /// Words in double quotes that were taken for strings.
    pub(crate) quoted_strings: QuotedStrings,
    /// The parameters on whose values the plan depends (`Program::planned_parameters`).
    pub(crate) planned_parameters: u32,
    /// Whether the statement explains another one.
    pub(crate) explain: Explain,
    /// The state of the connection at which the text was compiled.
    pub(crate) stamp: Stamp,
}

/// A named parameter.
#[derive(Debug)]
pub struct ParameterName {
    /// The name with a NUL behind it, so that the C interface can return it without a copy.
    name: Box<str>,
    number: usize,
}

impl ParameterName {
    /// The name of parameter `number`, prefix included.
    pub(crate) fn new(name: &str, number: usize) -> ParameterName {
        debug_assert!(!name.contains('\0'), "a NUL ends the statement's text");
        let mut with_nul = String::with_capacity(name.len() + 1);
        with_nul.push_str(name);
        with_nul.push('\0');
        ParameterName { name: with_nul.into(), number }
    }

    /// The name, prefix included.
    pub fn name(&self) -> &str {
        self.name.strip_suffix('\0').unwrap_or_default()
    }

    /// The name with a NUL behind it.
    pub fn name_with_nul(&self) -> &str {
        &self.name
    }

    /// The number, from 1.
    pub fn number(&self) -> usize {
        self.number
    }
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
    /// Whether the program is worth keeping for the next statement of the same text.
    pub(crate) fn is_cacheable(&self) -> bool {
        matches!(&self.body, Body::Program(program) if program.is_reusable())
    }
}
