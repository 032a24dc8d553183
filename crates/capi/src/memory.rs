//! `sqlite3_malloc` and its family: memory that the library allocates and the application frees, or the reverse.
//!
//! ```text
//!   | size (8 bytes) | - | the bytes that the application sees ...
//!   0                8   16
//! ```
//!
//! The library's own allocator counts these blocks, too (see `heap`). Blocks of the application's allocator
//! (SQLITE_CONFIG_MALLOC) are counted here.

use std::alloc::Layout;
use std::ffi::{c_char, c_int, c_void};
use std::ptr::{null_mut, with_exposed_provenance_mut};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, Ordering};

use crate::ffi_guard::api;
use crate::heap;

/// The size of a block stands in the word before it, as in SQLite's default allocator, so that a copy of SQLite within an extension can free
/// what this library has allocated, and the other way round.
const HEADER: usize = 8;
const ALIGN: usize = 8;
const _: () = assert!(HEADER >= size_of::<u64>() && HEADER / ALIGN * ALIGN == HEADER);

/// Larger requests are refused, as in SQLite.
const SIZE_MAX: u64 = 0x7fff_fef0;

/// Memory of the application's allocator: bytes and blocks in use, and the largest request.
static CUSTOM_BYTES: AtomicI64 = AtomicI64::new(0);
static CUSTOM_BLOCKS: AtomicI64 = AtomicI64::new(0);
static LARGEST: AtomicI64 = AtomicI64::new(0);

/// The application's allocator (SQLITE_CONFIG_MALLOC).
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct sqlite3_mem_methods {
    malloc: Option<unsafe extern "C" fn(c_int) -> *mut c_void>,
    free: Option<unsafe extern "C" fn(*mut c_void)>,
    realloc: Option<unsafe extern "C" fn(*mut c_void, c_int) -> *mut c_void>,
    size: Option<unsafe extern "C" fn(*mut c_void) -> c_int>,
    roundup: Option<unsafe extern "C" fn(c_int) -> c_int>,
    init: Option<unsafe extern "C" fn(*mut c_void) -> c_int>,
    shutdown: Option<unsafe extern "C" fn(*mut c_void)>,
    app_data: *mut c_void,
}

/// Null: the library's own allocator.
static CUSTOM: AtomicPtr<sqlite3_mem_methods> = AtomicPtr::new(null_mut());

fn custom() -> Option<&'static sqlite3_mem_methods> {
    // SAFETY: it is null or a box that was leaked for it.
    unsafe { CUSTOM.load(Ordering::Acquire).as_ref() }
}

/// SQLITE_CONFIG_MALLOC, before anything is allocated.
///
/// # Safety
/// `methods` is null or can be read.
pub(crate) unsafe fn set_methods(methods: *const sqlite3_mem_methods) {
    // SAFETY: our caller's promise.
    let Some(methods) = (unsafe { methods.as_ref() }) else { return };
    let is_ours = methods.malloc.is_some_and(|malloc| malloc as usize == our_malloc as *const () as usize);
    let chosen = if is_ours { null_mut() } else { Box::into_raw(Box::new(*methods)) };
    if let (Some(init), false) = (methods.init, is_ours) {
        // SAFETY: the application's function, called as documented.
        unsafe { init(methods.app_data) };
    }
    // The methods before are leaked, because blocks that they allocated may still be freed.
    CUSTOM.store(chosen, Ordering::Release);
}

/// SQLITE_CONFIG_GETMALLOC.
pub(crate) fn methods() -> sqlite3_mem_methods {
    custom().copied().unwrap_or(sqlite3_mem_methods {
        malloc: Some(our_malloc),
        free: Some(our_free),
        realloc: Some(our_realloc),
        size: Some(our_size),
        roundup: Some(our_roundup),
        init: Some(our_init),
        shutdown: Some(our_shutdown),
        app_data: null_mut(),
    })
}

unsafe extern "C" fn our_malloc(n: c_int) -> *mut c_void {
    // SAFETY: the function has no requirements.
    unsafe { raw_malloc(u64::try_from(n).unwrap_or(0)) }
}

unsafe extern "C" fn our_free(block: *mut c_void) {
    // SAFETY: the caller passes a block that it got here.
    unsafe { raw_free(block) }
}

unsafe extern "C" fn our_realloc(block: *mut c_void, n: c_int) -> *mut c_void {
    // SAFETY: as above.
    unsafe { raw_realloc(block, u64::try_from(n).unwrap_or(0)) }
}

unsafe extern "C" fn our_size(block: *mut c_void) -> c_int {
    // SAFETY: as above.
    unsafe { raw_size(block) as c_int }
}

unsafe extern "C" fn our_roundup(n: c_int) -> c_int {
    n.saturating_add(7) & !7
}

unsafe extern "C" fn our_init(_: *mut c_void) -> c_int {
    crate::code::OK
}

unsafe extern "C" fn our_shutdown(_: *mut c_void) {}

fn layout(n: u64) -> Option<Layout> {
    Layout::from_size_align(usize::try_from(n).ok()?.checked_add(HEADER)?, ALIGN).ok()
}

/// # Safety
/// None; the block is to be freed by [`raw_free`].
unsafe fn raw_malloc(n: u64) -> *mut c_void {
    let Some(layout) = layout(n) else { return null_mut() };
    // SAFETY: the layout has a size, and the header lies within the block.
    unsafe {
        let base = heap::alloc_of_system(layout);
        if base.is_null() {
            return null_mut();
        }
        base.cast::<u64>().write(n);
        base.add(HEADER).cast()
    }
}

/// # Safety
/// `block` came from [`raw_malloc`] or [`raw_realloc`] and was not freed.
unsafe fn raw_size(block: *mut c_void) -> u64 {
    // SAFETY: the header is before the block.
    unsafe { block.cast::<u8>().sub(HEADER).cast::<u64>().read() }
}

/// # Safety
/// As [`raw_size`].
unsafe fn raw_free(block: *mut c_void) {
    // SAFETY: the layout is the one that the block was made with.
    unsafe {
        if let Some(layout) = layout(raw_size(block)) {
            heap::dealloc_of_system(block.cast::<u8>().sub(HEADER), layout);
        }
    }
}

/// # Safety
/// As [`raw_size`].
unsafe fn raw_realloc(block: *mut c_void, n: u64) -> *mut c_void {
    // SAFETY: as in `raw_free`.
    unsafe {
        let (Some(old), Some(new)) = (layout(raw_size(block)), layout(n)) else { return null_mut() };
        let base = heap::realloc_of_system(block.cast::<u8>().sub(HEADER), old, new.size());
        if base.is_null() {
            return null_mut();
        }
        base.cast::<u64>().write(n);
        base.add(HEADER).cast()
    }
}

/// The size of a block that [`malloc`] gave out.
///
/// # Safety
/// `block` came from [`malloc`] and was not freed.
unsafe fn size_of_block(block: *mut c_void) -> u64 {
    match custom().and_then(|methods| methods.size) {
        // SAFETY: our caller's promise.
        Some(size) => unsafe { size(block) as u64 },
        // SAFETY: our caller's promise.
        None => unsafe { raw_size(block) },
    }
}

/// SQLITE_CONFIG_MEMSTATUS: whether the amounts of memory in use are reported.
static IS_COUNTED: AtomicBool = AtomicBool::new(true);

/// The memory in use at the last `sqlite3_shutdown`, which is subtracted from now on: tables that a process allocates
/// once.
static OUTLIVING: (AtomicI64, AtomicI64) = (AtomicI64::new(0), AtomicI64::new(0));

/// SQLITE_CONFIG_MEMSTATUS.
pub(crate) fn set_counted(is_counted: bool) {
    IS_COUNTED.store(is_counted, Ordering::Relaxed);
}

/// The library was shut down.
pub(crate) fn note_shutdown() {
    let (bytes, blocks) = heap::used();
    OUTLIVING.0.store(bytes, Ordering::Relaxed);
    OUTLIVING.1.store(blocks, Ordering::Relaxed);
    heap::highest(true);
}

/// The bytes and blocks that were allocated since the library was initialized.
fn since_initialized((bytes, blocks): (i64, i64)) -> (i64, i64) {
    let since = |all: i64, before: &AtomicI64| (all - before.load(Ordering::Relaxed)).max(0);
    (since(bytes, &OUTLIVING.0), since(blocks, &OUTLIVING.1))
}

fn count(bytes: i64, blocks: i64) {
    if custom().is_some() {
        CUSTOM_BYTES.fetch_add(bytes, Ordering::Relaxed);
        CUSTOM_BLOCKS.fetch_add(blocks, Ordering::Relaxed);
    }
}

/// Bytes in use.
pub(crate) fn used() -> i64 {
    if !IS_COUNTED.load(Ordering::Relaxed) {
        return 0;
    }
    since_initialized(heap::used()).0 + CUSTOM_BYTES.load(Ordering::Relaxed)
}

/// Allocates memory for the application. Null for 0 bytes, for too many, and if there is no memory.
pub(crate) fn malloc(n: u64) -> *mut c_void {
    if n as i64 > LARGEST.load(Ordering::Relaxed) {
        LARGEST.store(n as i64, Ordering::Relaxed);
    }
    if n == 0 || n > SIZE_MAX || lithe_engine::is_over_hard_limit(n) {
        return null_mut();
    }
    let block = match custom().and_then(|methods| methods.malloc) {
        // SAFETY: the application's function, called as documented.
        Some(malloc) => unsafe { malloc(n as c_int) },
        // SAFETY: the function has no requirements.
        None => unsafe { raw_malloc(n) },
    };
    if !block.is_null() {
        // SAFETY: just made.
        count(unsafe { size_of_block(block) } as i64, 1);
    }
    block
}

/// Frees a block.
///
/// # Safety
/// `block` is null, or came from [`malloc`] and was not freed.
pub(crate) unsafe fn free(block: *mut c_void) {
    if block.is_null() {
        return;
    }
    // SAFETY: our caller's promise.
    unsafe {
        count(-(size_of_block(block) as i64), -1);
        match custom().and_then(|methods| methods.free) {
            Some(free) => free(block),
            None => raw_free(block),
        }
    }
}

/// # Safety
/// As [`free`].
unsafe fn resize(block: *mut c_void, n: u64) -> *mut c_void {
    if block.is_null() {
        return malloc(n);
    }
    // SAFETY: our caller's promise.
    unsafe {
        if n == 0 {
            free(block);
            return null_mut();
        }
        let old = size_of_block(block);
        if n > SIZE_MAX || (n > old && lithe_engine::is_over_hard_limit(n - old)) {
            return null_mut();
        }
        let new = match custom().and_then(|methods| methods.realloc) {
            Some(realloc) => realloc(block, n as c_int),
            None => raw_realloc(block, n),
        };
        if !new.is_null() {
            count(size_of_block(new) as i64 - old as i64, 0);
        }
        new
    }
}

/// A copy of `bytes` with a NUL behind it, for the application to free; null if there is no memory.
pub(crate) fn copy_text(bytes: &[u8]) -> *mut c_char {
    let copy = malloc(bytes.len() as u64 + 1).cast::<u8>();
    if !copy.is_null() {
        // SAFETY: the block has space for the bytes and the NUL.
        unsafe {
            copy.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            copy.add(bytes.len()).write(0);
        }
    }
    copy.cast()
}

/// The pair (current, highest) of a status verb: 0 bytes, 5 the largest request, 9 blocks; `None` for other verbs.
pub(crate) fn status(op: c_int, reset: bool) -> Option<(i64, i64)> {
    let custom = (CUSTOM_BYTES.load(Ordering::Relaxed), CUSTOM_BLOCKS.load(Ordering::Relaxed));
    let largest = || {
        let asked = if reset { LARGEST.swap(0, Ordering::Relaxed) } else { LARGEST.load(Ordering::Relaxed) };
        asked.max(heap::largest(reset) as i64)
    };
    let used = || since_initialized(heap::used());
    let highest = || since_initialized(heap::highest(reset));
    match op {
        0 | 5 | 9 if !IS_COUNTED.load(Ordering::Relaxed) => Some((0, 0)),
        0 => Some((used().0 + custom.0, highest().0 + custom.0)),
        5 => Some((0, largest())),
        9 => Some((used().1 + custom.1, highest().1 + custom.1)),
        _ => None,
    }
}

api! {
    fn sqlite3_malloc(n: c_int) -> *mut c_void {
        malloc(u64::try_from(n).unwrap_or(0))
    }

    fn sqlite3_malloc64(n: u64) -> *mut c_void {
        malloc(n)
    }

    fn sqlite3_realloc(block: *mut c_void, n: c_int) -> *mut c_void {
        resize(block, u64::try_from(n).unwrap_or(0))
    }

    fn sqlite3_realloc64(block: *mut c_void, n: u64) -> *mut c_void {
        resize(block, n)
    }

    fn sqlite3_free(block: *mut c_void) {
        free(block);
    }

    fn sqlite3_msize(block: *mut c_void) -> u64 {
        if block.is_null() { 0 } else { size_of_block(block) }
    }

    fn sqlite3_memory_used() -> i64 {
        used()
    }

    fn sqlite3_memory_highwater(reset: c_int) -> i64 {
        status(0, reset != 0).map_or(0, |(_, highest)| highest)
    }

    fn sqlite3_soft_heap_limit64(n: i64) -> i64 {
        lithe_engine::set_memory_gauge(used);
        lithe_engine::soft_heap_limit(n)
    }

    fn sqlite3_hard_heap_limit64(n: i64) -> i64 {
        lithe_engine::set_memory_gauge(used);
        lithe_engine::hard_heap_limit(n)
    }

    fn sqlite3_soft_heap_limit(n: c_int) {
        sqlite3_soft_heap_limit64(n.max(0).into());
    }

    /// Frees nothing: pages are mapped, and clean pages can be evicted by the system anyway.
    fn sqlite3_release_memory(_n: c_int) -> c_int {
        0
    }

    /// Deprecated, and without effect in SQLite too.
    fn sqlite3_memory_alarm(
        _callback: Option<unsafe extern "C" fn(*mut c_void, i64, c_int)>, _arg: *mut c_void, _threshold: i64,
    ) -> c_int {
        crate::code::OK
    }
}

/// The value of `sqlite3_destructor_type` that means: copy the bytes now.
pub(crate) fn is_transient(destructor: Destructor) -> bool {
    destructor.is_some_and(|f| f as usize == usize::MAX)
}

/// The destructor of a value that the application passes: null (static), -1 (transient) or a function.
pub(crate) type Destructor = Option<unsafe extern "C" fn(*mut c_void)>;

/// Calls the destructor of something that has been copied.
///
/// # Safety
/// The caller got both from the application, which requires this call.
pub(crate) unsafe fn destroy(destructor: Destructor, value: *const c_void) {
    if let Some(destructor) = destructor
        && !is_transient(Some(destructor))
    {
        // SAFETY: our caller's promise.
        unsafe { destructor(with_exposed_provenance_mut(value.expose_provenance())) };
    }
}

/// Takes a text that the application has allocated by `sqlite3_mprintf`, and frees it.
///
/// # Safety
/// `text` is null or such a text.
pub(crate) unsafe fn take_text(text: *mut c_char) -> Option<String> {
    // SAFETY: our caller's promise.
    unsafe {
        let owned = crate::text::name(text);
        free(text.cast());
        owned
    }
}
