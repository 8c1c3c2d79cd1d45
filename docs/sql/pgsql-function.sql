-- For pgsql_ubench with Kea's schema and IPv4.

-- A function instead of the statement that deletes a lease: the rows that it gives are counted.
setup:
    CREATE FUNCTION ubench_remove(lease bigint, old timestamptz) RETURNS SETOF bigint
    LANGUAGE sql AS
    $$ DELETE FROM lease4 WHERE address = lease AND expire = old RETURNING address $$
teardown:
    DROP FUNCTION IF EXISTS ubench_remove
remove:
    SELECT ubench_remove($1, $2)

-- Servers that share a database need not wait for each other's expired leases.
list_expired:
    SELECT address, hwaddr, client_id, valid_lifetime, expire, subnet_id, fqdn_fwd, fqdn_rev,
    hostname, state, user_context, relay_id, remote_id, pool_id
    FROM lease4 WHERE state != 2 AND valid_lifetime != 4294967295 AND expire < $1
    ORDER BY expire LIMIT $2 FOR UPDATE SKIP LOCKED
