# Mistakes in a tree: a root that cannot borrow, children beyond their parent, a priority that is none.
tc qdisc add dev eth0 root handle 1: htb
tc class add dev eth0 parent 1: classid 1:1 htb rate 10mbit ceil 100mbit
tc class add dev eth0 parent 1:1 classid 1:10 htb rate 12mbit ceil 100mbit prio 1
tc class add dev eth0 parent 1:1 classid 1:20 htb rate 8mbit ceil 200mbit prio 8
tc class add dev eth0 parent 1:1 classid 1:30 htb rate 64kbit ceil 32kbit quantum 500 burst 1000
tc filter add dev eth0 parent 1: protocol ip prio 1 u32 match ip dport 80 0xffff flowid 1:10
