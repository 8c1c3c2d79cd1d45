-- SPDX-License-Identifier: ISC
--
-- The table that identifies a file as ubench's.  It lists all objects of the file, in the
-- form of schema/sqlite-catalogue.sql, at the time when ubench had created its tables.

CREATE TABLE ubench_marker (
    kind TEXT,
    name TEXT,
    definition TEXT
);
