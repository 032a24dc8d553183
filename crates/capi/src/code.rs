//! The numbers of the C interface: result codes and the flags that several modules use.

use std::ffi::c_int;

use lithe_engine::ResultCode;

pub(crate) const OK: c_int = ResultCode::OK.0;
/// What xFullPathname answers if it has followed a link.
pub(crate) const OK_SYMLINK: c_int = OK | 2 << 8;
pub(crate) const ERROR: c_int = ResultCode::ERROR.0;
pub(crate) const INTERNAL: c_int = ResultCode::INTERNAL.0;
pub(crate) const ABORT: c_int = ResultCode::ABORT.0;
pub(crate) const BUSY: c_int = ResultCode::BUSY.0;
pub(crate) const NOMEM: c_int = ResultCode::NOMEM.0;
pub(crate) const READONLY: c_int = ResultCode::READONLY.0;
pub(crate) const CONSTRAINT: c_int = ResultCode::CONSTRAINT.0;
pub(crate) const NOTFOUND: c_int = ResultCode::NOTFOUND.0;
pub(crate) const TOOBIG: c_int = ResultCode::TOOBIG.0;
pub(crate) const SCHEMA: c_int = ResultCode::SCHEMA.0;
pub(crate) const MISUSE: c_int = ResultCode::MISUSE.0;
pub(crate) const RANGE: c_int = ResultCode::RANGE.0;
pub(crate) const ROW: c_int = ResultCode::ROW.0;
pub(crate) const DONE: c_int = ResultCode::DONE.0;

/// Text encodings.
pub(crate) const UTF8: c_int = 1;
pub(crate) const UTF16LE: c_int = 2;
pub(crate) const UTF16BE: c_int = 3;
pub(crate) const UTF16: c_int = 4;
pub(crate) const ANY: c_int = 5;
pub(crate) const UTF16_ALIGNED: c_int = 8;
/// UTF-8 that the caller promises to end with NUL.
pub(crate) const UTF8_ZT: c_int = 16;

/// Storage classes.
pub(crate) const INTEGER: c_int = 1;
pub(crate) const FLOAT: c_int = 2;
pub(crate) const TEXT: c_int = 3;
pub(crate) const BLOB: c_int = 4;
pub(crate) const NULL: c_int = 5;

/// The primary code of an extended code.
pub(crate) fn primary(code: c_int) -> c_int {
    code & 0xff
}
