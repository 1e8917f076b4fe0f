import type { Parameters } from '../model.ts';
import { congestionControls } from './congestion-controls.ts';

/** Parameters of a TCP connection, as sources that run on TCP embed them under `tcp:`. */
export const tcpParameters: Parameters = {
  congestion: {
    type: { choice: congestionControls.map((control) => control.kind) },
    default: congestionControls[0]!.kind,
    help: 'Congestion control of the sender.',
  },
  kernel: {
    type: { choice: ['6.15', '6.16', '6.18'] },
    default: '6.18',
    help: 'Kernel whose rule tunes the receive buffer: up to 6.15, 6.16 and early 6.17, or 6.18.',
  },
  rcvbufMax: {
    type: 'size',
    minimum: 4096,
    help: 'Largest receive buffer (tcp_rmem[2]) in bytes of memory, overhead included; default 6291456 until 6.15, then 33554432.',
  },
  rcvbuf: {
    type: 'size',
    minimum: 2304,
    help: 'Fixed receive buffer as SO_RCVBUF sets it (the kernel doubles it); absent: tuned by the kernel.',
  },
  scalingRatio: {
    type: 'number',
    minimum: 0.05,
    maximum: 0.99,
    default: 0.625,
    help: 'Payload as a share of the memory that the receiver books for a full segment; 0.477 on veth without GRO, up to 0.855 on a NIC.',
  },
  sndbufMax: {
    type: 'size',
    minimum: 65536,
    default: 4194304,
    help: 'Largest send buffer (tcp_wmem[2]) in bytes of memory, overhead included.',
  },
  initialWindow: {
    type: 'integer',
    minimum: 1,
    maximum: 1000,
    default: 10,
    help: 'Initial congestion window in packets.',
  },
  pacing: {
    type: 'boolean',
    default: false,
    help: 'Whether the sender spaces its bursts, as under fq or SO_MAX_PACING_RATE.',
  },
  slowStartAfterIdle: {
    type: 'boolean',
    default: true,
    help: 'Whether the congestion window shrinks while nothing is sent (net.ipv4.tcp_slow_start_after_idle).',
  },
  limiterAt: {
    type: { choice: ['router', 'sender'] },
    default: 'router',
    help: 'Where the first hop stands; on the sending host TCP keeps the queue short by itself (TSQ).',
  },
  hz: {
    type: 'integer',
    minimum: 100,
    maximum: 1000,
    default: 250,
    help: 'Clock ticks a second of the kernels at both ends.',
  },
};
