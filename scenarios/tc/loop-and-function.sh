#!/bin/bash
# What is not interpreted: a loop, a function and its call, the output of a command. The rest is.
DEV=eth0
tc qdisc add dev $DEV root handle 1: htb default 10
tc class add dev $DEV parent 1: classid 1:1 htb rate 30mbit
tc class add dev $DEV parent 1:1 classid 1:10 htb rate 10mbit ceil 30mbit
for n in 11 12 13; do
  tc class add dev $DEV parent 1:1 classid 1:$n htb rate 5mbit ceil 30mbit
done
guest() {
  tc class add dev $DEV parent 1:1 classid "1:$1" htb rate 1mbit
}
guest 20
SPEED=$(cat /sys/class/net/eth0/speed)
tc class add dev $DEV parent 1:1 classid 1:30 htb rate ${SPEED}mbit
if [ -n "$GUEST_RATE" ]; then
  tc class add dev $DEV parent 1:1 classid 1:40 htb rate $GUEST_RATE
fi
