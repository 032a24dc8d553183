//! Any bytes as a changeset: read, inverted, combined, rebased, and applied to a database in memory.

#![no_main]

use libfuzzer_sys::fuzz_target;
use lithe_engine::{Connection, OpenFlags};
use lithe_fuzz::run;
use lithe_session::{
    Answer, Apply, ChangeGroup, ChangesetIterator, Conflict, Handler, Input, Rebaser, apply, invert,
};

/// Answers what fits, one after the other.
struct Answers(usize);

impl Handler for Answers {
    fn conflict(&mut self, conflict: Conflict, change: &ChangesetIterator<'_>) -> Option<Answer> {
        self.0 += 1;
        let _ = (change.old_value(0), change.new_value(1), change.conflict_value(1));
        let may_replace = matches!(conflict, Conflict::Data | Conflict::Conflict);
        Some(if may_replace && self.0 % 2 == 0 { Answer::Replace } else { Answer::Omit })
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut changes = ChangesetIterator::new(Input::whole(bytes), false);
    while changes.advance().is_ok_and(|is_change| is_change) {}
    let _ = invert(Input::whole(bytes), &mut |_| Ok(()));
    let mut group = ChangeGroup::new();
    let (one, other) = bytes.split_at(bytes.len() / 2);
    for part in [bytes, one, other] {
        let _ = group.add(None, Input::whole(part));
    }
    let combined = group.changeset().unwrap_or_default();
    let connection = Connection::open(b":memory:", OpenFlags::READWRITE | OpenFlags::CREATE).expect("memory");
    run(&connection, b"CREATE TABLE t(a INTEGER PRIMARY KEY, b UNIQUE, c); INSERT INTO t VALUES(1,'x',2.5),(2,NULL,x'00')");
    for changeset in [bytes, &combined] {
        let applied = apply(&connection, Input::whole(changeset), &mut Answers(0), Apply::default());
        let mut rebaser = Rebaser::new();
        if let Ok(Some(rebase)) = applied {
            rebaser.configure(Input::whole(rebase)).expect("it was just made");
        }
        let _ = rebaser.configure(Input::whole(one));
        let _ = rebaser.rebase(Input::whole(changeset), &mut |_| Ok(()));
    }
    run(&connection, b"PRAGMA integrity_check");
});
