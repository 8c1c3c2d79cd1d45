-- SPDX-License-Identifier: ISC
--
-- The table by which ubench knows a database as its own: it lists all objects in the
-- database, as schema/mysql-catalogue.sql does, since ubench created its tables.  A row
-- without kind has the SQL that restores settings of the server.

CREATE TABLE IF NOT EXISTS ubench_marker (
    row_id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    kind VARCHAR(32),
    name VARCHAR(255),
    definition MEDIUMTEXT,
    restore TEXT
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin COMMENT 'ubench_marker of ubench';
