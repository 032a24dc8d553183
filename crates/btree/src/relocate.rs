//! Moving a page of an auto-vacuum database, and changing the pointers to the page.

use crate::btree::Btree;
use crate::error::{Result, corrupt};
use crate::overflow::read_whole;
use lithe_format::btree_page::{RIGHT_CHILD_AT, cell_pointer, right_child};
use lithe_format::bytes::put_u32;
use lithe_format::cell::PayloadSpan;
use lithe_format::overflow::POINTER_LEN;
use lithe_format::ptrmap::{Entry, PtrmapType};
use lithe_format::{PageNo, cell, overflow};
use std::collections::HashSet;

/// Moves pages, one after the other.
pub(crate) struct Mover<'b> {
    btree: &'b Btree,
    /// Pages known to be on overflow chains of tables.
    of_tables: HashSet<PageNo>,
}

impl Mover<'_> {
    pub fn new(btree: &Btree) -> Mover<'_> {
        Mover { btree, of_tables: HashSet::new() }
    }

    /// Moves page `from` to the unused page `to`, and changes the pointers to the page.
    pub fn relocate(&mut self, from: PageNo, to: PageNo) -> Result<()> {
        assert_ne!(from, to, "a page moves elsewhere");
        let btree = self.btree;
        let entry = btree.ptrmap(from)?;
        if matches!(entry.kind, PtrmapType::OverflowFirst | PtrmapType::OverflowNext) {
            self.remember_key(from, entry)?;
        }
        let content = btree.page(from)?;
        btree.new_page(to)?.copy_from_slice(&content);
        drop(content);
        match entry.kind {
            PtrmapType::Free => return Err(corrupt(from, "free page where one in use is expected")),
            PtrmapType::Btree | PtrmapType::Root => btree.adopt_children(to)?,
            PtrmapType::OverflowFirst | PtrmapType::OverflowNext => {
                if let Some(next) = overflow::next(&btree.page(to)?) {
                    btree.put_ptrmap(next, PtrmapType::OverflowNext, Some(to))?;
                }
            }
        }
        btree.put_ptrmap(to, entry.kind, entry.parent)?;
        match (entry.kind, entry.parent) {
            (PtrmapType::Root, _) => Ok(()),
            (_, None) => Err(corrupt(from, "pointer map without a parent")),
            (PtrmapType::OverflowNext, Some(parent)) => {
                if overflow::next(&btree.page(parent)?) != Some(from) {
                    return Err(corrupt(parent, "pointer map disagrees with the overflow chain"));
                }
                overflow::put_next(&mut btree.write(parent)?, Some(to));
                Ok(())
            }
            (_, Some(parent)) => {
                let at = btree.pointer_to(parent, from, entry.kind)?;
                put_u32(&mut btree.write(parent)?, at, to.get());
                Ok(())
            }
        }
    }

    /// Remembers the key whose chain has page `no`: a cursor may stand on the entry, and read its key from the chain
    /// when it seeks the entry again. Only an index has keys on chains.
    fn remember_key(&mut self, no: PageNo, entry: Entry) -> Result<()> {
        let btree = self.btree;
        let mut way = vec![no];
        let mut entry = entry;
        while entry.kind == PtrmapType::OverflowNext {
            let before = entry.parent.filter(|_| way.len() <= btree.pager().page_count() as usize);
            let before = before.ok_or_else(|| corrupt(no, "overflow chain without a beginning"))?;
            if self.of_tables.contains(&before) {
                break;
            }
            way.push(before);
            entry = btree.ptrmap(before)?;
        }
        assert!(way[0] == no, "the way begins with the page that moves");
        let first = way[way.len() - 1];
        let owner = entry.parent.ok_or_else(|| corrupt(first, "pointer map without a parent"))?;
        if entry.kind == PtrmapType::OverflowNext || btree.header(&btree.page(owner)?, owner)?.kind.is_table() {
            self.of_tables.extend(way);
            return Ok(());
        }
        let (_, span) = btree.chain_start(owner, first)?;
        let mut record = Vec::new();
        read_whole(btree, &btree.page(owner)?, owner, span, &mut record)?;
        let root = btree.root_of(owner)?;
        btree.lost_keys.remember(root, first, btree.version(root), record);
        Ok(())
    }
}

impl Btree {
    /// The root of the tree to which page `no` belongs.
    fn root_of(&self, no: PageNo) -> Result<PageNo> {
        let mut page = no;
        for _ in 0..crate::node::MAX_DEPTH {
            if page == PageNo::FIRST {
                return Ok(page);
            }
            match self.ptrmap(page)? {
                Entry { kind: PtrmapType::Root, .. } => return Ok(page),
                Entry { kind: PtrmapType::Btree, parent: Some(parent) } => page = parent,
                _ => break,
            }
        }
        Err(corrupt(no, "page of no tree"))
    }

    /// The payload in a cell of page `owner` whose overflow chain starts with page `first`, and the place of the
    /// pointer to the chain.
    fn chain_start(&self, owner: PageNo, first: PageNo) -> Result<(usize, PayloadSpan)> {
        let page = self.page(owner)?;
        let header = self.header(&page, owner)?;
        let limits = self.limits(header.kind);
        for index in 0..usize::from(header.cell_count) {
            let span = cell_pointer(&page, header.pointers_at(), index)
                .and_then(|at| cell::read_payload(&page, at, header.kind, &limits))
                .ok_or_else(|| corrupt(owner, "cell outside the page"))?;
            if let Some(span) = span.filter(|span| span.overflow_page(&page) == Some(first)) {
                return Ok((span.end() - POINTER_LEN, span));
            }
        }
        Err(corrupt(owner, NOT_THE_PARENT))
    }

    /// The place where the tree page `parent` points to page `no`, as a child or as the start of an overflow chain.
    fn pointer_to(&self, parent: PageNo, no: PageNo, kind: PtrmapType) -> Result<usize> {
        if kind == PtrmapType::OverflowFirst {
            return Ok(self.chain_start(parent, no)?.0);
        }
        let page = self.page(parent)?;
        let header = self.header(&page, parent)?;
        if header.kind.is_leaf() {
            return Err(corrupt(parent, NOT_THE_PARENT));
        }
        for index in 0..usize::from(header.cell_count) {
            let at = cell_pointer(&page, header.pointers_at(), index);
            let at = at.ok_or_else(|| corrupt(parent, "cell pointer outside the page"))?;
            if cell::left_child(&page, at) == Some(no) {
                return Ok(at);
            }
        }
        if right_child(&page, header.at) == Some(no) {
            return Ok(header.at + RIGHT_CHILD_AT);
        }
        Err(corrupt(parent, NOT_THE_PARENT))
    }
}

const NOT_THE_PARENT: &str = "pointer map names a parent that does not point to the page";
