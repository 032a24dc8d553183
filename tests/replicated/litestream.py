"""Follows a live database with Litestream, and restores it again and again: see litestream.sh.

Each transaction notes in the table `moment` what the table `t` holds after it. A restored database is a moment of the source if both
agree, and is sound if integrity_check says so. When nothing is running any more, the last moment must come back.
"""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

NOTE = """INSERT INTO moment SELECT max(n) + 1, (SELECT count(*) FROM t), (SELECT total(length(b) * (a % 97)) FROM t)
          FROM moment RETURNING n"""
HOLDS = "SELECT count(*), total(length(b) * (a % 97)) FROM t"


def write(database, megabytes, seed):
    """The application: until it is killed."""
    rng = random.Random(seed)
    db = sqlite3.connect(database, isolation_level=None, timeout=30)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("CREATE TABLE IF NOT EXISTS t(a INTEGER PRIMARY KEY, b)")
    db.execute("CREATE TABLE IF NOT EXISTS moment(n INTEGER PRIMARY KEY, rows, total)")
    db.execute("INSERT OR IGNORE INTO moment VALUES (1, 0, 0.0)") if not db.execute(HOLDS).fetchone()[0] else None
    while True:
        kind = rng.random()
        try:
            if kind < 0.06:
                db.execute("VACUUM")
            elif kind < 0.2:
                db.execute(f"PRAGMA wal_checkpoint({rng.choice(['PASSIVE', 'FULL', 'RESTART', 'TRUNCATE'])})").fetchall()
            else:
                db.execute("BEGIN IMMEDIATE")
                if kind < 0.3:
                    print("load", flush=True)
                    db.execute(f"""WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < {megabytes * 500})
                                   INSERT INTO t(b) SELECT randomblob(1900 + i % 200) FROM n""")
                elif kind < 0.36:
                    db.execute("DELETE FROM t WHERE a % 3 = 0 OR a > 300000")
                else:
                    db.execute("INSERT INTO t(b) VALUES (randomblob(?))", (rng.randrange(9000),))
                n = db.execute(NOTE).fetchone()[0]
                db.execute("COMMIT")
                print(n, flush=True)
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) and "busy" not in str(error):
                raise
            if db.in_transaction:
                db.execute("ROLLBACK")
        time.sleep(rng.random() * 0.02)


def last_moment(database):
    db = sqlite3.connect(database, timeout=30)
    sound = db.execute("PRAGMA integrity_check").fetchone()[0]
    n, *noted = db.execute("SELECT n, rows, total FROM moment ORDER BY n DESC LIMIT 1").fetchone()
    holds = list(db.execute(HOLDS).fetchone())
    db.close()
    assert sound == "ok", sound
    assert noted == holds, f"moment {n} noted {noted}, and t holds {holds}"
    return n


class Followed:
    def __init__(self, folder, seed):
        self.rng, self.folder = random.Random(seed), folder
        self.database, self.replica = f"{folder}/app.db", f"file://{folder}/replica"
        self.litestream = os.path.join(os.path.dirname(folder), "litestream")
        self.log = open(f"{folder}/litestream.log", "ab")

    def follow(self):
        return subprocess.Popen([self.litestream, "replicate", self.database, self.replica], stdout=self.log, stderr=self.log)

    def app(self, megabytes):
        command = [sys.executable, __file__, "--write", self.database, str(megabytes), str(self.rng.random())]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def restore(self):
        to = f"{self.folder}/restored.db"
        for end in ("", "-wal", "-shm"):
            if os.path.exists(to + end):
                os.remove(to + end)
        done = subprocess.run([self.litestream, "restore", "-o", to, self.replica], capture_output=True, text=True)
        return last_moment(to) if done.returncode == 0 else None


def play(work, turn, megabytes):
    """One round: a new database, both sides started and killed at random, one restore when all is quiet."""
    folder = f"{work}/{turn}"
    os.mkdir(folder)
    it = Followed(folder, turn)
    app, follower = it.app(megabytes), None
    for _ in range(3):
        time.sleep(it.rng.random())
        if follower is None or follower.poll() is not None:
            # Often in the middle of a load.
            follower = it.follow()
        time.sleep(it.rng.random() * 1.5)
        victim = it.rng.choice(["app", "follower", "none"])
        if victim == "app":
            app.kill()
            app.communicate()
            app = it.app(megabytes)
        elif victim == "follower":
            follower.send_signal(it.rng.choice([signal.SIGKILL, signal.SIGTERM]))
            follower.wait()
    app.kill()
    app.communicate()
    if follower.poll() is not None:
        follower = it.follow()
    source, restored = last_moment(it.database), None
    until = time.monotonic() + 60
    while restored != source and time.monotonic() < until:
        time.sleep(1)
        restored = it.restore()
    follower.terminate()
    follower.wait()
    assert restored == source, f"round {turn}: moment {source} was committed, {restored} came back"
    subprocess.run(["rm", "-rf", folder], check=True)
    return source


def main():
    work, rounds, megabytes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    begun, moments = time.monotonic(), 0
    for turn in range(rounds):
        moments += play(work, turn, megabytes)
    print(f"litestream on SQLite's interface {sqlite3.sqlite_version}: {rounds} restores, {moments} moments, {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    write(sys.argv[2], int(sys.argv[3]), sys.argv[4]) if sys.argv[1] == "--write" else main()
