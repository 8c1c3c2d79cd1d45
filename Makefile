# ubench: see README.md.  `make help` lists the targets.
#
# The stores.  A new one is a directory, ubench/store/NAME/, and its name in this list.
BACKENDS = null memfile sqlite mysql pgsql kea

MAKEFLAGS += --no-builtin-rules --warn-undefined-variables
unexport CDPATH
.DEFAULT_GOAL = all
.DELETE_ON_ERROR:
.SUFFIXES:

# Variables that a user may want to set: make CC=clang PREFIX=/usr DESTDIR=/tmp/x
CC       = gcc
CXX      = g++
CFLAGS   = -O2 -g
LDFLAGS  =
PREFIX   = /usr/local
DESTDIR  =
# MPI=1: runners of which mpirun starts several, on several machines.
MPI      =
# REQUIRE=all: a missing client library is an error and not a smaller build.
REQUIRE  =
# One folder of objects per flavour; the programs of the release flavour land
# in the root.
FLAVOUR  = release
WERROR   =

BUILD = build/$(FLAVOUR)
ifeq ($(FLAVOUR),release)
BIN = .
else
BIN = $(BUILD)
endif

CSTD = -std=c11 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -fno-common \
       -pthread
# Rows of tables leave out what is 0 at their end.
WARN = -Wall -Wextra -Wno-missing-field-initializers -Wpedantic -Wconversion \
       -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wwrite-strings \
       -Wcast-qual -Wpointer-arith -Wformat=2 -Wundef -Wvla -Wswitch-enum
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null)
RELEASE = 1.0.0
CPPFLAGS = -Iubench -I$(BUILD)/include
ALL_CFLAGS = $(CSTD) $(WARN) $(WERROR) $(CFLAGS) $(CPPFLAGS)

# make V=1 shows whole command lines, make -s none.
V =
quiet = $(findstring s,$(filter-out --%,$(firstword -$(MAKEFLAGS))))
say = $(if $(V)$(quiet),,@echo '  $(1)' &&) 

# The needs of a store are in its directory's store.mk, if it has any: NAME_pkg, what
# pkg-config calls it, or NAME_has, NAME_cflags and NAME_libs; and NAME_needs, the package
# to install.  The line of deps.sh is the first one.
pkg_cflags = $(patsubst -I%,-isystem %,$(shell pkg-config --cflags $(1) 2>/dev/null))
pkg_libs = $(shell pkg-config --libs $(1) 2>/dev/null)
has_pkg = $(shell pkg-config --exists $(1) 2>/dev/null && echo yes)

define store_needs
ifdef $(1)_pkg
$(1)_has    := $$(call has_pkg,$$($(1)_pkg))
$(1)_cflags := $$(call pkg_cflags,$$($(1)_pkg))
$(1)_libs   := $$(call pkg_libs,$$($(1)_pkg))
endif
$(1)_has    ?= yes
$(1)_cflags ?=
$(1)_libs   ?=
endef
include $(wildcard $(BACKENDS:%=ubench/store/%/store.mk))
$(foreach b,$(BACKENDS),$(eval $(call store_needs,$(b))))


BUILT := $(foreach b,$(BACKENDS),$(if $($(b)_has),$(b)))
LEFT_OUT := $(filter-out $(BUILT),$(BACKENDS))
ifneq ($(LEFT_OUT),)
ifeq ($(REQUIRE),all)
$(error cannot build $(LEFT_OUT): install $(foreach b,$(LEFT_OUT),$($(b)_needs)))
endif
$(foreach b,$(LEFT_OUT),$(info $(b)_ubench is left out: it needs $($(b)_needs)))
endif

# One archive per folder, with the folders below it: a program takes from it what it
# uses.  A store's directory is an archive of its own, and may have files in C++.
objects = $(patsubst ubench/%,$(BUILD)/%.o,$(basename $(1)))
sources_in = $(wildcard ubench/$(1)/*.c ubench/$(1)/*/*.c ubench/$(1)/*.cc)
archives = $(patsubst %,$(BUILD)/%.a,$(1))
STORE_DIRS = $(addprefix store/,$(filter-out null,$(BUILT)))
null_dir =
$(foreach b,$(filter-out null,$(BUILT)),$(eval $(b)_dir = store/$(b)))
MAINS = ubench/runner/main.c ubench/link/link.c ubench/demand/demand.c
# Linked before the archives, it takes the place of ranks_alone.c.
RANKS_MPI = ubench/load/ranks_mpi.c

define archive_rule
$(BUILD)/$(1).a: $(2)
	$$(call say,AR $$@)rm -f $$@ && ar qcsD $$@ $$^
endef
$(foreach f,lease core measure load $(STORE_DIRS),$(eval \
    $(call archive_rule,$(f),$(call objects,$(filter-out $(RANKS_MPI),$(call sources_in,$(f)))))))
$(eval $(call archive_rule,store,$(BUILD)/store/null_baseline.o $(call objects,\
    $(filter-out %/null.c,$(wildcard $(addprefix ubench/store/,*.c sql/*.c server/*.c))))))
$(foreach f,runner demand,$(eval $(call archive_rule,$(f),$(call objects,\
    $(filter-out $(MAINS),$(call sources_in,$(f)))))))

store_cflags = $(foreach b,$(BUILT),$($(b)_cflags))

# link OBJECTS LIBRARIES
LINKER = $(CC)
link = $(call say,LD $@)mkdir -p $(@D) && \
    $(LINKER) -pthread $(CFLAGS) $(LDFLAGS) -o $@ $(1) $(2) -lm

RUNNERS = $(patsubst %,$(BIN)/%_ubench,$(BUILT))
# Exchanges and classes as the runners know them, for the reports.
DESCRIPTION = build/describe.json
LIBRARIES = $(BIN)/ubench_disk.so $(if $(filter kea,$(BUILT)),$(BIN)/ubench_hook.so)
PROGRAMS = $(RUNNERS) $(patsubst %,$(BIN)/ubench_%,report link leases) $(LIBRARIES)

## all: build the runners and ubench_report (the default)
.PHONY: all
all: $(PROGRAMS) $(DESCRIPTION)

# What mpicc, Open MPI's or MPICH's, gives the compiler: mpi_flags PATTERNS.
mpi_flags = $(filter $(1),$(wordlist 2,99,$(shell mpicc -show 2>/dev/null)))
mpi_libs = $(call mpi_flags,-L% -l% -Wl%)
$(call objects,$(RANKS_MPI)): EXTRA = $(patsubst -I%,-isystem %,$(call mpi_flags,-I%))
# Tests have runners with MPI beside the usual ones, if there is one.
HAS_MPI := $(if $(MPI)$(filter test%,$(MAKECMDGOALS)),$(call mpi_flags,-lmpi%))
$(if $(MPI),$(if $(HAS_MPI),,$(error MPI=$(MPI) needs mpicc: install libopenmpi-dev)))

# runner_rule STORE FOLDER [yes: with MPI]
define runner_rule
$(2)/$(1)_ubench: $(BUILD)/runner/main.o $(if $(3),$(call objects,$(RANKS_MPI))) \
    $(if $($(1)_dir),,$(BUILD)/store/$(1).o) \
    $(call archives,runner load $($(1)_dir) store measure lease core) $(BUILD)/mpi
	$$(call link,$$(filter %.o %.a,$$^),$$($(1)_libs) $(if $(3),$$(mpi_libs)))
endef
$(foreach b,$(BUILT),$(eval $(call runner_rule,$(b),$(BIN),$(MPI))))
MPI_RUNNERS = $(if $(HAS_MPI),$(if $(filter release,$(FLAVOUR)),\
    $(patsubst %,$(BUILD)/tests/mpi/%_ubench,$(filter-out kea,$(BUILT)))))
$(foreach b,$(BUILT),$(eval $(call runner_rule,$(b),$(BUILD)/tests/mpi,yes)))
$(foreach b,$(BUILT),$(if $(wildcard ubench/store/$(b)/*.cc),$(eval \
    $(BIN)/$(b)_ubench $(BUILD)/tests/conformance_$(b): LINKER = $(CXX))))

# Flavours have one, at the place where the reports look for it, and may be built at a time.
$(DESCRIPTION): $(BIN)/null_ubench
	$(call say,GEN $@)mkdir -p $(@D) && $(BIN)/null_ubench --describe >$@.$(FLAVOUR) && \
	    mv $@.$(FLAVOUR) $@

# make kea_ubench BIN=build/other
ifneq ($(BIN),.)
.PHONY: $(notdir $(RUNNERS))
$(notdir $(RUNNERS)): %: $(BIN)/%
endif

$(BIN)/ubench_link: $(BIN)/ubench_%: $(BUILD)/link/%.o $(call archives,load core)
	$(call link,$^,)

# For ubench_report demand and trace.
$(BIN)/ubench_leases: $(BUILD)/demand/demand.o $(call archives,demand lease core)
	$(call link,$^,)

# launch FILE LIBRARY: the program of the package report, which lies in LIBRARY from there.
launch = $(call say,GEN $(1))mkdir -p $(dir $(1)) && sed -e 's|@LIBRARY@|$(2)|' \
    -e 's|@VERSION@|$(RELEASE)$(if $(VERSION), ($(VERSION)))|' scripts/launcher.py >$(1) && \
    chmod +x $(1)
$(BIN)/ubench_report: scripts/launcher.py $(BUILD)/version
	$(call launch,$@,$(shell realpath -m --relative-to=$(BIN) python))
$(BUILD)/bin/ubench_report: scripts/launcher.py $(BUILD)/version
	$(call launch,$@,../libexec/ubench)

# For level 3 of scripts/crash.
$(BIN)/ubench_disk.so: ubench/disk/disk_shim.c $(BUILD)/flags
	$(call say,LD $@)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -shared -fPIC -o $@ $<

# For scripts/dhcp: the server has all that it calls.
$(BIN)/ubench_hook.so: $(BUILD)/hook/slow_hook.o
	$(call say,LD $@)$(CXX) $(CFLAGS) $(LDFLAGS) -shared -o $@ $<
$(BUILD)/hook/%.o: EXTRA = -fPIC -isystem $(KEA_PREFIX)/include/kea

# The schemas are compiled in, as bytes; the files in schema/ are their source.
SCHEMAS = $(wildcard schema/*.sql)
SCHEMA_HEADERS = $(patsubst schema/%.sql,$(BUILD)/include/schema/%.inc,$(SCHEMAS))
# DELIMITER, which mysql(1) needs and the server does not, is left out.
UNDELIMIT = -e '/^DELIMITER/d' -e 's/ *$$$$$$/;/'
$(BUILD)/include/schema/%.inc: schema/%.sql Makefile
	@mkdir -p $(@D)
	@sed $(if $(filter mysql-%,$*),$(UNDELIMIT),-n -e p) $< | od -An -v -tu1 | \
	    sed 's/ *\([0-9][0-9]*\)/\1,/g' >$@

# The schemas of a store, by family and schema: schemas[][], and the other files as NAME_sql.
SCHEMA_TABLES = $(patsubst schema/%-lean.sql,$(BUILD)/include/schema/%.h,\
    $(wildcard schema/*-lean.sql))
$(SCHEMA_TABLES): $(BUILD)/include/schema/%.h: $(SCHEMA_HEADERS)
	@text() { echo "static const char $$1_sql[] = {"; shift; \
	    for file; do echo "#include \"schema/$*-$$file.inc\""; done; echo '0 };'; }; \
	stats() { [ -f schema/$*-$$1-stats.sql ]; }; \
	{ for name in lean kea lean6 kea6 procedures procedures6 hosts flq skip listed \
	    catalogue marker \
	    tables; do \
	    [ ! -f schema/$*-$$name.sql ] || text $$name $$name; \
	    ! stats $$name || text $${name}_stats $$name $$name-stats; done; \
	echo 'static const char *const schemas[][SCHEMA_KEA_STATS + 1] = {'; \
	for six in '' 6; do more=; ! stats kea$$six || more=_stats; \
	    echo "{ lean$${six}_sql, kea$${six}_sql, kea$$six$${more}_sql },"; done; echo '};'; } >$@

EXTRA =
$(foreach b,$(filter-out null,$(BUILT)),$(eval $(BUILD)/store/$(b)/%.o: EXTRA = $($(b)_cflags)))
# For results: without flags that name paths, which may be a user's home.
PUBLIC_CFLAGS = $(strip $(foreach flag,$(CFLAGS),$(if $(findstring /,$(flag)),,$(flag))))
$(BUILD)/measure/host/%.o: EXTRA = '-DUBENCH_CFLAGS="$(PUBLIC_CFLAGS)"'
# The null store under another name, to measure the harness in every runner.
$(BUILD)/store/null_baseline.o: ubench/store/null.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC $@)$(CC) $(ALL_CFLAGS) -Dthe_backend=null_backend -MMD -MP -c -o $@ $<
# The version is the git id; only what prints or records it is compiled anew for it.
RUNNER_VERSION = $(BUILD)/runner/main.o $(BUILD)/runner/runner.o
$(RUNNER_VERSION): EXTRA = '-DUBENCH_VERSION="$(RELEASE)$(if $(VERSION), ($(VERSION)))"'
$(RUNNER_VERSION): $(BUILD)/version

$(BUILD)/version: FORCE
	@mkdir -p $(@D)
	@echo '$(RELEASE) $(VERSION)' | cmp -s - $@ || echo '$(RELEASE) $(VERSION)' >$@
.PHONY: FORCE
FORCE:

# Runners are linked anew with MPI, or without it.
$(BUILD)/mpi: FORCE
	@mkdir -p $(@D)
	@echo '$(MPI)' | cmp -s - $@ || echo '$(MPI)' >$@

# Objects that were built with other flags are built anew.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(subst ','"'"',$(CC) $(ALL_CFLAGS) $(LDFLAGS))' | cmp -s - $@ || \
	    echo '$(subst ','"'"',$(CC) $(ALL_CFLAGS) $(LDFLAGS))' >$@

$(BUILD)/%.o: ubench/%.c $(BUILD)/flags | $(SCHEMA_TABLES)
	@mkdir -p $(@D)
	$(call say,CC $@)$(CC) $(ALL_CFLAGS) $(EXTRA) -MMD -MP -c -o $@ $<

CXXSTD = -std=c++14 -pthread -Wall -Wextra -Wno-missing-field-initializers
$(BUILD)/%.o: ubench/%.cc $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CXX $@)$(CXX) $(CXXSTD) $(WERROR) $(CFLAGS) $(CPPFLAGS) $(EXTRA) -MMD -MP -c -o $@ $<

# ---- Tests ----------------------------------------------------------------
# Units: one program of all files test_*.c, which runs those that its arguments name.
# Conformance: one suite, linked once per store that keeps leases.  Helpers: what
# the command lines need.
# -Werror for developers only: `make test WERROR=` does without.
UNITS = $(BUILD)/tests/units
UNIT_SOURCES = $(wildcard $(patsubst %,ubench/tests/unit/%/test_*.c,* */* */*/*))
UNIT_FOLDERS = $(sort $(dir $(UNIT_SOURCES:ubench/tests/unit/%=%)))
CONFORMANCE = $(patsubst %,$(BUILD)/tests/conformance_%,$(filter-out null,$(BUILT)))
HELPERS = $(if $(sqlite_has),$(BUILD)/tests/sqlite_exec)
# Libraries that tests preload, which do not go with sanitizers; the statements of the servers'
# stores are with the faults.
PRELOADED = $(patsubst %,$(BUILD)/tests/%.so,sql_log clock_jumps little_memory steady_clock)
STATEMENTS = $(if $(filter release,$(FLAVOUR)),$(if $(sqlite_has),ubench/tests/sql/sqlite.sh))
# Tests in Python: of what the programs refuse and write, of the reports and the scripts.
LONGEST_TESTS = ubench/tests/cli/test_ranks.py python/tests/test_pages.py
PYTHON_TESTS = $(LONGEST_TESTS) $(filter-out $(LONGEST_TESTS),\
    $(wildcard python/tests/test_*.py python/tests/*/test_*.py ubench/tests/cli/test_*.py))
TEST_PROGRAMS = $(UNITS) $(CONFORMANCE) $(FUZZERS)
cmocka_libs = $(or $(call pkg_libs,cmocka),$(error the tests need libcmocka-dev))

$(eval $(call archive_rule,tests/lib,$(call objects,\
    $(filter-out $(addprefix %/,sqlite_exec.c sql_log.c clock_jumps.c little_memory.c \
    steady_clock.c),\
    $(call sources_in,tests/lib)))))
UNIT_LAYERS = tests/lib runner load demand store/memfile store measure lease core
# The code that computes the class of a server's table asks no server, and needs no library.
$(UNITS): $(call objects,$(UNIT_SOURCES) ubench/tests/unit/main.c \
    $(wildcard ubench/store/*/*_class.c)) $(call archives,$(UNIT_LAYERS))
	$(call link,$^,$(cmocka_libs))

define conformance_rule
$(BUILD)/tests/conformance_$(1): $(call objects,$(call sources_in,tests/conformance)) \
    $(call archives,tests/lib load store/$(1) store measure lease core)
	$$(call link,$$^,$$($(1)_libs) $$(cmocka_libs))
endef
$(foreach b,$(filter-out null,$(BUILT)),$(eval $(call conformance_rule,$(b))))

# Each fuzz target is replayed with the inputs in its corpus, or, in its flavour, linked
# with libFuzzer.
FUZZED = $(filter-out $(if $(sqlite_has),,sql),$(patsubst ubench/tests/fuzz/fuzz_%.c,%,\
    $(wildcard ubench/tests/fuzz/fuzz_*.c)))
FUZZERS = $(FUZZED:%=$(BUILD)/tests/fuzz_%)
define fuzz_rule
$(BUILD)/tests/fuzz_$(1): $(patsubst %,$(BUILD)/tests/fuzz/%.o,fuzz_$(1) fuzz \
    $(if $(filter fuzz,$(FLAVOUR)),,replay)) $(call archives,tests/lib runner \
    load store/$(if $(filter sql,$(1)),sqlite,memfile) store measure lease core)
	$$(call link,$$^,$(if $(filter fuzz,$(FLAVOUR)),-fsanitize=fuzzer) \
	    $$(if $$(filter sql,$(1)),$$(sqlite_libs)))
endef
$(foreach f,$(FUZZED),$(eval $(call fuzz_rule,$(f))))

$(HELPERS): $(BUILD)/tests/%: $(BUILD)/tests/lib/%.o
	$(call link,$^,$(sqlite_libs))
# cmocka 2 would have other names for assertions that 1.1 does not know; and few tests
# have a use for the state that it hands them.
$(BUILD)/tests/%.o: EXTRA = $(sqlite_cflags) -Wno-deprecated-declarations \
    -Wno-unused-parameter
$(PRELOADED): $(BUILD)/tests/%.so: ubench/tests/lib/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,LD $@)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -shared -fPIC -o $@ $<

## test: build and run units, conformance suites and command lines
.PHONY: test test-build
test test-build: WERROR = -Werror
test-build: all $(TEST_PROGRAMS) $(HELPERS) $(PRELOADED) $(MPI_RUNNERS)
# The longest begin first.
test: test-build
	@HELPERS=$(BUILD)/tests ubench/tests/run.sh $(BIN) --in-lanes 3 \
	    $(CONFORMANCE) $(PYTHON_TESTS) $(CLI_TESTS) $(STATEMENTS) $(FUZZERS) \
	    $(foreach t,$(UNIT_TESTS),'$(UNITS) $(t)')
CLI_TESTS = ubench/tests/cli/run.sh
UNIT_TESTS = $(UNIT_FOLDERS:%=%test_)

# A sanitizer sees the units, the conformance suites and each kind of run.  That of threads
# sees what has threads.
OF_THREADS = $(patsubst %,load/test_%,conductor phase_faults phase_threads phase_times \
    read_back) load/crash/test_outages load/crash/test_reconnect \
    load/exchange/test_exchange load/openloop/test_open_lo load/openloop/test_queue \
    load/openloop/test_storm core/test_ticker core/test_workers store/test_backend \
    store/server/test_watchdog runner/test_monitor measure/test_usage

# A flavour is the same Makefile in a folder of its own beside this one's.
beside = $(BUILD:build/release=build)
flavour = $(MAKE) --no-print-directory FLAVOUR=$(1) BUILD=$(beside)/$(1) BIN=$(beside)/$(1)

## asan: the same with clang, its warnings, and its sanitizers of addresses and of
##     undefined behaviour; asan-build only builds it
.PHONY: asan asan-build
ASAN_FLAGS = -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined \
             -fno-sanitize-recover=all
python_tests = $(patsubst %,ubench/tests/cli/test_%.py,$(1))
asan: export CONFORMANCE_TESTS = *(kea*
tsan: export CONFORMANCE_TESTS = *threads*
asan tsan: export ASAN_OPTIONS = allocator_may_return_null=1
asan tsan: export TSAN_OPTIONS = allocator_may_return_null=1
asan asan-build:
	+$(call flavour,asan) CC=clang CXX=clang++ CFLAGS='$(ASAN_FLAGS)' \
	    CLI_TESTS= PYTHON_TESTS='$(call python_tests,runs files turns)' \
	    $(if $(filter asan,$@),test,test-build)

## tsan: what has threads, with the thread sanitizer
.PHONY: tsan
tsan:
	+$(call flavour,tsan) CFLAGS='-O1 -g -fsanitize=thread' BACKENDS='null memfile sqlite' \
	    CLI_TESTS= FUZZED= UNIT_TESTS='$(OF_THREADS)' \
	    PYTHON_TESTS='$(call python_tests,turns)' test

## fuzz: fuzz what programs read, each target for FUZZ_SECONDS (60), with clang
.PHONY: fuzz fuzz-all
FUZZ_SECONDS = 60
FUZZ_FLAGS = -O1 -g -fno-sanitize-recover=all \
             -fsanitize=address,undefined,fuzzer-no-link
fuzz:
	+$(call flavour,fuzz) CC=clang CFLAGS='$(FUZZ_FLAGS)' fuzz-all
fuzz-all: $(FUZZERS)
	@ubench/tests/fuzz/run.sh $(FUZZ_SECONDS) $(BUILD)/fuzz $^

# Bare loops that do what a runner does and nothing else.
BARE = $(BUILD)/tests/bare_log $(if $(sqlite_has),$(BUILD)/tests/bare_sqlite)
$(BARE): $(BUILD)/tests/%: $(BUILD)/tests/perf/%.o $(call archives,lease core)
	$(call link,$^,$(sqlite_libs))
$(BUILD)/tests/perf/bare_sqlite.o: EXTRA = $(sqlite_cflags)

## perf: the runners' speed beside bare loops and other tools, as ratios
.PHONY: perf
perf: all $(BARE)
	BIN=$(BIN) HELPERS=$(BUILD)/tests ubench/tests/perf/embedded.sh
	BIN=$(BIN) ubench/tests/perf/report.sh
	BIN=$(BIN) ubench/tests/perf/sync.py
	for peer in mysql pgsql; do for threads in 1 8; do \
	    BIN=$(BIN) THREADS=$$threads ubench/tests/perf/$$peer.sh || exit 1; \
	done; done

## mutants: how many of COUNT (60) random changes of python/ubench and of what writes
##     the line, chosen by SEED (1), the tests notice; it takes an hour.  FOLDERS=load,runner:
##     changes of all C in these folders of ubench/
.PHONY: mutants
SEED = 1
COUNT = 60
FOLDERS =
mutants:
	@python3 python/tests/mutants.py --seed $(SEED) --count $(COUNT) --folders '$(FOLDERS)'

## check: rules of the sources, clang-format, ruff, mypy, shellcheck, codespell, prose
.PHONY: check
check:
	@scripts/check.py

## site: write the public site, with all published results, into build/site
.PHONY: site
site: $(BIN)/ubench_report $(DESCRIPTION)
	@$(BIN)/ubench_report site -o $(BUILD:build/release=build)/site --documents . \
	    $(wildcard results/*.jsonl results/contributed/*.jsonl)

## headers: compile each header alone
.PHONY: headers
headers: $(SCHEMA_TABLES)
	@printf '%s\n' $(filter ubench/%.h,$(SOURCES)) | xargs -P 2 -I HEADER \
	    $(CC) $(CSTD) $(WARN) -Werror $(CPPFLAGS) $(store_cflags) \
	        -fsyntax-only -x c -include HEADER /dev/null
	@$(CXX) $(CXXSTD) -Werror $(CPPFLAGS) -fsyntax-only -x c++ -include store/backend.h /dev/null

# ---- End of tests ---------------------------------------------------------

## format: put all sources into the layout of the project (clang-format)
.PHONY: format
format:
	clang-format -i $(SOURCES)
SOURCES = $(shell git ls-files --cached --others --exclude-standard '*.c' '*.h')

# One file at a time: clang-tidy 14 takes what it has learnt of a va_list along
# to the next one.
## tidy: check the layout and run clang-tidy; both must be silent
.PHONY: tidy
tidy: $(SCHEMA_TABLES)
	clang-format --dry-run -Werror $(SOURCES)
	printf '%s\n' $(filter-out $(RANKS_MPI),$(filter %.c,$(SOURCES))) | xargs -P 2 -I FILE \
	    clang-tidy --quiet FILE -- $(CSTD) $(CPPFLAGS) $(store_cflags) -DUBENCH_VERSION='"0"'

# ---- Installation ---------------------------------------------------------
UBENCH = $(patsubst scripts/%.sh,$(BUILD)/bin/%,$(wildcard scripts/ubench.sh))
COMMANDS = $(filter-out %.so %/ubench_leases,$(PROGRAMS)) $(UBENCH)
MANUALS = $(patsubst %,$(BUILD)/man/%.1,$(notdir $(COMMANDS)))
COMPLETIONS = $(patsubst %,$(BUILD)/completions/%,$(notdir $(COMMANDS)))

$(UBENCH): $(BUILD)/bin/%: scripts/%.sh
	@mkdir -p $(@D)
	@cp $< $@
define manual_rule
$(BUILD)/man/$(notdir $(1)).1: $(1) scripts/man.sh
	@mkdir -p $$(@D)
	@BIN=$(BIN) scripts/man.sh $(1) >$$@
endef
$(foreach c,$(COMMANDS),$(eval $(call manual_rule,$(c))))
$(COMPLETIONS): scripts/completion.sh
	@mkdir -p $(@D)
	@cp $< $@

# The Python package, with its data: symbolic links are installed as the files that they name.
PACKAGE := $(shell cd python && find -L ubench -type f ! -path '*/__pycache__/*')
PACKAGE_FOLDERS := $(sort $(dir $(PACKAGE)))
files_in = $(foreach f,$(PACKAGE),$(if $(filter $(1),$(dir $(f))),python/$(f)))
define package_folder
$(call $(1),644,libexec/ubench/$(2:/=),$(call files_in,$(2)))

endef

# installed VERB: what is installed, by place or remove: mode, folder, files.
define installed
$(call $(1),755,bin,$(filter-out %/ubench_report,$(COMMANDS)) $(BUILD)/bin/ubench_report)
$(call $(1),755,libexec/ubench,$(addprefix scripts/,crash dhcp duel servers sweep where) \
    $(BIN)/ubench_leases)
$(foreach f,$(PACKAGE_FOLDERS),$(call package_folder,$(1),$(f)))
$(call $(1),644,libexec/ubench,$(LIBRARIES) $(DESCRIPTION))
$(call $(1),644,share/ubench/schema,$(SCHEMAS))
$(call $(1),644,share/man/man1,$(MANUALS))
$(call $(1),644,share/bash-completion/completions,$(COMPLETIONS))
$(call $(1),644,share/doc/ubench,$(wildcard *.md) LICENSE)
$(call $(1),644,share/doc/ubench/docs,$(wildcard docs/*.md))
$(call $(1),644,share/doc/ubench/docs/exchanges,$(wildcard docs/exchanges/*.txt))
$(call $(1),644,share/doc/ubench/docs/sql,$(wildcard docs/sql/*.sql))
$(call $(1),644,share/doc/ubench/results,$(wildcard results/*.md results/*schema*.json \
    results/guide-*.jsonl results/kea-3.0-2026-11.jsonl results/*.png))
$(call $(1),644,share/doc/ubench/results/traces,$(wildcard results/traces/*))
endef
into = '$(DESTDIR)$(PREFIX)/$(1)'
define place
mkdir -p $(call into,$(2))
install -m $(1) $(3) $(call into,$(2))
endef
remove = rm -f $(foreach f,$(notdir $(3)),$(call into,$(2)/$(f)))
# The folders of ubench alone, those within others first.
OWN_FOLDERS = $(addprefix libexec/ubench/,$(shell printf '%s\n' $(PACKAGE_FOLDERS:/=) | sort -r)) \
    libexec/ubench share/ubench/schema share/ubench \
    share/doc/ubench/docs/exchanges share/doc/ubench/docs/sql share/doc/ubench/docs \
    share/doc/ubench/results/traces \
    share/doc/ubench/results share/doc/ubench

## install: put programs, scripts, manual pages and the rest into $(DESTDIR)$(PREFIX)
.PHONY: install uninstall
install: all $(BUILD)/bin/ubench_report $(MANUALS) $(COMPLETIONS)
	$(call installed,place)

## uninstall: remove what install put there
uninstall: BUILT = $(BACKENDS)
uninstall:
	$(call installed,remove)
	rm -rf $(foreach f,$(PACKAGE_FOLDERS:/=),\
	    $(call into,libexec/ubench/$(f)/__pycache__))
	-rmdir $(foreach f,$(OWN_FOLDERS),$(call into,$(f)))

## clean: remove what was built
.PHONY: clean
clean:
	rm -rf build $(patsubst %,%_ubench,$(BACKENDS)) ubench_report \
	    ubench_link ubench_leases ubench_disk.so ubench_hook.so

## help: list the targets
.PHONY: help
help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

-include $(shell find $(BUILD) -name '*.d' -type f 2>/dev/null)
