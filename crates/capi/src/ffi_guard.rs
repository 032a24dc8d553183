//! The entry into the library: every function of the C interface is defined by [`api!`].
//!
//! A panic never crosses into C. It is caught here; the guard of the connection in use has poisoned that connection
//! (see `connection`); the function returns SQLITE_INTERNAL, a null pointer or 0.

use std::cell::RefCell;
use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The result of a function that has panicked.
pub(crate) trait OnPanic {
    fn on_panic() -> Self;
}

impl OnPanic for () {
    fn on_panic() -> Self {}
}

impl OnPanic for c_int {
    fn on_panic() -> Self {
        crate::code::INTERNAL
    }
}

/// Numbers that are not result codes: SQLite returns 0 where it cannot return a value.
macro_rules! zero_on_panic {
    ($($number:ty),*) => { $(impl OnPanic for $number {
        fn on_panic() -> Self {
            Default::default()
        }
    })* };
}

zero_on_panic!(i64, u64, u32, f64);

impl<T> OnPanic for *mut T {
    fn on_panic() -> Self {
        std::ptr::null_mut()
    }
}

impl<T> OnPanic for *const T {
    fn on_panic() -> Self {
        std::ptr::null()
    }
}

impl<T> OnPanic for Option<T> {
    fn on_panic() -> Self {
        None
    }
}

/// The function to call for an object of C after a panic in a call on the object was caught.
type Settle = unsafe fn(*const ());

thread_local! {
    /// The objects of the calls through which a panic passes, on its way to the C function that catches it.
    static PANICKED: RefCell<Vec<(*const (), Settle)>> = const { RefCell::new(Vec::new()) };
}

/// A panic passes through a call on the object: `settle` is called after it was caught.
///
/// # Safety
/// Until then `settle` may be called with the object.
#[cold]
pub(crate) unsafe fn settle_later(object: *const (), settle: Settle) {
    let _ = PANICKED.try_with(|noted| noted.borrow_mut().push((object, settle)));
}

/// The panic has been caught.
#[cold]
fn settle() {
    for (object, settle) in PANICKED.try_with(RefCell::take).unwrap_or_default() {
        // SAFETY: the promise of the call that noted the object.
        unsafe { settle(object) };
    }
}

/// Runs the body of a C function.
#[inline(always)]
pub(crate) fn guard<T: OnPanic>(body: impl FnOnce() -> T) -> T {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(answer) => answer,
        Err(payload) => {
            // Dropping the payload could panic again, and that panic would not be caught.
            std::mem::forget(payload);
            settle();
            T::on_panic()
        }
    }
}

/// Defines functions of the C interface.
macro_rules! api {
    ($( $(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? $body:block )*) => { $(
        $(#[$meta])*
        #[unsafe(no_mangle)]
        #[allow(unused_unsafe, clippy::too_many_arguments)]
        pub unsafe extern "C" fn $name($($arg: $ty),*) $(-> $ret)? {
            $crate::ffi_guard::guard(move || {
                // SAFETY: this is a C function: the caller keeps what the documentation of SQLite requires. Handles are
                // null or live (and checked as far as SQLite checks them), strings end with NUL or have the given
                // length, and pointers for results can be written.
                unsafe { $body }
            })
        }
    )* };
}

pub(crate) use api;
