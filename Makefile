# CMakeLists.txt builds Taut; this file is the way in. `make help` lists what it does.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
MODEL := models/double-spherical-pendulum.lua

.PHONY: all demo check gallery chaos-map python reproduce bench long-runs bench-peers ulp fuzz mutate long lint valgrind coverage \
        install deb deb-test abi abi-update bare-test i386-test setup clean help
.NOTPARALLEL:

all: setup
	@tools/build.sh default $(JOBS) taut_products

demo: all
	build/taut run $(MODEL) -m rattle -s 0.01 -T 100 -o build/demo.taut --force
	@build/taut report build/demo.taut -o build/demo.html > build/demo.log
	@printf '\nThe motion and plots are in a page; open it in a browser:\n  %s\n' 'file://$(abspath build/demo.html)'
	@printf '\nNext, the same pendulum as a table of numbers, and what a method of order 4 keeps of it:\n  %s\n  %s\n' \
	  'build/taut run $(MODEL) -m rattle -s 0.01 -T 1 --csv' 'build/taut verify $(MODEL) -m lobatto:s=3'

# One run of CTest over four builds: gcc, gcc with sanitizers, clang, and gcc with ThreadSanitizer.
check:
	@tools/setup.sh build check lint
	@tools/build.sh check $(JOBS)
	@tools/build.sh sanitize $(JOBS)
	@tools/build.sh clang $(JOBS)
	@tools/build.sh threads $(JOBS)
	@mkdir -p build/check
	@echo 'subdirs(.. ../../build-sanitize ../../build-clang ../../build-threads)' > build/check/CTestTestfile.cmake
	@ctest --test-dir build/check --parallel $(JOBS) --timeout 600 --output-on-failure --no-tests=error
	@echo 'Skipped, and in how many programs:'
	@awk '!/^\[  SKIPPED \]/ { listed = 0 } listed { print $$NF } /SKIPPED.*listed below/ { listed = 1 }' build/check/Testing/Temporary/LastTest.log | sort | uniq -c

# Every model run and drawn: docs/gallery.md and its pictures.
gallery: all
	@tools/gallery.sh build/taut

# The chaos map of docs/ensembles.md, on a GPU: seconds, and the picture. ON=lanes: on the processor, in minutes.
ON ?= gpu
SIZE ?= 1000
chaos-map: all
	@tools/chaos-map.py --on $(ON) --size $(SIZE) -o docs/figures/chaos-map.png

# The Python package (python/), built and tested in a venv from Debian's packages alone: build/python/venv.
python: all
	@tools/setup.sh python
	@python/check.sh

# Every table and figure of the papers; goes on where it was interrupted.
reproduce: all
	build/taut reproduce -o build/reproduction --jobs $(JOBS)

# Benchmarks, into bench/README.md: about ten minutes. ROWS="j1 chain" measures some of them again, ROUNDS=9 takes more care.
bench: all
	@JOBS=$(JOBS) bench/run.sh $(ROWS)

# 10^8 steps of three methods: the table and the plot of docs/accuracy.md. Two minutes.
STEPS ?= 1e8
long-runs: setup
	@tools/build.sh default $(JOBS) bench_long
	@bench/long.sh $(STEPS)

# The other systems that make bench compares with. They are large, and make bench does without those that are missing.
bench-peers:
	@tools/setup.sh bench

# Errors of the elementary functions against quad: the table of docs/accuracy.md. COUNT=100000000 is what it shows.
COUNT ?= 1000000
ulp: setup
	@tools/build.sh default $(JOBS) ulp
	@build/ulp $(COUNT) $(JOBS)

# docs/testing.md describes these. SECONDS is for each target; TARGETS="model vary" are some of them.
SECONDS ?= 60
fuzz:
	@tools/setup.sh build fuzz
	@tools/build.sh fuzz $(JOBS) fuzz_targets
	@tools/fuzz.sh $(SECONDS) $(TARGETS)

# Small wrong changes of src/, which the tests must see. COUNT_MUTANTS=20 is a matter of minutes where make coverage has
# been run, which says which tests see a line at all.
COUNT_MUTANTS ?= 220
mutate:
	@tools/setup.sh build check
	@tools/mutate build --jobs $(JOBS)
	@tools/mutate run --count $(COUNT_MUTANTS) $(if $(wildcard build-coverage/map),--map build-coverage/map)

# The long forms of the tests that look for what breaks: 1,000 kills, 3,000 mechanisms, every failing call, loss of power.
long:
	@tools/setup.sh build check
	@tools/build.sh check $(JOBS)
	@TAUT_TEST_LONG=1 ctest --test-dir build --timeout 7200 --output-on-failure \
	  -R '^(test_record_kill|test_ensemble_kill|test_record_power|test_record_hostile|test_random_mechanisms|test_cli_fault)$$'

# clang-tidy and cppcheck, with .clang-tidy and .cppcheck-suppressions. Part of make check, too.
lint:
	@tools/setup.sh build lint
	@tools/lint.sh

# Some tests under valgrind, which also sees what is read before it is written. Part of make check, too.
valgrind:
	@tools/setup.sh build lint
	@tools/build.sh default $(JOBS) all
	@ctest --test-dir build --parallel $(JOBS) --output-on-failure --no-tests=error -L valgrind

# Lines of src/ that the tests run: build-coverage/coverage.txt; and which test runs which line: build-coverage/map.
coverage:
	@tools/setup.sh build check coverage
	@tools/coverage.sh $(JOBS)

install: all
	@cmake --install build --prefix '$(PREFIX)'

# Debian packages, into build/deb, and lintian. DEB_BUILD_OPTIONS=nocheck leaves out the tests of the library that the
# build runs.
deb:
	@tools/setup.sh build deb
	@DEB_BUILD_OPTIONS="$${DEB_BUILD_OPTIONS-parallel=$(JOBS)}" tools/deb.sh

# Those packages, installed in a clean chroot (build/chroot/packages), and programs in C, C++, Fortran and Python that use
# them. As root; some minutes.
deb-test:
	@tools/setup.sh chroot
	@tests/chroot/packages.sh

# Is libtaut.so compatible with programs that were built before? abi-update says that it is meant to be as it is now.
abi: all
	@tools/setup.sh abi
	@tests/abi/check.sh build/lib/libtaut.so '$(CURDIR)'

abi-update: all
	@tools/setup.sh abi
	@tests/abi/check.sh --update build/lib/libtaut.so '$(CURDIR)'

# The two commands of README.md in a chroot that has git and make alone. As root; longer than make check.
bare-test:
	@tools/setup.sh chroot
	@JOBS=$(JOBS) tests/chroot/bare.sh

# Built for 32 bits (Debian's i386) in a chroot, and the fast tests there; PATTERN: those whose names match. As root, on
# a processor for x86-64; longer than a build of make check.
i386-test:
	@tools/setup.sh chroot
	@JOBS=$(JOBS) tests/chroot/i386.sh $(PATTERN)

setup:
	@tools/setup.sh build

clean:
	rm -rf build build-sanitize build-clang build-threads build-fuzz build-mutate build-coverage

help:
	@echo 'make                     install what the build needs (Debian packages), build build/taut'
	@echo 'make demo                the same, simulate a double spherical pendulum and make a page of it'
	@echo 'make check               the same, and run every test: with gcc, with sanitizers, with clang'
	@echo 'make gallery             run and draw every model: docs/gallery.md'
	@echo 'make chaos-map           compute and draw the map of docs/ensembles.md on a GPU (ON=lanes SIZE=200: without one)'
	@echo 'make python              build the Python package in a venv (build/python/venv) and run its tests'
	@echo 'make reproduce           compute the tables and figures of the papers (build/reproduction)'
	@echo 'make bench [ROWS=...]    run the benchmarks and write bench/README.md'
	@echo 'make long-runs           10^8 steps of three methods: how round-off grows (STEPS=1e6 for fewer)'
	@echo 'make bench-peers         install the other systems that they compare with (Debian packages, about 1.2 GB)'
	@echo 'make ulp COUNT=N         measure the errors of the elementary functions, N arguments each (10^6)'
	@echo 'make fuzz SECONDS=N      let libFuzzer look for what breaks the library, N seconds for each target (60)'
	@echo 'make long                the long forms of the tests of robustness (kills, faults, random mechanisms)'
	@echo 'make lint                run clang-tidy and cppcheck'
	@echo 'make valgrind            run some tests under valgrind'
	@echo 'make coverage            measure which lines of src/ the tests run'
	@echo 'make mutate              make small wrong changes, one at a time, and see whether the tests notice'
	@echo 'make install PREFIX=DIR  install the command, libraries, headers, manual and completion (/usr/local)'
	@echo 'make deb                 build Debian packages (build/deb) and run lintian on them'
	@echo 'make deb-test            install them in a clean chroot and build programs with them there (as root)'
	@echo 'make abi                 compare libtaut.so with tests/abi/libtaut.abi; make abi-update writes that file'
	@echo 'make bare-test           make demo and make check in a chroot with git and make alone (as root)'
	@echo 'make i386-test           build for 32 bits in a chroot and run the fast tests there (as root)'
	@echo 'make clean               remove everything that was built'
