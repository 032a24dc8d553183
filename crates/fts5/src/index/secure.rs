//! secure-delete: deleted entries are removed from their pages.

use std::sync::Arc;

use lithe_vtab::FunctionError;

use super::Reader;
use super::pending::Pending;
use crate::Result;
use crate::settings::Settings;
use crate::structure::Structure;

impl Reader<'_> {
    /// Writes all terms to a new segment, but removes from others what is deleted; how many pages the new one has.
    pub(super) fn write_segment_securely(
        &self,
        pending: &Pending,
        id: u64,
        settings: &Arc<Settings>,
        structure: &mut Structure,
    ) -> Result<u64> {
        let _ = (pending, id, settings, structure);
        Err(FunctionError::new("not supported yet: secure-delete"))
    }
}
