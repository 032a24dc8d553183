//! Reals as text, text as reals.

use lithe_value::number::{Decimal, text_to_real};
use lithe_value::{NumberText, Value, ValueRef};

use crate::{Random, ask, oracle, rounds};

#[test]
fn reals_as_text() {
    let oracle = oracle();
    let mut statement = oracle.prepare("SELECT CAST(?1 AS TEXT), format('%!.18e', ?1)").unwrap();
    let mut random = Random::new(1);
    for _ in 0..rounds(60_000) {
        let real = random.real();
        let answers = ask(&mut statement, &[ValueRef::Real(real)]).unwrap();
        let text = NumberText::from(real);
        assert_eq!(answers[0], Value::from(text.as_str()), "bits {:#x}", real.to_bits());
        let digits: Vec<u8> = answers[1].as_ref().bytes().unwrap().iter().copied().take_while(|&b| b != b'e').collect();
        let digits: Vec<u8> = digits.into_iter().filter(u8::is_ascii_digit).collect();
        let decimal = Decimal::significant(real, 19, 26);
        let without_zeros = digits.iter().rposition(|&digit| digit != b'0').map_or(&digits[..1], |at| &digits[..=at]);
        assert_eq!(decimal.digits(), without_zeros, "bits {:#x}", real.to_bits());
    }
}

/// Every exponent of two, and the longest and shortest mantissas of each.
#[test]
fn reals_of_every_exponent_as_text() {
    let oracle = oracle();
    let mut statement = oracle.prepare("SELECT CAST(?1 AS TEXT)").unwrap();
    for exponent in 0..2047u64 {
        for mantissa in [0, 1, 2, (1 << 52) - 1, (1 << 52) - 2, 1 << 51] {
            let real = f64::from_bits(exponent << 52 | mantissa);
            let answers = ask(&mut statement, &[ValueRef::Real(real)]).unwrap();
            assert_eq!(answers[0], Value::from(NumberText::from(real).as_str()), "bits {:#x}", real.to_bits());
        }
    }
}

/// Texts of up to 25 digits, half of them as near to the middle between two doubles as those digits allow.
#[test]
fn text_as_reals() {
    let oracle = oracle();
    let mut statement = oracle.prepare("SELECT CAST(?1 AS REAL)").unwrap();
    let mut random = Random::new(2);
    for round in 0..rounds(60_000) {
        let text = if round % 2 == 0 { digits_and_exponent(&mut random) } else { near_tie(&mut random) };
        let answers = ask(&mut statement, &[ValueRef::from(text.as_str())]).unwrap();
        let real = text_to_real(text.as_bytes());
        assert!(
            crate::same(answers[0].as_ref(), ValueRef::Real(real)),
            "{text}: {} is not {real}",
            answers[0].as_ref()
        );
    }
}

fn digits_and_exponent(random: &mut Random) -> String {
    let digits: String = (0..=random.below(25)).map(|_| char::from(b'0' + random.below(10) as u8)).collect();
    let exponent = random.below(700) as i64 - 370;
    let point = random.below(digits.len() as u64 + 1) as usize;
    format!("{}.{}e{exponent}", &digits[..point], &digits[point..])
}

/// The middle between a double and the next one, truncated after some digits, and numbers a little beside it.
fn near_tie(random: &mut Random) -> String {
    let real = random.real().abs().clamp(1e-290, 1e300);
    let next = real.next_up();
    // The exact digits of both: their decimal expansions are finite, and end within 1100 digits.
    let (low, high) = (format!("{real:.1100e}"), format!("{next:.1100e}"));
    let significand = |text: &str| text.split_once('e').map(|(digits, _)| digits.replace('.', "")).unwrap();
    let exponent: i64 = low.split_once('e').unwrap().1.parse().unwrap();
    let keep = 15 + random.below(8) as usize;
    let head = |text: &str| significand(text)[..=keep].parse::<u128>().unwrap();
    let middle = (head(&low) + head(&high)) / 2 + u128::from(random.below(3));
    format!("{}e{}", middle, exponent - keep as i64)
}
