//! UTF-16 and back: in a database that stores UTF-16, CAST between text and blob shows its bytes.

use lithe_value::cast::cast;
use lithe_value::{Affinity, Encoding, Value};

use crate::{Random, ask, oracle, rounds};

const PIECES: [&[u8]; 16] = [
    b"a",
    b"\0",
    b"\xc3\xa9",
    b"\xe2\x82\xac",
    b"\xf0\x9f\x98\x80",
    b"\x80",
    b"\xbf",
    b"\xc0",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xff\xfe",
    b"\xfe\xff",
    b"\xd8",
    b"\xdc",
    b"\xfd\x80\x80",
];

#[test]
fn text_and_blob() {
    for encoding in [Encoding::Utf8, Encoding::Utf16le, Encoding::Utf16be] {
        let oracle = oracle();
        oracle.execute_batch(&format!("PRAGMA encoding = '{}'; CREATE TABLE t(x)", encoding.name())).unwrap();
        let mut statement = oracle.prepare("SELECT CAST(?1 AS BLOB), CAST(?2 AS TEXT), octet_length(?1)").unwrap();
        let mut random = Random::new(9);
        let mut out = Value::NULL;
        for _ in 0..rounds(20_000) {
            let text = Value::text(random.text(&PIECES, 8));
            let blob = Value::blob(random.text(&PIECES, 8));
            let answers = ask(&mut statement, &[text.as_ref(), blob.as_ref()]).unwrap();
            cast(text.as_ref(), Affinity::Blob, encoding, &mut out);
            assert_eq!(out, answers[0], "{} to {encoding:?}", text.as_ref());
            let length = encoding.encoded_len(text.as_ref().bytes().unwrap());
            assert_eq!(Value::from(length as i64), answers[2], "{} to {encoding:?}", text.as_ref());
            cast(blob.as_ref(), Affinity::Text, encoding, &mut out);
            assert_eq!(out, answers[1], "{} from {encoding:?}", blob.as_ref());
        }
    }
}
