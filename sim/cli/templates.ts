const HTB = `# Two classes share a 100 Mbit link; either may borrow what the other leaves.
# Run it with: sim run htb.yaml        see why: sim explain htb.yaml

title: Two classes on a 100 Mbit link
duration: 10s # simulated time
warmup: 1s # left out of every rate

vars:
  rate: 30mbit # \${rate} below; another value: sim run htb.yaml --set rate=50mbit

# sweep: { rate: 10mbit..80mbit/10mbit } # one run for each value

hops:
  uplink:
    shaper: htb
    kernel: "6.12" # version whose arithmetic applies, 2.6.22 to 6.18
    default: "1:20" # class of packets that name none
    classes:
      "1:1": { rate: 100mbit }
      "1:10": { parent: "1:1", rate: "\${rate}", ceil: 100mbit, prio: 0 }
      "1:20": { parent: "1:1", rate: 20mbit, ceil: 100mbit, prio: 1 }
    link: { rate: 1gbit, delay: 1ms }

flows:
  calls: { source: cbr, rate: 70mbit, size: 214b, via: [uplink], class: "1:10" }
  backup: { source: cbr, rate: 200mbit, size: 1514b, via: [uplink] }

expect: # sim run ends with exit code 1 if one of these does not hold
  - flows.calls.bitsPerSecond.accounted within 1% of 70mbit
`;

const TBF = `# A token bucket filter in front of a slow line.
# Run it with: sim run tbf.yaml

title: Token bucket filter
duration: 10s
warmup: 1s

hops:
  uplink:
    shaper: tbf
    rate: 10mbit
    burst: 16kb # sent at once after a pause
    latency: 50ms # how long a packet may wait before it is dropped
    link: { rate: 1gbit, delay: 10ms }

flows:
  camera: { source: poisson, rate: 12mbit, size: 1514b, via: [uplink] }

expect:
  - flows.camera.bitsPerSecond.accounted within 1% of 10mbit
`;

const CURL = `# curl --limit-rate in several releases: how close to the limit a download comes.
# Run it with: sim run curl.yaml

title: curl --limit-rate 2M, 20 MiB
duration: 60s # the download must end within it

sweep:
  version: ["8.6.0", "8.18.0", "8.19.0"]

hops:
  internet:
    link: { rate: 50mbit, delay: 5ms, queue: 500p }

flows:
  download:
    source: curl
    version: "\${version}"
    limit: 2M # as --limit-rate takes it: bytes a second, k = 1024
    size: 20MiB
    via: [internet]
`;

const TCP = `# Two TCP downloads meet at a link with a short queue.
# Run it with: sim run tcp.yaml

title: Two TCP flows through one queue
duration: 30s
warmup: 5s

hops:
  uplink:
    link: { rate: 50mbit, delay: 20ms, queue: 100p }

flows:
  cubic: { source: bulk, via: [uplink], tcp: { congestion: cubic } }
  reno: { source: bulk, via: [uplink], start: 1s, tcp: { congestion: reno } }
`;

/** Scenarios to begin with, by name. */
export const TEMPLATES: ReadonlyMap<string, string> = new Map([
  ['htb', HTB],
  ['tbf', TBF],
  ['tcp', TCP],
  ['curl', CURL],
]);
