# Classes by firewall mark, with and without a mask.
iptables -t mangle -A POSTROUTING -o eth0 -p tcp --dport 22 -j MARK --set-mark 0x10
tc qdisc add dev eth0 root handle 1: htb default 3
tc class add dev eth0 parent 1: classid 1:1 htb rate 3mbit
tc class add dev eth0 parent 1: classid 1:2 htb rate 2mbit
tc class add dev eth0 parent 1: classid 1:3 htb rate 1mbit
tc filter add dev eth0 parent 1:0 prio 1 protocol ip handle 0x10 fw classid 1:1
tc filter add dev eth0 parent 1:0 prio 2 protocol ip handle 0x20/0xf0 fw classid 1:2
