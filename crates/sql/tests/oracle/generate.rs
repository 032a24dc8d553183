//! Random statements out of SQLite's grammar, as lists of tokens.

use lithe_sql::keywords;

use crate::random::Random;

/// The tokens of a statement.
pub fn statement(random: &mut Random) -> Vec<String> {
    let index = random.below(3);
    let mut writer = Writer { random: random.fork(), tokens: Vec::new(), budget: [6, 12, 20][index] };
    writer.statement();
    writer.tokens
}

/// The text of the tokens, with blanks and sometimes comments between them.
pub fn join(tokens: &[String], random: &mut Random) -> String {
    let mut sql = String::new();
    for token in tokens {
        match random.below(60) {
            0 => sql.push_str("/* x */"),
            1 => sql.push_str(" -- x\n"),
            2..=4 if !token.starts_with(|c: char| c.is_alphanumeric() || c == '\'') => {}
            _ => sql.push(' '),
        }
        sql.push_str(token);
    }
    if random.one_in(4) {
        sql.push_str(random.pick(&[";", " ; ", "; select 1", ";;", "/*", "--"]));
    }
    sql
}

/// Any token at all.
pub fn any_token(random: &mut Random) -> String {
    const OTHERS: &[&str] = &[
        "(", ")", ",", ".", ";", "+", "-", "*", "/", "%", "=", "==", "<>", "!=", "<", "<=", ">", ">=", "<<", ">>", "&",
        "|", "||", "~", "->", "->>", "?", "?3", ":a", "@a", "$a::b(c)", "#a", "#1", "?40000", "?0", "1", "1.5", ".5",
        "0x1f", "1_0", "1__0", "1e5_", "1x", "'s'", "\"q\"", "[b]", "`k`", "x'00'", "x'0'", "'open", "\"open", "!",
        "a", "t", "rowid", "\\",
    ];
    if random.one_in(2) {
        return keyword(random);
    }
    random.pick(OTHERS).to_string()
}

fn keyword(random: &mut Random) -> String {
    let all = keywords();
    all[random.below(all.len())].text.to_lowercase()
}

struct Writer {
    random: Random,
    tokens: Vec<String>,
    /// Productions that may still nest.
    budget: i32,
}

type Production = fn(&mut Writer);

impl Writer {
    fn word(&mut self, words: &str) {
        self.tokens.extend(words.split(' ').map(str::to_string));
    }

    fn pick(&mut self, choices: &[&str]) {
        let words = self.random.pick(choices);
        if !words.is_empty() {
            self.word(words);
        }
    }

    fn maybe(&mut self, n: usize, production: Production) {
        if self.random.one_in(n) {
            production(self);
        }
    }

    fn one_of(&mut self, productions: &[Production]) {
        productions[self.random.below(productions.len())](self);
    }

    fn list(&mut self, production: Production) {
        production(self);
        while self.random.one_in(3) {
            self.word(",");
            production(self);
        }
    }

    fn in_parens(&mut self, production: Production) {
        self.word("(");
        production(self);
        self.word(")");
    }

    fn nests(&mut self) -> bool {
        self.budget -= 1;
        self.budget > 0
    }

    fn statement(&mut self) {
        if self.random.one_in(20) {
            self.pick(&["explain", "explain query plan", ";"]);
        }
        match self.random.below(24) {
            0..=3 => self.select(),
            4..=7 => {
                self.word("create");
                self.pick(&["", "", "", "temp"]);
                self.word("view");
                self.pick(&["", "if not exists"]);
                self.new_name();
                self.maybe(4, |w| w.in_parens(|w| w.list(Self::indexed_name)));
                self.word("as");
                self.select();
            }
            8 => self.insert(false),
            9 => self.update(false),
            10 => self.delete(false),
            11..=13 => self.create_table(),
            14 => self.create_index(),
            15..=17 => self.create_trigger(),
            18 => self.create_virtual_table(),
            19 => self.alter(),
            20 => self.drop_object(),
            21 => self.pragma(),
            _ => self.command(),
        }
    }

    fn name(&mut self) {
        match self.random.below(14) {
            0 => {
                let keyword = keyword(&mut self.random);
                self.tokens.push(keyword);
            }
            1 => self.pick(&["\"a\"", "[a]", "`a`", "'a'", "\"a\"\"b\""]),
            _ => self.pick(&["a", "b", "c", "x", "y"]),
        }
    }

    fn table(&mut self) {
        match self.random.below(12) {
            0 => self.name(),
            1 => self.word("main . t"),
            2 => self.pick(&["w", "'t'", "[u]"]),
            _ => self.pick(&["t", "u"]),
        }
    }

    fn new_name(&mut self) {
        self.pick(&["n", "n", "n", "n", "main . n", "temp . n", "'n'"]);
    }

    fn expr(&mut self) {
        if !self.nests() {
            return self.leaf();
        }
        match self.random.below(30) {
            0..=8 => self.leaf(),
            9..=14 => {
                self.expr();
                self.pick(&[
                    "+",
                    "-",
                    "*",
                    "/",
                    "%",
                    "||",
                    "->",
                    "->>",
                    "=",
                    "==",
                    "<>",
                    "!=",
                    "<",
                    "<=",
                    ">",
                    ">=",
                    "<<",
                    ">>",
                    "&",
                    "|",
                    "and",
                    "and",
                    "or",
                    "or",
                    "is",
                    "is not",
                    "is distinct from",
                    "is not distinct from",
                    "like",
                    "glob",
                    "match",
                    "regexp",
                    "not like",
                    "not match",
                ]);
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

    fn leaf(&mut self) {
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

    fn in_set(&mut self) {
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

    fn case(&mut self) {
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

    fn call(&mut self) {
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

    fn window(&mut self) {
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

    fn frame_bound(&mut self) {
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

    fn order_by(&mut self) {
        self.word("order by");
        self.list(Self::order_term);
    }

    fn order_term(&mut self) {
        self.expr();
        self.pick(&["", "", "", "asc", "desc"]);
        self.pick(&["", "", "", "", "nulls first", "nulls last"]);
    }

    fn select(&mut self) {
        self.maybe(8, Self::with);
        self.select_core();
        while self.random.one_in(6) {
            self.pick(&["union", "union all", "except", "intersect"]);
            self.select_core();
        }
    }

    fn with(&mut self) {
        self.pick(&["with", "with recursive"]);
        self.list(|w| {
            w.pick(&["p", "q", "r", "s", "'p'", "recursive"]);
            w.maybe(3, |w| w.in_parens(|w| w.list(Self::indexed_name)));
            w.pick(&["as", "as", "as materialized", "as not materialized"]);
            w.in_parens(Self::select);
        });
    }

    fn select_core(&mut self) {
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

    fn result_columns(&mut self) {
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

    fn alias(&mut self) {
        match self.random.below(6) {
            0 => {
                self.word("as");
                self.name();
            }
            1 => self.name(),
            _ => {}
        }
    }

    fn filter(&mut self) {
        self.word("where");
        self.expr();
    }

    fn from(&mut self) {
        self.from_item();
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
            self.from_item();
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

    fn from_item(&mut self) {
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

    fn indexed(&mut self) {
        self.pick(&["", "", "", "", "", "", "", "", "indexed by i", "not indexed"]);
    }

    fn target(&mut self) {
        self.table();
        self.maybe(6, |w| {
            w.word("as");
            w.name();
        });
    }

    fn or_action(&mut self) {
        self.pick(&["", "", "", "", "or rollback", "or abort", "or fail", "or ignore", "or replace"]);
    }

    fn insert(&mut self, in_trigger: bool) {
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

    fn upsert(&mut self) {
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

    fn assignment(&mut self) {
        if self.random.one_in(4) {
            self.in_parens(|w| w.list(Self::name));
        } else {
            self.name();
        }
        self.word("=");
        self.expr();
    }

    fn returning(&mut self) {
        self.word("returning");
        self.result_columns();
    }

    fn update(&mut self, in_trigger: bool) {
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

    fn delete(&mut self, in_trigger: bool) {
        if !in_trigger {
            self.maybe(6, Self::with);
        }
        self.word("delete from");
        self.target();
        self.indexed();
        self.maybe(2, Self::filter);
        self.maybe(6, Self::returning);
    }

    fn create_table(&mut self) {
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

    fn column(&mut self) {
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

    fn type_name(&mut self) {
        self.pick(&["", "int", "text", "integer", "\"my type\"", "double precision", "int generated always"]);
        self.maybe(6, Self::name);
        self.pick(&["", "", "", "( 5 )", "( -5 , +5.5 )", "( x )"]);
    }

    fn constraint_name(&mut self) {
        self.word("constraint");
        self.name();
    }

    fn on_conflict(&mut self) {
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

    fn column_constraint(&mut self) {
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

    fn check(&mut self) {
        self.word("check");
        self.in_parens(Self::expr);
    }

    fn references(&mut self) {
        self.word("references");
        self.table();
        self.maybe(2, |w| w.in_parens(|w| w.list(Self::indexed_name)));
        while self.random.one_in(3) {
            self.pick(&["on delete", "on update", "on insert", "match"]);
            self.pick(&["set null", "set default", "cascade", "restrict", "no action", "full"]);
        }
    }

    fn deferrable(&mut self) {
        self.pick(&["deferrable", "not deferrable"]);
        self.pick(&["", "initially deferred", "initially immediate"]);
    }

    fn indexed_name(&mut self) {
        self.name();
        if self.random.one_in(30) {
            self.pick(&["collate nocase", "asc", "desc"]);
        }
    }

    fn table_constraint(&mut self) {
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

    fn create_index(&mut self) {
        self.pick(&["create index", "create unique index"]);
        self.pick(&["", "if not exists"]);
        self.new_name();
        self.word("on");
        self.pick(&["t", "u", "a", "'t'"]);
        self.in_parens(|w| w.list(Self::order_term));
        self.maybe(3, Self::filter);
    }

    fn create_trigger(&mut self) {
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

    fn create_virtual_table(&mut self) {
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

    fn alter(&mut self) {
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

    fn drop_object(&mut self) {
        self.word("drop");
        self.pick(&["table", "index", "view", "trigger"]);
        self.pick(&["", "if exists"]);
        self.table();
    }

    fn pragma(&mut self) {
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

    fn command(&mut self) {
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
