//! The rows of `x_segdir` and `x_segments`.
//!
//! | column of `x_segdir` | segment that is its root | otherwise |
//! | --- | --- | --- |
//! | start_block | 0 | the first leaf |
//! | leaves_end_block | 0 | the last leaf |
//! | end_block | `0 SIZE` | `END SIZE`: the last block, a space, the bytes of the leaves (negative in an unfinished merge) |
//! | root | the leaf | the topmost interior node |

use lithe_value::Grow;
use lithe_value::grow::copied;
use lithe_vtab::{FunctionError, Kept, Names, SqlConnection, ValueRef};

use crate::storage::run;
use crate::{Result, corrupt};

/// The statements, compiled at their first use.
#[derive(Debug)]
pub struct Store {
    of_level: Kept,
    of_levels: Kept,
    max_level: Kept,
    next_index: Kept,
    next_block: Kept,
    block: Kept,
    long_blocks: Kept,
    put_block: Kept,
    delete_blocks: Kept,
    put_segment: Kept,
    delete_level: Kept,
    delete_levels: Kept,
    move_segment: Kept,
    move_level: Kept,
    languages: Kept,
    level_to_merge: Kept,
    height: Kept,
    delete_segment: Kept,
    indexes: Kept,
    renumber: Kept,
    trim: Kept,
}

/// A segment, as stored in `x_segdir`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Its absolute level.
    pub level: i64,
    /// Its place in the level: higher ones are newer.
    pub index: i64,
    /// The first leaf, or 0.
    pub start_block: i64,
    /// The last leaf, or 0.
    pub leaves_end_block: i64,
    /// The last block.
    pub end_block: i64,
    /// The bytes of the leaves; 0 if unknown, negative while the segment is being merged.
    pub leaf_bytes: i64,
    /// The root.
    pub root: Vec<u8>,
}

impl Segment {
    /// The number of leaves. A segment that consists of its root has one.
    pub fn leaves(&self) -> i64 {
        match self.start_block {
            0 => 1,
            start => self.leaves_end_block.saturating_sub(start).saturating_add(1),
        }
    }
}

const COLUMNS: &str = "level, idx, start_block, leaves_end_block, end_block, root";

impl Store {
    /// The statements of a table.
    pub fn new(names: &Names) -> Store {
        let (segdir, segments) = (names.shadow("segdir"), names.shadow("segments"));
        let kept = |sql: String| Kept::new(sql);
        Store {
            of_level: kept(format!("SELECT {COLUMNS} FROM {segdir} WHERE level=?1 ORDER BY idx ASC")),
            of_levels: kept(format!(
                "SELECT {COLUMNS} FROM {segdir} WHERE level BETWEEN ?1 AND ?2 ORDER BY level DESC, idx ASC"
            )),
            max_level: kept(format!("SELECT max(level) FROM {segdir} WHERE level BETWEEN ?1 AND ?2")),
            next_index: kept(format!("SELECT (SELECT max(idx) FROM {segdir} WHERE level=?1) + 1")),
            next_block: kept(format!("SELECT coalesce((SELECT max(blockid) FROM {segments}) + 1, 1)")),
            block: kept(format!("SELECT block FROM {segments} WHERE blockid=?1")),
            long_blocks: kept(format!(
                "SELECT length(block) FROM {segments} WHERE blockid BETWEEN ?1 AND ?2 AND length(block)>?3"
            )),
            put_block: kept(format!("REPLACE INTO {segments}(blockid, block) VALUES(?1, ?2)")),
            delete_blocks: kept(format!("DELETE FROM {segments} WHERE blockid BETWEEN ?1 AND ?2")),
            put_segment: kept(format!("REPLACE INTO {segdir} VALUES(?1,?2,?3,?4,?5,?6)")),
            delete_level: kept(format!("DELETE FROM {segdir} WHERE level=?1")),
            delete_levels: kept(format!("DELETE FROM {segdir} WHERE level BETWEEN ?1 AND ?2")),
            move_segment: kept(format!("UPDATE {segdir} SET level=-1, idx=?1 WHERE level=?2 AND idx=?3")),
            move_level: kept(format!("UPDATE {segdir} SET level=?1 WHERE level=-1")),
            languages: kept(format!("SELECT DISTINCT level / ?1 FROM {segdir} ORDER BY 1")),
            level_to_merge: kept(format!(
                "SELECT level, count(*) AS cnt FROM {segdir} GROUP BY level HAVING cnt>=?1
                 ORDER BY (level % 1024) ASC, 2 DESC LIMIT 1"
            )),
            height: kept(format!("SELECT max(level % 1024) FROM {segdir}")),
            delete_segment: kept(format!("DELETE FROM {segdir} WHERE level=?1 AND idx=?2")),
            indexes: kept(format!("SELECT idx FROM {segdir} WHERE level=?1 ORDER BY 1 ASC")),
            renumber: kept(format!("UPDATE {segdir} SET idx=?1 WHERE level=?2 AND idx=?3")),
            trim: kept(format!("UPDATE {segdir} SET start_block=?1, root=?2 WHERE level=?3 AND idx=?4")),
        }
    }

    /// The lengths of those blocks from `first` to `last` that are longer than `than`.
    ///
    /// # Errors
    /// Those of reading.
    pub fn long_blocks(
        &self,
        connection: &dyn SqlConnection,
        (first, last): (i64, i64),
        than: i64,
    ) -> Result<Vec<i64>> {
        let mut statement = connection.statement(&self.long_blocks).map_err(FunctionError::silent)?;
        for (number, value) in (1..).zip([first, last, than]) {
            statement.bind(number, ValueRef::Integer(value))?;
        }
        let mut lens = Vec::new();
        while statement.step().map_err(FunctionError::silent)? {
            lens.try_push(lithe_value::cast::to_integer(statement.column(0)))?;
        }
        Ok(lens)
    }

    /// The segments of one level, the oldest first.
    ///
    /// # Errors
    /// Those of reading.
    pub fn level(&self, connection: &dyn SqlConnection, level: i64) -> Result<Vec<Segment>> {
        segments(connection, &self.of_level, &[level])
    }

    /// The segments of levels from `first` to `last`, the oldest first.
    ///
    /// # Errors
    /// Those of reading.
    pub fn levels(&self, connection: &dyn SqlConnection, first: i64, last: i64) -> Result<Vec<Segment>> {
        segments(connection, &self.of_levels, &[first, last])
    }

    /// The highest level from `first` to `last` that has segments.
    ///
    /// # Errors
    /// Those of reading.
    pub fn max_level(&self, connection: &dyn SqlConnection, first: i64, last: i64) -> Result<Option<i64>> {
        integer(connection, &self.max_level, &[first, last])
    }

    /// The index for the next segment of a level.
    ///
    /// # Errors
    /// Those of reading.
    pub fn next_index(&self, connection: &dyn SqlConnection, level: i64) -> Result<i64> {
        Ok(integer(connection, &self.next_index, &[level])?.unwrap_or(0))
    }

    /// The number after that of the last block.
    ///
    /// # Errors
    /// Those of reading.
    pub fn next_block(&self, connection: &dyn SqlConnection) -> Result<i64> {
        Ok(integer(connection, &self.next_block, &[])?.unwrap_or(1))
    }

    /// The languages that have segments, if each has `levels` levels.
    ///
    /// # Errors
    /// Those of reading.
    pub fn languages(&self, connection: &dyn SqlConnection, levels: i64) -> Result<Vec<i32>> {
        let mut statement = connection.statement(&self.languages).map_err(FunctionError::silent)?;
        statement.bind(1, ValueRef::Integer(levels))?;
        let mut found = Vec::new();
        while statement.step().map_err(FunctionError::silent)? {
            found.try_push(lithe_value::cast::to_integer(statement.column(0)) as i32)?;
        }
        Ok(found)
    }

    /// Reads a block.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB if the block is missing; those of reading.
    pub fn block(&self, connection: &dyn SqlConnection, block: i64) -> Result<Vec<u8>> {
        let mut statement = connection.statement(&self.block).map_err(FunctionError::silent)?;
        statement.bind(1, ValueRef::Integer(block))?;
        match if statement.step().map_err(FunctionError::silent)? { statement.column(0) } else { ValueRef::Null } {
            ValueRef::Blob(bytes) | ValueRef::Text(bytes) => Ok(copied(bytes)?),
            _ => Err(corrupt()),
        }
    }

    /// Whether the block exists and is NULL.
    ///
    /// # Errors
    /// Those of reading.
    pub fn is_empty_block(&self, connection: &dyn SqlConnection, block: i64) -> Result<bool> {
        let mut statement = connection.statement(&self.block).map_err(FunctionError::silent)?;
        statement.bind(1, ValueRef::Integer(block))?;
        Ok(statement.step().map_err(FunctionError::silent)? && statement.column(0).is_null())
    }

    /// Writes a block; None writes NULL.
    ///
    /// # Errors
    /// Those of writing.
    pub fn put_block(&self, connection: &dyn SqlConnection, block: i64, bytes: Option<&[u8]>) -> Result {
        run(connection, &self.put_block, &[ValueRef::Integer(block), bytes.map_or(ValueRef::Null, ValueRef::Blob)])
    }

    /// Deletes blocks.
    ///
    /// # Errors
    /// Those of writing.
    pub fn delete_blocks(&self, connection: &dyn SqlConnection, first: i64, last: i64) -> Result {
        run(connection, &self.delete_blocks, &[ValueRef::Integer(first), ValueRef::Integer(last)])
    }

    /// Writes a segment's row.
    ///
    /// # Errors
    /// Those of writing.
    pub fn put_segment(&self, connection: &dyn SqlConnection, segment: &Segment) -> Result {
        let end = format!("{} {}", segment.end_block, segment.leaf_bytes);
        let end = match segment.leaf_bytes {
            0 => ValueRef::Integer(segment.end_block),
            _ => ValueRef::Text(end.as_bytes()),
        };
        let all = [
            ValueRef::Integer(segment.level),
            ValueRef::Integer(segment.index),
            ValueRef::Integer(segment.start_block),
            ValueRef::Integer(segment.leaves_end_block),
            end,
            ValueRef::Blob(&segment.root),
        ];
        run(connection, &self.put_segment, &all)
    }

    /// The lowest level with at least `least` segments, and their number; among equals the one with most segments.
    ///
    /// # Errors
    /// Those of reading.
    pub fn level_to_merge(&self, connection: &dyn SqlConnection, least: i64) -> Result<Option<(i64, i64)>> {
        let mut statement = connection.statement(&self.level_to_merge).map_err(FunctionError::silent)?;
        statement.bind(1, ValueRef::Integer(least))?;
        if !statement.step().map_err(FunctionError::silent)? {
            return Ok(None);
        }
        let integer = |column: usize| lithe_value::cast::to_integer(statement.column(column));
        Ok(Some((integer(0), integer(1))))
    }

    /// The highest level of any index.
    ///
    /// # Errors
    /// Those of reading.
    pub fn height(&self, connection: &dyn SqlConnection) -> Result<i64> {
        Ok(integer(connection, &self.height, &[])?.unwrap_or(0))
    }

    /// Deletes the row of one segment.
    ///
    /// # Errors
    /// Those of writing.
    pub fn delete_segment(&self, connection: &dyn SqlConnection, level: i64, index: i64) -> Result {
        run(connection, &self.delete_segment, &[level, index].map(ValueRef::Integer))
    }

    /// Gives the segments of a level the indexes from 0 on.
    ///
    /// # Errors
    /// Those of writing.
    pub fn renumber(&self, connection: &dyn SqlConnection, level: i64) -> Result {
        let mut found = Vec::new();
        let mut statement = connection.statement(&self.indexes).map_err(FunctionError::silent)?;
        statement.bind(1, ValueRef::Integer(level))?;
        while statement.step().map_err(FunctionError::silent)? {
            found.try_push(lithe_value::cast::to_integer(statement.column(0)))?;
        }
        drop(statement);
        for (index, old) in (0..).zip(found).filter(|(index, old)| index != old) {
            run(connection, &self.renumber, &[index, level, old].map(ValueRef::Integer))?;
        }
        Ok(())
    }

    /// Sets the first leaf and the root of a segment whose first terms were deleted.
    ///
    /// # Errors
    /// Those of writing.
    pub fn trim_segment(&self, connection: &dyn SqlConnection, segment: &Segment, start: i64, root: &[u8]) -> Result {
        let (level, index) = (ValueRef::Integer(segment.level), ValueRef::Integer(segment.index));
        run(connection, &self.trim, &[ValueRef::Integer(start), ValueRef::Blob(root), level, index])
    }

    /// Deletes the blocks of a segment.
    ///
    /// # Errors
    /// Those of writing.
    pub fn delete_blocks_of(&self, connection: &dyn SqlConnection, segment: &Segment) -> Result {
        match segment.start_block {
            0 => Ok(()),
            start => self.delete_blocks(connection, start, segment.end_block),
        }
    }

    /// Deletes the rows of a level's segments.
    ///
    /// # Errors
    /// Those of writing.
    pub fn delete_level(&self, connection: &dyn SqlConnection, level: i64) -> Result {
        run(connection, &self.delete_level, &[ValueRef::Integer(level)])
    }

    /// Deletes the rows of all segments from level `first` to `last`.
    ///
    /// # Errors
    /// Those of writing.
    pub fn delete_levels(&self, connection: &dyn SqlConnection, first: i64, last: i64) -> Result {
        run(connection, &self.delete_levels, &[ValueRef::Integer(first), ValueRef::Integer(last)])
    }

    /// Moves these segments to one level, in this order.
    ///
    /// # Errors
    /// Those of writing.
    pub fn gather(&self, connection: &dyn SqlConnection, segments: &[Segment], level: i64) -> Result {
        for (index, segment) in (0..).zip(segments) {
            let all = [index, segment.level, segment.index].map(ValueRef::Integer);
            run(connection, &self.move_segment, &all)?;
        }
        run(connection, &self.move_level, &[ValueRef::Integer(level)])
    }
}

fn integer(connection: &dyn SqlConnection, kept: &Kept, values: &[i64]) -> Result<Option<i64>> {
    let mut statement = connection.statement(kept).map_err(FunctionError::silent)?;
    for (number, value) in (1..).zip(values) {
        statement.bind(number, ValueRef::Integer(*value))?;
    }
    if !statement.step().map_err(FunctionError::silent)? {
        return Ok(None);
    }
    let value = statement.column(0);
    Ok((!value.is_null()).then(|| lithe_value::cast::to_integer(value)))
}

fn segments(connection: &dyn SqlConnection, kept: &Kept, values: &[i64]) -> Result<Vec<Segment>> {
    let mut statement = connection.statement(kept).map_err(FunctionError::silent)?;
    for (number, value) in (1..).zip(values) {
        statement.bind(number, ValueRef::Integer(*value))?;
    }
    let mut found = Vec::new();
    while statement.step().map_err(FunctionError::silent)? {
        let integer = |column: usize| lithe_value::cast::to_integer(statement.column(column));
        let (end_block, leaf_bytes) = end_field(statement.column(4));
        let root = match statement.column(5) {
            ValueRef::Blob(bytes) | ValueRef::Text(bytes) => copied(bytes)?,
            ValueRef::Null => Vec::new(),
            _ => return Err(corrupt()),
        };
        found.try_push(Segment {
            level: integer(0),
            index: integer(1),
            start_block: integer(2),
            leaves_end_block: integer(3),
            end_block,
            leaf_bytes,
            root,
        })?;
    }
    Ok(found)
}

/// The last block and the bytes of the leaves, from `end_block`.
fn end_field(value: ValueRef<'_>) -> (i64, i64) {
    let text = lithe_value::cast::to_text(value);
    let (end, size) = text.split_at(text.iter().take_while(|byte| byte.is_ascii_digit()).count());
    let integer = |digits: &[u8]| lithe_value::cast::to_integer(ValueRef::Text(digits));
    let size: Vec<u8> = size.iter().copied().skip_while(|byte| *byte == b' ').collect();
    (integer(end), integer(&size))
}
