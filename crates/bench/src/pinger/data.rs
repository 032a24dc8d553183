//! The data: pairs of hosts, and measurements between them every half hour of a month.

use std::fmt::Write;

use fastrand::Rng;

/// The tables. MariaDB accepts them, too.
pub const DDL: &[&str] = &[
    "CREATE TABLE metaData(metaID INTEGER PRIMARY KEY, srcName VARCHAR(64), srcIP VARCHAR(15), srcSite VARCHAR(32), \
     dstName VARCHAR(64), dstIP VARCHAR(15), dstSite VARCHAR(32), packetSize INTEGER, numPackets INTEGER)",
    "CREATE TABLE data_200112(metaID INTEGER NOT NULL, timestamp INTEGER NOT NULL, sent INTEGER, received INTEGER, \
     minRtt FLOAT, meanRtt FLOAT, medianRtt FLOAT, maxRtt FLOAT, iqr FLOAT, minIpd INTEGER, maxIpd INTEGER, \
     lossPercent FLOAT, dupl INTEGER, outOfOrder INTEGER, sequence VARCHAR(64), rtts VARCHAR(128), \
     PRIMARY KEY (metaID, timestamp))",
];

/// The reports.
pub const QUERIES: [&str; 3] = [
    "SELECT m.dstName, min(d.minRtt), max(d.maxRtt), avg(d.meanRtt) FROM metaData m JOIN data_200112 d ON d.metaID = m.metaID \
     WHERE m.srcName LIKE '%.host3.%' GROUP BY m.dstName ORDER BY m.dstName",
    "SELECT m.srcName, min(d.lossPercent), max(d.lossPercent), avg(d.lossPercent) FROM metaData m \
     JOIN data_200112 d ON d.metaID = m.metaID WHERE m.dstName LIKE 'www.host7.%' GROUP BY m.srcName ORDER BY m.srcName",
    "SELECT m.dstSite, min(d.minRtt), max(d.maxRtt), avg(d.medianRtt) FROM metaData m JOIN data_200112 d ON d.metaID = m.metaID \
     WHERE m.srcName LIKE '%.edu' AND d.timestamp BETWEEN 1008000000 AND 1008032400 GROUP BY m.dstSite ORDER BY m.dstSite",
];

/// The number of pairs of hosts.
const PAIRS: usize = 210;

/// The first measurement: the beginning of December 2001.
const START: usize = 1_007_164_800;

/// Half an hour.
const INTERVAL: usize = 1800;

/// The script: a statement on each line, all in one transaction.
pub fn script(rows: usize, seed: u64) -> Vec<String> {
    let mut rng = Rng::with_seed(seed);
    let mut lines = vec!["BEGIN;".to_owned()];
    lines.extend((0..PAIRS).map(pair));
    lines.extend((0..rows).map(|row| measurement(&mut rng, row)));
    lines.push("COMMIT;".to_owned());
    lines
}

fn pair(at: usize) -> String {
    let (source, target) = (at % 15, at / 15);
    let end = |host: usize| if host.is_multiple_of(2) { "edu" } else { "gov" };
    format!(
        "INSERT INTO metaData VALUES ({},'pinger.host{source}.site{source}.{}','10.0.{source}.1','SITE{source}',\
         'www.host{target}.site{target}.{}','10.1.{target}.1','TARGET{target}',{},10);",
        at + 1,
        end(source),
        end(target),
        if at.is_multiple_of(2) { 100 } else { 1000 },
    )
}

fn measurement(rng: &mut Rng, row: usize) -> String {
    let (pair, timestamp) = (row % PAIRS + 1, START + row / PAIRS * INTERVAL);
    let rtts: Vec<f64> = (0..10).map(|_| 20.0 + 100.0 * rng.f64() * rng.f64()).collect();
    let (min, max) = rtts.iter().fold((f64::MAX, 0_f64), |(min, max), rtt| (min.min(*rtt), max.max(*rtt)));
    let mean = rtts.iter().sum::<f64>() / 10.0;
    let mut line = String::with_capacity(280);
    let received = 10 - rng.u8(0..12).saturating_sub(9);
    let _ = write!(
        line,
        "INSERT INTO data_200112 VALUES ({pair},{timestamp},10,{received},{min:.3},{mean:.3},{:.3},{max:.3},{:.3},\
         {},{},{:.1},0,0,'1 2 3 4 5 6 7 8 9 10','",
        (min + mean) / 2.0,
        max - mean,
        rng.u16(0..1000),
        rng.u16(1000..9000),
        f64::from(10 - received) * 10.0,
    );
    for (at, rtt) in rtts.iter().enumerate() {
        let _ = write!(line, "{}{rtt:.3}", if at == 0 { "" } else { " " });
    }
    line.push_str("');");
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_has_a_line_a_statement() {
        let lines = script(1000, 1);
        assert_eq!(lines.len(), 1000 + PAIRS + 2);
        assert!(lines.iter().all(|line| line.ends_with(';')));
        let average = lines.iter().map(String::len).sum::<usize>() / lines.len();
        assert!((150..300).contains(&average), "{average} bytes a line");
    }
}
