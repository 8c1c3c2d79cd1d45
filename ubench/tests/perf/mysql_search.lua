-- SPDX-License-Identifier: ISC
-- sysbench: mysql_ubench's search as sysbench does it, one prepared point
-- select per event, nine of ten for a lease that is there.

sysbench.cmdline.options = {
    leases = { "leases in the table", 10000 },
    columns = { "columns to read", "address" },
}

local BASE = 16777216 -- 1.0.0.0

function thread_init()
    connection = sysbench.sql.driver():connect()
    statement = connection:prepare(string.format(
        "SELECT %s FROM lease4 WHERE address = ?", sysbench.opt.columns))
    address = statement:bind_create(sysbench.sql.type.INT)
    statement:bind_param(address)
end

function event()
    local number = sysbench.rand.uniform(0, sysbench.opt.leases - 1)

    if sysbench.rand.uniform(1, 10) == 1 then
        number = number + sysbench.opt.leases
    end
    address:set(BASE + number)
    statement:execute():free()
end

function thread_done()
    statement:close()
    connection:disconnect()
end
