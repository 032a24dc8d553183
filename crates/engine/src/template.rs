//! Auto-parameterised INSERTs: INSERTs of literals with the same template share one program, and bind their literals to
//! its parameters.

use std::sync::Arc;

use bumpalo::Bump;
use lithe_sql::{LiteralValue, Template};
use lithe_value::{ValueRef, number};
use lithe_vm::vm::Vm;

use crate::connection::Connection;
use crate::connection::program_cache::Lookup;
use crate::connection::statement::{Compiled, ParameterNames, Statement};

/// The first statement of `sql` and the offset behind it, if it is an INSERT that the program of its template can run.
///
/// `None` does not mean an error: the text is then compiled as it is, which finds errors and their offsets.
pub(crate) fn prepare(connection: &Connection, sql: &[u8]) -> Option<(Statement, usize)> {
    if !Template::may_have(sql) {
        return None;
    }
    connection.compile_memory.with_template(|template| prepare_template(connection, template, sql))
}

fn prepare_template(connection: &Connection, template: &mut Template, sql: &[u8]) -> Option<(Statement, usize)> {
    let tail = template.read(sql)?;
    if tail > connection.settings.limits().sql_length as usize {
        return None;
    }
    let programs = &connection.programs;
    let hash = programs.hash(template.text());
    let known = programs.take(Lookup::Template, template.text(), hash, connection.generation.number());
    // A text whose template is seen for the first time is compiled as it is.
    if known.is_none() && !programs.comes_again(Lookup::Template, hash) {
        return None;
    }
    template.has_occurred_before();
    let (compiled, idle) = match known {
        Some(known) => known,
        None => (compile_template(connection, template, hash)?, None),
    };
    let mut statement = Statement::of_template(compiled, idle, &sql[..tail]);
    let length_max = connection.state.length_max.get() as usize;
    let bind = |arena: &Bump| bind_literals(statement.machine()?, template, sql, length_max, arena);
    let is_bound = connection.compile_memory.with_arena(bind);
    is_bound.map(|()| (statement, tail))
}

fn compile_template(connection: &Connection, template: &Template, hash: u64) -> Option<Arc<Compiled>> {
    let (compiled, _) = connection.compile(template.text(), None).ok()?;
    let mut compiled = compiled.filter(|compiled| compiled.is_cacheable())?;
    let new = Compiled::new_one(&mut compiled);
    (new.parameter_count, new.parameters) = (0, ParameterNames::default());
    (new.is_template, new.hash) = (true, hash);
    connection.programs.put(Lookup::Template, template.text(), &compiled);
    Some(compiled)
}

/// Binds the literals of the text to the parameters of its template. `None`: a literal exceeds the length limit.
fn bind_literals(vm: &mut Vm, template: &Template, sql: &[u8], length_max: usize, arena: &Bump) -> Option<()> {
    debug_assert!(template.literals().len() == vm.program().parameter_count as usize, "each literal has a parameter");
    for (index, literal) in template.literals().iter().enumerate() {
        let value = match literal.value(sql, arena) {
            LiteralValue::Integer(value) => ValueRef::Integer(value),
            LiteralValue::Real(digits, is_negative) => ValueRef::Real(real(digits, is_negative)),
            LiteralValue::Text(text) if text.len() <= length_max => ValueRef::Text(text),
            LiteralValue::Blob(bytes) if bytes.len() <= length_max => ValueRef::Blob(bytes),
            LiteralValue::Text(_) | LiteralValue::Blob(_) => return None,
        };
        vm.bind(index + 1, value).ok()?;
    }
    Some(())
}

fn real(digits: &[u8], is_negative: bool) -> f64 {
    let value = number::text_to_real(digits);
    if is_negative { -value } else { value }
}
