# A token bucket inside a class, and a policer on the way to the same rate.
tc qdisc add dev eth0 ingress
tc filter add dev eth0 parent ffff: protocol ip prio 1 u32 match u32 0 0 police rate 10mbit burst 60k conform-exceed drop/pipe action mirred egress redirect dev ifb0
tc qdisc add dev ifb0 root handle 1: htb default 1
tc class add dev ifb0 parent 1: classid 1:1 htb rate 10mbit burst 15k
tc qdisc add dev ifb0 parent 1:1 handle 2: tbf rate 8mbit burst 15k latency 50ms
