import { describe } from 'vitest';
import { itObeysTheQdiscLaws, nested } from './qdisc-laws.ts';

describe('every Linux qdisc obeys the laws', () => {
  const tbf = { rate: 4_000_000, burst: 3000 };
  itObeysTheQdiscLaws('pfifo', nested('pfifo', { limit: 10 }));
  itObeysTheQdiscLaws('bfifo', nested('bfifo', { limit: 6000 }));
  itObeysTheQdiscLaws('pfifo_head_drop', nested('pfifo_head_drop', { limit: 5 }));
  itObeysTheQdiscLaws('pfifo_fast', nested('pfifo_fast', { txQueueLen: 5 }));
  itObeysTheQdiscLaws('tbf', nested('tbf', { ...tbf, limit: 20_000 }));
  itObeysTheQdiscLaws('tbf of 2.6.24', nested('tbf', { ...tbf, limit: 20_000, kernel: '2.6.24' }));
  itObeysTheQdiscLaws('tbf with a peak rate', nested('tbf', { ...tbf, latency: 20e6, peakrate: 8_000_000, mtu: 1600 }));
  itObeysTheQdiscLaws('police', nested('police', { rate: 2_000_000, burst: 3000, exceed: 'drop' }));
  itObeysTheQdiscLaws('prio', nested('prio', { txQueueLen: 5 }));
  itObeysTheQdiscLaws('sfq', nested('sfq', { limit: 20, flows: 4, depth: 8 }));
  itObeysTheQdiscLaws('sfq, hashed anew', nested('sfq', { limit: 20, divisor: 4, perturb: 10e6, headdrop: true }));
  itObeysTheQdiscLaws('sfq of 2.6.24', nested('sfq', { limit: 20, kernel: '2.6.24' }));
  // Its new key sends later packets of a flow into another slot than the one where earlier ones wait.
  const rekeyed = nested('sfq', { limit: 20, perturb: 10e6, kernel: '2.6.24' });
  itObeysTheQdiscLaws('sfq of 2.6.24 with changing keys', rekeyed, { reorders: true });
  itObeysTheQdiscLaws('sfq of 3.6', nested('sfq', { limit: 20, flows: 4, kernel: '3.6' }));
  itObeysTheQdiscLaws('codel', nested('codel', { limit: 30, target: 1e6, interval: 10e6 }));
  itObeysTheQdiscLaws('codel of 3.6', nested('codel', { limit: 30, target: 1e6, interval: 10e6, kernel: '3.6' }));
  itObeysTheQdiscLaws('fq_codel', nested('fq_codel', { limit: 20, flows: 4, target: 1e6, interval: 10e6 }));
  itObeysTheQdiscLaws('fq_codel of 4.9', nested('fq_codel', { limit: 20, flows: 4, dropBatch: 8, kernel: '4.9' }));
  itObeysTheQdiscLaws('red', nested('red', { limit: 30_000, avpkt: 500, min: 3000, max: 9000, adaptive: true }));
  itObeysTheQdiscLaws('fq', nested('fq', { maxrate: 2_000_000, flowLimit: 20 }));
  itObeysTheQdiscLaws('netem', nested('netem', { delay: 2e6, jitter: 1e6, loss: 0.05 }), { reorders: true });
  itObeysTheQdiscLaws('netem with a rate', nested('netem', { delay: 2e6, jitter: 1e6, rate: 5_000_000, limit: 10 }));

  for (const kind of ['sfq', 'codel', 'fq_codel', 'pfifo_head_drop', 'prio', 'netem', 'fq'] as const) {
    const given = kind === 'prio' ? { txQueueLen: 4 } : kind === 'netem' ? { delay: 1e6, limit: 8 } : { limit: 8 };
    itObeysTheQdiscLaws(`tbf over ${kind}`, nested('tbf', { ...tbf, limit: 1000, qdisc: nested(kind, given) }));
    const classes = { '1:2': { qdisc: nested(kind, given) } };
    const leaf = {
      rate: 4e6,
      prio: 0,
      mtu: 1600,
      mpu: 0,
      overhead: 0,
      linklayer: 'ethernet',
      qdisc: nested(kind, given),
    };
    itObeysTheQdiscLaws(`htb over ${kind}`, nested('htb', { default: 0x10010, classes: { '1:10': leaf } }));
    itObeysTheQdiscLaws(
      `tbf over prio over ${kind}`,
      nested('tbf', { ...tbf, limit: 1000, qdisc: nested('prio', { classes }) }),
    );
  }
});
