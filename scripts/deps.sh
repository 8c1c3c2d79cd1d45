#!/bin/sh
# SPDX-License-Identifier: ISC
# Usage: deps.sh [build|servers|test [PACKAGE...]]
# Installs what ubench needs and this machine does not have.
#
#   build    compiles the runners, and lets sweep and crash run [the default]
#   servers  the same, the database servers and Kea
#   test     the same, and all that the tests use
#
# PACKAGEs are installed first.  What they replace is then not installed:
# mysql-server-core replaces MariaDB's server, say.  Servers are neither started
# nor enabled.  Without root, or sudo without a password, it prints the command.
# Package names are those of Debian 12 and 13 and Ubuntu 22.04 and 24.04.  With
# REQUIRE=all a test package that the distribution does not have is an error;
# else it is named and skipped.
set -eu

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

policy=/usr/sbin/policy-rc.d
# Packages that start a daemon, and its unit's name.
daemons="isc-dhcp-server=isc-dhcp-server kea-dhcp4-server=kea-dhcp4-server
    kea-dhcp6-server=kea-dhcp6-server mariadb-server=mariadb pgbouncer=pgbouncer
    postgresql=postgresql"

# One package per line: what it is for, its name, and what shows that it is
# there even if it came in another way.  What a store needs is in its store.mk.
table() {
    sed -n 's/^# \(build .*\|test .*\)/\1/p' "$here"/../ubench/store/*/store.mk
    cat <<'END'
build   gcc                command -v gcc
build   make               command -v make
build   pkg-config         command -v pkg-config
build   libc6-dev          test -e /usr/include/stdio.h
build   python3            command -v python3
servers libcmocka-dev      pkg-config --exists cmocka
servers mariadb-server     command -v mariadbd || command -v mysqld
servers postgresql         ls /usr/lib/postgresql/*/bin/postgres
servers kea-admin          command -v kea-admin
servers procps             command -v ps
servers iproute2           command -v ip
servers python3-rich       /usr/bin/python3 -c 'import rich'
servers python3-jinja2     /usr/bin/python3 -c 'import jinja2'
servers python3-markdown-it /usr/bin/python3 -c 'import markdown_it'
servers libjs-chart.js     test -e /usr/share/javascript/chart.js
servers python3-jsonschema /usr/bin/python3 -c 'import jsonschema'
servers strace             command -v strace
test    g++                command -v g++
test    libopenmpi-dev     command -v mpicc
test    openmpi-bin        command -v mpirun
test    clang              command -v clang
test    libclang-rt-dev    ls /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a
test    chromium-driver    command -v chromedriver
test    python3-venv       /usr/bin/python3 -c 'import ensurepip'
test    python3-setuptools /usr/bin/python3 -c 'import setuptools'
test    python3-wheel      /usr/bin/python3 -c 'import wheel'
test    python3-yaml       /usr/bin/python3 -c 'import yaml'
test    python3-pytest-xdist /usr/bin/python3 -c 'import xdist'
test    python3-selenium   /usr/bin/python3 -c 'import selenium'
test    python3-scipy      /usr/bin/python3 -c 'import scipy'
test    pgbouncer          command -v pgbouncer
test    isc-dhcp-server    command -v dhcpd
servers kea-dhcp4-server   command -v kea-dhcp4
servers kea-dhcp6-server   command -v kea-dhcp6
servers python3-pytest     /usr/bin/python3 -c 'import pytest'
test    shellcheck         command -v shellcheck
test    valgrind           command -v valgrind
test    sqlite3            command -v sqlite3
test    mmdebstrap         command -v mmdebstrap
servers libeatmydata1      ls /usr/lib/*/libeatmydata.so* /usr/lib/libeatmydata.so*
test    e2fsprogs          command -v mkfs.ext4
END
}

# missing: reads rows of the table and prints "scope package" of what is not there.
missing() {
    while read -r for package check; do
        case $wanted,$for in
        build,servers | build,test | servers,test) continue ;;
        esac
        dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null |
            grep -qx installed || (eval "$check") >/dev/null 2>&1 ||
            echo "$for $package"
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo -n "$@"
    fi
}

# explain PACKAGE...: no way to install them from here.
explain() {
    say "missing: $*"
    if ! command -v apt-get >/dev/null; then
        say "there is no apt-get: install what this system calls them"
        return
    fi
    say "neither root nor sudo without a password is possible; as root, run"
    echo "  $command"
    say "or, which starts the daemons of the servers' packages,"
    echo "  apt-get update &&" \
        "apt-get install -y --no-install-recommends $*"
}

# known "SCOPE PACKAGE" lines: prints the packages that apt can install, names
# the others.  Fails if one of these cannot be done without: the return is that of the
# pipeline's subshell, whose status is that of the function.
known() {
    echo "$1" | while read -r for package; do
        if apt-cache policy "$package" |
            grep -q 'Candidate: [0-9]'; then
            echo "$package"
        elif [ "$for" = build ] || [ "${REQUIRE:-}" = all ]; then
            say "this distribution's sources have no package $package"
            return 1
        else
            say "skipped, not in this distribution's sources: $package"
        fi
    done
}

# The servers' packages start their daemons, now and at the next boot.  ubench only wants
# the programs: meanwhile the usual policy file says no, unless the machine has one of its
# own, and the daemons are disabled.
install() {
    say "installing: $*"
    installing="$installing $*"
    on_exit leave_daemons_off
    if [ ! -e "$policy" ]; then
        made_policy=yes
        printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
        as_root chmod 755 "$policy"
    fi
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
        --no-install-recommends -o DPkg::Lock::Timeout=300 "$@" </dev/null
}

leave_daemons_off() {
    [ -z "$made_policy" ] || as_root rm -f "$policy"
    off=
    for daemon in $daemons; do
        is_among "${daemon%=*}" "$installing" || continue
        unit=${daemon#*=}
        if command -v systemctl >/dev/null; then
            as_root systemctl --quiet disable "$unit" 2>/dev/null || :
        fi
        off="$off $unit"
    done
    [ -z "$off" ] || say "left off, now and at boot:$off"
}

# provide LINES: has the packages of missing's lines installed.
provide() {
    lines=$1
    [ -n "$lines" ] || return 0
    # shellcheck disable=SC2046 # package names have no blanks
    set -- $(echo "$lines" | cut -d ' ' -f 2)
    if ! command -v apt-get >/dev/null || ! as_root true 2>/dev/null; then
        explain "$@" >&2
        exit 1
    fi
    as_root apt-get update -qq </dev/null
    packages=$(known "$lines")
    # shellcheck disable=SC2086
    [ -z "$packages" ] || install $packages
}

PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
wanted=${1:-build} command="$0 $*" installing='' made_policy=''
is_among "$wanted" "build servers test" ||
    misuse "'$wanted' is not build, servers or test; --help says more"
[ $# -lt 2 ] || {
    shift
    provide "$(printf 'build %s false\n' "$@" | missing)"
}
lines=$(table | missing)
[ -n "$lines" ] || say "everything for $wanted is there"
provide "$lines"
