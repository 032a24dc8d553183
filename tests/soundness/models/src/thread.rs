//! Which thread runs, and its barrier: `crates/capi/src/thread.rs`.

use loom::sync::atomic::{Ordering, fence};

loom::thread_local!(static HERE: u8 = 0);

pub(crate) fn this_thread() -> usize {
    HERE.with(|here| std::ptr::from_ref(here).addr())
}

pub(crate) fn has_barrier() -> bool {
    true
}

/// See [`crate::sync::atomic::compiler_fence`].
pub(crate) fn barrier() -> bool {
    fence(Ordering::SeqCst);
    true
}
