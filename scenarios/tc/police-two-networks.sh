# clsact: one policer for each of two networks, by packets and with a peak rate, and one on the way out.
tc qdisc add dev eth3 clsact
tc filter add dev eth3 ingress protocol ip prio 1 u32 match ip src 10.1.0.0/16 action police rate 5mbit burst 40k peakrate 8mbit mtu 2k conform-exceed drop/ok
tc filter add dev eth3 ingress protocol ip prio 2 flower src_ip 10.2.0.0/16 action police pkts_rate 500 pkts_burst 50 conform-exceed drop
tc filter add dev eth3 egress matchall action police rate 20mbit burst 200k conform-exceed drop
