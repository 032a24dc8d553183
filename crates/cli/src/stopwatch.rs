//! The real and processor time of a statement, for `.timer`.

use std::fmt;
use std::time::{Duration, Instant};

use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeVal;

/// A start of a measurement.
pub struct Stopwatch {
    clock: Instant,
    processor: Option<Usage>,
}

/// The measured time.
pub struct Lap {
    real: Duration,
    /// In user mode and in the system; None if the system does not report it.
    processor: Option<(Duration, Duration)>,
}

impl Stopwatch {
    /// Starts now.
    pub fn start() -> Stopwatch {
        Stopwatch { clock: Instant::now(), processor: usage() }
    }

    /// The time since the start.
    pub fn lap(&self) -> Lap {
        let passed = |before: TimeVal, now: TimeVal| duration(now).saturating_sub(duration(before));
        let processor = self.processor.zip(usage()).map(|(before, now)| {
            (passed(before.user_time(), now.user_time()), passed(before.system_time(), now.system_time()))
        });
        Lap { real: self.clock.elapsed(), processor }
    }
}

/// The line of the `sqlite3` shell.
impl fmt::Display for Lap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Run Time: real {:.6}", self.real.as_secs_f64())?;
        match self.processor {
            Some((user, system)) => write!(f, " user {:.6} sys {:.6}", user.as_secs_f64(), system.as_secs_f64()),
            None => Ok(()),
        }
    }
}

fn usage() -> Option<Usage> {
    getrusage(UsageWho::RUSAGE_SELF).ok()
}

fn duration(time: TimeVal) -> Duration {
    Duration::new(time.tv_sec().unsigned_abs(), 0) + Duration::from_micros(time.tv_usec().unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_time() {
        let watch = Stopwatch::start();
        let mut sum = 0_u64;
        while watch.clock.elapsed() < Duration::from_millis(30) {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        let lap = watch.lap();
        let (user, system) = lap.processor.expect("this system says");
        assert!(lap.real >= Duration::from_millis(30));
        assert!(user + system > Duration::ZERO && user + system < Duration::from_secs(60));
        let line = lap.to_string();
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(words.len(), 8, "{line}");
        assert_eq!((words[0], words[2], words[4], words[6]), ("Run", "real", "user", "sys"));
    }
}
