#!/bin/sh
# SPDX-License-Identifier: ISC
# healthcheck.sh: 0 once MariaDB takes connections. Options of MariaDB's own script are accepted.
exec mariadb-admin --silent ping
