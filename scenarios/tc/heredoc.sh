#!/bin/sh
# Commands for tc -batch in a here-document, with the variables of the script.
DEV=eth0
RATE=${RATE:-12mbit}
tc -batch - <<EOF
qdisc add dev $DEV root handle 1: htb default 1
class add dev $DEV parent 1: classid 1:1 htb rate $RATE burst 20k
EOF
