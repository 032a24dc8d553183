//! Digests: SHA-1 and SHA-3 of values and of the results of queries.
//!
//! | function | answers |
//! | --- | --- |
//! | `sha3(X [, size])` | the digest of a value, a BLOB of `size` bits: 224, 256, 384 or 512 |
//! | `sha3_agg(X [, size])` | the digest of all values of a group |
//! | `sha3_query(SQL [, size])` | the digest of the results of statements |
//! | `sha1(X)`, `sha1b(X)` | the digest of a value: hexadecimal digits, or 20 bytes |
//! | `sha1_query(SQL)` | the digest of the results of statements, as hexadecimal digits |
//!
//! A single value is hashed as its text or bytes. In a result, a prefix separates each value from the next:
//!
//! ```text
//!   statement  S length : text          row  R
//!   NULL       N                        integer  I + 8 bytes       real  F + 8 bytes, the highest first
//!   text       T length : text          BLOB     B length : bytes
//! ```

use std::sync::Arc;

use lithe_value::cast::{to_integer, to_text};
use lithe_vtab::{
    AggregateFunction, AggregateState, Arity, Context, Flags, Function, FunctionError, FunctionKind, Result,
    SqlConnection, ValueRef, code, copied_text, lossy,
};
use sha1::Sha1;
use sha3::{Digest, Sha3_224, Sha3_256, Sha3_384, Sha3_512};

use crate::function::{argument, direct_only, scalar};

/// The default size of a SHA-3 digest, in bits.
const SIZE_DEFAULT: i64 = 256;

/// The functions.
pub fn functions() -> Vec<Arc<Function>> {
    let mut all = vec![
        scalar("sha1", Arity::Exactly(1), |context, args| sha1(context, args, true)),
        scalar("sha1b", Arity::Exactly(1), |context, args| sha1(context, args, false)),
        direct_only("sha1_query", Arity::Exactly(1), sha1_query),
    ];
    for count in [1, 2] {
        all.push(scalar("sha3", Arity::Exactly(count), sha3));
        all.push(direct_only("sha3_query", Arity::Exactly(count), sha3_query));
        let flags = Flags::DETERMINISTIC.with(Flags::INNOCUOUS);
        let kind = FunctionKind::CustomAggregate(Arc::new(Sha3Aggregate));
        all.push(Arc::new(Function::custom("sha3_agg", Arity::Exactly(count), flags, kind)));
    }
    all
}

/// A digest in progress.
#[derive(Clone)]
enum Hash {
    Sha1(Sha1),
    Sha3With224(Sha3_224),
    Sha3With256(Sha3_256),
    Sha3With384(Sha3_384),
    Sha3With512(Sha3_512),
}

impl Hash {
    /// SHA-3 with a digest of that many bits. None if there is no such variant.
    fn sha3(bits: i64) -> Option<Hash> {
        Some(match bits {
            224 => Hash::Sha3With224(Sha3_224::new()),
            256 => Hash::Sha3With256(Sha3_256::new()),
            384 => Hash::Sha3With384(Sha3_384::new()),
            512 => Hash::Sha3With512(Sha3_512::new()),
            _ => return None,
        })
    }

    fn add(&mut self, bytes: &[u8]) {
        match self {
            Hash::Sha1(hash) => hash.update(bytes),
            Hash::Sha3With224(hash) => hash.update(bytes),
            Hash::Sha3With256(hash) => hash.update(bytes),
            Hash::Sha3With384(hash) => hash.update(bytes),
            Hash::Sha3With512(hash) => hash.update(bytes),
        }
    }

    fn digest(self) -> Vec<u8> {
        match self {
            Hash::Sha1(hash) => hash.finalize().to_vec(),
            Hash::Sha3With224(hash) => hash.finalize().to_vec(),
            Hash::Sha3With256(hash) => hash.finalize().to_vec(),
            Hash::Sha3With384(hash) => hash.finalize().to_vec(),
            Hash::Sha3With512(hash) => hash.finalize().to_vec(),
        }
    }

    /// Adds a text or a BLOB, with its length.
    fn add_sized(&mut self, kind: char, bytes: &[u8]) {
        self.add(format!("{kind}{}:", bytes.len()).as_bytes());
        self.add(bytes);
    }

    /// Adds a value of a result.
    fn add_value(&mut self, value: ValueRef<'_>) {
        match value {
            ValueRef::Null => self.add(b"N"),
            ValueRef::Integer(integer) => {
                self.add(b"I");
                self.add(&integer.to_be_bytes());
            }
            ValueRef::Real(real) => {
                self.add(b"F");
                self.add(&real.to_bits().to_be_bytes());
            }
            ValueRef::Text(text) => self.add_sized('T', text),
            ValueRef::Blob(bytes) => self.add_sized('B', bytes),
        }
    }

    /// Adds the results of the statements in a text.
    fn add_results(&mut self, connection: &dyn SqlConnection, sql: &str) -> Result {
        let mut rest = sql;
        while !rest.trim().is_empty() {
            let wrong = |error: FunctionError| {
                FunctionError::quoting(error.code, format_args!("error SQL statement [{rest}]: {}", error.message))
            };
            let mut statement = connection.prepare(rest).map_err(wrong)?;
            let own = copied_text(statement.sql())?;
            if own.trim().is_empty() {
                break;
            }
            if !statement.is_read_only() {
                return Err(FunctionError::quoting(code::ERROR, format_args!("non-query: [{own}]")));
            }
            self.add_sized('S', own.as_bytes());
            while statement.step()? {
                self.add(b"R");
                (0..statement.column_count()).for_each(|at| self.add_value(statement.column(at)));
            }
            rest = rest.get(statement.tail()..).unwrap_or_default();
        }
        Ok(())
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Adds a single value. False if it is NULL.
fn add_alone(hash: &mut Hash, value: ValueRef<'_>) -> bool {
    match value {
        ValueRef::Null => return false,
        ValueRef::Blob(bytes) => hash.add(bytes),
        value => hash.add(&to_text(value)),
    }
    true
}

fn sha1(context: &mut Context<'_>, args: &[ValueRef<'_>], in_hexadecimal: bool) -> Result {
    let mut hash = Hash::Sha1(Sha1::new());
    if !add_alone(&mut hash, argument(args, 0)) {
        return context.answer(ValueRef::Null);
    }
    let digest = hash.digest();
    let digits = hexadecimal(&digest);
    // (As in SQLite, the hexadecimal digits are a BLOB.)
    context.answer(ValueRef::Blob(if in_hexadecimal { digits.as_bytes() } else { &digest }))
}

fn size(args: &[ValueRef<'_>]) -> i64 {
    args.get(1).map_or(SIZE_DEFAULT, |size| to_integer(*size))
}

fn sha3_of_size(args: &[ValueRef<'_>]) -> Result<Hash> {
    Hash::sha3(size(args)).ok_or_else(|| FunctionError::new("SHA3 size should be one of: 224 256 384 512"))
}

fn sha3(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let mut hash = sha3_of_size(args)?;
    if !add_alone(&mut hash, argument(args, 0)) {
        return context.answer(ValueRef::Null);
    }
    context.answer(ValueRef::Blob(&hash.digest()))
}

/// The hash of the results of the first argument's statements. None if the argument is NULL.
fn of_query(context: &Context<'_>, name: &str, args: &[ValueRef<'_>], mut hash: Hash) -> Result<Option<Vec<u8>>> {
    if argument(args, 0).is_null() {
        return Ok(None);
    }
    let sql = to_text(argument(args, 0));
    let connection = context.connection.sql().ok_or_else(|| FunctionError::unusable(name))?;
    hash.add_results(connection, &lossy(&sql)?)?;
    Ok(Some(hash.digest()))
}

fn sha1_query(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    match of_query(context, "sha1_query", args, Hash::Sha1(Sha1::new()))? {
        Some(digest) => context.answer(ValueRef::Text(hexadecimal(&digest).as_bytes())),
        None => context.answer(ValueRef::Null),
    }
}

fn sha3_query(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    match of_query(context, "sha3_query", args, sha3_of_size(args)?)? {
        Some(digest) => context.answer(ValueRef::Blob(&digest)),
        None => context.answer(ValueRef::Null),
    }
}

struct Sha3Aggregate;

/// The digest of a group so far. None before the first row.
struct Sha3State(Option<Hash>);

impl AggregateFunction for Sha3Aggregate {
    fn start(&self) -> Box<dyn AggregateState> {
        Box::new(Sha3State(None))
    }
}

impl AggregateState for Sha3State {
    fn step(&mut self, _: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
        // (As in SQLite, an invalid size counts as the default.)
        let hash = self.0.get_or_insert_with(|| Hash::sha3(size(args)).unwrap_or(Hash::Sha3With256(Sha3_256::new())));
        hash.add_value(argument(args, 0));
        Ok(())
    }

    fn value(&mut self, context: &mut Context<'_>) -> Result {
        match self.0.clone() {
            Some(hash) => context.answer(ValueRef::Blob(&hash.digest())),
            None => context.answer(ValueRef::Null),
        }
    }
}
