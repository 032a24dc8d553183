//! Texts with a locale: the BLOBs that `fts5_locale()` makes.
//!
//! ```text
//!   16 bytes: the connection's key | locale | 00 | text
//! ```

use std::any::Any;
use std::hash::{BuildHasher, RandomState};

use lithe_value::Grow;
use lithe_vtab::{SqlConnection, ValueRef};

use crate::Result;

/// The length of the key by which a connection knows its own BLOBs.
const HEADER_LEN: usize = 16;
/// The name under which a connection keeps the key.
const CLIENT_DATA: &str = "fts5-locale";

fn header(connection: &dyn SqlConnection) -> [u8; HEADER_LEN] {
    let mut header = [0; HEADER_LEN];
    let make = || {
        let random = [RandomState::new().hash_one(0), RandomState::new().hash_one(1)];
        let mut bytes = [0u8; HEADER_LEN];
        bytes.iter_mut().zip(random.iter().flat_map(|half| half.to_be_bytes())).for_each(|(to, from)| *to = from);
        Box::new(bytes) as Box<dyn Any + Send>
    };
    connection.with_client_data(CLIENT_DATA, &make, &mut |data| {
        if let Some(bytes) = data.downcast_ref() {
            header = *bytes;
        }
    });
    header
}

/// A text with a locale, as a BLOB.
///
/// # Errors
/// SQLITE_NOMEM.
pub fn join(connection: &dyn SqlConnection, locale: &[u8], text: &[u8]) -> Result<Vec<u8>> {
    let mut blob = Vec::new();
    blob.try_grow(HEADER_LEN + locale.len() + 1 + text.len())?;
    blob.extend_from_slice(&header(connection));
    blob.extend_from_slice(locale);
    blob.push(0);
    blob.extend_from_slice(text);
    Ok(blob)
}

/// The locale and the text of such a BLOB; `None` if the value is not such a BLOB of this connection.
pub fn split<'v>(connection: &dyn SqlConnection, value: ValueRef<'v>) -> Option<(&'v [u8], &'v [u8])> {
    let ValueRef::Blob(blob) = value else { return None };
    let (start, rest) = blob.split_first_chunk::<HEADER_LEN>()?;
    if *start != header(connection) {
        return None;
    }
    let end = rest.iter().position(|byte| *byte == 0)?;
    rest.split_at_checked(end).and_then(|(locale, text)| Some((locale, text.get(1..)?)))
}
