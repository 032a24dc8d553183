use super::*;
use crate::error::FunctionError;

#[track_caller]
fn check(format: &str, args: &[ValueRef<'_>], expected: &str) {
    let mut output = Output::appending_to(Buffer::new(), 10_000);
    write(&mut output, format.as_bytes(), &mut Args(args)).unwrap();
    assert_eq!(std::str::from_utf8(output.as_slice()), Ok(expected), "{format}");
}

#[test]
fn integers() {
    check("%d|%5d|%-5d|%05d|%+d|% d", &[42.into(); 6], "42|   42|42   |00042|+42| 42");
    check("%,d|%+,d|%,012d", &[1_234_567.into(); 3], "1,234,567|+1,234,567|000,001,234,567");
    check("%x|%#x|%X|%#X|%#08x|%p", &[255.into(); 6], "ff|0xff|FF|0XFF|0x000000ff|FF");
    check("%o|%#o|%u|%#x", &[8.into(), 8.into(), (-1).into(), 0.into()], "10|010|18446744073709551615|0");
    check("%r %r %r %r", &[1.into(), 12.into(), 23.into(), (-4).into()], "1st 12th 23rd -4th");
    check("%d", &[i64::MIN.into()], "-9223372036854775808");
}

#[test]
fn reals() {
    check("%f|%.2f|%10.3f|%010.3f|%+f", &[2.34567.into(); 5], "2.345670|2.35|     2.346|000002.346|+2.345670");
    check("%e|%g|%.3g|%!g", &[31415.9.into(); 4], "3.141590e+04|31415.9|3.14e+04|31415.9");
    check("%,.2f|%#.0f|%.0f|%!f", &[1234.5.into(), 3.0.into(), 2.5.into(), 0.1.into()], "1,234.50|3.|3|0.1");
    check("%f|%5.1f|%e|%08g", &[f64::INFINITY.into(); 4], "Inf|  Inf|Inf|009e+999");
    check("%.70f|%.2f|%.2f", &[0.0.into(), (-0.001).into(), 0.005.into()], &format!("0.{}|-0.00|0.01", "0".repeat(70)));
    check("%.20f|%!.20f", &[0.1.into(); 2], "0.10000000000000000000|0.1000000000000000056");
}

#[test]
fn texts() {
    check("%s|%5s|%-5s|%.2s", &["abc".into(); 4], "abc|  abc|abc  |ab");
    check("%!5s|%5s|%!.1s", &["äö".into(); 3], "   äö| äö|ä");
    check("%c|%3c|%.3c", &["äbc".into(); 3], "ä|  ä|äää");
    check("%q|%Q|%w", &["it's".into(), "it's".into(), "a\"b".into()], "it''s|'it''s'|a\"\"b");
    check("%q|%Q|%w|%s", &[ValueRef::Null; 4], "(NULL)|NULL|(NULL)|");
    check("%#Q|%#q", &["a\n".into(); 2], "unistr('a\\u000a')|a\\u000a");
    check("%j|%J|%J", &["a\"\n".into(), "\u{1}".into(), ValueRef::Null], "a\\\"\\n|\"\\u0001\"|null");
}

#[test]
fn what_is_no_conversion_ends_the_text() {
    check("a%yb", &[1.into()], "a");
    check("a%", &[], "a%");
    check("a%5", &[], "a");
    check("%%|%5%|%d|%s", &[], "%|    %|0|");
    check("%*d|%-*d|%.*f", &[4.into(), 1.into(), 4.into(), 2.into(), 1.into(), 2.5.into()], "   1|2   |2.5");
}

#[test]
fn the_limit_holds_before_memory_is_asked_for() {
    for format in ["%2000000000d", "%.2000000000d", "%.100000000f", "%2000000000s", "%.2000000000c", "%,02000000000d"] {
        let mut output = Output::appending_to(Buffer::new(), 10_000);
        let result = write(&mut output, format.as_bytes(), &mut Args(&[1.into()]));
        assert_eq!(result, Err(FunctionError::too_big()), "{format}");
    }
}

/// Arguments that count how many of them are consumed.
#[derive(Default)]
struct Counted {
    texts_to_free: usize,
    others: usize,
}

impl FormatArguments for Counted {
    fn number(&mut self) -> i64 {
        self.others += 1;
        3
    }

    fn integer(&mut self, _: IntegerType) -> i64 {
        self.others += 1;
        7
    }

    fn real(&mut self) -> f64 {
        self.others += 1;
        0.5
    }

    fn character<'s>(&'s mut self, _: &'s mut NumberText) -> &'s [u8] {
        self.others += 1;
        b"c"
    }

    fn text<'s>(&'s mut self, _: Option<usize>, is_freed: bool, _: &'s mut NumberText) -> Option<&'s [u8]> {
        self.texts_to_free += usize::from(is_freed);
        self.others += usize::from(!is_freed);
        Some(b"text")
    }
}

#[test]
fn all_arguments_are_taken_of_a_text_that_gets_too_long() {
    let mut counted = Counted::default();
    let mut place = [0; 16];
    let mut output = Output::growing_from(&mut place, 20);
    let format = b"%z|%*d|%s%100d%z%.2f%c%q%%%z";
    let result = format_arguments(&mut output, format, &mut counted);
    assert_eq!(result, Err(FunctionError::too_big()));
    assert_eq!((counted.texts_to_free, counted.others), (3, 7));
}
