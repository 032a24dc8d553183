//! The changeset that undoes another.

use std::rc::Rc;

use lithe_vtab::Result;

use crate::header::Format;
use crate::input::Input;
use crate::iterator::ChangesetIterator;

/// Writes the changeset that undoes `input` to `out`, in pieces.
///
/// # Errors
/// SQLITE_CORRUPT for a patchset and for bytes that are no changeset; what `out` says.
pub fn invert(input: Input<'_>, out: &mut dyn FnMut(&[u8]) -> Result) -> Result {
    let mut changes = ChangesetIterator::new(input, true);
    let mut table = None;
    let mut piece = Vec::new();
    while changes.advance()? {
        let (Some(header), Some(change)) = (changes.table(), changes.change()) else { continue };
        piece.clear();
        // The same header may come twice; it is written as often as it comes.
        if !table.as_ref().is_some_and(|before| Rc::ptr_eq(before, header)) {
            header.push(&mut piece, Format::Changeset);
            table = Some(Rc::clone(header));
        }
        change.push(header, Format::Changeset, &mut piece);
        out(&piece)?;
    }
    Ok(())
}
