//! The limit of reading: copies of a BLOB's bytes out of a mapping, or one `pread`, without a database.
//!
//! The BLOBs lie one after the other in one large file: a file of the same size as the databases, read at the same places in the same
//! order.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use crate::blobs::workload::Workload;
use crate::frame::results::{Name, Side};
use crate::frame::turns::{Contestant, Round, micros_each};
use crate::frame::{Context, Error, Result};

/// The BLOBs in one file without other content.
pub struct Packed {
    pub path: PathBuf,
    /// The offsets by key: that of key `n` is at `n - 1`.
    offsets: Vec<u64>,
}

impl Packed {
    /// Writes the file.
    pub fn create(workload: &Workload) -> Result<Packed> {
        let path = workload.folder().join("packed");
        let mut file = BufWriter::with_capacity(1 << 20, File::create(&path).context("create", &path)?);
        let (mut offsets, mut bytes, mut end) = (Vec::new(), Vec::new(), 0);
        for key in 1..=workload.options.count {
            workload.content.fill(key, 0, &mut bytes);
            file.write_all(&bytes).context("write", &path)?;
            offsets.push(end);
            end += bytes.len() as u64;
        }
        file.flush().context("write", &path)?;
        Ok(Packed { path, offsets })
    }

    /// The offset of a BLOB.
    pub fn offset(&self, key: usize) -> u64 {
        self.offsets[key - 1]
    }
}

/// Copies out of a mapping.
pub struct CopyFromMapping<'w> {
    workload: &'w Workload,
    packed: &'w Packed,
    mapping: vmap::Map,
}

impl<'w> CopyFromMapping<'w> {
    /// Maps the file.
    pub fn open(workload: &'w Workload, packed: &'w Packed) -> Result<Self> {
        let mapped = vmap::Map::with_options().open(&packed.path);
        let (mapping, _) = mapped.map_err(|e| Error::setup(format!("cannot map {}: {e}", packed.path.display())))?;
        Ok(CopyFromMapping { workload, packed, mapping })
    }
}

impl Contestant for CopyFromMapping<'_> {
    fn name(&self) -> Name {
        Name::new("limit-mapping", "limit: copy from a mapping", Side::Limit)
    }

    fn turn(&mut self, round: Round) -> Result<f64> {
        let keys = self.workload.keys(round);
        let places = places(self.workload, self.packed, &keys);
        let mut buffer = vec![0; largest(&places)];
        let (micros, ()) = micros_each(keys.len(), || {
            for &(offset, len) in &places {
                buffer[..len].copy_from_slice(&self.mapping[offset as usize..][..len]);
                black_box(&buffer);
            }
            Ok(())
        })?;
        Ok(micros)
    }
}

/// One `pread` a BLOB, of a file that stays open.
pub struct OnePread<'w> {
    workload: &'w Workload,
    packed: &'w Packed,
    file: File,
}

impl<'w> OnePread<'w> {
    /// Opens the file.
    pub fn open(workload: &'w Workload, packed: &'w Packed) -> Result<Self> {
        let file = File::open(&packed.path).context("open", &packed.path)?;
        Ok(OnePread { workload, packed, file })
    }
}

impl Contestant for OnePread<'_> {
    fn name(&self) -> Name {
        Name::new("limit-pread", "limit: one pread", Side::Limit)
    }

    fn turn(&mut self, round: Round) -> Result<f64> {
        let keys = self.workload.keys(round);
        let places = places(self.workload, self.packed, &keys);
        let mut buffer = vec![0; largest(&places)];
        let (micros, ()) = micros_each(keys.len(), || {
            for &(offset, len) in &places {
                self.file.read_exact_at(&mut buffer[..len], offset).context("read", &self.packed.path)?;
                black_box(&buffer);
            }
            Ok(())
        })?;
        Ok(micros)
    }
}

/// The offsets and lengths of these keys' BLOBs, computed before the clock starts, because the limit measures only the bytes.
pub fn places(workload: &Workload, packed: &Packed, keys: &[usize]) -> Vec<(u64, usize)> {
    keys.iter().map(|&key| (packed.offset(key), workload.content.size(key))).collect()
}

/// The length of the longest.
pub fn largest(places: &[(u64, usize)]) -> usize {
    places.iter().map(|(_, len)| *len).max().unwrap_or(0)
}
