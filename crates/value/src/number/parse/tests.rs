use super::*;

#[track_caller]
fn check(text: &str, number: Numeric, is_whole: bool) {
    assert_eq!(parse(text.as_bytes()), Parsed { number, is_whole }, "{text:?}");
}

#[track_caller]
fn check_integer(text: &str, integer: i64, is_whole: bool) {
    check(text, Numeric::Integer(integer), is_whole);
}

#[track_caller]
fn check_real(text: &str, real: f64, is_whole: bool) {
    check(text, Numeric::Real(real), is_whole);
}

#[test]
fn integers() {
    check_integer("0", 0, true);
    check_integer(" \t\n\u{b}\u{c}\r12\r ", 12, true);
    check_integer("+12", 12, true);
    check_integer("-12", -12, true);
    check_integer("0000000000000000000000000000012", 12, true);
    check_integer("9223372036854775807", i64::MAX, true);
    check_integer("-9223372036854775808", i64::MIN, true);
    check_integer("12abc", 12, false);
    check_integer("0x10", 0, false);
    check_integer("1_000", 1, false);
    check_integer("1e", 1, false);
    check_integer("1e+", 1, false);
    check_integer("12\u{a0}", 12, false);
}

#[test]
fn reals() {
    check_real("9223372036854775808", 9_223_372_036_854_775_808.0, true);
    check_real("-9223372036854775809", -9_223_372_036_854_775_808.0, true);
    check_real("5.", 5.0, true);
    check_real(".5", 0.5, true);
    check_real("-1.5e-3 ", -0.0015, true);
    check_real("1E5", 1e5, true);
    check_real("1e5.5", 1e5, false);
    check_real("1e5 x", 1e5, false);
    check_real("1e999999999999999999999", f64::INFINITY, true);
    check_real("1e-999999999999999999999", 0.0, true);
    check_real("0e999999999999999999999", 0.0, true);
    check_real("1.7976931348623159e308", f64::INFINITY, true);
    check_real("9007199254740993.0", 9_007_199_254_740_992.0, true);
    check_real("0.000000000000000000000000000000000000000000001e45", 1.0, true);
    check_real("2.4703282292062327e-324", 0.0, true);
    check_real("2.4703282292062328e-324", 5e-324, true);
}

#[test]
fn only_digits_that_fit_count() {
    // The 20th digit would carry these over the half; SQLite drops it.
    check_real("36773496163323475804e-37", f64::from_bits(4_346_243_513_500_312_319), true);
    check_real("36773496163323475804.e-37", f64::from_bits(4_346_243_513_500_312_319), true);
    check_real("22232954062856094488e-342", f64::from_bits(4), true);
}

#[test]
fn no_number() {
    for text in ["", " ", ".", "-", "+-1", "--1", "- 1", "e5", ".e5", "abc", "inf", "nan", "\u{a0}1"] {
        check_integer(text, 0, false);
        assert_eq!(text_to_real(text.as_bytes()).to_bits(), 0);
    }
    assert_eq!(text_to_real(b"-0").to_bits(), (-0.0f64).to_bits());
}

#[test]
fn prefixes_that_are_integers() {
    for (text, integer) in [
        ("", 0),
        ("12.9", 12),
        ("1e3", 1),
        (" -12abc", -12),
        ("9223372036854775808", i64::MAX),
        ("-9223372036854775808", i64::MIN),
        ("-99999999999999999999999999", i64::MIN),
        ("18446744073709551616", i64::MAX),
        ("18446744073709551620000", i64::MAX),
    ] {
        assert_eq!(integer_prefix(text.as_bytes()), integer, "{text:?}");
    }
}

#[test]
fn a_nul_ends_the_number() {
    check_real("12\0x", 12.0, true);
    check_real("12 \0", 12.0, true);
    check_integer("12x\0", 12, false);
    for (text, number) in [
        ("12\0x", Some(Numeric::Integer(12))),
        ("12.0\0x", Some(Numeric::Real(12.0))),
        ("2251799813685247\0", Some(Numeric::Integer(2_251_799_813_685_247))),
        ("2251799813685248\0", Some(Numeric::Real(2_251_799_813_685_248.0))),
        ("9007199254740993", Some(Numeric::Integer(9_007_199_254_740_993))),
        ("12x\0", None),
        ("\0", None),
    ] {
        assert_eq!(whole_number(text.as_bytes()), number, "{text:?}");
    }
    assert_eq!(numeric_prefix(b"9007199254740993\0"), Numeric::Integer(9_007_199_254_740_993));
}

/// One product gives the same result as the standard library, or none.
#[test]
fn one_product_is_correctly_rounded() {
    let (mut state, mut told) = (0x9e37_79b9_7f4a_7c15_u64, 0);
    const CASES: u32 = 200_000;
    for _ in 0..CASES {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let (significand, exponent) = (state >> (state % 60), (state >> 20) as i32 % 340 - 10);
        if let Some(real) = by_one_product(significand, exponent) {
            assert_eq!(real, slow_decimal_to_real(significand, exponent), "{significand}e{exponent}");
            told += 1;
        }
    }
    assert!(told > CASES / 2);
    for (significand, exponent) in [(1, -308), (1, 309), (u64::MAX, 289), (1, 341), (1, -306), (0, 5)] {
        let real = by_one_product(significand, exponent);
        assert!(real.is_none_or(|real| real == slow_decimal_to_real(significand, exponent)));
    }
}
