# shellcheck shell=sh source=lib-stores.sh
runner=memfile_ubench
. "$CLI/lib-stores.sh"
try_bad_options
try memfile_ubench -o nonsense=1
try memfile_ubench -o format=xml
try memfile_ubench -o buffer=0
try memfile_ubench -o buffer=abc
try memfile_ubench -o buffer=2G
try memfile_ubench -s bounded
try memfile_ubench -s server
try memfile_ubench -c no
left
