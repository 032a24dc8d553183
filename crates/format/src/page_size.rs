//! Page sizes: a power of two from 512 to 65536, of which the last bytes may be reserved.
//!
//! ```text
//!   0                                         usable size    page size
//!   | what the format uses                    | reserved     |
//! ```

/// The size of a page in bytes: a power of two from 512 to 65536.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageSize(u32);

/// No usable size is smaller: a page must hold four index cells.
pub const MIN_USABLE: u32 = 480;

impl PageSize {
    /// The smallest page.
    pub const MIN: PageSize = PageSize(512);
    /// The largest page.
    pub const MAX: PageSize = PageSize(65536);
    /// The page size of a new database.
    pub const DEFAULT: PageSize = PageSize(4096);

    /// The page size of `bytes`, or `None` if it is not valid.
    pub const fn new(bytes: u32) -> Option<PageSize> {
        if bytes.is_power_of_two() && bytes >= 512 && bytes <= 65536 { Some(PageSize(bytes)) } else { None }
    }

    /// The size in bytes.
    #[inline]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The size in bytes, as a length of slices.
    #[inline]
    pub const fn bytes(self) -> usize {
        self.0 as usize
    }

    /// The page size that a two-byte field of the header stands for: 1 means 65536.
    pub const fn decode(field: u16) -> Option<PageSize> {
        match field {
            1 => Some(PageSize::MAX),
            n => PageSize::new(n as u32),
        }
    }

    /// The two-byte field for this page size.
    pub const fn encode(self) -> u16 {
        if self.0 == 65536 { 1 } else { self.0 as u16 }
    }

    /// What remains of a page after `reserved` bytes, or `None` if that is less than the format
    /// needs.
    pub const fn usable(self, reserved: u8) -> Option<u32> {
        let usable = self.0 - reserved as u32;
        if usable >= MIN_USABLE { Some(usable) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_powers_of_two_in_range() {
        for bytes in [0, 1, 256, 511, 513, 4095, 131072, u32::MAX] {
            assert_eq!(PageSize::new(bytes), None, "{bytes}");
        }
        for bytes in [512, 1024, 4096, 65536] {
            let size = PageSize::new(bytes).unwrap();
            assert_eq!(PageSize::decode(size.encode()), Some(size));
        }
        assert_eq!(PageSize::decode(0), None);
        assert_eq!(PageSize::decode(1), Some(PageSize::MAX));
    }

    #[test]
    fn reserved_bytes_leave_enough() {
        assert_eq!(PageSize::MIN.usable(32), Some(480));
        assert_eq!(PageSize::MIN.usable(33), None);
        assert_eq!(PageSize::MAX.usable(255), Some(65281));
    }
}
