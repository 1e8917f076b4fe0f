# netem with a rate limiter inside: delay first, then the bucket.
tc qdisc add dev eth0 root handle 1: netem delay 25ms
tc qdisc add dev eth0 parent 1:1 handle 10: tbf rate 3mbit burst 8k latency 60ms
