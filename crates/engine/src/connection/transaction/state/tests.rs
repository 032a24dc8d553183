//! The state alone, without a connection.

use super::*;

fn savepoint(name: &str, violations: Violations) -> Savepoint {
    Savepoint { name: name.to_owned(), catalog: Arc::new(Catalog::new()), violations }
}

fn open(state: &TransactionState, name: &str, violations: Violations) {
    state.begin_savepoint().unwrap();
    state.push_savepoint(savepoint(name, violations));
}

#[test]
fn a_transaction_begins_and_ends() {
    let state = TransactionState::new();
    state.begin().unwrap();
    assert_eq!(state.begin().unwrap_err().message(), "cannot start a transaction within a transaction");
    state.set_concurrent(true);
    open(&state, "s", (0, 0));
    assert!(!state.began_with(0) && state.is_concurrent() && state.depth() == 1);
    state.end();
    assert!(state.is_autocommit() && !state.is_concurrent() && state.depth() == 0);
}

#[test]
fn savepoints_are_found_from_the_youngest() {
    let state = TransactionState::new();
    for (name, violations) in [("a", (1, 0)), ("b", (2, 0)), ("A", (3, 0))] {
        open(&state, name, violations);
    }
    assert!(state.began_with(0) && !state.is_autocommit());
    assert_eq!((state.find_savepoint("a").unwrap(), state.virtual_savepoint(2)), (2, 1));
    assert_eq!(state.roll_back_to(1).violations, (2, 0));
    assert_eq!((state.depth(), state.find_savepoint("a").unwrap()), (2, 0));
    state.release(1);
    assert_eq!(state.find_savepoint("b").unwrap_err().message(), "no such savepoint: b");
}

#[test]
fn no_savepoint_is_opened_while_statements_write() {
    let (state, run) = (TransactionState::new(), StatementRun::default());
    state.enter(&run, (0, 0));
    state.note_writer(&run);
    assert_eq!(state.begin_savepoint().unwrap_err().code(), ResultCode::BUSY);
    assert!(state.is_autocommit());
    assert!(state.leave(&run));
    assert_eq!(state.begin_savepoint(), Ok(true));
}

#[test]
fn the_last_statement_that_uses_a_database_is_told_so() {
    let state = TransactionState::new();
    let [reader, writer, idle] = std::array::from_fn(|_| StatementRun::default());
    [&reader, &writer, &idle].iter().for_each(|run| state.enter(run, (0, 0)));
    state.note_user(&reader);
    state.note_user(&writer);
    state.note_writer(&writer);
    assert!(state.is_last_writer(&writer) && !state.is_last_writer(&reader));
    assert!(!state.leave(&writer));
    assert!(state.leave(&reader), "a statement that uses no database does not count");
    assert!(state.has_active());
    assert!(state.leave(&idle));
}

#[test]
#[should_panic(expected = "a statement ends that did not run")]
fn a_statement_that_does_not_run_cannot_end() {
    TransactionState::new().leave(&StatementRun::default());
}

#[test]
#[should_panic(expected = "a savepoint is within a transaction")]
fn a_savepoint_needs_a_transaction() {
    TransactionState::new().push_savepoint(savepoint("s", (0, 0)));
}

#[test]
fn writers_notice_a_rollback_once() {
    let state = TransactionState::new();
    let [reader, writer] = std::array::from_fn(|_| StatementRun::default());
    [&reader, &writer].iter().for_each(|run| state.enter(run, (0, 0)));
    state.note_writer(&writer);
    state.count_rollback();
    assert!(!state.notice_rollback(&reader) && state.notice_rollback(&writer));
    assert!(!state.notice_rollback(&writer));
    state.count_schema_rollback();
    assert!(state.notice_rollback(&reader) && state.notice_rollback(&writer));
}

#[test]
fn a_malformed_database_outlasts_the_savepoints() {
    let state = TransactionState::new();
    state.note_malformed();
    assert_eq!(state.check_sound(), Ok(()), "in autocommit mode the statement alone has failed");
    open(&state, "s", (0, 0));
    state.note_malformed();
    let savepoints = state.take_savepoints();
    state.end();
    state.reopen(savepoints);
    assert_eq!(state.check_sound().unwrap_err().code(), ResultCode::CORRUPT);
    assert!(state.began_with(0) && state.depth() == 1);
    state.end();
    assert_eq!(state.check_sound(), Ok(()));
}

#[test]
fn nothing_is_left_after_a_panic() {
    let (state, run) = (TransactionState::new(), StatementRun::default());
    state.enter(&run, (0, 0));
    state.note_writer(&run);
    state.enter_step();
    state.note_panic();
    assert!(!state.abandon() && state.abandon());
    state.forget();
    assert!(!state.has_active() && !state.has_writers() && !state.is_executing() && state.is_autocommit());
    assert_eq!(state.check_unbroken().unwrap_err().code(), ResultCode::INTERNAL);
    state.leave_step();
}

/// A catalog with another schema of the main database.
fn changed(catalog: &Catalog) -> Catalog {
    let mut catalog = catalog.clone();
    catalog.schema_mut(Db::MAIN).cookie += 1;
    catalog
}

#[test]
fn a_schema_that_has_changed_is_taken_back() {
    let (state, before) = (TransactionState::new(), Arc::new(Catalog::new()));
    open(&state, "s", (0, 0));
    assert!(!state.roll_back_schema_to_savepoint(&before), "nothing has changed");
    state.note_schema_change(Arc::clone(&before));
    let now = changed(&before);
    state.note_schema_change(Arc::new(now.clone()));
    assert!(state.roll_back_schema_to_savepoint(&now));
    assert!(state.roll_back_schema_to_savepoint(&before), "a schema that was taken back stops statements each time");
    let (catalog, is_changed) = state.roll_back_schema(&before);
    assert!(is_changed && catalog.is_some_and(|catalog| Arc::ptr_eq(&catalog, &before)), "the first change counts");
    let (catalog, is_changed) = state.roll_back_schema(&now);
    assert!(!is_changed && catalog.is_none());
}

#[test]
fn a_commit_keeps_the_schema() {
    let (state, before) = (TransactionState::new(), Arc::new(Catalog::new()));
    state.begin().unwrap();
    state.note_schema_change(Arc::clone(&before));
    state.note_schema_taken_back();
    state.keep_catalog();
    let (catalog, is_changed) = state.roll_back_schema(&changed(&before));
    assert!(!is_changed && catalog.is_none());
}

#[test]
fn others_continue_after_the_rollback_of_one_statement() {
    let (state, before) = (TransactionState::new(), Arc::new(Catalog::new()));
    let reader = StatementRun::default();
    state.enter(&reader, (0, 0));
    state.note_schema_change(Arc::clone(&before));
    state.let_others_continue(|| assert!(state.roll_back_schema(&changed(&before)).1));
    assert!(!state.notice_rollback(&reader));
    state.note_schema_taken_back();
    state.roll_back_schema(&before);
    assert!(state.notice_rollback(&reader));
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "a step begins of a statement that does not run")]
fn a_step_is_of_a_statement_that_runs() {
    TransactionState::new().enter_step();
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "a statement leaves its savepoint open")]
fn a_statement_closes_its_savepoint() {
    let (state, run) = (TransactionState::new(), StatementRun::default());
    state.enter(&run, (0, 0));
    run.savepoint.set(Some(state.statement_savepoints.open()));
    state.leave(&run);
}
