#!/bin/sh
# SPDX-License-Identifier: ISC
# sqlite.sh [--update]: the statements of sqlite_ubench; see statements.sh.
. "$(dirname "$0")/statements.sh"
store=sqlite
cd "$work" && statements
