//! Building records from registers.

use lithe_format::record::Builder;
use lithe_format::serial_type::{SchemaFormat, SerialType};
use lithe_format::varint;
use lithe_value::{Affinity, Buffer, ValueRef};

use crate::arithmetic::apply_affinities;
use crate::error::Error;
use crate::host::Host;
use crate::machine::{Machine, Scratch};
use crate::operand::{AffinityListId, Reg};
use crate::program::Program;
use crate::register::{BytesKind, Register};

/// A record of short values is never longer than this: the limit on lengths is checked only if it is lower.
const SHORT_RECORD_MAX: usize = 8192;

/// The registers that a row is made of.
#[derive(Clone, Copy)]
pub struct RowRegisters {
    /// The first.
    pub start: Reg,
    /// How many.
    pub count: usize,
    /// The affinities to apply first.
    pub affinities: AffinityListId,
}

impl RowRegisters {
    /// Applies the affinities.
    #[inline]
    pub fn apply_affinities(self, m: &mut Machine, program: &Program) {
        if self.affinities != AffinityListId::NONE {
            apply_affinities(m, program, self.start, self.affinities);
        }
    }

    /// The values as they are stored, once the affinities have been applied.
    #[inline]
    pub fn values<'a>(self, scratch: &mut Scratch, registers: &'a [Register], program: &Program) -> RowValues<'a> {
        let registers = &registers[self.start.0 as usize..][..self.count];
        let affinities = program.affinities.get(usize::from(self.affinities.0)).map_or(&[][..], |list| list);
        debug_assert!(affinities.len() <= registers.len(), "a register for each affinity");
        RowValues::new(scratch, registers, affinities)
    }

    /// As [`RowRegisters::values`], but builds the record at once, if all values are short, as in most rows. `None`: the caller
    /// must use [`RowRegisters::values`].
    #[inline]
    pub fn short_record<'b>(
        self,
        builder: &'b mut Builder,
        registers: &[Register],
        program: &Program,
        host: &dyn Host,
    ) -> Option<&'b [u8]> {
        let registers = &registers[self.start.0 as usize..][..self.count];
        let ends_in_zeros = registers.last().and_then(Register::untouched_zeros).is_some();
        if ends_in_zeros || (host.state().length_max.get() as usize) < SHORT_RECORD_MAX {
            return None;
        }
        let affinities = program.affinities.get(usize::from(self.affinities.0)).map_or(&[][..], |list| list);
        builder.build_of_short(registers.iter().enumerate().map(|(at, register)| match register {
            Register::Integer(integer) => ValueRef::Integer(*integer),
            Register::Null => ValueRef::Null,
            other => match other.as_ref() {
                ValueRef::Real(real) if affinities.get(at) == Some(&Affinity::Real) => stored_real(real),
                value => value,
            },
        }))
    }

    fn contains(self, reg: Reg) -> bool {
        (self.start.0..self.start.0 + self.count as u32).contains(&reg.0)
    }
}

/// The values of a row, as they are stored.
pub struct RowValues<'a> {
    /// One for each column.
    pub values: Vec<ValueRef<'a>>,
    /// Zeros after the last value, which is then a blob.
    pub zeros: u32,
}

impl<'a> RowValues<'a> {
    #[inline]
    fn new(scratch: &mut Scratch, registers: &'a [Register], affinities: &[Affinity]) -> RowValues<'a> {
        let zeros = registers.last().and_then(Register::untouched_zeros);
        let mut row = match (zeros, registers.split_last()) {
            (Some(zeros), Some((_, before))) => {
                let mut values = scratch.values(before);
                values.push(ValueRef::Blob(&[]));
                RowValues { values, zeros }
            }
            _ => RowValues { values: scratch.values(registers), zeros: 0 },
        };
        store_reals_as_integers(&mut row.values, affinities);
        row
    }

    /// Refuses a row whose record is longer than the connection's limit.
    #[inline(always)]
    pub fn check_length(&self, host: &dyn Host) -> Result<(), Error> {
        // Without `bytes()`, whose Option is tested by a pointer that numbers do not have.
        let content = |value: &ValueRef<'_>| match value {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.len() as u64,
            ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => 0,
        };
        let len = self.values.iter().map(content).sum::<u64>() + u64::from(self.zeros);
        let length_max = u64::from(host.state().length_max.get());
        match length_max.checked_sub(len) {
            None => Err(Error::too_big()),
            // Rarely is a row so long that the header and the numbers matter.
            Some(left) if left >= LENGTH_AROUND_MAX * (self.values.len() as u64 + 1) => Ok(()),
            Some(left) => {
                let around = self.values.iter().map(length_around).sum::<u64>();
                if around + varint::len(around + 1) as u64 > left { Err(Error::too_big()) } else { Ok(()) }
            }
        }
    }
}

/// The most bytes that a value adds to a record besides those of a text or BLOB: its serial type, and those of a
/// number.
const LENGTH_AROUND_MAX: u64 = 18;

fn length_around(value: &ValueRef<'_>) -> u64 {
    let serial_type = match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => return varint::len(2 * bytes.len() as u64 + 13) as u64,
        number => SerialType::of(number, SchemaFormat::from_meta(4)),
    };
    1 + u64::from(serial_type.len())
}

/// In a column of REAL affinity a real that is an integer of up to six bytes is stored as one, as SQLite does; reading
/// makes it a real again.
#[inline]
fn store_reals_as_integers(values: &mut [ValueRef<'_>], affinities: &[Affinity]) {
    for (value, affinity) in values.iter_mut().zip(affinities) {
        if let (ValueRef::Real(real), Affinity::Real) = (*value, affinity) {
            *value = stored_real(real);
        }
    }
}

/// What is stored of a real in a column of REAL affinity.
#[inline]
pub fn stored_real<'a>(real: f64) -> ValueRef<'a> {
    const LIMIT: f64 = (1i64 << 47) as f64;
    let is_integer = (-LIMIT..LIMIT).contains(&real) && real.trunc() == real;
    if is_integer { ValueRef::Integer(real as i64) } else { ValueRef::Real(real) }
}

/// dst = the record of a row.
#[inline(never)]
pub fn make_record(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    row: RowRegisters,
    dst: Reg,
) -> Result<(), Error> {
    row.apply_affinities(m, program);
    let mut buffer = if row.contains(dst) { Buffer::new() } else { m.reg_mut(dst).take_buffer() };
    buffer.clear();
    let Machine { registers, scratch, builder, .. } = m;
    let mut row = row.values(scratch, registers, program);
    row.check_length(host)?;
    let mut zeros = Buffer::new();
    zeros.try_reserve(row.zeros as usize)?;
    zeros.fill(0, row.zeros as usize);
    if let (Some(last), true) = (row.values.last_mut(), row.zeros > 0) {
        *last = ValueRef::Blob(zeros.as_slice());
    }
    let record = builder.try_build(&row.values)?;
    buffer.try_reserve(record.len())?;
    buffer.extend(record);
    scratch.give_back(row.values);
    m.reg_mut(dst).set_buffer(BytesKind::Blob, buffer);
    Ok(())
}
