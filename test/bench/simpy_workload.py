"""The standard workload as a model of SimPy (2, or 3 and later), to compare speeds: packets at a constant rate, a queue of
1000, one token bucket in ns as HTB of 6.12 counts it, a link. Prints one line of JSON."""
import collections
import json
import sys
import time

GAP_NS, COST_NS, BURST_NS, LINK_NS, LIMIT = 7040, 12050, 23063, 6880, 1000
END_NS = int(float(sys.argv[1]) * 1e9)

try:
    import simpy

    environment = simpy.Environment()
    hold = environment.timeout
    start = environment.process
    now = lambda: environment.now
    run = lambda: environment.run(until=END_NS)
except ImportError:
    from SimPy import Simulation as simpy2

    class Holder(simpy2.Process):
        def go(self, generator):
            for delay in generator:
                yield simpy2.hold, self, delay

    def start(generator):
        process = Holder()
        simpy2.activate(process, process.go(generator))

    simpy2.initialize()
    hold = lambda delay: delay
    now = simpy2.now
    run = lambda: simpy2.simulate(until=END_NS)


class Hop:
    def __init__(self):
        self.queue = collections.deque()
        self.idle = True
        self.tokens = BURST_NS
        self.checkpoint = 0
        self.packets = 0
        self.received = 0

    def source(self):
        while True:
            self.packets += 1
            if len(self.queue) < LIMIT:
                self.queue.append(now())
                if self.idle:
                    self.idle = False
                    start(self.serve())
            yield hold(GAP_NS)

    def serve(self):
        while self.queue:
            tokens = min(self.tokens + now() - self.checkpoint, BURST_NS)
            if tokens < 0:
                yield hold(-tokens)
                continue
            self.tokens = tokens - COST_NS
            self.checkpoint = now()
            self.queue.popleft()
            yield hold(LINK_NS)
            self.received += 1
        self.idle = True


hop = Hop()
start(hop.source())
begin = time.perf_counter()
run()
seconds = time.perf_counter() - begin
print(json.dumps({"packets": hop.packets, "received": hop.received, "seconds": seconds}))
