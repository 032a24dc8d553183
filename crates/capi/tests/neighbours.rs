//! Four processes change one database at the same time, two with this library and two with SQLite's, in all journal modes, and are killed
//! again and again: no process ever finds it otherwise than some transaction left it. The same with transactions that change two databases.
//!
//! `NEIGHBOURS_SECONDS` says how long (15), `NEIGHBOURS_SEED` chooses what is done.

mod common;

use common::worlds::number;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;

/// A process and the folder of its library.
struct Neighbour<'a> {
    child: Child,
    library: &'a Path,
}

#[test]
fn processes_of_both_libraries_share_a_file_and_die() {
    play("neighbours", false);
}

#[test]
fn commits_of_two_databases_are_one() {
    play("neighbours-of-two", true);
}

fn play(name: &str, has_second: bool) {
    let seed = number("NEIGHBOURS_SEED", 1);
    let until = Instant::now() + Duration::from_secs(number("NEIGHBOURS_SECONDS", 15));
    let workshop = common::Workshop::new(name);
    let reference = common::sqlite_with_options();
    let library = reference.join(common::SQLITE);
    let program = workshop.compile("neighbours.c", "neighbour", &[library.to_str().unwrap()]);
    let mut databases = vec![workshop.path("shared.db")];
    databases.extend(has_second.then(|| workshop.path("second.db")));
    let mut random = Rng::with_seed(seed);
    for database in &databases {
        make(&program, database, &reference, &mut random);
    }

    let start = |library, random: &mut Rng| Neighbour { child: spawn(&program, &databases, library, random), library };
    let libraries = [reference.as_path(), &workshop.folder, &reference, &workshop.folder];
    let mut all: Vec<_> = libraries.into_iter().map(|library| start(library, &mut random)).collect();
    while Instant::now() < until {
        thread::sleep(Duration::from_millis(random.u64(0..1000)));
        for neighbour in &mut all {
            let ended = neighbour.child.try_wait().unwrap();
            if let Some(status) = ended {
                let said = std::io::read_to_string(neighbour.child.stdout.take().unwrap()).unwrap();
                all.iter_mut().for_each(kill);
                panic!("seed {seed}: {status}, {said}");
            }
        }
        let kills_all = random.u32(0..20) == 0;
        let chosen = random.usize(0..8);
        for (at, neighbour) in all.iter_mut().enumerate() {
            if kills_all || at == chosen {
                kill(neighbour);
                *neighbour = start(neighbour.library, &mut random);
            }
        }
    }
    all.iter_mut().for_each(kill);
}

/// Makes the database with one of the libraries.
fn make(program: &Path, database: &Path, library: &Path, random: &mut Rng) {
    let auto_vacuum = ["NONE", "FULL", "INCREMENTAL"][random.usize(0..3)];
    let mut command = Command::new(program);
    command.arg(database).arg(auto_vacuum).env("LD_LIBRARY_PATH", library);
    common::expect_success(&command.output().unwrap(), "the database");
}

fn spawn(program: &Path, databases: &[PathBuf], library: &Path, random: &mut Rng) -> Child {
    let mut command = Command::new(program);
    command.arg(&databases[0]).arg(random.u32(..).to_string()).arg(std::process::id().to_string());
    command.args(databases.get(1));
    command.env("LD_LIBRARY_PATH", library).stdout(Stdio::piped()).spawn().unwrap()
}

fn kill(neighbour: &mut Neighbour<'_>) {
    let _ = neighbour.child.kill();
    let _ = neighbour.child.wait();
}
