# What a day leaves behind: add, change, replace, del; the last word counts.
tc qdisc add dev eth0 root handle 1: htb default 10
tc class add dev eth0 parent 1: classid 1:1 htb rate 10mbit
tc class add dev eth0 parent 1:1 classid 1:10 htb rate 1mbit
tc class add dev eth0 parent 1:1 classid 1:20 htb rate 1mbit
tc class change dev eth0 classid 1:10 htb rate 6mbit ceil 10mbit
tc class replace dev eth0 parent 1:1 classid 1:30 htb rate 4mbit ceil 10mbit
tc class del dev eth0 classid 1:20
tc qdisc add dev eth0 parent 1:10 handle 10: pfifo limit 10
tc qdisc replace dev eth0 parent 1:10 handle 10: pfifo limit 30
tc qdisc change dev eth0 parent 1:10 handle 10: pfifo limit 20
tc filter add dev eth0 parent 1: protocol ip prio 1 u32 match ip dport 25 0xffff flowid 1:30
tc filter del dev eth0 parent 1: prio 1
tc filter add dev eth0 parent 1: protocol ip prio 2 u32 match ip dport 22 0xffff flowid 1:10
tc -s -d class show dev eth0
