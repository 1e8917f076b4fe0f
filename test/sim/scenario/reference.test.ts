import { describe, expect, test } from 'vitest';
import { parseCsv } from '../../../sim/scenario/csv.ts';
import { checkDocument } from '../../../sim/scenario/load-scenario.ts';
import { brief, load } from './builder.ts';
import { fakeRegistry } from './fake-models.ts';

const FILES: Readonly<Record<string, string>> = {
  'data/rates.csv': 'configured_kbit,received_bps\n476000,544260329\n500000,545880017\n',
  'data/curl.csv':
    'mail,link_mbit,file_mib,limit_bps,time_ms\n2025-11-20,700,5,8000000,5008\n2025-11-20,700,5,16000000,2500\n2025-11-25,700,5,8000000,5200\n',
  'data/bad.csv': 'rate,y\n1,2\nten,3\n',
};

function references(reference: string, files = FILES) {
  const readText = (path: string): string => {
    const text = files[path];
    if (text === undefined) throw new Error('no such file');
    return text;
  };
  return load(
    {
      top: 'vars: { rate: 1mbit, link: 700mbit, size: 5MiB }\nsweep: { rate: [1mbit] }',
      hop: 'link: { rate: "${rate}", delay: 1ms }',
      tail: `reference: ${reference}`,
    },
    { readText },
  ).references;
}

describe('reference data', () => {
  test('has a column for the variable and one for the figure', () => {
    expect(
      references(
        '{ file: data/rates.csv, x: { column: configured_kbit, unit: kbit, variable: rate }, y: { column: received_bps, figure: flows.a.bitsPerSecond.frame } }',
      ),
    ).toEqual([
      {
        label: 'rates',
        variable: 'rate',
        figure: ['flows', 'a', 'bitsPerSecond', 'frame'],
        rows: [
          { x: 476e6, y: 544_260_329 },
          { x: 500e6, y: 545_880_017 },
        ],
      },
    ]);
  });

  test('may have further keys, factors, units of time, and rows of others', () => {
    // limit_bps is in bit/s, curl's limit in bytes/s: an eighth; 5008 ms are 5.008 s.
    const [reference] = references(
      '[{ file: data/curl.csv, label: first mail, x: { column: limit_bps, factor: 0.125, variable: rate }, y: { column: time_ms, unit: ms, figure: flows.a.transfer.seconds }, where: { link: { column: link_mbit, unit: mbit }, size: { column: file_mib, unit: MiB } }, only: [{ column: mail, equals: 2025-11-20 }] }]',
    );
    expect(reference).toMatchObject({
      label: 'first mail',
      rows: [
        { x: 1e6, y: 5.008, where: { link: '700mbit', size: '5MiB' } },
        { x: 2e6, y: 2.5, where: { link: '700mbit', size: '5MiB' } },
      ],
    });
  });

  const column = (x: string, y: string, file = 'data/rates.csv', rest = '') =>
    `{ file: ${file}, x: { column: ${x}, unit: kbit, variable: rate }, y: { column: ${y}, figure: flows.a.bitsPerSecond.frame }${rest} }`;

  test.each([
    [
      column('configured', 'received_bps'),
      'reference.x.column: expected a column of the file but received "configured"',
    ],
    [
      column('rate', 'y', 'data/bad.csv'),
      'reference.file: expected a number in line 3 of the file but received "tenkbit"',
    ],
    [
      column('a', 'b', 'none.csv'),
      'reference.file: expected a readable file beside the scenario but received none.csv',
    ],
    [
      column('configured_kbit', 'received_bps', 'data/rates.csv', ', only: [{ column: received_bps, equals: "1" }]'),
      'reference.file: expected rows that match but received none',
    ],
    [
      column('configured_kbit', 'received_bps').replace('variable: rate', 'variable: rats'),
      'reference.x.variable: expected a variable that the scenario has but received rats',
    ],
    [
      column('configured_kbit', 'received_bps').replace('frame', 'frames'),
      'reference.y.figure: expected a figure below flows.a.bitsPerSecond but received "frames"',
    ],
    ['{ file: data/rates.csv }', 'reference.x: expected the key x but received nothing'],
  ])('%s is refused', (reference, complaint) => {
    expect(brief(() => references(reference))).toContain(complaint);
  });

  test('is left out where there are no files to read', () => {
    const document = {
      duration: '1s',
      hops: { wan: {} },
      flows: { a: { source: 'steady', via: ['wan'] } },
      reference: { file: 'x.csv' },
    };
    expect(checkDocument(document, { registry: fakeRegistry }).references).toEqual([]);
  });
});

describe('a table', () => {
  test('may have quoted cells, Windows line ends, blank lines and a byte order mark', () => {
    expect(parseCsv('\ufeffa,b\r\n"x, ""y""\nz", 2 \r\n\r\n3,4')).toEqual({
      columns: ['a', 'b'],
      rows: [
        { line: 2, cells: ['x, "y"\nz', '2'] },
        { line: 5, cells: ['3', '4'] },
      ],
    });
  });

  test('of nothing has no columns', () => {
    expect(parseCsv('')).toEqual({ columns: [], rows: [] });
  });
});
