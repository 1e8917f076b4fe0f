/** How the words behind an option are read. */
export type OptionType =
  | 'rate'
  | 'size'
  | 'time'
  | 'percent'
  | 'fraction'
  | 'integer'
  | 'signed'
  | 'hexadecimal'
  | 'word'
  | 'flag'
  | 'flag-off' // `noecn`: the key becomes 0
  | 'size-per-cell' // 15k or 15k/8
  | 'packets' // 100 or 100p
  | 'priomap'
  | 'time-list' // delay: TIME [JITTER [CORRELATION]]
  | 'distribution' // the name of a table
  | 'chance-list' // PERCENT [CORRELATION]
  | 'loss-list' // [random] PERCENT [CORRELATION], state P13 … or gemodel P …
  | 'rate-list' // RATE [PACKETOVERHEAD [CELLSIZE [CELLOVERHEAD]]]
  | 'slot-list'; // MIN [MAX] [packets N] [bytes N], or distribution NAME DELAY JITTER …

/** One option: its spellings (the first is the key) and how its value is read. */
export type OptionRule = readonly [names: readonly string[], type: OptionType];

const RATE_COST: readonly OptionRule[] = [
  [['mtu'], 'size'],
  [['mpu'], 'size'],
  [['overhead'], 'size'],
  [['linklayer'], 'word'],
];

/** Options of `stab` (iproute2 tc/tc_stab.c). */
export const SIZE_TABLE_OPTIONS: readonly OptionRule[] = [
  [['mtu'], 'integer'],
  [['tsize'], 'integer'],
  [['mpu'], 'integer'],
  [['overhead'], 'signed'],
  [['linklayer'], 'word'],
];

/** Options of an HTB class (iproute2 tc/q_htb.c, htb_parse_class_opt). */
export const HTB_CLASS_OPTIONS: readonly OptionRule[] = [
  [['rate'], 'rate'],
  [['ceil'], 'rate'],
  [['burst', 'buffer', 'maxburst'], 'size-per-cell'],
  [['cburst', 'cbuffer', 'cmaxburst'], 'size-per-cell'],
  [['prio'], 'integer'],
  [['quantum'], 'size'],
  ...RATE_COST,
];

/** Options of a policer (iproute2 tc/m_police.c). */
export const POLICE_OPTIONS: readonly OptionRule[] = [
  [['rate'], 'rate'],
  [['burst', 'buffer', 'maxburst'], 'size-per-cell'],
  [['peakrate'], 'rate'],
  [['avrate'], 'rate'],
  [['mtu', 'minburst'], 'size'],
  [['mpu'], 'size'],
  [['overhead'], 'size'],
  [['linklayer'], 'word'],
  [['pkts_rate'], 'integer'],
  [['pkts_burst'], 'integer'],
];

/** Options of the qdiscs that are imported, by kind (iproute2 tc/q_*.c). */
export const QDISC_OPTIONS: Readonly<Record<string, readonly OptionRule[]>> = {
  htb: [
    [['default'], 'hexadecimal'],
    [['r2q'], 'integer'],
    [['direct_qlen'], 'integer'],
  ],
  tbf: [
    [['rate'], 'rate'],
    [['burst', 'buffer', 'maxburst'], 'size-per-cell'],
    [['limit'], 'size'],
    [['latency'], 'time'],
    [['peakrate'], 'rate'],
    [['mtu', 'minburst'], 'size-per-cell'],
    [['mpu'], 'size'],
    [['overhead'], 'size'],
    [['linklayer'], 'word'],
  ],
  prio: [
    [['bands'], 'integer'],
    [['priomap'], 'priomap'],
  ],
  pfifo: [[['limit'], 'packets']],
  bfifo: [[['limit'], 'size']],
  pfifo_head_drop: [[['limit'], 'packets']],
  pfifo_fast: [],
  sfq: [
    [['quantum'], 'size'],
    [['perturb'], 'integer'],
    [['limit'], 'packets'],
    [['divisor'], 'integer'],
    [['flows'], 'integer'],
    [['depth'], 'integer'],
    [['headdrop'], 'flag'],
    [['redflowlimit'], 'size'],
    [['min'], 'size'],
    [['max'], 'size'],
    [['avpkt'], 'size'],
    [['burst'], 'integer'],
    [['probability'], 'fraction'],
    [['ecn'], 'flag'],
    [['harddrop'], 'flag'],
  ],
  fq_codel: [
    [['limit'], 'packets'],
    [['flows'], 'integer'],
    [['target'], 'time'],
    [['interval'], 'time'],
    [['quantum'], 'size'],
    [['memory_limit'], 'size'],
    [['drop_batch'], 'integer'],
    [['ce_threshold'], 'time'],
    [['ecn'], 'flag'],
    [['noecn', 'ecn'], 'flag-off'],
  ],
  fq: [
    [['limit'], 'integer'],
    [['flow_limit'], 'integer'],
    [['quantum'], 'integer'],
    [['initial_quantum'], 'integer'],
    [['maxrate'], 'rate'],
    [['low_rate_threshold'], 'rate'],
    [['refill_delay'], 'time'],
  ],
  codel: [
    [['limit'], 'packets'],
    [['target'], 'time'],
    [['interval'], 'time'],
    [['ce_threshold'], 'time'],
    [['ecn'], 'flag'],
    [['noecn', 'ecn'], 'flag-off'],
  ],
  red: [
    [['limit'], 'size'],
    [['min'], 'size'],
    [['max'], 'size'],
    [['avpkt'], 'size'],
    [['burst'], 'integer'],
    [['bandwidth'], 'rate'],
    [['probability'], 'fraction'],
    [['ecn'], 'flag'],
    [['harddrop'], 'flag'],
    [['nodrop'], 'flag'],
    [['adaptive'], 'flag'],
  ],
  netem: [
    [['delay', 'latency'], 'time-list'],
    [['distribution'], 'distribution'],
    [['loss', 'drop'], 'loss-list'],
    [['ecn'], 'flag'],
    [['duplicate'], 'chance-list'],
    [['corrupt'], 'chance-list'],
    [['reorder'], 'chance-list'],
    [['gap'], 'integer'],
    [['rate'], 'rate-list'],
    [['slot'], 'slot-list'],
    [['limit'], 'packets'],
  ],
  ingress: [],
  clsact: [],
};

/** Qdiscs that Linux knows and a scenario does not, with what comes closest. */
export const UNKNOWN_QDISCS: Readonly<Record<string, string>> = {
  cbq: 'htb does what cbq was used for',
  hfsc: 'htb with the same rates is the closest',
  cake: 'htb with fq_codel below it is the closest',
  esfq: 'sfq is the closest',
  dsmark: 'it only marks; what it holds can be imported alone',
  wrr: 'htb with quantum is the closest',
  hhf: 'fq_codel is the closest',
  etf: 'one hop sends in the order of arrival',
  cbs: 'tbf is the closest',
  fq_pie: 'fq_codel is the closest',
  pie: 'codel is the closest',
  dualpi2: 'codel with ecn is the closest',
  sfb: 'red is the closest',
  choke: 'red is the closest',
  gred: 'red is the closest',
  drr: 'htb with quantum is the closest',
  qfq: 'htb with quantum is the closest',
  ets: 'prio is the closest',
  mq: 'one hop stands for one transmit queue',
  mqprio: 'one hop stands for one transmit queue',
  taprio: 'one hop stands for one transmit queue',
  multiq: 'one hop stands for one transmit queue',
  noqueue: 'a hop without a shaper is a link',
  teql: 'one hop stands for one device',
  plug: 'a link with a delay is the closest',
};
