//! Merges two changes of the same row into one.

use lithe_vtab::{Grow, OutOfMemory, RowOperation};

use crate::header::{Format, TableHeader};
use crate::iterator::Change;
use crate::record::{UNDEFINED, UNDEFINED_FIELD, fields, is_defined};

/// The combination of a change and a later one; `None` if they cancel out.
///
/// # Errors
/// If the memory is short.
pub(crate) fn merge(
    header: &TableHeader,
    format: Format,
    first: Change,
    second: Change,
) -> Result<Option<Change>, OutOfMemory> {
    use RowOperation::{Delete, Insert, Update};
    let indirect = u8::from(first.indirect != 0 && second.indirect != 0);
    Ok(match (first.operation, second.operation) {
        (Insert, Insert) | (Update, Insert) | (Delete, Update) | (Delete, Delete) => Some(first),
        (Insert, Update) => {
            let new = overlaid(&first.new, &second.new)?;
            Some(Change { indirect, new, ..first })
        }
        (Insert, Delete) => None,
        (Delete, Insert) => replaced(header, format, &first, &second, indirect)?,
        (Update, Update) => updated_twice(header, format, &first, &second, indirect)?,
        (Update, Delete) => {
            // The old values of columns that the first change does not have come from the second.
            let old = match format {
                Format::Patchset => first.old,
                Format::Changeset => overlaid(&second.old, &first.old)?,
            };
            let new = vec![UNDEFINED; header.column_count()];
            Some(Change { operation: Delete, indirect, old, new })
        }
    })
}

/// The values of `upper` where they are defined, those of `lower` elsewhere.
///
/// # Errors
/// If the memory is short.
pub(crate) fn overlaid(lower: &[u8], upper: &[u8]) -> Result<Vec<u8>, OutOfMemory> {
    let choose = |(lower, upper)| if is_defined(upper) { upper } else { lower };
    joined(fields(lower).zip(fields(upper)).map(choose))
}

/// A record of encoded values.
///
/// # Errors
/// If the memory is short.
pub(crate) fn joined<'f>(mut fields: impl Iterator<Item = &'f [u8]>) -> Result<Vec<u8>, OutOfMemory> {
    let mut record = Vec::new();
    fields.try_for_each(|field| record.try_append(field))?;
    Ok(record)
}

/// A DELETE and an INSERT with the same key: an UPDATE of the columns that differ.
fn replaced(
    header: &TableHeader,
    format: Format,
    first: &Change,
    second: &Change,
    indirect: u8,
) -> Result<Option<Change>, OutOfMemory> {
    let (mut old, mut new) = (Vec::new(), Vec::new());
    let mut differs = format == Format::Patchset;
    for (column, (was, is)) in fields(&first.old).zip(fields(&second.new)).enumerate() {
        let (is_key, is_same) = (header.is_key(column), was == is);
        differs |= !is_key && !is_same;
        old.try_append(if is_key || !is_same && format == Format::Changeset { was } else { UNDEFINED_FIELD })?;
        new.try_append(if is_key || is_same { UNDEFINED_FIELD } else { is })?;
    }
    Ok(differs.then_some(Change { operation: RowOperation::Update, indirect, old, new }))
}

fn updated_twice(
    header: &TableHeader,
    format: Format,
    first: &Change,
    second: &Change,
    indirect: u8,
) -> Result<Option<Change>, OutOfMemory> {
    let (mut old, mut new) = (Vec::new(), Vec::new());
    let mut differs = false;
    let before = fields(&first.old).zip(fields(&second.old));
    let after = fields(&first.new).zip(fields(&second.new));
    for (column, ((first_old, second_old), (first_new, second_new))) in before.zip(after).enumerate() {
        let was = if is_defined(first_old) { first_old } else { second_old };
        let is = if is_defined(second_new) { second_new } else { first_new };
        let is_key = header.is_key(column);
        let is_other = if format == Format::Patchset { is_defined(is) } else { was != is };
        let changes = !is_key && is_other;
        differs |= changes;
        old.try_append(if is_key || changes { was } else { UNDEFINED_FIELD })?;
        new.try_append(if changes { is } else { UNDEFINED_FIELD })?;
    }
    Ok(differs.then_some(Change { operation: RowOperation::Update, indirect, old, new }))
}
