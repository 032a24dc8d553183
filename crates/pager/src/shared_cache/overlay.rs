//! An overlay: the pages that a transaction has changed so far, as of the end of one of its steps.
//!
//! Pages that are in memory share their buffers with the dirty set. Pages that the transaction has spilled are copied into a
//! temporary file, and pages that leave the dirty set follow, so that an overlay takes no more memory than twice the dirty set. The
//! file is only appended to as long as the transaction lasts, so older overlays stay valid.

use std::sync::Arc;

use hashbrown::HashMap;
use lithe_format::{PageNo, PageSize};
use lithe_vfs::{File, OpenFlags};

use super::{Lent, Slot};
use crate::dirty::{PageHashes, zeros};
use crate::error::{Error, Result};
use crate::file_store::FileStore;
use crate::page_map::PageMap;
use crate::page_ref::PageRef;
use crate::snapshot::SnapshotId;
use crate::temp_file::TempPages;
use crate::write_txn::WriteTxn;

/// The number of pages that may be in memory although they have left the dirty set, however small the set is.
const MEMORY_MIN: usize = 64;

/// See the module's docs.
#[derive(Clone, Debug)]
pub(crate) struct Overlay {
    /// The snapshot that the overlay is laid over.
    pub(crate) base: SnapshotId,
    pub(crate) page_size: PageSize,
    pub(crate) page_count: u32,
    memory: HashMap<PageNo, Arc<[u8]>, PageHashes>,
    /// The places of the other pages in the file.
    places: PageMap,
    file: Option<Arc<dyn File>>,
}

/// The state that the next overlay of the same transaction is made from.
#[derive(Debug, Default)]
pub(super) struct Maker {
    /// The temporary file.
    pages: TempPages,
    /// The frames of the log that have the transaction's pages; `last_frame` is the last of them that is known.
    frames: PageMap,
    last_frame: u32,
}

impl Overlay {
    fn new(lent: &Lent) -> Overlay {
        Overlay {
            base: lent.base,
            page_size: lent.page_size,
            page_count: lent.page_count,
            memory: HashMap::default(),
            places: PageMap::default(),
            file: None,
        }
    }

    pub(super) fn page(&self, no: PageNo) -> Result<Option<PageRef>> {
        if let Some(bytes) = self.memory.get(&no) {
            return Ok(Some(PageRef::from_arc(Arc::clone(bytes))));
        }
        let (Some(place), Some(file)) = (self.places.get(no), &self.file) else { return Ok(None) };
        let mut bytes = vec![0; self.page_size.bytes()];
        file.read_at(&mut bytes, u64::from(place) * u64::from(self.page_size.get()))?;
        Ok(Some(PageRef::from_arc(Arc::from(bytes))))
    }

    pub(super) fn is_version(&self, no: PageNo, page: &PageRef) -> Option<bool> {
        match self.memory.get(&no) {
            Some(bytes) => Some(page.is_of(bytes)),
            // A page in the file is a new buffer at each read.
            None => self.places.get(no).map(|_| false),
        }
    }

    fn forget(&mut self, no: PageNo) {
        if self.memory.remove(&no).is_none() {
            self.places.remove(no);
        }
    }
}

impl Slot {
    /// Makes the overlay of the lent transaction, if one is lent on the snapshot `base`, or updates it.
    pub(super) fn make_overlay(&mut self, file: &FileStore, page_size: PageSize, base: SnapshotId) -> Result<()> {
        let fits = |lent: &Lent| lent.base.has_content_of(&base) && lent.page_size == page_size;
        let Some(lent) = self.lent.filter(fits) else { return Ok(()) };
        let made = self.bring_up_to_date(file, &lent);
        if made.is_err() {
            self.forget_overlay();
        }
        made
    }

    fn bring_up_to_date(&mut self, file: &FileStore, lent: &Lent) -> Result<()> {
        let continues = self.overlay.as_ref().is_some_and(|overlay| overlay.base.has_content_of(&lent.base));
        let changed = self.txn.changed.take().filter(|_| continues);
        let is_as_long = self.overlay.as_ref().is_some_and(|overlay| overlay.page_count == lent.page_count);
        if changed.as_ref().is_some_and(Vec::is_empty) && is_as_long {
            self.txn.changed = changed;
            return Ok(());
        }
        if changed.is_none() {
            self.forget_overlay();
        }
        let Slot { txn, overlay, maker, .. } = self;
        maker.learn_frames(file, lent.frames)?;
        let mut pages = changed.unwrap_or_else(|| maker.all_pages(txn));
        pages.sort_unstable();
        pages.dedup();
        let overlay = Arc::make_mut(overlay.get_or_insert_with(|| Arc::new(Overlay::new(lent))));
        overlay.page_count = lent.page_count;
        for no in pages {
            overlay.forget(no);
            if no.get() <= lent.page_count {
                maker.lay_over(file, overlay, txn, no)?;
            }
        }
        if overlay.memory.len() > 2 * txn.dirty.len() + MEMORY_MIN {
            move_to_file(file, overlay, maker, txn)?;
        }
        overlay.file = maker.pages.handle();
        txn.changed = Some(Vec::new());
        Ok(())
    }
}

/// Moves pages that have left the dirty set from memory to the file.
fn move_to_file(file: &FileStore, overlay: &mut Overlay, maker: &mut Maker, txn: &WriteTxn) -> Result<()> {
    let mut gone: Vec<PageNo> = overlay.memory.keys().copied().filter(|no| txn.dirty.find(*no).is_none()).collect();
    gone.sort_unstable();
    for no in gone {
        if let Some(bytes) = overlay.memory.remove(&no) {
            maker.put(file, overlay, no, &bytes)?;
        }
    }
    Ok(())
}

impl Maker {
    /// Puts page `no`, as the transaction has written it, into the overlay.
    fn lay_over(&mut self, file: &FileStore, overlay: &mut Overlay, txn: &WriteTxn, no: PageNo) -> Result<()> {
        if let Some(id) = txn.dirty.find(no) {
            let bytes = txn.dirty.slot(id).bytes.as_ref();
            let bytes = bytes.ok_or(Error::Misuse("a transaction is lent while it writes a page"))?;
            overlay.memory.insert(no, Arc::clone(bytes));
            return Ok(());
        }
        let mut buf = zeros(overlay.page_size.bytes());
        let bytes = Arc::get_mut(&mut buf).expect("a new buffer is ours alone");
        if let Some(frame) = self.frames.get(no) {
            file.with_wal(|wal| wal.read_page(frame, overlay.page_size, bytes))?;
        } else if !txn.spill.temp.read(no, bytes)? {
            if !txn.is_placed(no) {
                // The transaction has undone its change of the page.
                return Ok(());
            }
            file.read_placed(no, bytes)?;
        }
        self.put(file, overlay, no, &buf)
    }

    fn put(&mut self, file: &FileStore, overlay: &mut Overlay, no: PageNo, bytes: &[u8]) -> Result<()> {
        let place = self.pages.append(&*file.vfs, OpenFlags::TEMP_JOURNAL, &[bytes])?;
        overlay.places.insert(no, place);
        Ok(())
    }

    /// All pages that the transaction has written.
    fn all_pages(&self, txn: &WriteTxn) -> Vec<PageNo> {
        txn.page_numbers().chain(self.frames.page_numbers()).collect()
    }

    /// Learns the pages of the frames that the transaction has appended. The index of the log has them, though they are
    /// not committed.
    fn learn_frames(&mut self, file: &FileStore, (before, last): (u32, u32)) -> Result<()> {
        let first = self.last_frame.max(before).saturating_add(1);
        if first > last {
            return Ok(());
        }
        let pages = file.with_wal(|wal| wal.pages_of(first..=last))?;
        for (frame, no) in (first..).zip(pages) {
            self.frames.insert(no, frame);
        }
        self.last_frame = last;
        Ok(())
    }
}
