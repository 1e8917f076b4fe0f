import type { NestedModel, Parameter, ParameterProblem, ShaperDeclaration, Values } from '../model.ts';
import { type Chance, Netem, type NetemSettings, type SlotSettings } from './netem.ts';
import { DISTRIBUTIONS, type DistributionName } from './netem-distributions.ts';
import type { GilbertElliottSettings, StateLossSettings } from './netem-loss.ts';
import { scaledProbability } from './netem-random.ts';
import { deviceParameters, qdiscCounters } from './qdisc-base.ts';
import { bytesPerSecond, ticksPerMicrosecond } from './tc.ts';

/** The tick in which times come from tc (ns), since 2.6.31. */
const NETLINK_TICK_NS = 64;
const LARGEST_S32 = 2 ** 31 - 1;
/** Slots farther apart would need more than the 53 bits of a number. */
const LONGEST_SLOT_NS = 100e9;

/** Probabilities of the chain of four states; what is left out is what tc sends then. */
interface StateValues {
  readonly p13: number;
  readonly p31?: number;
  readonly p32: number;
  readonly p23: number;
  readonly p14: number;
}

/** Probabilities of the Gilbert-Elliott chain. */
interface GilbertElliottValues {
  readonly p: number;
  readonly r?: number;
  readonly lossInBad: number;
  readonly lossInGood: number;
}

function chance(values: Values, name: string, correlation: string): Chance {
  return {
    probability: scaledProbability((values[name] as number | undefined) ?? 0),
    correlation: scaledProbability((values[correlation] as number | undefined) ?? 0),
  };
}

/** A delay or jitter as the kernel gets it: whole microseconds in whole ticks of 64 ns (tc/q_netem.c: get_ticks). */
export function netemTimeNs(ns: number): number {
  return Math.floor(Math.floor(ns / 1000) * ticksPerMicrosecond(NETLINK_TICK_NS)) * NETLINK_TICK_NS;
}

/** Converts checked values as tc and the kernel do. */
export function netemSettings(values: Values): NetemSettings {
  const number = (name: string): number => (values[name] as number | undefined) ?? 0;
  const { lossState, lossGemodel } = values as { lossState?: StateValues; lossGemodel?: GilbertElliottValues };
  const { distribution, slot, qdisc } = values as {
    distribution?: DistributionName;
    slot?: Values;
    qdisc?: NestedModel;
  };
  return {
    limitPackets: number('limit'),
    delayNs: netemTimeNs(number('delay')),
    jitterNs: Math.min(netemTimeNs(number('jitter')), LARGEST_S32),
    delayCorrelation: scaledProbability(number('delayCorrelation')),
    ...(distribution === undefined ? {} : { distribution }),
    loss: chance(values, 'loss', 'lossCorrelation'),
    ...(lossState === undefined ? {} : { stateLoss: stateSettings(lossState) }),
    ...(lossGemodel === undefined ? {} : { gilbertElliott: gilbertElliottSettings(lossGemodel) }),
    marksLosses: values.ecn === true,
    duplicate: chance(values, 'duplicate', 'duplicateCorrelation'),
    corrupt: chance(values, 'corrupt', 'corruptCorrelation'),
    reorder: chance(values, 'reorder', 'reorderCorrelation'),
    gap: values.reorder === undefined ? 0 : ((values.gap as number | undefined) ?? 1),
    rateBytesPerSecond: bytesPerSecond(number('rate')),
    packetOverheadBytes: number('packetOverhead'),
    cellBytes: number('cellSize'),
    cellOverheadBytes: number('cellOverhead'),
    ...(slot === undefined ? {} : { slot: slotSettings(slot) }),
    ...(qdisc === undefined ? {} : { child: qdisc }),
  };
}

function stateSettings({ p13, p31 = 1 - p13, p32, p23, p14 }: StateValues): StateLossSettings {
  return {
    p13: scaledProbability(p13),
    p31: scaledProbability(p31),
    p32: scaledProbability(p32),
    p23: scaledProbability(p23),
    p14: scaledProbability(p14),
  };
}

function gilbertElliottSettings({ p, r = 1 - p, lossInBad, lossInGood }: GilbertElliottValues): GilbertElliottSettings {
  return {
    p: scaledProbability(p),
    r: scaledProbability(r),
    passInBad: scaledProbability(1) - scaledProbability(lossInBad),
    lossInGood: scaledProbability(lossInGood),
  };
}

function slotSettings(slot: Values): SlotSettings {
  const { minDelay, maxDelay, distribution, delay, jitter, packets, bytes } = slot as {
    minDelay?: number;
    maxDelay?: number;
    distribution?: DistributionName;
    delay?: number;
    jitter?: number;
    packets?: number;
    bytes?: number;
  };
  return {
    minDelayNs: minDelay ?? 0,
    maxDelayNs: maxDelay ?? minDelay ?? 0,
    ...(distribution === undefined ? {} : { distribution }),
    delayNs: delay ?? 0,
    jitterNs: jitter ?? 0,
    packets: packets ?? Number.POSITIVE_INFINITY,
    bytes: bytes ?? Number.POSITIVE_INFINITY,
  };
}

function check(values: Values): ParameterProblem[] {
  const problems: ParameterProblem[] = [];
  const given = (name: string): boolean => values[name] !== undefined;
  const needs = (name: string, other: string): void => {
    if (given(name) && !given(other)) {
      problems.push({ path: [name], expected: `${other} as well`, received: `${name} alone` });
    }
  };
  needs('delayCorrelation', 'jitter');
  needs('distribution', 'jitter');
  needs('lossCorrelation', 'loss');
  needs('duplicateCorrelation', 'duplicate');
  needs('corruptCorrelation', 'corrupt');
  needs('reorderCorrelation', 'reorder');
  needs('gap', 'reorder');
  needs('cellSize', 'rate');
  needs('cellOverhead', 'cellSize');
  if (given('reorder') && !(Number(values.delay) > 0)) {
    problems.push({
      path: ['reorder'],
      expected: 'a delay as well',
      received: 'none',
      hint: 'a packet out of order is one that does not wait for its delay',
    });
  }
  const models = ['loss', 'lossState', 'lossGemodel'].filter(given);
  if (models.length > 1) {
    problems.push({ path: [models[1]!], expected: 'one model of loss', received: models.join(' and ') });
  }
  if (values.ecn === true && models.length === 0) {
    problems.push({
      path: ['ecn'],
      expected: 'a loss as well',
      received: 'none',
      hint: 'ecn marks what would be lost',
    });
  }
  checkChain(values, 'lossState', 'p31', { p32: 0, p23: 1, p14: 0 }, problems);
  checkChain(values, 'lossGemodel', 'r', { lossInBad: 1, lossInGood: 0 }, problems);
  checkRate(values, problems);
  if (given('slot')) checkSlot(values.slot as Values, problems);
  const child = values.qdisc as NestedModel | undefined;
  if (given('duplicate') && child?.kind === 'netem') {
    problems.push({
      path: ['qdisc'],
      expected: 'a qdisc other than netem below one that duplicates',
      received: 'netem',
      hint: 'Linux refuses that from 6.16 on',
    });
  }
  return problems;
}

/** As for tc, the way back must be given where something behind it is. */
function checkChain(
  values: Values,
  chain: string,
  back: string,
  defaults: Readonly<Record<string, number>>,
  problems: ParameterProblem[],
): void {
  const own = values[chain] as Values | undefined;
  if (own === undefined || own[back] !== undefined) return;
  const changed = Object.keys(defaults).find((name) => own[name] !== defaults[name]);
  if (changed === undefined) return;
  problems.push({ path: [chain, changed], expected: `${back} as well`, received: `${changed} without it` });
}

function checkRate(values: Values, problems: ParameterProblem[]): void {
  const { packetOverhead = 0, cellSize = 0, cellOverhead = 0 } = values as Record<string, number | undefined>;
  if (packetOverhead !== 0 && values.rate === undefined) {
    problems.push({ path: ['packetOverhead'], expected: 'rate as well', received: 'packetOverhead alone' });
  }
  if (packetOverhead <= -60) {
    problems.push({
      path: ['packetOverhead'],
      expected: 'more than -60, as packets have 60 bytes and more',
      received: String(packetOverhead),
    });
  }
  if (cellOverhead < 0 && -cellOverhead >= cellSize) {
    problems.push({ path: ['cellOverhead'], expected: 'less than cellSize', received: String(cellOverhead) });
  }
}

function checkSlot(slot: Values, problems: ParameterProblem[]): void {
  const { minDelay, maxDelay, distribution, delay, jitter } = slot as Record<string, number | string | undefined>;
  if (distribution === undefined) {
    if (minDelay === undefined) {
      problems.push({ path: ['slot', 'minDelay'], expected: 'minDelay, or a distribution', received: 'none' });
    } else if (maxDelay !== undefined && maxDelay < minDelay) {
      problems.push({ path: ['slot', 'maxDelay'], expected: 'at least minDelay', received: 'less' });
    }
    if (Number(maxDelay ?? minDelay ?? 1) === 0) {
      problems.push({ path: ['slot'], expected: 'a time between slots', received: '0s' });
    }
  } else {
    for (const name of ['minDelay', 'maxDelay']) {
      if (slot[name] === undefined) continue;
      problems.push({ path: ['slot', name], expected: 'either bounds or a distribution', received: 'both' });
    }
    if (delay === undefined || !(Number(jitter) > 0)) {
      problems.push({ path: ['slot'], expected: 'delay and jitter of the distribution', received: 'not both' });
    }
  }
}

const share = (help: string, more: Partial<Parameter> = {}): Parameter => ({ type: 'probability', help, ...more });
const distribution = { choice: DISTRIBUTIONS } as const;

/** `netem`: delay, jitter, loss, copies, damage, another order, rate and slots. */
export const netem: ShaperDeclaration = {
  kind: 'netem',
  role: 'shaper',
  summary: 'Network emulator: delay, jitter, loss, duplication, corruption, reordering, a rate and slots (sch_netem).',
  parameters: {
    limit: {
      type: 'integer',
      help: 'Packets held at most, those on their way included.',
      default: 1000,
      minimum: 0,
      maximum: 0xffffffff,
    },
    delay: { type: 'duration', help: 'Time that each packet is held.', default: '0s' },
    jitter: {
      type: 'duration',
      help: 'The delay varies by so much either way, or with this standard deviation; without a rate packets overtake each other.',
      minimum: 0,
      maximum: LARGEST_S32,
    },
    delayCorrelation: share('How much of a random delay comes from the one before.'),
    distribution: { type: distribution, help: 'How delays are spread; even unless set.' },
    loss: share('Probability of losing a packet.'),
    lossCorrelation: share('How much of the chance of a loss comes from the one before.'),
    lossState: {
      type: {
        record: {
          p13: share('From received to lost within a burst.', { required: true }),
          p31: share('From lost within a burst back to a gap; what p13 leaves unless set.'),
          p32: share('From lost within a burst to received within it.', { default: 0 }),
          p23: share('From received within a burst to lost within it.', { default: 1 }),
          p14: share('From received in a gap to lost alone.', { default: 0 }),
        },
      },
      help: 'Losses by a chain of four states: received in a gap (1), received in a burst (2), lost in a burst (3), lost in a gap (4).',
    },
    lossGemodel: {
      type: {
        record: {
          p: share('From the good state to the bad one.', { required: true }),
          r: share('From the bad state to the good one; what p leaves unless set.'),
          lossInBad: share('Loss in the bad state (1-h).', { default: 1 }),
          lossInGood: share('Loss in the good state (1-k).', { default: 0 }),
        },
      },
      help: 'Losses by the Gilbert-Elliott chain of a good and a bad state.',
    },
    ecn: { type: 'boolean', help: 'Whether what can be marked is marked instead of lost.', default: false },
    duplicate: share('Probability that a packet is doubled; the copy comes in at the root once more.'),
    duplicateCorrelation: share('How much of the chance of a copy comes from the one before.'),
    corrupt: share('Probability that a bit of a packet is changed; its receiver then throws it away.'),
    corruptCorrelation: share('How much of the chance of damage comes from the one before.'),
    reorder: share('Probability that a packet goes at once, before those that wait.'),
    reorderCorrelation: share('How much of that chance comes from the one before.'),
    gap: {
      type: 'integer',
      help: 'Only the packet after so many less one may go at once; 1 unless set.',
      minimum: 1,
      maximum: 0xffffffff,
    },
    rate: { type: 'rate', help: 'Rate at which packets are sent, one after the other.', minimum: 8 },
    packetOverhead: {
      type: 'integer',
      help: 'Bytes that each packet takes beyond its length, at the rate.',
      default: 0,
      minimum: -0xffff,
      maximum: 0xffff,
    },
    cellSize: { type: 'integer', help: 'Bytes of a cell that packets are cut into.', minimum: 1, maximum: 0xffff },
    cellOverhead: {
      type: 'integer',
      help: 'Bytes that each cell takes beyond its size.',
      minimum: -0xffff,
      maximum: 0xffff,
    },
    slot: {
      type: {
        record: {
          minDelay: { type: 'duration', help: 'Shortest time between slots.', maximum: LONGEST_SLOT_NS },
          maxDelay: { type: 'duration', help: 'Longest time; minDelay unless set.', maximum: LONGEST_SLOT_NS },
          distribution: { type: distribution, help: 'Distribution of that time, instead of its bounds.' },
          delay: { type: 'duration', help: 'Mean of the distribution.', maximum: LONGEST_SLOT_NS },
          jitter: { type: 'duration', help: 'Standard deviation of the distribution.', maximum: LARGEST_S32 },
          packets: { type: 'integer', help: 'Packets of a slot at most.', minimum: 1, maximum: LARGEST_S32 },
          bytes: { type: 'size', help: 'Bytes after which a slot ends.', minimum: 1, maximum: LARGEST_S32 },
        },
      },
      help: 'Packets leave in slots, as on links that share a medium.',
    },
    qdisc: { type: { model: 'shaper' }, help: 'Qdisc that packets come to when their time is over; none unless set.' },
    ...deviceParameters,
  },
  counters: {
    ...qdiscCounters,
    lost: 'Packets lost at random, of doubled ones too.',
    ecnMark: 'Packets marked instead of lost.',
    duplicated: 'Copies made; they count as packets of their flow that nobody sent.',
    corrupted: 'Packets with a changed bit.',
    requeues: 'Packets that went before others.',
  },
  check,
  create: (values, surroundings, build) => new Netem(netemSettings(values), values, surroundings, build),
};
