# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
try ubench_report --version
try ubench_report -V
