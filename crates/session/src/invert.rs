//! The inverse of a changeset: it undoes the changeset.

use std::rc::Rc;

use lithe_vtab::{Result, RowOperation};

use crate::header::Format;
use crate::input::Input;
use crate::iterator::ChangesetIterator;

/// Writes the inverse of `input` to `out`, in pieces.
///
/// # Errors
/// SQLITE_CORRUPT for a patchset and for bytes that are not a changeset; those of `out`.
pub fn invert(input: Input<'_>, out: &mut dyn FnMut(&[u8]) -> Result) -> Result {
    let is_checked = |operation| operation != RowOperation::Update;
    let mut changes = ChangesetIterator::new(input, true).checking_types_of(is_checked);
    let mut table = None;
    let mut piece = Vec::new();
    while changes.advance()? {
        let (Some(header), Some(change)) = (changes.table(), changes.change()) else { continue };
        piece.clear();
        // A repeated header is repeated in the output.
        if !table.as_ref().is_some_and(|before| Rc::ptr_eq(before, header)) {
            header.push(&mut piece, Format::Changeset)?;
            table = Some(Rc::clone(header));
        }
        change.push(header, Format::Changeset, &mut piece)?;
        out(&piece)?;
    }
    Ok(())
}
