#!/bin/sh
# SPDX-License-Identifier: ISC
# mysql.sh [--update]: the statements of mysql_ubench, on a server of its own; see statements.sh.
. "$(dirname "$0")/statements.sh"
if need_server mysql -- --skip-log-bin; then
    statements
else
    summary
fi
