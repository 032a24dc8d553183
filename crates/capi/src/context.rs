//! `sqlite3_context`: one call of a function of the application, and its result.

use std::any::Any;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;
use std::rc::Rc;

use lithe_engine::ResultCode;
use lithe_engine::function::{Context, FunctionError, Pointer as EnginePointer};
use lithe_engine::value::{Encoding, Value, ValueRef};

use crate::code;
use crate::connection::error;
use crate::connection::sqlite3;
use crate::ffi_guard::api;
use crate::memory::{self, Destructor};
use crate::text;
use crate::value::{Pointer, sqlite3_value};

/// A call.
///
/// Extensions that have a copy of SQLite in themselves (those of `sqlite-loadable` do) call the copy's `sqlite3_user_data`, which reads the
/// second word of a context and the second word behind it. Both are therefore where that function expects them.
#[repr(C)]
#[allow(non_camel_case_types)]
pub struct sqlite3_context {
    pub(crate) db: *mut sqlite3,
    /// The function that is called; null for a column of a virtual table.
    function: *const UserData,
    out: Value,
    subtype: Option<u8>,
    failure: Option<Failure>,
    pointer: Option<Rc<EnginePointer>>,
    /// The engine's side of the call; null if the state of an aggregate is dropped outside of any call.
    engine: *mut c_void,
    /// The memory of an aggregate, kept from call to call.
    pub(crate) memory: *mut AggregateMemory,
    /// How often xStep was called.
    pub(crate) steps: c_int,
    /// For a virtual table's column: an UPDATE does not change it.
    pub(crate) is_unchanged: bool,
    /// A result was set.
    pub(crate) is_answered: bool,
}

/// What the application gave with a function; see [`sqlite3_context`].
#[repr(C)]
pub(crate) struct UserData {
    before: usize,
    pub(crate) address: *mut c_void,
}

impl UserData {
    pub(crate) fn new(address: *mut c_void) -> UserData {
        UserData { before: 0, address }
    }
}

struct Failure {
    code: c_int,
    message: Option<Vec<u8>>,
}

impl Failure {
    fn into_error(self) -> FunctionError {
        let text = match self.message {
            Some(message) => String::from_utf8_lossy(&message).into_owned(),
            None => ResultCode(self.code).text().to_owned(),
        };
        FunctionError::with_exact_message(self.code, text)
    }
}

/// The memory that `sqlite3_aggregate_context` returns: null until its first call.
#[derive(Default)]
pub(crate) struct AggregateMemory {
    block: Option<Box<[u128]>>,
}

/// A pointer of the application that the engine holds. It is destroyed when the engine drops it, even if it is null.
pub(crate) struct Kept {
    pub(crate) address: *mut c_void,
    pub(crate) kind: *const c_char,
    pub(crate) destructor: Destructor,
}

impl Drop for Kept {
    fn drop(&mut self) {
        // SAFETY: the application gave both for this.
        unsafe { memory::destroy(self.destructor, self.address) };
    }
}

/// A pointer in the engine's form.
pub(crate) fn engine_pointer(pointer: Pointer) -> EnginePointer {
    // SAFETY: the name of the type is null or a static string.
    let kind = unsafe { text::bytes(pointer.kind) }.unwrap_or_default().into();
    let Pointer { address, kind: name, destructor } = pointer;
    EnginePointer { kind, value: Box::new(Kept { address, kind: name, destructor }), number: None }
}

/// The application's pointer in one of the engine's.
pub(crate) fn application_pointer(pointer: &EnginePointer) -> Option<Pointer> {
    let kept = pointer.value.downcast_ref::<Kept>()?;
    Some(Pointer { address: kept.address, kind: kept.kind, destructor: None })
}

impl sqlite3_context {
    /// The context of one call. `engine` is not used after the call.
    pub(crate) fn new(
        db: *mut sqlite3,
        function: *const UserData,
        engine: Option<&mut Context<'_>>,
        memory: *mut AggregateMemory,
    ) -> sqlite3_context {
        sqlite3_context {
            db,
            function,
            out: Value::NULL,
            subtype: None,
            failure: None,
            pointer: None,
            engine: engine.map_or(null_mut(), |engine| std::ptr::from_mut(engine).cast()),
            memory,
            steps: 0,
            is_unchanged: false,
            is_answered: false,
        }
    }

    /// The engine's side of the call.
    fn engine(&mut self) -> Option<&mut Context<'_>> {
        // SAFETY: it is null, or the call is still under way, because a context does not outlive its call.
        unsafe { self.engine.cast::<Context<'_>>().as_mut() }
    }

    /// Passes the result to the engine.
    pub(crate) fn finish(self, context: &mut Context<'_>) -> Result<(), FunctionError> {
        if let Some(failure) = self.failure {
            return Err(failure.into_error());
        }
        if let Some(subtype) = self.subtype {
            context.subtype = subtype;
        }
        context.pointer = self.pointer;
        *context.out = self.out;
        Ok(())
    }

    /// The result with its subtype and its pointer.
    pub(crate) fn into_answer(self) -> Result<(Value, u8, Option<Rc<EnginePointer>>), FunctionError> {
        match self.failure {
            Some(failure) => Err(failure.into_error()),
            None => Ok((self.out, self.subtype.unwrap_or(0), self.pointer)),
        }
    }

    fn set(&mut self, value: ValueRef<'_>) {
        self.is_answered = true;
        self.pointer = None;
        self.subtype = None;
        if value.bytes().is_some_and(|bytes| bytes.len() > self.length_max()) {
            return self.fail_code(code::TOOBIG);
        }
        self.out.set(value);
    }

    pub(crate) fn set_text(&mut self, text: &[u8]) {
        self.set(ValueRef::Text(text));
    }

    /// Sets a result whose bytes are copied; NULL for a null pointer.
    ///
    /// # Safety
    /// `start` came from the application with the destructor.
    unsafe fn set_bytes(&mut self, start: *const c_void, destructor: Destructor, value: ValueRef<'_>) {
        self.set(if start.is_null() { ValueRef::Null } else { value });
        if !start.is_null() {
            // SAFETY: our caller's promise; the bytes have been copied.
            unsafe { memory::destroy(destructor, start) };
        }
    }

    pub(crate) fn fail_code(&mut self, code: c_int) {
        // The message of an earlier error stays.
        let message = self.failure.take().and_then(|failure| failure.message);
        self.failure = Some(Failure { code: if code == code::OK { code::ERROR } else { code }, message });
    }

    fn fail(&mut self, message: &[u8]) {
        self.failure = Some(Failure { code: code::ERROR, message: Some(message.to_vec()) });
    }

    fn length_max(&mut self) -> usize {
        self.engine().map_or(usize::MAX, |engine| engine.connection.length_max())
    }
}

/// # Safety
/// As the C functions document it.
unsafe fn set_wide(
    context: *mut sqlite3_context,
    start: *const c_void,
    n: i64,
    destructor: Destructor,
    encoding: Encoding,
) {
    // SAFETY: our caller's promise.
    unsafe {
        if let Some(context) = context.as_mut() {
            let text = text::from_utf16(text::sized16(start, n), encoding);
            context.set_bytes(start, destructor, ValueRef::Text(&text));
        }
    }
}

api! {
    fn sqlite3_result_null(context: *mut sqlite3_context) {
        if let Some(context) = context.as_mut() {
            context.set(ValueRef::Null);
        }
    }

    fn sqlite3_result_int(context: *mut sqlite3_context, value: c_int) {
        if let Some(context) = context.as_mut() {
            context.set(ValueRef::Integer(value.into()));
        }
    }

    fn sqlite3_result_int64(context: *mut sqlite3_context, value: i64) {
        if let Some(context) = context.as_mut() {
            context.set(ValueRef::Integer(value));
        }
    }

    fn sqlite3_result_double(context: *mut sqlite3_context, value: f64) {
        if let Some(context) = context.as_mut() {
            context.set(if value.is_nan() { ValueRef::Null } else { ValueRef::Real(value) });
        }
    }

    fn sqlite3_result_text(context: *mut sqlite3_context, start: *const c_char, n: c_int, destructor: Destructor) {
        if let Some(context) = context.as_mut() {
            let text = ValueRef::Text(text::sized(start.cast(), n.into()));
            context.set_bytes(start.cast(), destructor, text);
        }
    }

    fn sqlite3_result_text64(
        context: *mut sqlite3_context, start: *const c_char, n: u64, destructor: Destructor, encoding: u8,
    ) {
        let Ok(len) = c_int::try_from(n) else {
            memory::destroy(destructor, start.cast());
            return sqlite3_result_error_toobig(context);
        };
        match text::encoding(encoding.into()) {
            Some(wide @ (Encoding::Utf16le | Encoding::Utf16be)) => {
                set_wide(context, start.cast(), len.into(), destructor, wide);
            }
            _ => sqlite3_result_text(context, start, len, destructor),
        }
    }

    fn sqlite3_result_text16(context: *mut sqlite3_context, start: *const c_void, n: c_int, destructor: Destructor) {
        set_wide(context, start, n.into(), destructor, Encoding::UTF16_NATIVE);
    }

    fn sqlite3_result_text16le(
        context: *mut sqlite3_context, start: *const c_void, n: c_int, destructor: Destructor,
    ) {
        set_wide(context, start, n.into(), destructor, Encoding::Utf16le);
    }

    fn sqlite3_result_text16be(
        context: *mut sqlite3_context, start: *const c_void, n: c_int, destructor: Destructor,
    ) {
        set_wide(context, start, n.into(), destructor, Encoding::Utf16be);
    }

    fn sqlite3_result_blob(context: *mut sqlite3_context, start: *const c_void, n: c_int, destructor: Destructor) {
        if let Some(context) = context.as_mut() {
            let blob = ValueRef::Blob(text::sized(start, n.max(0).into()));
            context.set_bytes(start, destructor, blob);
        }
    }

    fn sqlite3_result_blob64(context: *mut sqlite3_context, start: *const c_void, n: u64, destructor: Destructor) {
        match c_int::try_from(n) {
            Ok(len) => sqlite3_result_blob(context, start, len, destructor),
            Err(_) => {
                memory::destroy(destructor, start);
                sqlite3_result_error_toobig(context);
            }
        }
    }

    fn sqlite3_result_zeroblob(context: *mut sqlite3_context, n: c_int) {
        sqlite3_result_zeroblob64(context, u64::try_from(n).unwrap_or(0));
    }

    fn sqlite3_result_zeroblob64(context: *mut sqlite3_context, n: u64) -> c_int {
        let Some(context) = context.as_mut() else { return code::MISUSE };
        match usize::try_from(n) {
            Ok(len) if len <= context.length_max() => {
                context.set(ValueRef::Null);
                context.out = Value::blob(vec![0_u8; len]);
                code::OK
            }
            _ => {
                context.fail_code(code::TOOBIG);
                code::TOOBIG
            }
        }
    }

    fn sqlite3_result_value(context: *mut sqlite3_context, value: *mut sqlite3_value) {
        let (Some(context), Some(value)) = (context.as_mut(), value.as_ref()) else { return };
        context.set(value.get());
        if value.subtype != 0 {
            context.subtype = Some(value.subtype);
        }
    }

    fn sqlite3_result_pointer(
        context: *mut sqlite3_context, address: *mut c_void, kind: *const c_char, destructor: Destructor,
    ) {
        let Some(context) = context.as_mut() else { return };
        context.set(ValueRef::Null);
        context.pointer = Some(Rc::new(engine_pointer(Pointer { address, kind, destructor })));
    }

    fn sqlite3_result_subtype(context: *mut sqlite3_context, subtype: c_uint) {
        if let Some(context) = context.as_mut() {
            context.subtype = Some(subtype as u8);
        }
    }

    fn sqlite3_result_error(context: *mut sqlite3_context, message: *const c_char, n: c_int) {
        if let Some(context) = context.as_mut() {
            context.fail(text::sized(message.cast(), n.into()));
        }
    }

    fn sqlite3_result_error16(context: *mut sqlite3_context, message: *const c_void, n: c_int) {
        if let Some(context) = context.as_mut() {
            context.fail(&text::from_utf16(text::sized16(message, n.into()), Encoding::UTF16_NATIVE));
        }
    }

    fn sqlite3_result_error_code(context: *mut sqlite3_context, code: c_int) {
        if let Some(context) = context.as_mut() {
            context.fail_code(code);
        }
    }

    fn sqlite3_result_error_toobig(context: *mut sqlite3_context) {
        if let Some(context) = context.as_mut() {
            context.failure = Some(Failure { code: code::TOOBIG, message: None });
        }
    }

    fn sqlite3_result_error_nomem(context: *mut sqlite3_context) {
        if let Some(context) = context.as_mut() {
            context.failure = Some(Failure { code: code::NOMEM, message: None });
        }
    }

    fn sqlite3_user_data(context: *mut sqlite3_context) -> *mut c_void {
        let function = context.as_ref().and_then(|context| context.function.as_ref());
        function.map_or(null_mut(), |function| function.address)
    }

    fn sqlite3_context_db_handle(context: *mut sqlite3_context) -> *mut sqlite3 {
        context.as_ref().map_or(null_mut(), |context| context.db)
    }

    fn sqlite3_aggregate_context(context: *mut sqlite3_context, n: c_int) -> *mut c_void {
        let Some(memory) = context.as_ref().and_then(|context| context.memory.as_mut()) else { return null_mut() };
        if memory.block.is_none() {
            // xFinal without a row passes 0 and gets null, so that the function sees that there was no row.
            let Some(units) = usize::try_from(n).ok().filter(|n| *n > 0).map(|n| n.div_ceil(16)) else {
                return null_mut();
            };
            memory.block = Some(vec![0; units].into_boxed_slice());
        }
        memory.block.as_mut().map_or(null_mut(), |block| block.as_mut_ptr().cast())
    }

    /// Deprecated: functions can count their steps themselves.
    fn sqlite3_aggregate_count(context: *mut sqlite3_context) -> c_int {
        context.as_ref().map_or(0, |context| context.steps)
    }

    fn sqlite3_get_auxdata(context: *mut sqlite3_context, index: c_int) -> *mut c_void {
        let Some(engine) = context.as_mut().and_then(sqlite3_context::engine) else { return null_mut() };
        let kept: Option<Rc<dyn Any>> = engine.auxiliary(index);
        kept.and_then(|kept| kept.downcast_ref::<Kept>().map(|kept| kept.address)).unwrap_or(null_mut())
    }

    fn sqlite3_set_auxdata(
        context: *mut sqlite3_context, index: c_int, address: *mut c_void, destructor: Destructor,
    ) {
        let kept = Kept { address, kind: std::ptr::null(), destructor };
        // Outside of a call the pointer is dropped at once, and so destroyed.
        if let Some(engine) = context.as_mut().and_then(sqlite3_context::engine) {
            engine.set_auxiliary(index, Rc::new(kept));
        }
    }
}

/// Drops the error of an xFinal outside of a run, because no caller takes it.
pub(crate) fn forget_failure(context: sqlite3_context) {
    let _ = context.failure.map(|failure| error::errstr(failure.code));
}
