//! Followers of the log: a program that copies the frames of a live database, to replicate it elsewhere, as Litestream does. An application
//! in another process loads, vacuums, restores, checkpoints, changes the journal mode, and is killed. In every case, each copy is a
//! committed state of the database, sound, and no older than the last commit when its frames were read.
//!
//! ```text
//!   application (Lithe)                 this process (SQLite, and the files as they are)
//!   commits, loads, VACUUM, backup      attaches, copies frames, checkpoints, detaches
//!   killed, started again               restores, compares
//! ```
//!
//! `FOLLOWERS_SECONDS=600` sets the duration (15 by default), `FOLLOWERS_SEED` the seed of the random numbers.
//!
//! | module | subject |
//! | --- | --- |
//! | `application` | the followed application |
//! | `follower` | the follower: when it continues, and when it begins a new generation |
//! | `log` | the valid frames of a log |

mod application;
mod follower;
mod log;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use application::PANICKED;
use follower::Follower;

/// The environment variable for the child process: the seed and the folder.
const PART: &str = "LITHE_FOLLOWED";

/// The length at which the follower ends a log, if no other connection reads it.
const LONG_LOG: usize = 8 << 20;

/// Runs in a child process as its only test; in the parent it returns at once.
#[test]
fn process() {
    let Ok(part) = std::env::var(PART) else { return };
    let (seed, folder) = part.split_once(' ').unwrap();
    application::run(Path::new(folder), seed.parse().unwrap());
}

#[test]
fn every_copy_is_a_moment() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (seconds, seed) = (number("FOLLOWERS_SECONDS").unwrap_or(15), number("FOLLOWERS_SEED").unwrap_or(1));
    let mut stage = Stage::new(seed);
    let end = Instant::now() + Duration::from_secs(seconds);
    while Instant::now() < end {
        stage.step();
    }
    let report = stage.finish();
    println!("{report}");
}

/// The process of the application, and the thread that reads its reports.
struct Application {
    process: Child,
    reports: JoinHandle<()>,
}

impl Application {
    /// Waits for the end of the process, and fails if it has reported a panic, even one that a kill has cut short.
    fn end(mut self) -> ExitStatus {
        let status = self.process.wait().unwrap();
        self.reports.join().expect("the application has panicked");
        status
    }
}

/// The application, its follower, and the state of the test.
struct Stage {
    folder: PathBuf,
    random: fastrand::Rng,
    application: Option<Application>,
    /// The last moment that the application has reported as committed.
    committed: Arc<AtomicU64>,
    follower: Follower,
    kills: u32,
    restored: u32,
}

impl Stage {
    fn new(seed: u64) -> Stage {
        let folder = std::env::temp_dir().join(format!("lithe-followers-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir(&folder).unwrap();
        application::create(&folder);
        let follower = Follower::new(&folder.join("app.db"));
        let random = fastrand::Rng::with_seed(seed);
        Stage { folder, random, application: None, committed: Arc::default(), follower, kills: 0, restored: 0 }
    }

    fn step(&mut self) {
        match self.random.u32(..100) {
            0..4 => self.kill(),
            4..10 => self.follower.detach(),
            10..16 => drop(self.follower.attach()),
            16..20 => self.follower.checkpoint(self.random.bool()),
            20..60 if self.follower.is_attached() => self.copy(),
            60..75 => std::thread::sleep(Duration::from_millis(self.random.u64(..30))),
            _ => std::thread::sleep(Duration::from_millis(self.random.u64(..5))),
        }
        if self.application.is_none() && self.random.u32(..4) > 0 {
            self.start();
        }
    }

    /// Copies frames: the copy must be as new as the last commit before.
    fn copy(&mut self) {
        let committed = self.committed.load(Ordering::SeqCst);
        if !self.follower.copy_frames() {
            return;
        }
        if self.random.u32(..3) == 0 {
            let moment = self.follower.restore(&self.folder.join("restored.db"));
            assert!(moment >= committed, "moment {committed} was committed, and {moment} is restored");
            self.restored += 1;
        }
        // Only the follower can end a log that it reads; reading a long log takes long each time.
        if self.follower.copied_len() > LONG_LOG && self.random.bool() {
            self.follower.checkpoint(true);
        }
    }

    fn start(&mut self) {
        let part = format!("{} {}", self.random.u64(..), self.folder.display());
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["process", "--exact", "--nocapture", "--test-threads=1"]).env(PART, part);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let committed = self.committed.clone();
        let reports = std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                assert!(!line.contains(PANICKED), "{line}");
                if let Some(moment) = line.strip_prefix("moment ").and_then(|number| number.parse().ok()) {
                    committed.fetch_max(moment, Ordering::SeqCst);
                }
            }
        });
        self.application = Some(Application { process: child, reports });
    }

    fn kill(&mut self) {
        let Some(mut application) = self.application.take() else { return };
        if let Some(status) = application.process.try_wait().unwrap() {
            panic!("the application has ended: {status}");
        }
        application.process.kill().unwrap();
        application.end();
        self.follower.note_kill();
        self.kills += 1;
    }

    /// After the application has ended, the copy must have the last moment.
    fn finish(mut self) -> String {
        if let Some(mut application) = self.application.take() {
            drop(application.process.stdin.take()); // which ends the application
            assert!(application.end().success(), "the application has failed");
        }
        let committed = self.committed.load(Ordering::SeqCst);
        assert!(self.follower.attach() && self.follower.copy_frames());
        let moment = self.follower.restore(&self.folder.join("restored.db"));
        assert!(moment >= committed, "moment {committed} was committed, and {moment} is restored");
        let _ = std::fs::remove_dir_all(&self.folder);
        assert!(self.restored > 0, "no copy was restored while the application ran");
        let (kills, restored, begun) = (self.kills, self.restored, self.follower.begun());
        format!("{moment} moments, {kills} kills, {begun} beginnings, {restored} copies restored")
    }
}
