-- SPDX-License-Identifier: ISC
--
-- The table that identifies a database as ubench's.  It lists all objects of the
-- database, in the form of schema/mysql-catalogue.sql, at the time when ubench had
-- created its tables.  A row whose kind is NULL has the SQL that restores settings of
-- the server.

CREATE TABLE IF NOT EXISTS ubench_marker (
    row_id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    kind VARCHAR(32),
    name VARCHAR(255),
    definition MEDIUMTEXT,
    restore TEXT
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin COMMENT 'ubench_marker of ubench';
