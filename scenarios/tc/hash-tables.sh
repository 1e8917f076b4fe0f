#!/bin/sh
# Hash tables of u32: the last byte of the address chooses one of 256 buckets, so that each packet meets few filters.
DEV=eth1
tc qdisc add dev $DEV root handle 1: htb default 99
tc class add dev $DEV parent 1: classid 1:1 htb rate 50mbit
tc class add dev $DEV parent 1:1 classid 1:99 htb rate 1mbit ceil 50mbit
tc filter add dev $DEV parent 1: prio 5 protocol ip u32
tc filter add dev $DEV parent 1: prio 5 handle 4: protocol ip u32 divisor 256
tc filter add dev $DEV parent 1: prio 5 protocol ip u32 ht 800:: match ip dst 10.7.0.0/16 hashkey mask 0x000000ff at 16 link 4:
for host in 9 26; do
  hex=$(printf '%x' $host)
  tc class add dev $DEV parent 1:1 classid 1:$hex htb rate 4mbit ceil 20mbit
  tc filter add dev $DEV parent 1: prio 5 protocol ip u32 ht 4:$hex: match ip dst 10.7.0.$host flowid 1:$hex
done
