# ubench: see README.md.  `make help` lists the targets.
#
# The stores.  A new one is a file in ubench/store/, its name in this list, the
# library that it needs below and its files in schema/.
BACKENDS = null memfile sqlite mysql pgsql

MAKEFLAGS += --no-builtin-rules --warn-undefined-variables
.DEFAULT_GOAL = all
.DELETE_ON_ERROR:
.SUFFIXES:

# What a user may want to set: make CC=clang PREFIX=/usr DESTDIR=/tmp/x
CC       = gcc
CFLAGS   = -O2 -g
LDFLAGS  =
PREFIX   = /usr/local
DESTDIR  =
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
WARN = -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes \
       -Wmissing-prototypes -Wold-style-definition -Wwrite-strings \
       -Wcast-qual -Wpointer-arith -Wformat=2 -Wundef -Wvla -Wswitch-enum
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null)
RELEASE = 0.1.0
CPPFLAGS = -Iubench -I$(BUILD)/include
ALL_CFLAGS = $(CSTD) $(WARN) $(WERROR) $(CFLAGS) $(CPPFLAGS)

# make V=1 shows whole command lines.
V =
say = $(if $(V),,@echo '  $(1)' &&) 

# What each store needs: how it compiles, how it links, the package to install.
pkg_cflags = $(patsubst -I%,-isystem %,$(shell pkg-config --cflags $(1) 2>/dev/null))
pkg_libs = $(shell pkg-config --libs $(1) 2>/dev/null)
has_pkg = $(shell pkg-config --exists $(1) 2>/dev/null && echo yes)

null_has     = yes
memfile_has  = yes
sqlite_has   := $(call has_pkg,sqlite3)
sqlite_cflags := $(call pkg_cflags,sqlite3)
sqlite_libs  := $(call pkg_libs,sqlite3)
sqlite_needs = libsqlite3-dev
MYSQL_CONFIG := $(firstword $(foreach c,mysql_config mariadb_config,$(shell command -v $(c) 2>/dev/null)))
mysql_has    := $(if $(MYSQL_CONFIG),yes)
mysql_cflags := $(if $(MYSQL_CONFIG),$(patsubst -I%,-isystem %,$(filter -I%,$(shell $(MYSQL_CONFIG) --include))))
mysql_libs   := $(if $(MYSQL_CONFIG),$(shell $(MYSQL_CONFIG) --libs))
mysql_needs  = libmariadb-dev (or libmysqlclient-dev)
pgsql_has    := $(call has_pkg,libpq)
pgsql_cflags := $(call pkg_cflags,libpq)
pgsql_libs   := $(call pkg_libs,libpq)
pgsql_needs  = libpq-dev

jansson_libs := $(call pkg_libs,jansson)
jansson_cflags := $(call pkg_cflags,jansson)

BUILT := $(foreach b,$(BACKENDS),$(if $($(b)_has),$(b)))
LEFT_OUT := $(filter-out $(BUILT),$(BACKENDS))
ifneq ($(LEFT_OUT),)
ifeq ($(REQUIRE),all)
$(error cannot build $(LEFT_OUT): install $(foreach b,$(LEFT_OUT),$($(b)_needs)))
endif
$(foreach b,$(LEFT_OUT),$(info $(b)_ubench is left out: it needs $($(b)_needs)))
endif

# Everything but the stores and the programs, which each runner links.
CORE = core/err core/facts core/opt core/random core/region core/streams core/units \
       lease/lease lease/lease_counts lease/generator lease/lease_file lease/lease_file_isc lease/lease_file_kea \
       lease/lease_scan lease/lease_writer \
       store/durability measure/histogram measure/series measure/statistics measure/contrast \
       measure/usage measure/floors measure/host measure/host_noise \
       measure/host_path measure/kernel_files \
       load/ledger load/load load/clients load/closed_loop load/exchange_checks load/exchange_plan load/exchange_preload load/exchange_questions \
       load/exchange_steps load/exchange_table load/exchanges load/allocator load/fill load/operations load/phases load/progress load/reconnect load/settle load/verify load/workers \
       load/arrivals load/queue load/station load/trial load/service \
       load/open_loop load/simulation load/rate_search load/storm load/hook \
       load/open_load report/open_json report/open_tables \
       report/result report/figures report/tables \
       report/tables_provenance report/tables_remarks report/archive report/record \
       report/record_reader report/record_open report/record_buckets report/configurations report/configurations_labels \
       report/grid report/runs report/losses report/guide_tables report/capacity report/drift \
       report/compare report/compare_sample report/compare_open report/compare_groups report/compare_differences \
       report/compare_text
OPTIONS = programs/options programs/options_parse programs/option_uses \
          programs/open_options programs/workload
RUNNER = programs/runner programs/verifier $(OPTIONS) programs/monitor \
         programs/provenance store/null_floor
# What reads the results; each command is a file.
PAGE = report/page report/page_head report/page_tables report/page_details report/page_losses report/page_trials report/html \
       report/gnuplot report/chart report/chart_rates report/chart_latency \
       report/chart_series report/chart_responses report/chart_answers report/chart_sweeps report/chart_history \
       report/setups report/setup_usual report/loss_tables report/trial_tables
REPORT = programs/report_command programs/report_tables \
         programs/report_compare programs/report_capacity \
         programs/report_page programs/report_crashes $(PAGE)
# Stores may have files of their own beside the one that is named after them.
memfile_files = store/memfile_open store/lease_table store/lease_table_find store/lease_log \
                store/arena store/hash_index store/address_index store/expiry_index \
                store/reservation_table store/file_system
sqlite_files = store/counter_sql store/file_system store/sqlite_database store/sqlite_settings \
               store/sqlite_schema store/sqlite_statement store/sqlite_session \
               store/sqlite_lease store/sqlite_reservation
mysql_files = store/counter_sql store/mysql_link store/mysql_table store/mysql_settings \
              store/mysql_lease store/mysql_bound store/mysql_text \
              store/mysql_reservation \
              store/patience store/server_settings
pgsql_files = store/counter_sql store/pgsql_link store/pgsql_table \
              store/pgsql_settings store/pgsql_statement store/pgsql_lease \
              store/patience store/server_settings

objects = $(patsubst %,$(BUILD)/%.o,$(1))
runner_objects = $(call objects,store/$(1) $($(1)_files) $(CORE) $(RUNNER))
define undefined_is_empty
$(1)_files ?=
$(1)_cflags ?=
$(1)_libs ?=
endef
$(foreach b,$(BACKENDS),$(eval $(call undefined_is_empty,$(b))))

RUNNERS = $(patsubst %,$(BIN)/%_ubench,$(BUILT))
PROGRAMS = $(RUNNERS) $(BIN)/ubench_report $(BIN)/ubench_crash $(BIN)/ubench_disk.so

## all: build the runners and ubench_report (the default)
.PHONY: all
all: $(PROGRAMS)

define runner_rule
$(BIN)/$(1)_ubench: $(call runner_objects,$(1))
	$$(call say,LD $$@)$$(CC) $$(CSTD) $$(CFLAGS) $$(LDFLAGS) -o $$@ $$^ $$($(1)_libs) $$(jansson_libs) -lm
endef
$(foreach b,$(BUILT),$(eval $(call runner_rule,$(b))))

$(BIN)/ubench_crash: $(call objects,core/err core/opt core/random core/region core/units load/ledger disk/rebuild programs/crash)
	$(call say,LD $@)$(CC) $(CSTD) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm

# For level 3 of scripts/crash.sh.
$(BIN)/ubench_disk.so: ubench/disk/shim.c ubench/disk/record.h $(BUILD)/flags
	$(call say,LD $@)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -shared -fPIC -o $@ $<

$(BIN)/ubench_report: $(call objects,$(CORE) programs/report $(REPORT))
	$(call say,LD $@)$(CC) $(CSTD) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(jansson_libs) -lm

# The schemas are compiled in, as bytes; the files in schema/ are their source.
SCHEMAS = $(wildcard schema/*.sql)
SCHEMA_HEADERS = $(patsubst schema/%.sql,$(BUILD)/include/schema/%.inc,$(SCHEMAS))
$(BUILD)/include/schema/%.inc: schema/%.sql
	@mkdir -p $(@D)
	@od -An -v -tu1 $< | sed 's/ *\([0-9][0-9]*\)/\1,/g' >$@

# The page's style sheet too.
STYLE_HEADER = $(BUILD)/include/report/page.css.inc
$(STYLE_HEADER): ubench/report/page.css
	@mkdir -p $(@D)
	@od -An -v -tu1 $< | sed 's/ *\([0-9][0-9]*\)/\1,/g' >$@

$(BUILD)/store/sqlite.o: EXTRA = $(sqlite_cflags)
$(BUILD)/store/sqlite_%.o: EXTRA = $(sqlite_cflags)
$(BUILD)/store/mysql.o: EXTRA = $(mysql_cflags)
$(BUILD)/store/mysql_%.o: EXTRA = $(mysql_cflags)
$(BUILD)/store/pgsql.o: EXTRA = $(pgsql_cflags)
$(BUILD)/store/pgsql_%.o: EXTRA = $(pgsql_cflags)
$(BUILD)/report/result.o $(BUILD)/report/archive.o $(BUILD)/report/record_reader.o $(BUILD)/report/record_open.o $(BUILD)/programs/verifier.o \
$(BUILD)/report/losses.o: EXTRA = $(jansson_cflags)
EXTRA =
$(BUILD)/measure/host.o: EXTRA = '-DUBENCH_CFLAGS="$(CFLAGS)"'
# The null store under another name, to measure the harness in every runner.
$(BUILD)/store/null_floor.o: ubench/store/null.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC $@)$(CC) $(ALL_CFLAGS) -Dthe_backend=null_backend -MMD -MP -c -o $@ $<
# The version is the git id; only what prints it is compiled anew for it.
$(BUILD)/programs/runner.o $(BUILD)/programs/report.o: EXTRA = '-DUBENCH_VERSION="$(RELEASE)$(if $(VERSION), ($(VERSION)))"'
$(BUILD)/programs/runner.o $(BUILD)/programs/report.o: $(BUILD)/version

$(BUILD)/version: FORCE
	@mkdir -p $(@D)
	@echo '$(RELEASE) $(VERSION)' | cmp -s - $@ || echo '$(RELEASE) $(VERSION)' >$@
.PHONY: FORCE
FORCE:

# What is built with other flags is built anew.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(subst ','"'"',$(CC) $(ALL_CFLAGS) $(LDFLAGS))' | cmp -s - $@ || \
	    echo '$(subst ','"'"',$(CC) $(ALL_CFLAGS) $(LDFLAGS))' >$@

$(BUILD)/%.o: ubench/%.c $(BUILD)/flags | $(SCHEMA_HEADERS) $(STYLE_HEADER)
	@mkdir -p $(@D)
	$(call say,CC $@)$(CC) $(ALL_CFLAGS) $(EXTRA) -MMD -MP -c -o $@ $<

# ---- Tests ----------------------------------------------------------------
# Units: one cmocka program per file test_*.c.  Conformance: one suite, linked
# once per store that keeps leases.  Helpers: what the command lines need.
# -Werror for developers only: `make test WERROR=` does without.
LEAVE_OUT_STORES =
UNITS = $(patsubst ubench/tests/%.c,$(BUILD)/tests/%,$(wildcard ubench/tests/test_*.c))
UNIT_OBJECTS = $(call objects,$(CORE) $(OPTIONS) programs/monitor)
CONFORMANCE = $(patsubst %,$(BUILD)/tests/conformance_%,$(filter-out null $(LEAVE_OUT_STORES),$(BUILT)))
CONFORMANCE_PARTS = $(patsubst ubench/%.c,%,$(wildcard ubench/tests/conformance*.c))
HELPERS = $(BUILD)/tests/json_get $(if $(sqlite_has),$(BUILD)/tests/sqlite_exec)
TEST_PROGRAMS = $(UNITS) $(CONFORMANCE)
cmocka_libs = $(or $(call pkg_libs,cmocka),$(error the tests need libcmocka-dev))

$(UNITS): $(BUILD)/tests/%: $(BUILD)/tests/%.o $(UNIT_OBJECTS)
	$(call say,LD $@)$(CC) $(CSTD) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(cmocka_libs) $(jansson_libs) -lm
$(BUILD)/tests/test_tables $(BUILD)/tests/test_result $(BUILD)/tests/test_archive: $(BUILD)/tests/sample_result.o
$(BUILD)/tests/test_compare: $(BUILD)/tests/noise.o
$(patsubst %,$(BUILD)/tests/test_%,exchanges exchange_faults exchange_table outages): $(BUILD)/tests/exchange_trial.o
$(patsubst %,$(BUILD)/tests/test_%,phases phase_faults phase_threads phase_times): $(BUILD)/tests/phase_trial.o

# The units of one store's own files are linked with all of these.
$(patsubst store/%,$(BUILD)/tests/test_%,$(memfile_files)): $(call objects,$(memfile_files))
$(BUILD)/tests/test_report: $(call objects,$(REPORT))
$(BUILD)/tests/test_rebuild: $(call objects,core/region disk/rebuild)
$(patsubst %,$(BUILD)/tests/test_%,html gnuplot chart setups): $(call objects,$(PAGE))
$(BUILD)/tests/test_server_settings: $(call objects,store/server_settings)
$(BUILD)/tests/test_patience: $(call objects,store/patience)
$(BUILD)/tests/test_open_load: $(call objects,store/null_floor)

define conformance_rule
$(BUILD)/tests/conformance_$(1): $(call objects,$(CONFORMANCE_PARTS) tests/fixture tests/odd_leases \
    store/$(1) $($(1)_files) store/file_system $(filter core/% lease/% store/%,$(CORE)))
	$$(call say,LD $$@)$$(CC) $$(CSTD) $$(CFLAGS) $$(LDFLAGS) -o $$@ $$^ $$($(1)_libs) $$(cmocka_libs) $$(jansson_libs) -lm
endef
$(foreach b,$(filter-out null,$(BUILT)),$(eval $(call conformance_rule,$(b))))

$(HELPERS): $(BUILD)/tests/%: $(BUILD)/tests/helpers/%.o
	$(call say,LD $@)$(CC) $(CSTD) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(sqlite_libs) $(jansson_libs)
$(BUILD)/tests/helpers/sqlite_exec.o: EXTRA = $(sqlite_cflags)
$(BUILD)/tests/helpers/json_get.o $(BUILD)/tests/test_result.o: EXTRA = $(jansson_cflags)

## test: build and run units, conformance suites and command lines
.PHONY: test test-build
test test-build: WERROR = -Werror
test-build: all $(TEST_PROGRAMS) $(HELPERS)
test: test-build
	HELPERS=$(BUILD)/tests LEAVE_OUT='$(LEAVE_OUT)' ubench/tests/run.sh $(BIN) --in-lanes 3 ubench/tests/cli/run.sh $(CONFORMANCE) $(filter-out $(LEAVE_OUT_UNITS:%=$(BUILD)/tests/test_%),$(UNITS))

# What need not be run again under a sanitizer: cases of scripts, and of programs
# and stores without threads of their own.
LEAVE_OUT =
LEAVE_OUT_UNITS =
OF_SCRIPTS = sweep-* crash-*
OF_ONE_THREAD = report-* compare-* results-* *-help *-version *-bad-*
UNITS_OF_ONE_THREAD = allocator arrivals capacity chart compare contrast drift \
                      fill generator grid histogram html lease_table rate_search \
                      report result simulation statistics tables

# A flavour is the same Makefile in a folder of its own beside this one's.
flavour = $(MAKE) --no-print-directory FLAVOUR=$(1) BUILD=$(BUILD:build/release=build)/$(1) BIN=$(BUILD:build/release=build)/$(1)

## asan: the same with the address and undefined behaviour sanitizers
.PHONY: asan
asan tsan: export ASAN_OPTIONS = allocator_may_return_null=1
asan tsan: export TSAN_OPTIONS = allocator_may_return_null=1
asan:
	+$(call flavour,asan) CFLAGS='-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all' LEAVE_OUT='$(OF_SCRIPTS)' test

## tsan: the same with the thread sanitizer
.PHONY: tsan
tsan:
	+$(call flavour,tsan) CFLAGS='-O1 -g -fsanitize=thread' LEAVE_OUT='$(OF_SCRIPTS) $(OF_ONE_THREAD)' LEAVE_OUT_UNITS='$(UNITS_OF_ONE_THREAD)' LEAVE_OUT_STORES=pgsql test

## clang: build all of it with clang, which warns of other things
.PHONY: clang
clang:
	+$(call flavour,clang) CC=clang test-build

# Bare loops that do what a runner does and nothing else.
BARE = $(BUILD)/tests/bare_log $(if $(sqlite_has),$(BUILD)/tests/bare_sqlite)
$(BARE): $(BUILD)/tests/%: $(BUILD)/tests/perf/%.o $(call objects,core/random lease/lease lease/generator)
	$(call say,LD $@)$(CC) $(CSTD) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(sqlite_libs)
$(BUILD)/tests/perf/bare_sqlite.o: EXTRA = $(sqlite_cflags)

# Kea's lease managers, if Debian's kea-dev is there: the only C++.  It leaves
# a header out, which then is ours.
KEA_LEASES = $(if $(wildcard /usr/include/kea/dhcpsrv/lease_mgr.h),$(BUILD)/tests/kea_leases)
CXX = g++
$(BUILD)/include/kea/dhcpsrv/cfg_globals.h: ubench/tests/perf/kea_globals.hh
	@mkdir -p $(@D)
	@cp $< $@
$(BUILD)/tests/kea_leases: ubench/tests/perf/kea_leases.cc $(BUILD)/include/kea/dhcpsrv/cfg_globals.h
	@mkdir -p $(@D)
	$(call say,CXX $@)$(CXX) -std=c++14 -Wall -Wextra $(CFLAGS) -isystem /usr/include/kea -idirafter $(BUILD)/include/kea \
	    $(mysql_cflags) $(pgsql_cflags) -o $@ $< \
	    $(patsubst %,-lkea-%,dhcpsrv mysql pgsql database dhcp++ asiolink cc log util exceptions)

## perf: the runners' speed beside bare loops and other tools, as ratios
.PHONY: perf
perf: all $(BARE) $(KEA_LEASES)
	BIN=$(BIN) HELPERS=$(BUILD)/tests ubench/tests/perf/embedded.sh
	BIN=$(BIN) ubench/tests/perf/report.sh
	for peer in mysql pgsql; do for threads in 1 8; do \
	    BIN=$(BIN) THREADS=$$threads ubench/tests/perf/$$peer.sh || exit 1; \
	done; done
	BIN=$(BIN) HELPERS=$(BUILD)/tests ubench/tests/perf/kea.sh

## headers: compile each header alone
.PHONY: headers
headers: $(SCHEMA_HEADERS)
	@for header in $(filter ubench/%.h,$(SOURCES)); do \
	    $(CC) $(CSTD) $(WARN) -Werror $(CPPFLAGS) $(foreach b,$(BUILT),$($(b)_cflags)) -fsyntax-only -x c -include "$$header" /dev/null || exit 1; \
	done
# ---- End of tests ---------------------------------------------------------

## format: put all sources into the house layout (clang-format)
.PHONY: format
format:
	clang-format -i $(SOURCES)
SOURCES = $(shell git ls-files --cached --others --exclude-standard '*.c' '*.h')

# One file at a time: clang-tidy 14 takes what it has learnt of a va_list along
# to the next one.
## tidy: check the layout and run clang-tidy; both must be silent
.PHONY: tidy
tidy: $(SCHEMA_HEADERS) $(STYLE_HEADER)
	clang-format --dry-run -Werror $(SOURCES)
	printf '%s\n' $(filter %.c,$(SOURCES)) | xargs -P 2 -I FILE clang-tidy --quiet FILE -- $(CSTD) $(CPPFLAGS) $(foreach b,$(BUILT),$($(b)_cflags)) $(jansson_cflags) -DUBENCH_VERSION='"0"'

## install: put the programs into $(DESTDIR)$(PREFIX)/bin
.PHONY: install
install: all
	mkdir -p '$(DESTDIR)$(PREFIX)/bin'
	install -m 755 $(PROGRAMS) '$(DESTDIR)$(PREFIX)/bin'

## clean: remove what was built
.PHONY: clean
clean:
	rm -rf build $(patsubst %,%_ubench,$(BACKENDS)) ubench_report

## help: list the targets
.PHONY: help
help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

-include $(shell find build -name '*.d' 2>/dev/null)
