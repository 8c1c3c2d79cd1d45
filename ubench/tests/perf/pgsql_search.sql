-- pgbench: what pgsql_ubench's search sends, as prepared or simple query.
-- :n leases are there; nine draws of ten are among them.
\set address 16777216 + random(0, :n * 10 / 9 - 1)
SELECT address, hwaddr, client_id, valid_lifetime, expire, subnet_id, fqdn_fwd, fqdn_rev, hostname, state, user_context, relay_id, remote_id, pool_id FROM lease4 WHERE address = :address;
