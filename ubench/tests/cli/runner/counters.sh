# shellcheck shell=sh
# Kea's counters and subnets: what is done with them, and what does not go.
show() {
    runner=$1
    shift
    echo "\$ ${runner}_ubench $*"
    "$BIN/${runner}_ubench" "$@" -v no 2>&1 | grep -E '^verified|_ubench: '
}
for schema in kea kea+stats; do
    show memfile -n 200 -s no -S $schema --subnets 5
    show sqlite -n 200 -s no -S $schema --subnets 5 -t 3
done
show sqlite -n 200 -s no -S kea+stats --subnets 5 -b 20
show sqlite -n 40 -s no -S kea+stats -w guests --subnets 5
show memfile --subnets 0
show memfile --subnets 100001
show memfile --subnets x
show memfile -S stats
show memfile -S kea+stats -b 2 -t 2 --subnets 2
show memfile -w fill --subnets 2
