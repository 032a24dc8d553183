//! Handles mapped files that cannot show their bytes: another program that ignores locks has truncated the file, or the device
//! fails.
//!
//! The system then sends SIGBUS to the thread that reads, which ends a process that does not handle it. A handler, installed with the
//! first mapping, covers the page with zeros and counts the fault. The reader continues with zeros, and checks the count before it uses
//! what it has read (`lithe_pager::Pager::check_mapping`), so that the application gets SQLITE_IOERR. Every other SIGBUS goes to the
//! handler that was installed before, or has its default effect.
//!
//! The handler only uses what a signal handler may: it walks a list that only grows, and makes one system call.

use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Once, OnceLock};

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};

/// A range of address space that files are mapped to. Ranges are never unmapped, and their watches never freed.
#[derive(Debug)]
pub(crate) struct Watch {
    start: usize,
    end: usize,
    faults: AtomicU32,
    next: AtomicPtr<Watch>,
}

static WATCHES: AtomicPtr<Watch> = AtomicPtr::new(ptr::null_mut());
static FAULTS: AtomicU64 = AtomicU64::new(0);
static SYSTEM_PAGE: AtomicUsize = AtomicUsize::new(0);
static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

/// How often a mapping of this process has failed to show its file.
#[inline]
pub fn mapping_faults() -> u64 {
    FAULTS.load(Ordering::Acquire)
}

impl Watch {
    /// Watches a range from now on, permanently.
    pub(crate) fn new(base: NonNull<u8>, len: usize) -> &'static Watch {
        if !cfg!(miri) {
            install();
        }
        let start = base.as_ptr().addr();
        let watch = Watch { start, end: start + len, faults: AtomicU32::new(0), next: AtomicPtr::default() };
        let watch: &'static Watch = Box::leak(Box::new(watch));
        let mut first = WATCHES.load(Ordering::Acquire);
        loop {
            watch.next.store(first, Ordering::Relaxed);
            let new = ptr::from_ref(watch).cast_mut();
            match WATCHES.compare_exchange_weak(first, new, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return watch,
                Err(now) => first = now,
            }
        }
    }

    /// How often a mapping in this range has failed to show its file.
    #[inline]
    pub(crate) fn faults(&self) -> u32 {
        self.faults.load(Ordering::Acquire)
    }

    /// The watch of an address.
    fn of(address: usize) -> Option<&'static Watch> {
        let mut at = WATCHES.load(Ordering::Acquire);
        // SAFETY: null or a watch that was leaked.
        while let Some(watch) = unsafe { at.as_ref() } {
            if (watch.start..watch.end).contains(&address) {
                return Some(watch);
            }
            at = watch.next.load(Ordering::Acquire);
        }
        None
    }

    /// Covers the page with zeros; `false` if the system refuses.
    fn cover(&self, address: usize) -> bool {
        let page = SYSTEM_PAGE.load(Ordering::Relaxed);
        let at = ptr::with_exposed_provenance_mut::<c_void>(address & !(page - 1));
        let flags = MapFlags::PRIVATE | MapFlags::FIXED | MapFlags::NORESERVE;
        // SAFETY: within a range that this module owns permanently; the page that is replaced cannot be read.
        let covered = unsafe { mmap_anonymous(at, page, ProtFlags::READ, flags) };
        if covered.is_err() {
            return false;
        }
        self.faults.fetch_add(1, Ordering::AcqRel);
        FAULTS.fetch_add(1, Ordering::AcqRel);
        true
    }
}

/// Installs the handler, once a process.
fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        SYSTEM_PAGE.store(rustix::param::page_size(), Ordering::Relaxed);
        // SAFETY: all-zero bytes are a valid sigaction; the calls read and fill local structures.
        unsafe {
            let mut before: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(libc::SIGBUS, ptr::null(), &raw mut before) != 0 || BEFORE.set(before).is_err() {
                return;
            }
            let mut action: libc::sigaction = std::mem::zeroed();
            let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut c_void) = on_sigbus;
            action.sa_sigaction = handler as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigemptyset(&raw mut action.sa_mask);
            libc::sigaction(libc::SIGBUS, &raw const action, ptr::null_mut());
        }
    });
}

extern "C" fn on_sigbus(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the system passes the information to a handler that was installed with SA_SIGINFO.
    let address = unsafe { (*info).si_addr() }.addr();
    if Watch::of(address).is_some_and(|watch| watch.cover(address)) {
        return;
    }
    hand_on(signal, info, context);
}

/// Passes a signal for another address to the handler that was installed before, or to the system.
fn hand_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let before = BEFORE.get();
    let handler = before.map_or(libc::SIG_DFL, |before| before.sa_sigaction);
    if handler == libc::SIG_DFL || handler == libc::SIG_IGN {
        // SAFETY: the default action is restored; the instruction is repeated, and the process ends as it would have.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
        return;
    }
    let takes_information = before.is_some_and(|before| before.sa_flags & libc::SA_SIGINFO != 0);
    // SAFETY: the address is that of a handler of this kind, by the flags that it was installed with.
    unsafe {
        if takes_information {
            type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut c_void);
            std::mem::transmute::<usize, Handler>(handler)(signal, info, context);
        } else {
            std::mem::transmute::<usize, extern "C" fn(libc::c_int)>(handler)(signal);
        }
    }
}
