# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
try ubench_report --help
try ubench_report tables --help
try ubench_report answer --help
