-- SPDX-License-Identifier: ISC
--
-- In addition to mysql-flq.sql, for --allocator=skip-locked: a pick that waits for no other
-- server, as FreeRADIUS has it.  It passes over addresses that others are picking at the same
-- moment and over those that were offered within a minute, and changes no row that all picks
-- share.

CREATE INDEX free_lease4_by_offer ON free_lease4 (modification_ts, address);

DELIMITER $$
CREATE FUNCTION ubench_flq_pick_skipping(pool_start INT UNSIGNED, pool_end INT UNSIGNED)
RETURNS INT UNSIGNED
READS SQL DATA
COMMENT 'ubench_flq_pick_skipping of ubench'
BEGIN
    DECLARE picked INT UNSIGNED DEFAULT 0;

    SELECT address INTO picked FROM free_lease4 FORCE INDEX (free_lease4_by_offer)
    WHERE address BETWEEN pool_start AND pool_end
      AND modification_ts < NOW(6) - INTERVAL 60 SECOND
    ORDER BY modification_ts, address LIMIT 1 FOR UPDATE SKIP LOCKED;
    UPDATE free_lease4 SET modification_ts = SYSDATE(6) WHERE address = picked;
    RETURN picked;
END $$
DELIMITER ;
