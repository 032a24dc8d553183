"""A writer that is killed in the sync of its commit, with Litestream beside: what comes back. See litestream.sh, and docs/PAST_ONE_MACHINE.md.

    LD_LIBRARY_PATH=LIBDIR python3 killed_commit.py LITESTREAM [anew]

The frames of the commit are in the log, the index does not tell of them yet. Litestream reads the log alone and copies them; the next writer
goes by the index and overwrites them. It takes strace, and a minute: Litestream checkpoints once a minute. With "anew", Litestream is started anew
before the next writer comes: then nobody has the index any more, it is made from the log, and the commit counts.
"""

import glob
import os
import sqlite3
import subprocess
import sys
import tempfile
import time

WRITE = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.executescript(sys.argv[2])
"""


def write(database, statements, before=()):
    """A writer of its own, which is not closed: it leaves the log to who follows it."""
    return subprocess.run([*before, sys.executable, "-c", WRITE + "\nimport os; os._exit(0)", database, statements]).returncode


def content(database):
    db = sqlite3.connect(database)
    try:
        return db.execute("PRAGMA integrity_check").fetchone()[0], db.execute("SELECT group_concat(a) FROM t").fetchone()[0]
    except sqlite3.DatabaseError as error:
        return str(error), None
    finally:
        db.close()


def main(litestream, begins_anew):
    work = tempfile.mkdtemp()
    database, replica, restored = f"{work}/app.db", f"file://{work}/replica", f"{work}/restored.db"
    write(database, "PRAGMA journal_mode = WAL; CREATE TABLE t(a, b); INSERT INTO t VALUES ('first', randomblob(9000))")
    follow = lambda: subprocess.Popen([litestream, "replicate", database, replica], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    follower = follow()
    while not glob.glob(f"{work}/replica/**/*.*", recursive=True):
        time.sleep(0.1)
    time.sleep(3)
    kill = ["strace", "-qq", "-f", "-o", "/dev/null", "-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:signal=KILL"]
    assert write(database, "INSERT INTO t VALUES ('killed', randomblob(90000))", kill) != 0
    time.sleep(3)
    if begins_anew:
        follower.kill()
        follower.wait()
        follower = follow()
    write(database, "INSERT INTO t VALUES ('next', randomblob(20000))")
    time.sleep(75)
    write(database, "INSERT INTO t VALUES ('last', 1)")
    time.sleep(5)
    follower.kill()
    follower.wait()
    done = subprocess.run([litestream, "restore", "-o", restored, replica], capture_output=True, text=True)
    print(f"SQLite's interface {sqlite3.sqlite_version}; the source: {content(database)}")
    print("restored:", content(restored) if done.returncode == 0 else done.stderr)
    subprocess.run(["rm", "-rf", work], check=True)


main(os.path.abspath(sys.argv[1]), "anew" in sys.argv)
