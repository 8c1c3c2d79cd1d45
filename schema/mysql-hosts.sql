-- SPDX-License-Identifier: ISC
--
-- Host reservations for MySQL and MariaDB, created for each run with --hosts:
-- the columns of Kea's table hosts for an IPv4 client, and those of its
-- indexes that a look-up by identifier or an insert uses.  Kea joins the
-- options of a host; hosts here have no options.
--
-- Source of the facts: hosts of Kea 3.3.

CREATE TABLE ubench_hosts (
    host_id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    dhcp_identifier VARBINARY(255) NOT NULL,
    dhcp_identifier_type TINYINT NOT NULL,  -- 0: hwaddr, 3: client-id
    dhcp4_subnet_id INT UNSIGNED,
    ipv4_address INT UNSIGNED,
    hostname VARCHAR(255),
    user_context TEXT,
    UNIQUE INDEX ubench_hosts_by_identifier
        (dhcp_identifier, dhcp_identifier_type, dhcp4_subnet_id),
    INDEX ubench_hosts_by_address (ipv4_address, dhcp4_subnet_id),
    INDEX ubench_hosts_by_hostname (hostname)
) DEFAULT CHARACTER SET latin1 COMMENT 'ubench_hosts of ubench';
