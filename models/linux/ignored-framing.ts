import type { KernelRules } from './kernels.ts';
import type { PacketFraming } from './tc.ts';

/** A setting of the framing that a kernel takes and does not follow. */
export interface IgnoredFraming {
  readonly key: 'linklayer' | 'overhead' | 'mpu';
  readonly text: string;
}

/**
 * What of a framing the kernels without rate tables leave out: tc's tables had it, and the code that took their place
 * learned it release by release (net/sched/sch_generic.c, include/net/sch_generic.h: psched_l2t_ns).
 */
export function ignoredFraming(kernel: KernelRules, framing: PacketFraming): IgnoredFraming[] {
  if (kernel.cost !== 'fixed-point') return [];
  const found: IgnoredFraming[] = [];
  const add = (key: IgnoredFraming['key'], what: string, others: string): void => {
    found.push({
      key,
      text: `kernel ${kernel.version} does not ${what}: it takes the setting and ignores it, as ${others} do`,
    });
  };
  if (framing.atm && !kernel.countsCells) add('linklayer', 'price packets in ATM cells', '3.8 to 3.10');
  if (framing.overheadBytes > 0 && !kernel.addsOverhead) add('overhead', 'add the overhead to a packet', '3.8 and 3.9');
  if (framing.mpuBytes > 0 && !kernel.raisesToMpu) add('mpu', 'raise small packets to mpu', '3.8 to 5.16');
  return found;
}
