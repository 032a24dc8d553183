//! Which thread runs, and how one thread makes sure of what another one has seen.

use std::sync::OnceLock;

/// A number of the thread that runs, never 0. Threads that are alive have different ones.
///
/// It is where the system keeps the thread's own memory: one instruction, where a variable of the thread would be a call in a
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

/// Every other thread of the process goes through a full memory barrier: what it did before is seen here, and what this
/// thread did before is seen by whatever the other does next. Only if [`has_barrier`]; `false`: the system refuses it now.
///
/// So a thread that is alone nearly always needs no barrier of its own, only the one that comes rarely pays.
pub(crate) fn barrier() -> bool {
    // The child of a fork may have to register for itself.
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

    /// Takes milliseconds, but no memory of the kernel's, which the other may lack.
    pub(super) fn slow_barrier() -> bool {
        membarrier(GLOBAL)
    }

    /// Without membarrier(2), which a filter of system calls may refuse: memory that a thread has written, and may write no
    /// longer, has to be forgotten by every processor that runs a thread of this process. They are interrupted for that, which
    /// is a barrier; a thread that does not run goes through one before it does. On other processors than these nobody is
    /// interrupted.
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
        // SAFETY: the page was mapped for writing just now, and nobody else knows of it.
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
