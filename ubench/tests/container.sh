#!/bin/sh
# SPDX-License-Identifier: ISC
# container.sh: builds the image of container/, and measures private servers of this machine with
# it, as an ordinary user with a read-only root. Takes some minutes, and packages from the network.
#
# BASE names the image to build on, such as docker.io/library/debian:trixie-slim. Without it,
# container/base.sh makes one with mmdebstrap. Images are kept in build/container, so that the next
# call is quick; as root, "rm -rf build/container" removes them. It needs root, buildah, podman with
# crun or runc, and the servers of "scripts/deps.sh servers". What this machine cannot do is
# skipped, with the reason. The services of container/compose.yaml are started by podman-compose, if
# that is installed, with databases of Debian's packages (ubench/tests/container). Ends with
# "N passed, N failed, N skipped".
# shellcheck disable=SC2317 # expect calls the tests
set -u

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
cd "$top" || exit 1
work=$top/build/container
results=$work/results
log=$work/log
image=localhost/ubench
passed=0 failed=0

end() { # SKIPPED
    echo "$passed passed, $failed failed, $1 skipped"
    [ "$failed" -eq 0 ]
    exit
}

skip() {
    echo "skip: container: $*"
    end 1
}

# expect WHAT COMMAND...: one test.
expect() {
    what=$1
    shift
    if "$@" >"$log" 2>&1; then
        echo "ok $what"
        passed=$((passed + 1))
    else
        echo "not ok $what"
        tail -n 30 "$log"
        failed=$((failed + 1))
    fi
}

# inside COMMAND...: in a container, with the servers' addresses and nothing else of this machine.
inside() {
    podman --cgroup-manager=cgroupfs --runtime="$runtime" run --rm --read-only --cap-drop=all \
        --security-opt=no-new-privileges --network=host --ulimit=host --tmpfs=/tmp \
        -v "$results:/results" --env='UBENCH_MYSQL_*' --env='UBENCH_PGSQL_*' $image "$@"
}

# A runtime that works here: crun knows no hybrid cgroups, and not every machine has runc.
choose_runtime() {
    for runtime in crun runc; do
        inside true >"$log" 2>&1 && return
    done
    return 1
}

is_locked_up() {
    [ "$(inside id -u)" = 1000 ] && ! inside touch /x && ! inside touch /usr/bin/x &&
        inside touch /results/x
}

# measure STORE: with the environment's server.
measure() {
    inside "$1_ubench" -S kea -w renew -n 2k -s server -O "$1.jsonl" &&
        inside ubench_report tables "$1.jsonl" && [ -s "$results/$1.jsonl" ]
}

duel() {
    inside duel --time 2s --rounds 1 -O duel.jsonl -- sqlite_ubench -f a.db -w renew -s no \
        -- sqlite_ubench -f b.db -w renew -s no && inside ubench_report duels duel.jsonl
}

# ---- The services of container/compose.yaml

compose() {
    MARIADB_IMAGE=localhost/database POSTGRESQL_IMAGE=localhost/database \
        podman-compose --podman-path "$work/podman" -f container/compose.yaml "$@"
}

# start_service SERVICE: with an empty volume, and until its health check passes.
start_service() {
    compose up -d "$1" || return
    for _ in $(seq 120); do
        sleep 1
        "$work/podman" healthcheck run "ubench_$1_1" && return
    done
    "$work/podman" logs "ubench_$1_1"
    return 1
}

# measure_service SERVICE STORE: as container/README.md has it.
measure_service() {
    compose run --rm ubench "$2_ubench" -m "$1" -s server -S kea -w renew -n 2k -O own.jsonl &&
        compose run --rm ubench ubench_report answer --clients=1k own.jsonl
}

# end_services: removes their containers and volumes.
# shellcheck disable=SC2317 # the trap calls it
end_services() {
    compose down -v
}

test_services() {
    printf '#!/bin/sh\nexec podman --cgroup-manager=cgroupfs --runtime=%s "$@"\n' "$runtime" \
        >"$work/podman"
    chmod 755 "$work/podman"
    expect "an image of databases builds" buildah bud --isolation chroot --layers \
        --build-arg BASE="$BASE" -t localhost/database ubench/tests/container
    trap 'end_services >/dev/null 2>&1; scripts/servers stop >/dev/null 2>&1' EXIT
    end_services >"$log" 2>&1
    for pair in postgresql:pgsql mariadb:mysql; do
        expect "compose starts ${pair%:*}" start_service "${pair%:*}"
        expect "compose measures ${pair%:*}" measure_service "${pair%:*}" "${pair#*:}"
    done
}

[ "$(id -u)" -eq 0 ] || skip "it needs root, to make the image's files belong to their users"
tools="buildah podman"
[ -n "${BASE:-}" ] || tools="$tools mmdebstrap"
for tool in $tools; do
    command -v "$tool" >/dev/null || skip "$tool is not installed"
done
mkdir -p "$results" && chown 1000:1000 "$results"
cat >"$work/storage.conf" <<END
[storage]
driver = "vfs"
graphroot = "$work/images"
runroot = "$work/run"
END
printf '[containers]\ndefault_ulimits = []\n' >"$work/containers.conf"
export CONTAINERS_STORAGE_CONF="$work/storage.conf" CONTAINERS_CONF="$work/containers.conf"

if [ -z "${BASE:-}" ]; then
    BASE=localhost/debian
    buildah inspect --type image $BASE >/dev/null 2>&1 ||
        container/base.sh $BASE >"$log" 2>&1 ||
        skip "mmdebstrap cannot make a base: $(grep -m 1 '^E:' "$log")"
fi
expect "the image builds" buildah bud --isolation chroot --layers --build-arg BASE="$BASE" \
    --build-arg VERSION="$(git describe --tags --always 2>/dev/null)" -t $image \
    -f container/Containerfile .
[ "$failed" -eq 0 ] || end 0
choose_runtime || skip "neither crun nor runc can run a container here: $(tail -n 1 "$log")"

export UBENCH_SERVERS="$work/servers"
trap 'scripts/servers stop >/dev/null 2>&1' EXIT
expect "private servers start" scripts/servers start
eval "$(scripts/servers env)"
expect "an ordinary user writes to /results alone" is_locked_up
expect "it measures PostgreSQL" measure pgsql
expect "it measures MariaDB or MySQL" measure mysql
expect "it holds a duel" duel
if command -v podman-compose >/dev/null; then
    test_services
    end 0
fi
echo "skip: compose: podman-compose is not installed"
end 1
