import { invariant, type Values } from '../model.ts';
import { tcpParameters } from './declaration.ts';
import { MSS_BYTES } from './headers.ts';

/** The kernel whose receive buffer tuning applies. */
export type TuningKernel = '6.15' | '6.16' | '6.18';

/** What a connection is built from: checked parameters as plain numbers. */
export interface TcpSettings {
  readonly congestion: string;
  /** Ticks a second of both kernels. */
  readonly hz: number;
  readonly initialWindow: number;
  /** Whether a pacing timer spaces bursts. */
  readonly pacing: boolean;
  readonly slowStartAfterIdle: boolean;
  /** Whether the limiter stands on the sending host, whose small queues then hold TCP back. */
  readonly limiterAtSender: boolean;
  /** tcp_limit_output_bytes. */
  readonly localQueueBytes: number;
  /** tcp_wmem[2]. */
  readonly sndbufMaxBytes: number;
  readonly tuning: TuningKernel;
  /** tcp_rmem[2]. */
  readonly rcvbufMaxBytes: number;
  /** Receive buffer that the application has fixed (twice what it asked for); 0: tuned by the kernel. */
  readonly rcvbufFixedBytes: number;
  /** Payload in 256ths of the memory booked for a full segment. */
  readonly scalingRatio: number;
  /** Memory booked for a full segment (bytes). */
  readonly segmentMemoryBytes: number;
}

const MIB = 1024 * 1024;

/** What a parameter of {@link tcpParameters} is when it is not given; all defaults there are plain words and numbers. */
const defaults: Values = Object.fromEntries(
  Object.entries(tcpParameters).flatMap(([name, parameter]) =>
    parameter.default === undefined ? [] : [[name, parameter.default]],
  ),
);

/** Settings from the checked values of `tcp:`; what is absent takes the default of the kernel. */
export function tcpSettings(given: Values): TcpSettings {
  const values: Values = { ...defaults, ...given };
  const tuning = values.kernel as TuningKernel;
  const ratio = Math.floor((values.scalingRatio as number) * 256);
  invariant(ratio >= 1 && ratio <= 255, `scaling ratio ${ratio}/256`);
  return {
    congestion: values.congestion as string,
    hz: values.hz as number,
    initialWindow: values.initialWindow as number,
    pacing: values.pacing as boolean,
    slowStartAfterIdle: values.slowStartAfterIdle as boolean,
    limiterAtSender: values.limiterAt === 'sender',
    localQueueBytes: tuning === '6.15' ? MIB : 4 * MIB,
    sndbufMaxBytes: values.sndbufMax as number,
    tuning,
    rcvbufMaxBytes: (values.rcvbufMax as number | undefined) ?? (tuning === '6.15' ? 6 * MIB : 32 * MIB),
    rcvbufFixedBytes: 2 * ((values.rcvbuf as number | undefined) ?? 0),
    scalingRatio: ratio,
    // The smallest size that the kernel's measurement truncates to this ratio.
    segmentMemoryBytes: Math.floor((256 * MSS_BYTES) / (ratio + 1)) + 1,
  };
}
