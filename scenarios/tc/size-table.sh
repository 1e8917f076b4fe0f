# An ADSL line priced by a size table (stab) at the root: in effect the overhead and linklayer of each class.
tc qdisc add dev ppp0 root handle 1: stab mtu 2047 tsize 512 mpu 0 overhead 40 linklayer adsl htb default 12
tc class add dev ppp0 parent 1: classid 1:1 htb rate 900kbit quantum 1514
tc class add dev ppp0 parent 1:1 classid 1:11 htb rate 300kbit ceil 900kbit prio 1 quantum 1514
tc class add dev ppp0 parent 1:1 classid 1:12 htb rate 600kbit ceil 900kbit prio 2 quantum 1514
tc qdisc add dev ppp0 parent 1:11 handle 110: fq_codel limit 1001 target 20ms noecn quantum 300
tc qdisc add dev ppp0 parent 1:12 handle 120: fq_codel limit 1001 target 20ms noecn quantum 300
tc filter add dev ppp0 parent 1: protocol ip prio 1 handle 1 fw classid 1:11
