# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need ubench_report
try ubench_report compare --help
left
