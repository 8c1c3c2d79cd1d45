-- pgbench -M simple: what pgsql_ubench's create sends with -c no.
\set i :i + 1
\set number :i * :clients + :client_id
\set address 16777216 + :number
\set mac 1000000000 + permute(:number, 9000000000)
\set name 10000000 + :number
INSERT INTO lease4 (address, hwaddr, client_id, valid_lifetime, expire, subnet_id, fqdn_fwd, fqdn_rev, hostname, state, user_context, relay_id, remote_id, pool_id) VALUES (:address, E'\\x02:mac', E'\\x0102:mac', 3600, '2030-03-17 18:46:40+00', 1, false, false, 'host-:name.example.org', 0, NULL, NULL, NULL, 0);
