"""Three nodes of rqlite, whose leader is killed while rows are written: see rqlite.sh."""

import json
import subprocess
import sys
import time
import urllib.request

NODES = 3


class Cluster:
    def __init__(self, program, work):
        self.program, self.work, self.nodes = program, work, [None] * NODES
        self.log = open(f"{work}/rqlite.log", "ab")

    def http(self, node):
        return f"127.0.0.1:{19101 + 2 * node}"

    def raft(self, node):
        return f"127.0.0.1:{19102 + 2 * node}"

    def start(self, node):
        command = [self.program, "-node-id", str(node), "-http-addr", self.http(node), "-raft-addr", self.raft(node)]
        command += ["-on-disk-path", f"{self.work}/{node}.db", "-raft-snap", "200", "-raft-snap-int", "1s"]
        if node > 0:
            command += ["-join", self.raft(0)]
        self.nodes[node] = subprocess.Popen(command + [f"{self.work}/{node}"], stdout=self.log, stderr=self.log)

    def kill(self, node):
        self.nodes[node].kill()
        self.nodes[node].wait()

    def ask(self, node, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://{self.http(node)}{path}", data, {"Content-Type": "application/json"})
        return json.load(urllib.request.urlopen(request, timeout=5))

    def until(self, what):
        """The answer of the first node that has one."""
        end, node, seen = time.monotonic() + 60, 0, None
        while time.monotonic() < end:
            try:
                return what(node % NODES)
            except (OSError, LookupError, StopIteration, ValueError) as error:
                seen, node = error, node + 1
                time.sleep(0.05)
        raise RuntimeError(f"the cluster does not answer: {seen}; see {self.work}/rqlite.log")

    def execute(self, *statement):
        def execute(node):
            answer = self.ask(node, "/db/execute", [list(statement)])["results"][0]
            if "error" in answer:
                raise ValueError(answer["error"])

        self.until(execute)

    def query(self, node, sql, level):
        return self.ask(node, f"/db/query?level={level}", [sql])["results"][0]["values"]

    def leader(self):
        def find(node):
            nodes = self.ask(node, "/nodes?ver=2")["nodes"]
            return next(int(one["id"]) for one in nodes if one.get("leader") and one.get("reachable"))

        return self.until(find)


def main():
    program, work, rows, kills = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    cluster = Cluster(program, work)
    try:
        for node in range(NODES):
            cluster.start(node)
            cluster.until(lambda _, node=node: urllib.request.urlopen(f"http://{cluster.http(node)}/readyz", timeout=5))
        cluster.execute("CREATE TABLE IF NOT EXISTS t(a INTEGER PRIMARY KEY, b)")
        begun = time.monotonic()
        for row in range(1, rows + 1):
            size = 20000 if row % 100 == 0 else 100
            # A row whose acknowledgement was lost may be there already.
            cluster.execute("INSERT OR REPLACE INTO t VALUES (?, ?)", row, "x" * size)
            if kills and row % (rows // kills) == 0:
                leader = cluster.leader()
                cluster.kill(leader)
                cluster.execute("INSERT OR REPLACE INTO t VALUES (0, 'without a leader')")
                cluster.start(leader)
        took = time.monotonic() - begun
        check = "SELECT count(*), sum(a), sum(length(b)) FROM t WHERE a > 0"
        expected = cluster.until(lambda node: cluster.query(node, check, "strong"))
        assert expected[0][:2] == [rows, rows * (rows + 1) // 2], expected
        for node in range(NODES):
            # Who follows the leader has everything a moment later.
            end = time.monotonic() + 30
            while (found := cluster.until(lambda _: cluster.query(node, check, "none"))) != expected and time.monotonic() < end:
                time.sleep(0.2)
            assert found == expected, f"node {node} has {found}, not {expected}"
            sound = cluster.query(node, "PRAGMA integrity_check", "none")
            assert sound == [["ok"]], sound
        version = cluster.query(0, "SELECT sqlite_version()", "none")[0][0]
    finally:
        for node in cluster.nodes:
            if node:
                node.kill()
    print(f"rqlite on SQLite's interface {version}: {rows} rows, the leader killed {kills} times, all nodes equal: "
          f"{took:.1f} s, {rows / took:.0f} rows/s")


main()
