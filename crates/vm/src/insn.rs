//! The instruction set: one table entry holds an instruction's name, operands and meaning.
//!
//! Names follow the field's (SQLite's documented opcodes) where the meaning is the same. Conventions:
//!
//! * `Reg` operands named `start`/`count` mean the registers `start .. start + count`.
//! * `target` is where to jump; without a jump the next instruction runs.
//! * A cursor's static description (database, root page, key description, column count, defaults) stand in
//!   [`crate::program::CursorInfo`], indexed by [`CursorId`]: the instructions stay 16 bytes.
//! * Registers filled by `Column` may borrow from the cursor's page. They stay valid when the cursor moves
//!   (they keep a reference to the page), so no instruction needs to "unborrow" before moving on.
//! * "seek key" means registers that are compared, column by column, with the cursor's key under its `KeyInfo`.

use crate::operand::{
    Addr, AffinityListId, AggregateId, CallId, CollationId, CompareFlags, ConstId, CursorId, Db, Extent, Operand,
    OperandText, Reg, ScanId, Sequence, SubprogramId, TextId, VirtualId,
};

macro_rules! instructions {
    ($( $(#[doc = $doc:literal])* $name:ident { $( $field:ident : $ty:ty ),* $(,)? } )*) => {
        /// One instruction of a program: 16 bytes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Insn { $( $(#[doc = $doc])* $name { $( #[allow(missing_docs)] $field : $ty ),* } ),* }

        impl Insn {
            /// The instruction's name, as EXPLAIN prints it.
            pub fn name(&self) -> &'static str {
                match self { $( Insn::$name { .. } => stringify!($name) ),* }
            }

            /// What the instruction does: its entry in the table, for documentation and EXPLAIN.
            pub fn doc(&self) -> &'static str {
                match self { $( Insn::$name { .. } => concat!($($doc, "\n"),*) ),* }
            }

            /// Every operand with its name, in order, for EXPLAIN.
            pub fn operands(&self) -> Vec<(&'static str, OperandText)> {
                match self { $( Insn::$name { $($field),* } => vec![ $( (stringify!($field), $field.explain()) ),* ] ),* }
            }

            /// Calls `f` on every jump target: how labels become addresses.
            #[inline]
            pub(crate) fn for_each_target(&mut self, mut f: impl FnMut(&mut Addr)) {
                let f: &mut dyn FnMut(&mut Addr) = &mut f;
                match self { $( Insn::$name { $($field),* } => { $( $field.visit_target(f); )* let _ = &f; } ),* }
            }
        }
    };
}

const _: () = assert!(size_of::<Insn>() == 16);

instructions! {
    // ---- control ----
    /// Jump to `target`.
    Goto { target: Addr }
    /// Store the return address in `ret` and jump to `target`.
    Gosub { ret: Reg, target: Addr }
    /// Jump to the address kept in `ret` (by Gosub).
    Return { ret: Reg }
    /// Make `co` a coroutine that starts at `entry`; continue at `target`.
    InitCoroutine { co: Reg, entry: Addr, target: Addr }
    /// Swap the program counter with the address in the coroutine register `co`. When the coroutine
    /// ended (EndCoroutine), jump to `target` instead.
    Yield { co: Reg, target: Addr }
    /// End of a coroutine: go back to the caller's Yield and take its `target`.
    EndCoroutine { co: Reg }
    /// The first time in one run of the program (or of this invocation of a subprogram) fall through, later jump to `target`.
    Once { target: Addr }
    /// End of the program: every statement ends with one. Closes cursors and commits an autocommit transaction.
    Halt {}
    /// End with an error: extended result code `code`, conflict policy `policy` (an `OnConflict` byte: rollback, abort,
    /// fail; ignore in a trigger's subprogram leaves it quietly) and the message `message`.
    HaltError { policy: u8, code: i32, message: TextId }
    /// As HaltError, with the message in register `message` (RAISE with an expression; numbers become text).
    HaltErrorReg { policy: u8, code: i32, message: Reg }
    /// HaltError when register `value` is NULL (a NOT NULL constraint).
    HaltIfNull { policy: u8, value: Reg, code: i32, message: TextId }
    /// Give a result row: registers `start..start+count`. The program stops here until the next step.
    ResultRow { start: Reg, count: u32 }
    /// End of a statement inside a trigger: from here on changes() reports the rows that it changed.
    ResetCount {}
    /// Do nothing. (The builder uses it as a placeholder, EXPLAIN as a mark.)
    Noop {}

    // ---- values ----
    /// Set the registers `start..start+count` to NULL.
    Null { start: Reg, count: u32 }
    /// A NULL that compares unequal to itself under NULL_EQ: marks "no group yet". `start..start+count`.
    NullNever { start: Reg, count: u32 }
    /// Put the small integer `value` into `dst`.
    Integer { value: i32, dst: Reg }
    /// Put the constant `value` into `dst`.
    Const { value: ConstId, dst: Reg }
    /// Put the bound parameter `number` (1-based) into `dst`.
    Parameter { number: u32, dst: Reg }
    /// Put the value of register `src` of the enclosing program's frame into `dst` (OLD and NEW in a trigger).
    ParentRegister { src: Reg, dst: Reg }
    /// Copy registers `src..src+count` to `dst..dst+count`.
    Copy { src: Reg, dst: Reg, count: u32 }
    /// Move registers `src..src+count` to `dst..dst+count`; the sources become NULL.
    Move { src: Reg, dst: Reg, count: u32 }
    /// CAST the value of `reg` to the affinity `affinity` (an `Affinity` byte), by the rules of CAST.
    Cast { affinity: u8, reg: Reg }
    /// Apply one affinity each to the registers `start..`: `affinities` is the list.
    Affinity { start: Reg, affinities: AffinityListId }
    /// An integer in `reg` becomes a real (columns with REAL affinity are stored as integers when they can be).
    RealAffinity { reg: Reg }
    /// STRICT tables: check the registers `start..` against the column types of table cursor `cursor`; error SQLITE_CONSTRAINT_DATATYPE.
    TypeCheck { cursor: CursorId, start: Reg, count: u32 }
    /// Change `reg` to an integer if that loses nothing; else jump to `target`; when `target` is [`Addr::NONE`] the error is
    /// "datatype mismatch".
    MustBeInteger { reg: Reg, target: Addr }
    /// Turn `dst` into 1 or 0: is `src` true (not 0 as a number)? NULL gives `null_gives`. With `invert` 1, false/true are
    /// swapped (IS FALSE, IS NOT TRUE…).
    IsTrue { null_gives: u8, invert: u8, src: Reg, dst: Reg }

    // ---- arithmetic: dst = lhs op rhs, NULL if an operand is NULL ----
    /// dst = lhs + rhs
    Add { lhs: Reg, rhs: Reg, dst: Reg }
    /// dst = lhs - rhs
    Subtract { lhs: Reg, rhs: Reg, dst: Reg }
    /// dst = lhs * rhs
    Multiply { lhs: Reg, rhs: Reg, dst: Reg }
    /// dst = lhs / rhs (NULL when rhs is 0)
    Divide { lhs: Reg, rhs: Reg, dst: Reg }
    /// dst = lhs % rhs (NULL when rhs is 0)
    Remainder { lhs: Reg, rhs: Reg, dst: Reg }
    /// dst = lhs || rhs
    Concat { lhs: Reg, rhs: Reg, dst: Reg }
    /// dst = lhs & rhs
    BitAnd { lhs: Reg, rhs: Reg, dst: Reg }
    /// dst = lhs | rhs
    BitOr { lhs: Reg, rhs: Reg, dst: Reg }
    /// dst = lhs << rhs
    ShiftLeft { lhs: Reg, rhs: Reg, dst: Reg }
    /// dst = lhs >> rhs
    ShiftRight { lhs: Reg, rhs: Reg, dst: Reg }
    /// dst = -src
    Negate { src: Reg, dst: Reg }
    /// dst = ~src
    BitNot { src: Reg, dst: Reg }
    /// dst = NOT src
    Not { src: Reg, dst: Reg }
    /// dst = lhs AND rhs, three-valued
    And { lhs: Reg, rhs: Reg, dst: Reg }
    /// dst = lhs OR rhs, three-valued
    Or { lhs: Reg, rhs: Reg, dst: Reg }
    /// Add the small integer `value` to the integer in `reg`.
    AddImmediate { reg: Reg, value: i32 }

    // ---- comparison and branches ----
    /// Jump if lhs = rhs.
    Eq { flags: CompareFlags, collation: CollationId, lhs: Reg, rhs: Reg, target: Addr }
    /// Jump if lhs <> rhs.
    Ne { flags: CompareFlags, collation: CollationId, lhs: Reg, rhs: Reg, target: Addr }
    /// Jump if lhs < rhs.
    Lt { flags: CompareFlags, collation: CollationId, lhs: Reg, rhs: Reg, target: Addr }
    /// Jump if lhs <= rhs.
    Le { flags: CompareFlags, collation: CollationId, lhs: Reg, rhs: Reg, target: Addr }
    /// Jump if lhs > rhs.
    Gt { flags: CompareFlags, collation: CollationId, lhs: Reg, rhs: Reg, target: Addr }
    /// Jump if lhs >= rhs.
    Ge { flags: CompareFlags, collation: CollationId, lhs: Reg, rhs: Reg, target: Addr }
    /// dst = lhs = rhs as 1, 0 or NULL (with the NULL_EQ flag: IS, never NULL). And so on below.
    EqValue { flags: CompareFlags, collation: CollationId, lhs: Reg, rhs: Reg, dst: Reg }
    /// dst = lhs <> rhs
    NeValue { flags: CompareFlags, collation: CollationId, lhs: Reg, rhs: Reg, dst: Reg }
    /// dst = lhs < rhs
    LtValue { flags: CompareFlags, collation: CollationId, lhs: Reg, rhs: Reg, dst: Reg }
    /// dst = lhs <= rhs
    LeValue { flags: CompareFlags, collation: CollationId, lhs: Reg, rhs: Reg, dst: Reg }
    /// dst = lhs > rhs
    GtValue { flags: CompareFlags, collation: CollationId, lhs: Reg, rhs: Reg, dst: Reg }
    /// dst = lhs >= rhs
    GeValue { flags: CompareFlags, collation: CollationId, lhs: Reg, rhs: Reg, dst: Reg }
    /// Jump if column `column` of the row under `cursor` = rhs: Column and Eq in one, without the register between them. The
    /// builder makes these when the register is freed right after the comparison. With the flag REAL_COLUMN the column is read as
    /// ColumnReal reads it.
    ColumnEq { flags: CompareFlags, collation: CollationId, cursor: CursorId, column: u16, rhs: Reg, target: Addr }
    /// Jump if the column <> rhs.
    ColumnNe { flags: CompareFlags, collation: CollationId, cursor: CursorId, column: u16, rhs: Reg, target: Addr }
    /// Jump if the column < rhs.
    ColumnLt { flags: CompareFlags, collation: CollationId, cursor: CursorId, column: u16, rhs: Reg, target: Addr }
    /// Jump if the column <= rhs.
    ColumnLe { flags: CompareFlags, collation: CollationId, cursor: CursorId, column: u16, rhs: Reg, target: Addr }
    /// Jump if the column > rhs.
    ColumnGt { flags: CompareFlags, collation: CollationId, cursor: CursorId, column: u16, rhs: Reg, target: Addr }
    /// Jump if the column >= rhs.
    ColumnGe { flags: CompareFlags, collation: CollationId, cursor: CursorId, column: u16, rhs: Reg, target: Addr }
    /// Jump if the column is NULL: only its type is read.
    ColumnIsNull { cursor: CursorId, column: u16, target: Addr }
    /// Jump if the column is not NULL.
    ColumnNotNull { cursor: CursorId, column: u16, target: Addr }
    /// Compare the vectors `lhs..` and `rhs..` under the key description of cursor info `key` (its KeyInfo; NULLs equal)
    /// and keep the ordering for the following Jump.
    CompareVectors { key: CursorId, lhs: Reg, rhs: Reg, count: u32 }
    /// Jump by the last CompareVectors.
    Jump { less: Addr, equal: Addr, greater: Addr }
    /// Jump if `reg` is true; if it is NULL, jump when `null_jumps` is 1.
    If { null_jumps: u8, reg: Reg, target: Addr }
    /// Jump if `reg` is false; if it is NULL, jump when `null_jumps` is 1.
    IfNot { null_jumps: u8, reg: Reg, target: Addr }
    /// Jump if `reg` is NULL.
    IsNull { reg: Reg, target: Addr }
    /// Jump if `reg` is not NULL.
    NotNull { reg: Reg, target: Addr }
    /// Jump if any of the registers `start..start+count` is NULL.
    AnyNull { start: Reg, count: u32, target: Addr }
    /// Jump if the storage class of `reg` is not one of `classes`: a bit for each, in the order of `StorageClass`.
    ClassNotIn { classes: u8, reg: Reg, target: Addr }
    /// Jump if the integer in `reg` is above 0, and subtract `minus` from it then.
    IfPositive { reg: Reg, minus: u32, target: Addr }
    /// Subtract 1 from the integer in `reg`; jump if it is 0 now.
    DecrementJumpZero { reg: Reg, target: Addr }
    /// LIMIT + OFFSET into `dst`: -1 if the limit is negative or the sum overflows; a negative offset counts as 0.
    OffsetLimit { limit: Reg, offset: Reg, dst: Reg }

    // ---- transactions and schema ----
    /// Begin the statement's transaction on `db` (`write`: 1 write, 2 exclusive-capable) if none is open, and check the schema
    /// cookie against the one the program was compiled with (`Program::schema_cookies[db]`): a difference is SQLITE_SCHEMA (the
    /// engine recompiles).
    Transaction { db: Db, write: u8 }
    /// Statement journal: from here an ABORT undoes only this statement (emitted where a multi-row write may fail halfway).
    StatementJournal {}
    /// dst = the header's meta value `index` (SQLite's numbering: 1 schema cookie, 4 largest root, 5 encoding…) of `db`.
    ReadCookie { db: Db, index: u8, dst: Reg }
    /// Set the header's meta value `index` of `db` to the small integer `value`; index 1 also marks the schema as changed.
    SetCookie { db: Db, index: u8, value: i32 }
    /// Create a B-tree in `db` (`kind` 1 table, 2 index), its root page number into `dst`.
    CreateTree { db: Db, kind: u8, dst: Reg }
    /// Fail with SQLITE_LOCKED if another statement of the connection reads, because its tree must not be dropped.
    CheckNoReaders {}
    /// Fail with SQLITE_ABORT_ROLLBACK if the statement may open no more cursors. Emitted where SQLite opens a cursor that is open
    /// here already.
    CheckMayOpen {}
    /// Delete the B-tree at the root page number in the register `root`; the page that moved into its place (auto-vacuum) or 0
    /// goes to `moved`.
    DropTree { db: Db, root: Reg, moved: Reg }
    /// Delete all rows of cursor info `cursor`'s tree; the number of rows is added to the change count if `count_changes` is 1. No cursor of
    /// the program is on the tree if it is [`UNOPENED`](crate::operand::UNOPENED).
    ClearTree { count_changes: u8, cursor: CursorId }
    /// Load the schema rows of `db` that match the SQL condition `condition` (None: all) into the catalog.
    ParseSchema { db: Db, condition: TextId }
    /// Load the statistics that ANALYZE has written to `db` into the catalog.
    LoadStatistics { db: Db }
    /// Read the whole index under `cursor`: the text for sqlite_stat1 about its first `columns` columns into `dst`, samples as
    /// rows (nEq, nLt, nDLt, sample) into the temporary table `samples`. `is_one_unique` 1: it is unique, and has one column.
    AnalyzeIndex { is_one_unique: u8, cursor: CursorId, samples: CursorId, columns: u16, dst: Reg }
    /// Remove the table, index or trigger `name` (`kind` 0 table or view, 1 index, 2 trigger) of `db` from the catalog.
    DropFromCatalog { db: Db, kind: u8, name: TextId }

    // ---- cursors ----
    /// Open `cursor` (see its CursorInfo) for reading.
    OpenRead { cursor: CursorId }
    /// Open `cursor` for writing.
    OpenWrite { cursor: CursorId }
    /// Open `cursor` for writing on the root page number in register `root`.
    OpenWriteAt { cursor: CursorId, root: Reg }
    /// Open `cursor` as an empty temporary table or index (its CursorInfo says which, and whether order matters or a hash may
    /// serve). Opening it again empties it.
    OpenEphemeral { cursor: CursorId }
    /// Open `cursor` as a second cursor on the temporary table of `original`.
    OpenDup { cursor: CursorId, original: CursorId }
    /// Open `cursor` as a sorter. With `limit` not [`Reg::NONE`], it keeps only that many smallest rows (an integer;
    /// negative: all).
    SorterOpen { cursor: CursorId, limit: Reg }
    /// Close `cursor`.
    Close { cursor: CursorId }
    /// Cursor `cursor` gives NULL for every column from now on, until it moves (outer joins).
    NullRow { cursor: CursorId }
    /// Jump if `cursor` is on a null row (or is not open).
    IfNullRow { cursor: CursorId, target: Addr }
    /// Go to the first row; jump if there is none.
    Rewind { cursor: CursorId, target: Addr }
    /// Go to the last row; jump if there is none.
    Last { cursor: CursorId, target: Addr }
    /// Go to the next row and jump to `target` if there is one. The loop instruction: checks for interrupts.
    Next { cursor: CursorId, target: Addr }
    /// Go to the previous row and jump if there is one.
    Previous { cursor: CursorId, target: Addr }
    /// Position table cursor `cursor` at the first row with rowid >= `key` (any value; SQLite's rules for reals and text); jump if none.
    SeekRowidGe { cursor: CursorId, key: Reg, target: Addr }
    /// … the first row with rowid > `key`; jump if none.
    SeekRowidGt { cursor: CursorId, key: Reg, target: Addr }
    /// … the last row with rowid <= `key`; jump if none.
    SeekRowidLe { cursor: CursorId, key: Reg, target: Addr }
    /// … the last row with rowid < `key`; jump if none.
    SeekRowidLt { cursor: CursorId, key: Reg, target: Addr }
    /// Position index cursor `cursor` at the first entry >= the seek key `start..start+count`; jump if none.
    SeekGe { cursor: CursorId, count: u16, start: Reg, target: Addr }
    /// … the first entry > the seek key (a prefix counts as equal to all entries that begin with it); jump if none.
    SeekGt { cursor: CursorId, count: u16, start: Reg, target: Addr }
    /// … the last entry <= the seek key; jump if none.
    SeekLe { cursor: CursorId, count: u16, start: Reg, target: Addr }
    /// … the last entry < the seek key; jump if none.
    SeekLt { cursor: CursorId, count: u16, start: Reg, target: Addr }
    /// Jump if the current entry of index cursor `cursor` >= the seek key (prefix compare: equal on `count` columns counts as equal). The key stays
    /// the same while the cursor only steps to the next entry.
    IdxGe { cursor: CursorId, count: u16, start: Reg, target: Addr }
    /// Jump if the current entry > the seek key, which stays the same as that of IdxGe does.
    IdxGt { cursor: CursorId, count: u16, start: Reg, target: Addr }
    /// Jump if the current entry <= the seek key.
    IdxLe { cursor: CursorId, count: u16, start: Reg, target: Addr }
    /// Jump if the current entry < the seek key.
    IdxLt { cursor: CursorId, count: u16, start: Reg, target: Addr }
    /// Position table cursor at the row whose rowid is the integer in `rowid` (converted if that loses nothing); jump if there is none.
    SeekRowid { cursor: CursorId, rowid: Reg, target: Addr }
    /// Position table cursor `table` at the rowid that ends the current entry of `index`. The seek is done when a
    /// column is first read.
    DeferredSeek { index: CursorId, table: CursorId }
    /// Jump if an entry begins with the key `start..start+count` (hash set or index; NULLs equal). The cursor is left on it.
    Found { cursor: CursorId, count: u16, start: Reg, target: Addr }
    /// Jump if no entry begins with the key.
    NotFound { cursor: CursorId, count: u16, start: Reg, target: Addr }
    /// Jump if no entry begins with the key, or the key has a NULL: how UNIQUE is checked.
    NoConflict { cursor: CursorId, count: u16, start: Reg, target: Addr }
    /// dst = column `column` of the row under `cursor`. Past the record's end: the column's default (CursorInfo), else NULL.
    Column { cursor: CursorId, column: u16, dst: Reg }
    /// Column and RealAffinity in one: an integer becomes a real.
    ColumnReal { cursor: CursorId, column: u16, dst: Reg }
    /// As Column, for a CallExtent. Of a long value nothing else is read: a BLOB of as many zeros takes its place, or an empty text.
    ColumnExtent { extent: Extent, cursor: CursorId, column: u16, dst: Reg }
    /// dst..dst+count = columns `column..column+count` of the row: one parse of the record's header.
    Columns { cursor: CursorId, column: u16, dst: Reg, count: u32 }
    /// dst = rowid of the row under `cursor` (NULL on a null row).
    Rowid { cursor: CursorId, dst: Reg }
    /// dst = rowid that ends the entry under the index cursor.
    IdxRowid { cursor: CursorId, dst: Reg }
    /// dst = the whole record under the cursor, as a blob.
    RowData { cursor: CursorId, dst: Reg }
    /// dst = a number that counts up with each use for this `cursor` (tie-breaker of sorts).
    Sequence { cursor: CursorId, dst: Reg }
    /// dst = number of rows under the cursor's tree, without decoding them.
    Count { cursor: CursorId, dst: Reg }

    // ---- records and writing ----
    /// dst = the record made of `start..start+count` with the list `affinities` applied first ([`AffinityListId::NONE`]: none).
    MakeRecord { count: u16, affinities: AffinityListId, start: Reg, dst: Reg }
    /// dst = a new rowid for table cursor `cursor`. With `sequence` not NONE it is larger than any before, and raises the
    /// sequence. SQLITE_FULL when exhausted.
    NewRowid { cursor: CursorId, dst: Reg, sequence: Sequence }
    /// Begin `sequence` with the number of the table `name` in sqlite_sequence, at which `cursor` is open; 0 if it has none.
    ReadSequence { cursor: CursorId, name: ConstId, sequence: Sequence }
    /// Raise `sequence` to the rowid of an inserted row, the integer in `rowid`, if that is larger.
    RaiseSequence { sequence: Sequence, rowid: Reg }
    /// Write `sequence` into the row of the table `name` in sqlite_sequence, or into a new one, if it has grown.
    WriteSequence { cursor: CursorId, name: ConstId, sequence: Sequence }
    /// Insert (or replace) `record` under the integer in `rowid`. Flags: `insert_flags`.
    Insert { flags: u8, cursor: CursorId, rowid: Reg, record: Reg }
    /// MakeRecord and Insert in one: insert the row made of `start..start+count` under the integer in `rowid`. Large texts
    /// and blobs go from their registers to their pages without a record in between. Flags: `insert_flags`.
    InsertRow { flags: u8, cursor: CursorId, count: u16, affinities: AffinityListId, rowid: Reg, start: Reg }
    /// Call the pre-update hook before a row of the table of `cursor` changes. `old` and `new` are the registers of a rowid,
    /// which those of `count` columns follow; NONE if there is no such row. Flags: `preupdate_flags`.
    PreUpdate { flags: u8, operation: u8, cursor: CursorId, count: u16, old: Reg, new: Reg }
    /// Delete the row under `cursor`. Flags: `delete_flags`.
    Delete { flags: u8, cursor: CursorId }
    /// Insert the record in register `record` into index cursor (whose key columns are also in `start..start+count` when `count`
    /// > 0, for seeking without decoding).
    IdxInsert { flags: u8, cursor: CursorId, count: u16, record: Reg, start: Reg }
    /// MakeRecord and IdxInsert in one: insert the entry made of `start..start+count` into index `cursor`.
    IdxInsertRow { flags: u8, cursor: CursorId, count: u16, affinities: AffinityListId, start: Reg }
    /// RowData and IdxInsert in one, for filling an empty index: add the current row of `sorter`, whose rows come in the index's
    /// order, after all entries of index `cursor`. With `many`, the rows behind it, too, as many as fit on the same page; `sorter` is then on the
    /// last of them.
    IdxAppend { many: u8, sorter: CursorId, cursor: CursorId }
    /// Delete the entry with the key `start..start+count` from index `cursor`. Not found is SQLITE_CORRUPT_INDEX when `must_exist`.
    IdxDelete { must_exist: u8, cursor: CursorId, start: Reg, count: u32 }

    // ---- sorter ----
    /// Add the row `start..start+count` to sorter `cursor`; the KeyInfo's key columns come first.
    SorterInsert { cursor: CursorId, start: Reg, count: u32 }
    /// Sort; go to the first row; jump if there is none. Columns are read by Column.
    SorterSort { cursor: CursorId, target: Addr }
    /// Go to the next row of the sorter and jump if there is one.
    SorterNext { cursor: CursorId, target: Addr }

    // ---- sets of rowids ----
    /// Add the integer in `rowid` to the rowid set in register `set`.
    RowSetAdd { set: Reg, rowid: Reg }
    /// Take the smallest rowid out of `set` into `dst`; jump if it is empty. (After the first read nothing may be added.)
    RowSetRead { set: Reg, dst: Reg, target: Addr }
    /// Jump if `rowid` is in `set` from an earlier batch; else add it to this batch.
    RowSetTest { set: Reg, rowid: Reg, target: Addr }
    /// Begin another batch of RowSetTest.
    RowSetBatch { set: Reg }

    // ---- hash join ----
    /// Add the row `start..start+count` to hash table `cursor`; the first KeyInfo columns are the join key (a row with a NULL in
    /// its key is dropped).
    HashInsert { cursor: CursorId, start: Reg, count: u32 }
    /// Position `cursor` on the first row whose key equals `start..start+count`; jump if there is none.
    HashFind { cursor: CursorId, count: u16, start: Reg, target: Addr }
    /// The next row with the same key: jump if there is one.
    HashNext { cursor: CursorId, target: Addr }

    // ---- groups ----
    /// Open an empty table of groups. The registers `start..start+count` are the block of the group that is loaded.
    OpenGroups { cursor: CursorId, start: Reg, count: u32 }
    /// Load the group whose key is in the registers from `start` on. A new group falls through with a block of NULLs, a known one jumps
    /// to `known`; if it is not known and the table is full, jump to `full`.
    GroupFind { cursor: CursorId, start: Reg, known: Addr, full: Addr }
    /// Sort the groups, after the last row. No group is loaded then.
    GroupSort { cursor: CursorId }
    /// Load the next group, its key into the registers from `start` on. Jump if there is none; or, with a `limit`, none before the key
    /// in the registers from there on.
    GroupNext { cursor: CursorId, start: Reg, limit: Reg, target: Addr }

    // ---- functions and aggregates ----
    /// dst = function `call` (in `Program::calls`) of the arguments `start..`.
    Call { call: CallId, start: Reg, dst: Reg }
    /// As Call, of one argument that ColumnExtent has read with the same `extent`.
    CallExtent { extent: Extent, call: CallId, start: Reg, dst: Reg }
    /// Feed the arguments `start..` to aggregate `aggregate`, whose state is register `acc` (NULL: no state yet).
    AggStep { aggregate: AggregateId, start: Reg, acc: Reg }
    /// Feed column `column` of the row under `cursor` to an aggregate of one argument: Column and AggStep in one; with
    /// `is_real` 1, ColumnReal and AggStep.
    AggColumn { is_real: u8, aggregate: AggregateId, cursor: CursorId, column: u16, acc: Reg }
    /// The inverse of AggStep (window frames).
    AggInverse { aggregate: AggregateId, start: Reg, acc: Reg }
    /// dst = current value of the aggregate, its state kept (window frames).
    AggValue { aggregate: AggregateId, acc: Reg, dst: Reg }
    /// dst = final value of the aggregate; the state is dropped.
    AggFinal { aggregate: AggregateId, acc: Reg, dst: Reg }
    /// dst = the subtype of src's value.
    Subtype { src: Reg, dst: Reg }
    /// Give the text or BLOB in dst the subtype in register src.
    SetSubtype { src: Reg, dst: Reg }
    /// Remove the subtypes of the values in `start..start+count`.
    ClearSubtype { start: Reg, count: u32 }
    /// For the next AggStep of min() or max(): set `flag` to 0 now, and to 1 if that step keeps its value. (The collation is not
    /// used: the aggregate call has its own.)
    CollationFor { collation: CollationId, flag: Reg }

    // ---- triggers, foreign keys ----
    /// Run the subprogram. It reads registers of this frame by ParentRegister. RAISE(IGNORE) in it continues at `ignore`.
    /// `recursive` 0: do nothing if this same trigger is already running (recursive_triggers off).
    Subprogram { recursive: u8, program: SubprogramId, ignore: Addr }
    /// Add `delta` to the counter of foreign key violations (`deferred` 1: the connection's, 0: the statement's).
    FkCounter { deferred: u8, delta: i32 }
    /// Jump if the counter is zero.
    FkIfZero { deferred: u8, target: Addr }
    /// Fail if an immediate foreign key is violated, before a statement that has changed rows returns the first of its
    /// own rows.
    FkCheck {}
    /// Until CursorUnlock, no subprogram may change the tree that `cursor` is on: that is SQLITE_CONSTRAINT_PINNED.
    CursorLock { cursor: CursorId }
    /// End a CursorLock: the tree may be changed again.
    CursorUnlock { cursor: CursorId }

    // ---- virtual tables ----
    /// Open `cursor` on the rows of the table-valued function `name`. The register `start` has a bit for each argument that is
    /// given; the arguments follow it. Jump if there is no row.
    FunctionRows { cursor: CursorId, name: TextId, start: Reg, target: Addr }
    /// Open `cursor` on a virtual table.
    VOpen { cursor: CursorId, table: VirtualId }
    /// Start a scan as `scan` of `Program::scans` says, with its arguments in `start..`. Jump if it has no row.
    VFilter { cursor: CursorId, scan: ScanId, start: Reg, target: Addr }
    /// dst = column of the virtual table's row. `flags` 1: an UPDATE does not change the column, and the table may omit
    /// its value.
    VColumn { flags: u8, cursor: CursorId, column: u16, dst: Reg }
    /// Next row: jump if there is one.
    VNext { cursor: CursorId, target: Addr }
    /// dst = all values of the set under `cursor`, for a scan that takes them at once (sqlite3_vtab_in).
    VList { cursor: CursorId, dst: Reg }
    /// dst = a blob that says which of the columns in `start..start+count` the table has omitted
    /// (sqlite3_vtab_nochange).
    VNoteUnchanged { start: Reg, count: u32, dst: Reg }
    /// Mark the columns that the table has omitted again, from the blob in `src`.
    VMarkUnchanged { start: Reg, count: u32, src: Reg }
    /// Add the virtual table to the transaction, before it is changed (xBegin).
    VBegin { table: VirtualId }
    /// xUpdate with the arguments `start..start+count`; `policy` the conflict policy. dst = the rowid of a row that was inserted.
    VUpdate { policy: u8, count: u16, table: VirtualId, start: Reg, dst: Reg }
    /// Make (0), destroy (1) or rename to `to` (2) the virtual table `name` of `db`.
    VChange { op: u8, db: Db, name: TextId, to: TextId }

    /// Call the trace hook for a trigger that begins, or for a statement of it.
    TraceTrigger { text: TextId }
}

/// Flags of [`Insn::Insert`] and [`Insn::IdxInsert`].
pub mod insert_flags {
    /// Count the row in changes().
    pub const COUNT_CHANGE: u8 = 1;
    /// Set last_insert_rowid().
    pub const LAST_ROWID: u8 = 2;
    /// The row probably goes to the end.
    pub const APPEND: u8 = 4;
    /// The cursor is already at the place of the row (after an immediately preceding seek).
    pub const USE_SEEK: u8 = 8;
    /// The insert is the second half of an UPDATE (update hook says UPDATE; a missing old row is no error).
    pub const IS_UPDATE: u8 = 16;
    /// Keep the cursor's position valid for a following Next.
    pub const SAVE_POSITION: u8 = 32;
    /// The values have their affinities, which only say which reals are stored as integers.
    pub const HAS_AFFINITIES: u8 = 64;
}

/// Flags of [`Insn::PreUpdate`].
pub mod preupdate_flags {
    /// The columns of the old row are read from the record under the cursor: no registers follow `old`.
    pub const READS_COLUMNS: u8 = 1;
    /// The old rowid is that of the row under the cursor.
    pub const READS_ROWID: u8 = 2;
}

/// Flags of [`Insn::Delete`].
pub mod delete_flags {
    /// Count the row in changes().
    pub const COUNT_CHANGE: u8 = 1;
    /// Keep the position: the next Next moves to the row after the deleted one.
    pub const SAVE_POSITION: u8 = 2;
    /// First half of an UPDATE or REPLACE: the insert follows; hooks are not called here.
    pub const IS_UPDATE: u8 = 4;
    /// The rest of the row (its other indexes) is deleted separately: no hook, no count.
    pub const AUXILIARY: u8 = 8;
    /// The delete is one of the statement that has locked the cursor (CursorLock).
    pub const OF_LOCKED: u8 = 16;
}
