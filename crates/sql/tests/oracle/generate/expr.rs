//! Random expressions.

use super::Writer;

/// `and` and `or` are listed twice, so that they are chosen more often.
#[rustfmt::skip]
const BINARY_OPERATORS: &[&str] = &[
    "+", "-", "*", "/", "%", "||", "->", "->>",
    "=", "==", "<>", "!=", "<", "<=", ">", ">=", "<<", ">>", "&", "|",
    "and", "and", "or", "or", "is", "is not", "is distinct from", "is not distinct from",
    "like", "glob", "match", "regexp", "not like", "not match",
];

impl Writer {
    pub(super) fn expr(&mut self) {
        if !self.nests() {
            return self.leaf();
        }
        match self.random.below(30) {
            0..=8 => self.leaf(),
            9..=14 => {
                self.expr();
                self.pick(BINARY_OPERATORS);
                self.expr();
            }
            15 => {
                self.pick(&["-", "+", "~", "not"]);
                self.expr();
            }
            16 => {
                self.expr();
                self.pick(&["isnull", "notnull", "not null", "collate nocase", "collate 'x'", "collate binary"]);
            }
            17 => {
                self.expr();
                self.pick(&["between", "not between"]);
                self.expr();
                self.word("and");
                self.expr();
            }
            18 | 19 => self.in_set(),
            20 => self.in_parens(Self::expr),
            21 => self.in_parens(Self::select),
            22 => self.case(),
            23 => {
                self.word("cast (");
                self.expr();
                self.word("as");
                self.type_name();
                self.word(")");
            }
            24..=26 => self.call(),
            27 => {
                self.pick(&["exists", "not exists"]);
                self.in_parens(Self::select);
            }
            28 => self.in_parens(|w| {
                w.expr();
                w.word(",");
                w.list(Self::expr);
            }),
            _ => {
                self.expr();
                self.pick(&["like", "not glob"]);
                self.expr();
                self.word("escape");
                self.expr();
            }
        }
    }

    pub(super) fn leaf(&mut self) {
        match self.random.below(14) {
            0..=4 => self.name(),
            5 => {
                self.pick(&["t", "u", "main . t", "'t'"]);
                self.word(".");
                self.name();
            }
            6 => self.pick(&["null", "current_date", "current_time", "current_timestamp", "true", "false"]),
            7 => self.pick(&["1.5", "1e3", ".5", "1_000", "0x1f", "9223372036854775808", "0xfffffffffffffffff", "5."]),
            8 => self.pick(&["'s'", "'it''s'", "x'00ff'", "\"s\""]),
            9 => self.pick(&["?", "?2", ":a", "@b", "$c", "$c::d(e)", "#a"]),
            10 if self.random.one_in(3) => {
                self.pick(&["raise ( ignore )", "raise ( abort , 'x' )", "raise ( fail , a || b )"])
            }
            _ => self.pick(&["1", "2", "0", "42"]),
        }
    }

    pub(super) fn in_set(&mut self) {
        self.expr();
        self.pick(&["in", "not in"]);
        match self.random.below(5) {
            0 => self.in_parens(Self::select),
            1 => self.table(),
            2 => {
                self.table();
                self.in_parens(Self::expr);
            }
            3 => self.word("( )"),
            _ => self.in_parens(|w| w.list(Self::expr)),
        }
    }

    pub(super) fn case(&mut self) {
        self.word("case");
        self.maybe(2, Self::expr);
        loop {
            self.word("when");
            self.expr();
            self.word("then");
            self.expr();
            if self.random.one_in(2) {
                break;
            }
        }
        self.maybe(2, |w| {
            w.word("else");
            w.expr();
        });
        self.word("end");
    }

    pub(super) fn call(&mut self) {
        if self.random.one_in(6) {
            self.name();
        } else {
            self.pick(&["abs", "max", "count", "sum", "coalesce", "row_number", "replace", "like", "if", "left"]);
        }
        self.word("(");
        match self.random.below(8) {
            0 => self.word("*"),
            1 => {}
            2 => {
                self.pick(&["distinct", "all"]);
                self.expr();
            }
            3 => {
                self.list(Self::expr);
                self.order_by();
            }
            _ => self.list(Self::expr),
        }
        self.word(")");
        self.maybe(6, |w| {
            w.word("filter ( where");
            w.expr();
            w.word(")");
        });
        self.maybe(5, |w| {
            w.word("over");
            if w.random.one_in(3) { w.name() } else { w.window() }
        });
    }

    pub(super) fn window(&mut self) {
        self.word("(");
        self.maybe(5, Self::name);
        self.maybe(2, |w| {
            w.word("partition by");
            w.list(Self::expr);
        });
        self.maybe(2, Self::order_by);
        self.maybe(2, |w| {
            w.pick(&["rows", "range", "groups"]);
            if w.random.one_in(2) {
                w.frame_bound();
            } else {
                w.word("between");
                w.frame_bound();
                w.word("and");
                w.frame_bound();
            }
            w.pick(&["", "", "exclude no others", "exclude current row", "exclude group", "exclude ties"]);
        });
        self.word(")");
    }

    pub(super) fn frame_bound(&mut self) {
        match self.random.below(5) {
            0 => self.word("current row"),
            1 => self.word("unbounded preceding"),
            2 => self.word("unbounded following"),
            _ => {
                self.expr();
                self.pick(&["preceding", "following"]);
            }
        }
    }

    pub(super) fn order_by(&mut self) {
        self.word("order by");
        self.list(Self::order_term);
    }

    pub(super) fn order_term(&mut self) {
        self.expr();
        self.pick(&["", "", "", "asc", "desc"]);
        self.pick(&["", "", "", "", "nulls first", "nulls last"]);
    }
}
