//! Calling functions.

use std::borrow::Cow;

use lithe_functions::{
    Arguments, Beside, CallSite, ConditionFn, Connection, Context, Function, FunctionError, Pointer, SHORT_TEXT_MAX,
    ScalarFn, Shortcut, ShortcutFn, SqlConnection,
};
use lithe_value::{Buffer, Collation, Encoding, Value, ValueRef, cast as convert};
use lithe_vfs::ResultCode;

use crate::connection_state::Flags;
use crate::error::Error;
use crate::host::Host;
use crate::machine::{Machine, drop_stale_rows, with_values};
use crate::operand::{CallId, Extent, Reg};
use crate::program::{FunctionCall, Program};
use crate::register::{BytesKind, INLINE_MAX, Inline, Register};

/// dst = the function's result. Only tells calls apart, without a frame of its own, so that the loop stays as small as it was, and a call
/// by the shortest way takes few instructions.
#[inline(never)]
pub fn call(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    id: CallId,
    start: Reg,
    dst: Reg,
) -> Result<(), Error> {
    let at = CallAt { id: usize::from(id.0), start, dst };
    match program.calls[at.id].function.shortcut() {
        Some(Shortcut::Integer(integer)) => call_integer(m, program, host, integer, at),
        Some(Shortcut::Name(name)) => call_name(m, program, host, name, at),
        Some(Shortcut::Condition(condition)) => call_condition(m, program, host, condition, at),
        Some(Shortcut::Value(value)) => call_value(m, program, host, value, at),
        None => call_as_usual(m, program, host, at),
    }
}

/// The result of a function for which only the length of a long value has been read, in its place. False: the function must be called.
#[inline]
pub fn by_extent(m: &mut Machine, extent: Extent, start: Reg, dst: Reg) -> bool {
    match m.reg(start).untouched_zeros() {
        Some(len) if extent != Extent::Type => {
            m.reg_mut(dst).set_integer(i64::from(len));
            true
        }
        _ => false,
    }
}

/// Calls a function whose shortcut makes an integer of one value.
#[inline(never)]
fn call_integer(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    shortcut: fn(ValueRef<'_>) -> Option<i64>,
    at: CallAt,
) -> Result<(), Error> {
    if m.is_utf8
        && let Some(integer) = shortcut(m.reg(at.start).usual_ref())
    {
        m.reg_mut(at.dst).set_integer(integer);
        return Ok(());
    }
    call_as_usual(m, program, host, at)
}

/// Calls a function whose shortcut answers one of a few texts for one value.
#[inline(never)]
fn call_name(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    shortcut: fn(ValueRef<'_>) -> &'static str,
    at: CallAt,
) -> Result<(), Error> {
    if m.is_utf8
        && let Some(name) = Inline::of_short(shortcut(m.reg(at.start).usual_ref()).as_bytes())
    {
        m.reg_mut(at.dst).set_short_text(name);
        return Ok(());
    }
    call_as_usual(m, program, host, at)
}

/// Calls a function whose shortcut tests a text.
#[inline(never)]
fn call_condition(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    shortcut: ConditionFn,
    at: CallAt,
) -> Result<(), Error> {
    if m.is_utf8
        && let (Some(first), Some(text)) = (m.reg(at.start).text(), m.reg(at.start.at(1)).text())
        && let Some(site) = m.sites.get(at.id)
        && let Some(truth) = shortcut(first, text, site, &FunctionConnection(host))
    {
        m.reg_mut(at.dst).set_integer(i64::from(truth));
        return Ok(());
    }
    call_as_usual(m, program, host, at)
}

/// Calls a function that has a shortcut to any value.
#[inline(never)]
fn call_value(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    shortcut: ShortcutFn,
    at: CallAt,
) -> Result<(), Error> {
    let is_done = call_shortcut(m, &program.calls[at.id], shortcut, host, at);
    if is_done { Ok(()) } else { call_as_usual(m, program, host, at) }
}

#[inline(never)]
fn call_as_usual(m: &mut Machine, program: &Program, host: &dyn Host, at: CallAt) -> Result<(), Error> {
    let call = &program.calls[at.id];
    if m.sites.len() < program.calls.len() {
        m.sites.resize_with(program.calls.len(), CallSite::new);
    }
    if m.results.len() < program.calls.len() {
        m.results.resize_with(program.calls.len(), Value::default);
    }
    match call.function.builtin_scalar() {
        Some(eval) if host.state().encoding.get() == Encoding::Utf8 => call_builtin(m, call, eval, host, at),
        _ => call_any(m, call, host, at),
    }
}

/// A call in a program: its number, where its arguments begin, and where its result goes.
#[derive(Clone, Copy)]
struct CallAt {
    id: usize,
    start: Reg,
    dst: Reg,
}

impl CallAt {
    /// Gives the result the memory of `dst` to build a text in, unless `dst` holds an argument or this call has memory
    /// of an earlier result.
    #[inline(always)]
    fn take_memory(self, m: &mut Machine, count: usize) {
        let CallAt { id, start, dst } = self;
        let takes = m.reg(dst).has_memory() && !(start.0..start.0 + count as u32).contains(&dst.0);
        if takes && m.results[id].capacity() == 0 {
            let memory = m.reg_mut(dst).take_buffer();
            m.results[id].set_blob_buffer(memory);
        }
    }
}

/// Calls the shortcut of a function. False: it has none for these arguments, or its result is longer than a short text, and nothing has
/// happened.
#[inline(always)]
fn call_shortcut(m: &mut Machine, call: &FunctionCall, shortcut: ShortcutFn, host: &dyn Host, at: CallAt) -> bool {
    let Machine { registers, sites, is_utf8: true, .. } = m else { return false };
    let Some(site) = sites.get(at.id) else { return false };
    let arguments = &registers[at.start.0 as usize..][..usize::from(call.argument_count)];
    let (connection, mut memory) = (FunctionConnection(host), [0; SHORT_TEXT_MAX]);
    let beside = Beside { site, connection: &connection, memory: &mut memory };
    let result = match arguments {
        [a] => shortcut(&[a.usual_ref()], beside),
        [a, b] => shortcut(&[a.usual_ref(), b.usual_ref()], beside),
        [a, b, c] => shortcut(&[a.usual_ref(), b.usual_ref(), c.usual_ref()], beside),
        _ => None,
    };
    match result {
        None => return false,
        Some(ValueRef::Integer(integer)) => registers[at.dst.0 as usize].set_integer(integer),
        Some(ValueRef::Real(real)) => registers[at.dst.0 as usize].set_real(real),
        Some(ValueRef::Null) => registers[at.dst.0 as usize].set_null(),
        Some(ValueRef::Text(text)) => {
            let Some(text) = Inline::of_short(text) else { return false };
            registers[at.dst.0 as usize].set_short_text(text);
        }
        Some(ValueRef::Blob(_)) => return false,
    }
    true
}

const _: () = assert!(SHORT_TEXT_MAX == INLINE_MAX);

/// Calls a built-in function with its arguments as they are. Such a function has no access to the machine, so the cursors are not
/// put aside; it checks the length of its result itself.
#[inline]
fn call_builtin(
    m: &mut Machine,
    call: &FunctionCall,
    eval: ScalarFn,
    host: &dyn Host,
    at: CallAt,
) -> Result<(), Error> {
    let count = usize::from(call.argument_count);
    at.take_memory(m, count);
    let Machine { registers, sites, results, held_pages, cursors, shared, .. } = m;
    let out = &mut results[at.id];
    let arguments = &registers[at.start.0 as usize..][..count];
    let connection = FunctionConnection(host);
    let attributes = CallArguments { registers: RegisterArguments(arguments), bound: call.bound_arguments };
    let mut context = Context::new(out, &call.collation, &mut sites[at.id], &connection);
    context.must_be_pure = call.must_be_pure;
    context.arguments = &attributes;
    context.shared = Some(shared);
    let result = with_values(arguments, |values| eval(&mut context, values));
    let (subtype, pointer) = (context.subtype, context.pointer.take());
    held_pages.resume(cursors);
    result.map_err(function_failed)?;
    let dst = &mut registers[at.dst.0 as usize];
    match out.as_ref() {
        ValueRef::Integer(integer) => dst.set_integer(integer),
        _ => dst.set_result(out, subtype, pointer),
    }
    Ok(())
}

/// Calls any other function.
fn call_any(m: &mut Machine, call: &FunctionCall, host: &dyn Host, at: CallAt) -> Result<(), Error> {
    let is_builtin = call.function.is_builtin();
    let writes = host.state().writes.get();
    if !is_builtin {
        m.suspend();
    }
    let count = usize::from(call.argument_count);
    at.take_memory(m, count);
    let Machine { registers, sites, results, held_pages, cursors, shared, .. } = m;
    let out = &mut results[at.id];
    let arguments = &registers[at.start.0 as usize..][..count];
    let connection = FunctionConnection(host);
    let site = &mut sites[at.id];
    let attributes = CallArguments { registers: RegisterArguments(arguments), bound: call.bound_arguments };
    let mut context = Context::new(out, &call.collation, site, &connection);
    context.must_be_pure = call.must_be_pure;
    context.arguments = &attributes;
    context.shared = Some(shared);
    let mut texts = Vec::new();
    let result = with_values(arguments, |values| {
        let values = decoded(&call.function, values, host, &mut texts)?;
        call.function.call(&mut context, &values)
    });
    held_pages.resume(cursors);
    let (subtype, pointer) = (context.subtype, context.pointer.take());
    if !is_builtin {
        // The function may have interrupted its own statement, and written to the rows under the cursors.
        m.loops_until_check = 1;
        if writes != host.state().writes.get() {
            drop_stale_rows(cursors);
        }
        site.keep_constant(call.constant_arguments);
        check_length(out, host)?;
    }
    result.map_err(function_failed)?;
    registers[at.dst.0 as usize].set_result(out, subtype, pointer);
    through_encoding(&mut registers[at.dst.0 as usize], host.state().encoding.get());
    Ok(())
}

/// Turns the text in a register into what is left of it in the encoding of the database, as which SQLite keeps it: bytes that are no
/// characters become others in UTF-16.
pub(crate) fn through_encoding(register: &mut Register, encoding: Encoding) {
    if encoding == Encoding::Utf8 {
        return;
    }
    if let Some(text) = register.text()
        && !text.is_ascii()
    {
        let (mut encoded, mut decoded) = (Buffer::new(), Buffer::new());
        encoding.encode(text, &mut encoded);
        encoding.decode(encoded.as_slice(), &mut decoded);
        if decoded.as_slice() != text {
            register.set_buffer(BytesKind::Text, decoded);
        }
    }
}

/// Calls a function outside of a program, as the planner does.
///
/// # Errors
/// Those of the function; SQLITE_TOOBIG if the result exceeds the length limit.
pub fn call_alone(
    function: &Function,
    arguments: &[ValueRef<'_>],
    collation: &Collation,
    host: &dyn Host,
) -> lithe_functions::Result<Value> {
    let (mut out, mut site, mut texts) = (Value::default(), CallSite::new(), Vec::new());
    let connection = FunctionConnection(host);
    let mut context = Context::new(&mut out, collation, &mut site, &connection);
    let values = decoded(function, arguments, host, &mut texts)?;
    function.call(&mut context, &values)?;
    match check_length(&out, host) {
        Ok(()) => Ok(out),
        Err(_) => Err(FunctionError::too_big()),
    }
}

/// The arguments as a function receives them. In a database of UTF-16, a BLOB that a built-in function reads as text is text of that
/// encoding; it is decoded into `texts`.
#[inline]
pub fn decoded<'s, 'a>(
    function: &Function,
    values: &'s [ValueRef<'a>],
    host: &dyn Host,
    texts: &'a mut Vec<Buffer>,
) -> lithe_functions::Result<Cow<'s, [ValueRef<'a>]>> {
    let encoding = host.state().encoding.get();
    if encoding == Encoding::Utf8 || !function.is_builtin() {
        return Ok(Cow::Borrowed(values));
    }
    blobs_as_texts(function, values, encoding, texts).map(Cow::Owned)
}

#[cold]
fn blobs_as_texts<'a>(
    function: &Function,
    values: &[ValueRef<'a>],
    encoding: Encoding,
    texts: &'a mut Vec<Buffer>,
) -> lithe_functions::Result<Vec<ValueRef<'a>>> {
    texts.resize_with(values.len(), Buffer::new);
    let read = |((at, value), text): ((usize, &ValueRef<'a>), &'a mut Buffer)| {
        let is_read = function.reads_as_text(at, values);
        let read = if is_read { convert::blob_as_text(*value, encoding, text)? } else { *value };
        // Of a BLOB, sum() takes a real, although of a text it may take an integer.
        let is_real = matches!(value, ValueRef::Blob(_)) && function.is_sum();
        Ok(if is_real { ValueRef::Real(convert::to_real(read)) } else { read })
    };
    values.iter().enumerate().zip(texts).map(read).collect()
}

/// Subtypes and pointers of the arguments, from their registers.
pub struct RegisterArguments<'r>(pub &'r [Register]);

impl Arguments for RegisterArguments<'_> {
    fn subtype(&self, index: usize) -> u8 {
        self.0.get(index).map_or(0, Register::subtype)
    }

    fn pointer(&self, index: usize) -> Option<&Pointer> {
        self.0.get(index)?.pointer().map(|pointer| &**pointer)
    }
}

/// The same, with the arguments that the compiler found to be parameters.
struct CallArguments<'r> {
    registers: RegisterArguments<'r>,
    /// Bit i set: argument i is a parameter.
    bound: u32,
}

impl Arguments for CallArguments<'_> {
    fn subtype(&self, index: usize) -> u8 {
        self.registers.subtype(index)
    }

    fn pointer(&self, index: usize) -> Option<&Pointer> {
        self.registers.pointer(index)
    }

    fn is_bound(&self, index: usize) -> bool {
        u32::try_from(index).is_ok_and(|index| self.bound.checked_shr(index).is_some_and(|bits| bits & 1 != 0))
    }
}

/// Checks the length of a result: functions of the application do not check it.
pub fn check_length(out: &Value, host: &dyn Host) -> Result<(), Error> {
    let length = out.as_ref().bytes().map_or(0, <[u8]>::len);
    if length > host.state().length_max.get() as usize { Err(Error::too_big()) } else { Ok(()) }
}

#[cold]
pub fn function_failed(error: FunctionError) -> Error {
    let code = ResultCode(error.code);
    let is_told = error.is_exact || !error.message.is_empty();
    if is_told { Error::new(code, error.into_message()) } else { Error::from_code(code) }
}

/// The connection, as functions see it.
pub struct FunctionConnection<'h>(pub &'h dyn Host);

impl Connection for FunctionConnection<'_> {
    fn changes(&self) -> i64 {
        self.0.state().changes.get()
    }

    fn total_changes(&self) -> i64 {
        self.0.state().total_changes.get()
    }

    fn last_insert_rowid(&self) -> i64 {
        self.0.state().last_insert_rowid.get()
    }

    fn encoding(&self) -> Encoding {
        self.0.state().encoding.get()
    }

    fn length_max(&self) -> usize {
        self.0.state().length_max.get() as usize
    }

    fn like_pattern_length_max(&self) -> usize {
        self.0.state().like_pattern_length_max.get() as usize
    }

    fn case_sensitive_like(&self) -> bool {
        self.0.state().has(Flags::CASE_SENSITIVE_LIKE)
    }

    fn now(&self) -> i64 {
        let now = &self.0.state().now;
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

    fn load_extension(&self, file: Option<&[u8]>, entry: Option<&[u8]>) -> Result<(), String> {
        self.0.load_extension(file, entry)
    }

    fn sql(&self) -> Option<&dyn SqlConnection> {
        self.0.sql()
    }
}
