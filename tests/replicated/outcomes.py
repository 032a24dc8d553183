"""Runs the unittest module at a path, and prints how each test ended: rqlite_system.sh reads it."""

import os
import signal
import sys
import unittest


class Outcomes(unittest.TextTestResult):
    def tell(self, test, outcome):
        os.write(OUT, f"{test.id()}: {outcome}\n".encode())

    def addSuccess(self, test):
        self.tell(test, "PASS")

    def addSkip(self, test, reason):
        self.tell(test, "SKIP")

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.tell(test, "FAIL")

    def addError(self, test, error):
        super().addError(test, error)
        self.tell(test, "FAIL")


def end_nodes(*_):
    """This process, and what the tests have started and left in its session: nodes without a leader do not hear SIGTERM."""
    os.killpg(0, signal.SIGKILL)


os.setsid()
signal.signal(signal.SIGTERM, end_nodes)
# What the tests themselves print goes elsewhere.
OUT = os.dup(1)
os.dup2(2, 1)
folder, name = os.path.split(os.path.abspath(sys.argv[1]))
sys.path.insert(0, folder)
tests = unittest.defaultTestLoader.loadTestsFromName(os.path.splitext(name)[0])
unittest.TextTestRunner(resultclass=Outcomes).run(tests)
end_nodes()
