//! The freelist, and chains of overflow pages.

use super::Check;
use lithe_format::bytes::at_u32;
use lithe_format::freelist::{LEAF_COUNT_AT, LEAVES_AT, NEXT_AT, max_leaves};
use lithe_format::overflow;
use lithe_format::ptrmap::PtrmapType;

impl Check<'_> {
    /// Walks the trunks from page `first` on, which should have `count` pages with their leaves.
    pub(super) fn check_freelist(&mut self, first: u32, count: u32) {
        let messages_before = self.messages.len();
        let mut left = i64::from(count);
        let mut trunk = first;
        while trunk != 0 && !self.is_full() {
            if !self.claim(trunk) {
                break;
            }
            left -= 1;
            let Ok(page) = self.page(trunk) else {
                self.say(format_args!("failed to get page {trunk}"));
                break;
            };
            self.check_ptrmap(trunk, PtrmapType::Free, 0);
            let leaves = at_u32(&page, LEAF_COUNT_AT);
            if leaves > max_leaves(self.usable as u32) {
                self.say(format_args!("freelist leaf count too big on page {trunk}"));
                left -= 1;
            } else {
                for index in 0..leaves as usize {
                    let leaf = at_u32(&page, LEAVES_AT + 4 * index);
                    self.check_ptrmap(leaf, PtrmapType::Free, 0);
                    self.claim(leaf);
                }
                left -= i64::from(leaves);
            }
            trunk = at_u32(&page, NEXT_AT);
        }
        if left != 0 && self.messages.len() == messages_before {
            let found = i64::from(count) - left;
            self.say(format_args!("size is {found} but should be {count}"));
        }
    }

    /// Walks an overflow chain, which should have `count` pages.
    pub(super) fn check_chain(&mut self, first: u32, count: u32) {
        let messages_before = self.messages.len();
        let mut left = i64::from(count);
        let mut no = first;
        while no != 0 && !self.is_full() {
            if !self.claim(no) {
                break;
            }
            left -= 1;
            let Ok(page) = self.page(no) else {
                self.say(format_args!("failed to get page {no}"));
                break;
            };
            let next = at_u32(&page, overflow::NEXT_AT);
            // Not "more than 0": past the chain's end, SQLite checks the entries of the following pages too.
            if left != 0 {
                self.check_ptrmap(next, PtrmapType::OverflowNext, no);
            }
            no = next;
        }
        if left != 0 && self.messages.len() == messages_before {
            let found = i64::from(count) - left;
            self.say(format_args!("overflow list length is {found} but should be {count}"));
        }
    }
}
