//! A walk over the pages of one B-tree, decoded directly from their bytes.
//!
//! ```text
//!   page: | header 8 or 12 | cell pointers 2 each | gap | cells … |     page 1 has the database's header in front, 100 bytes
//!   header: type 1, first freeblock 2, cells 2, content 2, fragments 1, right child 4 (interior pages only)
//! ```
//!
//! A damaged page is reported as `corrupted`, and the walk continues after it.

use std::fmt::Write as _;

use lithe_vtab::{FunctionError, Grow, OutOfMemory, PageAccess, Result, code};

/// The deepest tree.
const DEPTH_MAX: usize = 32;
/// The length of the database header on page 1.
const DATABASE_HEADER: usize = 100;

/// The statistics of a page.
#[derive(Clone, Debug, Default)]
pub struct PageInfo {
    pub number: u32,
    pub kind: &'static str,
    pub cells: i64,
    pub payload: i64,
    pub unused: i64,
    pub payload_max: i64,
}

/// A cell: its left child, and its payload.
#[derive(Clone, Default)]
struct Cell {
    child: u32,
    local: usize,
    /// Its overflow chain: the first page, and the bytes on all pages of it.
    overflow: u32,
    rest: usize,
}

struct Node {
    info: PageInfo,
    cells: Vec<Cell>,
    right: u32,
}

/// A level of the path down the tree: a page, and its next cell.
struct Level {
    cells: Vec<Cell>,
    right: u32,
    next: usize,
    /// The cell, or the right child, to which the walk has gone.
    at: usize,
}

/// The walk: each page, then its overflow chains and children from left to right.
pub struct Walk {
    levels: Vec<Level>,
    root: Option<u32>,
    /// The current overflow chain: the next page, its index in the chain, the bytes left.
    chain: Option<(u32, u32, usize)>,
    /// The index of the page in its overflow chain, if the walk stands on one.
    overflow: Option<u32>,
    /// Lists of cells to be used again.
    spare: Vec<Vec<Cell>>,
    bytes: Vec<u8>,
}

impl Walk {
    /// A walk over the tree at `root`.
    pub fn new(root: u32) -> Walk {
        let root = Some(root);
        Walk { levels: Vec::new(), root, chain: None, overflow: None, spare: Vec::new(), bytes: Vec::new() }
    }

    /// The next page.
    pub fn next(&mut self, pages: &dyn PageAccess) -> Result<Option<PageInfo>> {
        if let Some(root) = self.root.take() {
            return self.enter(pages, root).map(Some);
        }
        loop {
            if self.chain.is_some() {
                return self.next_of_chain(pages).map(Some);
            }
            let Some(level) = self.levels.last_mut() else { return Ok(None) };
            let at = level.next;
            (level.at, level.next) = (at, at + 1);
            if let Some(cell) = level.cells.get(at).cloned() {
                if cell.overflow != 0 {
                    self.chain = Some((cell.overflow, 0, cell.rest));
                }
                if cell.child != 0 {
                    // The overflow pages of an interior page's cell come before the cell's child.
                    if self.chain.is_some() {
                        if let Some(cell) = level.cells.get_mut(at) {
                            cell.overflow = 0;
                        }
                        level.next = at;
                        continue;
                    }
                    return self.enter(pages, cell.child).map(Some);
                }
            } else if at == level.cells.len() && level.right != 0 {
                let right = level.right;
                return self.enter(pages, right).map(Some);
            } else {
                self.spare.extend(self.levels.pop().map(|level| level.cells));
            }
        }
    }

    /// The place of the page in the tree: `/`, `/000/`, `/000/00a+000001`.
    pub fn path(&self) -> String {
        let mut path = String::from("/");
        // The walk has left the cell that leads to the page on which it stands.
        let above = if self.overflow.is_some() { self.levels.len() } else { self.levels.len().saturating_sub(1) };
        for (depth, level) in self.levels.iter().take(above).enumerate() {
            let _ = write!(path, "{:03x}", level.at);
            match self.overflow.filter(|_| depth + 1 == above) {
                Some(index) => drop(write!(path, "+{index:06x}")),
                None => path.push('/'),
            }
        }
        path
    }

    fn enter(&mut self, pages: &dyn PageAccess, number: u32) -> Result<PageInfo> {
        if self.levels.len() >= DEPTH_MAX {
            return Err(FunctionError::of_code(code::CORRUPT));
        }
        pages.read(number, &mut self.bytes)?;
        let cells = self.spare.pop().unwrap_or_default();
        let node = decode(&self.bytes, number, pages.usable_size(), cells)?;
        let info = PageInfo { number, ..node.info };
        self.overflow = None;
        self.levels.push(Level { cells: node.cells, right: node.right, next: 0, at: 0 });
        Ok(info)
    }

    fn next_of_chain(&mut self, pages: &dyn PageAccess) -> Result<PageInfo> {
        let (number, index, rest) = self.chain.take().ok_or_else(|| FunctionError::of_code(code::INTERNAL))?;
        pages.read(number, &mut self.bytes)?;
        let capacity = pages.usable_size() - 4;
        let payload = rest.min(capacity);
        let next = u32_at(&self.bytes, 0);
        if rest > capacity && next != 0 {
            self.chain = Some((next, index + 1, rest - capacity));
        }
        self.overflow = Some(index);
        Ok(PageInfo {
            number,
            kind: "overflow",
            payload: payload as i64,
            unused: (capacity - payload) as i64,
            ..PageInfo::default()
        })
    }
}

fn u16_at(bytes: &[u8], at: usize) -> usize {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |two| usize::from(u16::from_be_bytes(*two)))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |four| u32::from_be_bytes(*four))
}

/// A varint of one to nine bytes, and the offset after it.
fn varint(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let mut value = 0;
    for (count, byte) in bytes.get(at..)?.iter().enumerate() {
        if count == 8 {
            return Some((value << 8 | u64::from(*byte), at + 9));
        }
        value = value << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, at + count + 1));
        }
    }
    None
}

fn decode(bytes: &[u8], number: u32, usable: usize, mut cells: Vec<Cell>) -> Result<Node, OutOfMemory> {
    cells.clear();
    cells.try_grow(cell_count(bytes, number))?;
    Ok(decode_sound(bytes, number, usable, cells).unwrap_or_else(|| Node {
        info: PageInfo { kind: "corrupted", ..PageInfo::default() },
        cells: Vec::new(),
        right: 0,
    }))
}

/// The number of cells that a page's header has.
fn cell_count(bytes: &[u8], number: u32) -> usize {
    u16_at(bytes, start_of(number) + 3)
}

/// Where a page's own header is.
fn start_of(number: u32) -> usize {
    if number == 1 { DATABASE_HEADER } else { 0 }
}

/// Decodes a page; `cells` has space for its cells.
fn decode_sound(bytes: &[u8], number: u32, usable: usize, cells: Vec<Cell>) -> Option<Node> {
    let start = start_of(number);
    let bytes = bytes.get(..usable)?;
    let kind = *bytes.get(start)?;
    let (is_leaf, is_index) = match kind {
        0x02 => (false, true),
        0x05 => (false, false),
        0x0a => (true, true),
        0x0d => (true, false),
        _ => return None,
    };
    let header = if is_leaf { 8 } else { 12 };
    let count = cell_count(bytes, number);
    let pointers = start + header;
    let mut content = u16_at(bytes, start + 5);
    if content == 0 {
        content = 65536;
    }
    let mut unused = content.checked_sub(pointers + 2 * count)? + usize::from(*bytes.get(start + 7)?);
    unused += free_bytes(bytes, u16_at(bytes, start + 1))?;
    let mut node = Node { info: PageInfo::default(), cells, right: 0 };
    for index in 0..count {
        let at = u16_at(bytes, pointers + 2 * index);
        let cell = cell_at(bytes, at, is_leaf, is_index)?;
        node.info.payload += cell.local as i64;
        node.info.payload_max = node.info.payload_max.max((cell.local + cell.rest) as i64);
        node.cells.push(cell);
    }
    node.right = if is_leaf { 0 } else { u32_at(bytes, start + 8) };
    node.info.kind = if is_leaf { "leaf" } else { "internal" };
    node.info.cells = count as i64;
    node.info.unused = unused as i64;
    Some(node)
}

/// The total bytes of the freeblocks; each block has the offset of the next and its own length.
fn free_bytes(bytes: &[u8], first: usize) -> Option<usize> {
    let (mut at, mut total) = (first, 0);
    while at != 0 {
        let next = u16_at(bytes, at);
        total += u16_at(bytes, at + 2);
        if at + 4 > bytes.len() || next != 0 && next <= at {
            return None;
        }
        at = next;
    }
    Some(total)
}

fn cell_at(bytes: &[u8], mut at: usize, is_leaf: bool, is_index: bool) -> Option<Cell> {
    if at == 0 || at >= bytes.len() {
        return None;
    }
    let mut cell = Cell::default();
    if !is_leaf {
        cell.child = u32_at(bytes, at);
        at += 4;
        if !is_index {
            return Some(cell);
        }
    }
    let (payload, end) = varint(bytes, at)?;
    at = end;
    if !is_index {
        at = varint(bytes, at)?.1;
    }
    let (payload, usable) = (usize::try_from(payload).ok()?, bytes.len());
    cell.local = local_len(payload, usable, is_index);
    if cell.local < payload {
        cell.rest = payload - cell.local;
        let link = at + cell.local;
        cell.overflow = u32_at(bytes.get(..link + 4)?, link);
    }
    Some(cell)
}

/// The bytes of a payload that are on the page itself.
fn local_len(payload: usize, usable: usize, is_index: bool) -> usize {
    let max = if is_index { (usable - 12) * 64 / 255 - 23 } else { usable - 35 };
    if payload <= max {
        return payload;
    }
    let min = (usable - 12) * 32 / 255 - 23;
    let local = min + (payload - min) % (usable - 4);
    if local <= max { local } else { min }
}
