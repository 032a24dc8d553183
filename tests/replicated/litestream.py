"""Follows a live database with Litestream, and restores it again and again: see litestream.sh.

Each transaction notes in the table `moment` what the table `t` holds after it. A restored database is a moment of the source if both
agree, and is sound if integrity_check says so. When nothing is running any more, the last moment must come back.

One round may fail by nobody's fault but the log's: a writer that is killed after its last frame, and before the index of the log
tells of it, leaves a commit that the next writer overwrites, in SQLite as here; a follower that reads only the log has copied it by then. Such rounds
are counted apart, and listed.
"""

import glob
import os
import random
import signal
import sqlite3
import struct
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


def last_commit(database):
    """Which frame of the log commits last as the file has it, and how many the index knows of; None without a log."""
    try:
        with open(database + "-wal", "rb") as log, open(database + "-shm", "rb") as index:
            header, known = log.read(32), index.read(48)
            frame = 24 + int.from_bytes(header[8:12], "big")
            published = struct.unpack_from("=I", known, 16)[0]
            if header[16:24] != known[32:40]:
                return None
            last = published
            log.seek(32 + published * frame)
            for number, at in enumerate(iter(lambda: log.read(frame), b""), published + 1):
                if at[8:16] != header[16:24]:
                    break
                if any(at[4:8]):
                    last = number
            return last, published
    except (OSError, struct.error):
        return None


class Followed:
    def __init__(self, folder, seed, megabytes):
        self.rng, self.folder, self.megabytes = random.Random(seed), folder, megabytes
        self.database, self.replica = f"{folder}/app.db", f"file://{folder}/replica"
        self.litestream = os.path.join(os.path.dirname(folder), "litestream")
        self.log = open(f"{folder}/litestream.log", "ab")
        self.app, self.follower, self.restores = None, None, 0
        # Commits that were killed before the index knew of them.
        self.unpublished = []

    def start_app(self):
        command = [sys.executable, __file__, "--write", self.database, str(self.megabytes), str(self.rng.random())]
        self.app = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def kill_app(self):
        assert self.app.poll() is None, "the application has ended by itself"
        self.app.kill()
        self.app.communicate()
        state = last_commit(self.database)
        if state and state[0] > state[1]:
            self.unpublished.append(state)

    def follow(self):
        if self.follower is None or self.follower.poll() is not None:
            command = [self.litestream, "replicate", self.database, self.replica]
            self.follower = subprocess.Popen(command, stdout=self.log, stderr=self.log)

    def stop_following(self, how):
        self.follower.send_signal(how)
        self.follower.wait()

    def is_whole(self):
        """Litestream 0.3 copies the file while checkpoints change it, and after that the frames of the log that make the copy whole."""
        copies = glob.glob(f"{self.folder}/replica/generations/*/snapshots/*")
        if not copies:
            return True
        generation = os.path.dirname(os.path.dirname(max(copies, key=os.path.getmtime)))
        return bool(glob.glob(f"{generation}/wal/*"))

    def restore(self):
        """Which moment comes back; None if nothing does yet."""
        if not self.is_whole():
            return None
        to = f"{self.folder}/restored.db"
        for end in ("", "-wal", "-shm"):
            if os.path.exists(to + end):
                os.remove(to + end)
        done = subprocess.run([self.litestream, "restore", "-o", to, self.replica], capture_output=True, text=True)
        if done.returncode != 0:
            return None
        self.restores += 1
        return last_moment(to)


def play(it):
    """One round: a new database, both sides started and killed at random, restores beside, and one when all is quiet."""
    it.start_app()
    for _ in range(3):
        time.sleep(it.rng.random())
        it.follow()  # often in the middle of a load
        time.sleep(it.rng.random() * 1.5)
        if it.rng.random() < 0.3:
            it.restore()
        victim = it.rng.choice(["app", "follower", "none"])
        if victim == "app":
            it.kill_app()
            it.start_app()
        elif victim == "follower":
            it.stop_following(it.rng.choice([signal.SIGKILL, signal.SIGTERM]))
    it.kill_app()
    it.follow()
    source, restored = last_moment(it.database), None
    until = time.monotonic() + 60
    while restored != source and time.monotonic() < until:
        time.sleep(1)
        restored = it.restore()
    assert restored == source, f"moment {source} was committed, and {restored} came back"
    return source


def attempt(work, turn, megabytes):
    """A round, its moments and restores, and what is wrong with it: nothing, or what and whether a killed commit explains it."""
    folder = f"{work}/{turn}"
    os.mkdir(folder)
    it, moments, wrong = Followed(folder, turn, megabytes), 0, None
    try:
        moments = play(it)
    except (AssertionError, sqlite3.Error) as error:
        wrong = f"round {turn}: {error}; commits that the index does not know: {it.unpublished}"
        print(wrong, flush=True)
    for process in (it.app, it.follower):
        if process and process.poll() is None:
            process.kill()
            process.communicate()
    keep = os.environ.get("KEEP")
    if wrong and keep:
        subprocess.run(["cp", "-r", folder, keep], check=True)
    subprocess.run(["rm", "-rf", folder], check=True)
    return moments, it.restores, wrong, len(it.unpublished)


def main():
    work, rounds, megabytes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    first = int(os.environ.get("FIRST", 0))
    begun, moments, restores, failed, explained, killed = time.monotonic(), 0, 0, 0, 0, 0
    for turn in range(first, first + rounds):
        had, came, wrong, unpublished = attempt(work, turn, megabytes)
        moments, restores, killed = moments + had, restores + came, killed + unpublished
        failed += bool(wrong and not unpublished)
        explained += bool(wrong and unpublished)
    print(f"litestream on SQLite's interface {sqlite3.sqlite_version}: {rounds} rounds, {restores} restores, {moments} moments, "
          f"{time.monotonic() - begun:.0f} s; {killed} commits killed before the index knew of them, which made {explained} rounds wrong; "
          f"{failed} others wrong")
    if failed:
        sys.exit(1)


if __name__ == "__main__":
    write(sys.argv[2], int(sys.argv[3]), sys.argv[4]) if sys.argv[1] == "--write" else main()
