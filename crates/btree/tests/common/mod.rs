//! Shared by the tests: a random generator that a seed replays, databases in memory, and rows.
#![allow(dead_code)] // each test uses its part

use lithe_btree::{AutoVacuum, Btree};
use lithe_format::PageSize;
use lithe_pager::{BeginKind, OpenOptions, Pager};

/// xorshift: small, and the same everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Bytes of which the first could be that of a record, because the integrity check reads it.
    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        let mut bytes: Vec<u8> = (0..len).map(|_| self.next() as u8).collect();
        bytes.iter_mut().take(1).for_each(|first| *first |= 2);
        bytes
    }

    /// Fewer than `n` bytes.
    pub fn some_bytes(&mut self, n: usize) -> Vec<u8> {
        let len = self.below(n);
        self.bytes(len)
    }

    /// Bytes of a [length](Random::length) as rows have them.
    pub fn content(&mut self, page_size: usize) -> Vec<u8> {
        let len = self.length(page_size);
        self.bytes(len)
    }

    /// A length of content: mostly short, now and then around what a page holds, or several pages.
    pub fn length(&mut self, page_size: usize) -> usize {
        match self.below(20) {
            0..12 => self.below(30),
            12..15 => self.below(page_size / 4),
            15..18 => self.below(page_size + 50),
            18 => self.below(6 * page_size),
            _ => 0,
        }
    }
}

/// One kind of database.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub page_size: u32,
    pub reserved: u8,
    pub auto_vacuum: AutoVacuum,
}

pub const SHAPES: [Shape; 6] = [
    Shape { page_size: 512, reserved: 0, auto_vacuum: AutoVacuum::None },
    Shape { page_size: 512, reserved: 32, auto_vacuum: AutoVacuum::Full },
    Shape { page_size: 1024, reserved: 7, auto_vacuum: AutoVacuum::Incremental },
    Shape { page_size: 4096, reserved: 0, auto_vacuum: AutoVacuum::None },
    Shape { page_size: 4096, reserved: 0, auto_vacuum: AutoVacuum::Full },
    Shape { page_size: 65536, reserved: 0, auto_vacuum: AutoVacuum::None },
];

/// An empty database in memory, in a write transaction.
pub fn memory(shape: Shape) -> Btree {
    let pager = Pager::open_in_memory(&OpenOptions::default());
    writable(pager, shape)
}

/// The trees of an empty database, in a write transaction.
pub fn writable(pager: Pager, shape: Shape) -> Btree {
    assert!(pager.set_page_size(PageSize::new(shape.page_size).unwrap(), shape.reserved));
    let btree = Btree::new(pager);
    assert!(btree.set_auto_vacuum(shape.auto_vacuum).unwrap());
    btree.pager().begin_write(BeginKind::Immediate).unwrap();
    btree.initialise().unwrap();
    btree
}
