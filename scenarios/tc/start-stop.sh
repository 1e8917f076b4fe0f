#!/bin/bash
# A script that is called with start or stop: it is read as started, with the functions that it then calls.
TC=/sbin/tc
IF=eth0
RATE=${2:-8mbit}
U32="$TC filter add dev $IF protocol ip parent 1: prio 1 u32"
start() {
  $TC qdisc add dev $IF root handle 1: htb default 30
  $TC class add dev $IF parent 1: classid 1:1 htb rate $RATE
  $TC class add dev $IF parent 1:1 classid 1:10 htb rate 5mbit ceil $RATE
  $TC class add dev $IF parent 1:1 classid 1:30 htb rate 3mbit ceil $RATE
  $U32 match ip sport 443 0xffff flowid 1:10
}
stop() {
  $TC qdisc del dev $IF root 2>/dev/null
}
case "$1" in
  start) stop; start ;;
  stop) stop ;;
  *) echo "usage: $0 start|stop [RATE]" ;;
esac
