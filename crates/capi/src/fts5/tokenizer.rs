//! Tokenizers: the application's as implementations of the library's trait, the library's as C structures.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use lithe_engine::ResultCode;
use lithe_engine::function::FunctionError;
use lithe_fts5::tokenizer::{Constructor, Flow, Purpose, Sink, Token, Tokenizer};

use crate::code;
use crate::connection::{live, sqlite3};
use crate::ffi_guard::guard;
use crate::memory::{self, Destructor};
use crate::text;
use crate::text::c_string;

/// The token has the same position as the one before it.
const COLOCATED: c_int = 1;

/// A tokenizer that was made: the application's, or a [`Made`] of the library.
pub enum Fts5Tokenizer {}

type CreateFn = unsafe extern "C" fn(*mut c_void, *const *const c_char, c_int, *mut *mut Fts5Tokenizer) -> c_int;
type DeleteFn = unsafe extern "C" fn(*mut Fts5Tokenizer);
/// Called for each token: flags, its text and length, its first and last byte in the document.
pub type TokenFn = unsafe extern "C" fn(*mut c_void, c_int, *const c_char, c_int, c_int, c_int) -> c_int;
type TokenizeFn =
    unsafe extern "C" fn(*mut Fts5Tokenizer, *mut c_void, c_int, *const c_char, c_int, Option<TokenFn>) -> c_int;
type TokenizeLocaleFn = unsafe extern "C" fn(
    *mut Fts5Tokenizer,
    *mut c_void,
    c_int,
    *const c_char,
    c_int,
    *const c_char,
    c_int,
    Option<TokenFn>,
) -> c_int;

/// The methods of a tokenizer without locales.
#[allow(non_camel_case_types)]
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct fts5_tokenizer {
    create: Option<CreateFn>,
    delete: Option<DeleteFn>,
    tokenize: Option<TokenizeFn>,
}

/// The methods of a tokenizer with locales.
#[allow(non_camel_case_types)]
#[repr(C)]
#[derive(Clone, Copy)]
pub struct fts5_tokenizer_v2 {
    pub(super) version: c_int,
    create: Option<CreateFn>,
    delete: Option<DeleteFn>,
    tokenize: Option<TokenizeLocaleFn>,
}

/// Methods of either version.
#[derive(Clone, Copy)]
pub(super) enum Methods {
    First(fts5_tokenizer),
    Second(fts5_tokenizer_v2),
}

impl Methods {
    fn life(&self) -> (Option<CreateFn>, Option<DeleteFn>) {
        match self {
            Methods::First(methods) => (methods.create, methods.delete),
            Methods::Second(methods) => (methods.create, methods.delete),
        }
    }
}

/// A tokenizer as the application registered it.
pub(super) struct Kind {
    pub methods: Methods,
    pub user_data: *mut c_void,
    pub destructor: Destructor,
}

// SAFETY: only its connection uses it, and only one thread at a time uses that: its mutex, or the application, makes
// sure.
unsafe impl Send for Kind {}
// SAFETY: as above.
unsafe impl Sync for Kind {}

impl Drop for Kind {
    fn drop(&mut self) {
        // SAFETY: the application gave both for this.
        unsafe { memory::destroy(self.destructor, self.user_data) };
    }
}

/// A constructor of a kind's tokenizers for tables.
pub(super) fn constructor(kind: &Arc<Kind>) -> Arc<Constructor> {
    let kind = Arc::clone(kind);
    Arc::new(move |_, arguments| Ok(Box::new(CTokenizer::new(&kind, arguments)?)))
}

/// A tokenizer of the application that a table uses.
struct CTokenizer {
    kind: Arc<Kind>,
    made: *mut Fts5Tokenizer,
}

// SAFETY: as for its kind.
unsafe impl Send for CTokenizer {}
// SAFETY: as above.
unsafe impl Sync for CTokenizer {}

impl CTokenizer {
    fn new(kind: &Arc<Kind>, arguments: &[String]) -> Result<CTokenizer, FunctionError> {
        let strings: Vec<CString> = arguments.iter().map(|argument| c_string(argument.as_bytes())).collect();
        let pointers: Vec<*const c_char> = strings.iter().map(|string| string.as_ptr()).chain([null()]).collect();
        let mut made = null_mut();
        let (Some(create), _) = kind.methods.life() else { return Err(failure(code::MISUSE)) };
        // SAFETY: the application's function, called as documented: the arguments are valid during the call.
        let answer = unsafe { create(kind.user_data, pointers.as_ptr(), strings.len() as c_int, &mut made) };
        match answer {
            code::OK => Ok(CTokenizer { kind: Arc::clone(kind), made }),
            _ => Err(failure(answer)),
        }
    }
}

impl Drop for CTokenizer {
    fn drop(&mut self) {
        if let (_, Some(delete)) = self.kind.methods.life() {
            // SAFETY: its kind has made it, and it is not used any more.
            unsafe { delete(self.made) };
        }
    }
}

impl Tokenizer for CTokenizer {
    fn tokenize(
        &self,
        text: &[u8],
        purpose: Purpose,
        locale: Option<&[u8]>,
        sink: &mut Sink<'_>,
    ) -> Result<(), FunctionError> {
        let mut call = Call { sink, text_len: text.len(), error: None, is_enough: false };
        let context = std::ptr::from_mut(&mut call).cast();
        let (start, len, flags) = (text.as_ptr().cast(), text.len() as c_int, purpose as c_int);
        // SAFETY: the application's function, called as documented: the text is valid during the call.
        let answer = unsafe {
            match self.kind.methods {
                Methods::First(fts5_tokenizer { tokenize: Some(tokenize), .. }) => {
                    tokenize(self.made, context, flags, start, len, Some(take_token))
                }
                Methods::Second(fts5_tokenizer_v2 { tokenize: Some(tokenize), .. }) => {
                    let (locale, locale_len) =
                        locale.map_or((null(), 0), |locale| (locale.as_ptr().cast(), locale.len() as c_int));
                    tokenize(self.made, context, flags, start, len, locale, locale_len, Some(take_token))
                }
                _ => code::MISUSE,
            }
        };
        match (call.error, answer) {
            (Some(error), _) => Err(error),
            (None, code::OK) => Ok(()),
            (None, code::DONE) if call.is_enough => Ok(()),
            (None, code) => Err(failure(code)),
        }
    }
}

fn failure(code: c_int) -> FunctionError {
    FunctionError::with_code(code, ResultCode(code).text())
}

/// A text that the application tokenizes.
struct Call<'c, 's> {
    sink: &'c mut Sink<'s>,
    text_len: usize,
    error: Option<FunctionError>,
    is_enough: bool,
}

/// Takes a token from a tokenizer of the application.
unsafe extern "C" fn take_token(
    context: *mut c_void,
    flags: c_int,
    token: *const c_char,
    len: c_int,
    start: c_int,
    end: c_int,
) -> c_int {
    guard(|| {
        // SAFETY: the context is that of the tokenizer's call; the token is valid during the call.
        let (call, token) =
            unsafe { (&mut *context.cast::<Call<'_, '_>>(), text::sized(token.cast(), len.max(0).into())) };
        let place = |at: c_int| usize::try_from(at).unwrap_or(0).min(call.text_len);
        let token = Token { text: token, range: place(start)..place(end), is_colocated: flags & COLOCATED != 0 };
        match (call.sink)(token) {
            Ok(Flow::More) => code::OK,
            Ok(Flow::Enough) => {
                call.is_enough = true;
                code::DONE
            }
            Err(error) => {
                let code = error.code;
                call.error = Some(error);
                code
            }
        }
    })
}

/// Represents a tokenizer that the application has looked up and that has no structure of its own: the user data of
/// [`STAND_IN`] and [`STAND_IN_V2`].
pub(super) struct Found {
    pub db: *mut sqlite3,
    pub constructor: Arc<Constructor>,
}

/// A tokenizer that a [`Found`] has made.
struct Made(Box<dyn Tokenizer>);

/// The methods of stand-ins.
pub(super) const STAND_IN: fts5_tokenizer =
    fts5_tokenizer { create: Some(create), delete: Some(delete), tokenize: Some(tokenize) };

/// The same, with locales.
pub(super) static STAND_IN_V2: fts5_tokenizer_v2 = fts5_tokenizer_v2 {
    version: super::TOKENIZER_VERSION,
    create: Some(create),
    delete: Some(delete),
    tokenize: Some(tokenize_with_locale),
};

unsafe extern "C" fn create(
    found: *mut c_void,
    arguments: *const *const c_char,
    count: c_int,
    out: *mut *mut Fts5Tokenizer,
) -> c_int {
    // SAFETY: the application passes the user data that it got, which live as long as the connection, and as many
    // strings as it says.
    guard(|| unsafe {
        *out = null_mut();
        let found = &*found.cast::<Found>();
        let db = match live(found.db) {
            Ok(db) => db,
            Err(code) => return code,
        };
        let count = usize::try_from(count).unwrap_or(0);
        let arguments: Vec<String> =
            (0..count).map(|index| text::name(*arguments.add(index)).unwrap_or_default()).collect();
        match (found.constructor)(db.core(), &arguments) {
            Ok(made) => {
                *out = Box::into_raw(Box::new(Made(made))).cast();
                code::OK
            }
            Err(error) => error.code,
        }
    })
}

unsafe extern "C" fn delete(made: *mut Fts5Tokenizer) {
    guard(|| {
        if !made.is_null() {
            // SAFETY: `create` has made it, and the application does not use it any more.
            drop(unsafe { Box::from_raw(made.cast::<Made>()) });
        }
    });
}

unsafe extern "C" fn tokenize(
    made: *mut Fts5Tokenizer,
    context: *mut c_void,
    flags: c_int,
    start: *const c_char,
    len: c_int,
    take: Option<TokenFn>,
) -> c_int {
    // SAFETY: our caller's promise.
    unsafe { tokenize_with_locale(made, context, flags, start, len, null(), 0, take) }
}

unsafe extern "C" fn tokenize_with_locale(
    made: *mut Fts5Tokenizer,
    context: *mut c_void,
    flags: c_int,
    start: *const c_char,
    len: c_int,
    locale: *const c_char,
    locale_len: c_int,
    take: Option<TokenFn>,
) -> c_int {
    // SAFETY: `create` has made it; the application passes texts that are valid during the call.
    guard(|| unsafe {
        let made = &*made.cast::<Made>();
        let text = text::sized(start.cast(), len.max(0).into());
        let locale = (!locale.is_null()).then(|| text::sized(locale.cast(), locale_len.max(0).into()));
        give_tokens(&*made.0, text, purpose(flags), locale, context, take)
    })
}

/// The purpose of tokenizing a text, by the flags.
fn purpose(flags: c_int) -> Purpose {
    let all = [Purpose::QueryPrefix, Purpose::Query, Purpose::Auxiliary];
    let has = |purpose: &Purpose| flags & *purpose as c_int == *purpose as c_int;
    all.into_iter().find(has).unwrap_or(Purpose::Document)
}

/// Calls the application's callback for the tokens of a text.
///
/// # Safety
/// `take` can be called with the context.
pub(super) unsafe fn give_tokens(
    tokenizer: &dyn Tokenizer,
    text: &[u8],
    purpose: Purpose,
    locale: Option<&[u8]>,
    context: *mut c_void,
    take: Option<TokenFn>,
) -> c_int {
    let mut give = |token: Token<'_>| {
        let Some(take) = take else { return Err(failure(code::MISUSE)) };
        let flags = if token.is_colocated { COLOCATED } else { 0 };
        let (start, end) = (token.range.start as c_int, token.range.end as c_int);
        // SAFETY: our caller's promise; the token is valid during the call.
        match unsafe { take(context, flags, token.text.as_ptr().cast(), token.text.len() as c_int, start, end) } {
            code::OK => Ok(Flow::More),
            code::DONE => Ok(Flow::Enough),
            code => Err(failure(code)),
        }
    };
    match tokenizer.tokenize(text, purpose, locale, &mut give) {
        Ok(()) => code::OK,
        Err(error) => error.code,
    }
}
