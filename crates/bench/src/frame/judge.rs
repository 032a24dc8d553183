//! Compares measurements with goals.

use crate::frame::goals::{Better, Goal};
use crate::frame::results::Experiment;

/// A goal in terms of a chart's rows, before the measured ratio is known.
pub struct GoalSpec<'a> {
    /// The chart.
    pub chart: &'a str,
    /// Lithe's row.
    pub row: &'a str,
    /// The row that it is compared with.
    pub against: &'a str,
    /// See [`Goal::what`].
    pub what: String,
    /// See [`Goal::than`].
    pub than: &'a str,
    /// See [`Goal::wanted`].
    pub times: f64,
    /// See [`Goal::better`].
    pub better: Better,
    /// The limit's row, if the chart has one: see [`Goal::limit`].
    pub limit: Option<&'a str>,
}

impl<'a> GoalSpec<'a> {
    /// The same goal, with that row as its limit.
    pub fn within(self, limit: &'a str) -> GoalSpec<'a> {
        GoalSpec { limit: Some(limit), ..self }
    }
}

impl Experiment {
    /// Adds a goal with a known ratio; the first goal of an experiment is its headline.
    pub fn judge_ratio(&mut self, what: String, than: &str, wanted: f64, measured: f64) {
        let (than, is_headline) = (than.to_owned(), self.goals.is_empty());
        self.goals.push(Goal { what, than, wanted, measured, is_headline, better: Better::Faster, limit: None });
    }

    /// Adds the goals whose rows were measured; the first of them is the headline.
    pub fn judge(&mut self, wanted: &[GoalSpec<'_>]) {
        for goal in wanted {
            let Some(chart) = self.chart(goal.chart) else { continue };
            let (Some(row), Some(against)) = (chart.row(goal.row), chart.row(goal.against)) else { continue };
            let measured = chart.advantage(row, against);
            if measured.is_finite() {
                let is_headline = self.goals.is_empty();
                let (what, than) = (goal.what.clone(), goal.than.to_owned());
                let limit = goal.limit.and_then(|id| chart.row(id)).map(|row| chart.advantage(row, against));
                let limit = limit.filter(|ratio| ratio.is_finite());
                let (wanted, better) = (goal.times, goal.better);
                self.goals.push(Goal { what, than, wanted, measured, is_headline, better, limit });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::results::{Chart, Name, Row, Side};

    #[test]
    fn a_goal_beyond_the_limit_is_said_to_be() {
        check_limit_note(2.0, 1.25, None);
        check_limit_note(1.0, 2.5, Some("the limit itself 2.5 times"));
        check_limit_note(1.0, 1.6, Some("the limit itself 1.6 times: out of reach"));
        // Lithe can exceed the limit only by chance: a goal that is reached needs no excuse.
        check_limit_note(2.5, 1.6, None);
    }

    /// Checks the excuse for these ratios of Lithe and the limit to SQLite, with a goal of 2.
    fn check_limit_note(lithe: f64, limit: f64, limit_note: Option<&str>) {
        let row = |id, side, times: f64| Row { name: Name::new(id, id, side), samples: vec![10.0 / times] };
        let rows = vec![row("s", Side::Sqlite, 1.0), row("l", Side::Lithe, lithe), row("bare", Side::Limit, limit)];
        let charts = vec![Chart::bars("c", "C", "µs", rows)];
        let mut experiment = Experiment { charts, ..Experiment::default() };
        let what = "Lithe writes".to_owned();
        let (than, better, times) = ("SQLite", Better::Faster, 2.0);
        let wanted = GoalSpec { chart: "c", row: "l", against: "s", what, than, times, better, limit: None };
        experiment.judge(&[wanted.within("bare")]);
        assert_eq!(experiment.goals[0].limit, Some(limit));
        assert_eq!(experiment.goals[0].limit_note().as_deref(), limit_note);
    }
}
