import { createHash } from 'node:crypto';
import { modelsOf } from '../../models/registry.ts';
import { simulate } from '../../sim/run/simulate.ts';
import { checkDocument } from '../../sim/scenario/load-scenario.ts';

/** The standard workload over 12 packet sizes and 12 rates, 60 simulated seconds a point. */
const document = {
  title: 'grid',
  duration: '60s',
  sweep: {
    size: ['64b', '128b', '192b', '256b', '384b', '512b', '576b', '836b', '1000b', '1200b', '1400b', '1514b'],
    rate: [
      '100mbit',
      '170mbit',
      '240mbit',
      '310mbit',
      '380mbit',
      '450mbit',
      '520mbit',
      '590mbit',
      '660mbit',
      '740mbit',
      '820mbit',
      '900mbit',
    ],
  },
  hops: {
    bridge: {
      shaper: 'htb',
      kernel: '6.12',
      default: '1:108',
      classes: { '1:108': { rate: '${rate}' } },
      link: { rate: '1gbit' },
    },
  },
  flows: { generator: { source: 'cbr', rate: '950mbit', size: '${size}', via: ['bridge'], class: '1:108' } },
};

const fastForward = process.argv[2] === 'short';
const loaded = checkDocument(document, { registry: { modelsOf } });
const hash = createHash('sha256');
const begin = process.hrtime.bigint();
for (const point of loaded.points()) hash.update(JSON.stringify(simulate(point, { buckets: 0, fastForward })));
const seconds = Number(process.hrtime.bigint() - begin) / 1e9;
console.log(JSON.stringify({ seconds, figures: hash.digest('hex') }));
