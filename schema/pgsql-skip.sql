-- SPDX-License-Identifier: ISC
--
-- In addition to pgsql-flq.sql, for --allocator=skip-locked: a pick that waits for no other
-- server, as FreeRADIUS has it.  It passes over addresses that others are picking at the same
-- moment and over those that were offered within a minute, and changes no row that all picks
-- share.  The time is compared again with a row that was changed meanwhile, and excludes it.

CREATE INDEX free_lease4_by_offer ON free_lease4 (modification_ts, address);
-- An address that returns is free at once, behind all others.
ALTER TABLE free_lease4 ALTER modification_ts
    SET DEFAULT clock_timestamp() - INTERVAL '60 seconds';

CREATE FUNCTION ubench_flq_pick_skipping(pool_start BIGINT, pool_end BIGINT) RETURNS BIGINT
LANGUAGE plpgsql AS $$
DECLARE
    picked BIGINT;
BEGIN
    SELECT address INTO picked FROM free_lease4
    WHERE address BETWEEN pool_start AND pool_end
      AND modification_ts < clock_timestamp() - INTERVAL '60 seconds'
    ORDER BY modification_ts, address LIMIT 1 FOR UPDATE SKIP LOCKED;
    UPDATE free_lease4 SET modification_ts = clock_timestamp() WHERE address = picked;
    RETURN coalesce(picked, 0);
END $$;
COMMENT ON FUNCTION ubench_flq_pick_skipping IS 'ubench_flq_pick_skipping of ubench';
