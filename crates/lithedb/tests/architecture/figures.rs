//! The table of figures in docs/BENCHMARKS.md agrees with docs/benchmarks/results.json: `UPDATE=1` writes it anew.

use std::fs;

use lithe::{Connection, Row};

use crate::root;

const BEGIN: &str = "<!-- figures: made from benchmarks/results.json -->\n";
const END: &str = "<!-- end of figures -->\n";

/// One row of the table for each goal, in the order of the file.
const GOALS: &str = "
    SELECT e.value ->> 'id', g.value ->> 'what', g.value ->> 'than', g.value ->> 'wanted', g.value ->> 'measured', g.value ->> 'limit'
    FROM json_each(?1, '$.experiments') e, json_each(e.value, '$.goals') g";

#[test]
fn the_table_of_figures_is_that_of_the_results() {
    let page = root().join("docs/BENCHMARKS.md");
    let text = fs::read_to_string(&page).unwrap();
    let (before, rest) = text.split_once(BEGIN).expect("the mark where figures begin");
    let (shown, after) = rest.split_once(END).expect("the mark where they end");
    let table = table().unwrap();
    if std::env::var_os("UPDATE").is_some() {
        fs::write(page, format!("{before}{BEGIN}{table}{END}{after}")).unwrap();
    } else {
        assert_eq!(shown, table, "stale: run this test with UPDATE=1");
    }
}

fn table() -> lithe::Result<String> {
    let results = fs::read_to_string(root().join("docs/benchmarks/results.json")).unwrap();
    let connection = Connection::open_in_memory()?;
    let mut statement = connection.prepare(GOALS)?;
    statement.bind(1, results.as_str())?;
    let (mut rows, mut goals, mut reached, mut out_of_reach) = (String::new(), 0, 0, 0);
    while let Some(row) = statement.step()? {
        let (line, verdict) = line(&row)?;
        rows += &line;
        goals += 1;
        reached += i32::from(verdict == Verdict::Reached);
        out_of_reach += i32::from(verdict == Verdict::OutOfReach);
    }
    Ok(format!(
        "{reached} of {goals} goals were reached; {out_of_reach} of the others are missed by the limit itself, the same pages and \
         syncs by bare calls.\n\n| experiment | what | goal | measured | |\n| --- | --- | --- | --- | --- |\n{rows}"
    ))
}

#[derive(PartialEq)]
enum Verdict {
    Reached,
    Missed,
    OutOfReach,
}

fn line(row: &Row<'_>) -> lithe::Result<(String, Verdict)> {
    let (experiment, what, than): (&str, &str, &str) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let (wanted, measured): (f64, f64) = (row.get(3)?, row.get(4)?);
    let limit: Option<f64> = row.get(5)?;
    let (verdict, words) = match limit {
        _ if measured >= wanted => (Verdict::Reached, "reached".to_owned()),
        Some(limit) if limit < wanted => (Verdict::OutOfReach, format!("**missed**; the limit itself {limit:.2}")),
        Some(limit) => (Verdict::Missed, format!("**missed**; limit {limit:.2}")),
        None => (Verdict::Missed, "**missed**".to_owned()),
    };
    let what = what.trim_end_matches(',');
    Ok((format!("| `{experiment}` | {what}, against {than} | {wanted} | {measured:.2} | {words} |\n"), verdict))
}
