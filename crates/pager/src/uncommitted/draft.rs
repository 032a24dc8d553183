//! A draft: the pages that a transaction has changed so far, as of the end of one of its steps.
//!
//! Pages that are in memory share their buffers with the dirty set. Those that the transaction has spilled are copied into a
//! temporary file, and what the dirty set has let go follows them, so that a draft takes no more memory than twice the dirty set.
//! Nothing in the file is overwritten as long as the transaction lasts: older drafts go on to be read.

use std::sync::Arc;

use hashbrown::HashMap;
use lithe_format::{PageNo, PageSize};
use lithe_vfs::{File, OpenFlags};

use super::{Loan, Lot, Snapshot};
use crate::dirty::{PageHashes, zeros};
use crate::error::{Error, Result};
use crate::file_store::FileStore;
use crate::page_map::PageMap;
use crate::page_ref::PageRef;
use crate::pager::{Pager, Store, WriteTxn};
use crate::temp_file::TempPages;

/// So many pages may be in memory that the dirty set has not, however small it is.
const MEMORY_MIN: usize = 64;

/// See the module's docs.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    /// What it is laid over.
    pub(crate) base: Snapshot,
    pub(crate) page_size: PageSize,
    pub(crate) page_count: u32,
    memory: HashMap<PageNo, Arc<[u8]>, PageHashes>,
    /// Where in the file others are.
    places: PageMap,
    file: Option<Arc<dyn File>>,
}

/// What it takes to make the next draft of the same transaction.
#[derive(Debug, Default)]
pub(super) struct Maker {
    /// The temporary file.
    pages: TempPages,
    /// Where in the log the transaction has put pages; up to which frame that is known.
    frames: PageMap,
    last_frame: u32,
}

impl Draft {
    fn new(loan: &Loan) -> Draft {
        Draft {
            base: loan.base,
            page_size: loan.page_size,
            page_count: loan.page_count,
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
            // Each look reads it anew.
            None => self.places.get(no).map(|_| false),
        }
    }

    fn forget(&mut self, no: PageNo) {
        if self.memory.remove(&no).is_none() {
            self.places.remove(no);
        }
    }
}

impl Pager {
    /// Makes the draft of the transaction that is lent, if there is one on the snapshot `base`, or brings it up to date.
    pub(super) fn make_draft(&self, lot: &mut Lot, base: Snapshot) -> Result<()> {
        let Some(loan) = lot.loan.filter(|loan| loan.base == base && loan.page_size == self.page_size()) else {
            return Ok(());
        };
        let made = self.bring_up_to_date(lot, &loan);
        if made.is_err() {
            lot.forget_draft();
        }
        made
    }

    fn bring_up_to_date(&self, lot: &mut Lot, loan: &Loan) -> Result<()> {
        let Store::File(file) = &self.store else { return Ok(()) };
        let changed =
            lot.txn.changed.take().filter(|_| lot.draft.as_ref().is_some_and(|draft| draft.base == loan.base));
        if changed.as_ref().is_some_and(Vec::is_empty)
            && lot.draft.as_ref().is_some_and(|draft| draft.page_count == loan.page_count)
        {
            lot.txn.changed = changed;
            return Ok(());
        }
        if changed.is_none() {
            lot.forget_draft();
        }
        let Lot { txn, draft, maker, .. } = lot;
        maker.learn_frames(file, loan.frames)?;
        let mut pages = changed.unwrap_or_else(|| maker.all_pages(txn));
        pages.sort_unstable();
        pages.dedup();
        let draft = Arc::make_mut(draft.get_or_insert_with(|| Arc::new(Draft::new(loan))));
        draft.page_count = loan.page_count;
        for no in pages {
            draft.forget(no);
            if no.get() <= loan.page_count {
                self.put_into_draft(file, draft, maker, txn, no)?;
            }
        }
        if draft.memory.len() > 2 * txn.dirty.len() + MEMORY_MIN {
            put_away(file, draft, maker, txn)?;
        }
        draft.file = maker.pages.handle();
        txn.changed = Some(Vec::new());
        Ok(())
    }

    fn put_into_draft(
        &self,
        file: &FileStore,
        draft: &mut Draft,
        maker: &mut Maker,
        txn: &WriteTxn,
        no: PageNo,
    ) -> Result<()> {
        if let Some(id) = txn.dirty.find(no) {
            let bytes = txn.dirty.slot(id).bytes.as_ref();
            let bytes = bytes.ok_or(Error::Misuse("a transaction is lent while it writes a page"))?;
            draft.memory.insert(no, Arc::clone(bytes));
            return Ok(());
        }
        let mut buf = zeros(draft.page_size.bytes());
        let bytes = Arc::get_mut(&mut buf).expect("a new buffer is ours alone");
        if let Some(frame) = maker.frames.get(no) {
            file.with_wal(|wal| wal.read_page(frame, draft.page_size, bytes))?;
        } else if !txn.temp.read(no, bytes)? {
            if !txn.added.contains(no, txn.pages_before) {
                // The transaction has taken back what it did to it.
                return Ok(());
            }
            file.read_added(no, bytes)?;
        }
        maker.put(file, draft, no, &buf)
    }
}

/// What the dirty set has let go needs not be in memory.
fn put_away(file: &FileStore, draft: &mut Draft, maker: &mut Maker, txn: &WriteTxn) -> Result<()> {
    let mut gone: Vec<PageNo> = draft.memory.keys().copied().filter(|no| txn.dirty.find(*no).is_none()).collect();
    gone.sort_unstable();
    for no in gone {
        if let Some(bytes) = draft.memory.remove(&no) {
            maker.put(file, draft, no, &bytes)?;
        }
    }
    Ok(())
}

impl Maker {
    fn put(&mut self, file: &FileStore, draft: &mut Draft, no: PageNo, bytes: &[u8]) -> Result<()> {
        let place = self.pages.append(&*file.vfs, OpenFlags::TEMP_JOURNAL, &[bytes])?;
        draft.places.insert(no, place);
        Ok(())
    }

    /// All pages that the transaction has written.
    fn all_pages(&self, txn: &WriteTxn) -> Vec<PageNo> {
        let in_memory = txn.dirty.iter().map(|(no, _)| no);
        let spilled = txn.temp.page_numbers().chain(txn.added.page_numbers(txn.pages_before));
        in_memory.chain(spilled).chain(self.frames.page_numbers()).collect()
    }

    /// The index of the log knows whose frames the transaction has appended, though they do not count yet.
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
