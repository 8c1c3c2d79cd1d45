# shellcheck shell=sh source=lib.sh
. "$CLI/lib.sh"
need kea_ubench
# None of these makes a file or asks a server.
try kea_ubench
try kea_ubench -s power-safe
try kea_ubench -s bounded
try kea_ubench -S lean
try kea_ubench -s no -b 10
try kea_ubench -o type=sqlite -s no
try kea_ubench -o type=mysql -s process-safe
try kea_ubench -o persist=yes -s no
try kea_ubench -o lfc-interval=3600 -s no
try kea_ubench -o host=localhost -s no
try kea_ubench -o name=x -s no
try kea_ubench -o type=mysql -o password=x
try kea_ubench -o type=mysql -o persist=true
try kea_ubench --database=x -s no
left
