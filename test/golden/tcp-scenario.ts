import * as registry from '../../models/registry.ts';
import { Network } from '../../sim/run/network.ts';
import type { FlowResult } from '../../sim/run/result.ts';
import { checkDocument } from '../../sim/scenario/load-scenario.ts';
import type { Scenario } from '../../sim/scenario/scenario.ts';

/** What a golden run was told, by name: rate and prate in bit/s, rtt in ms, q and bursts in bytes, times in s. */
export type GoldenArguments = Readonly<Record<string, string>>;

/** `["rate=10e6", …]` as a mapping. */
export function readArguments(args: readonly string[]): GoldenArguments {
  return Object.fromEntries(
    args.map((argument) => {
      const at = argument.indexOf('=');
      return [argument.slice(0, at), argument.slice(at + 1)];
    }),
  );
}

/** Qdiscs of the golden runs with a real kernel in the path, by what their command line contains. */
const kernelQdiscs = {
  tbf: { shaper: 'tbf', rate: '20mbit', burst: '32kb', limit: '60000b' },
  htb: {
    shaper: 'htb',
    default: '1:10',
    classes: { '1:10': { rate: '20mbit', burst: '32kb', cburst: '1600b', qdisc: { kind: 'pfifo', limit: 40 } } },
  },
} as const;

/**
 * The scenario of a golden run. `lateUs` is how late its forwarder was in each direction on average; the ACKs' way
 * takes both. `durationSeconds` replaces the run's own.
 */
export function scenarioOf(
  args: GoldenArguments,
  lateUs: number,
  drop: readonly number[] | undefined,
  durationSeconds = Number(args.dur),
): Scenario {
  const halfMs = Number(args.rtt) / 2;
  const delay = `${halfMs * 1e6}ns`;
  const unlimited = { overhead: '0b', delay: '0s' };
  const hops: Record<string, object> = {};
  if (args.prate !== undefined) {
    hops.policer = {
      shaper: 'police',
      rate: `${args.prate}bit`,
      burst: `${args.pburst}b`,
      exceed: 'drop',
      link: unlimited,
    };
  }
  if (args.txq !== undefined) {
    hops.sender = { ...kernelQdiscs.tbf, link: { ...unlimited, delay } };
  } else if (args.rxq !== undefined) {
    hops.wire = { link: { ...unlimited, delay } };
    hops.router = { ...(args.rxq.includes('htb') ? kernelQdiscs.htb : kernelQdiscs.tbf), link: unlimited };
  } else {
    const lost = drop ?? args.drop?.split(',').map(Number);
    hops.line = {
      link: {
        rate: `${args.rate}bit`,
        delay,
        overhead: '0b',
        queue: args.q === undefined ? '100000p' : `${args.q}b`,
        ...(lost === undefined ? {} : { drop: lost }),
      },
    };
  }
  const flows: Record<string, object> = {};
  for (let flow = 0; flow < Number(args.flows ?? 1); flow++) {
    flows[`flow${flow}`] = {
      source: 'bulk',
      via: Object.keys(hops),
      start: `${args[`start${flow}`] ?? 0}s`,
      returnDelay: `${Math.round(halfMs * 1e6 + 2e3 * lateUs)}ns`,
      tcp: {
        congestion: args[`cc${flow}`] ?? args.cc,
        rcvbufMax: `${args.rmem ?? 6291456}b`,
        pacing: args.maxpace !== undefined,
        slowStartAfterIdle: args.sysctl !== 'net.ipv4.tcp_slow_start_after_idle=0',
        limiterAt: args.txq === undefined ? 'router' : 'sender',
      },
      ...writing(args),
      ...(args.mode === 'lump'
        ? { read: { every: `${Number(args.period) * 1000}ms`, bytes: `${Number(args.lump)}b` } }
        : {}),
    };
  }
  const document = { title: 'golden', duration: `${Math.round(durationSeconds * 1e9)}ns`, hops, flows };
  return checkDocument(document, { registry }).first;
}

function writing(args: GoldenArguments): object {
  if (args.bytes !== undefined) return { bytes: `${args.bytes}b` };
  if (args.onbytes === undefined) return {};
  return { bytes: `${Number(args.onbytes)}b`, blocks: Number(args.blocks), idle: `${Number(args.idle) * 1000}ms` };
}

/** Figures of a run at equal steps of time. */
export interface Course {
  readonly stepSeconds: number;
  /** Payload that each flow has received by the end of each step (bytes). */
  readonly receivedBytes: readonly (readonly number[])[];
  /** At the end of the run. */
  readonly flows: readonly FlowResult[];
}

/** Runs a scenario in the product's own network and notes what was received every `stepSeconds`. */
export function course(scenario: Scenario, stepSeconds: number): Course {
  const network = new Network(scenario, { buckets: 0 });
  const steps = Math.round(scenario.durationNs / 1e9 / stepSeconds);
  const receivedBytes: number[][] = scenario.flows.map(() => []);
  let shareDone = 0;
  for (const share of network.run(steps)) {
    // A step of many events is told of several times.
    if (share === shareDone) continue;
    shareDone = share;
    network.flows.forEach((flow, index) => {
      receivedBytes[index]!.push(payloadOf(flow.result()));
    });
  }
  return { stepSeconds, receivedBytes, flows: network.flows.map((flow) => flow.result()) };
}

/** Payload received since the start (bytes): each packet has 66 bytes of headers. */
export function payloadOf(flow: FlowResult): number {
  return flow.receivedBytes - 66 * flow.receivedPackets;
}
