import { TailDropQueue } from '../../models/links/tail-drop.ts';
import { invariant, type ReadBytes, type SourceDeclaration } from '../../models/model.ts';
import { PacketPool } from '../../models/packet.ts';
import type { Recurrent } from '../../models/recurrence.ts';
import { buildQdisc, modelsOf } from '../../models/registry.ts';
import type { StreamSource } from '../../models/sources/bulk.ts';
import type { TransferSource } from '../../models/sources/transfers.ts';
import { randomStream } from '../engine/random.ts';
import { Timers } from '../engine/timers.ts';
import type { FlowSpec, HopSpec, LinkSpec, Scenario } from '../scenario/scenario.ts';
import { BulkFlow } from './bulk-flow.ts';
import type { Endpoint, NetworkFlow } from './endpoint.ts';
import { leaveOutPeriods } from './fast-forward.ts';
import { FlowMeter } from './flow-meter.ts';
import { OpenFlow } from './open-flow.ts';
import { meanBitsPerSecond } from './opportunity-link.ts';
import { Port, type PortOwner } from './port.ts';
import { PortMeter, type TraceNames } from './port-meter.ts';
import type { FlowResult, HopResult } from './result.ts';
import { tcpSettingsOf, type Wiring } from './tcp-endpoint.ts';
import type { Tracer } from './tracer.ts';
import { TransferFlow } from './transfer-flow.ts';
import type { RunWindow } from './window.ts';

/** Settings of a run that are not the scenario's. */
export interface NetworkOptions {
  /** Buckets of each series; 0: no series. */
  readonly buckets: number;
  /** Steps of the bytes that a transfer receives, where there are no series; default 0. */
  readonly receivedSteps?: number;
  readonly tracer?: Tracer;
  /** Leaves out whole periods of a state that repeats, every count unchanged; default true. Traces and series turn it off. */
  readonly fastForward?: boolean;
  /** Reads the files that sources name; absent: there are none to be read. */
  readonly readBytes?: ReadBytes | undefined;
}

/** The hops and flows of a scenario, wired on one clock. */
export class Network implements PortOwner, Wiring {
  readonly timers: Timers;
  readonly packets = new PacketPool();
  readonly ports: readonly Port[];
  readonly flows: readonly NetworkFlow[];
  readonly window: RunWindow;
  /** Simulated time that was left out because it repeats. */
  leftOutNs = 0;
  readonly #scenario: Scenario;
  readonly #meters: PortMeter[] = [];
  readonly #endpoints: Endpoint[] = [];
  /** What is searched for a repeating state; undefined: it cannot repeat, or all of it is wanted. */
  readonly #repeating: { readonly models: readonly Recurrent[]; readonly beat: number } | undefined;

  constructor(scenario: Scenario, options: NetworkOptions) {
    this.#scenario = scenario;
    const startNs = scenario.clockStartNs;
    this.window = { startNs, warmNs: startNs + scenario.warmupNs, endNs: startNs + scenario.durationNs };
    this.timers = new Timers(startNs);
    const trace: TraceNames | undefined =
      options.tracer === undefined
        ? undefined
        : {
            tracer: options.tracer,
            flowName: (flow) => this.#endpoints[flow]!.flowName,
            flowClass: (flow) => this.#endpoints[flow]!.className,
          };
    this.ports = scenario.hops.map((hop) => this.#port(hop, trace, options.buckets));
    const portOf = new Map(this.ports.map((port) => [port.name, port]));
    this.flows = scenario.flows.map((flow) => {
      const path = flow.via.map((name) => {
        const port = portOf.get(name);
        invariant(port !== undefined, `flow ${flow.name} goes via an unknown hop ${name}`);
        return port;
      });
      return this.#flow(flow, path, options);
    });
    const wanted = options.fastForward !== false && options.tracer === undefined && options.buckets === 0;
    this.#repeating = wanted ? this.#recurrent() : undefined;
  }

  /**
   * Runs from the start to the end of the window, and yields how much of it is done: after each of `steps` equal parts,
   * and now and then within one that has very many events.
   */
  *run(steps: number): Generator<number, void> {
    const { startNs, warmNs, endNs } = this.window;
    for (const flow of this.flows) flow.start();
    let step = 1;
    for (const phaseEndNs of warmNs > startNs ? [warmNs, endNs] : [endNs]) {
      if (phaseEndNs === endNs) {
        for (const flow of this.flows) flow.warm();
        for (const meter of this.#meters) meter.warm();
      }
      if (this.#repeating !== undefined) {
        const { models, beat } = this.#repeating;
        const search = leaveOutPeriods(this.timers, models, beat, phaseEndNs);
        let found = search.next();
        for (; found.done !== true; found = search.next()) yield (step - 1) / steps;
        this.leftOutNs += found.value;
      }
      for (; step < steps; step++) {
        const untilNs = startNs + Math.floor(((endNs - startNs) * step) / steps);
        if (untilNs > phaseEndNs) break;
        if (untilNs > this.timers.nowNs) while (this.timers.runSlice(untilNs)) yield (step - 1) / steps;
        yield step / steps;
      }
      while (this.timers.runSlice(phaseEndNs)) yield (step - 1) / steps;
    }
    yield 1;
  }

  /** The flows' figures, by name. */
  flowResults(): Record<string, FlowResult> {
    return Object.fromEntries(this.flows.map((flow, index) => [this.#scenario.flows[index]!.name, flow.result()]));
  }

  /** The hops' figures, by name. */
  hopResults(): Record<string, HopResult> {
    return Object.fromEntries(this.#meters.map((meter, index) => [this.#scenario.hops[index]!.name, meter.result()]));
  }

  #recurrent(): { readonly models: readonly Recurrent[]; readonly beat: number } | undefined {
    const flows = this.flows.filter((flow) => flow instanceof OpenFlow && flow.recurs) as OpenFlow[];
    const [first] = flows;
    if (first === undefined || flows.length < this.flows.length || this.ports.some((port) => !port.recurs))
      return undefined;
    // What differs soonest comes first.
    return { models: [this.timers, ...this.ports, ...flows], beat: first.beat };
  }

  // Port owner --------------------------------------------------------------------------------------------------------

  deliver(packet: number, nowNs: number): void {
    const endpoint = this.#endpoints[this.packets.flow[packet]!]!;
    const hop = this.packets.hop[packet]! + 1;
    if (hop < endpoint.path.length) {
      this.packets.hop[packet] = hop;
      const { priorities } = endpoint;
      if (priorities !== undefined) this.packets.priority[packet] = priorities[hop]!;
      endpoint.path[hop]!.arrive(packet, nowNs);
    } else {
      endpoint.receive(packet, nowNs);
    }
  }

  dropped(packet: number, nowNs: number): void {
    this.#endpoints[this.packets.flow[packet]!]!.dropped(packet, nowNs);
  }

  transmitted(packet: number, nowNs: number): void {
    this.#endpoints[this.packets.flow[packet]!]!.transmitted(packet, nowNs);
  }

  // Wiring of the flows -----------------------------------------------------------------------------------------------

  addEndpoint(endpoint: Endpoint): number {
    return this.#endpoints.push(endpoint) - 1;
  }

  // Building ----------------------------------------------------------------------------------------------------------

  #port(hop: HopSpec, trace: TraceNames | undefined, buckets: number): Port {
    const meter = new PortMeter(hop.name, hop.shaper?.kind, this.window, this.packets, trace);
    const crossing = this.#scenario.flows.filter((flow) => flow.via.includes(hop.name));
    const port = new Port(hop, this.#scenario.seed, this.timers, this.packets, this, meter, {
      tellsTransmitted: crossing.some(
        (flow) => flow.via[0] === hop.name && !isOpen(flow) && tcpSettingsOf(flow).limiterAtSender,
      ),
      deliversAtOnce: crossing.every((flow) => isOpen(flow) && flow.via.at(-1) === hop.name),
    });
    if (hop.shaper === undefined) {
      const { packets, bytes } = queueBounds(hop.link);
      port.root = new TailDropQueue(packets, bytes, port);
    } else {
      port.root = buildQdisc(hop.shaper, port);
    }
    meter.watch(port.root, buckets);
    this.#meters.push(meter);
    return port;
  }

  #flow(spec: FlowSpec, path: readonly Port[], options: NetworkOptions): NetworkFlow {
    const { buckets, receivedSteps = 0, readBytes } = options;
    const lastHop = this.#scenario.hops.find((hop) => hop.name === spec.via.at(-1))!;
    const meter = new FlowMeter(this.window, this.packets, lastHop.link, buckets);
    const declaration = sourceOf(spec);
    if ('create' in declaration) {
      const random = randomStream(this.#scenario.seed, `flow/${spec.name}`);
      const source = declaration.create(spec.source.values, random, readBytes);
      return new OpenFlow(this, spec, source, path, meter);
    }
    if ('writing' in declaration) return new BulkFlow(this, spec, declaration, path, meter, this.window, buckets);
    return new TransferFlow(this, spec, declaration, path, meter, this.window, buckets > 0 ? buckets : receivedSteps);
  }
}

type AnySource = SourceDeclaration | StreamSource | TransferSource;

function sourceOf(flow: FlowSpec): AnySource {
  const declaration = modelsOf('source').get(flow.source.kind);
  invariant(declaration !== undefined, `no source of kind ${flow.source.kind}`);
  return declaration as AnySource;
}

function isOpen(flow: FlowSpec): boolean {
  return 'create' in sourceOf(flow);
}

function queueBounds(link: LinkSpec): { packets: number; bytes: number } {
  const { queue } = link;
  if ('packets' in queue) return { packets: queue.packets, bytes: Number.POSITIVE_INFINITY };
  if ('bytes' in queue) return { packets: Number.POSITIVE_INFINITY, bytes: queue.bytes };
  const { rateBitsPerSecond, opportunitiesNs } = link;
  const drain = opportunitiesNs === undefined ? rateBitsPerSecond : meanBitsPerSecond(opportunitiesNs);
  const bytes = drain === 0 ? Number.POSITIVE_INFINITY : (drain * queue.ns) / 8e9;
  return { packets: Number.POSITIVE_INFINITY, bytes };
}
