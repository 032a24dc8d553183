//! Auxiliary functions in C, and their interface to a query: `Fts5ExtensionApi`.
//!
//! During a call the function gets an `Fts5Context` ([`Call`]). Results that are returned by address (texts of columns,
//! tokens, positions of phrases) are stored there, and are valid until the call ends.

use std::cell::RefCell;
use std::ffi::{c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::rc::Rc;
use std::sync::Arc;

use lithe_engine::function::{Flags, FunctionError};
use lithe_engine::value::{Value, ValueRef, cast};
use lithe_fts5::auxiliary::AuxiliaryFunction;
use lithe_fts5::auxiliary::api::Api;
use lithe_fts5::position::{column_of, offset_of};
use lithe_fts5::tokenizer::Purpose;

use super::tokenizer::{TokenFn, give_tokens};
use crate::code;
use crate::connection::sqlite3;
use crate::context::{UserData, sqlite3_context};
use crate::ffi_guard::guard;
use crate::function::Frame;
use crate::memory::{self, Destructor};
use crate::text;
use crate::value::sqlite3_value;

/// An auxiliary function of the application.
pub type ExtensionFn = unsafe extern "C" fn(
    *const Fts5ExtensionApi,
    *mut Fts5Context,
    *mut sqlite3_context,
    c_int,
    *mut *mut sqlite3_value,
);
/// Called for each row in which a phrase occurs.
type RowFn = unsafe extern "C" fn(*const Fts5ExtensionApi, *mut Fts5Context, *mut c_void) -> c_int;

/// A [`Call`], as the application sees it.
pub enum Fts5Context {}

/// An iterator over the positions of a phrase: the next one, and the end.
#[repr(C)]
pub struct Fts5PhraseIter {
    next: *const u64,
    end: *const u64,
}

/// The functions that an auxiliary function may call.
#[repr(C)]
pub struct Fts5ExtensionApi {
    version: c_int,
    user_data: unsafe extern "C" fn(*mut Fts5Context) -> *mut c_void,
    column_count: unsafe extern "C" fn(*mut Fts5Context) -> c_int,
    row_count: unsafe extern "C" fn(*mut Fts5Context, *mut i64) -> c_int,
    column_total_size: unsafe extern "C" fn(*mut Fts5Context, c_int, *mut i64) -> c_int,
    tokenize: unsafe extern "C" fn(*mut Fts5Context, *const c_char, c_int, *mut c_void, Option<TokenFn>) -> c_int,
    phrase_count: unsafe extern "C" fn(*mut Fts5Context) -> c_int,
    phrase_size: unsafe extern "C" fn(*mut Fts5Context, c_int) -> c_int,
    instance_count: unsafe extern "C" fn(*mut Fts5Context, *mut c_int) -> c_int,
    instance: unsafe extern "C" fn(*mut Fts5Context, c_int, *mut c_int, *mut c_int, *mut c_int) -> c_int,
    rowid: unsafe extern "C" fn(*mut Fts5Context) -> i64,
    column_text: unsafe extern "C" fn(*mut Fts5Context, c_int, *mut *const c_char, *mut c_int) -> c_int,
    column_size: unsafe extern "C" fn(*mut Fts5Context, c_int, *mut c_int) -> c_int,
    query_phrase: unsafe extern "C" fn(*mut Fts5Context, c_int, *mut c_void, Option<RowFn>) -> c_int,
    set_auxdata: unsafe extern "C" fn(*mut Fts5Context, *mut c_void, Destructor) -> c_int,
    get_auxdata: unsafe extern "C" fn(*mut Fts5Context, c_int) -> *mut c_void,
    phrase_first: unsafe extern "C" fn(*mut Fts5Context, c_int, *mut Fts5PhraseIter, *mut c_int, *mut c_int) -> c_int,
    phrase_next: unsafe extern "C" fn(*mut Fts5Context, *mut Fts5PhraseIter, *mut c_int, *mut c_int),
    phrase_first_column: unsafe extern "C" fn(*mut Fts5Context, c_int, *mut Fts5PhraseIter, *mut c_int) -> c_int,
    phrase_next_column: unsafe extern "C" fn(*mut Fts5Context, *mut Fts5PhraseIter, *mut c_int),
    query_token: unsafe extern "C" fn(*mut Fts5Context, c_int, c_int, *mut *const c_char, *mut c_int) -> c_int,
    instance_token: unsafe extern "C" fn(*mut Fts5Context, c_int, c_int, *mut *const c_char, *mut c_int) -> c_int,
    column_locale: unsafe extern "C" fn(*mut Fts5Context, c_int, *mut *const c_char, *mut c_int) -> c_int,
    tokenize_v2: unsafe extern "C" fn(
        *mut Fts5Context,
        *const c_char,
        c_int,
        *const c_char,
        c_int,
        *mut c_void,
        Option<TokenFn>,
    ) -> c_int,
}

const _: () = assert!(size_of::<Fts5ExtensionApi>() == 24 * size_of::<usize>());

static API: Fts5ExtensionApi = Fts5ExtensionApi {
    version: 4,
    user_data,
    column_count,
    row_count,
    column_total_size,
    tokenize,
    phrase_count,
    phrase_size,
    instance_count,
    instance,
    rowid,
    column_text,
    column_size,
    query_phrase,
    set_auxdata,
    get_auxdata,
    phrase_first,
    phrase_next,
    phrase_first_column,
    phrase_next_column,
    query_token,
    instance_token,
    column_locale,
    tokenize_v2,
};

/// A function as the application registered it.
pub(super) struct CAuxiliary {
    pub db: *mut sqlite3,
    pub call: Option<ExtensionFn>,
    pub user_data: UserData,
    pub destructor: Destructor,
}

// SAFETY: only its connection uses it, and only one thread at a time uses that: its mutex, or the application, makes
// sure.
unsafe impl Send for CAuxiliary {}
// SAFETY: as above.
unsafe impl Sync for CAuxiliary {}

impl Drop for CAuxiliary {
    fn drop(&mut self) {
        // SAFETY: the application gave both for this.
        unsafe { memory::destroy(self.destructor, self.user_data.address) };
    }
}

impl AuxiliaryFunction for CAuxiliary {
    fn call(&self, api: &mut Api<'_>, arguments: &[ValueRef<'_>]) -> Result<Value, FunctionError> {
        let Some(function) = self.call else { return Err(FunctionError::of_code(code::MISUSE)) };
        let mut frame = Frame::default();
        // SAFETY: the arguments are valid during the call; the connection has the function.
        unsafe { frame.fill(self.db, api.arguments(), arguments, Flags::SUBTYPE.0) };
        let mut context = sqlite3_context::new(self.db, &self.user_data, None, null_mut());
        let mut call = Call::new(api, self.user_data.address);
        // SAFETY: the application's function, called as documented.
        unsafe {
            function(&API, call.as_context(), &mut context, arguments.len() as c_int, frame.pointers.as_mut_ptr());
        }
        let (value, subtype, pointer) = context.into_answer()?;
        api.answer_with(subtype, pointer);
        Ok(value)
    }
}

/// One call of a function, on one row.
struct Call {
    /// No other code uses it while the application's code runs.
    api: *mut Api<'static>,
    user_data: *mut c_void,
    kept: RefCell<Kept>,
}

/// Results that were returned to the application by address.
#[derive(Default)]
struct Kept {
    /// By the number of the column.
    columns: Vec<(usize, Rc<Column>)>,
    /// The positions of phrases.
    positions: Option<Rc<Vec<Vec<u64>>>>,
    /// The columns in which a phrase occurs.
    phrase_columns: Vec<(usize, Vec<u64>)>,
    tokens: Vec<Box<[u8]>>,
}

/// A column of the row.
struct Column {
    /// With a NUL behind it.
    text: Vec<u8>,
    locale: Option<Vec<u8>>,
}

impl Call {
    fn new(api: &mut Api<'_>, user_data: *mut c_void) -> Call {
        Call { api: std::ptr::from_mut(api).cast(), user_data, kept: RefCell::default() }
    }

    fn as_context(&mut self) -> *mut Fts5Context {
        std::ptr::from_mut(self).cast()
    }

    fn column(&self, api: &mut Api<'_>, column: c_int) -> Result<Rc<Column>, FunctionError> {
        let column = usize::try_from(column).map_err(|_| FunctionError::of_code(code::RANGE))?;
        let mut kept = self.kept.borrow_mut();
        if let Some((_, known)) = kept.columns.iter().find(|(own, _)| *own == column) {
            return Ok(Rc::clone(known));
        }
        let found = api.column(column)?;
        let mut text = cast::to_text(found.value.as_ref()).into_owned();
        text.push(0);
        let made = Rc::new(Column { text, locale: found.locale });
        kept.columns.push((column, Rc::clone(&made)));
        Ok(made)
    }

    /// Stores a token; returns its address and length.
    fn keep_token(&self, token: Option<Vec<u8>>) -> (*const c_char, c_int) {
        let Some(mut token) = token else { return (null(), 0) };
        let len = token.len() as c_int;
        token.push(0);
        let mut kept = self.kept.borrow_mut();
        kept.tokens.push(token.into());
        (kept.tokens.last().map_or(null(), |token| token.as_ptr().cast()), len)
    }
}

/// The call behind a context, and the engine's interface.
///
/// # Safety
/// The context is that of a call under way, and no other result of this function is used any more.
unsafe fn call<'c>(context: *mut Fts5Context) -> (&'c Call, &'c mut Api<'static>) {
    // SAFETY: our caller's promise.
    unsafe {
        let call = &*context.cast::<Call>();
        (call, &mut *call.api)
    }
}

/// The code of a result.
fn code_of(result: Result<(), FunctionError>) -> c_int {
    result.map_or_else(|error| error.code, |()| code::OK)
}

fn range() -> FunctionError {
    FunctionError::of_code(code::RANGE)
}

fn index(number: c_int) -> Result<usize, FunctionError> {
    usize::try_from(number).map_err(|_| range())
}

/// Methods of the interface.
macro_rules! methods {
    ($( fn $name:ident($context:ident, $api:ident $(, $arg:ident: $ty:ty)* $(,)?) $(-> $ret:ty)? $body:block )*) => { $(
        #[allow(unused_variables, clippy::too_many_arguments)]
        unsafe extern "C" fn $name(context: *mut Fts5Context $(, $arg: $ty)*) $(-> $ret)? {
            guard(|| {
                // SAFETY: the application's function calls this, with the context of its call; pointers for results can
                // be written.
                unsafe {
                    let ($context, $api) = call(context);
                    $body
                }
            })
        }
    )* };
}

methods! {
    fn user_data(call, api) -> *mut c_void {
        call.user_data
    }

    fn column_count(call, api) -> c_int {
        api.column_count() as c_int
    }

    fn row_count(call, api, out: *mut i64) -> c_int {
        code_of(api.totals().and_then(|totals| {
            *out = totals.rows as i64;
            api.row_count().map(drop)
        }))
    }

    fn column_total_size(call, api, column: c_int, out: *mut i64) -> c_int {
        code_of(api.totals().and_then(|totals| {
            *out = 0;
            *out = match usize::try_from(column) {
                Ok(column) => *totals.tokens.get(column).ok_or_else(range)? as i64,
                Err(_) => totals.tokens.iter().fold(0, |sum: i64, tokens| sum.wrapping_add(*tokens as i64)),
            };
            Ok(())
        }))
    }

    fn phrase_count(call, api) -> c_int {
        api.phrase_count() as c_int
    }

    fn phrase_size(call, api, phrase: c_int) -> c_int {
        let phrase = usize::try_from(phrase).ok().and_then(|phrase| api.phrase(phrase));
        phrase.map_or(0, |phrase| phrase.terms.len() as c_int)
    }

    fn instance_count(call, api, out: *mut c_int) -> c_int {
        code_of(api.instances().map(|instances| *out = instances.len() as c_int))
    }

    fn instance(call, api, number: c_int, phrase: *mut c_int, column: *mut c_int, offset: *mut c_int) -> c_int {
        code_of(api.instances().and_then(|instances| {
            let found = instances.get(index(number)?).ok_or_else(range)?;
            (*phrase, *column, *offset) = (found.phrase as c_int, found.column as c_int, found.offset as c_int);
            Ok(())
        }))
    }

    fn rowid(call, api) -> i64 {
        api.rowid()
    }

    fn column_text(call, api, column: c_int, text: *mut *const c_char, len: *mut c_int) -> c_int {
        code_of(call.column(api, column).map(|column| {
            (*text, *len) = (column.text.as_ptr().cast(), column.text.len() as c_int - 1);
        }))
    }

    fn column_locale(call, api, column: c_int, locale: *mut *const c_char, len: *mut c_int) -> c_int {
        (*locale, *len) = (null(), 0);
        code_of(call.column(api, column).map(|column| {
            if let Some(found) = &column.locale {
                (*locale, *len) = (found.as_ptr().cast(), found.len() as c_int);
            }
        }))
    }

    fn column_size(call, api, column: c_int, out: *mut c_int) -> c_int {
        *out = 0;
        code_of(api.column_size(usize::try_from(column).ok()).map(|size| *out = size as c_int))
    }

    fn set_auxdata(call, api, address: *mut c_void, destructor: Destructor) -> c_int {
        api.set_auxiliary(Some(Rc::new(Auxdata(RefCell::new((address, destructor))))));
        code::OK
    }

    fn get_auxdata(call, api, clear: c_int) -> *mut c_void {
        let Some(kept) = api.auxiliary().and_then(|kept| kept.downcast::<Auxdata>().ok()) else { return null_mut() };
        let address = kept.0.borrow().0;
        if clear != 0 {
            // The data belong to the application again.
            *kept.0.borrow_mut() = (null_mut(), None);
            api.set_auxiliary(None);
        }
        address
    }

    fn phrase_first(
        call, api, phrase: c_int, iterator: *mut Fts5PhraseIter, column: *mut c_int, offset: *mut c_int,
    ) -> c_int {
        let found = api.positions().and_then(|positions| {
            let places = positions.get(index(phrase)?).ok_or_else(range)?.as_ptr_range();
            call.kept.borrow_mut().positions = Some(positions);
            Ok(places)
        });
        code_of(found.map(|places| {
            *iterator = Fts5PhraseIter { next: places.start, end: places.end };
            (*column, *offset) = next_place(iterator).unwrap_or((-1, -1));
        }))
    }

    fn phrase_next(call, api, iterator: *mut Fts5PhraseIter, column: *mut c_int, offset: *mut c_int) {
        (*column, *offset) = next_place(iterator).unwrap_or((-1, -1));
    }

    fn phrase_first_column(call, api, phrase: c_int, iterator: *mut Fts5PhraseIter, column: *mut c_int) -> c_int {
        let found = index(phrase).and_then(|phrase| match phrase < api.phrase_count() {
            true => Ok((phrase, api.phrase_columns(phrase)?)),
            false => Err(range()),
        });
        code_of(found.map(|(phrase, columns)| {
            let mut kept = call.kept.borrow_mut();
            let known = kept.phrase_columns.iter().position(|(own, _)| *own == phrase);
            let at = known.unwrap_or_else(|| {
                kept.phrase_columns.push((phrase, columns.iter().map(|column| *column as u64).collect()));
                kept.phrase_columns.len() - 1
            });
            let places = kept.phrase_columns.get(at).map_or(null()..null(), |(_, columns)| columns.as_ptr_range());
            *iterator = Fts5PhraseIter { next: places.start, end: places.end };
            *column = next_number(iterator).map_or(-1, |column| column as c_int);
        }))
    }

    fn phrase_next_column(call, api, iterator: *mut Fts5PhraseIter, column: *mut c_int) {
        *column = next_number(iterator).map_or(-1, |column| column as c_int);
    }

    fn query_token(call, api, phrase: c_int, token: c_int, text: *mut *const c_char, len: *mut c_int) -> c_int {
        (*text, *len) = (null(), 0);
        let term = usize::try_from(phrase).ok().and_then(|phrase| api.phrase(phrase));
        let term = term.zip(usize::try_from(token).ok()).and_then(|(phrase, token)| phrase.terms.get(token));
        let Some(term) = term else { return code::RANGE };
        (*text, *len) = call.keep_token(term.tokens.first().cloned());
        code::OK
    }

    fn instance_token(call, api, number: c_int, token: c_int, text: *mut *const c_char, len: *mut c_int) -> c_int {
        (*text, *len) = (null(), 0);
        let found = index(number).and_then(|number| api.instance_token(number, index(token)?));
        code_of(found.map(|found| (*text, *len) = call.keep_token(found)))
    }
}

/// The next position of a phrase.
///
/// # Safety
/// The iterator is as one of the methods above has left it.
unsafe fn next_place(iterator: *mut Fts5PhraseIter) -> Option<(c_int, c_int)> {
    // SAFETY: our caller's promise.
    unsafe { next_number(iterator) }.map(|place| (column_of(place) as c_int, offset_of(place) as c_int))
}

/// # Safety
/// As [`next_place`].
unsafe fn next_number(iterator: *mut Fts5PhraseIter) -> Option<u64> {
    // SAFETY: our caller's promise: the numbers up to the end are valid as long as the call.
    unsafe {
        let iterator = &mut *iterator;
        if iterator.next == iterator.end {
            return None;
        }
        let number = iterator.next.read();
        iterator.next = iterator.next.add(1);
        Some(number)
    }
}

/// Auxiliary data that a function keeps from row to row.
struct Auxdata(RefCell<(*mut c_void, Destructor)>);

impl Drop for Auxdata {
    fn drop(&mut self) {
        let (address, destructor) = *self.0.borrow();
        // SAFETY: the application gave both for this.
        unsafe { memory::destroy(destructor, address) };
    }
}

unsafe extern "C" fn tokenize(
    context: *mut Fts5Context,
    start: *const c_char,
    len: c_int,
    told: *mut c_void,
    take: Option<TokenFn>,
) -> c_int {
    // SAFETY: our caller's promise.
    unsafe { tokenize_v2(context, start, len, null(), 0, told, take) }
}

unsafe extern "C" fn tokenize_v2(
    context: *mut Fts5Context,
    start: *const c_char,
    len: c_int,
    locale: *const c_char,
    locale_len: c_int,
    told: *mut c_void,
    take: Option<TokenFn>,
) -> c_int {
    // SAFETY: the application's function calls this with its context; the texts are valid during the call.
    guard(|| unsafe {
        // The callback for tokens may use the context, so no reference into it is held meanwhile.
        let table = Arc::clone(call(context).1.table());
        let text = text::sized(start.cast(), len.max(0).into());
        let locale = (!locale.is_null()).then(|| text::sized(locale.cast(), locale_len.max(0).into()));
        give_tokens(&*table.tokenizer, text, Purpose::Auxiliary, locale, told, take)
    })
}

unsafe extern "C" fn query_phrase(
    context: *mut Fts5Context,
    phrase: c_int,
    told: *mut c_void,
    each: Option<RowFn>,
) -> c_int {
    // SAFETY: the application's function calls this with its context.
    guard(|| unsafe {
        let (outer, api) = call(context);
        let (Ok(phrase), Some(each)) = (usize::try_from(phrase), each) else { return code::RANGE };
        let user_data = outer.user_data;
        let mut rows = match api.phrase_rows(phrase) {
            Ok(rows) => rows,
            Err(error) => return error.code,
        };
        loop {
            let mut row = match rows.next_row() {
                Ok(Some(row)) => row,
                Ok(None) => return code::OK,
                Err(error) => return error.code,
            };
            let mut inner = Call::new(&mut row, user_data);
            // The application's function, called as documented.
            match each(&API, inner.as_context(), told) {
                code::OK => {}
                code::DONE => return code::OK,
                code => return code,
            }
        }
    })
}
