//! The paths of a virtual table: the plans that its module returns for the constraints (xBestIndex).
//!
//! The module is called with all constraints first. If its plan depends on other sources, or loops over the values of an
//! IN, it is called again with fewer constraints, so that there are candidates for every order of the loops.

use std::cell::RefCell;

use lithe_catalog::{CompileError, ConnectedTable, Result, Table, fail};
use lithe_resolve::ir::{Coll, ColumnIndex, Expr, Limit, SourceSet, is_constant, literal_value};
use lithe_vtab::CompiledScan;
use lithe_vtab::{IndexConstraint, IndexInfo, IndexOrder, OrderUse, ScanPlan, Usage, constraint};

use super::PathFinder;
use crate::access::candidate::{Argument, ArgumentOf, Candidate, VirtualWay, Way};
use crate::access::log_est::LogEst;
use crate::access::terms::{Constraint, ConstraintId, Left, MadeOf, Op, Right};

/// The number of the rowid among column numbers.
const ROWID: i32 = -1;

/// A virtual table whose module is called.
#[derive(Clone, Copy)]
struct Asked<'c, 'a> {
    source: usize,
    must_follow: SourceSet,
    table: &'a Table,
    connected: ConnectedTable,
    /// The constraints, each with the column that it is on.
    ids: &'c [(ConstraintId, ColumnIndex)],
    /// LIMIT and OFFSET, if the table may apply them.
    limit: Option<&'a Limit<'a>>,
    /// The plans returned so far, by the usable constraints: the module is not called twice with the same ones.
    answers: &'c RefCell<Vec<(Vec<bool>, Option<Answer>)>>,
}

impl<'a> PathFinder<'_, 'a> {
    /// Adds the candidates of a virtual table.
    pub(super) fn add_virtual(
        &mut self,
        source: usize,
        must_follow: SourceSet,
        table: &'a Table,
        connected: ConnectedTable,
    ) -> Result<()> {
        let ids = self.virtual_constraints(source);
        let limit = self.limit_for(source, &ids);
        let asked = Asked { source, must_follow, table, connected, ids: &ids, limit, answers: &RefCell::default() };
        let all = self.ask(asked, |_| true)?;
        let is_simple = all.is_some_and(|answer| answer.needs.is_subset_of(must_follow) && !answer.has_in);
        if is_simple {
            return Ok(());
        }
        let is_in = |constraint: &Constraint<'a>| constraint.op == Op::In;
        if all.is_some_and(|answer| answer.has_in) {
            self.ask(asked, |constraint| !is_in(constraint))?;
        }
        let mut tried: Vec<SourceSet> = vec![SourceSet::EMPTY];
        for &(id, _) in &ids {
            let needs = self.terms.constraint(id).needs;
            if !tried.contains(&needs) {
                tried.push(needs);
                let known = needs.union(must_follow);
                self.ask(asked, |constraint| constraint.needs.is_subset_of(known))?;
            }
        }
        let alone = self.ask(asked, |constraint| constraint.needs.is_empty())?;
        if alone.is_none_or(|answer| answer.has_in) {
            self.ask(asked, |constraint| constraint.needs.is_empty() && !is_in(constraint))?;
        }
        Ok(())
    }

    /// The constraints on columns of the table that are passed to its module.
    fn virtual_constraints(&self, source: usize) -> Vec<(ConstraintId, ColumnIndex)> {
        let info = &self.infos[source];
        // The same scan runs once more for rows that have not joined, so for a RIGHT joined table it must not leave out rows.
        // The arguments of a function are passed all the same, because they determine its rows.
        let is_right = info.source.join.keeps_right_rows();
        let is_argument = |constraint: &Constraint<'a>, column: ColumnIndex| {
            let column = column.position().and_then(|at| info.table?.columns.get(at));
            constraint.op == Op::Eq && column.is_some_and(|column| column.hidden)
        };
        let is_usable = |constraint: &Constraint<'a>, column: ColumnIndex| {
            constraint.source == source
                && (!is_right || is_argument(constraint, column))
                && !constraint.needs.contains(source)
                && constraint.made_of != MadeOf::NotNull
                && info.admits(self.terms.conditions[constraint.condition].origin)
        };
        let on_columns = self.terms.numbered().filter_map(|(id, constraint)| match constraint.left {
            Left::Column(column) => Some((id, column, constraint)),
            Left::Expr(_) => None,
        });
        on_columns.filter(|(_, column, of)| is_usable(of, *column)).map(|(id, column, _)| (id, column)).collect()
    }

    /// Calls the module with those constraints that `may_use` admits, and adds the returned plan as a candidate.
    fn ask(&mut self, asked: Asked<'_, 'a>, may_use: impl Fn(&Constraint<'a>) -> bool) -> Result<Option<Answer>> {
        let usable: Vec<bool> = asked.ids.iter().map(|&(id, _)| may_use(self.terms.constraint(id))).collect();
        let known = asked.answers.borrow().iter().find(|(question, _)| *question == usable).map(|(_, answer)| *answer);
        if let Some(answer) = known {
            return Ok(answer);
        }
        let mut info = self.question(asked, &usable, usable.iter().all(|&usable| usable))?;
        if info.as_ref().is_some_and(|info| self.is_limit_misplaced(asked, info)) {
            info = self.question(asked, &usable, false)?;
        }
        let answer = info.map(|info| self.add_answer(asked, info)).transpose()?;
        asked.answers.borrow_mut().push((usable, answer));
        Ok(answer)
    }

    /// LIMIT and OFFSET, if the table may apply them: every condition and the order are passed to its module.
    fn limit_for(&self, source: usize, ids: &[(ConstraintId, ColumnIndex)]) -> Option<&'a Limit<'a>> {
        let limit = self.limit?;
        let is_told = |at: usize| {
            let mut of_it = ids.iter().map(|&(id, _)| self.terms.constraint(id)).filter(|of| of.condition == at);
            match self.terms.conditions[at].parts {
                // LIKE and its like are told as a whole, the comparison of rows is not.
                0 => of_it.any(|of| matches!(of.op, Op::Virtual(_))),
                parts => of_it.fold(0, |told, of| told | of.part) & parts == parts,
            }
        };
        let is_ordered = self.order.columns.is_empty() || !self.index_order(source).0.is_empty();
        let is_fixed = is_constant(&limit.limit) && limit.offset.as_ref().is_none_or(is_constant);
        let all_told = (0..self.terms.conditions.len()).all(is_told);
        (self.infos.len() == 1 && is_ordered && is_fixed && all_told).then_some(limit)
    }

    /// Whether the module would apply LIMIT although it does not apply every constraint, and so would count rows that are dropped
    /// later. The module may apply LIMIT even if it does not return the rows in the wanted order.
    fn is_limit_misplaced(&self, asked: Asked<'_, 'a>, info: &IndexInfo) -> bool {
        let (own, limits) = info.usage.split_at(asked.ids.len().min(info.usage.len()));
        if limits.iter().all(|usage| usage.argument == 0) {
            return false;
        }
        let is_handled = |(&(id, _), usage): (&(ConstraintId, ColumnIndex), &Usage)| {
            usage.argument > 0 && (self.terms.constraint(id).op != Op::In || usage.all_at_once)
        };
        !asked.ids.iter().zip(own).all(is_handled)
    }

    /// The plan that the module returns; none if it has no plan for these constraints.
    fn question(&self, asked: Asked<'_, 'a>, usable: &[bool], may_limit: bool) -> Result<Option<IndexInfo>> {
        let constraints = asked.ids.iter().zip(usable);
        let constraints = constraints
            .map(|(&(id, column), &usable)| self.index_constraint(self.terms.constraint(id), column, usable));
        let count = |op, value: Expr<'a>| IndexConstraint {
            column: 0,
            op,
            usable: may_limit,
            collation: "BINARY".to_owned(),
            value: literal_value(&value),
            is_in: false,
        };
        let offset = asked.limit.and_then(|limit| limit.offset).map(|offset| count(constraint::OFFSET, offset));
        let limit = asked.limit.map(|limit| count(constraint::LIMIT, limit.limit));
        let mut info = IndexInfo::new(constraints.chain(offset).chain(limit).collect());
        // Of a row that is changed all columns are read.
        let is_changed = self.for_write && !self.in_or;
        info.columns_used = if is_changed { u64::MAX } else { self.columns_used(asked.source) };
        (info.order_by, info.order_use) = self.index_order(asked.source);
        let Some(table) = self.context.env.virtual_tables.get(asked.connected.id.0) else {
            return Err(CompileError::unconnected(lithe_base::Db::MAIN, &asked.table.name));
        };
        match table.best_index(&mut info) {
            Ok(true) => Ok(Some(info)),
            Ok(false) => Ok(None),
            Err(error) => {
                let code = lithe_base::ResultCode(error.code);
                let text = if error.message.is_empty() { code.text().into() } else { error.into_message() };
                Err(CompileError::new(text).with_code(code))
            }
        }
    }

    fn add_answer(&mut self, asked: Asked<'_, 'a>, info: IndexInfo) -> Result<Answer> {
        let malfunction = || fail(format!("{}.xBestIndex malfunction", asked.table.name));
        let mut arguments: Vec<(u32, Argument)> = Vec::new();
        let (mut needs, mut has_in) = (asked.must_follow, false);
        let own = asked.ids.iter().map(|&(id, _)| ArgumentOf::Constraint(id));
        let offset = asked.limit.and_then(|limit| limit.offset).map(|_| ArgumentOf::Offset);
        let all = own.chain(offset).chain(asked.limit.map(|_| ArgumentOf::Limit));
        for ((of, constraint), usage) in all.zip(&info.constraints).zip(&info.usage) {
            let Usage { argument, omit, all_at_once } = *usage;
            if argument == 0 {
                continue;
            }
            let is_taken = arguments.iter().any(|(at, _)| *at == argument);
            if !constraint.usable || is_taken || argument as usize > info.constraints.len() {
                return malfunction();
            }
            let all_at_once = all_at_once && constraint.is_in;
            if let ArgumentOf::Constraint(id) = of {
                needs = needs.union(self.terms.constraint(id).needs);
                has_in |= self.terms.constraint(id).op == Op::In && !all_at_once;
            }
            arguments.push((argument, Argument { of, omit, all_at_once }));
        }
        arguments.sort_by_key(|(at, _)| *at);
        if arguments.iter().enumerate().any(|(at, (argument, _))| *argument as usize != at + 1) {
            return malfunction();
        }
        let gives_order = info.order_by_consumed && !info.order_by.is_empty() && !has_in;
        let arguments: Vec<Argument> = arguments.into_iter().map(|(_, argument)| argument).collect();
        let scan = self.found.scans.len();
        let mut candidate = Candidate::new(asked.source, needs, Way::Virtual(scan));
        candidate.used = arguments
            .iter()
            .filter_map(|argument| match argument.of {
                ArgumentOf::Constraint(id) => Some(id),
                ArgumentOf::Limit | ArgumentOf::Offset => None,
            })
            .collect();
        candidate.run = cost(info.estimated_cost);
        candidate.rows = LogEst::of(info.estimated_rows.max(1).cast_unsigned());
        candidate.one_row = info.finds_one_row && !has_in;
        candidate.gives_order = gives_order;
        let shows_hex = info.shows_hex;
        let is_reusable =
            self.context.env.virtual_tables.get(asked.connected.id.0).is_some_and(|table| table.has_reusable_plans());
        let scan = CompiledScan {
            plan: info.plan,
            arguments: arguments.len() as u16,
            is_reusable,
            // (Known when the program is.)
            columns_read: u64::MAX,
        };
        self.found.scans.push(VirtualWay { arguments, scan, shows_hex });
        self.found.add(candidate);
        Ok(Answer { needs, has_in })
    }

    fn index_constraint(&self, of: &Constraint<'a>, column: ColumnIndex, usable: bool) -> IndexConstraint {
        let (mut value, mut is_in) = (None, false);
        match of.right {
            Right::Value(expr) => value = literal_value(&expr),
            // Each column of a set of row values is a constraint of its own, but its values come only from the set.
            Right::Set(set, _) => is_in = set.how.len() == 1,
            Right::Null | Right::Row(..) => {}
        }
        let is_null = of.op == Op::IsNull;
        let own =
            || column.position().and_then(|at| Some(Coll::of(&self.infos[of.source].table?.columns[at].collation)));
        let collation = match own().filter(|_| is_null).unwrap_or(of.how.collation) {
            // IN compares as its left side does, whatever the collation of the query.
            _ if of.op == Op::In && column.position().is_none() => "BINARY".to_owned(),
            Coll::Binary => "BINARY".to_owned(),
            Coll::NoCase => "NOCASE".to_owned(),
            Coll::RTrim => "RTRIM".to_owned(),
            Coll::Named(name) => name.to_str_lossy().into_owned(),
        };
        IndexConstraint { column: number_of(column), op: number_of_op(of), usable, collation, value, is_in }
    }

    fn columns_used(&self, source: usize) -> u64 {
        const LAST: usize = 63;
        self.infos[source].used.positions().fold(0, |all, at| all | 1 << at.min(LAST))
    }

    /// The order, if it consists of columns of this table alone.
    fn index_order(&self, source: usize) -> (Vec<IndexOrder>, OrderUse) {
        let info = &self.infos[source];
        let order_use = match self.order.told {
            None => return (Vec::new(), OrderUse::Sorted),
            // The module knows which columns are used, but not that the rowid is: rows that differ in it must not be dropped.
            Some(OrderUse::Distinct | OrderUse::DistinctSorted) if info.used.has_rowid() => OrderUse::Sorted,
            Some(told) => told,
        };
        let columns = self.order.columns.iter().map(|wanted| {
            let (_, column) = wanted.column.filter(|(of, _)| *of == source)?;
            let own = match column.position() {
                None => Coll::Binary,
                Some(at) => Coll::of(&info.table?.columns[at].collation),
            };
            let is_own = !wanted.nulls_opposite && own == wanted.collation;
            is_own.then_some(IndexOrder { column: number_of(column), descending: wanted.descending })
        });
        match columns.collect::<Option<Vec<IndexOrder>>>() {
            Some(columns) if !columns.is_empty() => (columns, order_use),
            _ => (Vec::new(), OrderUse::Sorted),
        }
    }
}

/// What a returned plan means for the order of loops.
#[derive(Clone, Copy)]
struct Answer {
    needs: SourceSet,
    has_in: bool,
}

fn number_of(column: ColumnIndex) -> i32 {
    column.position().map_or(ROWID, |at| at as i32)
}

fn number_of_op(of: &Constraint<'_>) -> u8 {
    // Rows that are equal in the first column may lie on either side.
    let is_row = matches!(of.right, Right::Row(..));
    match of.op {
        Op::Lt if is_row => constraint::LE,
        Op::Gt if is_row => constraint::GE,
        Op::Eq | Op::In => constraint::EQ,
        Op::Is => constraint::IS,
        Op::IsNull => constraint::ISNULL,
        Op::Lt => constraint::LT,
        Op::Le => constraint::LE,
        Op::Gt => constraint::GT,
        Op::Ge => constraint::GE,
        Op::Virtual(op) => op,
    }
}

/// The estimate of a cost that may be larger than any integer.
fn cost(x: f64) -> LogEst {
    const LARGE: f64 = 2e9;
    if x.is_nan() || x <= 1.0 {
        LogEst::ONE
    } else if x <= LARGE {
        LogEst::of(x as u64)
    } else {
        // As in SQLite, the next power of two above it.
        LogEst(((x.log2().floor() + 1.0) * 10.0).min(f64::from(LogEst::MAX.0) / 4.0) as i16)
    }
}

/// The text of a scan in EXPLAIN QUERY PLAN.
pub fn describe(plan: &ScanPlan, shows_hex: bool) -> String {
    let text = plan.text.as_deref().unwrap_or_default();
    if shows_hex { format!("0x{:x}:{text}", plan.number) } else { format!("{}:{text}", plan.number) }
}
