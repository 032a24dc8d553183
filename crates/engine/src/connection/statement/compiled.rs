//! What the text of a statement was compiled to.

use std::sync::Arc;

use lithe_sql::ast::Explain;
use lithe_vm::program::{Program, QuotedStrings};

use super::command::Command;

/// What a text was compiled to. Immutable, shared between statements.
#[derive(Debug)]
pub struct Compiled {
    /// The statement's text.
    pub(crate) sql: String,
    /// The hash under which the program cache has it (of the text, or of its template); 0 for one that is not kept.
    pub(crate) hash: u64,
    pub(crate) body: Body,
    /// How many parameters the application may bind: none of those that stand for literals.
    pub(crate) parameter_count: usize,
    /// The text is a template: the literals of each statement are bound to its parameters.
    pub(crate) is_template: bool,
    /// Compiled as if the connection had no virtual tables.
    pub(crate) no_virtual_tables: bool,
    pub(crate) parameters: Arc<[ParameterName]>,
    /// What stands in double quotes, and is a string.
    pub(crate) quoted_strings: QuotedStrings,
    /// Whether the statement explains another one.
    pub(crate) explain: Explain,
    /// The number of the connection's generation that it was compiled at.
    pub(crate) generation: u64,
}

/// A named parameter.
#[derive(Debug)]
pub struct ParameterName {
    /// The name with a NUL behind it: the interface of C returns it without a copy of its own.
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

    /// The same with a NUL behind it.
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
    /// Whether it is worth keeping for the next statement of the same text.
    pub(crate) fn is_cacheable(&self) -> bool {
        matches!(&self.body, Body::Program(program) if program.stands())
    }
}
