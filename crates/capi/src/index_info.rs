//! `sqlite3_index_info`: the arguments and results of xBestIndex for a virtual table in C.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use lithe_engine::virtual_table::{IndexInfo, ScanPlan, Usage};

use crate::code;
use crate::ffi_guard::api;
use crate::memory;
use crate::text;
use crate::text::c_string;
use crate::value::sqlite3_value;

#[repr(C)]
struct Constraint {
    column: c_int,
    op: u8,
    usable: u8,
    _term_offset: c_int,
}

#[repr(C)]
struct OrderBy {
    column: c_int,
    descending: u8,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct ConstraintUsage {
    argument: c_int,
    omit: u8,
}

/// The structure of `sqlite3.h`.
#[allow(non_camel_case_types)]
#[repr(C)]
pub struct sqlite3_index_info {
    constraint_count: c_int,
    constraints: *mut Constraint,
    order_by_count: c_int,
    order_by: *mut OrderBy,
    usage: *mut ConstraintUsage,
    number: c_int,
    text: *mut c_char,
    free_text: c_int,
    order_by_consumed: c_int,
    estimated_cost: f64,
    estimated_rows: i64,
    flags: c_int,
    columns_used: u64,
}

const _: () = assert!(size_of::<sqlite3_index_info>() == 96 || size_of::<usize>() != 8);

/// SQLITE_INDEX_SCAN_UNIQUE and SQLITE_INDEX_SCAN_HEX.
const SCAN_UNIQUE: c_int = 1;
const SCAN_HEX: c_int = 2;

/// The structure, followed by data for the functions that take it, and the memory of its lists.
#[repr(C)]
pub(crate) struct Asked {
    info: sqlite3_index_info,
    constraints: Vec<Constraint>,
    order_by: Vec<OrderBy>,
    usage: Vec<ConstraintUsage>,
    collations: Vec<CString>,
    /// Right-hand sides that are known.
    values: Vec<Option<Box<sqlite3_value>>>,
    is_in: Vec<bool>,
    all_at_once: Vec<bool>,
    distinct: c_int,
}

impl Asked {
    /// Converts a question of the planner.
    pub(crate) fn new(info: &IndexInfo) -> Box<Asked> {
        let constraint = |of: &lithe_engine::virtual_table::IndexConstraint| Constraint {
            column: of.column,
            op: of.op,
            usable: of.usable.into(),
            _term_offset: 0,
        };
        let all = &info.constraints;
        let value = |of: &lithe_engine::virtual_table::IndexConstraint| {
            of.value.clone().map(|value| Box::new(sqlite3_value::owned(value)))
        };
        let order = info.order_by.iter();
        let mut asked = Box::new(Asked {
            info: sqlite3_index_info {
                constraint_count: all.len() as c_int,
                constraints: null_mut(),
                order_by_count: info.order_by.len() as c_int,
                order_by: null_mut(),
                usage: null_mut(),
                number: 0,
                text: null_mut(),
                free_text: 0,
                order_by_consumed: 0,
                estimated_cost: info.estimated_cost,
                estimated_rows: info.estimated_rows,
                flags: 0,
                columns_used: info.columns_used,
            },
            constraints: all.iter().map(constraint).collect(),
            order_by: order.map(|of| OrderBy { column: of.column, descending: of.descending.into() }).collect(),
            usage: vec![ConstraintUsage::default(); all.len()],
            collations: all.iter().map(|of| c_string(of.collation.as_bytes())).collect(),
            values: all.iter().map(value).collect(),
            is_in: all.iter().map(|of| of.is_in).collect(),
            all_at_once: vec![false; all.len()],
            distinct: info.order_use as c_int,
        });
        asked.info.constraints = asked.constraints.as_mut_ptr();
        asked.info.order_by = asked.order_by.as_mut_ptr();
        asked.info.usage = asked.usage.as_mut_ptr();
        asked
    }

    /// The pointer for the application, from which the data behind the structure can be reached.
    pub(crate) fn pointer(&mut self) -> *mut sqlite3_index_info {
        std::ptr::from_mut(self).cast()
    }

    /// Passes the result to the planner.
    pub(crate) fn answer(self: Box<Asked>, to: &mut IndexInfo) {
        let info = &self.info;
        to.usage = std::iter::zip(&self.usage, &self.all_at_once)
            .map(|(usage, &all_at_once)| Usage {
                argument: u32::try_from(usage.argument).unwrap_or(0),
                omit: usage.omit != 0,
                all_at_once,
            })
            .collect();
        // SAFETY: null, or a string of the application.
        let text = unsafe { text::name(info.text) };
        let kept = Text { start: info.text, is_ours: info.free_text != 0 };
        to.plan = ScanPlan { number: info.number, text: text.map(Into::into), extra: Some(Arc::new(kept)) };
        to.order_by_consumed = info.order_by_consumed != 0;
        to.estimated_cost = info.estimated_cost;
        to.estimated_rows = info.estimated_rows;
        to.finds_one_row = info.flags & SCAN_UNIQUE != 0;
        to.shows_hex = info.flags & SCAN_HEX != 0;
    }

    /// Drops the result, and frees its text.
    pub(crate) fn forget(self: Box<Asked>) {
        drop(Text { start: self.info.text, is_ours: self.info.free_text != 0 });
    }
}

/// The text that goes from xBestIndex to xFilter. It belongs to the application, and may not be text at all.
struct Text {
    start: *mut c_char,
    is_ours: bool,
}

// SAFETY: it belongs to a program of the connection, which is used by one thread at a time.
unsafe impl Send for Text {}
// SAFETY: as above.
unsafe impl Sync for Text {}

impl Drop for Text {
    fn drop(&mut self) {
        if self.is_ours {
            // SAFETY: the application has allocated it by `sqlite3_malloc` and set the flag that it is to be freed.
            unsafe { memory::free(self.start.cast::<c_void>()) };
        }
    }
}

/// The text of a plan as xFilter gets it.
pub(crate) fn text_of(plan: &ScanPlan) -> *const c_char {
    let kept = plan.extra.as_ref().and_then(|extra| extra.downcast_ref::<Text>());
    kept.map_or(null(), |text| text.start)
}

/// The data behind a pointer that xBestIndex got.
///
/// # Safety
/// `info` is null, or what a running xBestIndex got.
unsafe fn asked<'a>(info: *mut sqlite3_index_info) -> Option<&'a mut Asked> {
    // SAFETY: our caller's promise.
    unsafe { info.cast::<Asked>().as_mut() }
}

fn at(index: c_int) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}

api! {
    fn sqlite3_vtab_collation(info: *mut sqlite3_index_info, constraint: c_int) -> *const c_char {
        let collation = asked(info).and_then(|asked| asked.collations.get(at(constraint)));
        collation.map_or(null(), |name| name.as_ptr())
    }

    fn sqlite3_vtab_distinct(info: *mut sqlite3_index_info) -> c_int {
        asked(info).map_or(0, |asked| asked.distinct)
    }

    fn sqlite3_vtab_in(info: *mut sqlite3_index_info, constraint: c_int, handle: c_int) -> c_int {
        let Some(asked) = asked(info) else { return 0 };
        let constraint = at(constraint);
        if !asked.is_in.get(constraint).copied().unwrap_or(false) {
            return 0;
        }
        if handle >= 0 {
            asked.all_at_once[constraint] = handle > 0;
        }
        1
    }

    fn sqlite3_vtab_rhs_value(
        info: *mut sqlite3_index_info, constraint: c_int, out: *mut *mut sqlite3_value,
    ) -> c_int {
        let (Some(asked), Some(out)) = (asked(info), out.as_mut()) else { return code::MISUSE };
        *out = null_mut();
        match asked.values.get_mut(at(constraint)) {
            None => code::MISUSE,
            Some(None) => code::NOTFOUND,
            Some(Some(value)) => {
                *out = &mut **value;
                code::OK
            }
        }
    }
}
