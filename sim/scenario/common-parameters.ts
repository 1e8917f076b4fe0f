import type { Parameters } from '../../models/model.ts';

/** ECN fields by the words that a scenario uses; `true` stands for ECT(0). */
export const ECN_CODEPOINTS: Readonly<Record<string, number>> = { 'not-ect': 0, ect1: 1, ect0: 2, ce: 3 };

/** Keys at the top of a scenario that hold one value. */
export const SCENARIO_PARAMETERS = {
  title: { type: 'string', default: 'Untitled', help: 'One line that names the scenario.' },
  about: { type: 'string', default: '', help: 'One paragraph for the reader of the report.' },
  seed: {
    type: 'integer',
    default: 1,
    minimum: 0,
    help: 'Seed of all random streams; the same seed gives the same result.',
  },
  duration: { type: 'duration', required: true, minimum: 1, help: 'Simulated time, for example `duration: 10s`.' },
  warmup: { type: 'duration', default: '0s', help: 'Time at the beginning that is left out of every rate.' },
  clockStart: {
    type: 'duration',
    default: '0ns',
    help: "The kernel's clock at the beginning, which decides the phase of its ticks.",
  },
} as const satisfies Parameters;

/** Keys at the top of a scenario that hold more, with their help. */
export const SCENARIO_SECTIONS = {
  vars: 'Variables by name: a name in braces behind a dollar sign stands for the value anywhere below; --set and sweep override it.',
  sweep:
    'Variables to vary: a list, a,b,c, from..to/step or from..to*factor each. Several names make a grid, the first the slowest; names under `zip` go in step; `sample` takes so many points of the grid at random.',
  hops: 'Places that packets cross, by name.',
  flows: 'Flows of packets, by name.',
  expect: 'What must come out: PATH within TOLERANCE of VALUE, or PATH below, above or equals VALUE.',
  reference: 'Figures measured elsewhere, to be drawn beside the results.',
} as const;

/** Keys of `sweep:` that are no variables, with their help. */
export const SWEEP_KEYS = {
  zip: 'Variables that go in step.',
  sample:
    'So many points of the grid, drawn at random, in place of all of them: a number, or a mapping with points, method (random or latin-hypercube) and seed.',
} as const;

/** A reference's keys; see reference.ts for what they mean. */
export const REFERENCE_PARAMETERS = {
  file: {
    type: 'string',
    required: true,
    help: 'CSV file, relative to the scenario, its first line the column names.',
  },
  label: { type: 'string', help: 'Name in charts; default: the file name.' },
  x: {
    type: {
      record: {
        column: { type: 'string', required: true, help: 'Column with the value of the variable.' },
        variable: { type: 'string', required: true, help: 'Variable of the sweep that it belongs to.' },
        unit: { type: 'string', default: '', help: 'Unit of the column, as one would write it behind the number.' },
        factor: {
          type: 'number',
          default: 1,
          help: "What makes the variable's value of the column's (after its unit).",
        },
      },
    },
    required: true,
    help: 'Where a row stands in the sweep.',
  },
  y: {
    type: {
      record: {
        column: { type: 'string', required: true, help: 'Column with the measured figure.' },
        figure: { type: 'string', required: true, help: 'Path of the figure in the result, as in `expect:`.' },
        unit: { type: 'string', default: '', help: 'Unit of the column, as one would write it behind the number.' },
        factor: { type: 'number', default: 1, help: "What makes the figure's value of the column's (after its unit)." },
      },
    },
    required: true,
    help: 'What was measured.',
  },
  where: {
    type: {
      mapOf: {
        column: { type: 'string', required: true, help: 'Column with the value of the variable.' },
        unit: { type: 'string', default: '', help: 'Unit of the column, as one would write it behind the number.' },
      },
      key: 'name',
    },
    help: 'Further variables of the sweep, by name, and the columns that they stand in.',
  },
  only: {
    type: {
      listOf: {
        record: {
          column: { type: 'string', required: true, help: 'Column to look at.' },
          equals: { type: 'string', required: true, help: 'What it must hold.' },
        },
      },
    },
    help: 'Conditions that a row must meet to be taken.',
  },
} as const satisfies Parameters;

/** Keys of `link:`. */
export const LINK_PARAMETERS = {
  rate: { type: 'rate', default: 0, help: 'Rate of the line; 0: it is never busy.' },
  delay: { type: 'duration', default: '0s', help: 'Propagation delay, after the packet has left.' },
  fcs: { type: 'size', default: '4b', help: 'Bytes that an analyser counts beyond the size (Ethernet: 4).' },
  overhead: { type: 'size', default: '24b', help: 'All bytes that a packet adds on the wire (Ethernet: 24).' },
  queue: {
    type: 'queue',
    default: '1000p',
    help: 'Tail-drop queue of a hop without shaper, in packets, bytes or time.',
  },
  loss: { type: 'probability', default: 0, help: 'Probability of losing a data packet (seeded).' },
  drop: {
    type: { listOf: 'integer' },
    help: 'Data packets to lose, counted from 1 in order of arrival at the link.',
  },
  trace: {
    type: { oneOf: [{ listOf: 'duration' }, 'string'] },
    help: 'Instants at which 1504 bytes may leave (a full packet: IP and 4 bytes), repeated from the start; or the name of a mahimahi file, a line with ms for each, relative to the scenario. In place of rate.',
  },
} as const satisfies Parameters;

/** Keys of `timer:`. */
export const TIMER_PARAMETERS = {
  resolution: { type: 'duration', default: '1ns', minimum: 1, help: 'Timers fire at multiples of it.' },
  latency: { type: 'duration', default: '0s', help: 'How much later than that they fire.' },
} as const satisfies Parameters;

/** Keys of a filter in `filters:`. */
export const FILTER_PARAMETERS = {
  match: {
    type: 'string',
    required: true,
    help: "What it looks at, in tc's words: u32 match ip dport 22 0xffff, fw 6, matchall, or flower ip_proto tcp dst_port 80.",
  },
  class: { type: 'class-id', help: 'Class that it sends to; only fw without a mark needs none.' },
  prio: { type: 'integer', default: 1, minimum: 1, maximum: 65535, help: 'Filters of a lower number are asked first.' },
  protocol: { type: 'string', default: 'all', help: 'Packets that it looks at; flows are IPv4: ip or all.' },
  parent: { type: 'class-id', help: 'Inner class whose packets it looks at; absent: the root.' },
} as const satisfies Parameters;

/** What a filter looks at that all packets pass, on kernels of any age. */
export const MATCH_ALL = 'u32 match u32 0 0';

/** Keys of a filter that polices or redirects. */
const DEVICE_FILTER_PARAMETERS = {
  match: { type: 'string', default: MATCH_ALL, help: "Packets that it takes, in tc's words; default: all." },
  prio: FILTER_PARAMETERS.prio,
  protocol: FILTER_PARAMETERS.protocol,
} as const satisfies Parameters;

/** Keys of `device:`. */
export const DEVICE_PARAMETERS = {
  name: { type: 'string', required: true, help: 'Name of the network device, for example eth0.' },
  filter: {
    type: { record: DEVICE_FILTER_PARAMETERS },
    help: 'Filter that a policer hangs on; absent: one that takes all packets.',
  },
  class: { type: 'class-id', help: 'Class that the netem of a plain link stands in; absent: it is at the root.' },
  redirects: {
    type: {
      listOf: {
        record: {
          from: { type: 'string', required: true, help: 'Device whose packets are redirected.' },
          egress: { type: 'boolean', default: false, help: 'Those that leave it; default: those that arrive.' },
          ...DEVICE_FILTER_PARAMETERS,
        },
      },
    },
    help: 'Filters of other devices that redirect packets to this one, an ifb.',
  },
} as const satisfies Parameters;

/** Keys of a hop without shaper. */
export const PLAIN_HOP_PARAMETERS = {
  link: { type: { record: LINK_PARAMETERS }, help: 'The line behind the hop.' },
  device: {
    type: { oneOf: ['string', { record: DEVICE_PARAMETERS }] },
    help: 'Network device that it is set up on, for `sim export tc`; a link with one is a netem there. It changes no run.',
  },
} as const satisfies Parameters;

/** Keys that every hop with a shaper has beside the shaper's own. */
export const SHAPED_HOP_PARAMETERS = {
  shaper: { type: 'string', required: true, help: 'What shapes here; without it a hop is its link.' },
  timer: { type: { record: TIMER_PARAMETERS }, help: "The kernel's timers." },
  filters: {
    type: { listOf: { record: FILTER_PARAMETERS } },
    help: 'Filters that choose the class of flows which name none, by their header fields.',
  },
  ...PLAIN_HOP_PARAMETERS,
} as const satisfies Parameters;

/** Keys that every flow has beside its source's own. */
export const FLOW_PARAMETERS = {
  source: { type: 'string', required: true, help: 'What sends, for example `source: cbr`.' },
  via: {
    type: { listOf: 'string' },
    required: true,
    help: 'Hops that it crosses, in order, for example `via: [bridge]`.',
  },
  class: { type: 'string', help: 'Class that its packets name (skb priority), or direct; absent: none.' },
  proto: { type: 'string', help: 'IP protocol that filters see, for example tcp; absent: the source decides.' },
  src: { type: 'string', help: 'IPv4 address that it comes from, for filters.' },
  dst: { type: 'string', help: 'IPv4 address that it goes to, for filters.' },
  sport: { type: 'integer', minimum: 0, maximum: 65535, help: 'Port that it comes from, for filters.' },
  dport: { type: 'integer', minimum: 0, maximum: 65535, help: 'Port that it goes to, for filters.' },
  tos: { type: 'integer', minimum: 0, maximum: 255, help: 'TOS byte of its packets, for filters.' },
  mark: { type: 'integer', minimum: 0, maximum: 4294967295, help: 'Firewall mark of its packets, for filters.' },
  headers: { type: 'size', default: '42b', help: 'Bytes of the size that are not payload (UDP: 42).' },
  start: { type: 'duration', default: '0s', help: 'When it begins.' },
  stop: { type: 'duration', help: 'No packet is sent at or after it; a transfer under way is cut, and none begins.' },
  count: { type: 'integer', minimum: 0, help: 'At most so many packets.' },
  ecn: {
    type: { oneOf: ['boolean', { choice: Object.keys(ECN_CODEPOINTS) }] },
    default: false,
    help: 'ECN field of its packets; true: ect0.',
  },
} as const satisfies Parameters;
