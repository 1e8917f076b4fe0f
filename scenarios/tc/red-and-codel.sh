# Active queues in the leaves of HTB: RED in one, CoDel in the other.
tc qdisc add dev eth0 root handle 1: htb default 20
tc class add dev eth0 parent 1: classid 1:1 htb rate 10mbit
tc class add dev eth0 parent 1:1 classid 1:10 htb rate 6mbit ceil 10mbit
tc class add dev eth0 parent 1:1 classid 1:20 htb rate 4mbit ceil 10mbit
tc qdisc add dev eth0 parent 1:10 handle 10: red limit 400000 min 30000 max 90000 avpkt 1000 burst 55 bandwidth 10mbit probability 0.1 ecn
tc qdisc add dev eth0 parent 1:20 handle 20: codel limit 500 target 10ms interval 150ms noecn
tc filter add dev eth0 parent 1: protocol ip prio 1 u32 match ip sport 873 0xffff flowid 1:10
