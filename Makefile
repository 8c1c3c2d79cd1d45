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

BUILT := $(foreach b,$(BACKENDS),$(if $(wildcard ubench/store/$(b).c),$(if $($(b)_has),$(b))))
LEFT_OUT := $(filter-out $(BUILT),$(BACKENDS))
ifneq ($(LEFT_OUT),)
ifeq ($(REQUIRE),all)
$(error cannot build $(LEFT_OUT): install $(foreach b,$(LEFT_OUT),$($(b)_needs)))
endif
$(foreach b,$(LEFT_OUT),$(info $(b)_ubench is left out: it needs $($(b)_needs)))
endif

# Everything but the stores and the programs, which each runner links.
CORE = core/err core/facts core/opt core/random core/units \
       lease/lease lease/generator lease/lease_file \
       store/durability load/phases report/result report/tables
RUNNER = programs/runner programs/options programs/monitor
# Stores may have files of their own beside the one that is named after them.
memfile_files = store/lease_table

objects = $(patsubst %,$(BUILD)/%.o,$(1))
runner_objects = $(call objects,store/$(1) $($(1)_files) $(CORE) $(RUNNER))
define undefined_is_empty
$(1)_files ?=
$(1)_cflags ?=
$(1)_libs ?=
endef
$(foreach b,$(BACKENDS),$(eval $(call undefined_is_empty,$(b))))

RUNNERS = $(patsubst %,$(BIN)/%_ubench,$(BUILT))

## all: build the runners (the default)
.PHONY: all
all: $(RUNNERS)

define runner_rule
$(BIN)/$(1)_ubench: $(call runner_objects,$(1))
	$$(call say,LD $$@)$$(CC) $$(CSTD) $$(CFLAGS) $$(LDFLAGS) -o $$@ $$^ $$($(1)_libs) $$(jansson_libs) -lm
endef
$(foreach b,$(BUILT),$(eval $(call runner_rule,$(b))))

# The schemas are compiled in, as bytes; the files in schema/ are their source.
SCHEMAS = $(wildcard schema/*.sql)
SCHEMA_HEADERS = $(patsubst schema/%.sql,$(BUILD)/include/schema/%.inc,$(SCHEMAS))
$(BUILD)/include/schema/%.inc: schema/%.sql
	@mkdir -p $(@D)
	@od -An -v -tu1 $< | sed 's/ *\([0-9][0-9]*\)/\1,/g' >$@

$(BUILD)/store/sqlite.o: EXTRA = $(sqlite_cflags)
$(BUILD)/store/mysql.o: EXTRA = $(mysql_cflags)
$(BUILD)/store/pgsql.o: EXTRA = $(pgsql_cflags)
$(BUILD)/report/result.o: EXTRA = $(jansson_cflags)
EXTRA =
# The version is the git id; only what prints it is compiled anew for it.
$(BUILD)/programs/runner.o: EXTRA = '-DUBENCH_VERSION="$(RELEASE)$(if $(VERSION), ($(VERSION)))"'
$(BUILD)/programs/runner.o: $(BUILD)/version

$(BUILD)/version: FORCE
	@mkdir -p $(@D)
	@echo '$(RELEASE) $(VERSION)' | cmp -s - $@ || echo '$(RELEASE) $(VERSION)' >$@
.PHONY: FORCE
FORCE:

$(BUILD)/%.o: ubench/%.c | $(SCHEMA_HEADERS)
	@mkdir -p $(@D)
	$(call say,CC $@)$(CC) $(ALL_CFLAGS) $(EXTRA) -MMD -MP -c -o $@ $<

## format: put all sources into the house layout (clang-format)
.PHONY: format
format:
	clang-format -i $(SOURCES)
SOURCES = $(shell git ls-files --cached --others --exclude-standard '*.c' '*.h')

## tidy: check the layout and run clang-tidy; both must be silent
.PHONY: tidy
tidy: $(SCHEMA_HEADERS)
	clang-format --dry-run -Werror $(SOURCES)
	clang-tidy --quiet $(filter %.c,$(SOURCES)) -- $(CSTD) $(CPPFLAGS) $(foreach b,$(BUILT),$($(b)_cflags)) $(jansson_cflags) -DUBENCH_VERSION='"0"'

## clean: remove what was built
.PHONY: clean
clean:
	rm -rf build $(patsubst %,%_ubench,$(BACKENDS))

## help: list the targets
.PHONY: help
help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

-include $(shell find build -name '*.d' 2>/dev/null)
