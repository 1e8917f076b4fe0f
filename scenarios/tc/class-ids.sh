# Class ids in every form that tc takes: hexadecimal, without a major number, without a colon.
tc qdisc add dev eth0 root handle 1 htb default a0
tc class add dev eth0 parent 1: classid 1:a htb rate 20mbit
tc class add dev eth0 parent :a classid :a0 htb rate 8mbit ceil 20mbit
tc class add dev eth0 parent 1:a classid b0 htb rate 6mbit ceil 20mbit
tc class add dev eth0 parent 0x1:0xa classid 0x1:0xc0 htb rate 4mbit ceil 20mbit
tc filter add dev eth0 parent 1: protocol ip prio 1 u32 match ip dst 10.0.0.0/24 flowid :b0
tc filter add dev eth0 parent 1:0 protocol ip prio 1 u32 match ip dst 10.0.1.0/24 classid 1:c0
