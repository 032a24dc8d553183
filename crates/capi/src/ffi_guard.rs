//! How a call comes in: every function of the C interface is defined by [`api!`].
//!
//! A panic never crosses into C. It is caught here, the connection that was in use is poisoned by the guard that
//! held it (see `connection`), and the function answers SQLITE_INTERNAL, a null pointer or 0.

use std::cell::RefCell;
use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a function answers when it has panicked.
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

/// Numbers that are no result codes: 0 is what SQLite answers when it cannot answer.
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

/// What is done with an object of C when the panic that went through a call on the object has been caught.
type Settle = unsafe fn(*const ());

thread_local! {
    /// The objects that a panic goes through, on its way to the C function that catches the panic.
    static PANICKED: RefCell<Vec<(*const (), Settle)>> = const { RefCell::new(Vec::new()) };
}

/// A panic goes through a call on the object: `settle` is called when the panic has been caught.
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
            // Dropping what was thrown could panic again, and then nobody would catch it.
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
                // SAFETY: this is a C function: the caller keeps what the documentation of SQLite asks of this
                // function. Handles are null or live (and checked as far as SQLite checks them), strings end
                // with NUL or have the length that is given, and pointers for results can be written.
                unsafe { $body }
            })
        }
    )* };
}

pub(crate) use api;
