# shellcheck shell=sh
# Nothing is run, whoever asks.
dhcp() {
    echo "$ dhcp.sh $*"
    "$CLI/../../../scripts/dhcp.sh" "$@" 2>&1
    echo "= $?"
}
dhcp
dhcp rates
dhcp rate storm
dhcp rate --nonsense
dhcp rate --nonsense=1
dhcp rate -t
dhcp rate -t many
dhcp rate -t 1,x
dhcp rate --queue 0x10
dhcp rate --store oracle
dhcp rate --store memfile,sqlite
dhcp rate -s maybe
dhcp rate --server kea4
dhcp rate --server dhcpd -6
dhcp rate --server dhcpd --store mysql
dhcp rate --store memfile -s yes
dhcp rate --pool 0
dhcp rate --pool 9000000
dhcp rate --classes 257
dhcp rate --lost many
dhcp rate --lost 1.2.3
dhcp rate --within ''
dhcp rate -r 0
dhcp rate -t 0
dhcp seconds
dhcp seconds --rate 0
dhcp storm --clients 0
dhcp rate --server dhcpd -t 4
dhcp rate --server dhcpd --ha hot-standby
dhcp rate --store mysql -s volatile
dhcp rate --hook cache
dhcp rate --hook slow
dhcp rate --ha load-balancing --kill 2
dhcp seconds --rate 10 --kill 2
dhcp seconds --rate 10 --ha load-balancing --kill 9 --seconds 9
dhcp rate --ha hot-standby -s volatile
dhcp rate --full 101
dhcp rate --full 50 -6
dhcp rate --subnets 4001
dhcp rate --subnets 20 --pool 39
dhcp rate --subnets 20 --pool 1000001
dhcp hook --rate x
dhcp rate --reservations 60001
dhcp campaign rate
