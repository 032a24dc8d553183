//! Random ALTER, DROP, PRAGMA and other short statements.

use super::Writer;

impl Writer {
    pub(super) fn alter(&mut self) {
        self.word("alter table");
        self.table();
        match self.random.below(8) {
            0 => {
                self.word("rename to");
                self.name();
            }
            1 => {
                self.word("rename");
                self.pick(&["", "column"]);
                self.name();
                self.word("to");
                self.name();
            }
            2 | 3 => {
                self.word("add");
                self.pick(&["", "column"]);
                self.column();
            }
            4 => {
                self.word("drop");
                self.pick(&["", "column", "constraint"]);
                self.name();
            }
            5 => {
                self.word("add");
                self.maybe(2, Self::constraint_name);
                self.check();
                self.on_conflict();
            }
            _ => {
                self.word("alter");
                self.pick(&["", "column"]);
                self.name();
                if self.random.one_in(2) {
                    self.word("drop not null");
                } else {
                    self.word("set not null");
                    self.on_conflict();
                }
            }
        }
    }

    pub(super) fn drop_object(&mut self) {
        self.word("drop");
        self.pick(&["table", "index", "view", "trigger"]);
        self.pick(&["", "if exists"]);
        self.table();
    }

    pub(super) fn pragma(&mut self) {
        self.word("pragma");
        self.pick(&["nothing", "main . nothing", "'nothing'"]);
        self.pick(&[
            "",
            "= 5",
            "= -5",
            "= + 5.5",
            "= on",
            "= delete",
            "= default",
            "= 'x'",
            "( full )",
            "( -5 )",
            "( on )",
            "= 1_0",
        ]);
    }

    pub(super) fn command(&mut self) {
        match self.random.below(12) {
            0 => {
                self.word("begin");
                self.pick(&["", "deferred", "immediate", "exclusive"]);
                self.pick(&["", "transaction", "transaction x"]);
            }
            1 => {
                self.pick(&["commit", "end", "rollback"]);
                self.pick(&["", "transaction", "transaction x"]);
            }
            2 => {
                self.pick(&["rollback to", "rollback transaction to", "rollback to savepoint"]);
                self.name();
            }
            3 => {
                self.pick(&["savepoint", "release", "release savepoint"]);
                self.name();
            }
            4 => {
                self.pick(&["attach", "attach database"]);
                self.expr();
                self.word("as");
                self.expr();
                self.maybe(3, |w| {
                    w.word("key");
                    w.expr();
                });
            }
            5 => {
                self.pick(&["detach", "detach database"]);
                self.expr();
            }
            6 | 7 => {
                self.word("vacuum");
                self.pick(&["", "main"]);
                self.maybe(2, |w| {
                    w.word("into");
                    w.expr();
                });
            }
            8 => {
                self.pick(&["analyze", "reindex"]);
                self.maybe(2, Self::table);
            }
            9 => self.insert(false),
            10 => self.update(false),
            _ => self.delete(false),
        }
    }
}
