//! The text after a `%`.

use lithe_value::bytes;

use super::{FormatArguments, IntegerType};

/// Flags, width and precision.
#[derive(Clone, Debug, Default)]
pub(super) struct Spec {
    /// `-`: padded at the end.
    pub left: bool,
    /// `+` or a space: written before a number that is not negative.
    pub plus: Option<u8>,
    /// `#`: the alternate form.
    pub alternate: bool,
    /// `!`: the other alternate form, SQLite's own.
    pub alternate2: bool,
    /// `0`: padded with zeros.
    pub zero: bool,
    /// `,`: thousands in groups.
    pub thousands: bool,
    pub width: usize,
    pub precision: Option<usize>,
    /// `l`, up to two: the size of arguments in C.
    pub longs: u8,
}

/// The kind of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Conversion {
    /// `%%`
    Percent,
    /// `%n`
    Nothing,
    Integer(Integer),
    Real(Real),
    /// `%c`
    Character,
    /// `%s`, `%z`
    Text {
        /// `%z`
        is_freed: bool,
    },
    Quoted(Quoted),
    /// `%J`, `%j`
    Json {
        quoted: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Integer {
    /// `%d`, `%i`
    Signed,
    /// `%u`
    Unsigned,
    /// `%r`: 1st, 2nd, 3rd
    Ordinal,
    /// `%x`
    Hex,
    /// `%X`
    HexCapital,
    /// `%p`: as `%X`, but the alternate form has a small x
    Pointer,
    /// `%o`
    Octal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Real {
    /// `%f`
    Fixed,
    /// `%e`
    Exponent,
    /// `%E`
    ExponentCapital,
    /// `%g`
    General,
    /// `%G`
    GeneralCapital,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quoted {
    /// `%q`: for use between single quotes
    Inside,
    /// `%Q`: a text in single quotes, or NULL
    Literal,
    /// `%w`: for use between double quotes
    Identifier,
}

impl Integer {
    /// The type of its argument in C.
    pub(super) fn c_type(self, longs: u8) -> IntegerType {
        match (self, longs) {
            (Integer::Pointer, _) => IntegerType::Pointer,
            (Integer::Signed | Integer::Ordinal, 0) => IntegerType::Int,
            (_, 0) => IntegerType::Unsigned,
            (Integer::Signed | Integer::Ordinal, 1) => IntegerType::Long,
            (_, 1) => IntegerType::UnsignedLong,
            _ => IntegerType::LongLong,
        }
    }
}

/// As in SQLite, numbers in a format wrap at 32 bits and lose their sign; the result is usually too long anyway.
const NUMBER_MASK: u32 = 0x7fff_ffff;

impl Spec {
    /// Reads flags, width, precision and conversion; `None` if there is no such conversion. `*` takes an argument.
    pub(super) fn parse<A: FormatArguments>(rest: &mut &[u8], args: &mut A) -> Option<(Spec, Conversion)> {
        let mut spec = Spec::default();
        let simple = rest.first().filter(|letter| letter.is_ascii_lowercase() && **letter != b'l');
        if let Some(&letter) = simple {
            *rest = bytes::after(rest, 1);
            return Some((spec, conversion(letter)?));
        }
        while let Some(flag) = rest.first() {
            match flag {
                b'-' => spec.left = true,
                b'+' | b' ' => spec.plus = Some(*flag),
                b'#' => spec.alternate = true,
                b'!' => spec.alternate2 = true,
                b'0' => spec.zero = true,
                b',' => spec.thousands = true,
                _ => break,
            }
            *rest = bytes::after(rest, 1);
        }
        spec.parse_width(rest, args);
        spec.parse_precision(rest, args);
        for _ in 0..2 {
            if let Some((b'l', behind)) = rest.split_first() {
                *rest = behind;
                spec.longs += 1;
            }
        }
        let (&letter, behind) = rest.split_first()?;
        *rest = behind;
        Some((spec, conversion(letter)?))
    }

    fn parse_width<A: FormatArguments>(&mut self, rest: &mut &[u8], args: &mut A) {
        if let Some((b'*', behind)) = rest.split_first() {
            *rest = behind;
            let width = args.number() as i32; // the low bits, as in SQLite
            self.left |= width < 0;
            self.width = width.checked_abs().map_or(0, |width| width as usize);
        } else {
            self.width = number(rest);
        }
    }

    fn parse_precision<A: FormatArguments>(&mut self, rest: &mut &[u8], args: &mut A) {
        let Some((b'.', behind)) = rest.split_first() else { return };
        *rest = behind;
        if let Some((b'*', behind)) = rest.split_first() {
            *rest = behind;
            let precision = args.number() as i32;
            self.precision = precision.checked_abs().map(|precision| precision as usize);
        } else {
            self.precision = Some(number(rest));
        }
    }
}

#[inline]
fn number(rest: &mut &[u8]) -> usize {
    let mut number: u32 = 0;
    while let Some((digit @ b'0'..=b'9', behind)) = rest.split_first() {
        number = number.wrapping_mul(10).wrapping_add(u32::from(digit - b'0'));
        *rest = behind;
    }
    (number & NUMBER_MASK) as usize
}

fn conversion(letter: u8) -> Option<Conversion> {
    Some(match letter {
        b'%' => Conversion::Percent,
        b'n' => Conversion::Nothing,
        b'd' | b'i' => Conversion::Integer(Integer::Signed),
        b'u' => Conversion::Integer(Integer::Unsigned),
        b'r' => Conversion::Integer(Integer::Ordinal),
        b'x' => Conversion::Integer(Integer::Hex),
        b'X' => Conversion::Integer(Integer::HexCapital),
        b'p' => Conversion::Integer(Integer::Pointer),
        b'o' => Conversion::Integer(Integer::Octal),
        b'f' => Conversion::Real(Real::Fixed),
        b'e' => Conversion::Real(Real::Exponent),
        b'E' => Conversion::Real(Real::ExponentCapital),
        b'g' => Conversion::Real(Real::General),
        b'G' => Conversion::Real(Real::GeneralCapital),
        b'c' => Conversion::Character,
        b's' | b'z' => Conversion::Text { is_freed: letter == b'z' },
        b'q' => Conversion::Quoted(Quoted::Inside),
        b'Q' => Conversion::Quoted(Quoted::Literal),
        b'w' => Conversion::Quoted(Quoted::Identifier),
        b'j' => Conversion::Json { quoted: false },
        b'J' => Conversion::Json { quoted: true },
        _ => return None,
    })
}
