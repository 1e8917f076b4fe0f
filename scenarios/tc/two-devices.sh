# Up and down on a router with two interfaces.
LAN=eth0; WAN=eth1
UP=5mbit
DOWN=20mbit
tc qdisc add dev $WAN root handle 1: htb default 1 && tc class add dev $WAN parent 1: classid 1:1 htb rate $UP
tc qdisc add dev $LAN root handle 1: htb default 1 && tc class add dev $LAN parent 1: classid 1:1 htb rate $DOWN
