import type { CongestionControl, CongestionDeclaration, CongestionWindow } from './congestion.ts';

/** One packet a round trip, half on loss (RFC 5681; net/ipv4/tcp_cong.c: tcp_reno_cong_avoid, tcp_reno_ssthresh). */
class Reno implements CongestionControl {
  onAck(window: CongestionWindow, ackedPackets: number): void {
    const rest = window.inSlowStart ? window.slowStart(ackedPackets) : ackedPackets;
    if (rest > 0) window.additive(window.packets, rest);
  }

  onRtt(): void {}

  onLoss(window: CongestionWindow): number {
    return Math.max(window.packets >> 1, 2);
  }

  onTimeout(): void {}

  onRestart(): void {}
}

/** Reno: the textbook's additive increase and multiplicative decrease, without HyStart. */
export const reno: CongestionDeclaration = {
  kind: 'reno',
  role: 'congestion',
  summary: 'Reno: one packet more a round trip, half the window on loss',
  parameters: {},
  counters: {},
  create: () => new Reno(),
};
