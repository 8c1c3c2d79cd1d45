# shellcheck shell=sh source=lib-stores.sh
# Lease files of real servers.
runner=memfile_ubench
. "$CLI/lib-stores.sh"
cat >isc <<'END'
# The format of this file is documented in the dhcpd.leases(5) manual page.
# This lease file was written by isc-dhcp-4.4.3-P1

authoring-byte-order little-endian;
lease 1.0.0.0 {
  starts 0 2030/03/17 17:46:40;
}
END
try_foreign isc
cat >kea <<'END'
address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state,user_context,pool_id
1.0.0.0,02:00:00:00:00:01,,3600,1900003600,1,0,0,,0,,0
END
try_foreign kea
cat >kea6 <<'END'
address,duid,valid_lifetime,expire,subnet_id,pref_lifetime,lease_type,iaid,prefix_len,fqdn_fwd,fqdn_rev,hostname,hwaddr,state,user_context,hwtype,hwaddr_source,pool_id
2001:db8::1,00:03:00:01:02:00:00:00:00:01,3600,1900003600,1,2250,0,1,128,0,0,,02:00:00:00:00:01,0,,1,4,0
END
try_foreign kea6
try memfile_ubench -6 -f kea6
unchanged kea6
# Ours alone may be emptied, and an empty one.
: >empty
try memfile_ubench -v no -f empty | grep 'verified\|digest\|2>\|exit'
left
