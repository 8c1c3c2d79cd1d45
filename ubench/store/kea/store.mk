# test kea-dev           test -e /usr/include/kea/dhcpsrv/lease_mgr.h
# test libboost-dev      test -e /usr/include/boost/version.hpp
# test g++               command -v g++
# Another Kea: make kea_ubench KEA_PREFIX=/opt/kea BIN=build/mine.  Its libraries are
# found before any others, and those that they need (DT_RPATH, not DT_RUNPATH).
KEA_PREFIX ?= /usr
KEA_HEADERS := $(wildcard $(KEA_PREFIX)/include/kea/dhcpsrv/lease_mgr.h)
KEA_LIB     := $(patsubst %/libkea-dhcpsrv.so,%,$(firstword $(wildcard $(patsubst %,\
    $(KEA_PREFIX)/%/libkea-dhcpsrv.so,lib lib64 lib/*-linux-gnu))))
kea_has     := $(and $(KEA_HEADERS),$(KEA_LIB),$(wildcard /usr/include/boost/version.hpp),\
    $(shell command -v $(CXX)),$(mysql_has),$(call has_pkg,libpq))
kea_cflags   = -isystem $(KEA_PREFIX)/include/kea -idirafter $(BUILD)/include/kea \
    $(mysql_cflags) $(pgsql_cflags)
# The first name of each that is there: Kea 3.0 says dhcp where it said dhcp++, and has
# the report of its configuration in a library of its own.
kea_lib      = $(firstword $(foreach l,$(1),$(if $(wildcard $(KEA_LIB)/libkea-$(l).so),$(l))))
kea_libs     = $(mysql_libs) $(pgsql_libs) -Wl,--as-needed $(if $(filter-out /usr,$(KEA_PREFIX)),\
    -L$(KEA_LIB) -Wl$(comma)--disable-new-dtags$(comma)-rpath$(comma)$(KEA_LIB)) \
    $(patsubst %,-lkea-%,$(call kea_lib,cfgrpt) process dhcpsrv hooks mysql pgsql database \
    $(call kea_lib,dhcp dhcp++) asiolink cc log util exceptions)
kea_needs    = kea-dev, libboost-dev, g++ and what mysql and pgsql need
comma        = ,

# Debian's kea-dev 2.2 leaves a header out, which then is ours.
$(BUILD)/include/kea/dhcpsrv/cfg_globals.h: ubench/store/kea/cfg_globals.hh
	@mkdir -p $(@D)
	@cp $< $@
KEA_OBJECTS = $(patsubst ubench/%.cc,$(BUILD)/%.o,$(wildcard ubench/store/kea/*.cc))
$(KEA_OBJECTS): $(BUILD)/store/kea/prefix | $(BUILD)/include/kea/dhcpsrv/cfg_globals.h
$(BUILD)/store/kea/prefix: FORCE
	@mkdir -p $(@D)
	@echo '$(KEA_PREFIX)' | cmp -s - $@ || echo '$(KEA_PREFIX)' >$@

# The stores for the two servers, of which one name each is left: mysql_backend.  Clang puts
# what AddressSanitizer watches into groups (COMDAT), whose names it makes of the names that
# a file exports: the files of the two stores export the same, so the linker would keep one
# store's groups and discard the other's.  Here they are still apart, and groups end here.
KEA_SERVERS = $(patsubst %,$(BUILD)/store/kea/%_backend.o,mysql pgsql)
$(KEA_SERVERS): $(BUILD)/store/kea/%_backend.o: $(BUILD)/store/%.a ubench/store/kea/store.mk
	@mkdir -p $(@D)
	$(call say,LD $@)ld -r --force-group-allocation --whole-archive $< -o $@ && \
	    objcopy --redefine-sym the_backend=$*_backend $@ && \
	    objcopy --keep-global-symbol=$*_backend $@
$(BUILD)/store/kea.a: $(KEA_SERVERS) $(BUILD)/store/memfile/claim.o
