-- An index of the leases that can expire, for the reclamation of expired leases (sqlite_ubench).
-- The statements stay as they are.
setup:
    CREATE INDEX ubench_expiring ON lease4 (expire) WHERE state != 2 AND valid_lifetime != 4294967295
teardown:
    DROP INDEX IF EXISTS ubench_expiring
