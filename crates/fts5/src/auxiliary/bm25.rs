//! `bm25(table, weight, …)`: how well the row fits the query. Better is less.
//!
//! ```text
//!   - sum over phrases of   idf * f * (k1 + 1) / (f + k1 * (1 - b + b * D / average D))
//!
//!   f    how often the phrase occurs in the row, each time with the weight of the column
//!   D    how many tokens the row has
//!   idf  ln((N - n + 0.5) / (n + 0.5)), N rows in all, n with the phrase; 1e-6 if that is not positive
//! ```

use std::rc::Rc;

use lithe_value::cast;
use lithe_vtab::{Value, ValueRef};

use super::api::Api;
use crate::Result;
use crate::position::column_of;

const K1: f64 = 1.2;
const B: f64 = 0.75;
/// The least weight of a phrase: another instance never makes a rank worse.
const IDF_MIN: f64 = 1e-6;

/// The numbers that are the same for all rows of a scan.
struct Weights {
    idf: Vec<f64>,
    average_len: f64,
}

impl Weights {
    fn of(api: &Api<'_>) -> Result<Weights> {
        let (rows, totals) = (api.row_count()? as f64, api.totals()?);
        let tokens: u64 = totals.tokens.iter().fold(0, |sum, tokens| sum.wrapping_add(*tokens));
        let idf = |phrase| {
            let found = api.count_rows(phrase)? as f64;
            let idf = ((rows - found + 0.5) / (found + 0.5)).ln();
            Ok(if idf <= 0.0 { IDF_MIN } else { idf })
        };
        let idf = (0..api.phrase_count()).map(idf).collect::<Result<_>>()?;
        Ok(Weights { idf, average_len: tokens as f64 / rows })
    }
}

/// The function.
pub fn bm25(api: &mut Api<'_>, arguments: &[ValueRef<'_>]) -> Result<Value> {
    let weights = match api.auxiliary().and_then(|kept| kept.downcast::<Weights>().ok()) {
        Some(known) => known,
        None => {
            let made = Rc::new(Weights::of(api)?);
            api.set_auxiliary(Some(made.clone()));
            made
        }
    };
    let len = api.column_size(None)? as f64;
    let mut score = 0.0;
    for (phrase, idf) in weights.idf.iter().enumerate() {
        let mut frequency = 0.0;
        api.each_position(phrase, &mut |position| {
            frequency += arguments.get(column_of(position)).map_or(1.0, |weight| cast::to_real(*weight));
        })?;
        score += idf * (frequency * (K1 + 1.0) / (frequency + K1 * (1.0 - B + B * len / weights.average_len)));
    }
    Ok(Value::from(ValueRef::Real(-score)))
}
