//! Sessions in C: recording, changesets, groups, rebasing, applying.
//!
//! Crate `lithe-session` implements these functions; here are their handles, buffers and callbacks.

mod apply;
mod group;
mod iterator;
mod recording;

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, Ordering};

use lithe_session::{FunctionError, Grow, Input};

use crate::code;
use crate::ffi_guard::api;
use crate::memory;

type Error = FunctionError;

/// A stream for reading, which fills a buffer.
type XInput = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_int) -> c_int;
/// A stream for writing.
type XOutput = unsafe extern "C" fn(*mut c_void, *const c_void, c_int) -> c_int;

/// `SQLITE_SESSION_CONFIG_STRMSIZE`
const CONFIG_STREAM_SIZE: c_int = 1;
/// How many bytes streams read and write at a time.
static STREAM_SIZE: AtomicI32 = AtomicI32::new(1024);

fn stream_size() -> usize {
    usize::try_from(STREAM_SIZE.load(Ordering::Relaxed)).unwrap_or(1).max(1)
}

/// The code of a result.
fn code_of<T>(result: Result<T, Error>) -> c_int {
    result.map_or_else(|error| error.code, |_| code::OK)
}

fn error(code: c_int) -> Error {
    FunctionError::of_code(code)
}

/// A changeset in memory.
///
/// # Safety
/// `bytes` has `count` bytes that are valid as long as the input is used.
unsafe fn whole<'i>(count: c_int, bytes: *const c_void) -> Result<Input<'i>, Error> {
    let count = usize::try_from(count).map_err(|_| error(code::MISUSE))?;
    if count == 0 {
        return Ok(Input::whole(&[][..]));
    }
    if bytes.is_null() {
        return Err(error(code::MISUSE));
    }
    // SAFETY: our caller's promise.
    Ok(Input::whole(unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), count) }))
}

/// A changeset from a stream.
///
/// # Safety
/// `read` is called as documented, and may be called as long as the input is used.
unsafe fn stream<'i>(read: Option<XInput>, arg: *mut c_void) -> Result<Input<'i>, Error> {
    let read = read.ok_or(error(code::MISUSE))?;
    Ok(Input::in_pieces(move |buffer: &mut Vec<u8>| {
        let mut piece = vec![0_u8; stream_size()];
        let mut count = piece.len() as c_int;
        // SAFETY: our caller's promise; the buffer has `count` bytes.
        let code = unsafe { read(arg, piece.as_mut_ptr().cast(), &mut count) };
        if code != code::OK {
            return Err(error(code));
        }
        let count = usize::try_from(count).unwrap_or(0).min(piece.len());
        Ok(buffer.try_append(&piece[..count])?)
    }))
}

/// Writes to a stream in pieces of about the configured size.
struct Output {
    write: XOutput,
    arg: *mut c_void,
    buffered: Vec<u8>,
}

impl Output {
    fn new(write: Option<XOutput>, arg: *mut c_void) -> Result<Output, Error> {
        Ok(Output { write: write.ok_or(error(code::MISUSE))?, arg, buffered: Vec::new() })
    }

    fn push(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.buffered.try_append(bytes)?;
        if self.buffered.len() >= stream_size() { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Error> {
        if self.buffered.is_empty() {
            return Ok(());
        }
        // SAFETY: the application's function, called as documented.
        let code = unsafe { (self.write)(self.arg, self.buffered.as_ptr().cast(), self.buffered.len() as c_int) };
        self.buffered.clear();
        if code == code::OK { Ok(()) } else { Err(error(code)) }
    }
}

/// Runs `produce`, whose output goes to a stream.
///
/// # Safety
/// `write` may be called as documented.
unsafe fn to_stream(
    write: Option<XOutput>,
    arg: *mut c_void,
    produce: impl FnOnce(&mut dyn FnMut(&[u8]) -> Result<(), Error>) -> Result<(), Error>,
) -> c_int {
    let written = Output::new(write, arg).and_then(|mut output| {
        produce(&mut |bytes| output.push(bytes))?;
        output.flush()
    });
    code_of(written)
}

/// Runs `produce`, whose output becomes one buffer of `sqlite3_malloc`. An empty output has no buffer.
///
/// # Safety
/// Both pointers can be written, or are null.
unsafe fn to_buffer(
    count: *mut c_int,
    out: *mut *mut c_void,
    produce: impl FnOnce(&mut dyn FnMut(&[u8]) -> Result<(), Error>) -> Result<(), Error>,
) -> c_int {
    // SAFETY: our caller's promise.
    let (Some(count), Some(out)) = (unsafe { count.as_mut() }, unsafe { out.as_mut() }) else { return code::MISUSE };
    (*count, *out) = (0, null_mut());
    let mut buffer = Buffer { block: null_mut(), len: 0, capacity: 0 };
    if let Err(error) = produce(&mut |piece| buffer.push(piece)) {
        return error.code;
    }
    buffer.shrink();
    *count = buffer.len as c_int;
    *out = std::mem::replace(&mut buffer.block, null_mut());
    code::OK
}

/// A buffer of `sqlite3_malloc` that grows. Its size fits into an int.
struct Buffer {
    block: *mut c_void,
    len: usize,
    capacity: usize,
}

impl Buffer {
    fn push(&mut self, bytes: &[u8]) -> Result<(), Error> {
        const CAPACITY_MAX: usize = c_int::MAX as usize;
        let len = self.len + bytes.len();
        if len > CAPACITY_MAX {
            return Err(error(code::NOMEM));
        }
        if len > self.capacity {
            let capacity = (self.capacity * 2).max(len).min(CAPACITY_MAX);
            // SAFETY: the block is null or was allocated here.
            let block = unsafe { memory::sqlite3_realloc64(self.block, capacity as u64) };
            if block.is_null() {
                return Err(error(code::NOMEM));
            }
            (self.block, self.capacity) = (block, capacity);
        }
        // SAFETY: the buffer has space for all bytes.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.block.cast::<u8>().add(self.len), bytes.len()) };
        self.len = len;
        Ok(())
    }

    /// Frees the unused end of the buffer.
    fn shrink(&mut self) {
        if self.len > 0 && self.len < self.capacity {
            // SAFETY: the block was allocated here.
            let block = unsafe { memory::sqlite3_realloc64(self.block, self.len as u64) };
            if !block.is_null() {
                (self.block, self.capacity) = (block, self.len);
            }
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: the block is null or was allocated here, and was not given to the application.
        unsafe { memory::free(self.block) };
    }
}

/// Copies bytes into a buffer of `sqlite3_malloc`.
///
/// # Safety
/// Both pointers can be written.
unsafe fn give(bytes: &[u8], count: *mut c_int, out: *mut *mut c_void) -> c_int {
    let Ok(len) = c_int::try_from(bytes.len()) else { return code::TOOBIG };
    if bytes.is_empty() {
        return code::OK;
    }
    let block = memory::malloc(bytes.len() as u64);
    if block.is_null() {
        return code::NOMEM;
    }
    // SAFETY: the block has space for the bytes, and our caller's promise.
    unsafe {
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), block.cast(), bytes.len());
        (*count, *out) = (len, block);
    }
    code::OK
}

api! {
    fn sqlite3session_config(op: c_int, arg: *mut c_void) -> c_int {
        let Some(size) = arg.cast::<c_int>().as_mut().filter(|_| op == CONFIG_STREAM_SIZE) else { return code::MISUSE };
        if *size > 0 {
            STREAM_SIZE.store(*size, Ordering::Relaxed);
        }
        *size = STREAM_SIZE.load(Ordering::Relaxed);
        code::OK
    }
}
