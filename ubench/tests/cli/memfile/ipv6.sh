# shellcheck shell=sh source=lib.sh
# IPv6 leases have a file of their own, in Kea's form.
. "$CLI/lib.sh"
need memfile_ubench
try memfile_ubench -6 -v no -s no -f leases | grep '2>\|exit'
try memfile_ubench -v no -s no -f leases
try memfile_ubench -v no -s no | grep '2>\|exit'
try memfile_ubench -6 -f dhcpd.leases
try memfile_ubench -6 -v no -s no -o format=kea | grep '2>\|exit'
left
head -n 3 dhcpd6.leases
awk -F, 'NR > 1 { print NF }' dhcpd6.leases | uniq -c
# Files of former versions are ours, too.
sed -i '2s/00:00:00:00:00:00,0,0,0/00:00:00,0,0,1/' dhcpd6.leases
try memfile_ubench -6 -v no -s no | grep '2>\|exit'
try memfile_ubench -v no -s no -f leases4 -o format=kea | grep '2>\|exit'
sed -i '2s/,0,0,0,/,0,0,1,/w changed' leases4
cat changed
try memfile_ubench -v no -s no -f leases4 -o format=kea | grep '2>\|exit'
