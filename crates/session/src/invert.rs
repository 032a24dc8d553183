//! The inverse of a changeset: it undoes the changeset.

use lithe_vtab::{Result, RowOperation};

use crate::corrupt;
use crate::header::Format;
use crate::input::Input;
use crate::iterator::{ChangesetIterator, Part};

/// Writes the inverse of `input` to `out`, in pieces.
///
/// # Errors
/// SQLITE_CORRUPT for a patchset and for bytes that are not a changeset; those of `out`.
pub fn invert(input: Input<'_>, out: &mut dyn FnMut(&[u8]) -> Result) -> Result {
    let is_checked = |operation| operation != RowOperation::Update;
    let mut changes = ChangesetIterator::new(input, true).checking_types_of(is_checked).of_any_key();
    let mut piece = Vec::new();
    loop {
        piece.clear();
        let part = changes.advance_to_part()?;
        match (part, changes.last_table(), changes.change()) {
            (Part::End, ..) => return Ok(()),
            (Part::Header, Some(_), _) if changes.format() == Format::Patchset => return Err(corrupt()),
            // A header without changes, or a repeated one, is in the output, too.
            (Part::Header, Some(header), _) => header.push(&mut piece, Format::Changeset)?,
            (Part::Change, Some(header), Some(change)) => change.push(header, Format::Changeset, &mut piece)?,
            _ => {}
        }
        out(&piece)?;
    }
}
