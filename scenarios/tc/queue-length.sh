# A short device queue, from which the leaves take theirs.
ip link set dev eth0 txqueuelen 30
tc qdisc add dev eth0 root handle 1: htb default 1 direct_qlen 10
tc class add dev eth0 parent 1: classid 1:1 htb rate 1mbit
tc class add dev eth0 parent 1: classid 1:2 htb rate 1mbit
tc qdisc add dev eth0 parent 1:2 pfifo limit 5
tc filter add dev eth0 parent 1: protocol ip prio 1 u32 match ip protocol 1 0xff flowid 1:2
