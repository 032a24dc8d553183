//! Calling functions.

use lithe_functions::{CallSite, Connection, Context, Flags as FunctionFlags, FunctionError};
use lithe_value::{Encoding, ValueRef};
use lithe_vfs::ResultCode;

use crate::error::Error;
use crate::facts::Flags;
use crate::flow;
use crate::host::Host;
use crate::machine::{Machine, with_values};
use crate::operand::{CallId, Reg};
use crate::program::{FunctionCall, Program};
use crate::register::Register;

/// dst = the function's result.
#[inline(never)]
pub fn call(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    id: CallId,
    start: Reg,
    dst: Reg,
) -> Result<(), Error> {
    let call = &program.calls[usize::from(id.0)];
    let count = usize::from(call.argument_count);
    if m.must_own && !call.function.is_builtin() {
        // The application may commit while its function looks at the arguments.
        flow::own_lent(m);
    }
    if m.sites.len() < program.calls.len() {
        m.sites.resize_with(program.calls.len(), CallSite::new);
    }
    // A text is built in the memory of `dst`, unless that is where an argument is.
    let is_argument = (start.0..start.0 + count as u32).contains(&dst.0);
    let mut out = std::mem::take(&mut m.out);
    if !is_argument && m.reg(dst).has_memory() {
        out.set_blob_buffer(m.reg_mut(dst).take_buffer());
    }
    let Machine { registers, sites, .. } = m;
    let arguments = &registers[start.0 as usize..][..count];
    let connection = FunctionConnection(host);
    let mut context = Context::new(&mut out, &call.collation, &mut sites[usize::from(id.0)], &connection);
    context.must_be_pure = call.must_be_pure;
    let subtypes = argument_subtypes(call, arguments);
    context.arg_subtypes = &subtypes;
    let result = with_values(arguments, |values| call.function.call(&mut context, values));
    let subtype = context.subtype;
    result.map_err(function_failed)?;
    let dst = m.reg_mut(dst);
    match out.as_ref() {
        ValueRef::Null => dst.set_null(),
        ValueRef::Integer(integer) => dst.set_integer(integer),
        ValueRef::Real(real) => dst.set_real(real),
        ValueRef::Text(_) | ValueRef::Blob(_) => {
            dst.set_value(std::mem::take(&mut out));
            dst.set_subtype(subtype);
        }
    }
    m.out = out;
    Ok(())
}

/// The subtypes of the arguments, for the few functions that ask.
fn argument_subtypes(call: &FunctionCall, arguments: &[Register]) -> Vec<u8> {
    if call.function.flags().contains(FunctionFlags::SUBTYPE) {
        arguments.iter().map(Register::subtype).collect()
    } else {
        Vec::new()
    }
}

#[cold]
pub fn function_failed(error: FunctionError) -> Error {
    Error::new(ResultCode(error.code), error.message)
}

/// The connection, as functions see it.
pub struct FunctionConnection<'h>(pub &'h dyn Host);

impl Connection for FunctionConnection<'_> {
    fn changes(&self) -> i64 {
        self.0.facts().changes.get()
    }

    fn total_changes(&self) -> i64 {
        self.0.facts().total_changes.get()
    }

    fn last_insert_rowid(&self) -> i64 {
        self.0.facts().last_insert_rowid.get()
    }

    fn encoding(&self) -> Encoding {
        self.0.facts().encoding.get()
    }

    fn length_max(&self) -> usize {
        self.0.facts().length_max.get() as usize
    }

    fn like_pattern_length_max(&self) -> usize {
        self.0.facts().like_pattern_length_max.get() as usize
    }

    fn case_sensitive_like(&self) -> bool {
        self.0.facts().has(Flags::CASE_SENSITIVE_LIKE)
    }

    fn now(&self) -> i64 {
        let now = &self.0.facts().now;
        now.get().unwrap_or_else(|| {
            let millis = self.0.julian_millis();
            now.set(Some(millis));
            millis
        })
    }

    fn local_offset(&self, unix_seconds: i64) -> Option<i32> {
        self.0.local_offset(unix_seconds)
    }

    fn randomness(&self, bytes: &mut [u8]) {
        self.0.randomness(bytes);
    }

    fn log(&self, code: i32, message: &[u8]) {
        self.0.log(code, message);
    }
}
