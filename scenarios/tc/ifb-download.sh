#!/bin/bash
# Shapes a download: what arrives is redirected to ifb0, where HTB and fq_codel queue it.
WAN=${1:-eth0}
DOWN="20mbit"
modprobe ifb numifbs=1
ip link set dev ifb0 up
tc qdisc add dev "$WAN" handle ffff: ingress
tc filter add dev "$WAN" parent ffff: protocol all prio 10 u32 match u32 0 0 \
    action mirred egress redirect dev ifb0
tc qdisc add dev ifb0 root handle 1: htb default 10
tc class add dev ifb0 parent 1: classid 1:1 htb rate "$DOWN"
tc class add dev ifb0 parent 1:1 classid 1:10 htb rate "$DOWN" quantum 1514
tc qdisc add dev ifb0 parent 1:10 fq_codel limit 1000 target 5ms interval 100ms ecn
