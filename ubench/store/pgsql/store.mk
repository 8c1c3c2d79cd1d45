# build libpq-dev        pkg-config --exists libpq
pgsql_pkg   = libpq
pgsql_needs = libpq-dev
