#!/bin/sh
# SPDX-License-Identifier: ISC
# pgsql.sh [--update]: the statements of pgsql_ubench, on a server of its own; see statements.sh.
. "$(dirname "$0")/statements.sh"
if need_server pgsql; then
    # shellcheck disable=SC2034 # for statements
    making=1
    statements
else
    summary
fi
