import * as registry from '../../models/registry.ts';
import type { FlowResult } from '../../sim/run/result.ts';
import { simulate } from '../../sim/run/simulate.ts';
import { checkDocument } from '../../sim/scenario/load-scenario.ts';

/** A transfer over one hop and back. */
export interface BedTransfer {
  /** Of the flow: `source`, `version`, `limit`, `size` and so on, as a scenario writes them. */
  readonly flow: Readonly<Record<string, unknown>>;
  /** The hop, as a scenario writes it. */
  readonly hop: Readonly<Record<string, unknown>>;
  /** tcp_rmem[2] of the receiver (bytes); absent: what the kernel allows. */
  readonly rcvbufMax?: number;
}

/** The measured test bed's hop: tbf at the server, with its burst of 32 kB, 128 kB at 700 Mbit; RTT 0.1 ms. */
export function bedHop(linkMbit: number): BedTransfer['hop'] {
  const burst = linkMbit >= 700 ? 128_000 : 32_000;
  return {
    shaper: 'tbf',
    kernel: '6.18',
    rate: `${linkMbit}mbit`,
    burst,
    latency: '40ms',
    link: { rate: 0, delay: '50us' },
  };
}

/** Simulates a transfer; the receiver books memory as veth does without GRO. */
export function runTransfer({ flow, hop, rcvbufMax }: BedTransfer): FlowResult {
  const tcp = { scalingRatio: 0.477, ...(rcvbufMax === undefined ? {} : { rcvbufMax }) };
  const document = {
    title: 'test bed',
    duration: '60s',
    hops: { wan: hop },
    flows: { transfer: { ...flow, via: ['wan'], tcp } },
  };
  const { first } = checkDocument(document, { registry });
  return simulate({ variables: {}, scenario: first }, { buckets: 1000 }).flows.transfer!;
}
