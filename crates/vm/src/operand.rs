//! The kinds of operand: a type for each kind of number, so that a register is never mistaken for an address.

pub use lithe_base::Db;
use lithe_value::Affinity;
pub use lithe_vtab::{ScanId, VirtualId};

/// A register of the program's frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reg(pub u32);

impl Reg {
    /// No register: for optional operands.
    pub const NONE: Reg = Reg(u32::MAX);

    /// The register `n` places further.
    pub fn at(self, n: usize) -> Reg {
        Reg(self.0 + n as u32)
    }
}

/// An instruction's address; while a program is being built, a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Addr(pub u32);

impl Addr {
    /// No jump.
    pub const NONE: Addr = Addr(u32::MAX);
}

macro_rules! ids {
    ($( $(#[doc = $doc:literal])* $name:ident($inner:ty) = $prefix:literal; )*) => { $(
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $inner);

        explained! { $name($inner) = $prefix; }
    )* };
}

macro_rules! explained {
    ($( $name:ident($inner:ty) = $prefix:literal; )*) => { $(
        impl Operand for $name {
            fn explain(&self) -> OperandText {
                if self.0 == <$inner>::MAX { OperandText::None } else { OperandText::Id($prefix, u32::from(self.0)) }
            }
        }
    )* };
}

ids! {
    /// A cursor of the program; indexes its `cursors` table.
    CursorId(u16) = "c";
    /// A constant of the program.
    ConstId(u32) = "k";
    /// A text of the program (messages, names).
    TextId(u32) = "t";
    /// A collation of the program; 0 is BINARY.
    CollationId(u16) = "coll";
    /// A list of affinities of the program.
    AffinityListId(u16) = "aff";
    /// A function call of the program: the function with what is fixed about the call.
    CallId(u16) = "f";
    /// An aggregate call of the program.
    AggregateId(u16) = "agg";
    /// A trigger's program.
    SubprogramId(u16) = "sub";
    /// The largest rowid of an AUTOINCREMENT table, which all programs of a statement share.
    Sequence(u16) = "seq";
}

explained! {
    VirtualId(u32) = "v";
    ScanId(u16) = "scan";
}

impl CollationId {
    /// BINARY: always number 0.
    pub const BINARY: CollationId = CollationId(0);
}

impl TextId {
    /// No text.
    pub const NONE: TextId = TextId(u32::MAX);
}

impl Sequence {
    /// None: the table is not AUTOINCREMENT.
    pub const NONE: Sequence = Sequence(u16::MAX);
}

impl AffinityListId {
    /// No affinities.
    pub const NONE: AffinityListId = AffinityListId(u16::MAX);
}

/// The affinity of an operand that is an `Affinity as u8`.
pub(crate) const fn affinity_from_u8(number: u8) -> Affinity {
    match number {
        1 => Affinity::Text,
        2 => Affinity::Numeric,
        3 => Affinity::Integer,
        4 => Affinity::Real,
        5 => Affinity::FlexNum,
        _ => Affinity::Blob,
    }
}

/// What to do about a failed constraint. The numbers are operands of instructions.
pub use lithe_vtab::OnConflict;

/// How a comparison treats affinity and NULL: bits 0..2 an affinity applied to both operands first
/// (0: none), NULL_JUMPS, NULL_EQ, REAL_COLUMN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct CompareFlags(pub u8);

impl CompareFlags {
    /// The bits that hold the affinity: 0 none, else `Affinity as u8`.
    pub(crate) const AFFINITY_MASK: u8 = 0x07;
    /// A NULL operand makes the comparison jump.
    pub const NULL_JUMPS: u8 = 0x10;
    /// NULLs are equal to each other and to nothing else (IS, IS NOT, DISTINCT): the result is never NULL.
    pub const NULL_EQ: u8 = 0x20;
    /// The column has REAL affinity: an integer in a record is a real that was stored as an integer.
    pub(crate) const REAL_COLUMN: u8 = 0x40;
}

/// How ClearTree clears a tree on which the program has no cursor: the program's cursors, of which a REINDEX of many tables has many, are
/// not gone through.
pub const UNOPENED: u8 = 2;

/// What a function reads of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Its type.
    Type,
    /// The length of a BLOB, and all of another value.
    Length,
    /// How many bytes a BLOB or a text takes in the database, and all of a number.
    Size,
}

/// How EXPLAIN shows an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperandText {
    /// A number.
    Number(i64),
    /// A jump target.
    Target(u32),
    /// The id of an entry in a table of the program: the prefix of the table, and the index.
    Id(&'static str, u32),
    /// Not given.
    None,
}

/// The methods of all kinds of operand.
pub trait Operand {
    /// For EXPLAIN.
    fn explain(&self) -> OperandText;
    /// Calls `f` if this is a jump target.
    fn visit_target(&mut self, _f: &mut dyn FnMut(&mut Addr)) {}
}

impl Operand for Addr {
    fn explain(&self) -> OperandText {
        if *self == Addr::NONE { OperandText::None } else { OperandText::Target(self.0) }
    }
    fn visit_target(&mut self, f: &mut dyn FnMut(&mut Addr)) {
        f(self)
    }
}

impl Operand for Reg {
    fn explain(&self) -> OperandText {
        if *self == Reg::NONE { OperandText::None } else { OperandText::Number(i64::from(self.0)) }
    }
}

impl Operand for Db {
    fn explain(&self) -> OperandText {
        OperandText::Number(i64::from(self.0))
    }
}

impl Operand for CompareFlags {
    fn explain(&self) -> OperandText {
        OperandText::Number(i64::from(self.0))
    }
}

impl Operand for Extent {
    fn explain(&self) -> OperandText {
        OperandText::Number(*self as i64)
    }
}

macro_rules! number_operands {
    ($($ty:ty),*) => { $(
        impl Operand for $ty {
            fn explain(&self) -> OperandText {
                OperandText::Number(i64::from(*self))
            }
        }
    )* };
}

number_operands!(u8, u16, u32, i32);
