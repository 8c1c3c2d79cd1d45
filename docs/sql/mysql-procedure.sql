-- For mysql_ubench with Kea's schema and IPv4: a procedure instead of the lookup by address.
setup:
    CREATE PROCEDURE ubench_find(lease INT UNSIGNED)
    BEGIN
        SELECT address, hwaddr, client_id, valid_lifetime, expire, subnet_id, fqdn_fwd, fqdn_rev,
               hostname, state, user_context, relay_id, remote_id, pool_id
        FROM lease4 WHERE address = lease;
    END
teardown:
    DROP PROCEDURE IF EXISTS ubench_find
find_by_address:
    CALL ubench_find(?)
