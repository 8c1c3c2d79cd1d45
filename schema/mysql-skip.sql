-- SPDX-License-Identifier: ISC
--
-- In addition to mysql-flq.sql, for --allocator=skip-locked: a pick that waits for no other
-- server, as FreeRADIUS has it.  It passes over addresses that others are picking at the same
-- moment and over those that were offered within a minute, and changes no row that all picks
-- share.
--
-- It is a procedure because MySQL 9.7 ignores SKIP LOCKED within a function, which locks its
-- tables when it is called: the search waits for the first locked row of the index, as its
-- performance_schema.data_locks shows.  In a procedure each statement opens its own tables.

CREATE INDEX free_lease4_by_offer ON free_lease4 (modification_ts, address);
-- An address that returns is free at once, behind all others.
ALTER TABLE free_lease4 ALTER modification_ts SET DEFAULT (CURRENT_TIMESTAMP(6) - INTERVAL 60 SECOND);

DELIMITER $$
CREATE PROCEDURE ubench_flq_pick_skipping(
    IN pool_start INT UNSIGNED, IN pool_end INT UNSIGNED, OUT picked INT UNSIGNED)
COMMENT 'ubench_flq_pick_skipping of ubench'
BEGIN
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        ROLLBACK;
        RESIGNAL;
    END;

    SET picked = 0;
    START TRANSACTION;
    SELECT address INTO picked FROM free_lease4 FORCE INDEX (free_lease4_by_offer)
    WHERE address BETWEEN pool_start AND pool_end
      AND modification_ts < NOW(6) - INTERVAL 60 SECOND
    ORDER BY modification_ts, address LIMIT 1 FOR UPDATE SKIP LOCKED;
    UPDATE free_lease4 SET modification_ts = SYSDATE(6) WHERE address = picked;
    COMMIT;
END $$

CREATE PROCEDURE ubench_flq_offer(IN pool_start INT UNSIGNED, IN pool_end INT UNSIGNED)
COMMENT 'ubench_flq_offer of ubench'
BEGIN
    DECLARE picked INT UNSIGNED;

    CALL ubench_flq_pick_skipping(pool_start, pool_end, picked);
    SELECT picked;
END $$
DELIMITER ;
