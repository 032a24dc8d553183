//! Functions of the application: scalar, aggregate and window functions.

use std::cell::{Cell, RefCell};
use std::ffi::{c_char, c_int, c_void};
use std::rc::Rc;
use std::sync::Arc;

use lithe_engine::function::{
    AggregateFunction, AggregateState, Arguments, Arity, Context, Flags, Function, FunctionError, Kind, ScalarFunction,
};
use lithe_engine::value::{Encoding, ValueRef};

use crate::code;
use crate::connection::{live, sqlite3};
use crate::context::{AggregateMemory, UserData, application_pointer, sqlite3_context};
use crate::ffi_guard::api;
use crate::memory::{self, Destructor};
use crate::text;
use crate::value::sqlite3_value;

pub(crate) type CallFn = unsafe extern "C" fn(*mut sqlite3_context, c_int, *mut *mut sqlite3_value);
pub(crate) type FinalFn = unsafe extern "C" fn(*mut sqlite3_context);

/// A function as the application registered it.
struct CFunction {
    db: *mut sqlite3,
    user_data: UserData,
    /// What owns the pointer, until the connection removes the function.
    owner: Cell<Option<Rc<Owned>>>,
    code: Code,
    flags: u32,
    /// Values for arguments, reused from call to call. A nested call finds none and makes its own.
    frames: RefCell<Vec<Frame>>,
}

/// The functions in C.
#[derive(Clone, Copy)]
enum Code {
    Scalar(CallFn),
    Aggregate { step: CallFn, finish: FinalFn, window: Option<(FinalFn, CallFn)> },
}

/// The pointer of a function, and the destructor that runs when the function is removed. One pointer may serve several
/// encodings.
struct Owned {
    address: *mut c_void,
    destructor: Destructor,
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: the application gave both for this.
        unsafe { memory::destroy(self.destructor, self.address) };
    }
}

// SAFETY: only its connection calls a function, and only one thread at a time uses that: its mutex makes sure, or the
// application, if it asked for none. The same holds for the pointers.
unsafe impl Send for CFunction {}
// SAFETY: as above.
unsafe impl Sync for CFunction {}

/// The subtype of a pointer.
const SUBTYPE_OF_POINTERS: u8 = b'p';

/// The values of one call's arguments.
#[derive(Default)]
pub(crate) struct Frame {
    pub(crate) values: Vec<sqlite3_value>,
    pub(crate) pointers: Vec<*mut sqlite3_value>,
}

impl Frame {
    /// Fills the values in.
    ///
    /// # Safety
    /// The arguments are valid as long as the frame is used; `db` is their live connection.
    pub(crate) unsafe fn fill(
        &mut self,
        db: *const sqlite3,
        attributes: &dyn Arguments,
        args: &[ValueRef<'_>],
        flags: u32,
    ) {
        // SAFETY: our caller's promise.
        let stored = unsafe { (*db).core() }.encoding();
        if self.values.len() < args.len() {
            self.values.resize_with(args.len(), sqlite3_value::default);
        }
        for (index, (value, arg)) in self.values.iter_mut().zip(args).enumerate() {
            // SAFETY: our caller's promise.
            unsafe { value.borrow_stored(*arg, stored) };
            // Only texts and blobs carry a subtype; the flag is a hint.
            if flags & Flags::SUBTYPE.0 != 0 || arg.bytes().is_some() {
                value.subtype = attributes.subtype(index);
            }
            value.is_from_bind = attributes.is_bound(index);
            if arg.is_null() {
                value.pointer = attributes.pointer(index).and_then(application_pointer);
                if value.pointer.is_some() {
                    value.subtype = SUBTYPE_OF_POINTERS;
                }
            }
        }
        let start = self.values.as_mut_ptr();
        self.pointers.clear();
        // SAFETY: all are within the vector, which is not moved before the call ends.
        self.pointers.extend((0..args.len()).map(|index| unsafe { start.add(index) }));
        // Without arguments there is a list, too, because the address of an empty vector must not be read.
        self.pointers.push(std::ptr::null_mut());
    }
}

impl CFunction {
    /// Calls `function` with the arguments.
    fn call(&self, function: CallFn, call: &mut sqlite3_context, context: &Context<'_>, args: &[ValueRef<'_>]) {
        let mut frame = self.frames.borrow_mut().pop().unwrap_or_default();
        // SAFETY: the arguments are valid during the call; the application's function is called as documented.
        unsafe {
            frame.fill(self.db, context.arguments, args, self.flags);
            function(call, args.len() as c_int, frame.pointers.as_mut_ptr());
        }
        self.frames.borrow_mut().push(frame);
    }

    /// Gives the pointer back to the application.
    fn removed(&self) {
        drop(self.owner.take());
    }
}

struct Scalar(CFunction);

impl ScalarFunction for Scalar {
    fn call(&self, context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result<(), FunctionError> {
        let Code::Scalar(function) = self.0.code else { return Ok(()) };
        let mut call = sqlite3_context::new(self.0.db, &self.0.user_data, Some(context), std::ptr::null_mut());
        self.0.call(function, &mut call, context, args);
        call.finish(context)
    }

    fn removed(&self) {
        self.0.removed();
    }
}

struct Aggregate(Arc<CFunction>);

impl AggregateFunction for Aggregate {
    fn start(&self) -> Box<dyn AggregateState> {
        let memory = Box::default();
        Box::new(State { function: Arc::clone(&self.0), memory, steps: 0, is_finished: false, has_begun: false })
    }

    fn has_inverse(&self) -> bool {
        matches!(self.0.code, Code::Aggregate { window: Some(_), .. })
    }

    fn removed(&self) {
        self.0.removed();
    }
}

/// The state of one group.
struct State {
    function: Arc<CFunction>,
    memory: Box<AggregateMemory>,
    steps: c_int,
    has_begun: bool,
    is_finished: bool,
}

impl State {
    fn context(&mut self, engine: Option<&mut Context<'_>>) -> sqlite3_context {
        let memory = std::ptr::from_mut(&mut *self.memory);
        let mut call = sqlite3_context::new(self.function.db, &self.function.user_data, engine, memory);
        call.steps = self.steps;
        call
    }

    fn rows(
        &mut self,
        function: CallFn,
        context: &mut Context<'_>,
        args: &[ValueRef<'_>],
    ) -> Result<(), FunctionError> {
        self.has_begun = true;
        let mut call = self.context(Some(context));
        self.function.call(function, &mut call, context, args);
        call.finish(context)
    }

    fn answer(&mut self, function: FinalFn, context: &mut Context<'_>) -> Result<(), FunctionError> {
        let mut call = self.context(Some(context));
        // SAFETY: the application's function, called as documented.
        unsafe { function(&mut call) };
        call.finish(context)
    }
}

impl AggregateState for State {
    fn step(&mut self, context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result<(), FunctionError> {
        let Code::Aggregate { step, .. } = self.function.code else { return Ok(()) };
        self.steps += 1;
        self.rows(step, context, args)
    }

    fn inverse(&mut self, context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result<(), FunctionError> {
        match self.function.code {
            Code::Aggregate { window: Some((_, inverse)), .. } => self.rows(inverse, context, args),
            _ => Ok(()),
        }
    }

    fn value(&mut self, context: &mut Context<'_>) -> Result<(), FunctionError> {
        match self.function.code {
            Code::Aggregate { window: Some((value, _)), .. } => self.answer(value, context),
            _ => self.finish(context),
        }
    }

    fn finish(&mut self, context: &mut Context<'_>) -> Result<(), FunctionError> {
        let Code::Aggregate { finish, .. } = self.function.code else { return Ok(()) };
        self.is_finished = true;
        self.answer(finish, context)
    }
}

/// A run that ends early still calls xFinal, in which the function frees what its memory refers to.
impl Drop for State {
    fn drop(&mut self) {
        let Code::Aggregate { finish, .. } = self.function.code else { return };
        if self.has_begun && !self.is_finished {
            let mut call = self.context(None);
            // SAFETY: the application's function, called as documented.
            unsafe { finish(&mut call) };
            crate::context::forget_failure(call);
        }
    }
}

/// The arguments that the registering functions share.
struct Registration<'a> {
    name: Option<&'a [u8]>,
    arg_count: c_int,
    /// Encoding and flags.
    representation: c_int,
    code: Option<Code>,
    owner: Rc<Owned>,
}

/// The longest name of a function.
const NAME_MAX: usize = 255;
/// The largest number of arguments: SQLITE_LIMIT_FUNCTION_ARG cannot be raised above it.
const ARGUMENTS_MAX: c_int = 1000;

fn register(db: &sqlite3, handle: *mut sqlite3, registration: Registration<'_>) -> c_int {
    let Registration { name, arg_count, representation, code, owner } = registration;
    let Some(name) = name.filter(|name| name.len() <= NAME_MAX) else { return code::MISUSE };
    if !(-1..=ARGUMENTS_MAX).contains(&arg_count) {
        return code::MISUSE;
    }
    let encodings = encodings(representation & 0x7);
    let args = u16::try_from(arg_count).map_or(Arity::AtLeast(0), Arity::Exactly);
    /// Below these bits are the encodings, and flags of our own.
    const FLAGS: u32 = !0x7ff;
    let flags = representation.cast_unsigned() & FLAGS;
    for encoding in encodings {
        let function = code.map(|code| {
            let (user_data, owner) = (UserData::new(owner.address), Cell::new(Some(Rc::clone(&owner))));
            let function = CFunction { db: handle, user_data, owner, code, flags, frames: RefCell::default() };
            let kind = match code {
                Code::Scalar(_) => Kind::CustomScalar(Arc::new(Scalar(function))),
                Code::Aggregate { .. } => Kind::CustomAggregate(Arc::new(Aggregate(Arc::new(function)))),
            };
            let name = String::from_utf8_lossy(name);
            Function::custom(&name, args, Flags(flags), kind).with_encoding(*encoding)
        });
        let result = match function {
            Some(function) => db.core().create_function(function),
            None => db.core().remove_function(&String::from_utf8_lossy(name), args, *encoding),
        };
        if let Err(error) = result {
            return db.fail_without_place(&error);
        }
    }
    code::OK
}

/// The encodings for which a function is registered. An unknown encoding means UTF-8, because programs pass flags
/// alone.
fn encodings(representation: c_int) -> &'static [Encoding] {
    match representation {
        code::UTF16LE => &[Encoding::Utf16le],
        code::UTF16BE => &[Encoding::Utf16be],
        code::UTF16 => &[Encoding::UTF16_NATIVE],
        // One for each encoding, so that no other function is a better match.
        code::ANY => &[Encoding::Utf8, Encoding::Utf16le, Encoding::Utf16be],
        _ => &[Encoding::Utf8],
    }
}

/// The application's combination of functions. `Err`: an invalid one.
fn code_of(
    call: Option<CallFn>,
    step: Option<CallFn>,
    finish: Option<FinalFn>,
    value: Option<FinalFn>,
    inverse: Option<CallFn>,
) -> Result<Option<Code>, c_int> {
    match (call, step, finish) {
        (Some(call), None, None) => Ok(Some(Code::Scalar(call))),
        (None, Some(step), Some(finish)) => match (value, inverse) {
            (Some(value), Some(inverse)) => Ok(Some(Code::Aggregate { step, finish, window: Some((value, inverse)) })),
            (None, None) => Ok(Some(Code::Aggregate { step, finish, window: None })),
            _ => Err(code::MISUSE),
        },
        (None, None, None) if value.is_none() && inverse.is_none() => Ok(None),
        _ => Err(code::MISUSE),
    }
}

/// # Safety
/// As the C functions document it.
unsafe fn create(
    handle: *mut sqlite3,
    name: Option<&[u8]>,
    arg_count: c_int,
    representation: c_int,
    owner: Rc<Owned>,
    code: Result<Option<Code>, c_int>,
) -> c_int {
    // SAFETY: our caller's promise.
    match (unsafe { live(handle) }, code) {
        (Ok(db), Ok(code)) => register(&db, handle, Registration { name, arg_count, representation, code, owner }),
        (Ok(_), Err(code)) | (Err(code), _) => code,
    }
}

/// A function by which a virtual table overloads another one.
pub(crate) fn overloaded(db: *mut sqlite3, name: &str, args: c_int, call: CallFn, address: *mut c_void) -> Function {
    let (user_data, owner, code) = (UserData::new(address), Cell::default(), Code::Scalar(call));
    let function = CFunction { db, user_data, owner, code, flags: 0, frames: RefCell::default() };
    let args = u16::try_from(args).map_or(Arity::AtLeast(0), Arity::Exactly);
    Function::custom(name, args, Flags::default(), Kind::CustomScalar(Arc::new(Scalar(function))))
}

fn owned(address: *mut c_void, destructor: Destructor) -> Rc<Owned> {
    Rc::new(Owned { address, destructor })
}

api! {
    fn sqlite3_create_function(
        db: *mut sqlite3, name: *const c_char, args: c_int, representation: c_int, app: *mut c_void,
        call: Option<CallFn>, step: Option<CallFn>, finish: Option<FinalFn>,
    ) -> c_int {
        let code = code_of(call, step, finish, None, None);
        create(db, text::bytes(name), args, representation, owned(app, None), code)
    }

    fn sqlite3_create_function16(
        db: *mut sqlite3, name: *const c_void, args: c_int, representation: c_int, app: *mut c_void,
        call: Option<CallFn>, step: Option<CallFn>, finish: Option<FinalFn>,
    ) -> c_int {
        let code = code_of(call, step, finish, None, None);
        create(db, text::utf16_string(name).as_deref(), args, representation, owned(app, None), code)
    }

    fn sqlite3_create_function_v2(
        db: *mut sqlite3, name: *const c_char, args: c_int, representation: c_int, app: *mut c_void,
        call: Option<CallFn>, step: Option<CallFn>, finish: Option<FinalFn>, destroy: Destructor,
    ) -> c_int {
        let code = code_of(call, step, finish, None, None);
        create(db, text::bytes(name), args, representation, owned(app, destroy), code)
    }

    fn sqlite3_create_window_function(
        db: *mut sqlite3, name: *const c_char, args: c_int, representation: c_int, app: *mut c_void,
        step: Option<CallFn>, finish: Option<FinalFn>, value: Option<FinalFn>, inverse: Option<CallFn>,
        destroy: Destructor,
    ) -> c_int {
        let code = code_of(None, step, finish, value, inverse);
        create(db, text::bytes(name), args, representation, owned(app, destroy), code)
    }

    /// A function that returns an error, until a virtual table overloads it.
    fn sqlite3_overload_function(handle: *mut sqlite3, name: *const c_char, args: c_int) -> c_int {
        let (Ok(db), Some(name), false) = (live(handle), text::bytes(name), args < -2) else { return code::MISUSE };
        let args = u16::try_from(args).map_or(Arity::AtLeast(0), Arity::Exactly);
        match db.core().overload_function(&String::from_utf8_lossy(name), args) {
            Ok(()) => code::OK,
            Err(error) => db.fail(&error),
        }
    }
}
