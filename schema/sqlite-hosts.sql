-- SPDX-License-Identifier: ISC
--
-- Host reservations for SQLite, created for each run with --hosts: the columns
-- of Kea's table hosts for an IPv4 client, and those of its indexes that a
-- look-up by identifier or an insert uses.  Kea, which has no SQLite store of
-- hosts, joins the options of a host; hosts here have no options.
--
-- Source of the facts: hosts of Kea 3.3.

CREATE TABLE ubench_hosts (
    host_id INTEGER PRIMARY KEY,
    dhcp_identifier BLOB NOT NULL,
    dhcp_identifier_type INTEGER NOT NULL,  -- 0: hwaddr, 3: client-id
    dhcp4_subnet_id INTEGER,
    ipv4_address INTEGER,
    hostname TEXT,
    user_context TEXT
);
CREATE UNIQUE INDEX ubench_hosts_by_identifier
    ON ubench_hosts (dhcp_identifier, dhcp_identifier_type, dhcp4_subnet_id);
CREATE INDEX ubench_hosts_by_address
    ON ubench_hosts (ipv4_address, dhcp4_subnet_id);
CREATE INDEX ubench_hosts_by_hostname ON ubench_hosts (hostname);
