-- SPDX-License-Identifier: ISC
--
-- The table by which ubench knows a database as its own: it lists all objects in the
-- database, as schema/pgsql-catalogue.sql does, since ubench created its tables.

CREATE TABLE ubench_marker (
    row_id SERIAL PRIMARY KEY,
    kind TEXT,
    name TEXT,
    definition TEXT
);
COMMENT ON TABLE ubench_marker IS 'ubench_marker of ubench';
