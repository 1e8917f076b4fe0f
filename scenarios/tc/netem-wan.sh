# A line of 2 Mbit/s with 40 ms and some loss, as netem makes it.
tc qdisc add dev eth0 root netem delay 40ms loss 0.5% rate 2mbit limit 200
