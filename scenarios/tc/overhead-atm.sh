# A DSL line priced as it is: cells, overhead, and tables for packets of 2,048 bytes.
tc qdisc add dev dsl0 root handle 1: htb default 20
tc class add dev dsl0 parent 1: classid 1:1 htb rate 900kbit mtu 2048 mpu 64 overhead 40 linklayer atm
tc class add dev dsl0 parent 1:1 classid 1:10 htb rate 600kbit ceil 900kbit mtu 2048 mpu 64 overhead 40 linklayer atm prio 0
tc class add dev dsl0 parent 1:1 classid 1:20 htb rate 300kbit ceil 900kbit mtu 2048 mpu 64 overhead 40 linklayer atm prio 1
tc filter add dev dsl0 parent 1: protocol ip prio 1 u32 match ip dport 5060 0xffff flowid 1:10
