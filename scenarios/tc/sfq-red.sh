# sfq with its modern options: depth, head drop, and RED on each flow.
tc qdisc add dev eth0 root handle 1: tbf rate 6mbit burst 10k latency 200ms overhead 24
tc qdisc replace dev eth0 parent 1:1 handle 2: sfq limit 300 depth 60 flows 64 divisor 512 headdrop perturb 30 redflowlimit 100000 min 8000 max 60000 probability 0.12 ecn
