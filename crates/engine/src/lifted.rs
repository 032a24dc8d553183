//! INSERTs of literals: one program for all that have the same shape, into which each binds its literals.

use std::sync::Arc;

use bumpalo::Bump;
use lithe_sql::{LiteralValue, Shape};
use lithe_value::{ValueRef, number};
use lithe_vm::vm::Vm;

use crate::connection::Connection;
use crate::connection::program_cache::Lookup;
use crate::connection::statement::{Compiled, Statement};

/// The first statement of `sql` and the offset behind it, if it is an INSERT that a program of its shape can run.
///
/// `None` says nothing about what is wrong: the text is then compiled as it stands, which finds the error and its place.
pub(crate) fn prepare(connection: &Connection, sql: &[u8]) -> Option<(Statement, usize)> {
    connection.compile_memory.with_shape(|shape| prepare_shape(connection, shape, sql))
}

fn prepare_shape(connection: &Connection, shape: &mut Shape, sql: &[u8]) -> Option<(Statement, usize)> {
    let tail = shape.read(sql)?;
    if tail > connection.settings.limits().sql_length as usize {
        return None;
    }
    let programs = &connection.programs;
    let hash = programs.hash(shape.text());
    let (compiled, idle) = match programs.take(Lookup::Shape, shape.text(), hash, connection.generation.number()) {
        Some(known) => known,
        // A text whose shape comes for the first time is compiled as it stands.
        None if !programs.comes_again(Lookup::Shape, hash) => return None,
        None => (compile_shape(connection, shape, hash)?, None),
    };
    let mut statement = Statement::of_shape(compiled, idle, &sql[..tail]);
    let length_max = connection.facts.length_max.get() as usize;
    let bind = |arena: &Bump| bind_literals(statement.machine()?, shape, sql, length_max, arena);
    let is_bound = connection.compile_memory.with_arena(bind);
    is_bound.map(|()| (statement, tail))
}

fn compile_shape(connection: &Connection, shape: &Shape, hash: u64) -> Option<Arc<Compiled>> {
    let (compiled, _) = connection.compile(shape.text(), None).ok()?;
    let compiled = compiled.filter(Compiled::is_cacheable)?;
    let compiled =
        Arc::new(Compiled { parameter_count: 0, parameters: Arc::default(), is_shape: true, hash, ..compiled });
    connection.programs.put(Lookup::Shape, shape.text(), &compiled);
    Some(compiled)
}

/// Binds the literals of the text to the parameters of its shape. `None`: one is longer than values may be.
fn bind_literals(vm: &mut Vm, shape: &Shape, sql: &[u8], length_max: usize, arena: &Bump) -> Option<()> {
    debug_assert!(shape.literals().len() == vm.program().parameter_count as usize, "each literal has a parameter");
    for (index, literal) in shape.literals().iter().enumerate() {
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
