import type {
  ParameterProblem,
  Parameters,
  Qdisc,
  QdiscBuilder,
  ShaperDeclaration,
  Surroundings,
  Values,
} from '../../model.ts';
import { DEFAULT_KERNEL } from '../kernel-parameters.ts';
import { checkHtb } from './check.ts';
import { DEFAULT_QUEUE_PACKETS, htbValues } from './class-figures.ts';
import { Htb } from './htb.ts';

const classParameters: Parameters = {
  parent: { type: 'class-id', help: 'Class that lends to this one; absent: none.' },
  rate: { type: 'rate', required: true, minimum: 8, help: 'Rate that the class is guaranteed.' },
  ceil: { type: 'rate', minimum: 8, help: 'Rate up to which it may borrow; default: its rate.' },
  burst: {
    type: 'size',
    minimum: 0,
    help: 'Bytes sent at once at its rate; default: what tc computes from rate, hz and mtu.',
  },
  cburst: {
    type: 'size',
    minimum: 0,
    help: 'Bytes sent at once at its ceil; default: what tc computes from ceil, hz and mtu.',
  },
  quantum: {
    type: 'size',
    minimum: 1,
    maximum: 2 ** 31 - 1,
    help: 'Bytes that a leaf sends per turn; default: rate / r2q, held within 1000 to 200000.',
  },
  prio: {
    type: 'integer',
    minimum: 0,
    default: 0,
    help: 'Priority of a leaf when it borrows, 0 first; above 7 acts as 7.',
  },
  mtu: { type: 'size', minimum: 0, default: '1600b', help: 'Largest packet that has its own slot in the rate table.' },
  mpu: { type: 'size', minimum: 0, maximum: 65535, default: '0b', help: 'Size below which packets are not priced.' },
  overhead: { type: 'size', minimum: 0, maximum: 65535, default: '0b', help: 'Bytes priced beyond each packet.' },
  linklayer: {
    type: { choice: ['ethernet', 'atm', 'adsl'] },
    default: 'ethernet',
    help: 'With atm (or adsl, its other name), packets are priced in ATM cells.',
  },
  limit: { type: 'integer', minimum: 0, help: 'Packets that wait in a leaf; default: txQueueLen.' },
  qdisc: { type: { model: 'shaper' }, help: 'Qdisc in a leaf in place of its tail-drop queue.' },
};

/** Linux HTB in all its generations, 2.6.22 to 6.18. */
export const htb: ShaperDeclaration = {
  kind: 'htb',
  role: 'shaper',
  summary: 'Hierarchical Token Bucket of Linux 2.6.22 to 6.18, as its own code and its tc compute it',
  parameters: {
    kernel: {
      type: 'string',
      help: `Kernel version, in quotes; default ${DEFAULT_KERNEL}; or thread: ticks of 1 µs and exact sizes.`,
    },
    tc: {
      type: 'string',
      help: 'Version of tc (iproute2) that set it up (in quotes); default: the tc of the kernel’s time.',
    },
    hz: {
      type: 'integer',
      minimum: 1,
      help: 'Timer interrupts per second, of which tc makes the default bursts; default: high-resolution timers (10^9).',
    },
    default: {
      type: 'class-id',
      help: 'Class of packets that name no leaf; absent: they go to the direct queue, unshaped.',
    },
    r2q: { type: 'integer', minimum: 1, default: 10, help: 'Divisor that makes a quantum of a rate.' },
    directQlen: {
      type: 'integer',
      minimum: 0,
      help: 'Packets that wait in the direct queue (3.13 on); default: txQueueLen.',
    },
    txQueueLen: {
      type: 'integer',
      minimum: 0,
      help: `Queue length of the device (packets); default ${DEFAULT_QUEUE_PACKETS}.`,
    },
    hysteresis: {
      type: 'boolean',
      help: 'Whether a class keeps its mode down to minus one burst; default: on before 2.6.26.',
    },
    classes: { type: { mapOf: classParameters, key: 'class-id' }, required: true, help: 'The classes, by id.' },
  },
  counters: {
    sentPackets:
      'Packets, as tc counts them (before 3.6, a leaf counts at the enqueue; an inner class when its leaves send).',
    sentBytes: 'Bytes of those packets.',
    droppedPackets: 'Packets refused.',
    backlogPackets: 'Packets that wait.',
    backlogBytes: 'Bytes that wait.',
    overlimits:
      'Qdisc before 5.2: dequeues that found nothing to send; else, and for classes: times that ceil was used up.',
    requeues: 'Packets that the device gave back: none.',
    directPackets: 'Packets that were put in the direct queue.',
    lended: 'Packets sent with tokens of the class’s own rate.',
    borrowed: 'Packets sent with tokens of an ancestor.',
    giants: 'Look-ups of packets beyond the rate table (2.6.22, 2.6.23).',
    tokens: 'Tokens of the rate after the last packet, in ticks of the kernel’s clock.',
    ctokens: 'Tokens of the ceil after the last packet, in ticks of the kernel’s clock.',
    tokensShown: 'The tokens as tc shows them.',
    ctokensShown: 'The ceil’s tokens as tc shows them.',
  },
  check(values: Values): ParameterProblem[] {
    return checkHtb(htbValues(values));
  },
  create(values: Values, surroundings: Surroundings, build: QdiscBuilder): Qdisc {
    return new Htb(values, surroundings, build);
  },
};
