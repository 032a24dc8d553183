//! Random CREATE statements.

use super::Writer;

impl Writer {
    pub(super) fn create_table(&mut self) {
        self.word("create");
        self.pick(&["", "", "", "temp", "temporary"]);
        self.word("table");
        self.pick(&["", "", "if not exists"]);
        self.new_name();
        if self.random.one_in(8) {
            self.word("as");
            return self.select();
        }
        self.word("(");
        self.list(Self::column);
        self.maybe(2, |w| {
            w.word(",");
            w.table_constraint();
            while w.random.one_in(3) {
                w.pick(&[",", ",", ""]);
                w.table_constraint();
            }
        });
        self.word(")");
        self.maybe(4, |w| {
            w.list(|w| w.pick(&["strict", "without rowid", "without rowid", "without", "foo", "'strict'"]))
        });
    }

    pub(super) fn column(&mut self) {
        if self.random.one_in(3) {
            self.name();
        } else {
            let number = self.random.below(1000);
            self.word(&format!("c{number}"));
        }
        self.maybe(2, Self::type_name);
        while self.random.one_in(3) {
            self.column_constraint();
        }
    }

    pub(super) fn type_name(&mut self) {
        self.pick(&["", "int", "text", "integer", "\"my type\"", "double precision", "int generated always"]);
        self.maybe(6, Self::name);
        self.pick(&["", "", "", "( 5 )", "( -5 , +5.5 )", "( x )"]);
    }

    pub(super) fn constraint_name(&mut self) {
        self.word("constraint");
        self.name();
    }

    pub(super) fn on_conflict(&mut self) {
        self.pick(&[
            "",
            "",
            "",
            "on conflict ignore",
            "on conflict rollback",
            "on conflict replace",
            "on conflict nothing",
        ]);
    }

    pub(super) fn column_constraint(&mut self) {
        self.maybe(6, Self::constraint_name);
        match self.random.below(13) {
            0 => {
                self.pick(&["null", "not null", "unique"]);
                self.on_conflict();
            }
            1 => {
                self.word("primary key");
                self.pick(&["", "", "asc", "desc"]);
                self.on_conflict();
                self.pick(&["", "autoincrement"]);
            }
            2 => self.check(),
            3 => {
                self.word("default");
                self.pick(&[
                    "5",
                    "+5",
                    "-5",
                    "- 'x'",
                    "'x'",
                    "x",
                    "null",
                    "current_date",
                    "1_0",
                    "x'00'",
                    "indexed",
                    "left",
                    "true",
                ]);
            }
            4 => {
                self.word("default");
                self.in_parens(Self::expr);
            }
            5 => self.pick(&["collate nocase", "collate 'x'", "collate"]),
            6 | 7 => self.references(),
            8 => self.deferrable(),
            9 | 10 => {
                self.pick(&["generated always as", "as", "generated as"]);
                self.in_parens(Self::expr);
                self.pick(&["", "stored", "virtual", "foo", "end"]);
            }
            _ => self.pick(&["not null", "unique"]),
        }
    }

    pub(super) fn check(&mut self) {
        self.word("check");
        self.in_parens(Self::expr);
    }

    pub(super) fn references(&mut self) {
        self.word("references");
        self.table();
        self.maybe(2, |w| w.in_parens(|w| w.list(Self::indexed_name)));
        while self.random.one_in(3) {
            self.pick(&["on delete", "on update", "on insert", "match"]);
            self.pick(&["set null", "set default", "cascade", "restrict", "no action", "full"]);
        }
    }

    pub(super) fn deferrable(&mut self) {
        self.pick(&["deferrable", "not deferrable"]);
        self.pick(&["", "initially deferred", "initially immediate"]);
    }

    pub(super) fn indexed_name(&mut self) {
        self.name();
        if self.random.one_in(30) {
            self.pick(&["collate nocase", "asc", "desc"]);
        }
    }

    pub(super) fn table_constraint(&mut self) {
        self.maybe(4, Self::constraint_name);
        match self.random.below(5) {
            0 => {
                self.word("primary key (");
                self.list(Self::order_term);
                self.pick(&["", "", "autoincrement"]);
                self.word(")");
                self.on_conflict();
            }
            1 => {
                self.word("unique");
                self.in_parens(|w| w.list(Self::order_term));
                self.on_conflict();
            }
            2 => {
                self.check();
                self.on_conflict();
            }
            _ => {
                self.word("foreign key");
                self.in_parens(|w| w.list(Self::indexed_name));
                self.references();
                self.maybe(3, Self::deferrable);
            }
        }
    }

    pub(super) fn create_index(&mut self) {
        self.pick(&["create index", "create unique index"]);
        self.pick(&["", "if not exists"]);
        self.new_name();
        self.word("on");
        self.pick(&["t", "u", "a", "'t'"]);
        self.in_parens(|w| w.list(Self::order_term));
        self.maybe(3, Self::filter);
    }

    pub(super) fn create_trigger(&mut self) {
        self.word("create");
        self.pick(&["", "", "", "temp"]);
        self.word("trigger");
        self.pick(&["", "", "if not exists"]);
        self.new_name();
        self.pick(&["", "before", "after", "after", "instead of"]);
        self.pick(&["insert", "delete", "update", "update of a", "update of a , b"]);
        self.word("on");
        self.table();
        self.pick(&["", "", "for each row"]);
        self.maybe(3, |w| {
            w.word("when");
            w.expr();
        });
        self.word("begin");
        loop {
            self.one_of(&[|w| w.insert(true), |w| w.update(true), |w| w.delete(true), Self::select]);
            self.word(";");
            if self.random.one_in(2) {
                break;
            }
        }
        self.word("end");
    }

    pub(super) fn create_virtual_table(&mut self) {
        self.word("create virtual table");
        self.pick(&["", "if not exists"]);
        self.new_name();
        self.word("using");
        self.pick(&["nomodule", "'nomodule'"]);
        self.maybe(2, |w| {
            w.word("(");
            w.list(|w| {
                w.expr();
                w.maybe(3, Self::type_name);
            });
            w.word(")");
        });
    }
}
