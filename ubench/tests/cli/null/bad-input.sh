# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need null_ubench
try null_ubench -n 0
try null_ubench -n -5
try null_ubench -n 1e99
try null_ubench -n 99999999999999999999
try null_ubench -n abc
try null_ubench -n ''
try null_ubench --count=101M
try null_ubench --count
try null_ubench -t 0
try null_ubench -t 1001
try null_ubench -b 0
try null_ubench -b 2M
try null_ubench -R 0
try null_ubench -R 101
try null_ubench --warmup=x
try null_ubench --warmup=101M
try null_ubench --latency=no
try null_ubench -H 1.5
try null_ubench -H nan
try null_ubench -v maybe
try null_ubench -L fat
try null_ubench -w sideways
try null_ubench --seed=18446744073709551616
try null_ubench --preload=-1
try null_ubench --progress=loud
try null_ubench -n
try null_ubench -O
try null_ubench -O ''
try null_ubench -x
try null_ubench --nonsense
try null_ubench --help=yes
try null_ubench stray
try null_ubench -n 5 stray
# Options of stores are none of null's.
try null_ubench -s no
try null_ubench -f x
try null_ubench -o a=1
try null_ubench -p secret
left
