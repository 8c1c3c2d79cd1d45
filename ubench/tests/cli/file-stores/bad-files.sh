# shellcheck shell=sh source=lib-stores.sh
# Targets that are none.
. "$CLI/lib-stores.sh"
try "$runner" -f missing/leases
try "$runner" -f ''
try "$runner" -f /dev/null
try "$runner" -f /dev/full
mkdir folder
echo 'somebody wrote this' >folder/file
try "$runner" -f folder
try "$runner" -f folder/
try "$runner" -f folder/file/x
rm -r folder
mkfifo fifo
try "$runner" -f fifo
rm fifo
ln -s nothing link
try "$runner" -f link
rm link
left
echo 'somebody wrote this' >text
try_foreign text
printf x >byte
try_foreign byte
head -c 100000 /dev/zero >zeros
try_foreign zeros
ln -s text link
try_foreign link
rm text byte zeros link
left
