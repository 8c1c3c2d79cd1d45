# shellcheck shell=sh source=lib.sh
# The text of a run of exchanges; with -v no the results alone, as a bar is progress.
. "$CLI/lib.sh"
need memfile_ubench
try memfile_ubench -s no -n 2000 -w renew=80,dora=20 --preload=500 -t 2 -v
try memfile_ubench -s no -n 500 -w release -v no --progress=bar -R 3 --latency=off
left
