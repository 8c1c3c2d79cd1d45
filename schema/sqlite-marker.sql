-- SPDX-License-Identifier: ISC
--
-- The table by which ubench knows a file as its own: it lists all objects in the file, as
-- schema/sqlite-catalogue.sql does, since ubench created its tables.

CREATE TABLE ubench_marker (
    kind TEXT,
    name TEXT,
    definition TEXT
);
