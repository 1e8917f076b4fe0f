# fq_codel alone, on a container's interface in a network namespace.
ip netns exec blue tc qdisc add dev eth0 root fq_codel limit 600 flows 256 quantum 300 target 8ms interval 120ms memory_limit 8mb drop_batch 32 noecn
