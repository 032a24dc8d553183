//! The number of the running thread, and a memory barrier for all other threads.

use std::sync::OnceLock;

/// The number of the running thread, never 0. Threads that are alive have different numbers.
///
/// It is the address of the thread's own memory, which one instruction reads. A thread-local variable would need a call
/// in a shared library.
/// shared library.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[inline(always)]
pub(crate) fn this_thread() -> usize {
    let here: usize;
    // SAFETY: the ABI of this system has the thread's memory begin with its own address.
    unsafe { std::arch::asm!("mov {}, fs:0", out(reg) here, options(nostack, preserves_flags, pure, readonly)) };
    here
}

/// As above.
#[cfg(all(target_os = "linux", target_arch = "aarch64"))]
#[inline(always)]
pub(crate) fn this_thread() -> usize {
    let here: usize;
    // SAFETY: reads a register.
    unsafe { std::arch::asm!("mrs {}, tpidr_el0", out(reg) here, options(nostack, preserves_flags, pure, nomem)) };
    here
}

/// As above.
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
#[inline]
pub(crate) fn this_thread() -> usize {
    thread_local! {
        static HERE: u8 = const { 0 };
    }
    HERE.with(|here| std::ptr::from_ref(here) as usize)
}

/// Whether there is a [`barrier`].
pub(crate) fn has_barrier() -> bool {
    static HAS_BARRIER: OnceLock<bool> = OnceLock::new();
    *HAS_BARRIER.get_or_init(system::register)
}

/// Makes every other thread of the process pass a full memory barrier: what that thread wrote before is seen here, and
/// what this thread wrote before is seen by that thread's later reads. Only if [`has_barrier`]; `false`: the system
/// refuses it now.
///
/// So a thread that is nearly always alone needs no barrier of its own; only the thread that comes rarely pays.
pub(crate) fn barrier() -> bool {
    // The child of a fork may have to register again.
    system::barrier()
        || (system::register() && system::barrier())
        || system::slow_barrier()
        || system::barrier_by_unmapping()
}

#[cfg(target_os = "linux")]
mod system {
    /// Commands of membarrier(2).
    const GLOBAL: libc::c_int = 1 << 0;
    const PRIVATE_EXPEDITED: libc::c_int = 1 << 3;
    const REGISTER_PRIVATE_EXPEDITED: libc::c_int = 1 << 4;

    fn membarrier(command: libc::c_int) -> bool {
        // SAFETY: the call takes no memory of ours.
        unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
    }

    pub(super) fn register() -> bool {
        membarrier(REGISTER_PRIVATE_EXPEDITED)
    }

    pub(super) fn barrier() -> bool {
        membarrier(PRIVATE_EXPEDITED)
    }

    /// Takes milliseconds, but no memory of the kernel, which the other command may lack.
    pub(super) fn slow_barrier() -> bool {
        membarrier(GLOBAL)
    }

    /// Without membarrier(2), which a filter of system calls may refuse. Taking the write permission from a written page
    /// forces the kernel to flush the page from the translation caches of every processor that runs a thread of this
    /// process. The interrupt for that is a barrier; a thread that does not run passes one before it runs again. Only
    /// x86-64 needs an interrupt for this, so that the method works nowhere else.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn barrier_by_unmapping() -> bool {
        const LEN: usize = 4096;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a page of our own, at an address that the system chooses.
        let page = unsafe { libc::mmap(std::ptr::null_mut(), LEN, protection, flags, -1, 0) };
        if page == libc::MAP_FAILED {
            return false;
        }
        // SAFETY: the page was mapped for writing just now, and no other code knows its address.
        unsafe {
            page.cast::<u8>().write_volatile(1);
            let is_done = libc::mprotect(page, LEN, libc::PROT_READ) == 0;
            libc::munmap(page, LEN);
            is_done
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub(super) fn barrier_by_unmapping() -> bool {
        false
    }
}

#[cfg(all(test, target_os = "linux", target_arch = "x86_64"))]
mod tests {
    #[test]
    fn there_is_a_barrier_without_the_call_for_it() {
        assert!(super::system::barrier_by_unmapping());
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub(super) fn register() -> bool {
        false
    }

    pub(super) fn barrier() -> bool {
        false
    }

    pub(super) fn slow_barrier() -> bool {
        false
    }

    pub(super) fn barrier_by_unmapping() -> bool {
        false
    }
}
