# A bucket for bursts, and a second one that spreads them: peakrate.
tc qdisc add dev eth0 root handle 1: tbf rate 4mbit burst 40kb limit 60kb peakrate 6mbit minburst 1540
tc qdisc add dev eth0 parent 1:1 handle 10: sfq perturb 10 quantum 1514
