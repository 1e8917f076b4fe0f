import type { ShaperDeclaration, Surroundings, Values } from '../model.ts';
import { ACCEPTED, CONGESTED } from '../model.ts';
import { NO_PACKET } from '../packet.ts';
import type { RecurrencePass } from '../recurrence.ts';
import { codelCounters, codelParameters, codelSettings } from './codel.ts';
import { CodelControl, type CodelQueues, type CodelSettings } from './codel-control.ts';
import { FlowQueues } from './flow-queues.ts';
import { handleMajorOf, handleParameter } from './handle.ts';
import { kernelReleaseOf, release, versionProblems } from './kernel-parameters.ts';
import { BaseQdisc, deviceFrameBytes } from './qdisc-base.ts';

const NONE = -1;
const IN_NO_LIST = -2;
const MIN_QUANTUM_BYTES = 256;

/** What fq_codel is set to beyond CoDel itself. */
export interface FqCodelSettings {
  readonly limitPackets: number;
  readonly flows: number;
  readonly quantumBytes: number;
  readonly memoryLimitBytes: number;
  readonly dropBatchPackets: number;
  /** Whether a batch of drops raises the flow's CoDel count (as read in 5.10, not in 4.9). */
  readonly batchRaisesCount: boolean;
  /** 3.6: the packet that reaches the limit is already too many. */
  readonly strictLimit: boolean;
  /** The qdisc's own handle (major, u16); a packet whose priority names it chooses its flow. */
  readonly handleMajor: number;
}

/**
 * Fair queueing with CoDel on each flow. Source of the rules: net/sched/sch_fq_codel.c, 3.6 to 6.12.
 *
 * The packet's flow number stands for the hash: flow modulo `flows`.
 */
export class FqCodel extends BaseQdisc implements CodelQueues {
  readonly canBypass = true;
  readonly #settings: FqCodelSettings;
  readonly #control: CodelControl;
  readonly #queues: FlowQueues;
  readonly #deficit: Int32Array;
  /** Chain of the list that a flow is in: new flows or old flows. */
  readonly #nextFlow: Int32Array;
  #newHead = NONE;
  #newTail = NONE;
  #oldHead = NONE;
  #oldTail = NONE;
  #memoryBytes = 0;
  #newFlows = 0;
  #dropOverlimit = 0;
  #dropOvermemory = 0;
  #takenDrops = 0;
  #takenDropBytes = 0;

  constructor(settings: FqCodelSettings, codel: CodelSettings, surroundings: Surroundings) {
    super(surroundings);
    this.#settings = settings;
    this.#control = new CodelControl(codel, settings.flows, surroundings.packets, this);
    this.#queues = new FlowQueues(settings.flows, surroundings.packets);
    this.#deficit = new Int32Array(settings.flows);
    this.#nextFlow = new Int32Array(settings.flows).fill(IN_NO_LIST);
  }

  enqueue(packet: number, nowNs: number): number {
    const settings = this.#settings;
    const packets = this.packets;
    const flow = this.#flowOf(packet);
    const sizeBytes = packets.sizeBytes[packet]!;
    packets.stampNs[packet] = nowNs;
    this.#queues.push(flow, packet);
    if (this.#nextFlow[flow] === IN_NO_LIST) {
      this.#appendNew(flow);
      this.#newFlows++;
      this.#deficit[flow] = settings.quantumBytes;
    }
    this.#memoryBytes += packets.truesizeBytes[packet]!;
    this.accept(packet);
    const overMemory = this.#memoryBytes > settings.memoryLimitBytes;
    const room = settings.strictLimit ? settings.limitPackets - 1 : settings.limitPackets;
    if (this.lengthPackets <= room && !overMemory) return ACCEPTED;
    return this.#dropBatch(flow, sizeBytes, overMemory, nowNs);
  }

  /** Makes room at the cost of the fattest flow (fq_codel_drop). */
  #dropBatch(flow: number, sizeBytes: number, overMemory: boolean, nowNs: number): number {
    const settings = this.#settings;
    const fattest = this.#queues.fattest();
    const threshold = Math.floor(this.#queues.backlogBytes[fattest]! / 2);
    let dropped = 0;
    let droppedBytes = 0;
    do {
      const victim = this.popFlow(fattest);
      droppedBytes += this.packets.sizeBytes[victim]!;
      dropped++;
      this.refuse(victim, nowNs);
    } while (dropped < settings.dropBatchPackets && droppedBytes < threshold);
    if (settings.batchRaisesCount) this.#control.count[fattest]! += dropped;
    this.#dropOverlimit += dropped;
    if (overMemory) this.#dropOvermemory += dropped;
    // The parents have not counted the packet that is coming in: of a batch from its own flow they are told one less.
    if (fattest === flow) {
      this.tellParent(dropped - 1, droppedBytes - sizeBytes);
      return CONGESTED;
    }
    this.tellParent(dropped, droppedBytes);
    return ACCEPTED;
  }

  protected take(nowNs: number): number {
    const packet = this.#next(nowNs);
    if (this.#takenDrops > 0) {
      this.tellParent(this.#takenDrops, this.#takenDropBytes);
      this.#takenDrops = 0;
      this.#takenDropBytes = 0;
    }
    if (packet !== NO_PACKET) this.departed(packet);
    return packet;
  }

  #next(nowNs: number): number {
    const deficit = this.#deficit;
    while (true) {
      const isNew = this.#newHead !== NONE;
      const flow = isNew ? this.#newHead : this.#oldHead;
      if (flow === NONE) return NO_PACKET;
      if (deficit[flow]! <= 0) {
        deficit[flow]! += this.#settings.quantumBytes;
        this.#removeHead(isNew);
        this.#appendOld(flow);
        continue;
      }
      const packet = this.#control.dequeue(flow, nowNs);
      if (packet === NO_PACKET) {
        this.#removeHead(isNew);
        if (isNew && this.#oldHead !== NONE) this.#appendOld(flow);
        else this.#nextFlow[flow] = IN_NO_LIST;
        continue;
      }
      deficit[flow]! -= this.packets.sizeBytes[packet]!;
      return packet;
    }
  }

  popFlow(flow: number): number {
    const packet = this.#queues.shift(flow);
    if (packet === NO_PACKET) return NO_PACKET;
    this.release(packet);
    this.#memoryBytes -= this.packets.truesizeBytes[packet]!;
    return packet;
  }

  dropTaken(packet: number, nowNs: number): void {
    this.#takenDrops++;
    this.#takenDropBytes += this.packets.sizeBytes[packet]!;
    this.refuse(packet, nowNs);
  }

  #flowOf(packet: number): number {
    const priority = this.packets.priority[packet]!;
    if (priority >>> 16 === this.#settings.handleMajor) {
      const minor = priority & 0xffff;
      if (minor > 0 && minor <= this.#settings.flows) return minor - 1;
    }
    return this.packets.flow[packet]! % this.#settings.flows;
  }

  #appendNew(flow: number): void {
    this.#nextFlow[flow] = NONE;
    if (this.#newTail === NONE) this.#newHead = flow;
    else this.#nextFlow[this.#newTail] = flow;
    this.#newTail = flow;
  }

  #appendOld(flow: number): void {
    this.#nextFlow[flow] = NONE;
    if (this.#oldTail === NONE) this.#oldHead = flow;
    else this.#nextFlow[this.#oldTail] = flow;
    this.#oldTail = flow;
  }

  #removeHead(isNew: boolean): void {
    if (isNew) {
      this.#newHead = this.#nextFlow[this.#newHead]!;
      if (this.#newHead === NONE) this.#newTail = NONE;
    } else {
      this.#oldHead = this.#nextFlow[this.#oldHead]!;
      if (this.#oldHead === NONE) this.#oldTail = NONE;
    }
  }

  visit(pass: RecurrencePass): void {
    this.visitBase(pass);
    pass.plain(this.#memoryBytes);
    this.#visitList(this.#newHead, pass);
    this.#visitList(this.#oldHead, pass);
    this.#newFlows = pass.counter(this.#newFlows);
    this.#dropOverlimit = pass.counter(this.#dropOverlimit);
    this.#dropOvermemory = pass.counter(this.#dropOvermemory);
    this.#control.visit(pass);
  }

  /** Tells of the flows of a list; those in none have no packets, and get their deficit when they begin anew. */
  #visitList(head: number, pass: RecurrencePass): void {
    for (let flow = head; flow !== NONE && !pass.done; flow = this.#nextFlow[flow]!) {
      pass.plain(flow);
      pass.plain(this.#deficit[flow]!);
      this.#queues.visit(flow, pass);
    }
    pass.plain(NONE);
  }

  #listLength(head: number): number {
    let length = 0;
    for (let flow = head; flow !== NONE; flow = this.#nextFlow[flow]!) length++;
    return length;
  }

  protected override ownCounters(): Readonly<Record<string, number>> {
    const control = this.#control;
    const sum = (values: Uint32Array | Uint8Array): number => {
      let total = 0;
      for (const value of values) total += value;
      return total;
    };
    return {
      limit: this.#settings.limitPackets,
      target: control.settings.target,
      interval: control.settings.interval,
      quantum: this.#settings.quantumBytes,
      maxPacket: control.maxPacketBytes,
      dropOverlimit: this.#dropOverlimit,
      dropOvermemory: this.#dropOvermemory,
      newFlowCount: this.#newFlows,
      ecnMark: control.ecnMarks,
      ceMark: control.ceMarks,
      memoryUsed: this.#memoryBytes,
      newFlowsLen: this.#listLength(this.#newHead),
      oldFlowsLen: this.#listLength(this.#oldHead),
      sumCount: sum(control.count),
      sumDropping: sum(control.dropping),
    };
  }
}

function dropBatchOf(values: Values, kernel: number): number {
  if (kernel < release(4, 9)) return 1;
  const wanted = values.dropBatch as number | undefined;
  if (wanted === undefined) return 64;
  return kernel < release(5, 10) ? Math.min(1, wanted) : Math.max(1, wanted);
}

/** `fq_codel`: fair queueing with CoDel on each flow. */
export const fqCodel: ShaperDeclaration = {
  kind: 'fq_codel',
  role: 'shaper',
  summary: 'Fair queueing by deficit round robin with CoDel on each flow (sch_fq_codel).',
  parameters: {
    limit: { type: 'integer', help: 'Packets held at most.', default: 10240, minimum: 0, maximum: 0xffffffff },
    flows: { type: 'integer', help: 'Queues into which flows are hashed.', default: 1024, minimum: 1, maximum: 65536 },
    quantum: {
      type: 'size',
      help: 'Bytes that a flow may send in one turn, at least 256; default the longest frame of the device.',
      minimum: 0,
      maximum: 1 << 20,
    },
    memoryLimit: {
      type: 'size',
      help: 'Memory of the packets held at most.',
      default: '32MiB',
      minimum: 0,
      maximum: 0xffffffff,
    },
    dropBatch: {
      type: 'integer',
      help: 'Packets dropped at once from the fattest flow when the limit is passed; default 64.',
      minimum: 0,
      maximum: 0xffffffff,
    },
    ecn: { type: 'boolean', help: 'Mark ECN-capable packets instead of dropping them.', default: true },
    handle: handleParameter,
    ...codelParameters,
  },
  counters: {
    ...codelCounters,
    limit: 'The limit (packets).',
    quantum: 'The quantum (bytes).',
    dropOvermemory: 'Packets dropped because the memory limit was passed.',
    newFlowCount: 'Times that a flow began anew.',
    memoryUsed: 'Memory of the packets held (bytes).',
    newFlowsLen: 'Flows on the list of new flows.',
    oldFlowsLen: 'Flows on the list of old flows.',
    sumCount: 'Sum of the CoDel counts of all flows.',
    sumDropping: 'Flows in the dropping state.',
  },
  check: (values) => versionProblems(values, [3, 5]),
  create(values, surroundings) {
    const kernel = kernelReleaseOf(values);
    const quantum = values.quantum as number | undefined;
    const settings: FqCodelSettings = {
      limitPackets: values.limit as number,
      flows: values.flows as number,
      quantumBytes: quantum === undefined ? deviceFrameBytes(values) : Math.max(MIN_QUANTUM_BYTES, quantum),
      memoryLimitBytes: kernel < release(4, 9) ? Number.MAX_SAFE_INTEGER : (values.memoryLimit as number),
      dropBatchPackets: dropBatchOf(values, kernel),
      batchRaisesCount: kernel >= release(5, 10),
      strictLimit: kernel < release(4, 9),
      handleMajor: handleMajorOf(values),
    };
    return new FqCodel(settings, codelSettings(values), surroundings);
  },
};
