#!/bin/sh
# An ADSL upload in three classes: interactive by its TOS, web by its port, everything else last.
DEV=ppp0
UP=800

tc qdisc del dev $DEV root 2>/dev/null || true
tc qdisc add dev $DEV root handle 1: htb default 30
tc class add dev $DEV parent 1: classid 1:1 htb rate ${UP}kbit burst 6k
tc class add dev $DEV parent 1:1 classid 1:10 htb rate $((UP / 4))kbit ceil ${UP}kbit burst 6k prio 1
tc class add dev $DEV parent 1:1 classid 1:20 htb rate $((UP / 2))kbit ceil ${UP}kbit burst 6k prio 2
tc class add dev $DEV parent 1:1 classid 1:30 htb rate $((UP / 4))kbit ceil ${UP}kbit burst 6k prio 3
for_each_leaf="sfq perturb 10"
tc qdisc add dev $DEV parent 1:10 handle 10: $for_each_leaf
tc qdisc add dev $DEV parent 1:20 handle 20: $for_each_leaf
tc qdisc add dev $DEV parent 1:30 handle 30: $for_each_leaf
tc filter add dev $DEV parent 1: protocol ip prio 1 u32 match ip tos 0x10 0xff flowid 1:10
tc filter add dev $DEV parent 1: protocol ip prio 2 u32 match ip dport 80 0xffff flowid 1:20
tc filter add dev $DEV parent 1: protocol ip prio 2 u32 match ip dport 443 0xffff flowid 1:20
