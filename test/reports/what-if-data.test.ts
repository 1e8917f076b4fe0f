import { describe, expect, it } from 'vitest';
import { chartSource } from '../../reports/reading.ts';
import { whatIfData } from '../../reports/what-if-data.ts';
import { htbPoint, resultOf, singleResult, staircaseResult } from './sample-results.ts';

describe('what can be changed in the page', () => {
  it('begins with the variables that were swept, with their values to choose from', () => {
    const data = whatIfData(chartSource([staircaseResult()]))!;
    expect(data.knobs.slice(0, 2)).toMatchObject([
      { label: 'rate', path: ['vars', 'rate'], kind: 'rate' },
      { label: 'kernel', path: ['vars', 'kernel'], kind: 'text', suggestions: ['2.6.25', '6.12'] },
    ]);
    const { vars, hops } = data.document as { vars: object; hops: { bridge: { kernel: string } } };
    expect(Object.keys(vars)).toEqual(['rate', 'kernel']);
    expect(hops.bridge.kernel).toBe('${kernel}');
    expect(data.knobs.map(({ value }) => value).filter((value) => value.includes('${'))).toEqual([]);
  });

  it('has what hops set before their classes, and fills variables in where nothing is swept', () => {
    const data = whatIfData(chartSource([singleResult()]))!;
    const labels = data.knobs.map(({ label }) => label);
    expect(labels).toContain('Kernel of bridge');
    expect(labels.indexOf('Kernel of bridge')).toBeLessThan(labels.indexOf('Rate of class 1:108'));
    expect(JSON.stringify(data.document)).not.toContain('${');
  });

  it('has the swept variables however many fields there are', () => {
    const classes = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [`1:${i + 10}`, { rate: i === 29 ? '${rate}' : '1mbit' }]),
    );
    const flows = Object.fromEntries(
      Object.keys(classes).map((name, i) => [`f${i}`, { source: 'cbr', via: ['bridge'], class: name, size: '836b' }]),
    );
    const document = { hops: { bridge: { shaper: 'htb', kernel: '6.12', classes } }, flows };
    const points = ['1mbit', '2mbit'].map((rate) => htbPoint({ rate }));
    const knobs = whatIfData(chartSource([resultOf('many', document, points)]))!.knobs;
    expect(knobs[0]).toMatchObject({ label: 'rate', path: ['vars', 'rate'] });
    expect(knobs).toHaveLength(16);
  });
});
