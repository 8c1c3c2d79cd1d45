-- SPDX-License-Identifier: ISC
--
-- What ubench's schema "kea+stats" for SQLite adds to "kea": tables that count
-- the leases of a subnet and of a pool by state, and triggers that keep them.
-- Kea, which has no SQLite lease store, keeps such counters in its databases;
-- here they are kept as SQLite likes it.  sqlite_ubench has both files compiled
-- in and
-- takes them for --ipv6; by hand:
--
--     cat schema/sqlite-kea6.sql schema/sqlite-kea6-stats.sql | sqlite3 x.db
--
-- Safe to run twice: it creates what is missing and drops nothing.

UPDATE ubench_marker SET schema = 'kea+stats' WHERE schema = 'kea';

CREATE TABLE IF NOT EXISTS ubench_lease6_stat (
    subnet_id INTEGER NOT NULL,
    lease_type INTEGER NOT NULL,
    state INTEGER NOT NULL,
    leases INTEGER NOT NULL,
    PRIMARY KEY (subnet_id, lease_type, state)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ubench_lease6_pool_stat (
    subnet_id INTEGER NOT NULL,
    pool_id INTEGER NOT NULL,
    lease_type INTEGER NOT NULL,
    state INTEGER NOT NULL,
    leases INTEGER NOT NULL,
    PRIMARY KEY (subnet_id, pool_id, lease_type, state)
) WITHOUT ROWID;

-- Only the states 0 (default) and 1 (declined) are counted.

CREATE TRIGGER IF NOT EXISTS ubench_lease6_inserted AFTER INSERT ON lease6
    WHEN NEW.state IN (0, 1)
BEGIN
    INSERT INTO ubench_lease6_stat
    VALUES (NEW.subnet_id, NEW.lease_type, NEW.state, 1)
    ON CONFLICT (subnet_id, lease_type, state) DO
        UPDATE SET leases = leases + 1;
    INSERT INTO ubench_lease6_pool_stat
    VALUES (NEW.subnet_id, NEW.pool_id, NEW.lease_type, NEW.state, 1)
    ON CONFLICT (subnet_id, pool_id, lease_type, state) DO
        UPDATE SET leases = leases + 1;
END;

CREATE TRIGGER IF NOT EXISTS ubench_lease6_left AFTER UPDATE ON lease6
    WHEN OLD.state IN (0, 1) AND
       (OLD.state != NEW.state OR OLD.subnet_id != NEW.subnet_id
        OR OLD.pool_id != NEW.pool_id
        OR OLD.lease_type != NEW.lease_type)
BEGIN
    UPDATE ubench_lease6_stat SET leases = leases - 1
    WHERE subnet_id = OLD.subnet_id
      AND lease_type = OLD.lease_type
      AND state = OLD.state;
    UPDATE ubench_lease6_pool_stat SET leases = leases - 1
    WHERE subnet_id = OLD.subnet_id
      AND pool_id = OLD.pool_id
      AND lease_type = OLD.lease_type
      AND state = OLD.state;
END;

CREATE TRIGGER IF NOT EXISTS ubench_lease6_entered AFTER UPDATE ON lease6
    WHEN NEW.state IN (0, 1) AND
       (OLD.state != NEW.state OR OLD.subnet_id != NEW.subnet_id
        OR OLD.pool_id != NEW.pool_id
        OR OLD.lease_type != NEW.lease_type)
BEGIN
    INSERT INTO ubench_lease6_stat
    VALUES (NEW.subnet_id, NEW.lease_type, NEW.state, 1)
    ON CONFLICT (subnet_id, lease_type, state) DO
        UPDATE SET leases = leases + 1;
    INSERT INTO ubench_lease6_pool_stat
    VALUES (NEW.subnet_id, NEW.pool_id, NEW.lease_type, NEW.state, 1)
    ON CONFLICT (subnet_id, pool_id, lease_type, state) DO
        UPDATE SET leases = leases + 1;
END;

CREATE TRIGGER IF NOT EXISTS ubench_lease6_deleted AFTER DELETE ON lease6
    WHEN OLD.state IN (0, 1)
BEGIN
    UPDATE ubench_lease6_stat SET leases = leases - 1
    WHERE subnet_id = OLD.subnet_id
      AND lease_type = OLD.lease_type
      AND state = OLD.state;
    UPDATE ubench_lease6_pool_stat SET leases = leases - 1
    WHERE subnet_id = OLD.subnet_id
      AND pool_id = OLD.pool_id
      AND lease_type = OLD.lease_type
      AND state = OLD.state;
END;
