-- SPDX-License-Identifier: ISC
--
-- The table that identifies a database as ubench's.  It lists all objects of the
-- database, in the form of schema/pgsql-catalogue.sql, at the time when ubench had
-- created its tables.

CREATE TABLE ubench_marker (
    row_id SERIAL PRIMARY KEY,
    kind TEXT,
    name TEXT,
    definition TEXT
);
COMMENT ON TABLE ubench_marker IS 'ubench_marker of ubench';
