//! Random queries, and the statements that change rows.

use super::Writer;

impl Writer {
    pub(super) fn select(&mut self) {
        self.maybe(8, Self::with);
        self.select_core();
        while self.random.one_in(6) {
            self.pick(&["union", "union all", "except", "intersect"]);
            self.select_core();
        }
    }

    pub(super) fn with(&mut self) {
        self.pick(&["with", "with recursive"]);
        self.list(|w| {
            w.pick(&["p", "q", "r", "s", "'p'", "recursive"]);
            w.maybe(3, |w| w.in_parens(|w| w.list(Self::indexed_name)));
            w.pick(&["as", "as", "as materialized", "as not materialized"]);
            w.in_parens(Self::select);
        });
    }

    pub(super) fn select_core(&mut self) {
        if self.random.one_in(8) || !self.nests() {
            self.word("values");
            return self.list(|w| w.in_parens(|w| w.list(Self::expr)));
        }
        self.word("select");
        self.pick(&["", "", "", "distinct", "all"]);
        self.result_columns();
        self.maybe(2, |w| {
            w.word("from");
            w.from();
        });
        self.maybe(3, Self::filter);
        self.maybe(6, |w| {
            w.word("group by");
            w.list(Self::expr);
        });
        self.maybe(10, |w| {
            w.word("having");
            w.expr();
        });
        self.maybe(10, |w| {
            w.word("window");
            w.list(|w| {
                w.name();
                w.word("as");
                w.window();
            });
        });
        self.maybe(6, Self::order_by);
        self.maybe(6, |w| {
            w.word("limit");
            w.expr();
            w.maybe(2, |w| {
                w.pick(&["offset", ","]);
                w.expr();
            });
        });
    }

    pub(super) fn result_columns(&mut self) {
        self.list(|w| match w.random.below(7) {
            0 => w.word("*"),
            1 => {
                w.table();
                w.word(". *");
            }
            _ => {
                w.expr();
                w.alias();
            }
        });
    }

    pub(super) fn alias(&mut self) {
        match self.random.below(6) {
            0 => {
                self.word("as");
                self.name();
            }
            1 => self.name(),
            _ => {}
        }
    }

    pub(super) fn filter(&mut self) {
        self.word("where");
        self.expr();
    }

    pub(super) fn joined_item(&mut self) {
        match self.random.below(10) {
            0 if self.nests() => {
                self.in_parens(Self::select);
                self.alias();
            }
            1 if self.nests() => {
                self.in_parens(Self::from);
                self.alias();
            }
            2 => {
                self.pick(&["t", "f", "main . f"]);
                self.word("(");
                self.maybe(2, |w| w.list(Self::expr));
                self.word(")");
                self.alias();
            }
            _ => {
                self.table();
                self.alias();
                self.indexed();
            }
        }
    }

    pub(super) fn from(&mut self) {
        self.joined_item();
        while self.random.one_in(3) {
            self.pick(&[
                ",",
                ",",
                "join",
                "inner join",
                "left join",
                "left outer join",
                "right join",
                "full join",
                "full outer join",
                "cross join",
                "natural join",
                "natural left join",
                "outer join",
                "left x join",
                "natural full outer join",
                "inner cross join",
                "left inner join",
            ]);
            self.joined_item();
            match self.random.below(4) {
                0 => {
                    self.word("on");
                    self.expr();
                }
                1 => {
                    self.word("using");
                    self.in_parens(|w| w.list(Self::name));
                }
                _ => {}
            }
        }
    }

    pub(super) fn indexed(&mut self) {
        self.pick(&["", "", "", "", "", "", "", "", "indexed by i", "not indexed"]);
    }

    pub(super) fn target(&mut self) {
        self.table();
        self.maybe(6, |w| {
            w.word("as");
            w.name();
        });
    }

    pub(super) fn or_action(&mut self) {
        self.pick(&["", "", "", "", "or rollback", "or abort", "or fail", "or ignore", "or replace"]);
    }

    pub(super) fn insert(&mut self, in_trigger: bool) {
        if !in_trigger {
            self.maybe(6, Self::with);
        }
        if self.random.one_in(5) {
            self.word("replace");
        } else {
            self.word("insert");
            self.or_action();
        }
        self.word("into");
        self.target();
        self.maybe(3, |w| w.in_parens(|w| w.list(Self::name)));
        if self.random.one_in(12) {
            self.word("default values");
        } else {
            self.select();
            while self.random.one_in(4) {
                self.upsert();
            }
        }
        self.maybe(6, Self::returning);
    }

    pub(super) fn upsert(&mut self) {
        self.word("on conflict");
        self.maybe(2, |w| {
            w.in_parens(|w| w.list(Self::order_term));
            w.maybe(4, Self::filter);
        });
        if self.random.one_in(2) {
            return self.word("do nothing");
        }
        self.word("do update set");
        self.list(Self::assignment);
        self.maybe(3, Self::filter);
    }

    pub(super) fn assignment(&mut self) {
        if self.random.one_in(4) {
            self.in_parens(|w| w.list(Self::name));
        } else {
            self.name();
        }
        self.word("=");
        self.expr();
    }

    pub(super) fn returning(&mut self) {
        self.word("returning");
        self.result_columns();
    }

    pub(super) fn update(&mut self, in_trigger: bool) {
        if !in_trigger {
            self.maybe(6, Self::with);
        }
        self.word("update");
        self.or_action();
        self.target();
        self.indexed();
        self.word("set");
        self.list(Self::assignment);
        self.maybe(4, |w| {
            w.word("from");
            w.from();
        });
        self.maybe(2, Self::filter);
        self.maybe(6, Self::returning);
    }

    pub(super) fn delete(&mut self, in_trigger: bool) {
        if !in_trigger {
            self.maybe(6, Self::with);
        }
        self.word("delete from");
        self.target();
        self.indexed();
        self.maybe(2, Self::filter);
        self.maybe(6, Self::returning);
    }
}
