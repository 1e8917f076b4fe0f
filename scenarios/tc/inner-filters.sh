# Filters in two steps: the root sends to a department, its own filters to a person.
tc qdisc add dev eth0 root handle 1: htb default 99
tc class add dev eth0 parent 1: classid 1:1 htb rate 20mbit
tc class add dev eth0 parent 1:1 classid 1:10 htb rate 12mbit ceil 20mbit
tc class add dev eth0 parent 1:10 classid 1:11 htb rate 8mbit ceil 20mbit
tc class add dev eth0 parent 1:10 classid 1:12 htb rate 4mbit ceil 20mbit
tc class add dev eth0 parent 1:1 classid 1:99 htb rate 8mbit ceil 20mbit
tc filter add dev eth0 parent 1: protocol ip prio 5 u32 match ip dst 10.10.0.0/16 flowid 1:10
tc filter add dev eth0 parent 1:10 protocol ip prio 5 u32 match ip dst 10.10.0.11/32 flowid 1:11
tc filter add dev eth0 parent 1:10 protocol ip prio 6 u32 match ip dst 10.10.0.0/16 flowid 1:12
