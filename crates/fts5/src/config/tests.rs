//! Arguments with SQLite's answers, behind a column `a`.

use super::*;

fn parse(arguments: &[&str]) -> std::result::Result<Config, String> {
    Config::parse("x", &[&["a"], arguments].concat()).map_err(|error| error.into_message().into_owned())
}

#[test]
fn messages() {
    for (argument, expected) in [
        ("prefix='2,'", "malformed prefix=... directive"),
        ("prefix='0'", "prefix length out of range (max 999)"),
        ("prefix='2,,3'", "malformed prefix=... directive"),
        ("prefix=',2'", "malformed prefix=... directive"),
        ("prefix='2x'", "malformed prefix=... directive"),
        ("prefix='1000'", "prefix length out of range (max 999)"),
        ("detail=''", "malformed detail=... directive"),
        ("columnsize=2", "malformed columnsize=... directive"),
        ("columnsize=''", "malformed columnsize=... directive"),
        ("'prefix'=2", "parse error in \"'prefix'=2\""),
        ("b c", "unrecognized column option: c"),
        ("b UNINDEXED c", "parse error in \"b UNINDEXED c\""),
        ("rank", "reserved fts5 column name: rank"),
        ("=x", "parse error in \"=x\""),
        ("b =", "unrecognized option: \"b\""),
        ("tokenize='ascii (x'", "parse error in tokenize directive"),
        ("x y=z", "parse error in \"x y=z\""),
        ("contentless_delete=1", "contentless_delete=1 requires a contentless table"),
        ("contentless_delete=x", "malformed contentless_delete=... directive"),
        ("locale=2", "malformed locale=... directive"),
        ("tokendata=2", "malformed tokendata=... directive"),
        ("contentless_unindexed=1", "contentless_unindexed=1 requires a contentless table"),
        ("zz=1", "unrecognized option: \"zz\""),
        ("a.b", "parse error in \"a.b\""),
    ] {
        assert_eq!(parse(&[argument]).unwrap_err(), expected, "{argument}");
    }
    let together = ["content=''", "contentless_delete=1", "columnsize=0"];
    assert_eq!(parse(&together).unwrap_err(), "contentless_delete=1 is incompatible with columnsize=0");
    assert_eq!(parse(&["content=b", "content=c"]).unwrap_err(), "multiple content=... directives");
}

#[test]
fn options() {
    let config =
        parse(&["[b c]", "'d'UNINDEXED", "p='2 3'", "detail=c", "tokenize='ascii separators ''x y'''"]).unwrap();
    let names: Vec<_> = config.columns.iter().map(|column| (column.name.as_str(), column.is_indexed)).collect();
    assert_eq!(names, [("a", true), ("b c", true), ("d", false)]);
    assert_eq!(config.prefixes, [2, 3]);
    assert_eq!(config.detail, Detail::Columns);
    assert_eq!(config.tokenizer, ["ascii", "separators", "x y"]);
    assert_eq!(config.content, Content::Own);
    assert_eq!(parse(&["cont=''"]).unwrap().content, Content::None);
    assert_eq!(parse(&["content="]).unwrap().content, Content::None);
    assert_eq!(parse(&["content=t"]).unwrap().content, Content::External("t".to_owned()));
    assert_eq!(parse(&["prefix=''", "tokenize=''"]).unwrap(), parse(&[]).unwrap());
}
