//! The parameters of a statement: their names, and the values that are bound to them.

use std::rc::Rc;

use lithe_functions::Pointer;
use lithe_resolve::environment::PlannedParameters;
use lithe_value::{Value, ValueRef};
use lithe_vfs::ResultCode;

use super::{BindValue, Runner, Statement};
use crate::connection::Connection;
use crate::error::{Error, Result};
use crate::settings::config::Config;

impl Statement {
    /// Binds a value to the parameter `number` (from 1).
    #[inline(always)]
    pub fn bind(&mut self, connection: &Connection, number: usize, value: BindValue<'_>) -> Result<()> {
        if self.is_running() {
            return Err(Error::from_code(ResultCode::MISUSE));
        }
        if number == 0 || number > self.compiled.parameter_count {
            return Err(Error::from_code(ResultCode::RANGE));
        }
        let len = match value {
            BindValue::Value(ValueRef::Text(bytes) | ValueRef::Blob(bytes)) => bytes.len() as u64,
            BindValue::Value(_) => 0,
            BindValue::ZeroBlob(len) => len,
        };
        if len > u64::from(connection.state.length_max.get()) {
            return Err(Error::from_code(ResultCode::TOOBIG));
        }
        if self.too_many_zeros == number {
            self.too_many_zeros = 0;
        }
        if self.compiled.planned_parameters != 0 {
            self.note_value(number, &value);
        }
        match (&mut self.runner, value) {
            (Runner::Program(vm), BindValue::Value(value)) => vm.bind(number, value)?,
            (Runner::Program(vm), BindValue::ZeroBlob(len)) => vm.bind_zeroblob(number, len as u32)?,
            (Runner::Command(run), BindValue::Value(value)) => run.bind(number, Value::from(value)),
            (Runner::Command(run), BindValue::ZeroBlob(len)) => run.bind(number, Value::blob(vec![0; len as usize])),
        }
        Ok(())
    }

    /// The statement is compiled again if the plan depends on the parameter. As in SQLite, only an integer that is bound already is not
    /// taken for a new value, and statements of the old interface keep their plans.
    fn note_value(&mut self, number: usize, value: &BindValue<'_>) {
        if self.compiled.planned_parameters & PlannedParameters::bit(number) == 0 || self.is_legacy {
            return;
        }
        let is_same = matches!((self.bound(number), value),
            (ValueRef::Integer(bound), BindValue::Value(ValueRef::Integer(value))) if bound == *value);
        self.has_new_values |= !is_same;
    }

    /// The values of the parameters, if the plan may depend on them.
    pub(super) fn planned_values(&self, connection: &Connection) -> Vec<Value> {
        let keeps_plan = self.is_legacy || connection.settings.config(Config::EnableQpsg);
        let count = if keeps_plan { 0 } else { self.compiled.parameter_count };
        (1..=count).map(|number| Value::from(self.bound(number))).collect()
    }

    /// Binds a BLOB of zeros that [`Statement::bind`] has refused as too long: the next run fails.
    pub fn bind_too_many_zeros(&mut self, number: usize) {
        assert!(number <= self.compiled.parameter_count, "a parameter that there is none of");
        self.too_many_zeros = number;
    }

    /// Binds a pointer of the application, which SQL sees as NULL and functions receive as a pointer.
    pub fn bind_pointer(&mut self, number: usize, pointer: Rc<Pointer>) -> Result<()> {
        if self.is_running() {
            return Err(Error::from_code(ResultCode::MISUSE));
        }
        self.note_value(number, &BindValue::Value(ValueRef::Null));
        match &mut self.runner {
            Runner::Program(vm) => Ok(vm.bind_pointer(number, pointer)?),
            Runner::Command(_) => Err(Error::from_code(ResultCode::RANGE)),
        }
    }

    /// The value bound to the parameter `number`.
    pub fn bound(&self, number: usize) -> ValueRef<'_> {
        match &self.runner {
            Runner::Program(vm) => vm.bound(number),
            Runner::Command(run) => run.bound(number),
        }
    }

    /// The length of the blob of zeros that is bound to the parameter `number`.
    pub(crate) fn bound_zeros(&self, number: usize) -> Option<u32> {
        if let Runner::Program(vm) = &self.runner { vm.bound_zeros(number) } else { None }
    }

    /// Notes that all parameters get other values.
    fn note_all_values(&mut self) {
        self.has_new_values |= self.compiled.planned_parameters != 0 && !self.is_legacy;
    }

    /// Sets all parameters to NULL.
    pub fn clear_bindings(&mut self) {
        self.too_many_zeros = 0;
        if self.compiled.is_template {
            return; // the statement has no parameters of its own
        }
        self.note_all_values();
        match &mut self.runner {
            Runner::Program(vm) => vm.clear_bindings(),
            Runner::Command(run) => run.clear_bindings(),
        }
    }

    /// Moves the values of another statement's parameters to this one; the other's become NULL. Returns whether both
    /// have the same number of parameters.
    pub fn take_bindings(&mut self, connection: &Connection, from: &mut Statement) -> Result<bool> {
        let count = self.parameter_count();
        if count != from.parameter_count() {
            return Ok(false);
        }
        self.note_all_values();
        match (&mut self.runner, &mut from.runner) {
            (Runner::Program(to), Runner::Program(from)) => to.take_bindings(from),
            _ => (1..=count).try_for_each(|number| {
                let value = BindValue::Value(from.bound(number));
                self.bind(connection, number, value)
            })?,
        }
        from.clear_bindings();
        Ok(true)
    }
}
