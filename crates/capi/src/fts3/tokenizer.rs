//! Tokenizers: the application's as implementations of the library's trait, the library's as C structures.

use std::ffi::{CString, c_char, c_int};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use lithe_engine::function::FunctionError;
use lithe_fts3::tokenizer::{self, Constructor, Flow, Sink, Token, Tokenizer};

use crate::code;
use crate::ffi_guard::guard;
use crate::text;
use crate::text::c_string;

/// A tokenizer; its module appends fields of its own.
#[allow(non_camel_case_types)]
#[repr(C)]
pub struct sqlite3_tokenizer {
    module: *const sqlite3_tokenizer_module,
}

/// A text that is tokenized; its module appends fields of its own.
#[allow(non_camel_case_types)]
#[repr(C)]
pub struct sqlite3_tokenizer_cursor {
    tokenizer: *mut sqlite3_tokenizer,
}

type CreateFn = unsafe extern "C" fn(c_int, *const *const c_char, *mut *mut sqlite3_tokenizer) -> c_int;
type DestroyFn = unsafe extern "C" fn(*mut sqlite3_tokenizer) -> c_int;
type OpenFn =
    unsafe extern "C" fn(*mut sqlite3_tokenizer, *const c_char, c_int, *mut *mut sqlite3_tokenizer_cursor) -> c_int;
type CloseFn = unsafe extern "C" fn(*mut sqlite3_tokenizer_cursor) -> c_int;
/// Returns the text of the next token and its length, its first and last byte in the document, and its position.
type NextFn = unsafe extern "C" fn(
    *mut sqlite3_tokenizer_cursor,
    *mut *const c_char,
    *mut c_int,
    *mut c_int,
    *mut c_int,
    *mut c_int,
) -> c_int;
type LanguageFn = unsafe extern "C" fn(*mut sqlite3_tokenizer_cursor, c_int) -> c_int;

/// The methods of a tokenizer. `language` exists from version 1 on.
#[allow(non_camel_case_types)]
#[repr(C)]
pub struct sqlite3_tokenizer_module {
    version: c_int,
    create: Option<CreateFn>,
    destroy: Option<DestroyFn>,
    open: Option<OpenFn>,
    close: Option<CloseFn>,
    next: Option<NextFn>,
    language: Option<LanguageFn>,
}

const _: () = assert!(size_of::<sqlite3_tokenizer_module>() == 7 * size_of::<usize>());

/// The address of the methods of a tokenizer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Module(*const sqlite3_tokenizer_module);

// SAFETY: the methods are only read, and are not moved.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

impl Module {
    pub(super) fn new(module: *const sqlite3_tokenizer_module) -> Module {
        Module(module)
    }

    /// The address, as `fts3_tokenizer()` returns it.
    pub(super) fn address(self) -> [u8; size_of::<usize>()] {
        (self.0 as usize).to_ne_bytes()
    }

    /// The name of the library's tokenizer with this module, if there is one.
    pub(super) fn own_name(self) -> Option<&'static str> {
        OWN.iter().find(|(_, module)| std::ptr::from_ref(module) == self.0).map(|(name, _)| *name)
    }
}

/// A constructor of a module's tokenizers for tables.
pub(super) fn constructor(module: Module) -> Arc<Constructor> {
    match module.own_name().and_then(tokenizer::built_in) {
        Some(constructor) => constructor,
        None => Arc::new(move |_, arguments| Ok(Box::new(CTokenizer::new(module, arguments)?))),
    }
}

/// A tokenizer of the application that a table uses.
struct CTokenizer {
    module: Module,
    made: *mut sqlite3_tokenizer,
}

// SAFETY: only its connection uses it, and only one thread at a time uses that: its mutex, or the application, makes
// sure.
unsafe impl Send for CTokenizer {}
// SAFETY: as above.
unsafe impl Sync for CTokenizer {}

fn failure(code: c_int) -> FunctionError {
    FunctionError::of_code(code)
}

impl CTokenizer {
    fn new(module: Module, arguments: &[String]) -> Result<CTokenizer, FunctionError> {
        let strings: Vec<CString> = arguments.iter().map(|argument| c_string(argument.as_bytes())).collect();
        let pointers: Vec<*const c_char> = strings.iter().map(|string| string.as_ptr()).chain([null()]).collect();
        let mut made = null_mut();
        // SAFETY: the application's module and function, used as documented: the arguments are valid during the call.
        let answer = unsafe {
            let Some(create) = (*module.0).create else { return Err(failure(code::MISUSE)) };
            create(strings.len() as c_int, pointers.as_ptr(), &mut made)
        };
        if answer != code::OK || made.is_null() {
            return Err(failure(if answer == code::OK { code::ERROR } else { answer }));
        }
        // SAFETY: it begins with this structure, whose field the caller of `create` fills in.
        unsafe { (*made).module = module.0 };
        Ok(CTokenizer { module, made })
    }

    fn open(&self, text: &[u8], language: i32) -> Result<Cursor<'_>, FunctionError> {
        let mut cursor = null_mut();
        let len = c_int::try_from(text.len()).map_err(|_| failure(code::TOOBIG))?;
        // SAFETY: the application's module and functions, used as documented: the text is valid as long as the cursor.
        unsafe {
            let methods = &*self.module.0;
            let Some(open) = methods.open else { return Err(failure(code::MISUSE)) };
            let answer = open(self.made, text.as_ptr().cast(), len, &mut cursor);
            if answer != code::OK || cursor.is_null() {
                return Err(failure(if answer == code::OK { code::ERROR } else { answer }));
            }
            (*cursor).tokenizer = self.made;
            let cursor = Cursor { methods, cursor };
            if let (1.., Some(set_language)) = (methods.version, methods.language) {
                match set_language(cursor.cursor, language) {
                    code::OK => {}
                    code => return Err(failure(code)),
                }
            }
            Ok(cursor)
        }
    }
}

impl Drop for CTokenizer {
    fn drop(&mut self) {
        // SAFETY: the module has made it, and it is not used any more.
        unsafe {
            if let Some(destroy) = (*self.module.0).destroy {
                destroy(self.made);
            }
        }
    }
}

/// A text that the application tokenizes.
struct Cursor<'m> {
    methods: &'m sqlite3_tokenizer_module,
    cursor: *mut sqlite3_tokenizer_cursor,
}

impl Drop for Cursor<'_> {
    fn drop(&mut self) {
        if let Some(close) = self.methods.close {
            // SAFETY: the module has opened it, and it is not used any more.
            unsafe { close(self.cursor) };
        }
    }
}

impl Tokenizer for CTokenizer {
    fn tokenize(&self, text: &[u8], language: i32, sink: &mut Sink<'_>) -> Result<(), FunctionError> {
        let cursor = self.open(text, language)?;
        let Some(next) = cursor.methods.next else { return Err(failure(code::MISUSE)) };
        loop {
            let (mut token, mut len, mut start, mut end, mut position) = (null(), 0, 0, 0, 0);
            // SAFETY: the application's function, called as documented; the token is valid until the next call.
            let answer = unsafe { next(cursor.cursor, &mut token, &mut len, &mut start, &mut end, &mut position) };
            match answer {
                code::OK => {}
                code::DONE => return Ok(()),
                code => return Err(failure(code)),
            }
            let place = |at: c_int| usize::try_from(at).unwrap_or(0).min(text.len());
            // SAFETY: the application says how long its token is.
            let token = unsafe { text::sized(token.cast(), len.max(0).into()) };
            let token = Token { text: token, range: place(start)..place(end), position: position.into() };
            if sink(token)? == Flow::Enough {
                return Ok(());
            }
        }
    }
}

/// The library's tokenizers, as modules.
pub(super) static OWN: [(&str, sqlite3_tokenizer_module); 3] =
    [("simple", own_module::<0>()), ("porter", own_module::<1>()), ("unicode61", own_module::<2>())];

const fn own_module<const NUMBER: usize>() -> sqlite3_tokenizer_module {
    sqlite3_tokenizer_module {
        version: 0,
        create: Some(create::<NUMBER>),
        destroy: Some(destroy),
        open: Some(open),
        close: Some(close),
        next: Some(next),
        language: None,
    }
}

/// The module of the library's tokenizer of that name.
pub(super) fn own(name: &str) -> Option<Module> {
    OWN.iter().find(|(known, _)| *known == name).map(|(_, module)| Module(module))
}

/// A tokenizer that one of these modules has made.
#[repr(C)]
struct Made {
    base: sqlite3_tokenizer,
    tokenizer: Box<dyn Tokenizer>,
}

/// The tokens of a text, all of which are computed when it is opened.
#[repr(C)]
struct Opened {
    base: sqlite3_tokenizer_cursor,
    tokens: Vec<OpenedToken>,
    at: usize,
}

struct OpenedToken {
    text: Vec<u8>,
    start: usize,
    end: usize,
    position: i64,
}

unsafe extern "C" fn create<const NUMBER: usize>(
    count: c_int,
    arguments: *const *const c_char,
    out: *mut *mut sqlite3_tokenizer,
) -> c_int {
    // SAFETY: the application passes as many strings as it says.
    guard(|| unsafe {
        *out = null_mut();
        let count = usize::try_from(count).unwrap_or(0);
        let arguments: Vec<String> =
            (0..count).map(|index| text::name(*arguments.add(index)).unwrap_or_default()).collect();
        let Some((name, module)) = OWN.get(NUMBER) else { return code::ERROR };
        match tokenizer::make_built_in(name, &arguments) {
            Ok(tokenizer) => {
                *out = Box::into_raw(Box::new(Made { base: sqlite3_tokenizer { module }, tokenizer })).cast();
                code::OK
            }
            Err(error) => error.code,
        }
    })
}

unsafe extern "C" fn destroy(made: *mut sqlite3_tokenizer) -> c_int {
    guard(|| {
        if !made.is_null() {
            // SAFETY: `create` has made it, and the application does not use it any more.
            drop(unsafe { Box::from_raw(made.cast::<Made>()) });
        }
        code::OK
    })
}

unsafe extern "C" fn open(
    made: *mut sqlite3_tokenizer,
    text: *const c_char,
    len: c_int,
    out: *mut *mut sqlite3_tokenizer_cursor,
) -> c_int {
    // SAFETY: `create` has made it; the text is valid during the call and, without a length, ends with a NUL.
    guard(|| unsafe {
        *out = null_mut();
        let text = if len < 0 { text::bytes(text).unwrap_or_default() } else { text::sized(text.cast(), len.into()) };
        let mut tokens = Vec::new();
        let mut take = |token: Token<'_>| {
            let (text, position) = (token.text.to_vec(), token.position);
            tokens.push(OpenedToken { text, start: token.range.start, end: token.range.end, position });
            Ok(Flow::More)
        };
        match (*made.cast::<Made>()).tokenizer.tokenize(text, 0, &mut take) {
            Ok(()) => {
                let base = sqlite3_tokenizer_cursor { tokenizer: made };
                *out = Box::into_raw(Box::new(Opened { base, tokens, at: 0 })).cast();
                code::OK
            }
            Err(error) => error.code,
        }
    })
}

unsafe extern "C" fn close(opened: *mut sqlite3_tokenizer_cursor) -> c_int {
    guard(|| {
        if !opened.is_null() {
            // SAFETY: `open` has made it, and the application does not use it any more.
            drop(unsafe { Box::from_raw(opened.cast::<Opened>()) });
        }
        code::OK
    })
}

unsafe extern "C" fn next(
    opened: *mut sqlite3_tokenizer_cursor,
    token: *mut *const c_char,
    len: *mut c_int,
    start: *mut c_int,
    end: *mut c_int,
    position: *mut c_int,
) -> c_int {
    // SAFETY: `open` has made it; the other pointers are variables of the application.
    guard(|| unsafe {
        let opened = &mut *opened.cast::<Opened>();
        let Some(found) = opened.tokens.get(opened.at) else { return code::DONE };
        opened.at += 1;
        (*token, *len) = (found.text.as_ptr().cast(), found.text.len() as c_int);
        (*start, *end, *position) = (found.start as c_int, found.end as c_int, found.position as c_int);
        code::OK
    })
}
