//! The state that all cursors of one connection on one database share.

use crate::error::{Result, corrupt};
use crate::interiors::Interiors;
use crate::lost_keys::LostKeys;
use lithe_format::btree_page::{PageHeader, PageKind, header_at};
use lithe_format::bytes::{at_u32, put_u32};
use lithe_format::db_header::{DbHeader, HEADER_LEN, Meta};
use lithe_format::payload::Limits;
use lithe_format::{PageNo, PageSize};
use lithe_pager::{PageInPlace, PageMut, PageRef, Pager};
use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// The trees of one database, as one connection sees them.
pub struct Btree {
    pager: Pager,
    /// Change counters, by root page modulo the length: while the counter is unchanged, a cursor knows that its path is
    /// current. Trees that share a counter only make each other's cursors check their pages once more.
    changes: [Cell<u64>; CHANGE_COUNTERS],
    /// Counters of changes to more than one leaf: while such a counter is unchanged, all interior pages are current.
    shapes: [Cell<u64>; CHANGE_COUNTERS],
    /// Changes of all trees at once: they count in every version and every shape.
    changes_of_all: Cell<u64>,
    /// The pager's write version after the last change by this crate. Another version means that the pages were changed
    /// otherwise: by a rollback, or by a new snapshot.
    known_version: Cell<u64>,
    secure_delete: Cell<SecureDelete>,
    /// The mode in the header, once it was read.
    auto_vacuum: Cell<Option<AutoVacuum>>,
    /// The mode when it was last read.
    last_auto_vacuum: Cell<Option<AutoVacuum>>,
    /// The schema cookie, once it was read: every statement compares it.
    schema_cookie: Cell<Option<u32>>,
    /// The mode that a database that is still empty will get.
    auto_vacuum_wanted: Cell<AutoVacuum>,
    /// Memory for the page numbers of chains that are being written.
    page_list: Cell<Vec<PageNo>>,
    pub(crate) lost_keys: LostKeys,
    pub(crate) interiors: Interiors,
}

const CHANGE_COUNTERS: usize = 64;

/// A database has this many versions before they could equal those of another one.
const VERSION_BITS: u32 = 40;

/// Whether deleted content is overwritten with zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SecureDelete {
    /// No.
    #[default]
    Off,
    /// Only where it costs no additional I/O: on pages that are written anyway, not on freed ones.
    Fast,
    /// Everywhere.
    On,
}

/// Whether the file shrinks when pages become free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum AutoVacuum {
    /// Never; free pages wait for reuse.
    #[default]
    None,
    /// At every commit.
    Full,
    /// In steps, by PRAGMA incremental_vacuum.
    Incremental,
}

impl Btree {
    /// The trees of the database that `pager` reads and writes.
    pub fn new(pager: Pager) -> Btree {
        // A cursor that moves from one database to another must not mistake pages of the one for pages of the other.
        static DATABASES: AtomicU64 = AtomicU64::new(0);
        let first_version = DATABASES.fetch_add(1, Ordering::Relaxed) << VERSION_BITS;
        Btree {
            pager,
            changes: std::array::from_fn(|_| Cell::new(first_version)),
            shapes: std::array::from_fn(|_| Cell::new(first_version)),
            changes_of_all: Cell::new(0),
            known_version: Cell::new(0),
            secure_delete: Cell::default(),
            auto_vacuum: Cell::new(None),
            last_auto_vacuum: Cell::new(None),
            schema_cookie: Cell::new(None),
            auto_vacuum_wanted: Cell::default(),
            page_list: Cell::default(),
            lost_keys: LostKeys::default(),
            interiors: Interiors::default(),
        }
    }

    /// The pager, which has the transactions, savepoints and settings.
    pub fn pager(&self) -> &Pager {
        &self.pager
    }

    /// The size of a page.
    pub fn page_size(&self) -> PageSize {
        self.pager.page_size()
    }

    /// The bytes of a page that the format uses.
    #[inline]
    pub fn usable_size(&self) -> u32 {
        self.pager.usable_size()
    }

    /// Sets whether deleted content is overwritten.
    pub fn set_secure_delete(&self, mode: SecureDelete) {
        self.secure_delete.set(mode);
    }

    /// Whether deleted content is overwritten.
    pub fn secure_delete_mode(&self) -> SecureDelete {
        self.secure_delete.get()
    }

    /// Whether cells are overwritten when they are deleted.
    #[inline]
    pub fn secure_delete(&self) -> bool {
        self.secure_delete.get() != SecureDelete::Off
    }

    /// Whether free pages are overwritten too.
    pub(crate) fn zero_free_pages(&self) -> bool {
        self.secure_delete.get() == SecureDelete::On
    }

    /// One of the header's meta values. A database of no pages has zeros.
    pub fn meta(&self, which: Meta) -> Result<u32> {
        if self.pager.page_count() == 0 {
            return Ok(0);
        }
        Ok(at_u32(&self.page(PageNo::FIRST)?, which.offset()))
    }

    /// The schema cookie, which every statement compares.
    #[inline]
    pub fn schema_cookie(&self) -> Result<u32> {
        self.notice_others();
        match self.schema_cookie.get() {
            Some(cookie) => Ok(cookie),
            None => self.read_schema_cookie(),
        }
    }

    /// Whether the schema cookie is known to be this one.
    #[inline]
    pub fn has_schema_cookie(&self, cookie: u32) -> bool {
        self.known_version.get() == self.pager.write_version() && self.schema_cookie.get() == Some(cookie)
    }

    #[cold]
    fn read_schema_cookie(&self) -> Result<u32> {
        let cookie = self.meta(Meta::SchemaCookie)?;
        self.schema_cookie.set(Some(cookie));
        Ok(cookie)
    }

    /// Changes one of the header's meta values.
    pub fn set_meta(&self, which: Meta, value: u32) -> Result<()> {
        self.initialise()?;
        put_u32(&mut self.write(PageNo::FIRST)?, which.offset(), value);
        self.auto_vacuum.set(None);
        Ok(())
    }

    /// Gives a database without pages its first page: the header, and an empty schema table. Every write begins with
    /// this; where there are pages, nothing happens.
    pub fn initialise(&self) -> Result<()> {
        if self.pager.page_count() > 0 {
            return Ok(());
        }
        let mut header = DbHeader::new(self.page_size(), self.pager.reserved());
        let auto_vacuum = self.auto_vacuum_wanted.get();
        header.meta[Meta::LargestRoot as usize] = u32::from(auto_vacuum != AutoVacuum::None);
        header.meta[Meta::IncrementalVacuum as usize] = u32::from(auto_vacuum == AutoVacuum::Incremental);
        let mut first = self.new_page(PageNo::FIRST)?;
        header.write(&mut first);
        PageHeader::empty(HEADER_LEN, PageKind::TableLeaf, self.usable_size()).write(&mut first);
        drop(first);
        self.all_changed();
        Ok(())
    }

    /// Whether this is an auto-vacuum database, or will be.
    pub fn auto_vacuum_mode(&self) -> Result<AutoVacuum> {
        if let Some(mode) = self.auto_vacuum.get()
            && self.known_version.get() == self.pager.write_version()
        {
            return Ok(mode);
        }
        if self.pager.page_count() == 0 {
            // Whichever connection makes the first page, this mode is in force until the schema is read again.
            self.last_auto_vacuum.set(Some(self.auto_vacuum_wanted.get()));
            return Ok(self.auto_vacuum_wanted.get());
        }
        let mode = match (self.meta(Meta::LargestRoot)?, self.meta(Meta::IncrementalVacuum)?) {
            (0, _) => AutoVacuum::None,
            (_, 0) => AutoVacuum::Full,
            _ => AutoVacuum::Incremental,
        };
        self.notice_others();
        self.auto_vacuum.set(Some(mode));
        self.last_auto_vacuum.set(Some(mode));
        Ok(mode)
    }

    /// The mode as it was when this connection last read it. Another connection's VACUUM that changes the mode changes the schema cookie,
    /// too, so that the mode is read again with the schema.
    pub fn last_auto_vacuum_mode(&self) -> Option<AutoVacuum> {
        self.last_auto_vacuum.get().filter(|_| self.pager.page_count() > 0)
    }

    /// Sets the auto-vacuum mode: in an empty database any mode, in another one only between the two modes that have
    /// pointer maps. Answers whether it was possible.
    pub fn set_auto_vacuum(&self, mode: AutoVacuum) -> Result<bool> {
        if self.pager.page_count() == 0 {
            let changes_maps = (self.auto_vacuum_wanted.get() == AutoVacuum::None) != (mode == AutoVacuum::None);
            if self.pager.is_shape_fixed() && changes_maps {
                return Ok(false);
            }
            self.auto_vacuum_wanted.set(mode);
            return Ok(true);
        }
        let now = self.auto_vacuum_mode()?;
        if (now == AutoVacuum::None) != (mode == AutoVacuum::None) {
            return Ok(false);
        }
        if now != AutoVacuum::None {
            self.set_meta(Meta::IncrementalVacuum, u32::from(mode == AutoVacuum::Incremental))?;
        }
        Ok(true)
    }

    /// Whether the database has pointer maps that must be maintained.
    #[inline]
    pub(crate) fn auto_vacuum(&self) -> Result<bool> {
        Ok(self.auto_vacuum_mode()? != AutoVacuum::None)
    }

    /// Payload limits of a kind of page.
    #[inline]
    pub(crate) fn limits(&self, kind: PageKind) -> Limits {
        if kind.is_table() { Limits::table_leaf(self.usable_size()) } else { Limits::index(self.usable_size()) }
    }

    #[inline]
    pub(crate) fn page(&self, no: PageNo) -> Result<PageRef> {
        self.pager.page(no)
    }

    /// The header of `page`, which is page `no`.
    #[inline]
    pub(crate) fn header(&self, page: &[u8], no: PageNo) -> Result<PageHeader> {
        PageHeader::read(page, header_at(no), self.usable_size()).map_err(|malformed| corrupt(no, malformed.0))
    }

    /// Page `no`, for writing.
    #[inline]
    pub(crate) fn write(&self, no: PageNo) -> Result<PageMut<'_>> {
        self.notice_others();
        let page = self.pager.write(no);
        self.wrote(no);
        page
    }

    /// Page `no`, for writing in its place by a caller that keeps the page's memo valid, and that holds no reference to it but `held`:
    /// see [`Pager::write_in_place`]. `None`: the page has to be [made ready](Btree::make_ready) first.
    #[inline(always)]
    pub(crate) fn edit<'a>(&'a self, no: PageNo, held: Option<&'a mut PageRef>) -> Option<PageInPlace<'a>> {
        self.notice_others();
        let page = self.pager.write_in_place(no, held)?;
        self.wrote(no);
        Some(page)
    }

    /// Makes page `no`, which the caller does not hold, ready for [`Btree::edit`], and answers it.
    #[inline]
    pub(crate) fn make_ready(&self, no: PageNo) -> Result<PageRef> {
        self.notice_others();
        let ready = self.pager.make_ready(no);
        self.wrote(no);
        ready
    }

    /// Page `no`, for writing; the caller overwrites all of `anew`: see [`Pager::overwrite`].
    #[inline]
    pub(crate) fn overwrite(&self, no: PageNo, anew: Range<usize>) -> Result<PageMut<'_>> {
        self.notice_others();
        let page = self.pager.overwrite(no, anew);
        self.wrote(no);
        page
    }

    /// Page `no`, all zeros, whatever it was: a page beyond the end or one from the freelist.
    #[inline]
    pub(crate) fn new_page(&self, no: PageNo) -> Result<PageMut<'_>> {
        self.notice_others();
        let page = self.pager.new_page(no);
        self.wrote(no);
        page
    }

    /// Records that this crate changes page `no`.
    #[inline]
    fn wrote(&self, no: PageNo) {
        self.known_version.set(self.pager.write_version());
        if no == PageNo::FIRST {
            self.schema_cookie.set(None);
        }
    }

    pub(crate) fn set_page_count(&self, count: u32) -> Result<()> {
        assert!(count > 0, "a database in use has page 1");
        self.notice_others();
        let done = self.pager.set_page_count(count);
        self.known_version.set(self.pager.write_version());
        done
    }

    /// Changes whenever the tree at `root` may have changed: by this connection's writes, a rollback, or a new
    /// snapshot.
    #[inline]
    pub fn version(&self, root: PageNo) -> u64 {
        self.notice_others();
        self.changes[root.get() as usize % CHANGE_COUNTERS].get() + self.changes_of_all.get()
    }

    /// Changes whenever interior pages of the tree at `root` may have changed.
    #[inline]
    pub(crate) fn shape(&self, root: PageNo) -> u64 {
        self.notice_others();
        self.shapes[root.get() as usize % CHANGE_COUNTERS].get() + self.changes_of_all.get()
    }

    /// Records a change to the tree at `root` and answers the new version.
    #[inline]
    pub(crate) fn changed(&self, root: PageNo) -> u64 {
        let shape = &self.shapes[root.get() as usize % CHANGE_COUNTERS];
        shape.set(shape.get() + 1);
        self.cells_changed(root, PageKind::TableLeaf)
    }

    /// As [`Btree::changed`], for a change to cells of one page of this kind that leaves the page's children unchanged.
    #[inline]
    pub(crate) fn cells_changed(&self, root: PageNo, kind: PageKind) -> u64 {
        if !kind.is_leaf() {
            return self.changed(root);
        }
        let counter = &self.changes[root.get() as usize % CHANGE_COUNTERS];
        counter.set(counter.get() + 1);
        counter.get() + self.changes_of_all.get()
    }

    /// Commits what was written to this database alone. The state of cursors stays valid, because a commit changes no tree.
    pub fn commit(&self) -> Result<()> {
        let is_known = self.known_version.get() == self.pager.write_version();
        if self.pager.commit_alone()? && is_known {
            self.known_version.set(self.pager.write_version());
        }
        Ok(())
    }

    /// Records that any tree may have changed.
    #[cold]
    pub(crate) fn all_changed(&self) {
        self.changes_of_all.set(self.changes_of_all.get() + 1);
        self.auto_vacuum.set(None);
        self.schema_cookie.set(None);
    }

    #[inline]
    fn notice_others(&self) {
        let version = self.pager.write_version();
        if self.known_version.get() != version {
            self.known_version.set(version);
            self.all_changed();
        }
    }

    /// An empty list that reuses its memory.
    pub(crate) fn take_page_list(&self) -> Vec<PageNo> {
        let mut list = self.page_list.take();
        list.clear();
        list
    }

    pub(crate) fn give_page_list(&self, list: Vec<PageNo>) {
        self.page_list.set(list);
    }
}
