//! INSERTs of literals: one program for all that have the same shape, into which each binds its literals.

use std::sync::Arc;

use bumpalo::Bump;
use lithe_sql::{LiteralValue, Shape};
use lithe_value::{ValueRef, number};
use lithe_vm::vm::Vm;

use crate::connection::Connection;
use crate::connection::statement::{Compiled, Statement};

impl Connection {
    /// The first statement of `sql` and the offset behind it, if it is an INSERT that a program of its shape can run.
    ///
    /// `None` says nothing about what is wrong: the text is then compiled as it stands, which finds the error and its place.
    pub(crate) fn prepare_shape(&self, sql: &[u8]) -> Option<(Statement, usize)> {
        let mut shape = self.shape.take();
        let prepared = self.prepare_of(&mut shape, sql);
        self.shape.set(shape);
        prepared
    }

    fn prepare_of(&self, shape: &mut Shape, sql: &[u8]) -> Option<(Statement, usize)> {
        let tail = shape.read(sql)?;
        if tail > self.limits.get().sql_length as usize {
            return None;
        }
        let hash = self.programs.borrow().shapes.hash(shape.text());
        let known = self.programs.borrow_mut().shapes.take(shape.text(), hash, self.generation());
        let (compiled, idle) = match known {
            Some(known) => known,
            // A text whose shape comes for the first time is compiled as it stands.
            None if !self.programs.borrow_mut().shapes.comes_again(hash) => return None,
            None => (self.compile_shape(shape, hash)?, None),
        };
        let mut statement = Statement::of_shape(compiled, idle, &sql[..tail]);
        let is_bound = self.with_arena(|arena| self.bind_literals(statement.machine()?, shape, sql, arena));
        is_bound.map(|()| (statement, tail))
    }

    fn compile_shape(&self, shape: &Shape, hash: u64) -> Option<Arc<Compiled>> {
        let (compiled, _) = self.compile(shape.text(), None).ok()?;
        let compiled = compiled.filter(Compiled::is_cacheable)?;
        let compiled =
            Arc::new(Compiled { parameter_count: 0, parameters: Arc::default(), is_shape: true, hash, ..compiled });
        let forgotten = self.programs.borrow_mut().shapes.put(shape.text(), &compiled);
        drop(forgotten);
        Some(compiled)
    }

    fn bind_literals(&self, vm: &mut Vm, shape: &Shape, sql: &[u8], arena: &Bump) -> Option<()> {
        let length_max = self.facts.length_max.get() as usize;
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
}

fn real(digits: &[u8], is_negative: bool) -> f64 {
    let value = number::text_to_real(digits);
    if is_negative { -value } else { value }
}
