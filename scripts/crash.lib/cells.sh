# shellcheck shell=sh disable=SC2034,SC2154 # crash.sh has the other half
# SPDX-License-Identifier: ISC
# What is tried: the cells, which of them, and how often.

# name | store | levels | control | options of the runner | of the server
# Controls: a level says nothing unless what must lose there did, and what must
# not did not.  The server option "lies": fsync succeeds and nothing is on the
# disk.
cells() {
    cat <<'END'
memfile write | memfile | 1 2 3 | loses at 2 3 | -s no |
memfile fdatasync | memfile | 1 2 3 | keeps at 1 2 3 | -s yes |
memfile write, 500/s | memfile | 2 | | -s no --pace 500 |
memfile fdatasync, 500/s | memfile | 2 | | -s yes --pace 500 |
memfile buffer | memfile | 1 | loses at 1 | -s volatile -o buffer=64M |
memfile fdatasync 4 threads | memfile | 1 2 3 | | -s yes -t 4 |
memfile fdatasync groups of 10 | memfile | 1 2 3 | | -s yes -b 10 |
memfile kea fdatasync | memfile | 1 2 3 | | -s yes -o format=kea |
sqlite delete off | sqlite | 1 2 3 | | -s server -o journal_mode=delete -o synchronous=off |
sqlite delete normal | sqlite | 1 2 3 | | -s server -o journal_mode=delete -o synchronous=normal |
sqlite delete full | sqlite | 1 2 3 | | -s server -o journal_mode=delete -o synchronous=full |
sqlite delete extra | sqlite | 1 2 3 | | -s server -o journal_mode=delete -o synchronous=extra |
sqlite truncate normal | sqlite | 1 2 3 | | -s server -o journal_mode=truncate -o synchronous=normal |
sqlite truncate full | sqlite | 1 2 3 | | -s server -o journal_mode=truncate -o synchronous=full |
sqlite truncate extra | sqlite | 1 2 3 | | -s server -o journal_mode=truncate -o synchronous=extra |
sqlite persist normal | sqlite | 1 2 3 | | -s server -o journal_mode=persist -o synchronous=normal |
sqlite persist full | sqlite | 1 2 3 | | -s server -o journal_mode=persist -o synchronous=full |
sqlite persist extra | sqlite | 1 2 3 | | -s server -o journal_mode=persist -o synchronous=extra |
sqlite memory full | sqlite | 1 2 3 | | -s server -o journal_mode=memory -o synchronous=full |
sqlite off full | sqlite | 1 2 3 | | -s server -o journal_mode=off -o synchronous=full |
sqlite wal off | sqlite | 1 2 3 | | -s no |
sqlite wal normal | sqlite | 1 2 3 | | -s process-safe |
sqlite wal normal, 500/s | sqlite | 2 | | -s process-safe --pace 500 |
sqlite wal full, 500/s | sqlite | 2 | | -s yes --pace 500 |
sqlite wal full | sqlite | 1 2 3 | keeps at 3 | -s yes |
sqlite wal full 4 threads | sqlite | 1 2 3 | | -s yes -t 4 |
sqlite wal full groups of 10 | sqlite | 1 2 3 | | -s yes -b 10 |
pgsql on, libeatmydata | pgsql | 2 | loses at 2 | -s yes | lies
pgsql on | pgsql | 1 1b 2 | | -s yes |
pgsql on 8 threads | pgsql | 1 1b 2 | | -s yes -t 8 |
pgsql on groups of 10 | pgsql | 1 1c 2 | | -s yes -b 10 |
pgsql on, 500/s | pgsql | 2 | | -s yes --pace 500 |
pgsql off, 500/s | pgsql | 1 1b 2 | | -s no --pace 500 |
pgsql off | pgsql | 1 1b 2 | | -s no |
pgsql unlogged | pgsql | 1 1b 2 | | -s yes -o unlogged=yes |
pgsql fsync off | pgsql | 1 2 | | -s yes | -c fsync=off
pgsql open_datasync | pgsql | 1 2 | | -s yes | -c wal_sync_method=open_datasync
pgsql full_page_writes off | pgsql | 1 2 | | -s yes | -c full_page_writes=off
mysql flush 1 | mysql | 1 2 | | -s server | --innodb-flush-log-at-trx-commit=1
mysql flush 1, 8 threads | mysql | 1 2 | | -s server -t 8 | --innodb-flush-log-at-trx-commit=1
mysql flush 1 groups of 10 | mysql | 1 1c 2 | | -s server -b 10 | --innodb-flush-log-at-trx-commit=1
mysql flush 2 | mysql | 1 2 | | -s server | --innodb-flush-log-at-trx-commit=2
mysql flush 1, 500/s | mysql | 2 | | -s server --pace 500 | --innodb-flush-log-at-trx-commit=1
mysql flush 2, 500/s | mysql | 2 | | -s server --pace 500 | --innodb-flush-log-at-trx-commit=2
mysql flush 0, 500/s | mysql | 1 2 | | -s server --pace 500 | --innodb-flush-log-at-trx-commit=0
mysql flush 0 | mysql | 1 2 | | -s server | --innodb-flush-log-at-trx-commit=0
mysql flush 1, binlog, sync 0 | mysql | 1 2 | | -s server | --innodb-flush-log-at-trx-commit=1 --log-bin=binlog --sync-binlog=0
mysql flush 1, binlog, sync 1 | mysql | 1 2 | | -s server | --innodb-flush-log-at-trx-commit=1 --log-bin=binlog --sync-binlog=1
mysql flush 3, binlog, sync 1 | mysql | 1 2 | | -s server | --innodb-flush-log-at-trx-commit=3 --log-bin=binlog --sync-binlog=1
mysql flush 1, O_DSYNC | mysql | 1 2 | | -s server | --innodb-flush-log-at-trx-commit=1 --innodb-flush-method=O_DSYNC
mysql flush 1, no doublewrite | mysql | 1 2 | | -s server | --innodb-flush-log-at-trx-commit=1 --innodb-doublewrite=OFF
mysql MyISAM | mysql | 1 2 | | -s server -e MyISAM |
mysql MyISAM groups of 10 | mysql | 1c | | -s server -e MyISAM -b 10 |
mysql Aria | mysql | 1 2 | | -s server -e Aria |
END
}

# each_cell COMMAND...: runs it for every cell.
each_cell() {
    while IFS='|' read -r name store cell_levels control options \
        server_options <&3; do
        name=${name% }
        store=${store# }
        store=${store% }
        control=${control# }
        control=${control% }
        server_options=${server_options# }
        "$@"
    done 3<<END
$(cells)
END
}

# add_pattern PATTERN: of cells that are wanted, and of which stores they are.
add_pattern() {
    known=
    each_cell match_cell "$1"
    [ -n "$known" ] || misuse "'$1' is no cell; --list names them"
    patterns="$patterns$1
"
}

match_cell() {
    # shellcheck disable=SC2254 # a pattern
    case $name in
    $1)
        known=yes
        wanted_stores="$wanted_stores $store "
        ;;
    esac
}

# is_wanted NAME: by the patterns.
is_wanted() {
    [ -n "$patterns" ] || return 0
    while IFS= read -r pattern; do
        # shellcheck disable=SC2254 # a pattern
        case $1 in
        $pattern) return 0 ;;
        esac
    done <<END
${patterns%?}
END
    return 1
}

is_level_wanted() {
    case ,$levels, in
    *",$1,"*) return 0 ;;
    esac
    return 1
}

# is_control_needed LEVEL: the cell is a control there; that of PostgreSQL is
# for those who asked for it.
is_control_needed() {
    case $control in
    *" at "*"$1"*) ;;
    *) return 1 ;;
    esac
    case $store in
    memfile | sqlite) return 0 ;;
    esac
    case $wanted_stores in
    *" $store "*) return 0 ;;
    esac
    return 1
}

# is_in_group: of the stores that are crashed here, one after another.
is_in_group() {
    case $group,$store in
    ,* | files,memfile | files,sqlite | mysql,mysql | pgsql,pgsql) return 0 ;;
    esac
    return 1
}

can_run() {
    case $store in
    mysql | pgsql) [ -z "$no_power" ] || return 1 ;;
    esac
    case $level in
    2) [ -z "$no_power" ] || return 1 ;;
    3) [ -x "$BIN/ubench_disk.so" ] || return 1 ;;
    esac
    [ -x "$BIN/${store}_ubench" ]
}

# How long a load is, and when in it the crash comes.
choose_sizes() {
    preload=960
    operations=300k
    after=400ms
    spread=1600ms
    case $store,$options in
    *--pace*) ;;
    memfile,* | sqlite,*)
        preload=120
        operations=150k
        after=5ms
        spread=40ms
        # One that makes no system call is not to end before its crash.
        [ "$name" != "memfile buffer" ] || operations=600k
        ;;
    esac
}

# choose_goal: how many crashes make a verdict.  None lost of 59 means 5 % at
# most, with a confidence of 95 %: what is called power-safe is to be no worse.
# What the settings come to is not known before the first crash; a control that
# has to lose is not called anything.
choose_goal() {
    goal=${wanted_count:-20}
    case $control in
    loses*) return ;;
    esac
    if [ -z "$wanted_count" ] &&
        lines_of_cell | tail -n 1 | grep -q '"class":"power-safe"'; then
        goal=59
    fi
}
