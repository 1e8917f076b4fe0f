#!/bin/bash
# Loops over known words, functions and branches on known values are followed; what only a run decides is left out.
DEV=eth0
GUESTS="20 21"
tc qdisc add dev $DEV root handle 1: htb default 10
tc class add dev $DEV parent 1: classid 1:1 htb rate 30mbit
tc class add dev $DEV parent 1:1 classid 1:10 htb rate 10mbit ceil 30mbit
for n in 11 12 13; do
  tc class add dev $DEV parent 1:1 classid 1:$n htb rate 5mbit ceil 30mbit
done
guest() {
  local rate=$((2 * $2))
  tc class add dev $DEV parent 1:1 classid "1:$1" htb rate ${rate}mbit
}
for n in $GUESTS; do guest $n 1; done
if [ -n "$GUESTS" ]; then
  tc class add dev $DEV parent 1:1 classid 1:40 htb rate 1mbit
fi
SPEED=$(cat /sys/class/net/eth0/speed)
tc class add dev $DEV parent 1:1 classid 1:30 htb rate ${SPEED}mbit
if [ -e /etc/guests ]; then
  tc class add dev $DEV parent 1:1 classid 1:50 htb rate 1mbit
fi
