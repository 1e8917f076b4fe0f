# Acknowledgements and other small packets go first: raw matches of u32 on length, header length and flags.
tc qdisc add dev eth0 root handle 1: htb default 20
tc class add dev eth0 parent 1: classid 1:1 htb rate 2mbit
tc class add dev eth0 parent 1:1 classid 1:10 htb rate 1mbit ceil 2mbit prio 0
tc class add dev eth0 parent 1:1 classid 1:20 htb rate 1mbit ceil 2mbit prio 1
tc filter add dev eth0 parent 1: protocol ip prio 12 u32 \
   match ip protocol 6 0xff \
   match u8 0x05 0x0f at 0 \
   match u16 0x0000 0xffc0 at 2 \
   match u8 0x10 0xff at 33 \
   flowid 1:10
tc filter add dev eth0 parent 1: protocol ip prio 13 u32 match udp dst 53 0xffff flowid 1:10
tc filter add dev eth0 parent 1: protocol ip prio 14 u32 match u32 0x0a000000 0xff000000 at 16 flowid 1:20
