-- SPDX-License-Identifier: ISC
-- sysbench: mysql_ubench's create as sysbench does it, one prepared INSERT of
-- a lease of the same size per event.

sysbench.cmdline.options = {
    columns = { "columns to write", "address" },
}

local BASE = 16777216 -- 1.0.0.0
local VALUES = {
    address = "?", hwaddr = "?", client_id = "?", valid_lifetime = "?",
    expire = "?", subnet_id = "?", fqdn_fwd = "?", fqdn_rev = "?",
    hostname = "?", state = "?", pool_id = "?",
}

function thread_init()
    local type = sysbench.sql.type
    local values = {}

    for column in string.gmatch(sysbench.opt.columns, "[%w_]+") do
        table.insert(values, VALUES[column] or "NULL")
    end
    connection = sysbench.sql.driver():connect()
    statement = connection:prepare(string.format(
        "INSERT INTO lease4 (%s) VALUES (%s)", sysbench.opt.columns,
        table.concat(values, ", ")))
    params = {
        statement:bind_create(type.INT), -- address
        statement:bind_create(type.VARCHAR, 20),
        statement:bind_create(type.VARCHAR, 255),
        statement:bind_create(type.INT), -- valid_lifetime
        statement:bind_create(type.VARCHAR, 19),
        statement:bind_create(type.INT), -- subnet_id
        statement:bind_create(type.TINYINT),
        statement:bind_create(type.TINYINT),
        statement:bind_create(type.VARCHAR, 255),
        statement:bind_create(type.INT), -- state
        statement:bind_create(type.INT), -- pool_id
    }
    statement:bind_param(unpack(params))
    params[4]:set(3600)
    params[5]:set("2030-03-17 18:46:40")
    params[6]:set(1)
    params[7]:set(0)
    params[8]:set(0)
    params[10]:set(0)
    params[11]:set(0)
    number = sysbench.tid
end

function event()
    -- Six bytes that look random, so that the indexes are filled as by us.
    local mac = string.format("%06x", (number * 7368787) % 16777213)

    params[1]:set(BASE + number)
    params[2]:set(mac)
    params[3]:set("1" .. mac)
    params[9]:set(string.format("host-%08x.example.org", number))
    statement:execute()
    number = number + sysbench.opt.threads
end

function thread_done()
    statement:close()
    connection:disconnect()
end
