import type {
  NestedModel,
  ParameterProblem,
  Parameters,
  Qdisc,
  QdiscBuilder,
  QdiscReport,
  ShaperDeclaration,
  Surroundings,
  TimerOwner,
  Values,
} from '../model.ts';
import { ACCEPTED, CONGESTED } from '../model.ts';
import { NO_PACKET } from '../packet.ts';
import { kernelParameter, tcParameter, versionProblems } from './kernel-parameters.ts';
import { BaseQdisc, buildChild, deviceParameters, JIFFY_NS, markCongestion, qdiscCounters } from './qdisc-base.ts';
import { RED_CERTAINLY, RED_PASS, RED_PROBABLY, RedControl } from './red-control.ts';
import { type RedParameters, redParameters, redProblems } from './red-tc.ts';

const ADAPT_JIFFIES = 500;
const CHILD_CLASS = '1:1';
/** As in the kernel, an idle time that began at 0 is none. */
const NOT_IDLE = 0;

/** What RED does instead of, or beyond, dropping early. */
export interface RedFlags {
  readonly ecn: boolean;
  /** Drop above max even where a packet could be marked. */
  readonly harddrop: boolean;
  /** Queue what cannot be marked. */
  readonly nodrop: boolean;
  readonly adaptive: boolean;
}

/** Random early detection before a child, by default a bfifo. Source of the rules: net/sched/sch_red.c, 3.6 to 6.12. */
export class Red extends BaseQdisc implements TimerOwner {
  readonly canBypass = false;
  readonly #control: RedControl;
  readonly #flags: RedFlags;
  readonly #child: Qdisc;
  readonly #timer: number;
  #idleStartNs: number;
  #earlyDrops = 0;
  #earlyMarks = 0;
  #forcedDrops = 0;
  #forcedMarks = 0;
  #childDrops = 0;

  constructor(
    parameters: RedParameters,
    flags: RedFlags,
    child: NestedModel,
    values: Values,
    surroundings: Surroundings,
    build: QdiscBuilder,
  ) {
    super(surroundings);
    this.#control = new RedControl(parameters, 1, () => surroundings.randomUint32());
    this.#flags = flags;
    this.#idleStartNs = surroundings.startNs;
    this.#child = buildChild(this, values, child, surroundings, build);
    this.#timer = flags.adaptive ? surroundings.newTimer(this) : -1;
    if (flags.adaptive) this.#armTimer(surroundings.startNs);
  }

  #armTimer(nowNs: number): void {
    const jiffies = Math.floor(nowNs / JIFFY_NS) + ADAPT_JIFFIES;
    this.surroundings.wakeAt(this.#timer, jiffies * JIFFY_NS);
  }

  onTimer(_timer: number, nowNs: number): void {
    this.#control.adapt(this.#averageAt(nowNs));
    this.#armTimer(nowNs);
  }

  #averageAt(nowNs: number): number {
    if (this.#idleStartNs === NOT_IDLE) return this.#control.average[0]!;
    return this.#control.decayed(0, nowNs - this.#idleStartNs);
  }

  enqueue(packet: number, nowNs: number): number {
    const control = this.#control;
    if (this.#idleStartNs === NOT_IDLE) {
      control.add(0, this.#child.backlogBytes);
    } else {
      control.average[0] = this.#averageAt(nowNs);
      this.#idleStartNs = NOT_IDLE;
    }
    const decision = control.decide(0);
    if (decision !== RED_PASS) {
      this.overlimits++;
      if (!this.#spares(packet, decision)) {
        this.refuse(packet, nowNs);
        return CONGESTED;
      }
    }
    const sizeBytes = this.packets.sizeBytes[packet]!;
    const segments = this.packets.segments[packet]!;
    const result = this.#child.enqueue(packet, nowNs);
    if (result === ACCEPTED) return this.acceptCounted(1, sizeBytes, segments);
    this.#childDrops++;
    this.droppedPackets++;
    return result;
  }

  /** Marks the packet, or lets it be, instead of dropping it; counts what was done. */
  #spares(packet: number, decision: number): boolean {
    const flags = this.#flags;
    const early = decision === RED_PROBABLY;
    const mayMark = flags.ecn && !(decision === RED_CERTAINLY && flags.harddrop);
    if (mayMark && markCongestion(this.packets, packet)) {
      if (early) this.#earlyMarks++;
      else this.#forcedMarks++;
      return true;
    }
    if (mayMark && flags.nodrop) return true;
    if (early) this.#earlyDrops++;
    else this.#forcedDrops++;
    return false;
  }

  protected take(nowNs: number): number {
    const packet = this.#child.dequeue(nowNs);
    if (packet === NO_PACKET) {
      if (this.#idleStartNs === NOT_IDLE) this.#idleStartNs = nowNs;
      return NO_PACKET;
    }
    this.release(packet);
    this.departed(packet);
    return packet;
  }

  override dequeue(nowNs: number): number {
    return this.take(nowNs);
  }

  override peek(nowNs: number): number {
    return this.#child.peek(nowNs);
  }

  protected override ownCounters(): Readonly<Record<string, number>> {
    const control = this.#control;
    return {
      qavg: control.average[0]!,
      qcount: control.count[0]!,
      qR: control.random[0]!,
      idlestart: this.#idleStartNs,
      maxP: control.maxP,
      probDrop: this.#earlyDrops,
      probMark: this.#earlyMarks,
      forcedDrop: this.#forcedDrops,
      forcedMark: this.#forcedMarks,
      pdrop: this.#childDrops,
    };
  }

  protected override reportChildren(nowNs: number): Readonly<Record<string, QdiscReport>> {
    return { [CHILD_CLASS]: this.#child.report(nowNs) };
  }
}

/** Parameters of RED's law, which sfq has as well. */
export const redLawParameters = {
  min: {
    type: 'size',
    help: 'Average queue from which packets are marked or dropped at random.',
    minimum: 1,
    maximum: 0x7fffffff,
  },
  max: { type: 'size', help: 'Average queue from which all are.', minimum: 1, maximum: 0x7fffffff },
  burst: {
    type: 'integer',
    help: 'Packets that may come at once; it sets the weight of the average.',
    minimum: 1,
    maximum: 0x7fffffff,
  },
  probability: { type: 'probability', help: 'Greatest probability of a mark or drop below max; default 0.02.' },
  harddrop: { type: 'boolean', help: 'Drop above max even what could be marked.', default: false },
} as const satisfies Parameters;

/** Counters of RED's law, which sfq has as well. */
export const redLawCounters: Readonly<Record<string, string>> = {
  probDrop: 'Packets dropped at random, below max.',
  probMark: 'Packets marked at random, below max.',
  forcedDrop: 'Packets dropped above max.',
  forcedMark: 'Packets marked above max.',
};

function check(values: Values): ParameterProblem[] {
  const problems = versionProblems(values, [3, 6]);
  if (values.nodrop === true && values.ecn !== true) {
    problems.push({ path: ['nodrop'], expected: 'ecn as well', received: 'nodrop alone', hint: 'add "ecn: true"' });
  }
  if (problems.length > 0) return problems;
  return redProblems(values, redParameters(values, values.limit as number, true));
}

/** `red`: random early detection. */
export const red: ShaperDeclaration = {
  kind: 'red',
  role: 'shaper',
  summary: 'Random early detection: marks or drops by the average queue (sch_red).',
  parameters: {
    limit: {
      type: 'size',
      help: 'Bytes that the queue holds at most.',
      required: true,
      minimum: 1,
      maximum: 0xffffffff,
    },
    avpkt: { type: 'size', help: 'Average length of a packet.', required: true, minimum: 1, maximum: 0xffff },
    ...redLawParameters,
    bandwidth: { type: 'rate', help: 'Rate at which the average decays while idle; default 10 Mbit/s.', minimum: 8 },
    ecn: { type: 'boolean', help: 'Mark ECN-capable packets instead of dropping them.', default: false },
    nodrop: { type: 'boolean', help: 'Queue what cannot be marked; needs ecn.', default: false },
    adaptive: { type: 'boolean', help: 'Adjust the probability every half second.', default: false },
    qdisc: {
      type: { model: 'shaper' },
      help: 'Qdisc that holds the packets; default bfifo with the limit. Another ignores it.',
    },
    kernel: kernelParameter,
    tc: tcParameter,
    ...deviceParameters,
  },
  counters: {
    ...qdiscCounters,
    ...redLawCounters,
    qavg: 'The average (bytes times 2^Wlog).',
    qcount: 'Packets since the last mark or drop; -1 outside the range from min to max.',
    qR: 'The random number that decides the next mark or drop.',
    idlestart: 'Since when the queue is idle (ns); 0: it is not.',
    maxP: 'The probability at max (1/2^32).',
    pdrop: 'Packets that the child refused.',
  },
  check,
  create(values, surroundings, build) {
    const limit = values.limit as number;
    const child = (values.qdisc as NestedModel | undefined) ?? { kind: 'bfifo', values: { limit } };
    const flags = {
      ecn: values.ecn as boolean,
      harddrop: values.harddrop as boolean,
      nodrop: values.nodrop as boolean,
      adaptive: values.adaptive as boolean,
    };
    return new Red(redParameters(values, limit, true), flags, child, values, surroundings, build);
  },
};
