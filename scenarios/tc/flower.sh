# flower: protocol, ports (single and range), networks and the TOS byte.
tc qdisc add dev eth0 root handle 1: htb default 40
tc class add dev eth0 parent 1: classid 1:1 htb rate 100mbit
tc class add dev eth0 parent 1:1 classid 1:10 htb rate 40mbit ceil 100mbit
tc class add dev eth0 parent 1:1 classid 1:20 htb rate 30mbit ceil 100mbit
tc class add dev eth0 parent 1:1 classid 1:30 htb rate 20mbit ceil 100mbit
tc class add dev eth0 parent 1:1 classid 1:40 htb rate 10mbit ceil 100mbit
tc filter add dev eth0 parent 1: protocol ip prio 1 flower ip_proto tcp dst_port 443 classid 1:10
tc filter add dev eth0 parent 1: protocol ip prio 2 flower ip_proto udp src_port 5000-5010 classid 1:20
tc filter add dev eth0 parent 1: protocol ip prio 3 flower src_ip 10.1.0.0/16 ip_tos 0xb8/0xfc classid 1:30
