import type {
  ClassResult,
  DelayHistogram,
  FlowResult,
  HopResult,
  PointResult,
  Result,
  Series,
  TransferResult,
} from '../../sim/run/result.ts';
import type { ReferenceSpec } from '../../sim/scenario/scenario.ts';

/** Packets per second of an 836-byte packet on a kernel of the time of 2.6.25 (tick of 1024 ns, lower-bound table). */
export function packetsPerSecond2009(rateBitsPerSecond: number, sizeBytes = 836): number {
  const slotBytes = Math.floor(sizeBytes / 8) * 8;
  const microseconds = Math.trunc((slotBytes * 8e6) / rateBitsPerSecond);
  const ticks = Math.max(1, Math.trunc((microseconds * 1000) / 1024));
  return 1e9 / (ticks * 1024);
}

/** Packets per second of a kernel that counts in nanoseconds. */
export function packetsPerSecondNow(rateBitsPerSecond: number, sizeBytes = 836): number {
  return 1e9 / Math.trunc((sizeBytes * 8e9) / rateBitsPerSecond);
}

/** Received rates of 2009, configured bit/s and received bit/s (frames). */
export const MEASURED_2009: readonly (readonly [number, number])[] = [
  [476e6, 544260329],
  [500e6, 545880017],
  [510e6, 544489469],
  [512e6, 546890972],
  [513e6, 596061383],
  [520e6, 596791866],
  [550e6, 596543271],
  [554e6, 596193545],
  [555e6, 654773221],
  [570e6, 654996381],
  [590e6, 655363253],
  [605e6, 654112017],
  [606e6, 728262237],
  [665e6, 727014365],
];

/** A series that a function of the bucket gives, `spread` above and below. */
export function series(count: number, stepSeconds: number, mean: (i: number) => number, spread = 0): Series {
  const values = Array.from({ length: count }, (_, i) => mean(i));
  return {
    startSeconds: 0,
    stepSeconds,
    mean: values,
    min: values.map((v) => v * (1 - spread)),
    max: values.map((v) => v * (1 + spread)),
  };
}

/** A histogram of `cells` cells around `middleSeconds`. */
export function histogram(middleSeconds: number, cells = 120): DelayHistogram {
  const upperSeconds = Array.from({ length: cells }, (_, i) => middleSeconds * (0.4 + (1.2 * (i + 1)) / cells));
  const counts = Array.from(
    { length: cells },
    (_, i) => 1 + Math.round(1000 * Math.exp(-(((i - cells / 2) / 18) ** 2))),
  );
  return { upperSeconds, counts };
}

interface FlowParts {
  readonly packetsPerSecond: number;
  readonly sizeBytes?: number;
  readonly seconds?: number;
  readonly offeredBitsPerSecond?: number;
  readonly delaySeconds?: number;
  readonly droppedPackets?: number;
  readonly transfer?: TransferResult;
  readonly series?: FlowResult['series'];
}

/** A flow of packets of one size. */
export function flow(parts: FlowParts): FlowResult {
  const size = parts.sizeBytes ?? 836;
  const rate = parts.packetsPerSecond;
  const count = Math.round(rate * (parts.seconds ?? 1));
  const delay = parts.delaySeconds ?? 0.0012;
  return {
    sentPackets: count + (parts.droppedPackets ?? 0),
    sentBytes: (count + (parts.droppedPackets ?? 0)) * size,
    droppedPackets: parts.droppedPackets ?? 0,
    receivedPackets: count,
    receivedBytes: count * size,
    packetsPerSecond: rate,
    bitsPerSecond: {
      offered: parts.offeredBitsPerSecond ?? rate * size * 8,
      goodput: rate * (size - 42) * 8,
      accounted: rate * size * 8,
      frame: rate * (size + 4) * 8,
      wire: rate * (size + 24) * 8,
    },
    delaySeconds: {
      min: delay * 0.4,
      mean: delay,
      p50: delay,
      p95: delay * 1.15,
      p99: delay * 1.22,
      max: delay * 1.6,
    },
    ...(parts.transfer === undefined ? {} : { transfer: parts.transfer }),
    ...(parts.series === undefined ? {} : { series: parts.series }),
  };
}

/** Series of a flow whose rate swings in short windows. */
export function flowSeries(
  bitsPerSecond: number,
  delaySeconds: number,
  buckets = 100,
): NonNullable<FlowResult['series']> {
  const burst = (i: number): number => bitsPerSecond * (i % 10 === 0 ? 1.35 : 0.961);
  return {
    throughput: {
      '10ms': series(buckets, 1 / buckets, burst),
      '100ms': series(10, 0.1, () => bitsPerSecond, 0.01),
      '1s': series(1, 1, () => bitsPerSecond),
    },
    delay: histogram(delaySeconds),
  };
}

/** A class with HTB's counters. */
export function htbClass(parts: Partial<ClassResult> & { bitsPerSecond: number }): ClassResult {
  const packetsPerSecond = parts.bitsPerSecond / 8 / 836;
  return {
    sentPackets: Math.round(packetsPerSecond),
    sentBytes: Math.round(packetsPerSecond) * 836,
    droppedPackets: 0,
    backlogPackets: 0,
    mode: 'can-send',
    packetsPerSecond,
    overlimits: 12,
    lended: 0,
    borrowed: 0,
    giants: 0,
    tokens: 187,
    ctokens: 187,
    ...parts,
  };
}

/** A hop with classes. */
export function hop(classes: Readonly<Record<string, ClassResult>>): HopResult {
  return {
    kind: 'htb',
    counters: { overlimits: 100 },
    classes,
    link: { busyFraction: 0.67, sentPackets: 97656, droppedPackets: 0, lostPackets: 0 },
  };
}

/** Document of the scenario with 800-byte packets. */
export const HTB_DOCUMENT = {
  title: 'HTB staircase with 800-byte packets',
  about:
    'A bridge of 2009 was told to shape to rates from 476 to 665 Mbit/s; an analyser behind it saw only four different rates. The kernel charges each packet in whole ticks, and tc rounds the price of a packet down before the kernel sees it.',
  seed: 1,
  duration: '1s',
  warmup: '100ms',
  vars: { rate: '555mbit', kernel: '2.6.25' },
  sweep: { rate: MEASURED_2009.map(([x]) => `${x / 1e6}mbit`), kernel: ['2.6.25', '6.12'] },
  hops: {
    bridge: {
      shaper: 'htb',
      kernel: '${kernel}',
      tc: '2.6.23',
      hz: 1000,
      default: '1:108',
      classes: {
        '1:2': { rate: '1000mbit' },
        '1:10': { parent: '1:2', rate: '1000mbit' },
        '1:108': { parent: '1:10', rate: '${rate}', prio: 7 },
      },
      link: { rate: '1gbit', fcs: '4b', overhead: '24b' },
    },
  },
  flows: { generator: { source: 'cbr', rate: '950mbit', size: '836b', via: ['bridge'], class: '1:108' } },
  expect: ['flows.generator.bitsPerSecond.frame within 0.5% of 656.25mbit'],
};

/** One point of the staircase. */
export function htbPoint(variables: Readonly<Record<string, string>>, buckets = 100): PointResult {
  const rate = Number.parseFloat(variables.rate ?? '555') * 1e6;
  const pps = variables.kernel === '6.12' ? packetsPerSecondNow(rate) : packetsPerSecond2009(rate);
  const delay = 1000 / pps;
  const generator = flow({
    packetsPerSecond: pps,
    offeredBitsPerSecond: 950e6,
    delaySeconds: delay,
    droppedPackets: Math.round(142045 - pps),
    series: flowSeries(pps * 836 * 8, delay, buckets),
  });
  const got = { bitsPerSecond: pps * 836 * 8 };
  const passed = Math.abs(generator.bitsPerSecond.frame / 656.25e6 - 1) <= 0.005;
  return {
    variables,
    durationSeconds: 1,
    warmupSeconds: 0.1,
    events: 400_000,
    flows: { generator },
    hops: {
      bridge: hop({
        '1:2': htbClass({ ...got, level: 7 }),
        '1:10': htbClass({ ...got, parent: '1:2', level: 6 }),
        '1:108': htbClass({
          ...got,
          parent: '1:10',
          level: 0,
          mode: 'cant-send',
          backlogPackets: 1000,
          droppedPackets: Math.round(142045 - pps),
          lended: Math.round(pps),
          series: {
            backlogBytes: series(buckets, 1 / buckets, (i) => Math.min(836_000, i * 60_000), 0.01),
            tokens: series(buckets, 1 / buckets, (i) => (i < 2 ? 6e-4 : -4e-6 + 1e-6 * (i % 3)), 0.4),
            ctokens: series(buckets, 1 / buckets, (i) => (i < 2 ? 6e-4 : -4e-6 + 1e-6 * (i % 3)), 0.4),
            mode: {
              cantSend: Array.from({ length: buckets }, (_, i) => (i < 2 ? 0 : 0.92)),
              mayBorrow: Array.from({ length: buckets }, () => 0),
              canSend: Array.from({ length: buckets }, (_, i) => (i < 2 ? 1 : 0.08)),
            },
          },
        }),
        direct: htbClass({ bitsPerSecond: 0 }),
      }),
    },
    expectations: [
      {
        text: 'flows.generator.bitsPerSecond.frame within 0.5% of 656.25mbit',
        passed,
        actual: generator.bitsPerSecond.frame,
        expected: 656.25e6,
      },
    ],
  };
}

/** Wraps points into a result. */
export function resultOf(
  title: string,
  document: unknown,
  points: readonly PointResult[],
  references: readonly ReferenceSpec[] = [],
  about = '',
): Result {
  return {
    format: 'shaperlab-result/1',
    title,
    about,
    scenario: { file: 'scenarios/htb-800B.yaml', sha256: 'c0ffee'.padEnd(64, '0'), document },
    seed: 1,
    references,
    points,
    run: { wallSeconds: 1.5, version: '0.1.0', node: 'v20.0.0' },
  };
}

/** The staircase of 2009: fourteen rates, an old and a new kernel. */
export function staircaseResult(kernels: readonly string[] = ['2.6.25', '6.12']): Result {
  const points = kernels.flatMap((kernel) =>
    MEASURED_2009.map(([rate]) => htbPoint({ rate: `${rate / 1e6}mbit`, kernel })),
  );
  return resultOf(
    HTB_DOCUMENT.title,
    HTB_DOCUMENT,
    points,
    [
      {
        label: 'measured in 2009',
        variable: 'rate',
        figure: ['flows', 'generator', 'bitsPerSecond', 'frame'],
        rows: MEASURED_2009.map(([x, y]) => ({ x, y })),
      },
    ],
    HTB_DOCUMENT.about,
  );
}

/** One run at 555 Mbit/s, with series of `buckets` buckets. */
export function singleResult(buckets = 100): Result {
  const { sweep: _, ...document } = HTB_DOCUMENT;
  return resultOf(HTB_DOCUMENT.title, document, [htbPoint({}, buckets)], [], HTB_DOCUMENT.about);
}

function curlTransfer(
  version: string,
  bytes: number,
  limitBytesPerSecond: number,
): { transfer: TransferResult; steps: number[][] } {
  const steps: number[][] = [];
  let seconds = 0;
  if (version === '8.6.0') {
    const lump = 180_224;
    for (let sum = lump; ; sum = Math.min(bytes, sum + lump)) {
      steps.push([seconds, sum]);
      if (sum >= bytes) break;
      seconds = sum / limitBytesPerSecond;
    }
  } else {
    const lump = version === 'pr19384' ? limitBytesPerSecond : limitBytesPerSecond / 2;
    for (let sum = Math.min(bytes, lump); ; sum = Math.min(bytes, sum + lump)) {
      steps.push([seconds, sum]);
      if (sum >= bytes) break;
      seconds += lump / limitBytesPerSecond;
    }
  }
  const took = Math.max(seconds, 0.02);
  const bitsPerSecond = (8 * bytes) / took;
  const limit = 8 * limitBytesPerSecond;
  return {
    transfer: {
      bytes,
      seconds: took,
      bitsPerSecond,
      limitBitsPerSecond: limit,
      deviationPercent: 100 * (bitsPerSecond / limit - 1),
      completed: true,
    },
    steps,
  };
}

/** Downloads with curl: versions by size, limit and link, with two measurements. */
export function curlResult(): Result {
  const points: PointResult[] = [];
  for (const version of ['8.6.0', 'pr19384', '8.18.0']) {
    for (const size of ['1MiB', '5MiB', '20MiB']) {
      for (const limit of ['1000000', '2000000', '4000000']) {
        const bytes = Number.parseInt(size, 10) * 2 ** 20;
        const { transfer, steps } = curlTransfer(version, bytes, Number(limit));
        points.push({
          variables: { version, size, limit },
          durationSeconds: 30,
          warmupSeconds: 0,
          events: 40_000,
          flows: {
            download: flow({
              packetsPerSecond: bytes / 1448 / transfer.seconds,
              sizeBytes: 1514,
              transfer,
              series: {
                received: { seconds: steps.map((s) => s[0] as number), bytes: steps.map((s) => s[1] as number) },
              },
            }),
          },
          hops: {
            wan: {
              counters: {},
              classes: {},
              link: { busyFraction: 0.02, sentPackets: 3600, droppedPackets: 0, lostPackets: 0 },
            },
          },
          expectations: [],
        });
      }
    }
  }
  return resultOf(
    'curl --limit-rate, by version',
    {
      title: 'curl --limit-rate, by version',
      about: '',
      duration: '30s',
      vars: { version: '8.6.0', size: '5MiB', limit: '2000000' },
      hops: { wan: { link: { rate: '700mbit', delay: '500us', queue: '1000p' } } },
      flows: {
        download: {
          source: 'curl',
          version: '${version}',
          limit: '${limit}',
          size: '${size}',
          via: ['wan'],
          tcp: { congestion: 'cubic', rcvbufMax: 393216 },
        },
      },
    },
    points,
    [
      {
        label: 'measured in 2025',
        variable: 'limit',
        figure: ['flows', 'download', 'transfer', 'bitsPerSecond'],
        rows: [
          { x: 2000000, y: 20683513, where: { size: '5MiB', version: 'pr19384' } },
          { x: 2000000, y: 408757735, where: { size: '1MiB', version: 'pr19384' } },
          { x: 1000000, y: 8373926, where: { size: '5MiB', version: 'pr19384' } },
        ],
      },
    ],
    'A server offers a file; curl is told to take no more than so many bytes a second. Each generation of its limiter keeps that promise differently.',
  );
}

/** A sweep of `across` rates by `up` packet sizes. */
export function sweepResult(across: number, up: number): Result {
  const points: PointResult[] = [];
  for (let i = 0; i < up; i++) {
    for (let j = 0; j < across; j++) {
      const size = 64 + Math.round((i * 1450) / Math.max(1, up - 1));
      const mbit = 100 + j * Math.max(1, Math.floor(900 / across));
      const pps = packetsPerSecond2009(mbit * 1e6, size);
      const got = flow({ packetsPerSecond: pps, sizeBytes: size, offeredBitsPerSecond: 2e9 });
      points.push({
        variables: { size: `${size}b`, rate: `${mbit}mbit` },
        durationSeconds: 1,
        warmupSeconds: 0.1,
        events: 1000,
        flows: { generator: got },
        hops: { bridge: hop({ '1:108': htbClass({ bitsPerSecond: got.bitsPerSecond.accounted }) }) },
        expectations: [],
      });
    }
  }
  const { sweep: _, ...rest } = HTB_DOCUMENT;
  const document = { ...rest, flows: { generator: { ...rest.flows.generator, size: '${size}' } } };
  return resultOf('HTB error by packet size and rate', document, points, [], 'Where the rounding bites.');
}
