//! Random calls of functions and operators with values at the limits of what they take: dates at the ends of the calendar, numbers at the ends
//! of their types, malformed UTF-8, JSON5, JSONB, paths and formats of all kinds.
//!
//! Not in it: the present time; `utc` and `localtime`, which in SQLite make a date of the year 2000 out of one that is none; bytes of JSONB that
//! was edited, whose headers SQLite may leave longer than need be.

use fastrand::Rng;

use crate::schema::{one_in, pick};

/// The number of calls of a world.
const CALLS: usize = 150;

const DATES: [&str; 34] = [
    "'2024-02-29'",
    "'2024-02-29 12:34:56.789'",
    "'2024-02-30'",
    "'-4713-11-24 12:00'",
    "'9999-12-31 23:59:59.999'",
    "'12:00'",
    "'12:00:60'",
    "'2023-W01-1'",
    "2460000.5",
    "0",
    "1e6",
    "5373484.5",
    "-1",
    "1700000000",
    "'2024-01-01T00:00Z'",
    "'2024-01-01 00:00+05:30'",
    "'2024-01-01 00:00-14:00'",
    "'2024-13-01'",
    "'20240101'",
    "253402300799",
    "-62167219200",
    "'  2024-01-01'",
    "'2024-01-01 '",
    "'24:00'",
    "'2024-01-01 24:00:00'",
    "NULL",
    "''",
    "'0000-00-00'",
    "'0001-01-01'",
    "1721059.5",
    "99999999999",
    "'2000-01-01 00:00:00.0005'",
    "'2000-12-31 23:59:59.9995'",
    "'2038-01-19 03:14:08'",
];
const MODIFIERS: [&str; 46] = [
    "'+1 day'",
    "'-1 month'",
    "'+1 year'",
    "'start of month'",
    "'start of year'",
    "'start of day'",
    "'weekday 0'",
    "'weekday 6'",
    "'weekday 7'",
    "'unixepoch'",
    "'auto'",
    "'julianday'",
    "'subsec'",
    "'subsecond'",
    "'ceiling'",
    "'floor'",
    "'+1 month', 'floor'",
    "'+0001-02-03'",
    "'-0001-02-03 04:05'",
    "'+0000-13-00'",
    "'+0000-00-31'",
    "'+10:20'",
    "'-10:20:30.5'",
    "'+1.5 days'",
    "'1e3 seconds'",
    "'+999999999 days'",
    "'+5373485 days'",
    "'+1 fortnight'",
    "'weekday 1.0'",
    "'weekday 1.5'",
    "' +1 day'",
    "'+1 day '",
    "'+1day'",
    "'+ 1 day'",
    "NULL",
    "''",
    "'START OF MONTH'",
    "'+1 DAYS'",
    "'-5 minutes'",
    "'+1.25 hours'",
    "'+0.5 months'",
    "'+1.5 years'",
    "'-0.1 months'",
    "'13:00'",
    "'+24:00'",
    "'+23:59:59.999'",
];
const DATE_FORMATS: [&str; 23] = [
    "'%d'",
    "'%f'",
    "'%H:%I:%k:%l'",
    "'%j'",
    "'%J'",
    "'%m-%M'",
    "'%p %P'",
    "'%s'",
    "'%S'",
    "'%u %w'",
    "'%U %V %W'",
    "'%G-%g'",
    "'%Y%%'",
    "'%e|%F|%R|%T'",
    "'%C'",
    "'%z'",
    "'%Q'",
    "'%'",
    "'abc'",
    "''",
    "NULL",
    "'%1d'",
    "'%Y-%m-%d %H:%M:%f'",
];
const NUMBERS: [&str; 38] = [
    "0",
    "1",
    "-1",
    "2",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "1e308",
    "-1e308",
    "1e-308",
    "9e999",
    "-9e999",
    "0.1",
    "1.5",
    "2.5",
    "-0.0",
    "123456789012345678",
    "1e15",
    "1e16",
    "123456.789",
    "0.000001",
    "4503599627370497.5",
    "NULL",
    "'12abc'",
    "'0x10'",
    "' 5 '",
    "'1e5'",
    "3.0",
    "1e20",
    "99999999999999999999",
    "x'31'",
    "''",
    "-2.5",
    "1000000",
    "0.5",
    "1e-5",
    "5e-324",
    "1.7976931348623157e308",
];
const STRINGS: [&str; 34] = [
    "'abc'",
    "''",
    "NULL",
    "'a' || char(0) || 'b'",
    "'ÄÖÜ'",
    "'😀x'",
    "x'ff00'",
    "cast(x'ff41' AS text)",
    "cast(x'c3' AS text)",
    "cast(x'e282' AS text)",
    "'%_a'",
    "'a%b_c'",
    "'  pad '",
    "'null'",
    "'[1,2]'",
    "'{\"a\":1}'",
    "123",
    "1.5",
    "x''",
    "'AbC'",
    "'ß'",
    "'İ'",
    "'a' || char(769)",
    "char(55296)",
    "char(1114112)",
    "'\\'",
    "'\"q\"'",
    "'it''s'",
    "'0'",
    "'aaa'",
    "'ab,cd,,e'",
    "zeroblob(3)",
    "'ABCDEFGHIJ'",
    "char(65279) || 'a'",
];
const JSON: [&str; 33] = [
    "'{}'",
    "'[]'",
    "'null'",
    "'1'",
    "'\"a\"'",
    "'[1,2,3]'",
    "'{\"a\":{\"b\":[1,2,{\"c\":null}]}}'",
    "'{a:1,b:.5,c:+1,d:0x1F}'",
    "'[1,]'",
    "'{\"a\":1,\"a\":2}'",
    "'[1,[2,[3]]]'",
    "'{\"a\\u0062\":1}'",
    "'\"\\ud83d\\ude00\"'",
    "'1e400'",
    "'-0'",
    "'Infinity'",
    "'NaN'",
    "'/* c */ 1'",
    "'[\"x\",null,true,false,1.0,1e2]'",
    "jsonb('[1,2,3]')",
    "jsonb('{\"a\":[1,{\"b\":2}]}')",
    "x'00'",
    "x'13'",
    "NULL",
    "'bad'",
    "''",
    "'{\"a\":\"\\n\\t\"}'",
    "5",
    "1.5",
    "'[{\"k\":1},{\"k\":2}]'",
    "json('[1,2]')",
    "'{\"\":1,\" \":2,\"a.b\":3,\"[]\":4}'",
    "'\"\\v\\x41\"'",
];
const PATHS: [&str; 40] = [
    "'$'",
    "'$.a'",
    "'$.a.b'",
    "'$[0]'",
    "'$[1]'",
    "'$[#-1]'",
    "'$[#]'",
    "'$.a.b[2].c'",
    "'$.\"a\"'",
    "'$.\"a.b\"'",
    "'a'",
    "'0'",
    "0",
    "1",
    "-1",
    "-5",
    "'$.'",
    "'$['",
    "'$[x]'",
    "'$.a[0]'",
    "'$[1][1]'",
    "NULL",
    "''",
    "'$.\"\"'",
    "'$[#-2].k'",
    "'$..a'",
    "'$.ab'",
    "'$[ 0]'",
    "'$[00]'",
    "'$.a b'",
    "1.5",
    "'$[*]'",
    "'$.é'",
    "'a.b'",
    "'[1]'",
    "'\"a\"'",
    "'[]'",
    "'['",
    "'$[]'",
    "']'",
];
const CONVERSIONS: [&str; 69] = [
    "%d", "%5d", "%-5d|", "%05d", "%+d", "% d", "%,d", "%x", "%X", "%#x", "%o", "%#o", "%u", "%c", "%5c", "%s", "%10s",
    "%-10s|", "%.2s", "%q", "%Q", "%w", "%10Q", "%.3Q", "%f", "%.0f", "%.10f", "%10.3f", "%-12.2f|", "%+f", "%,f",
    "%,.2f", "%e", "%.3E", "%g", "%G", "%.15g", "%!g", "%!.20f", "%!.3s", "%!c", "%%", "%n", "%p", "%z", "%lld", "%ld",
    "%hd", "%*d", "%-*d|", "%.*f", "%i", "%#f", "%#g", "%#.0f", "%0+8.2f", "%+05d", "% 05d", "%.0d", "%.5d", "%8.5d",
    "%.40g", "%!.17g", "%r", "%T", "%#e", "%,x", "%0*d", "%#q",
];
const OF_ONE: [&str; 26] = [
    "length",
    "octet_length",
    "upper",
    "lower",
    "hex",
    "quote",
    "unicode",
    "trim",
    "ltrim",
    "rtrim",
    "typeof",
    "abs",
    "sign",
    "char",
    "zeroblob",
    "unhex",
    "unistr",
    "unistr_quote",
    "likely",
    "round",
    "json",
    "json_quote",
    "json_valid",
    "json_error_position",
    "json_pretty",
    "json_array",
];
const OF_TWO: [&str; 20] = [
    "instr",
    "trim",
    "ltrim",
    "rtrim",
    "substr",
    "round",
    "ifnull",
    "nullif",
    "min",
    "max",
    "glob",
    "like",
    "unhex",
    "concat",
    "concat_ws",
    "iif",
    "likelihood",
    "coalesce",
    "json_valid",
    "json_patch",
];
const OF_THREE: [&str; 8] = ["substr", "replace", "iif", "concat_ws", "max", "min", "concat", "like"];
const OPERATORS: [&str; 22] = [
    "+", "-", "*", "/", "%", "||", "&", "|", "<<", ">>", "=", "<", ">=", "IS", "IS NOT", "LIKE", "GLOB", "AND", "OR",
    "<>", "->", "->>",
];
const TYPES: [&str; 9] = ["int", "text", "real", "blob", "numeric", "integer", "decimal(5,2)", "json", "any"];

/// The statements of a world.
pub fn statements(seed: u64) -> Vec<String> {
    let rng = &mut Rng::with_seed(seed);
    (0..CALLS).map(|_| format!("SELECT {}", shown(rng))).collect()
}

fn shown(rng: &mut Rng) -> String {
    let call = call(rng);
    if one_in(rng, 6) {
        format!("{}({call})", pick(rng, &["quote", "typeof", "hex", "json_quote", "length"]))
    } else {
        call
    }
}

fn call(rng: &mut Rng) -> String {
    match rng.u32(0..12) {
        0 => {
            let name = *pick(rng, &["date", "time", "datetime", "julianday", "unixepoch"]);
            format!("{name}({}{})", pick(rng, &DATES), modifiers(rng))
        }
        1 => format!("strftime({}, {}{})", pick(rng, &DATE_FORMATS), pick(rng, &DATES), modifiers(rng)),
        2 => format!("timediff({}, {})", pick(rng, &DATES), pick(rng, &DATES)),
        3 => formatted(rng),
        4 => {
            let name = *pick(rng, &["json_extract", "json_type", "json_array_length", "json_remove"]);
            format!("{name}({}, {})", pick(rng, &JSON), pick(rng, &PATHS))
        }
        5 => format!("{} {} {}", pick(rng, &JSON), pick(rng, &["->", "->>"]), pick(rng, &PATHS)),
        6 => {
            let name = *pick(rng, &["json_set", "json_insert", "json_replace", "json_array_insert"]);
            format!("{name}({}, {}, {})", pick(rng, &JSON), pick(rng, &PATHS), value(rng))
        }
        7 => format!("{}({})", pick(rng, &OF_ONE), value(rng)),
        8 => format!("{}({}, {})", pick(rng, &OF_TWO), value(rng), value(rng)),
        9 => format!("{}({}, {}, {})", pick(rng, &OF_THREE), value(rng), value(rng), value(rng)),
        10 => format!("{} {} {}", value(rng), pick(rng, &OPERATORS), value(rng)),
        _ => format!("cast({} AS {})", value(rng), pick(rng, &TYPES)),
    }
}

fn modifiers(rng: &mut Rng) -> String {
    (0..rng.usize(0..4)).map(|_| format!(", {}", pick(rng, &MODIFIERS))).collect()
}

fn formatted(rng: &mut Rng) -> String {
    let parts = |rng: &mut Rng| if one_in(rng, 3) { *pick(rng, &["a ", "é"]) } else { *pick(rng, &CONVERSIONS) };
    let format: String = (0..rng.usize(1..3)).map(|_| parts(rng)).collect();
    let arguments: String = (0..rng.usize(0..4)).map(|_| format!(", {}", value(rng))).collect();
    format!("printf('{format}'{arguments})")
}

fn value(rng: &mut Rng) -> &'static str {
    let values = match rng.u32(0..3) {
        0 => &NUMBERS[..],
        1 => &STRINGS[..],
        _ => &JSON[..],
    };
    values[rng.usize(0..values.len())]
}
