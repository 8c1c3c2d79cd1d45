# test kea-dev           test -e /usr/include/kea/dhcpsrv/lease_mgr.h
# test libboost-dev      test -e /usr/include/boost/version.hpp
# test g++               command -v g++
KEA_HEADERS := $(wildcard /usr/include/kea/dhcpsrv/lease_mgr.h)
kea_has     := $(and $(KEA_HEADERS),$(wildcard /usr/include/boost/version.hpp),\
    $(shell command -v $(CXX)),$(mysql_has),$(call has_pkg,libpq))
kea_cflags   = -isystem /usr/include/kea -idirafter $(BUILD)/include/kea \
    $(mysql_cflags) $(pgsql_cflags)
# Kea 3.0 says dhcp where it said dhcp++.
kea_libs     = $(mysql_libs) $(pgsql_libs) -Wl,--as-needed $(patsubst %,-lkea-%,\
    dhcpsrv mysql pgsql database $(or $(patsubst libkea-%.so,%,$(notdir $(wildcard \
    $(addsuffix /libkea-dhcp++.so,/usr/lib /usr/lib/*-linux-gnu /usr/local/lib)))),dhcp) \
    asiolink cc log util exceptions)
kea_needs    = kea-dev, libboost-dev, g++ and what mysql and pgsql need

# Debian's kea-dev 2.2 leaves a header out, which then is ours.
$(BUILD)/include/kea/dhcpsrv/cfg_globals.h: ubench/store/kea/cfg_globals.hh
	@mkdir -p $(@D)
	@cp $< $@
$(patsubst ubench/%.cc,$(BUILD)/%.o,$(wildcard ubench/store/kea/*.cc)): | \
    $(BUILD)/include/kea/dhcpsrv/cfg_globals.h

# The stores for the two servers, of which one name each is left: mysql_backend.
KEA_SERVERS = $(patsubst %,$(BUILD)/store/kea/%_backend.o,mysql pgsql)
$(KEA_SERVERS): $(BUILD)/store/kea/%_backend.o: $(BUILD)/store/%.a
	@mkdir -p $(@D)
	$(call say,LD $@)ld -r --whole-archive $< -o $@ && \
	    objcopy --redefine-sym the_backend=$*_backend $@ && \
	    objcopy --keep-global-symbol=$*_backend $@
# memfile's lease_log.o empties and locks a lease file.
$(BUILD)/store/kea.a: $(KEA_SERVERS) $(BUILD)/store/memfile/lease_log.o
