# Strict priorities by TOS; the lowest band is held to 3 Mbit/s.
tc qdisc add dev eth1 root handle 1: prio bands 3 priomap 1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1
tc qdisc add dev eth1 parent 1:1 handle 10: pfifo limit 50
tc qdisc add dev eth1 parent 1:2 handle 20: bfifo limit 64k
tc qdisc add dev eth1 parent 1:3 handle 30: tbf rate 3mbit burst 16k latency 100ms
tc filter add dev eth1 parent 1: protocol ip prio 1 u32 match ip tos 0x10 0xff flowid 1:1
tc filter add dev eth1 parent 1: protocol ip prio 2 u32 match ip protocol 17 0xff match ip dport 5060 0xffff flowid 1:1
tc filter add dev eth1 parent 1: protocol ip prio 3 u32 match ip protocol 6 0xff flowid 1:2
tc filter add dev eth1 parent 1: protocol ip prio 9 matchall flowid 1:3
