# build libsqlite3-dev   pkg-config --exists sqlite3
sqlite_pkg   = sqlite3
sqlite_needs = libsqlite3-dev
