#!/bin/sh
# Polices what comes in: simple, and hard on TCP, as the small burst lets little of a window through.
/sbin/tc qdisc add dev eth0 handle ffff: ingress
/sbin/tc filter add dev eth0 parent ffff: protocol ip prio 50 u32 match ip src 0.0.0.0/0 police rate 8mbit burst 12k drop flowid :1
