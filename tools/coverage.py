#!/usr/bin/env python3
"""Which lines of src/ the tests run, and which test runs which line. tools/coverage.sh builds for it and calls this.

    tools/coverage.py [--jobs N] [--tests REGEX]    runs tests of build-coverage, then counts
    tools/coverage.py --count                       counts what earlier runs have left

Every test has a folder of its own for gcov's counters (GCOV_PREFIX, which child processes inherit); they become lines
`src/x/y.c:LINE` of build-coverage/map/TEST and are deleted. From these files and build-coverage/lines.txt, all lines
that have code, come

    build-coverage/coverage.txt   the table of docs/testing.md by folder, then files, the least covered first
    build-coverage/missed.txt     lines that no test runs, with their text

No line is left out: those that only a failing allocation reaches count as well. Not built here are programs/mpi and what
only quad precision has.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, "build-coverage")
MAP = os.path.join(BUILD, "map")
SECONDS = os.path.join(BUILD, "seconds.json")
# Counters bring names and sizes of their own; the others run nothing of src/.
WITHOUT = r"test_symbols|test_exports|test_abi|test_packages|test_layers|docs_(compare|messages|gallery)$"


def objects():
    """Notes (.gcno) of the library and the command, relative to the build: not those of the tests' own objects."""
    found = []
    for target in ("taut_common", "taut_core_double", "taut_programs", "taut_command"):
        for folder, _, files in os.walk(os.path.join(BUILD, "CMakeFiles", target + ".dir")):
            found += [os.path.relpath(os.path.join(folder, f), BUILD) for f in files if f.endswith(".gcno")]
    return sorted(found)


def lines_of(folder, names):
    """{`src/x/y.c:LINE`: was it run} of counters in a folder that is laid out as the build."""
    found = {}
    output = subprocess.run(["gcov", "--json-format", "--stdout"] + names, cwd=folder, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL).stdout
    for row in output.splitlines():
        for source in json.loads(row)["files"]:
            path = os.path.relpath(os.path.join(BUILD, source["file"]), ROOT)
            if path.startswith(("src/", "programs/")):
                for line in source["lines"]:
                    key = "%s:%d" % (path, line["line_number"])
                    found[key] = found.get(key, False) or line["count"] > 0
    return found


def counters_of(folder):
    return [os.path.relpath(os.path.join(f, name), folder) for f, _, names in os.walk(folder) for name in names
            if name.endswith(".gcda")]


def write_map(name, folder, known):
    """Counters in the folder become the lines of a test. Notes are looked for beside them."""
    mine = [c for c in counters_of(folder) if c[:-4] + "gcno" in known]
    for c in mine:
        os.symlink(os.path.join(BUILD, c[:-4] + "gcno"), os.path.join(folder, c[:-4] + "gcno"))
    run = sorted(k for k, hit in lines_of(folder, mine).items() if hit) if mine else []
    with open(os.path.join(MAP, name), "w") as f:
        f.write("".join(k + "\n" for k in run))


def name_of(test):
    name = test.split("/")[-1]
    return name[5:] if name.startswith("test_cli_") else name


def run(test, known):
    name, folder = name_of(test["name"]), os.path.join(BUILD, "counters", name_of(test["name"]))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    properties = {p["name"]: p["value"] for p in test["properties"]}
    environment = dict(os.environ, GCOV_PREFIX=folder, GCOV_PREFIX_STRIP=str(BUILD.count("/")))
    environment.update(e.split("=", 1) for e in properties.get("ENVIRONMENT", []))
    began = time.time()
    with open(os.path.join(folder, "output"), "w") as log:
        child = subprocess.Popen(test["command"], cwd=properties["WORKING_DIRECTORY"], env=environment,
                                 stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = child.wait(timeout=3600)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            status = "no end"
    spent = time.time() - began
    write_map(name, folder, known)
    if status not in (0, 77):
        shutil.copy(os.path.join(folder, "output"), os.path.join(BUILD, "failed-" + name + ".log"))
    shutil.rmtree(folder)
    return name, status, spent


def run_all(jobs, regex):
    listed = subprocess.check_output(["ctest", "--test-dir", BUILD, "--show-only=json-v1"])
    tests = [t for t in json.loads(listed)["tests"]
             if re.search(regex, t["name"]) and not re.search(WITHOUT, t["name"])]
    seconds = json.load(open(SECONDS)) if os.path.exists(SECONDS) else {}
    tests.sort(key=lambda t: seconds.get(name_of(t["name"]), 10))  # the short ones first
    os.makedirs(MAP, exist_ok=True)
    known = set(objects())
    for c in counters_of(os.path.join(BUILD, "CMakeFiles")):
        os.remove(os.path.join(BUILD, "CMakeFiles", c))
    failed = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for name, status, spent in pool.map(lambda t: run(t, known), tests):
            seconds[name] = round(spent, 1)
            json.dump(seconds, open(SECONDS, "w"), indent=1, sort_keys=True)
            print("%-40s %6.1f s%s" % (name, spent, "" if status == 0 else " skipped" if status == 77 else
                                       " FAILED (%s)" % status), flush=True)
            failed += [name] if status not in (0, 77) else []
    # Processes whose environment a test has emptied write beside the objects.
    stray = sorted(os.path.join("CMakeFiles", c) for c in counters_of(os.path.join(BUILD, "CMakeFiles")))
    stray = [c for c in stray if c[:-4] + "gcno" in known]
    if stray:
        with open(os.path.join(MAP, "without-environment"), "a") as f:
            f.write("".join(k + "\n" for k, hit in sorted(lines_of(BUILD, stray).items()) if hit))
    return failed


def write_lines():
    """All lines that have code: gcov takes notes without counters as never run."""
    with open(os.path.join(BUILD, "lines.txt"), "w") as f:
        f.write("".join(k + "\n" for k in sorted(lines_of(BUILD, objects()))))


def count():
    """Share of the lines that some test runs; writes the tables."""
    lines = open(os.path.join(BUILD, "lines.txt")).read().split()
    reached = set()
    for name in os.listdir(MAP):
        reached.update(open(os.path.join(MAP, name)).read().split())
    folders, files = {}, {}
    for k in lines:
        path = k.rsplit(":", 1)[0]
        for table, key in ((folders, path.split("/")[1]), (files, path)):
            table.setdefault(key, [0, 0])
            table[key][0] += k in reached
            table[key][1] += 1
    total = (sum(v[0] for v in folders.values()), len(lines))
    with open(os.path.join(BUILD, "coverage.txt"), "w") as f:
        f.write("| folder | lines | run |\n|---|---|---|\n")
        for key in sorted(folders):
            run, all_of_it = folders[key]
            f.write("| `%s` | %s | %.1f %% |\n" % (key, format(all_of_it, ","), 100 * run / all_of_it))
        f.write("| all | %s | %.1f %% |\n\n" % (format(total[1], ","), 100 * total[0] / total[1]))
        for key in sorted(files, key=lambda k: files[k][0] / files[k][1]):
            f.write("%6.1f %% of %5d lines  %s\n" % (100 * files[key][0] / files[key][1], files[key][1], key))
    texts = {}
    with open(os.path.join(BUILD, "missed.txt"), "w") as f:
        for k in sorted(set(lines) - reached, key=lambda k: (k.rsplit(":", 1)[0], int(k.rsplit(":", 1)[1]))):
            path, number = k.rsplit(":", 1)
            if path not in texts:
                texts[path] = open(os.path.join(ROOT, path)).read().split("\n")
            f.write("%s: %s\n" % (k, texts[path][int(number) - 1].strip()))
    print("%.1f %% of %d lines of src/ are run by %d tests"
          % (100 * total[0] / total[1], total[1], len(os.listdir(MAP))))


if __name__ == "__main__":
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--tests", default=".")
    p.add_argument("--count", action="store_true")
    a = p.parse_args()
    failed = [] if a.count else run_all(a.jobs, a.tests)
    write_lines()
    count()
    sys.exit(1 if failed else 0)
