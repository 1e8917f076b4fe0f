# Delay for one customer only, inside of his class.
tc qdisc add dev veth7 root handle 1: htb default 1
tc class add dev veth7 parent 1: classid 1:1 htb rate 50mbit
tc class add dev veth7 parent 1: classid 1:2 htb rate 5mbit
tc qdisc add dev veth7 parent 1:2 handle 2: netem delay 100ms
tc filter add dev veth7 parent 1: protocol ip prio 1 flower dst_ip 10.9.0.0/16 classid 1:2
