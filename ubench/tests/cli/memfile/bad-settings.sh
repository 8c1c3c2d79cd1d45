# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need memfile_ubench
try memfile_ubench -o format=xml
try memfile_ubench -o buffer=0
try memfile_ubench -o buffer=abc
try memfile_ubench -o buffer=2G
try memfile_ubench -s server
try memfile_ubench -c no
left
