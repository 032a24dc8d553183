//! Medians and spread.

/// The statistics of a list of samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Half of the samples are less.
    pub median: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// A quarter of the samples are less.
    pub lower_quartile: f64,
    /// Three quarters of the samples are less.
    pub upper_quartile: f64,
}

impl Summary {
    /// The statistics; None without samples.
    pub fn of(samples: &[f64]) -> Option<Summary> {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        Some(Summary {
            median: quantile(&sorted, 0.5)?,
            min: *sorted.first()?,
            max: *sorted.last()?,
            lower_quartile: quantile(&sorted, 0.25)?,
            upper_quartile: quantile(&sorted, 0.75)?,
        })
    }
}

/// The median; NaN without samples.
pub fn median(samples: &[f64]) -> f64 {
    Summary::of(samples).map_or(f64::NAN, |s| s.median)
}

/// The value below which the fraction `at` of the sorted samples lies, interpolated between two samples.
fn quantile(sorted: &[f64], at: f64) -> Option<f64> {
    let place = at * (sorted.len().checked_sub(1)?) as f64;
    let (below, part) = (place.floor() as usize, place.fract());
    let next = sorted.get(below + 1).unwrap_or(&sorted[below]);
    Some(sorted[below] + part * (next - sorted[below]))
}

/// The geometric mean; NaN without values.
pub fn geometric_mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for value in values {
        sum += value.ln();
        count += 1;
    }
    (sum / f64::from(count)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries() {
        check(&[3.0], 3.0, 3.0, 3.0);
        check(&[1.0, 3.0], 2.0, 1.0, 3.0);
        check(&[9.0, 1.0, 2.0], 2.0, 1.0, 9.0);
        check(&[4.0, 1.0, 2.0, 3.0], 2.5, 1.0, 4.0);
        assert_eq!(Summary::of(&[]), None);
    }

    fn check(samples: &[f64], median: f64, min: f64, max: f64) {
        let summary = Summary::of(samples).unwrap();
        assert_eq!((summary.median, summary.min, summary.max), (median, min, max), "{samples:?}");
    }

    #[test]
    fn the_geometric_mean_of_4_and_9_is_6() {
        assert!((geometric_mean([4.0, 9.0]) - 6.0).abs() < 1e-12);
    }
}
