# SPDX-License-Identifier: BSD-3-Clause
"""rounds.py - runs of rmabench and what they yield, for compare and
compare-hosts.

A unit is a group of tests on one kind of window; for each unit every
configuration runs once a round, so that all of them meet the same machine.
A run that crashes or hangs costs its culprit, never the comparison.
"""

import csv
import os
import re
import signal
import statistics
import subprocess
import sys
import time

WINDOWS = ["allocate", "shared", "create", "alloc_mem", "dynamic"]
WRONG_DATA = 3                          # rmabench's exit status
FINALIZE = "MPI_Finalize"               # where a run is after its last test
GRACE = 5                               # seconds that may take
TELLING = re.compile(r"oriel|rmabench: |signal \d|assert|error", re.I)


def die(message):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {message}")


def cores():
    return len(os.sched_getaffinity(0))


class Tree:
    """A build tree: its programs, its host and how to start two ranks."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        self.bench = self.program("benchmarks/rmabench")
        self.orielrun = self.program("orielrun")
        self.host = self.variable("oriel_host")
        self.mpirun = self.variable("MPIRUN")

    def program(self, name):
        path = os.path.join(self.path, name)
        if not os.access(path, os.X_OK):
            die(f"no {name} in {self.path}: name a build tree, after make")
        return path

    def variable(self, name):
        with open(os.path.join(self.path, "Makefile"),
                  encoding="utf-8") as makefile:
            found = re.search(rf"^{name} = *(.*)$", makefile.read(), re.M)
        if not found:
            die(f"the Makefile in {self.path} does not set {name}")
        return found.group(1).strip()

    def start(self):
        """The command up to mpirun's arguments."""
        return [self.mpirun, "-n", "2"] + self.binding()

    def command(self, config, arguments):
        command = self.start() + config.arguments
        if config.oriel:
            command.append(self.orielrun)
        return command + [self.bench] + arguments

    def binding(self):
        if cores() < 2:
            return ["--oversubscribe"] if self.host == "openmpi" else []
        if self.host == "openmpi":
            return ["--bind-to", "core", "--map-by", "core"]
        return ["-bind-to", "core"]

    def environment(self):
        env = dict(os.environ)
        if self.host == "openmpi" and os.geteuid() == 0:
            env.setdefault("OMPI_ALLOW_RUN_AS_ROOT", "1")
            env.setdefault("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        return env

    def launch(self, command, timeout, tests=0):
        return launch(command, self.environment(), timeout, tests)

    def version(self):
        out = launch([self.mpirun, "--version"], self.environment(), 20)[0]
        lines = [line.strip() for line in out.splitlines() if line.strip()]
        version = [line for line in lines if line.startswith("Version:")]
        return " ".join((version or lines or ["unknown"])[0].split())

    def check_preload(self):
        """Numbers of an Oriel that is not there would be the host's."""
        maps = subprocess.run(
            [self.mpirun, "-n", "1", self.orielrun, self.bench, "--help"],
            env=dict(self.environment(), LD_DEBUG="files"),
            capture_output=True, text=True, timeout=60, check=False)
        if "liboriel" not in maps.stdout + maps.stderr:
            die(f"{self.orielrun} does not load liboriel into rmabench")


class Config:
    """A way to run: the host with some arguments of mpirun, or Oriel."""

    def __init__(self, name, arguments=(), windows=tuple(WINDOWS),
                 oriel=False):
        self.name = name
        self.arguments = list(arguments)
        self.windows = windows
        self.oriel = oriel


class Run:
    """What one configuration has yielded for one unit."""

    def __init__(self):
        self.rows = {}          # (test, bytes) -> [(median, p10, p90)]
        self.failed = {}        # test -> crash, hang, error, wrong


# -- one run -----------------------------------------------------------------

def stop(process, end_all):
    """mpirun ends its ranks if asked politely; its group goes either way."""
    if end_all:
        end_all()
    else:
        process.terminate()
    try:
        return process.communicate(timeout=5)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return process.communicate()


def ends(out):
    """How many tests have come to their end."""
    return len(re.findall(rb"^# done ", out or b"", re.M))


def launch(command, env, timeout, tests=0, end_all=None):
    """Returns stdout, stderr, and the exit status or None for a hang.

    After so many tests have ended only MPI_Finalize is left, which is not
    worth the whole timeout.  end_all ends all that runs where mpirun cannot
    be asked to.
    """
    until = time.monotonic() + timeout
    over = False
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          text=True, errors="replace",
                          start_new_session=True) as process:
        while True:
            try:
                out, err = process.communicate(timeout=1)
                return out, err, process.returncode
            except subprocess.TimeoutExpired as expired:
                now = time.monotonic()
                if tests and not over and ends(expired.stdout) >= tests:
                    over, until = True, min(until, now + GRACE)
                if now >= until:
                    return *stop(process, end_all), None
            except BaseException:       # we are to end: it ends with us
                stop(process, end_all)
                raise


def verdict(status, err):
    if status is None:
        return "hang"
    if status == WRONG_DATA or "WRONG DATA" in err:
        return "wrong"
    if status < 0 or status > 128 or "exited on signal" in err:
        return "crash"
    return "error"


def parse(out):
    """Rows, and the tests that came to their end."""
    rows, done = [], []
    for line in out.splitlines():
        fields = line.split(",")
        if line.startswith("# done "):
            done.append(line[7:])
        elif len(fields) == 8 and fields[0] != "test":
            rows.append(((fields[0], int(fields[3])),
                         tuple(float(x) for x in fields[4:7])))
    return rows, done


def complain(config, window, test, what, output):
    print(f"{os.path.basename(sys.argv[0])}: {config.name}: {what} in {test} "
          f"on {window}", file=sys.stderr)
    if config.oriel:
        lines = output.strip().splitlines()
        telling = [line for line in lines if TELLING.search(line)]
        for line in telling[:5] or lines[-5:]:
            print("  | " + line, file=sys.stderr)


def run_tests(tree, config, window, tests, options, run):
    """Runs what has not failed before; after a failure, what comes behind."""
    tests = [test for test in tests if test not in run.failed]
    while tests:
        arguments = ["--csv", "-w", window, "-t", ",".join(tests)] + options
        out, err, status = tree.launch(tree.command(config, arguments),
                                       tree.timeout, len(tests))
        rows, done = parse(out)
        for key, times in rows:
            run.rows.setdefault(key, []).append(times)
        if status == 0 and len(done) == len(tests):
            return
        what = verdict(status, err)
        culprit = (tests + [FINALIZE])[len(done)]
        run.failed[culprit] = what
        complain(config, window, culprit, what, out + err)
        tests = tests[len(done) + 1:]


# -- results -----------------------------------------------------------------

def middle(times, index):
    return statistics.median(t[index] for t in times)


def number(value):
    if not isinstance(value, float):
        return value or "-"
    return f"{value:.{3 if value < 10 else 2 if value < 100 else 0}f}"


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            found = re.search(r"^model name\s*: (.*)$", info.read(), re.M)
        return found.group(1) if found else "unknown processor"
    except OSError:
        return "unknown processor"


def print_machine():
    load = os.getloadavg()[0]
    print(f"# {processor()}, {cores()} cores, load {load:.2f}")
    if cores() < 2:
        print("# fewer than two cores: the ranks take turns")
    elif load > 0.5:
        print("# the machine is busy: expect noise")


def write_csv(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, rows[0].keys())
        writer.writeheader()
        for row in rows:
            writer.writerow({key: f"{value:.5f}" if isinstance(value, float)
                             else value for key, value in row.items()})
