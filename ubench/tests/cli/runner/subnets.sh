# shellcheck shell=sh
# Subnets, and Kea's counters of them: what does not go.
show() {
    runner=$1
    shift
    echo "\$ ${runner}_ubench $*"
    "$BIN/${runner}_ubench" "$@" -v no 2>&1 | grep -E '^verified|^digest|_ubench: '
}
show memfile -n 200 -s no -S kea --subnets 5
show sqlite -n 200 -s no -S kea --subnets 5 -t 3
show sqlite -n 200 -s no -S kea --subnets 5 -b 20
show sqlite -n 40 -s no -S kea -w guests --subnets 5
show memfile --subnets 0
show memfile --subnets 100001
show memfile --subnets x
show memfile -S stats
show memfile -S kea+stats
show sqlite -S kea+stats
show memfile -w fill --subnets 2
