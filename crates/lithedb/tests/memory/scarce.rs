//! An allocator on the system's that can refuse one large allocation of a thread.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::BTreeSet;

/// The size from which an allocation counts as large: more than a few pages.
const LARGE: usize = 256 << 10;

#[global_allocator]
static MEMORY: Scarce = Scarce;

/// The allocator.
struct Scarce;

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Mode {
    /// All allocations succeed.
    Plenty,
    /// Large allocations are counted; the one of this number fails, none if it is 0.
    Refuse(u64),
    /// The places of large allocations are noted: [`take_places`].
    Survey,
    /// Large allocations succeed while they take no more than this together.
    Budget(usize),
}

thread_local! {
    static MODE: Cell<Mode> = const { Cell::new(Mode::Plenty) };
    static COUNT: Cell<u64> = const { Cell::new(0) };
    /// What large allocations take now, and what they took at most: without what there was at first.
    static TAKEN: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
}

/// Runs `work` with a budget; answers how much its large allocations took at most.
pub(crate) fn with_budget<T>(budget: usize, work: impl FnOnce() -> T) -> (T, usize) {
    TAKEN.set((0, 0));
    let (done, _) = with_mode(Mode::Budget(budget), work);
    (done, TAKEN.get().1 as usize)
}

/// Whether a block may become as large; what it takes now is counted.
fn is_within(budget: usize, old: usize, new: usize) -> bool {
    let large = |size: usize| if size < LARGE { 0 } else { size as isize };
    let (now, most) = TAKEN.get();
    let next = now + large(new) - large(old);
    let is_granted = large(new) <= large(old) || next <= budget as isize;
    if is_granted {
        TAKEN.set((next, most.max(next)));
    }
    is_granted
}

/// Runs `work` in a mode on this thread; answers the number of its large allocations, if the mode counts them.
pub(crate) fn with_mode<T>(mode: Mode, work: impl FnOnce() -> T) -> (T, u64) {
    COUNT.set(0);
    MODE.set(mode);
    let done = work();
    MODE.set(Mode::Plenty);
    (done, COUNT.get())
}

fn is_granted(size: usize) -> bool {
    if size < LARGE {
        return true;
    }
    match MODE.get() {
        Mode::Plenty => true,
        Mode::Refuse(number) => {
            COUNT.set(COUNT.get() + 1);
            COUNT.get() != number
        }
        Mode::Survey => {
            MODE.set(Mode::Plenty);
            note_place();
            MODE.set(Mode::Survey);
            true
        }
        Mode::Budget(budget) => is_within(budget, 0, size),
    }
}

// SAFETY: whatever is granted comes from the system's allocator and goes back to it.
unsafe impl GlobalAlloc for Scarce {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller fulfils the same contract as for the system's allocator.
        if is_granted(layout.size()) { unsafe { System.alloc(layout) } } else { std::ptr::null_mut() }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        if is_granted(layout.size()) { unsafe { System.alloc_zeroed(layout) } } else { std::ptr::null_mut() }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if let Mode::Budget(budget) = MODE.get() {
            is_within(budget, layout.size(), 0);
        }
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // A block that becomes smaller keeps its memory.
        let is_granted = match MODE.get() {
            Mode::Budget(budget) => is_within(budget, layout.size(), new_size),
            _ => new_size <= layout.size() || is_granted(new_size),
        };
        if is_granted {
            // SAFETY: as above.
            unsafe { System.realloc(memory, layout, new_size) }
        } else {
            std::ptr::null_mut()
        }
    }
}

thread_local!(static PLACES: Cell<BTreeSet<String>> = const { Cell::new(BTreeSet::new()) });

/// Notes the place of an allocation: the innermost functions of Lithe. One that is not asked for by `try_reserve`, nor made
/// where a panic is caught, ends the process if it fails.
fn note_place() {
    let trace = std::backtrace::Backtrace::force_capture().to_string();
    let is_ours = |line: &&str| line.starts_with("at ./crates/") || line.contains("/crates/");
    let ours = trace.lines().map(str::trim).filter(is_ours).filter(|line| !line.contains("tests/memory/"));
    let is_asked_for = trace.contains("try_reserve") || trace.contains("compressor");
    let mark = if is_asked_for { "" } else { ENDS_PROCESS };
    let place = ours.take(9).fold(mark.to_owned(), |place, line| place + line + " < ");
    let mut places = PLACES.take();
    places.insert(place);
    PLACES.set(places);
}

/// The mark of a place where a failing allocation ends the process.
pub(crate) const ENDS_PROCESS: &str = "ends the process: ";

/// The places of large allocations of this thread that [`Mode::Survey`] has noted.
pub(crate) fn take_places() -> BTreeSet<String> {
    PLACES.take()
}
