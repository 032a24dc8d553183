//! The exported functions with variable arguments: jumps to the C functions of `csrc/variadic.c`.
//!
//! A shared library exports the symbols that Rust defines. Rust cannot define variadic functions, but it can define a
//! function of one instruction that changes neither registers nor the stack.

use std::ffi::{c_char, c_int, c_longlong, c_void};

/// The arguments of a call that has a variable number of them.
#[repr(C)]
pub(crate) struct CArgs {
    _opaque: [u8; 0],
}

unsafe extern "C" {
    fn lithe_arg_int(args: *mut CArgs) -> c_int;
    fn lithe_arg_long(args: *mut CArgs) -> std::ffi::c_long;
    fn lithe_arg_int64(args: *mut CArgs) -> c_longlong;
    fn lithe_arg_double(args: *mut CArgs) -> f64;
    fn lithe_arg_pointer(args: *mut CArgs) -> *mut c_void;
}

/// Reads arguments one by one. The caller of `new` promises that they have the types with which they are read.
pub(crate) struct Arguments(*mut CArgs);

// The calls below apply C's va_arg to a list that is valid as long as the C function that made it.
impl Arguments {
    /// # Safety
    /// `args` is valid as long as this is used, and the application passed the types that the format or verb requires.
    pub(crate) unsafe fn new(args: *mut CArgs) -> Arguments {
        Arguments(args)
    }

    pub(crate) fn int(&mut self) -> c_int {
        // SAFETY: the promise of `new`.
        unsafe { lithe_arg_int(self.0) }
    }

    pub(crate) fn long(&mut self) -> std::ffi::c_long {
        // SAFETY: the promise of `new`.
        unsafe { lithe_arg_long(self.0) }
    }

    pub(crate) fn int64(&mut self) -> i64 {
        // SAFETY: the promise of `new`.
        unsafe { lithe_arg_int64(self.0) }
    }

    pub(crate) fn double(&mut self) -> f64 {
        // SAFETY: the promise of `new`.
        unsafe { lithe_arg_double(self.0) }
    }

    pub(crate) fn pointer<T>(&mut self) -> *mut T {
        // SAFETY: the promise of `new`.
        unsafe { lithe_arg_pointer(self.0) }.cast()
    }

    /// A string; `None` for a null pointer.
    pub(crate) fn text(&mut self) -> *const c_char {
        self.pointer::<c_char>()
    }
}

macro_rules! jumps {
    ($($name:ident => $target:ident;)*) => {
        unsafe extern "C" { $(fn $target();)* }
        $(
            /// A jump to the C function of the same arguments.
            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            pub unsafe extern "C" fn $name() {
                #[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
                std::arch::naked_asm!("jmp {}", sym $target);
                #[cfg(any(target_arch = "aarch64", target_arch = "arm"))]
                std::arch::naked_asm!("b {}", sym $target);
                #[cfg(any(target_arch = "riscv64", target_arch = "riscv32"))]
                std::arch::naked_asm!("tail {}", sym $target);
            }
        )*
    };
}

jumps! {
    sqlite3_mprintf => lithe_c_mprintf;
    sqlite3_vmprintf => lithe_c_vmprintf;
    sqlite3_snprintf => lithe_c_snprintf;
    sqlite3_vsnprintf => lithe_c_vsnprintf;
    sqlite3_str_appendf => lithe_c_str_appendf;
    sqlite3_str_vappendf => lithe_c_str_vappendf;
    sqlite3_log => lithe_c_log;
    sqlite3_config => lithe_c_config;
    sqlite3_db_config => lithe_c_db_config;
    sqlite3_vtab_config => lithe_c_vtab_config;
    sqlite3_test_control => lithe_c_test_control;
}
