/**
 * Work on both sides that a transfer costs beside the network, before the connection is opened (ns): over a path of 0.1 ms an
 * object of 100 bytes takes 1.1, 1.7, 2.5, 3.5 and 30 ms.
 */
export const SETUP_NS = 2_500_000;

/**
 * A read, and handing what it returned to the application (ns): copying is fast, some 2.5 GB/s. But a read that makes room sends a
 * window update, and the segments which this calls forth are worked off before the call is over: up to a tenth of a
 * millisecond where both hosts share a machine. So a visit of a fast link finds more at each read, and the kernel
 * enlarges the receive buffer for it.
 */
const READ_NS = 90_000;
const READ_NS_PER_BYTE = 0.4;

/** How long a read takes that returns so many bytes (ns). */
export function readNs(bytes: number): number {
  return READ_NS + Math.round(bytes * READ_NS_PER_BYTE);
}
