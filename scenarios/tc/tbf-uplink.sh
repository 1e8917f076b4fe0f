# One rate for everything: the shortest shaper there is.
sudo tc qdisc replace dev eth0 root tbf rate 1mbit burst 10kb latency 70ms
