-- pgbench -M prepared: what pgsql_ubench's create sends.  pgbench knows numbers
-- only, so their digits are the bytes of hwaddr (6), client-id (7) and name.
\set i :i + 1
\set number :i * :clients + :client_id
\set address 16777216 + :number
\set mac 100000 + permute(:number, 900000)
\set id 1000000 + permute(:number, 9000000)
\set name 1000000000000000000 + :number
INSERT INTO lease4 (address, hwaddr, client_id, valid_lifetime, expire, subnet_id, fqdn_fwd, fqdn_rev, hostname, state, user_context, relay_id, remote_id, pool_id) VALUES (:address, :mac, :id, :valid, :expire, :subnet, :fqdn, :fqdn, :name, :state, NULL, NULL, NULL, :pool);
