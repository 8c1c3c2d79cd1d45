-- SPDX-License-Identifier: ISC
--
-- Host reservations for PostgreSQL, created for each run with --hosts: the
-- columns of Kea's table hosts for an IPv4 client, and those of its indexes
-- that a look-up by identifier or an insert uses.  Kea joins the options of a
-- host; hosts here have no options.
--
-- Source of the facts: hosts of Kea 3.3.

CREATE TABLE ubench_hosts (
    host_id SERIAL PRIMARY KEY,
    dhcp_identifier BYTEA NOT NULL,
    dhcp_identifier_type SMALLINT NOT NULL,  -- 0: hwaddr, 3: client-id
    dhcp4_subnet_id BIGINT,
    ipv4_address BIGINT,
    hostname VARCHAR(255),
    user_context TEXT
);
CREATE UNIQUE INDEX ubench_hosts_by_identifier
    ON ubench_hosts (dhcp_identifier, dhcp_identifier_type, dhcp4_subnet_id);
CREATE INDEX ubench_hosts_by_type
    ON ubench_hosts (dhcp_identifier, dhcp_identifier_type);
CREATE INDEX ubench_hosts_by_address
    ON ubench_hosts (ipv4_address, dhcp4_subnet_id);
CREATE INDEX ubench_hosts_by_hostname ON ubench_hosts (hostname);
COMMENT ON TABLE ubench_hosts IS 'ubench_hosts of ubench';
